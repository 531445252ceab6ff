//! The words of a story's line: `report 0 retry error='no answer' backoff=5s`.

use std::time::Duration;

use waypost_kernel::Json;

/// A line: its plain words in order, and its `name=value` pairs.
pub(crate) struct Words {
    plain: std::vec::IntoIter<String>,
    pairs: Vec<(String, String)>,
}

impl Words {
    /// Single quotes keep what has spaces together.
    pub(crate) fn of(line: &str) -> Self {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for letter in line.chars() {
            match letter {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                letter => words.last_mut().unwrap().push(letter),
            }
        }
        let (mut plain, mut pairs) = (Vec::new(), Vec::new());
        for word in words.into_iter().filter(|it| !it.is_empty()) {
            match word.split_once('=') {
                Some((name, value)) => pairs.push((name.to_owned(), value.to_owned())),
                None => plain.push(word),
            }
        }
        Self { plain: plain.into_iter(), pairs }
    }

    /// The next plain word, if there is one.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.plain.next()
    }

    /// The value of that name, if it is given.
    pub(crate) fn value(&mut self, name: &str) -> Option<String> {
        self.values(name).pop()
    }

    /// All values of that name.
    pub(crate) fn values(&mut self, name: &str) -> Vec<String> {
        self.pairs.extract_if(.., |(it, _)| it == name).map(|(_, value)| value).collect()
    }

    /// A story with a word nobody reads says something else than it means.
    pub(crate) fn end(mut self) {
        assert_eq!((self.plain.next(), self.pairs.pop()), (None, None), "words are left over");
    }
}

/// A text; `300*x` is a long one.
pub(crate) fn text(word: &str) -> String {
    match word.split_once('*') {
        Some((times, unit)) => unit.repeat(times.parse().unwrap()),
        None => word.to_owned(),
    }
}

/// A document; `bytes:300` is one of that length, `deep:300` one of that many levels,
/// `member:a:300` one with a member of that length.
pub(crate) fn json(word: &str) -> Json {
    let text = match word.split_once(':') {
        Some(("bytes", size)) => format!("{:?}", "x".repeat(size.parse::<usize>().unwrap() - 2)),
        Some(("deep", levels)) => {
            let levels = levels.parse::<usize>().unwrap();
            format!("{}0{}", "{\"a\":".repeat(levels), "}".repeat(levels))
        }
        Some(("member", named)) => {
            let (name, size) = named.split_once(':').unwrap();
            format!("{{{name:?}:{:?}}}", "x".repeat(size.parse().unwrap()))
        }
        Some(_) | None => word.to_owned(),
    };
    Json::parse(&text).unwrap()
}

/// A duration: `5s`, `1500ms`, `1us`.
pub(crate) fn duration(word: &str) -> Duration {
    let (number, unit) = word.split_at(word.find(char::is_alphabetic).unwrap());
    let number = number.parse().unwrap();
    match unit {
        "s" => Duration::from_secs(number),
        "ms" => Duration::from_millis(number),
        "us" => Duration::from_micros(number),
        _ => panic!("{word} is not a duration"),
    }
}
