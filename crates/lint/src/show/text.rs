//! Findings for people: the line, what is meant in it, and what to do.

use std::fmt::Write as _;

use crate::{Finding, Place, Report, Severity, source::Lines};

/// Whether colors are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// For files and other programs.
    Plain,
    /// For terminals.
    Colors,
}

/// Characters of a line that are shown around a finding. Definitions may be one long line.
const WIDTH_MAX: usize = 100;

/// Characters of a message or an example. Names in it may be as long as anybody likes.
const MESSAGE_MAX: usize = 400;

/// All findings of a text that came from `file`, as a compiler shows them.
#[must_use]
pub fn text(file: &str, source: &str, report: &Report, paint: Paint) -> String {
    let lines = Lines::new(source);
    let shown: Vec<String> =
        report.findings.iter().map(|it| finding((file, &lines), it, paint)).collect();
    shown.join("\n")
}

fn finding((file, lines): (&str, &Lines<'_>), finding: &Finding, paint: Paint) -> String {
    let severity = finding.code.severity;
    let mut out = String::new();
    let head = format!("{severity}[{}]", finding.code.id);
    let head = paint.put(&head, color(severity));
    let _written = writeln!(out, "{head}: {}", plain(&finding.message));
    let width = number_width(finding);
    snippet(&mut out, ((file, lines), width), &finding.place, (paint, color(severity), '^'));
    for related in &finding.related {
        let _written = writeln!(out, "{:width$} = note: {}", "", plain(&related.message));
        snippet(&mut out, ((file, lines), width), &related.place, (paint, "36", '-'));
    }
    if let Some(example) = &finding.example {
        let _written = writeln!(out, "{:width$} = example: {}", "", plain(&example.to_string()));
    }
    let _written = writeln!(out, "{:width$} = help: {}", "", plain(&finding.help));
    out
}

fn number_width(finding: &Finding) -> usize {
    let related = finding.related.iter().map(|it| it.place.line);
    let most = related.chain([finding.place.line]).max().unwrap_or_default();
    most.to_string().len()
}

fn snippet(
    out: &mut String,
    ((file, lines), width): ((&str, &Lines<'_>), usize),
    place: &Place,
    (paint, color, mark): (Paint, &str, char),
) {
    let Place { line, column, span, .. } = place;
    let _written = writeln!(out, "{:width$}--> {file}:{line}:{column}", "");
    let (start, whole) = lines.line(*line);
    let shown = lines.first_line(span);
    let length = whole.get(shown.start - start..shown.end - start).unwrap_or_default();
    let length = length.chars().count().clamp(1, WIDTH_MAX);
    let (cut, before) = window(whole, span.start - start, length);
    let marks: String = std::iter::repeat_n(mark, length).collect();
    let _written = writeln!(out, "{:width$} |", "");
    let _written = writeln!(out, "{line:width$} | {}", cut.trim_end());
    let _written = writeln!(out, "{:width$} | {:before$}{}", "", "", paint.put(&marks, color));
}

/// As much of a line as is shown, and how many characters of it come before byte `at`.
fn window(line: &str, at: usize, length: usize) -> (String, usize) {
    let (before, after) = line.split_at_checked(at).unwrap_or((line, ""));
    let is_short = line.len() <= WIDTH_MAX;
    let room = if is_short { WIDTH_MAX } else { WIDTH_MAX.saturating_sub(length) / 2 };
    let from = before.char_indices().rev().take(room).last().map_or(before.len(), |(at, _)| at);
    let before = before.get(from..).unwrap_or_default();
    let cut = before.chars().chain(after.chars().take(length + room));
    (plain(&cut.collect::<String>()), before.chars().count())
}

/// The text without characters that would steer a terminal, and not longer than is readable.
fn plain(text: &str) -> String {
    let clean = |it: char| if it.is_control() { ' ' } else { it };
    let mut shown: String = text.chars().take(MESSAGE_MAX).map(clean).collect();
    if text.chars().nth(MESSAGE_MAX).is_some() {
        shown.push('…');
    }
    shown
}

const fn color(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Info => "1;36",
    }
}

impl Paint {
    fn put(self, text: &str, color: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colors => format!("\u{1b}[{color}m{text}\u{1b}[0m"),
        }
    }
}
