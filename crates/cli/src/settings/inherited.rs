//! Names that operators of these wire formats have set already, for another server. They are the
//! last choice before the defaults, and read as that server would.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::exit::Failure;

/// Begins the names of the server of the entity format.
const ENTITY: &str = "CYODA_";

/// A variable of the other server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inherited {
    pub(super) name: &'static str,
    pub(super) reading: Reading,
    /// Whether the same name with `_FILE` after it may name a file with the value.
    has_file: bool,
}

/// What the other server makes of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reading {
    /// A port, which is on loopback unless somebody says otherwise with a name of ours.
    Port,
    /// Where PostgreSQL is: a URL, or words such as `host=db user=me`.
    Database,
    Level,
    Switch,
    Text,
    /// A whole number.
    Number,
    /// Whole seconds.
    Seconds,
    /// A duration such as `90s`, `5m` or `1h`.
    Span,
}

impl Inherited {
    pub(super) const fn new(name: &'static str, reading: Reading) -> Self {
        Self { name, reading, has_file: false }
    }

    pub(super) const fn or_file(self) -> Self {
        Self { has_file: true, ..self }
    }

    /// What is set, and by which name.
    pub(super) fn given(
        self,
        environment: &BTreeMap<String, String>,
        may_be_empty: bool,
    ) -> Result<Option<(String, String)>, Failure> {
        if self.has_file {
            return value_or_file(environment, self.name);
        }
        let text = match may_be_empty {
            true => environment.get(self.name).map(|it| it.trim().to_owned()),
            false => variable(environment, self.name),
        };
        Ok(text.map(|it| (it, self.name.to_owned())))
    }

    /// Whether the other server goes by its default if it cannot read the value.
    pub(super) fn is_lenient(self) -> bool {
        let is_read = match self.reading {
            Reading::Port
            | Reading::Switch
            | Reading::Number
            | Reading::Seconds
            | Reading::Span => true,
            Reading::Database | Reading::Level | Reading::Text => false,
        };
        is_read && self.name.starts_with(ENTITY)
    }
}

/// What is set to something.
pub(super) fn variable(environment: &BTreeMap<String, String>, name: &str) -> Option<String> {
    environment.get(name).map(|it| it.trim().to_owned()).filter(|it| !it.is_empty())
}

/// The value or, before it, what is in the file that the same name with `_FILE` after it names; and
/// which of the two it was.
pub(super) fn value_or_file(
    environment: &BTreeMap<String, String>,
    name: &str,
) -> Result<Option<(String, String)>, Failure> {
    let of_file = format!("{name}_FILE");
    match variable(environment, &of_file) {
        Some(path) => match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some((text.trim_end().to_owned(), of_file))),
            Err(error) => {
                Err(Failure::usage(format!("{path} (from {of_file}) cannot be read: {error}")))
            }
        },
        None => Ok(variable(environment, name).map(|it| (it, name.to_owned()))),
    }
}

impl Reading {
    /// The value as we would have it written; or what it must be.
    pub(super) fn read(self, given: &str) -> Result<String, &'static str> {
        match self {
            Self::Port => match given.parse::<u16>() {
                Ok(port) => Ok(format!("127.0.0.1:{port}")),
                Err(_) => Err("a port such as 8080"),
            },
            Self::Database => database(given)
                .ok_or("postgres://USER:PASSWORD@HOST:PORT/DATABASE, or words such as host=db"),
            Self::Level => match given.to_lowercase().as_str() {
                level @ ("debug" | "info" | "warn" | "error") => Ok(level.to_owned()),
                _ => Err("debug, info, warn or error"),
            },
            Self::Switch => match given.to_lowercase().as_str() {
                "1" | "true" | "yes" => Ok("true".to_owned()),
                "0" | "false" | "no" => Ok("false".to_owned()),
                _ => Err("true or false"),
            },
            Self::Text => Ok(given.to_owned()),
            Self::Number => match given.parse::<i64>() {
                Ok(number) => Ok(number.to_string()),
                Err(_) => Err("a whole number such as 10"),
            },
            Self::Seconds => match given.parse::<u32>() {
                Ok(seconds) => Ok((u64::from(seconds) * 1_000).to_string()),
                Err(_) => Err("a whole number of seconds such as 10"),
            },
            Self::Span => {
                span(given).map(|it| it.to_string()).ok_or("a duration such as 90s, 5m or 1h")
            }
        }
    }
}

