//! Collects findings, and finds their places.

use serde_json::Value;

use crate::{
    Code, Finding, Place, Related, Severity, code,
    limits::{FINDINGS_MAX, RELATED_MAX},
    source::{Lines, Node, Span, within},
};

/// What was found so far in a text.
pub(crate) struct Ledger<'t> {
    text: &'t str,
    tree: &'t Node,
    lines: Lines<'t>,
    found: Vec<Finding>,
}

/// Where something is, before it is looked up.
#[derive(Clone, Debug)]
pub(crate) struct At {
    pointer: String,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Value,
    Name,
    /// Some bytes of the text that stands there.
    Part {
        of_name: bool,
        start: usize,
        end: usize,
    },
}

impl At {
    pub(crate) fn value(pointer: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), what: What::Value }
    }

    pub(crate) fn name(pointer: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), what: What::Name }
    }

    /// Bytes of the text itself, which may be the name of a member.
    pub(crate) fn part(self, (start, end): (usize, usize)) -> Self {
        let of_name = matches!(self.what, What::Name);
        Self { what: What::Part { of_name, start, end }, ..self }
    }
}

/// A finding that is being written.
pub(crate) struct Note {
    code: &'static Code,
    at: At,
    message: String,
    related: Vec<(At, String)>,
    example: Option<Value>,
}

impl Note {
    pub(crate) fn new(code: &'static Code, at: At, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, at, message, related: Vec::new(), example: None }
    }

    pub(crate) fn related(mut self, at: At, message: impl Into<String>) -> Self {
        self.related.push((at, message.into()));
        self
    }

    pub(crate) fn example(self, example: Value) -> Self {
        Self { example: Some(example), ..self }
    }
}

impl<'t> Ledger<'t> {
    pub(crate) fn new(text: &'t str, tree: &'t Node) -> Self {
        Self { text, tree, lines: Lines::new(text), found: Vec::new() }
    }

    pub(crate) fn add(&mut self, note: Note) {
        if self.is_full() {
            return;
        }
        if self.found.len() == FINDINGS_MAX {
            let message = format!("there are more than {FINDINGS_MAX} findings");
            let finding = self.finding(Note::new(&code::G001, At::value(""), message));
            return self.found.push(finding);
        }
        let finding = self.finding(note);
        self.found.push(finding);
    }

    /// Whether nothing more is taken.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() > FINDINGS_MAX
    }

    /// Whether an error was found among those since the first `since`.
    pub(crate) fn has_errors_since(&self, since: usize) -> bool {
        self.found.iter().skip(since).any(|it| it.code.severity == Severity::Error)
    }

    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    /// The findings, in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        let key =
            |it: &Finding| (it.place.span.start, it.code.id, it.place.span.end, it.message.clone());
        self.found.sort_by_cached_key(key);
        self.found.dedup();
        self.found
    }

    fn finding(&self, note: Note) -> Finding {
        let Note { code, at, message, related, example } = note;
        let related = related.iter().take(RELATED_MAX);
        let related =
            related.map(|(at, it)| Related { place: self.place(at), message: it.clone() });
        Finding {
            code,
            message,
            help: code.help.to_owned(),
            place: self.place(&at),
            related: related.collect(),
            example,
        }
    }

    fn place(&self, at: &At) -> Place {
        let found = self.tree.find(&at.pointer);
        let span = match (&at.what, found.name_span) {
            (What::Name, Some(name)) => name.clone(),
            (What::Part { of_name: true, start, end }, Some(name)) => self.part(name, *start, *end),
            (What::Part { of_name: false, start, end }, _) => {
                self.part(&found.node.span, *start, *end)
            }
            (What::Value | What::Name | What::Part { .. }, _) => found.node.span.clone(),
        };
        let (line, column) = self.lines.place(span.start);
        Place { pointer: at.pointer.clone(), span, line, column }
    }

    fn part(&self, literal: &Span, start: usize, end: usize) -> Span {
        let start = within(self.text, literal, start);
        start..within(self.text, literal, end).max(start + 1)
    }
}
