//! Numbers and text as they are written.

use super::{Lexer, Shape, continues_name};
use crate::process::expression::error::Fault;

impl<'s> Lexer<'s> {
    pub(super) fn number(&mut self) -> Result<Shape<'s>, Fault> {
        let start = self.at;
        let radix = match self.rest().get(..2) {
            Some("0x" | "0X") => 16,
            Some("0o" | "0O") => 8,
            Some("0b" | "0B") => 2,
            Some(_) | None => 10,
        };
        let (digits, is_whole) = if radix == 10 { self.decimal() } else { self.whole(radix) };
        let follows = self.take_while(continues_name);
        let span = self.since(start);
        let digits = digits.replace('_', "");
        if !follows.is_empty() {
            return Err(Fault::syntax(span, format!("{digits}{follows} is not a number")));
        }
        if is_whole {
            let large = |_| Fault::syntax(span, format!("{digits} is not a 64-bit integer"));
            return i64::from_str_radix(&digits, radix).map(Shape::Integer).map_err(large);
        }
        match digits.parse::<f64>() {
            Ok(double) if double.is_finite() => Ok(Shape::Double(double)),
            Ok(_) | Err(_) => Err(Fault::syntax(span, format!("{digits} is not a number"))),
        }
    }

    /// The digits behind `0x` and the like.
    fn whole(&mut self, radix: u32) -> (&'s str, bool) {
        self.at += 2;
        (self.take_while(|it| it.is_digit(radix) || it == '_'), true)
    }

    /// Digits, then perhaps a fraction, then perhaps an exponent; and whether there was neither.
    fn decimal(&mut self) -> (&'s str, bool) {
        let is_digit = |it: char| it.is_ascii_digit() || it == '_';
        let start = self.at;
        self.take_while(is_digit);
        let mut is_whole = true;
        let mut letters = self.rest().chars();
        if letters.next() == Some('.') && letters.next().is_some_and(|it| it.is_ascii_digit()) {
            is_whole = false;
            self.at += 1;
            self.take_while(is_digit);
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            is_whole = false;
            self.at += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            self.take_while(is_digit);
        }
        (self.source.get(start..self.at).unwrap_or_default(), is_whole)
    }

    /// Text in backticks, as it stands.
    pub(super) fn raw(&mut self) -> Result<Shape<'s>, Fault> {
        let start = self.at;
        self.at += 1;
        let text = self.take_while(|it| it != '`').to_owned();
        match self.take() {
            Some(_) => Ok(Shape::Text(text)),
            None => Err(Fault::syntax(self.since(start), "the text does not end")),
        }
    }

    pub(super) fn quoted(&mut self, quote: char) -> Result<Shape<'s>, Fault> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|it| it != quote && it != '\\' && it != '\n'));
            match self.take() {
                Some('\\') => text.push(self.escaped()?),
                Some('\n') | None => {
                    return Err(Fault::syntax(self.since(start), "the text does not end"));
                }
                Some(_) => return Ok(Shape::Text(text)),
            }
        }
    }

    /// What stands behind a backslash.
    fn escaped(&mut self) -> Result<char, Fault> {
        let start = self.at - 1;
        let letter = self.take();
        let meant = match letter {
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('a') => Some('\u{7}'),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('v') => Some('\u{b}'),
            Some(itself @ ('\\' | '"' | '\'' | '`')) => Some(itself),
            Some('x') => self.code(2, 16),
            Some('u') => self.code(4, 16),
            Some('U') => self.code(8, 16),
            Some('0'..='3') => {
                self.at -= 1;
                self.code(3, 8)
            }
            Some(_) | None => None,
        };
        meant.ok_or_else(|| Fault::syntax(self.since(start), "unknown escape"))
    }

    /// A character by its number, written with exactly this many digits.
    fn code(&mut self, length: usize, radix: u32) -> Option<char> {
        let digits = self.rest().get(..length)?;
        if !digits.chars().all(|it| it.is_digit(radix)) {
            return None;
        }
        self.at += length;
        char::from_u32(u32::from_str_radix(digits, radix).ok()?)
    }
}