/// Milliseconds.
fn span(given: &str) -> Option<u64> {
    let (number, factor) = match given {
        _ if given.ends_with("ms") => (given.strip_suffix("ms")?, 1),
        _ if given.ends_with('s') => (given.strip_suffix('s')?, 1_000),
        _ if given.ends_with('m') => (given.strip_suffix('m')?, 60_000),
        _ => (given.strip_suffix('h')?, 3_600_000),
    };
    number.parse::<u32>().ok().map(|it| u64::from(it) * factor)
}

pub(super) fn database(given: &str) -> Option<String> {
    if given.starts_with("postgres://") || given.starts_with("postgresql://") {
        return Some(given.to_owned());
    }
    let pairs = pairs(given)?;
    let of = |name: &str| pairs.iter().find(|it| it.0 == name).map(|it| escaped(&it.1));
    let mut url = "postgres://".to_owned();
    if let Some(user) = of("user") {
        url += &user;
        if let Some(password) = of("password") {
            url = format!("{url}:{password}");
        }
        url.push('@');
    }
    url += &of("host")?;
    if let Some(port) = of("port") {
        url = format!("{url}:{port}");
    }
    if let Some(name) = of("dbname") {
        url = format!("{url}/{name}");
    }
    let placed = ["user", "password", "host", "port", "dbname"];
    let others = pairs.iter().filter(|(name, _)| !placed.contains(&name.as_str()));
    let query: Vec<_> = others.map(|(name, text)| format!("{name}={}", escaped(text))).collect();
    Some(if query.is_empty() { url } else { format!("{url}?{}", query.join("&")) })
}

/// Words such as `user=me password='two words'`; a backslash takes the next letter as it is.
fn pairs(given: &str) -> Option<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let mut rest = given.trim_start();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        let (text, left) = value(after.trim_start())?;
        pairs.push((name.trim().to_owned(), text));
        rest = left.trim_start();
    }
    (!pairs.is_empty()).then_some(pairs)
}

fn value(given: &str) -> Option<(String, &str)> {
    let quoted = given.strip_prefix('\'');
    let body = quoted.unwrap_or(given);
    let mut text = String::new();
    let mut letters = body.char_indices();
    while let Some((at, letter)) = letters.next() {
        let is_end = if quoted.is_some() { letter == '\'' } else { letter.is_whitespace() };
        match letter {
            '\\' => text.push(letters.next()?.1),
            _ if is_end => return Some((text, body.get(at + letter.len_utf8()..)?)),
            _ => text.push(letter),
        }
    }
    quoted.is_none().then_some((text, ""))
}

/// The text so that nothing in it means something in a URL.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                escaped.push(char::from(byte));
            }
            _ => drop(write!(escaped, "%{byte:02X}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_the_other_server_reads_them() {
        for (reading, given, expected) in [
            (Reading::Port, "8081", Some("127.0.0.1:8081")),
            (Reading::Port, "80810", None),
            (Reading::Port, "0.0.0.0:80", None),
            (Reading::Level, "DEBUG", Some("debug")),
            (Reading::Level, "loud", None),
            (Reading::Switch, "no", Some("false")),
            (Reading::Switch, "1", Some("true")),
            (Reading::Switch, "off", None),
            (Reading::Number, "-1", Some("-1")),
            (Reading::Number, "1.5", None),
            (Reading::Seconds, "10", Some("10000")),
            (Reading::Seconds, "10s", None),
            (Reading::Span, "90s", Some("90000")),
            (Reading::Span, "5m", Some("300000")),
            (Reading::Span, "1h", Some("3600000")),
            (Reading::Span, "250ms", Some("250")),
            (Reading::Span, "90", None),
            (Reading::Span, "m", None),
        ] {
            assert_eq!(reading.read(given).ok().as_deref(), expected, "{given}");
        }
    }

    #[test]
    fn a_database_is_named_by_a_url_or_by_words() {
        for (given, expected) in [
            ("postgres://me:x@db/w", Some("postgres://me:x@db/w")),
            ("host=db", Some("postgres://db")),
            (
                "user=me password='a b\\'/' host=db port=5433 dbname=w sslmode=require",
                Some("postgres://me:a%20b%27%2F@db:5433/w?sslmode=require"),
            ),
            ("host = db  dbname = w", Some("postgres://db/w")),
            ("user=me", None),
            ("password='open host=db", None),
            ("mysql://db", None),
        ] {
            assert_eq!(database(given).as_deref(), expected, "{given}");
        }
    }
}
