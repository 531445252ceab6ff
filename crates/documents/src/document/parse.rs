//! Reads JSON text. Strict: what the standard does not allow is refused, with the place.

use std::fmt;

use super::{Members, Number, Value};

/// Why a text is not a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentError {
    /// Where, in lines and in characters of that line, both from 1.
    pub line: usize,
    /// Where in the line.
    pub column: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, problem } = self;
        write!(out, "{problem} at line {line} column {column}")
    }
}

impl std::error::Error for DocumentError {}

/// What is wrong, and the byte at which.
type Fault = (usize, &'static str);

pub(super) fn parse(text: &str) -> Result<Value, DocumentError> {
    Parser::new(text).document().map_err(|fault| placed(text, fault))
}

pub(super) fn parse_first(text: &str) -> Result<Value, DocumentError> {
    Parser::new(text).value().map_err(|fault| placed(text, fault))
}

fn placed(text: &str, (at, problem): Fault) -> DocumentError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |it| it + 1);
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    DocumentError { line, column, problem }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    const fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    fn document(&mut self) -> Result<Value, Fault> {
        let value = self.value()?;
        self.skip_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => self.fault("more text after the document"),
        }
    }

    fn value(&mut self) -> Result<Value, Fault> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::list),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(_) => self.fault("expected a value"),
            None => self.fault("the text ends where a value is expected"),
        }
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        if self.depth == Value::DEPTH_MAX {
            return self.fault("nested too deep (at most 120 levels)");
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value, Fault> {
        let mut members = Members::new();
        self.skip_space();
        if self.takes(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return self.fault("expected the name of a member");
            }
            let name = self.string()?;
            self.skip_space();
            if !self.takes(b':') {
                return self.fault("expected ':'");
            }
            let value = self.value()?;
            members.insert(name, value);
            self.skip_space();
            if self.takes(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.takes(b',') {
                return self.fault("expected ',' or '}'");
            }
        }
    }

    fn list(&mut self) -> Result<Value, Fault> {
        let mut elements = Vec::new();
        self.skip_space();
        if self.takes(b']') {
            return Ok(Value::List(elements));
        }
        loop {
            elements.push(self.value()?);
            self.skip_space();
            if self.takes(b']') {
                return Ok(Value::List(elements));
            }
            if !self.takes(b',') {
                return self.fault("expected ',' or ']'");
            }
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let plain = rest.iter().position(|it| matches!(it, b'"' | b'\\' | 0..=0x1f));
            let Some(plain) = plain else {
                self.at = self.text.len();
                return self.fault("the text ends inside a string");
            };
            text.push_str(self.text.get(self.at..self.at + plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                _ => return self.fault("a control character inside a string must be escaped"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let kind = self.text.as_bytes().get(self.at + 1).copied();
        let plain = match kind {
            Some(b'u') => return self.code_unit(),
            Some(same @ (b'"' | b'\\' | b'/')) => char::from(same),
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            _ => return self.fault("there is no such escape"),
        };
        self.at += 2;
        Ok(plain)
    }

    /// `\uXXXX`, or two of them for a character beyond the first plane.
    fn code_unit(&mut self) -> Result<char, Fault> {
        let begin = self.at;
        let first = self.hex()?;
        let code = match first {
            0xd800..0xdc00 if self.text.get(self.at..).is_some_and(|it| it.starts_with("\\u")) => {
                let second = self.hex()?;
                if !(0xdc00..0xe000).contains(&second) {
                    return Err((begin, HALF));
                }
                0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            other => other,
        };
        char::from_u32(code).ok_or((begin, HALF))
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at + 2..self.at + 6);
        let digits = digits.filter(|it| it.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = digits.and_then(|it| u32::from_str_radix(it, 16).ok());
        match code {
            Some(code) => {
                self.at += 6;
                Ok(code)
            }
            None => self.fault("expected four hexadecimal digits"),
        }
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |it: &u8| matches!(it, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let length = rest.bytes().take_while(is_part).count();
        match Number::parse(rest.get(..length).unwrap_or_default()) {
            Some(number) => {
                self.at += length;
                Ok(Value::Number(number))
            }
            None => self.fault("not a number"),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Fault> {
        if self.text.get(self.at..).is_some_and(|it| it.starts_with(word)) {
            self.at += word.len();
            Ok(value)
        } else {
            self.fault("expected a value")
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn takes(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault<T>(&self, problem: &'static str) -> Result<T, Fault> {
        Err((self.at, problem))
    }
}

const HALF: &str = "half of a character";

#[cfg(test)]
mod tests {
    use super::{DocumentError, Value, parse};

    fn problem(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_read_is_written_as_it_was() {
        for text in [
            "null",
            "true",
            "-0",
            "12.50",
            "1e400",
            "0.10000000000000000000000000000000001",
            "[]",
            "{}",
            r#"{"b":1,"a":[1,2,{"c":null}]}"#,
            r#""\u0000\u001f\n\t\"\\ é 😀""#,
        ] {
            assert_eq!(Value::parse(text).unwrap().to_string(), text);
        }
        let spaced = " { \"a\" : [ 1 , \"\\/\\ud83d\\ude00\" ] } \n";
        assert_eq!(Value::parse(spaced).unwrap().to_string(), r#"{"a":[1,"/😀"]}"#);
        assert_eq!(Value::parse(r#"{"a":1,"b":2,"a":3}"#).unwrap().to_string(), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn of_several_documents_the_first_can_be_read_alone() {
        for (text, first) in [
            (r#" {"a":1} {"b":2}"#, r#"{"a":1}"#),
            ("[1]\n[2]", "[1]"),
            ("1.50 2", "1.50"),
            ("{}nonsense", "{}"),
        ] {
            assert!(parse(text).is_err(), "{text:?}");
            assert_eq!(Value::parse_first(text).unwrap().to_string(), first);
        }
        assert!(Value::parse_first("nonsense {}").is_err());
        assert!(Value::parse_first("{\"a\":").is_err());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let wrong = parse("{\"a\":\n  [1,,2]}").unwrap_err();
        assert_eq!(wrong, DocumentError { line: 2, column: 6, problem: "expected a value" });
        assert_eq!(problem(""), "the text ends where a value is expected at line 1 column 1");
        assert_eq!(problem("é"), "expected a value at line 1 column 1");
        for text in [
            "{",
            "[1",
            "\"a",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "--1",
            "1e+",
            "tru",
            "nul",
            "{a:1}",
            "{\"a\"}",
            "[1 2]",
            "1 2",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\ud800\"",
            "\"\\udc00\"",
            "\"\\ud800\\u0041\"",
            "\"\n\"",
            "{\"a\":1,}",
            "[1,]",
            "NaN",
            "'a'",
            "\u{feff}1",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
            assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nested(Value::DEPTH_MAX)).is_ok());
        assert!(problem(&nested(Value::DEPTH_MAX + 1)).starts_with("nested too deep"));
        assert!(problem(&nested(1_000_000)).starts_with("nested too deep"));
    }
}
