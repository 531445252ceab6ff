//! The shape of a text as `LIKE` describes it, told in one pass over the text.

use std::{collections::BTreeMap, mem};

/// The bits of a word.
const BITS: usize = 64;

/// The shape of a text as `LIKE` describes it: `%` is any run of characters, `_` any one of them,
/// and a backslash lets the character after it stand for itself. Neither spans lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like(Vec<Line>);

/// What lies between the runs of a line, of which there is one less. Nothing but a line feed stands
/// for a line feed, so the lines of a shape and those of a text belong together one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line(Vec<Part>);

/// Characters that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// These.
    Text(String),
    /// Some of which may be any.
    Shape(Shape),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    /// The characters; none where any will do.
    characters: Vec<Option<char>>,
    /// For each character the places where it may stand, a bit for each place.
    places: BTreeMap<char, Vec<u64>>,
    /// The places of all other characters.
    others: Vec<u64>,
}

impl Like {
    /// The shape that `text` describes. Every text describes one.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let (mut lines, mut line, mut part) = (Vec::new(), Vec::new(), Vec::new());
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let character = match character {
                '%' => {
                    line.push(Part::new(mem::take(&mut part)));
                    continue;
                }
                '_' => None,
                '\\' => characters.next().or(Some('\\')),
                other => Some(other),
            };
            if character == Some('\n') {
                line.push(Part::new(mem::take(&mut part)));
                lines.push(Line(mem::take(&mut line)));
            } else {
                part.push(character);
            }
        }
        line.push(Part::new(part));
        lines.push(Line(line));
        Self(lines)
    }

    /// Whether the whole of `text` has this shape.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let mut lines = text.split('\n');
        self.0.iter().all(|shape| lines.next().is_some_and(|it| shape.matches(it)))
            && lines.next().is_none()
    }
}

impl Line {
    fn matches(&self, line: &str) -> bool {
        let Some((first, others)) = self.0.split_first() else { return line.is_empty() };
        let Some(rest) = first.after_start(line) else { return false };
        let Some((last, middle)) = others.split_last() else { return rest.is_empty() };
        let Some(mut rest) = last.before_end(rest) else { return false };
        // Where each is found first, it leaves the most to those after it.
        middle.iter().all(|part| match part.behind_first(rest) {
            Some(behind) => {
                rest = behind;
                true
            }
            None => false,
        })
    }
}

impl Part {
    fn new(characters: Vec<Option<char>>) -> Self {
        let text: Option<String> = characters.iter().copied().collect();
        text.map_or_else(|| Self::Shape(Shape::new(characters)), Self::Text)
    }

    /// What comes after the part, if `text` begins with it.
    fn after_start<'a>(&self, text: &'a str) -> Option<&'a str> {
        match self {
            Self::Text(part) => text.strip_prefix(part.as_str()),
            Self::Shape(shape) => shape.after_start(text),
        }
    }

    /// What comes before the part, if `text` ends with it.
    fn before_end<'a>(&self, text: &'a str) -> Option<&'a str> {
        match self {
            Self::Text(part) => text.strip_suffix(part.as_str()),
            Self::Shape(shape) => shape.before_end(text),
        }
    }

    /// What comes after the part where it is in `text` first.
    fn behind_first<'a>(&self, text: &'a str) -> Option<&'a str> {
        match self {
            Self::Text(part) => text.split_once(part.as_str()).map(|(_, behind)| behind),
            Self::Shape(shape) => shape.behind_first(text),
        }
    }
}

impl Shape {
    fn new(characters: Vec<Option<char>>) -> Self {
        let n_words = characters.len().div_ceil(BITS);
        let open = |place: usize| characters.get(place).is_some_and(Option::is_none);
        let word = |at: usize| (0..BITS).filter(|it| open(at * BITS + it)).map(|it| 1 << it).sum();
        let others: Vec<u64> = (0..n_words).map(word).collect();
        let mut places = BTreeMap::new();
        for (place, character) in characters.iter().enumerate() {
            let Some(character) = character else { continue };
            let places: &mut Vec<u64> = places.entry(*character).or_insert_with(|| others.clone());
            if let Some(word) = places.get_mut(place / BITS) {
                *word |= 1 << (place % BITS);
            }
        }
        Self { characters, places, others }
    }

