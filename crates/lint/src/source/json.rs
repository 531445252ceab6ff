//! Reads JSON, and keeps where everything stands.

use super::{Member, Node, Span, Value};
use crate::limits::DEPTH_MAX;

/// What is wrong, and at which byte.
pub(crate) type Fault = (usize, String);

/// The tree of a JSON text.
///
/// # Errors
/// What is not JSON about it.
pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let node = reader.node()?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(node),
        Some(_) => reader.fault("more text after the end of the definition"),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn node(&mut self) -> Result<Node, Fault> {
        self.skip_space();
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(_) => return self.fault("expected a value"),
            None => return self.fault("the text ends where a value is expected"),
        };
        Ok(Node { span: start..self.at, value })
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        if self.depth == DEPTH_MAX {
            return self.fault(&format!("nested deeper than {DEPTH_MAX} levels"));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value, Fault> {
        let mut members = Vec::new();
        self.skip_space();
        if self.takes(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            members.push(self.member()?);
            self.skip_space();
            if self.takes(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.takes(b',') {
                return self.fault("expected ',' or '}'");
            }
        }
    }

    fn member(&mut self) -> Result<Member, Fault> {
        self.skip_space();
        if self.peek() != Some(b'"') {
            return self.fault("expected the name of a member");
        }
        let start = self.at;
        let name = self.string()?;
        let name_span = start..self.at;
        self.skip_space();
        if !self.takes(b':') {
            return self.fault("expected ':'");
        }
        Ok(Member { name, name_span, node: self.node()? })
    }

    fn list(&mut self) -> Result<Value, Fault> {
        let mut elements = Vec::new();
        self.skip_space();
        if self.takes(b']') {
            return Ok(Value::List(elements));
        }
        loop {
            elements.push(self.node()?);
            self.skip_space();
            if self.takes(b']') {
                return Ok(Value::List(elements));
            }
            if !self.takes(b',') {
                return self.fault("expected ',' or ']'");
            }
        }
    }

    /// Looks for the end, and has the text between read by those who know every escape.
    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        let mut is_escaped = false;
        let rest = self.text.as_bytes().get(start + 1..).unwrap_or_default();
        let end = rest.iter().position(|byte| match byte {
            _ if is_escaped => {
                is_escaped = false;
                false
            }
            b'\\' => {
                is_escaped = true;
                false
            }
            byte => *byte == b'"',
        });
        let Some(length) = end else { return self.fault("the text ends inside a string") };
        let span = start..start + length + 2;
        self.at = span.end;
        self.literal(span, "a string with an escape or a character that JSON does not have")
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let is_part = |it: &u8| it.is_ascii_digit() || b"+-.eE".contains(it);
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        self.at += rest.iter().take_while(|it| is_part(it)).count();
        let span = start..self.at;
        let written = self.text.get(span.clone()).unwrap_or_default().to_owned();
        let _read: serde_json::Value = self.literal(span, "not a number as JSON writes it")?;
        Ok(Value::Number(written))
    }

    fn literal<T: serde::de::DeserializeOwned>(
        &self,
        span: Span,
        problem: &str,
    ) -> Result<T, Fault> {
        let written = self.text.get(span.clone()).unwrap_or_default();
        serde_json::from_str(written).map_err(|_| (span.start, problem.to_owned()))
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Fault> {
        if !self.text.get(self.at..).is_some_and(|it| it.starts_with(word)) {
            return self.fault("expected a value");
        }
        self.at += word.len();
        Ok(value)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let takes = self.peek() == Some(byte);
        self.at += usize::from(takes);
        takes
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault<T>(&self, problem: &str) -> Result<T, Fault> {
        Err((self.at, problem.to_owned()))
    }
}
