//! Logs: text for a terminal, JSON for everything else, one line per event, to the standard error.

use std::{
    fmt,
    io::{self, IsTerminal as _, Write},
    sync::{Arc, Mutex, PoisonError},
};

use tracing::Subscriber;
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

/// The log of this process, whose level can be changed while it runs.
#[derive(Clone)]
pub struct Log {
    level: Arc<Mutex<String>>,
    set: Arc<Set>,
}

type Set = dyn Fn(EnvFilter) -> Result<(), String> + Send + Sync;

impl Log {
    /// What is logged of modules that have no level of their own.
    #[must_use]
    pub fn level(&self) -> String {
        self.level.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has all modules log from that level on; says which it was.
    ///
    /// # Errors
    /// When it is no level, or the log has ended.
    pub fn set_level(&self, level: &str) -> Result<String, TelemetryError> {
        let parsed = parsed(level)?;
        let mut current = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        (self.set)(parsed).map_err(|reason| wrong(level, reason))?;
        Ok(std::mem::replace(&mut *current, level.to_owned()))
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("level", &self.level()).finish_non_exhaustive()
    }
}

/// Starts the log of this process. `filter` is a level, or levels by module:
/// `info,waypost_engine=debug`.
///
/// # Errors
/// When the filter makes no sense, or there is a log already.
pub fn init(format: LogFormat, filter: &str) -> Result<Log, TelemetryError> {
    let (subscriber, log) = assemble(format, filter)?;
    subscriber.try_init().map_err(|_| TelemetryError::Twice)?;
    Ok(log)
}

type Sink = Box<dyn Subscriber + Send + Sync>;

fn assemble(format: LogFormat, filter: &str) -> Result<(Sink, Log), TelemetryError> {
    let is_terminal = io::stderr().is_terminal();
    let is_json = match format {
        LogFormat::Auto => !is_terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    let builder = tracing_subscriber::fmt()
        .with_env_filter(parsed(filter)?)
        .with_writer(OneLine)
        .with_ansi(!is_json && is_terminal && wants_color());
    let log = |set: Arc<Set>| Log { level: Arc::new(Mutex::new(level_of(filter))), set };
    Ok(match is_json {
        true => {
            let builder = builder.json().flatten_event(true).with_current_span(false);
            let builder = builder.with_filter_reloading();
            let handle = builder.reload_handle();
            let set = move |it| handle.reload(it).map_err(|error| error.to_string());
            (Box::new(builder.finish()), log(Arc::new(set)))
        }
        false => {
            let builder = builder.with_filter_reloading();
            let handle = builder.reload_handle();
            let set = move |it| handle.reload(it).map_err(|error| error.to_string());
            (Box::new(builder.finish()), log(Arc::new(set)))
        }
    })
}

fn parsed(filter: &str) -> Result<EnvFilter, TelemetryError> {
    EnvFilter::builder().parse(filter).map_err(|error| wrong(filter, error.to_string()))
}

fn wrong(filter: &str, reason: String) -> TelemetryError {
    TelemetryError::Filter { filter: filter.to_owned(), reason }
}

/// The part of a filter that is about no module. Without one, only errors are logged.
fn level_of(filter: &str) -> String {
    let mut parts = filter.split(',').map(str::trim);
    let found = parts.find(|it| !it.is_empty() && !it.contains(['=', '[', ':']));
    found.unwrap_or("error").to_lowercase()
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
    fn the_level_can_be_changed_while_the_log_runs() {
        for format in [LogFormat::Json, LogFormat::Text] {
            let (subscriber, log) = assemble(format, "warn,hyper=debug").unwrap();
            tracing::subscriber::with_default(subscriber, || {
                assert_eq!(log.level(), "warn");
                assert!(!tracing::enabled!(tracing::Level::INFO));
                assert_eq!(log.set_level("debug").unwrap(), "warn");
                assert!(tracing::enabled!(tracing::Level::DEBUG));
                assert!(log.set_level("info,=").is_err());
                assert_eq!(log.level(), "debug");
            });
        }
    }

    #[test]
    fn the_level_of_a_filter_is_that_of_no_module() {
        for (filter, expected) in [
            ("info", "info"),
            ("INFO,waypost_engine=debug", "info"),
            ("waypost_engine=debug, warn", "warn"),
            ("waypost_engine=debug", "error"),
            ("", "error"),
        ] {
            assert_eq!(level_of(filter), expected, "{filter}");
        }
    }

    #[test]
    fn a_filter_that_makes_no_sense_is_told() {
        let error = init(LogFormat::Json, "info,=").unwrap_err();
        assert!(error.to_string().contains("info,="), "{error}");
    }
}
