//! Logs: text for a terminal, JSON for everything else, one line per event, to the standard error.

use std::io::{self, IsTerminal as _, Write};

use tracing_subscriber::{EnvFilter, fmt::MakeWriter, util::SubscriberInitExt as _};

/// How the log looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, JSON otherwise.
    #[default]
    Auto,
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter makes no sense.
    #[error(
        "the log filter {filter:?} cannot be understood: {reason}; try \"info\" or \"info,waypost_engine=debug\""
    )]
    Filter {
        /// The filter.
        filter: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Somebody else is logging in this process.
    #[error("the log was set up twice")]
    Twice,
}

/// Starts the log of this process. `filter` is a level, or levels by module:
/// `info,waypost_engine=debug`.
///
/// # Errors
/// When the filter makes no sense, or there is a log already.
pub fn init(format: LogFormat, filter: &str) -> Result<(), TelemetryError> {
    let parsed = EnvFilter::builder().parse(filter).map_err(|error| TelemetryError::Filter {
        filter: filter.to_owned(),
        reason: error.to_string(),
    })?;
    let is_terminal = io::stderr().is_terminal();
    let is_json = match format {
        LogFormat::Auto => !is_terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    let builder = tracing_subscriber::fmt().with_env_filter(parsed).with_writer(OneLine);
    let started = match is_json {
        true => builder.json().flatten_event(true).with_current_span(false).finish().try_init(),
        false => builder.with_ansi(is_terminal && wants_color()).finish().try_init(),
    };
    started.map_err(|_| TelemetryError::Twice)
}

fn wants_color() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty())
}

/// Keeps every event on one line, whatever texts from outside it carries.
struct OneLine;

impl MakeWriter<'_> for OneLine {
    type Writer = Escaping<io::Stderr>;

    fn make_writer(&self) -> Self::Writer {
        Escaping(io::stderr())
    }
}

/// Replaces control characters. What colors a terminal is our own: texts were rid of it before.
struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    /// Called once per event, with its line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let is_control = |it: &u8| it.is_ascii_control() && *it != b'\x1b';
        if !text.iter().any(is_control) {
            self.0.write_all(line)?;
            return Ok(line.len());
        }
        let mut escaped = Vec::with_capacity(line.len() + 16);
        for byte in text {
            match byte {
                byte if is_control(byte) => escaped.extend(byte.escape_ascii()),
                byte => escaped.push(*byte),
            }
        }
        escaped.push(b'\n');
        self.0.write_all(&escaped)?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_stays_on_one_line() {
        let mut writer = Escaping(Vec::new());
        writer.write_all(b"plain\n").unwrap();
        writer.write_all(b"two\nlines\r and a \x07bell\n").unwrap();
        writer.write_all("\x1b[2mgray\x1b[0m ä\n".as_bytes()).unwrap();
        let seen = String::from_utf8(writer.0).unwrap();
        assert_eq!(seen, "plain\ntwo\\nlines\\r and a \\x07bell\n\x1b[2mgray\x1b[0m ä\n");
    }

    #[test]
    fn a_filter_that_makes_no_sense_is_told() {
        let error = init(LogFormat::Json, "info,=").unwrap_err();
        assert!(error.to_string().contains("info,="), "{error}");
    }
}
