//! Where a model stands: whether its schema may be imported, and how far writes may extend it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether a model takes samples or entities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Lock {
    /// Samples may be imported; there are no entities.
    #[default]
    Unlocked,
    /// Entities may be written; nothing is imported.
    Locked,
}

impl Lock {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unlocked => "UNLOCKED",
            Self::Locked => "LOCKED",
        }
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// How far writes may extend a locked model. Each permits all that the ones before it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChangeLevel {
    /// Longer arrays. Lengths are not part of a schema, so this extends nothing.
    ArrayLength,
    /// Other types of scalars as elements of arrays.
    ArrayElements,
    /// Other types of scalars anywhere, and `null` for objects and arrays.
    Type,
    /// New members.
    Structural,
}

impl ChangeLevel {
    pub const ALL: [Self; 4] =
        [Self::ArrayLength, Self::ArrayElements, Self::Type, Self::Structural];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ArrayLength => "ARRAY_LENGTH",
            Self::ArrayElements => "ARRAY_ELEMENTS",
            Self::Type => "TYPE",
            Self::Structural => "STRUCTURAL",
        }
    }

    /// The level called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

impl fmt::Display for ChangeLevel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
