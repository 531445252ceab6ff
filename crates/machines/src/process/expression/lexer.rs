//! Cuts a source into lexemes, each with its span. Text is opaque: nothing inside of quotes is read.

mod literal;

use super::{Cause, Limits, Span, error::Fault};

/// Symbols, longer ones before those they begin with.
const SYMBOLS: [&str; 34] = [
    "${", "==", "!=", "<=", ">=", "&&", "||", "**", "??", "?.", "..", "(", ")", "[", "]", "{", "}",
    "+", "-", "*", "/", "%", "^", "<", ">", "!", "?", ":", ",", ".", ";", "=", "|", "#",
];

#[derive(Clone, Debug)]
pub(super) struct Lexeme<'s> {
    pub(super) shape: Shape<'s>,
    pub(super) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape<'s> {
    /// A name or a reserved word.
    Word(&'s str),
    Integer(i64),
    Double(f64),
    Text(String),
    Symbol(&'static str),
    End,
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

/// All lexemes of a source. The last one is the end.
pub(super) fn lexemes<'s>(source: &'s str, limits: &Limits) -> Result<Vec<Lexeme<'s>>, Fault> {
    if source.len() > limits.source_bytes {
        let cause = Cause::Limit { what: "bytes of source", limit: limits.source_bytes };
        return Err(cause.at(Span { start: 0, end: source.len() }));
    }
    let mut lexer = Lexer { source, at: 0 };
    let mut lexemes = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let start = lexer.at;
        let shape = lexer.shape()?;
        let is_end = shape == Shape::End;
        lexemes.push(Lexeme { shape, span: Span { start, end: lexer.at } });
        if is_end {
            return Ok(lexemes);
        }
    }
}

fn begins_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_' || letter == '$'
}

fn continues_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let length = rest.find(|it| !wanted(it)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// From `start` to where the lexer is now.
    fn since(&self, start: usize) -> Span {
        Span { start, end: self.at }
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            self.take_while(char::is_whitespace);
            let rest = self.rest();
            if rest.starts_with("//") {
                self.take_while(|it| it != '\n');
            } else if rest.starts_with("/*") {
                let Some(length) = rest.find("*/") else {
                    let span = Span { start: self.at, end: self.source.len() };
                    return Err(Fault::syntax(span, "the comment does not end"));
                };
                self.at += length + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn shape(&mut self) -> Result<Shape<'s>, Fault> {
        let Some(first) = self.peek() else { return Ok(Shape::End) };
        let second = self.rest().chars().nth(1);
        match first {
            '"' | '\'' => self.quoted(first),
            '`' => self.raw(),
            '0'..='9' => self.number(),
            '.' if second.is_some_and(|it| it.is_ascii_digit()) => self.number(),
            '$' if second == Some('{') => self.symbol(),
            letter if begins_name(letter) => Ok(self.word()),
            _ => self.symbol(),
        }
    }

    /// A name ends before a `${`, which begins something of its own.
    fn word(&mut self) -> Shape<'s> {
        let start = self.at;
        while self.peek().is_some_and(continues_name) && !self.rest().starts_with("${") {
            self.take();
        }
        Shape::Word(self.source.get(start..self.at).unwrap_or_default())
    }

    fn symbol(&mut self) -> Result<Shape<'s>, Fault> {
        let rest = self.rest();
        // In `a ?.5 : 1` the dot belongs to the number.
        let is_fraction =
            rest.starts_with("?.") && rest.chars().nth(2).is_some_and(|it| it.is_ascii_digit());
        let found = if is_fraction { Some("?") } else { None };
        let Some(symbol) = found.or_else(|| SYMBOLS.into_iter().find(|it| rest.starts_with(it)))
        else {
            let start = self.at;
            let letter = self.take().unwrap_or_default();
            return Err(Fault::syntax(
                self.since(start),
                format!("unexpected character {letter:?}"),
            ));
        };
        self.at += symbol.len();
        Ok(Shape::Symbol(symbol))
    }
}
