//! The text of a definition as a tree that knows where everything stands.

mod json;
mod lines;
mod toml;

use std::ops::Range;

pub(crate) use self::{json::parse as json, lines::Lines, toml::parse as toml};

/// Bytes of the text, from the first up to but not including the last.
pub(crate) type Span = Range<usize>;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) node: Node,
}

/// What stands at a place: a value, and the name it is known by if it is a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'t> {
    pub(crate) node: &'t Node,
    pub(crate) name_span: Option<&'t Span>,
}

impl Node {
    /// The members, in the order of the text; none if it is no object.
    pub(crate) fn members(&self) -> &[Member] {
        match &self.value {
            Value::Object(members) => members,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_) => {
                &[]
            }
        }
    }

    /// The elements; none if it is no list.
    pub(crate) fn elements(&self) -> &[Self] {
        match &self.value {
            Value::List(elements) => elements,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Object(_) => {
                &[]
            }
        }
    }

    /// The member of that name. Of several the last one counts, as it does for the engine.
    pub(crate) fn member(&self, name: &str) -> Option<&Member> {
        self.members().iter().rfind(|it| it.name == name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.member(name).is_some()
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::List(_) | Value::Object(_) => {
                None
            }
        }
    }

    /// What a JSON pointer leads to, or the last thing on the way there.
    pub(crate) fn find<'t>(&'t self, pointer: &str) -> Found<'t> {
        let mut found = Found { node: self, name_span: None };
        for segment in pointer.split('/').skip(1) {
            let name = segment.replace("~1", "/").replace("~0", "~");
            found = match found.node.step(&name) {
                Some(next) => next,
                None => return found,
            };
        }
        found
    }

    fn step(&self, name: &str) -> Option<Found<'_>> {
        if let Some(member) = self.member(name) {
            return Some(Found { node: &member.node, name_span: Some(&member.name_span) });
        }
        let element = self.elements().get(name.parse::<usize>().ok()?)?;
        Some(Found { node: element, name_span: None })
    }
}

/// The pointer of a member or an element, one level down.
pub(crate) fn down(pointer: &str, name: impl std::fmt::Display) -> String {
    let name = name.to_string().replace('~', "~0").replace('/', "~1");
    format!("{pointer}/{name}")
}

/// The pointer for a place as the engine writes it: `steps[3].retryCount`.
pub(crate) fn pointer_of(base: &str, place: &str) -> String {
    let mut pointer = base.to_owned();
    for part in place.split('.').flat_map(|it| it.split('[')) {
        let name = part.trim_end_matches(']');
        if !name.is_empty() {
            pointer = down(&pointer, name);
        }
    }
    pointer
}

/// Where byte `offset` of a text value stands in the source, given the span of its literal.
/// Escapes take more room in the source than in the value.
pub(crate) fn within(text: &str, literal: &Span, offset: usize) -> usize {
    let raw = text.get(literal.clone()).unwrap_or_default();
    let mut rest = raw.char_indices().skip(1).peekable();
    let mut decoded = 0;
    while let Some((at, character)) = rest.next() {
        if decoded >= offset {
            return literal.start + at;
        }
        decoded += if character == '\\' { escaped(&mut rest) } else { character.len_utf8() };
    }
    literal.end.saturating_sub(1).max(literal.start)
}

/// Skips an escape; says how many bytes it stands for.
fn escaped(rest: &mut std::iter::Peekable<impl Iterator<Item = (usize, char)>>) -> usize {
    let Some((_, 'u')) = rest.next() else { return 1 };
    let code = hex(rest);
    // The first half of a pair stands for nothing, and the second for all of it.
    match char::from_u32(code) {
        Some(character) => character.len_utf8(),
        None if code < 0xdc00 => 0,
        None => 4,
    }
}

fn hex(rest: &mut impl Iterator<Item = (usize, char)>) -> u32 {
    let digits = rest.take(4).filter_map(|(_, it)| it.to_digit(16));
    digits.fold(0, |code, digit| code * 16 + digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_inside_of_a_text_is_found_behind_escapes() {
        let text = r#"{"a": "x\n\u00e4\ud83d\ude00!"}"#;
        let tree = json(text).unwrap();
        let found = tree.find("/a");
        let value = found.node.as_text().unwrap();
        assert_eq!(value, "x\nä😀!");
        let at = |part: &str| within(text, &found.node.span, value.find(part).unwrap());
        assert_eq!(&text[at("x")..at("x") + 1], "x");
        assert_eq!(&text[at("\n")..at("\n") + 2], "\\n");
        assert_eq!(&text[at("ä")..at("ä") + 6], "\\u00e4");
        assert_eq!(&text[at("!")..at("!") + 1], "!");
        assert_eq!(within(text, &found.node.span, 99), found.node.span.end - 1);
    }

    #[test]
    fn a_pointer_that_leads_nowhere_stops_on_the_way() {
        let text = r#"{"a": [{"b/c": 1}]}"#;
        let tree = json(text).unwrap();
        assert_eq!(&text[tree.find("/a/0/b~1c").node.span.clone()], "1");
        assert_eq!(&text[tree.find("/a/0/x/y").node.span.clone()], r#"{"b/c": 1}"#);
        assert_eq!(pointer_of("/7", "steps[3].retryCount"), "/7/steps/3/retryCount");
    }
}
