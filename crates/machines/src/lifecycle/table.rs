//! The phases of a type, and the moves between them that are allowed.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// Phase by phase, where an entity may go next. A phase that leads nowhere is terminal.
///
/// A copy shares what it was made from.
///
/// ```
/// use waypost_machines::lifecycle::Transitions;
///
/// let table = Transitions::new().phase("dark", ["lit", "broken"]).phase("lit", ["dark"]);
/// assert!(table.validate().is_err(), "a target is not declared");
/// let table = table.phase("broken", []);
/// assert_eq!(table.validate(), Ok(()));
/// assert!(!table.is_empty() && table.declares("lit"));
/// assert!(table.is_valid_transition("dark", "lit") && !table.is_valid_transition("lit", "broken"));
/// assert_eq!(table.targets("dark"), ["lit", "broken"]);
/// assert!(table.is_terminal("broken") && table.is_terminal("not declared"));
/// assert_eq!(table.phases(), ["broken", "dark", "lit"]);
/// assert_eq!(table.terminal_phases(), ["broken"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Transitions(Arc<BTreeMap<String, Vec<String>>>);

impl Transitions {
    /// A table without phases, to be filled by [`Self::phase`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a phase and adds where it leads.
    #[must_use]
    pub fn phase<'t>(self, phase: &str, targets: impl IntoIterator<Item = &'t str>) -> Self {
        let mut edges = Arc::unwrap_or_clone(self.0);
        let known = edges.entry(phase.to_owned()).or_default();
        known.extend(targets.into_iter().map(str::to_owned));
        Self(Arc::new(edges))
    }

    /// Whether no phase is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Looks for mistakes of spelling and of copying. Circles, phases that lead to themselves,
    /// phases nothing leads to and several beginnings are all right.
    ///
    /// # Errors
    /// The first mistake, in the order of the phases' names.
    pub fn validate(&self) -> Result<(), TableError> {
        if self.0.is_empty() {
            return Err(TableError::Empty);
        }
        for (from, targets) in &*self.0 {
            if from.is_empty() {
                return Err(TableError::UnnamedPhase);
            }
            for (index, to) in targets.iter().enumerate() {
                let (from, to) = (from.clone(), to.clone());
                if to.is_empty() {
                    return Err(TableError::UnnamedTarget { from });
                }
                if !self.0.contains_key(&to) {
                    return Err(TableError::UndeclaredTarget { from, to });
                }
                if targets.iter().take(index).any(|it| *it == to) {
                    return Err(TableError::RepeatedTarget { from, to });
                }
            }
        }
        Ok(())
    }

    /// Whether the phase is declared.
    #[must_use]
    pub fn declares(&self, phase: &str) -> bool {
        self.0.contains_key(phase)
    }

    /// Whether nothing follows the phase. So it is with a phase that is not declared.
    #[must_use]
    pub fn is_terminal(&self, phase: &str) -> bool {
        self.targets(phase).is_empty()
    }

    /// Whether the table has that move.
    #[must_use]
    pub fn is_valid_transition(&self, from: &str, to: &str) -> bool {
        self.targets(from).iter().any(|it| it == to)
    }

    /// Where the phase leads, in the order of declaration.
    #[must_use]
    pub fn targets(&self, phase: &str) -> &[String] {
        self.0.get(phase).map_or(&[], Vec::as_slice)
    }

    /// The declared phases, sorted.
    #[must_use]
    pub fn phases(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// The declared phases that nothing follows, sorted.
    #[must_use]
    pub fn terminal_phases(&self) -> Vec<&str> {
        self.phases().into_iter().filter(|it| self.is_terminal(it)).collect()
    }
}

/// What is wrong with a table.
///
/// ```
/// use waypost_machines::lifecycle::{TableError, Transitions};
///
/// let typo = Transitions::new().phase("dark", ["litt"]).phase("lit", []);
/// let (from, to) = ("dark".to_owned(), "litt".to_owned());
/// assert_eq!(typo.validate(), Err(TableError::UndeclaredTarget { from, to }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableError {
    /// There is no phase.
    Empty,
    /// A phase has no name.
    UnnamedPhase,
    /// A phase leads to one without a name.
    UnnamedTarget {
        /// The phase.
        from: String,
    },
    /// A phase leads to one that is not declared.
    UndeclaredTarget {
        /// The phase.
        from: String,
        /// Where it leads.
        to: String,
    },
    /// A phase leads to another twice.
    RepeatedTarget {
        /// The phase.
        from: String,
        /// Where it leads.
        to: String,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no phase is declared"),
            Self::UnnamedPhase => f.write_str("a phase has an empty name"),
            Self::UnnamedTarget { from } => write!(f, "{from:?} leads to an empty name"),
            Self::UndeclaredTarget { from, to } => {
                write!(f, "{from:?} leads to {to:?}, which is not declared")
            }
            Self::RepeatedTarget { from, to } => write!(f, "{from:?} leads to {to:?} twice"),
        }
    }
}

impl std::error::Error for TableError {}
