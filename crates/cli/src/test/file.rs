//! A file with scenarios: the definitions they are about, who takes part in all of them, and the
//! scenarios. YAML; JSON is YAML as well.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::{Error, Spanned};
use waypost_rehearsal::{Cast, Definitions, Scenario, Stubs};

use crate::{lint::first_error, settings::nearest};

/// Bytes of a file. It is written by people.
const FILE_MAX: u64 = 4 << 20;

/// A file that can be played.
pub(super) struct File {
    /// Its name.
    pub(super) shown: String,
    pub(super) definitions: Definitions,
    pub(super) cast: Cast,
    /// With the lines they begin at.
    pub(super) scenarios: Vec<(u64, Scenario)>,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    /// Paths from where the file is, or definitions themselves.
    definitions: Vec<Spanned<Value>>,
    #[serde(default)]
    workers: Stubs,
    #[serde(default)]
    people: Stubs,
    #[serde(default)]
    signals: Stubs,
    #[serde(default)]
    processors: Stubs,
    #[serde(default)]
    criteria: Stubs,
    scenarios: Vec<Spanned<Scenario>>,
}

impl File {
    /// Reads a file and the definitions it names.
    ///
    /// # Errors
    /// What is wrong: the file, the line, and what was expected.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let shown = path.strip_prefix(".").unwrap_or(path).display().to_string();
        let written: Written = parse(&shown, &text(path)?)?;
        let mut definitions = Definitions::default();
        for source in &written.definitions {
            let line = source.referenced.line();
            add(&mut definitions, path, &source.value).map_err(|problem| match problem {
                Problem::Placed(told) => format!("{told} (named in {shown}:{line})"),
                Problem::Named(told) => format!("{shown}:{line}: {told}"),
            })?;
        }
        let Written { workers, people, signals, processors, criteria, .. } = written;
        let cast = Cast { workers, people, signals, processors, criteria };
        let mut scenarios = Vec::new();
        for Spanned { value: scenario, referenced, .. } in written.scenarios {
            let line = referenced.line();
            if let Some(problem) = scenario.problem(&definitions) {
                return Err(format!("{shown}:{line}: {:?}: {problem}", scenario.name));
            }
            scenarios.push((line, scenario));
        }
        Ok(Self { shown, definitions, cast, scenarios })
    }

    /// The files that a file is made of: itself, and those it names, if it can be read so far.
    pub(super) fn parts(path: &Path) -> Vec<PathBuf> {
        let mut parts = vec![path.to_owned()];
        let written = text(path).and_then(|it| parse::<Written>("", &it));
        let named = written.into_iter().flat_map(|it| it.definitions);
        parts.extend(named.filter_map(|it| it.value.as_str().map(|name| beside(path, name))));
        parts
    }
}

/// Reads YAML; a mistake is told with its place, and with what may have been meant.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(shown: &str, text: &str) -> Result<T, String> {
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| told(shown, &error))
}

fn told(shown: &str, error: &Error) -> String {
    let place = match error.location() {
        Some(at) if at.line() > 0 => format!("{shown}:{}", at.line()),
        Some(_) | None => shown.to_owned(),
    };
    if let Error::SerdeUnknownField { field, expected, .. } = error {
        return format!("{place}: there is no member {field:?}; {}", meant(field, expected));
    }
    if let Error::DuplicateMappingKey { key, .. } = error {
        let name = key.as_deref().unwrap_or_default();
        return format!("{place}: there are two members {name:?}");
    }
    let text = error.to_string();
    let text = text.lines().next().unwrap_or_default();
    // The place is told already.
    let what = text.rsplit_once(" at line ").map_or(text, |(what, _)| what);
    format!("{place}: {}", what.replace("invalid u32", "expected a whole number"))
}

fn meant(field: &str, expected: &[&str]) -> String {
    let known = || expected.iter().map(|it| (*it).to_owned());
    match nearest(field, known()) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => format!("expected one of {}", known().collect::<Vec<_>>().join(", ")),
    }
}

/// What is wrong with a definition.
enum Problem {
    /// Told with the place in its own file.
    Placed(String),
    /// Told by what it is, or by the name of its file.
    Named(String),
}

fn add(definitions: &mut Definitions, file: &Path, source: &Value) -> Result<(), Problem> {
    let Value::String(name) = source else {
        return definitions.add(&source.to_string()).map_err(Problem::Named);
    };
    let path = beside(file, name);
    let text = text(&path).map_err(Problem::Named)?;
    let shown = path.strip_prefix(".").unwrap_or(&path).display().to_string();
    // Lint knows the place; what it has nothing against is told as it was found.
    let failed = |problem: String| match first_error(&shown, &text) {
        Some(told) => Problem::Placed(told),
        None => Problem::Named(format!("{shown}: {problem}")),
    };
    if path.extension().is_some_and(|it| it == "toml") {
        let value: Value = toml::from_str(&text).map_err(|error| failed(error.to_string()))?;
        return definitions.add(&value.to_string()).map_err(failed);
    }
    definitions.add(&text).map_err(failed)
}

fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent().map_or_else(|| PathBuf::from(name), |it| it.join(name))
}

fn text(path: &Path) -> Result<String, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let length = std::fs::metadata(path).map_err(|error| failed(&error))?.len();
    if length > FILE_MAX {
        return Err(failed(&format!("has {length} bytes; at most {FILE_MAX}")));
    }
    std::fs::read_to_string(path).map_err(|error| failed(&error))
}
