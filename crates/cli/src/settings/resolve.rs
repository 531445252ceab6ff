//! Laying the sources over each other, and remembering where each value came from.

use std::{collections::BTreeMap, fmt, path::PathBuf, str::FromStr};

use super::{
    catalog, file,
    key::{Key, Secrecy},
    nearest::nearest,
    secret,
    together::Together,
};
use crate::exit::Failure;

/// Begins the names of our variables.
const PREFIX: &str = "WAYPOST_";
/// Names the file in the environment.
const FILE_VARIABLE: &str = "WAYPOST_CONFIG";

/// Where values may come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pub(crate) flags: Vec<(Key, String)>,
    pub(crate) environment: BTreeMap<String, String>,
    /// The file named by a flag.
    pub(crate) file: Option<PathBuf>,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Environment(String),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// One value.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) path: Vec<String>,
    pub(crate) text: String,
    pub(crate) origin: Origin,
    secrecy: Secrecy,
}

impl Setting {
    /// The value as it may be shown.
    pub(crate) fn shown(&self) -> String {
        secret::shown(&self.text, self.secrecy)
    }

    /// Reads the value as a `T`.
    pub(super) fn read<T: FromStr>(&self, expected: &str) -> Result<T, Failure> {
        self.text.trim().parse().map_err(|_| self.refuse(expected))
    }

    /// Its place, as it would be written in the file.
    pub(crate) fn place(&self) -> String {
        let is_bare = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
        let part = |it: &String| match it.chars().all(is_bare) {
            true => it.clone(),
            false => format!("{it:?}"),
        };
        self.path.iter().map(part).collect::<Vec<_>>().join(".")
    }

    /// The value is not what it should be.
    pub(crate) fn refuse(&self, expected: &str) -> Failure {
        let (path, shown, origin) = (self.place(), self.shown(), &self.origin);
        Failure::usage(format!("{path} is {shown:?} (from {origin}), but must be {expected}"))
    }
}

/// All values that are set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    values: BTreeMap<Vec<String>, Setting>,
    /// What was set and is not gone by.
    warnings: Vec<String>,
}

impl Settings {
    /// Flags over environment over file over inherited names over defaults.
    pub(crate) fn resolve(sources: &Sources) -> Result<Self, Failure> {
        let mut settings = Self::defaults();
        settings.add_inherited(sources)?;
        settings.add_file(sources)?;
        settings.add_environment(sources)?;
        settings.add_flags(&sources.flags);
        Ok(settings)
    }

    /// Flags over defaults, whatever else is lying about.
    pub(crate) fn of_flags(flags: &[(Key, String)]) -> Self {
        let mut settings = Self::defaults();
        settings.add_flags(flags);
        settings
    }

    fn defaults() -> Self {
        let mut settings = Self { values: BTreeMap::new(), warnings: Vec::new() };
        for key in catalog::ALL {
            if let Some(default) = key.default {
                settings.set(key, default.to_owned(), Origin::Default);
            }
        }
        settings
    }

    fn add_flags(&mut self, flags: &[(Key, String)]) {
        for (key, text) in flags {
            self.set(key, text.clone(), Origin::Flag(key.flag.unwrap_or("a flag")));
        }
    }

    /// What an operator has set for another server of the same formats.
    fn add_inherited(&mut self, sources: &Sources) -> Result<(), Failure> {
        let environment = &sources.environment;
        let Together { store, metrics, otlp, warnings } = Together::read(environment)?;
        self.warnings.extend(warnings);
        for (key, found) in
            [(catalog::STORE, store), (catalog::METRICS, metrics), (catalog::OTLP, otlp)]
        {
            if let Some((text, name)) = found {
                self.set(&key, text, Origin::Environment(name));
            }
        }
        // The first of two names wins: it is set last.
        let named =
            |key: &'static Key| key.inherited.into_iter().rev().flatten().map(move |it| (key, it));
        for (key, inherited) in catalog::ALL.iter().flat_map(named) {
            let Some((given, name)) = inherited.given(environment, key.may_be_empty)? else {
                continue;
            };
            match inherited.reading.read(&given) {
                Ok(text) => self.set(key, text, Origin::Environment(name)),
                Err(expected) => {
                    let text = unreadable((&name, &given), key.secrecy, expected);
                    if !inherited.is_lenient() {
                        return Err(Failure::usage(text));
                    }
                    self.warnings.push(text);
                }
            }
        }
        Ok(())
    }

