//! One thing that can be set, and where it can be set.

use super::inherited::Inherited;

/// A key of the configuration. `*` in its path stands for a name of the operator's choosing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) path: &'static str,
    pub(crate) default: Option<&'static str>,
    pub(crate) flag: Option<&'static str>,
    pub(crate) secrecy: Secrecy,
    variable: Option<&'static str>,
    /// Names of two other servers, in the order in which they are asked.
    pub(super) inherited: [Option<Inherited>; 2],
    /// Whether a variable that is empty says something; others are as good as not set.
    pub(super) may_be_empty: bool,
}

/// How much of a value may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secrecy {
    Public,
    /// A URL that may contain a password.
    Url,
    /// Nothing of it.
    Whole,
}

impl Key {
    pub(super) const fn new(path: &'static str) -> Self {
        let (default, flag, variable, inherited) = (None, None, None, [None, None]);
        let (secrecy, may_be_empty) = (Secrecy::Public, false);
        Self { path, default, flag, secrecy, variable, inherited, may_be_empty }
    }

    pub(super) const fn default(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    pub(super) const fn flag(self, flag: &'static str) -> Self {
        Self { flag: Some(flag), ..self }
    }

    pub(super) const fn variable(self, variable: &'static str) -> Self {
        Self { variable: Some(variable), ..self }
    }

    pub(super) const fn inherited(self, inherited: Inherited) -> Self {
        let [first, _] = self.inherited;
        match first {
            None => Self { inherited: [Some(inherited), None], ..self },
            Some(_) => Self { inherited: [first, Some(inherited)], ..self },
        }
    }

    pub(super) const fn or_empty(self) -> Self {
        Self { may_be_empty: true, ..self }
    }

    pub(super) const fn secrecy(self, secrecy: Secrecy) -> Self {
        Self { secrecy, ..self }
    }

    /// The environment variable that sets it. What has names of the operator's choosing in it
    /// belongs into the file.
    pub(crate) fn environment(&self) -> Option<String> {
        if self.path.contains('*') {
            return None;
        }
        let derived = || format!("WAYPOST_{}", self.path.replace('.', "_").to_uppercase());
        Some(self.variable.map_or_else(derived, str::to_owned))
    }

    /// Whether it stands for this place in the file.
    pub(super) fn matches(&self, path: &[String]) -> bool {
        let mut given = path.iter();
        let fits = |part: &str| given.next().is_some_and(|it| part == "*" || part == it);
        self.path.split('.').all(fits) && given.next().is_none()
    }
}
