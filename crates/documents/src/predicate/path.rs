//! Places in a document: names with dots between them, `[*]` for every element of a list, `[0]` or
//! `.0` for one, `['a.b']` for names that need quoting.

use std::fmt;

use crate::document::Value;

/// How long a path may be. People write them.
const LENGTH_MAX: usize = 1_024;

/// How many steps a path may have. No document is deeper, and following it needs a stack.
const STEPS_MAX: usize = Value::DEPTH_MAX;

/// A place in a document, or many of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    steps: Vec<Step>,
}

/// From a value to what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The member of that name.
    Member(String),
    /// The element at that place of a list.
    Element(usize),
    /// Digits after a dot: an element of a list, or a member of an object that is called so.
    Either(String, usize),
    /// Every element of a list.
    Each,
}

/// Why a text is not a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// Where in the text, in characters, from 1.
    pub at: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

impl fmt::Display for PathError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at character {}", self.problem, self.at)
    }
}

impl std::error::Error for PathError {}

impl Path {
    /// Reads a path. `$` at its beginning stands for the document and may be left out.
    ///
    /// # Errors
    /// When `text` is not a path, or is longer than a path may be.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.len() > LENGTH_MAX {
            return Err(PathError { at: LENGTH_MAX, problem: "more than 1024 bytes" });
        }
        let mut parser = Parser { text, rest: text, steps: Vec::new() };
        match parser.path() {
            Ok(()) => Ok(Self { steps: parser.steps }),
            Err(problem) => Err(PathError { at: parser.at(), problem }),
        }
    }

    /// The way from the document to the place.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether there is at most one such place in a document.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !self.steps.contains(&Step::Each)
    }

    /// Whether `is_wanted` says so of one of the values there, in the order of the document.
    pub fn any(&self, document: &Value, is_wanted: &mut dyn FnMut(&Value) -> bool) -> bool {
        follow(&self.steps, document, is_wanted)
    }
}

fn follow(steps: &[Step], value: &Value, is_wanted: &mut dyn FnMut(&Value) -> bool) -> bool {
    let Some((step, rest)) = steps.split_first() else { return is_wanted(value) };
    let next = match step {
        Step::Member(name) => value.member(name),
        Step::Element(index) => value.element(*index),
        Step::Either(name, index) => value.element(*index).or_else(|| value.member(name)),
        Step::Each => {
            let Value::List(elements) = value else { return false };
            return elements.iter().any(|it| follow(rest, it, is_wanted));
        }
    };
    next.is_some_and(|it| follow(rest, it, is_wanted))
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    steps: Vec<Step>,
}

impl Parser<'_> {
    fn path(&mut self) -> Result<(), &'static str> {
        if self.takes('$') {
            if self.rest.is_empty() {
                return Ok(());
            }
            self.takes('.');
        }
        let first = if self.takes('[') { self.bracket()? } else { self.name()? };
        self.steps.push(first);
        while !self.rest.is_empty() {
            if self.steps.len() == STEPS_MAX {
                return Err("more than 120 steps");
            }
            let step = if self.takes('.') {
                self.name()?
            } else if self.takes('[') {
                self.bracket()?
            } else {
                return Err("expected '.' or '['");
            };
            self.steps.push(step);
        }
        Ok(())
    }

    fn name(&mut self) -> Result<Step, &'static str> {
        let end = self.rest.find(['.', '[', ']']).unwrap_or(self.rest.len());
        match self.rest.get(..end).unwrap_or_default() {
            "" => Err("expected a name"),
            "*" => Err("every element is written [*]"),
            name => {
                let step = match index(name) {
                    Some(index) => Step::Either(name.to_owned(), index),
                    None => Step::Member(name.to_owned()),
                };
                self.skip(end);
                Ok(step)
            }
        }
    }

    fn bracket(&mut self) -> Result<Step, &'static str> {
        let step = if self.takes('*') {
            Step::Each
        } else if self.takes('\'') {
            Step::Member(self.quoted('\'')?)
        } else if self.takes('"') {
            Step::Member(self.quoted('"')?)
        } else {
            let end = self.rest.find(']').unwrap_or(self.rest.len());
            let index = self.rest.get(..end).and_then(index);
            let index = index.ok_or("expected *, a place in the list or a name in quotes")?;
            self.skip(end);
            Step::Element(index)
        };
        if self.takes(']') { Ok(step) } else { Err("expected ']'") }
    }

    /// A backslash lets the character after it stand for itself.
    fn quoted(&mut self, quote: char) -> Result<String, &'static str> {
        let mut name = String::new();
        let mut characters = self.rest.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => name.extend(characters.next().map(|(_, it)| it)),
                it if it == quote => {
                    self.skip(at + quote.len_utf8());
                    return Ok(name);
                }
                it => name.push(it),
            }
        }
        Err("the quotes are not closed")
    }

    fn takes(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn at(&self) -> usize {
        self.text.chars().count() - self.rest.chars().count() + 1
    }
}