    fn add_file(&mut self, sources: &Sources) -> Result<(), Failure> {
        let by_variable = || sources.environment.get(FILE_VARIABLE).map(PathBuf::from);
        let named = sources.file.clone().or_else(by_variable);
        let Some(path) = file::choose(named.as_deref()) else { return Ok(()) };
        for file::Entry { path: place, text, line } in file::read(&path)? {
            let secrecy = catalog::ALL
                .iter()
                .find(|key| key.matches(&place))
                .map_or(Secrecy::Whole, |key| key.secrecy);
            let origin = Origin::File { path: path.clone(), line };
            self.values.insert(place.clone(), Setting { path: place, text, origin, secrecy });
        }
        Ok(())
    }

    /// A secret may also be named by the file that holds it: `WAYPOST_STORE_FILE`.
    fn add_environment(&mut self, sources: &Sources) -> Result<(), Failure> {
        let variable = |name: &str| sources.environment.get(name).filter(|it| !it.is_empty());
        for key in catalog::ALL {
            let Some(name) = key.environment() else { continue };
            let of_file = format!("{name}_FILE");
            let empty = || sources.environment.get(&name).filter(|_| key.may_be_empty);
            if let Some(text) = variable(&name).or_else(empty) {
                self.set(key, text.clone(), Origin::Environment(name));
            } else if key.secrecy != Secrecy::Public
                && let Some(path) = variable(&of_file)
            {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    Failure::usage(format!("{path} (from {of_file}) cannot be read: {error}"))
                })?;
                self.set(key, text.trim().to_owned(), Origin::Environment(of_file));
            }
        }
        Ok(())
    }

    fn set(&mut self, key: &Key, text: String, origin: Origin) {
        let path: Vec<String> = key.path.split('.').map(str::to_owned).collect();
        let setting = Setting { path: path.clone(), text, origin, secrecy: key.secrecy };
        self.values.insert(path, setting);
    }

    /// The value of a key, if it is set.
    pub(crate) fn get(&self, key: &Key) -> Option<&Setting> {
        let path: Vec<String> = key.path.split('.').map(str::to_owned).collect();
        self.values.get(&path)
    }

    /// The value of a key that may be absent.
    pub(super) fn find<T: FromStr>(&self, key: &Key, expected: &str) -> Result<Option<T>, Failure> {
        self.get(key).map(|it| it.read(expected)).transpose()
    }

    /// The value of a key that is always there.
    pub(super) fn read<T: FromStr>(&self, key: &Key, expected: &str) -> Result<T, Failure> {
        self.find(key, expected)?
            .ok_or_else(|| Failure::usage(format!("{} must be set to {expected}", key.path)))
    }

    /// What was set and is not gone by, for the log.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The values under a place, such as `chain.types`.
    pub(super) fn under(&self, place: &[&str]) -> impl Iterator<Item = &Setting> {
        self.values.values().filter(move |it| {
            it.path.len() > place.len() && it.path.iter().zip(place).all(|(a, b)| a == b)
        })
    }

    /// Every key with its value, in the order of the catalog; without a value if it is not set.
    pub(crate) fn all(&self) -> Vec<(String, Option<&Setting>)> {
        let mut all = Vec::new();
        for key in catalog::ALL {
            if key.path.contains('*') {
                let named = self.values.values().filter(|it| key.matches(&it.path));
                all.extend(named.map(|it| (it.place(), Some(it))));
            } else {
                all.push((key.path.to_owned(), self.get(key)));
            }
        }
        all
    }
}

/// What cannot be read may still be a secret.
fn unreadable((name, given): (&str, &str), secrecy: Secrecy, expected: &str) -> String {
    let shown = match secrecy {
        Secrecy::Public => format!("{given:?}"),
        Secrecy::Url | Secrecy::Whole => "not readable".to_owned(),
    };
    format!("{name} is {shown}, but must be {expected}")
}

