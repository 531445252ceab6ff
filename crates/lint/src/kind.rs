//! What kind of definition a text is.

use std::{fmt, str::FromStr};

use crate::source::Node;

/// A kind of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefinitionKind {
    /// A graph of steps.
    Process,
    /// Workflows of entities, as they are imported.
    Entity,
    /// Types with phases.
    Lifecycle,
    /// A line of steps.
    Chain,
}

impl DefinitionKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Process, Self::Entity, Self::Lifecycle, Self::Chain];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Entity => "entity",
            Self::Lifecycle => "lifecycle",
            Self::Chain => "chain",
        }
    }

    /// The kind of a definition with these members, if they tell.
    pub(crate) fn guess(node: &Node) -> Option<Self> {
        let has = |name: &str| node.has(name);
        match () {
            () if has("workflowType") => Some(Self::Chain),
            () if has("workflows") => Some(Self::Entity),
            () if has("types") || has("transitions") && has("workflow") => Some(Self::Lifecycle),
            () if has("steps") && (has("id") || has("name")) => Some(Self::Process),
            () => None,
        }
    }
}

impl fmt::Display for DefinitionKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for DefinitionKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|it| it.as_str() == name);
        found.ok_or_else(|| format!("expected process, entity, lifecycle or chain, found {name:?}"))
    }
}
