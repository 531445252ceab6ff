//! Lines and columns of a text.

use super::Span;

/// Where the lines of a text begin.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(after).collect() }
    }

    /// The line and the character in it, both from 1.
    pub(crate) fn place(&self, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|it| *it <= at).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or_default();
        let before = self.text.get(start..at).unwrap_or_default();
        (line, before.chars().count() + 1)
    }

    /// The text of a line, without its end, and where it begins.
    pub(crate) fn line(&self, number: usize) -> (usize, &'t str) {
        let start = number.checked_sub(1).and_then(|it| self.starts.get(it)).copied();
        let start = start.unwrap_or(self.text.len());
        let rest = self.text.get(start..).unwrap_or_default();
        (start, rest.lines().next().unwrap_or_default())
    }

    /// As much of a span as lies on its first line.
    pub(crate) fn first_line(&self, span: &Span) -> Span {
        let (line, _) = self.place(span.start);
        let (start, text) = self.line(line);
        span.start..span.end.min(start + text.len()).max(span.start)
    }
}