    fn after_start<'a>(&self, text: &'a str) -> Option<&'a str> {
        let mut rest = text.chars();
        let is_so =
            |it: &Option<char>| rest.next().is_some_and(|one| it.is_none_or(|it| it == one));
        self.characters.iter().all(is_so).then_some(rest.as_str())
    }

    fn before_end<'a>(&self, text: &'a str) -> Option<&'a str> {
        let mut rest = text.chars();
        let is_so =
            |it: &Option<char>| rest.next_back().is_some_and(|one| it.is_none_or(|it| it == one));
        self.characters.iter().rev().all(is_so).then_some(rest.as_str())
    }

    /// Follows all places where it could have begun at a time: a bit says that the text until here
    /// ends with the shape until there.
    fn behind_first<'a>(&self, text: &'a str) -> Option<&'a str> {
        let last = self.characters.len().checked_sub(1)?;
        let mut reached = vec![0_u64; self.others.len()];
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            let fits = self.places.get(&character).unwrap_or(&self.others);
            let mut carried = 1;
            for (word, fits) in reached.iter_mut().zip(fits) {
                let next = (*word << 1 | carried) & fits;
                carried = *word >> (BITS - 1);
                *word = next;
            }
            if reached.last().is_some_and(|it| it >> (last % BITS) & 1 == 1) {
                return Some(rest.as_str());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::Like;

    #[test]
    fn a_shape_describes_the_whole_text() {
        for (shape, yes, no) in [
            ("", &[""][..], &["a"][..]),
            ("ab", &["ab"], &["", "a", "abc", "xab", "AB"]),
            ("%", &["", "a", "a%b_c"], &["a\nb", "\n"]),
            ("_", &["a", "é", "😀", "%"], &["", "ab", "\n"]),
            ("a%", &["a", "ab", "aa"], &["", "ba", "a\n"]),
            ("%a", &["a", "ba", "aaa"], &["", "ab"]),
            ("%a%", &["a", "bab"], &["", "b"]),
            ("a%b%c", &["abc", "axbxc", "abbcc", "abcbc"], &["acb", "abcd"]),
            ("%ab%ab", &["abab", "ababab", "xabxab"], &["ab", "aba"]),
            ("_%_", &["ab", "abc"], &["", "a"]),
            (r"100\%", &["100%"], &["100", "1000"]),
            (r"a\_b", &["a_b"], &["axb", r"a\_b"]),
            (r"a\\b", &[r"a\b"], &["ab", r"a\\b"]),
            (r"\a", &["a"], &[r"\a"]),
            (r"a\", &[r"a\"], &["a"]),
            ("a\n%", &["a\n", "a\nb"], &["a", "a\nb\nc"]),
            ("%_a_%", &["bab", "aaa", "xbaby"], &["ab", "ba", "a\na", "bab\n"]),
            ("%\n%", &["\n", "a\nb"], &["a", "a\nb\nc"]),
        ] {
            let like = Like::new(shape);
            yes.iter().for_each(|text| assert!(like.matches(text), "{shape:?} {text:?}"));
            no.iter().for_each(|text| assert!(!like.matches(text), "{shape:?} {text:?}"));
        }
    }

    /// All texts of so many of these characters at the most.
    fn texts(of: &[char], most: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..most {
            let longer = all.iter().skip(from);
            let longer: Vec<_> =
                longer.flat_map(|it| of.iter().map(move |last| format!("{it}{last}"))).collect();
            from = all.len();
            all.extend(longer);
        }
        all
    }

    #[test]
    fn short_shapes_describe_what_the_regular_expressions_do_that_say_the_same() {
        let stored = texts(&['a', 'b', '\n'], 5);
        for shape in texts(&['a', 'b', '%', '_', '\n'], 4) {
            let pattern = shape.replace('%', ".*").replace('_', ".");
            let pattern = Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap();
            let like = Like::new(&shape);
            for text in &stored {
                assert_eq!(like.matches(text), pattern.is_match(text), "{shape:?} {text:?}");
            }
        }
    }

    #[test]
    fn a_part_may_be_longer_than_a_word_has_bits() {
        for n_any in [60, 61, 62, 63, 64, 125, 126, 127, 900] {
            let like = Like::new(&format!("%x{}y%", "_".repeat(n_any)));
            let text = |n_between: usize| format!("xxa{}yb", "é".repeat(n_between));
            for (n_between, expected) in
                [(n_any - 2, true), (n_any - 1, true), (n_any, false), (n_any + 1, false)]
            {
                let text = text(n_between);
                assert_eq!(like.matches(&text), expected, "{n_any} {n_between}");
            }
        }
    }
}