impl Sources {
    /// Variables that look as if they were meant for us, with what they may have meant.
    pub(crate) fn misspelled(&self) -> Vec<(String, String)> {
        let known: Vec<String> = catalog::ALL.iter().filter_map(Key::environment).collect();
        let is_known = |name: &String| {
            known.iter().any(|it| name == it || *name == format!("{it}_FILE"))
                || name == FILE_VARIABLE
                || name == "WAYPOST_SERVER"
                || name == "WAYPOST_TOKEN"
                || name.starts_with("WAYPOST_TEST_")
        };
        let bare = |name: &str| name.trim_start_matches(PREFIX).to_owned();
        let meant = |name: &String| {
            let meant = nearest(&bare(name), known.iter().map(|it| bare(it)))?;
            Some((name.clone(), format!("{PREFIX}{meant}")))
        };
        let ours = self.environment.keys().filter(|it| it.starts_with(PREFIX) && !is_known(it));
        ours.filter_map(meant).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(environment: &[(&str, &str)], flags: &[(Key, &str)]) -> Sources {
        Sources {
            environment: environment.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect(),
            flags: flags.iter().map(|(key, text)| (*key, (*text).into())).collect(),
            file: None,
        }
    }

    #[test]
    fn flags_win_over_the_environment_and_the_environment_over_defaults() {
        let environment = [("WAYPOST_HTTP", "[::1]:1"), ("WAYPOST_METRICS_ADDR", "[::1]:2")];
        let sources = sources(&environment, &[(catalog::HTTP, "[::1]:3")]);
        let Ok(settings) = Settings::resolve(&sources) else { panic!("they are right") };
        let shown = |key: &Key| settings.get(key).map(|it| format!("{} {}", it.text, it.origin));
        assert_eq!(shown(&catalog::HTTP).as_deref(), Some("[::1]:3 --http"));
        assert_eq!(shown(&catalog::METRICS).as_deref(), Some("[::1]:2 WAYPOST_METRICS_ADDR"));
        assert_eq!(shown(&catalog::GRACE).as_deref(), Some("20000 default"));
        assert_eq!(shown(&catalog::NATS), None);
    }

    #[test]
    fn entities_are_at_the_root_if_their_path_is_set_to_nothing() {
        let at = |environment: &[(&str, &str)]| {
            let Ok(settings) = Settings::resolve(&sources(environment, &[])) else {
                panic!("they are right")
            };
            let path = settings.get(&catalog::CONTEXT_PATH).unwrap();
            format!("{:?} {}", path.text, path.origin)
        };
        assert_eq!(at(&[]), "\"/api\" default");
        assert_eq!(at(&[("CYODA_CONTEXT_PATH", "")]), "\"\" CYODA_CONTEXT_PATH");
        assert_eq!(at(&[("WAYPOST_CONTEXT_PATH", "")]), "\"\" WAYPOST_CONTEXT_PATH");
        let both = [("CYODA_CONTEXT_PATH", "/x"), ("WAYPOST_CONTEXT_PATH", "")];
        assert_eq!(at(&both), "\"\" WAYPOST_CONTEXT_PATH");
        // What is empty otherwise is not set.
        let sources = sources(&[("CYODA_HTTP_PORT", ""), ("WAYPOST_HTTP", "")], &[]);
        let Ok(settings) = Settings::resolve(&sources) else { panic!("they are right") };
        assert_eq!(settings.get(&catalog::HTTP).unwrap().origin.to_string(), "default");
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_origin() {
        let sources = sources(&[("WAYPOST_SHUTDOWN_GRACE_MS", "soon")], &[]);
        let Ok(settings) = Settings::resolve(&sources) else { panic!("nothing is read yet") };
        let Err(failure) = settings.read::<u64>(&catalog::GRACE, "milliseconds") else {
            panic!("it is wrong")
        };
        assert_eq!(
            failure.what,
            "shutdown.grace_ms is \"soon\" (from WAYPOST_SHUTDOWN_GRACE_MS), but must be milliseconds"
        );
    }

    #[test]
    fn misspelled_variables_are_noticed() {
        let names = ["WAYPOST_STROE", "WAYPOST_SERVER", "WAYPOST_TOKEN", "WAYPOST_BIN"];
        let environment = names.map(|it| (it, "x"));
        let sources = sources(&environment, &[]);
        let meant = [("WAYPOST_STROE".to_owned(), "WAYPOST_STORE".to_owned())];
        assert_eq!(sources.misspelled(), meant);
    }
}
