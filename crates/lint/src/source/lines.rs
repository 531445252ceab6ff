//! Lines and columns of a text.

use super::Span;

/// Bytes between two places of which is known how many characters come before them. A definition
/// may be one long line, and counting it again for every finding takes long.
const STRIDE: usize = 1_024;

/// Where the lines of a text begin.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// The characters before every `STRIDE`th byte.
    counts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        let mut count = 0;
        let counts = text.as_bytes().chunks(STRIDE).map(|chunk| {
            let before = count;
            count += characters(chunk);
            before
        });
        let counts = counts.collect();
        Self { text, starts: std::iter::once(0).chain(after).collect(), counts }
    }

    fn characters_before(&self, at: usize) -> usize {
        let chunk = at / STRIDE;
        let rest = self.text.as_bytes().get(chunk * STRIDE..at).unwrap_or_default();
        self.counts
            .get(chunk)
            .map_or_else(|| characters(self.text.as_bytes()), |it| it + characters(rest))
    }

    /// The line and the character in it, both from 1.
    pub(crate) fn place(&self, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|it| *it <= at).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or_default();
        (line, self.characters_before(at) - self.characters_before(start) + 1)
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

/// How many characters begin in these bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|it| !matches!(it, 0x80..=0xbf)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_however_long_the_line() {
        let text = format!("a\n{}x\nb", "ä€".repeat(2_000));
        let lines = Lines::new(&text);
        let at = text.find('x').unwrap();
        assert_eq!(lines.place(at), (2, 4_001));
        assert_eq!(lines.place(0), (1, 1));
        assert_eq!(lines.place(text.find('b').unwrap()), (3, 1));
        assert_eq!(lines.place(text.len()), (3, 2));
        assert_eq!(lines.line(3), (at + 2, "b"));
    }
}
