//! What people and machines get to read: aligned tables or JSON, colored only where that helps.

use std::io::{self, IsTerminal, Write};

use comfy_table::{Attribute, Cell, Color, Table};
use serde::Serialize;

use crate::exit::Failure;

/// How to write, decided once at the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// One JSON document, or one per line for streams.
    pub(crate) is_json: bool,
    is_colored: bool,
}

impl Output {
    /// Colors are for terminals, and for people who have not asked to do without.
    pub(crate) fn new(is_json: bool) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty());
        Self { is_json, is_colored: io::stdout().is_terminal() && !no_color }
    }

    /// Whether colors are wanted.
    pub(crate) const fn is_colored(self) -> bool {
        self.is_colored
    }

    /// One line to standard output, at once: a stream may have a reader that waits for it.
    pub(crate) fn line(self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        writeln!(out, "{text}")?;
        Ok(out.flush()?)
    }

    /// A document for machines.
    pub(crate) fn json<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(io::Error::other)?;
        self.line(&text)
    }

    /// A table for people, without trailing blanks.
    pub(crate) fn table(self, mut table: Table) -> Result<(), Failure> {
        if self.is_colored {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        let text = table.to_string();
        let lines: Vec<_> = text.lines().map(str::trim_end).collect();
        self.line(&lines.join("\n"))
    }

    /// Text in the color of what it says, where colors are wanted.
    pub(crate) fn paint(self, text: &str, tone: Tone) -> String {
        match (self.is_colored, tone.escape()) {
            (true, Some(escape)) => format!("\u{1b}[{escape}m{text}\u{1b}[0m"),
            (true | false, _) => text.to_owned(),
        }
    }
}

/// What a word means for whoever reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Faint,
    Good,
    Busy,
    Attention,
    Bad,
}

impl Tone {
    /// The tone of a status of an instance or a step.
    pub(crate) fn of_status(status: &str) -> Self {
        match status {
            "COMPLETED" | "DONE" | "ok" => Self::Good,
            "RUNNING" | "READY" | "ACTIVE" => Self::Busy,
            "WAITING" | "CANCELED" | "CANCELLED" | "warn" => Self::Attention,
            "FAILED" | "DEAD" | "fail" => Self::Bad,
            "PENDING" | "SKIPPED" => Self::Faint,
            _ => Self::Plain,
        }
    }

    const fn escape(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Faint => Some("2"),
            Self::Good => Some("32"),
            Self::Busy => Some("36"),
            Self::Attention => Some("33"),
            Self::Bad => Some("31"),
        }
    }
}

/// An empty table with these columns.
pub(crate) fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(columns.iter().map(|it| Cell::new(it).add_attribute(Attribute::Bold)));
    for column in table.column_iter_mut() {
        // Two blanks between columns, none before the first.
        column.set_padding((0, 2));
    }
    table
}

/// A cell with text from anywhere.
pub(crate) fn cell(text: &str) -> Cell {
    Cell::new(printable(text))
}

/// A cell in the color of what it says.
pub(crate) fn toned(text: &str, tone: Tone) -> Cell {
    let cell = cell(text);
    match tone {
        Tone::Plain => cell,
        Tone::Faint => cell.add_attribute(Attribute::Dim),
        Tone::Good => cell.fg(Color::DarkGreen),
        Tone::Busy => cell.fg(Color::DarkCyan),
        Tone::Attention => cell.fg(Color::DarkYellow),
        Tone::Bad => cell.fg(Color::DarkRed),
    }
}

/// A cell with a status in its color.
pub(crate) fn status_cell(status: &str) -> Cell {
    toned(status, Tone::of_status(status))
}

/// The text without characters that would steer a terminal.
pub(crate) fn printable(text: &str) -> String {
    let escape = |it: char| match it.is_control() {
        true => it.escape_default().collect::<String>(),
        false => it.to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_from_elsewhere_do_not_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(printable("Grüße, 世界"), "Grüße, 世界");
    }
}