fn index(digits: &str) -> Option<usize> {
    let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{Path, Step, Value};

    fn steps(text: &str) -> Vec<Step> {
        Path::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).steps
    }

    fn problem(text: &str) -> String {
        Path::parse(text).map(|it| format!("{it:?}")).unwrap_err().to_string()
    }

    fn member(name: &str) -> Step {
        Step::Member(name.to_owned())
    }

    #[test]
    fn all_ways_to_write_a_path_are_understood() {
        assert_eq!(steps("$"), []);
        for text in ["a.b", "$a.b", "$.a.b", "$['a'].b", "$[\"a\"]['b']", "['a'].b"] {
            assert_eq!(steps(text), [member("a"), member("b")], "{text}");
        }
        assert_eq!(steps("$.é ü.$x"), [member("é ü"), member("$x")]);
        assert_eq!(steps("$['a.b[0]']"), [member("a.b[0]")]);
        assert_eq!(steps(r#"['it\'s']["\"\\"]"#), [member("it's"), member("\"\\")]);
        assert_eq!(steps("$.l[*].s"), [member("l"), Step::Each, member("s")]);
        assert_eq!(steps("$[*][*]"), [Step::Each, Step::Each]);
        assert_eq!(steps("l[12]"), [member("l"), Step::Element(12)]);
        assert_eq!(steps("l.12"), [member("l"), Step::Either("12".to_owned(), 12)]);
        // Quotes say that it is a name, and so does a number that no list can have.
        assert_eq!(steps("l['12']"), [member("l"), member("12")]);
        assert_eq!(steps("l.99999999999999999999"), [member("l"), member("99999999999999999999")]);
    }

    #[test]
    fn what_is_not_a_path_is_refused_with_the_place() {
        for (text, expected) in [
            ("", "expected a name at character 1"),
            ("$.", "expected a name at character 3"),
            ("a.", "expected a name at character 3"),
            ("a..b", "expected a name at character 3"),
            ("é.[*]", "expected a name at character 3"),
            ("a.*", "every element is written [*] at character 3"),
            ("a[*]b", "expected '.' or '[' at character 5"),
            ("a]", "expected '.' or '[' at character 2"),
            ("a[", "expected *, a place in the list or a name in quotes at character 3"),
            ("a[]", "expected *, a place in the list or a name in quotes at character 3"),
            ("a[-1]", "expected *, a place in the list or a name in quotes at character 3"),
            ("a[1:2]", "expected *, a place in the list or a name in quotes at character 3"),
            ("a[?(@.b)]", "expected *, a place in the list or a name in quotes at character 3"),
            (
                "a[99999999999999999999]",
                "expected *, a place in the list or a name in quotes at character 3",
            ),
            ("a[1", "expected ']' at character 4"),
            ("a['b'", "expected ']' at character 6"),
            ("a['b]", "the quotes are not closed at character 4"),
            ("a['b\\']", "the quotes are not closed at character 4"),
        ] {
            assert_eq!(problem(text), expected, "{text}");
        }
    }

    #[test]
    fn length_and_steps_are_limited() {
        assert_eq!(steps(&"a".repeat(1_024)).len(), 1);
        assert!(problem(&"a".repeat(1_025)).starts_with("more than 1024 bytes"));
        let nested = |steps| vec!["a"; steps].join(".");
        assert_eq!(steps(&nested(Value::DEPTH_MAX)).len(), Value::DEPTH_MAX);
        assert!(problem(&nested(Value::DEPTH_MAX + 1)).starts_with("more than 120 steps"));
    }
}
