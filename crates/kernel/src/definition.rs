//! What instances run by.

use serde::{Deserialize, Serialize};

use crate::{Json, Kind, Tenant, Timestamp};

/// Names a definition within its tenant and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DefinitionRef {
    /// The name all its versions share.
    pub name: String,
    /// The version: counted from one, or, of a model, as its owner counts.
    pub version: i32,
}

/// A deployed definition. Immutable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Whose it is.
    pub tenant: Tenant,
    /// Which face understands it.
    pub kind: Kind,
    /// Its name and version.
    pub which: DefinitionRef,
    /// Its text as it was received.
    pub body: Json,
    /// When it was deployed.
    pub created_at: Timestamp,
}

/// Which definitions to read. They come by name, newest version first.
#[derive(Clone, Debug)]
pub struct DefinitionQuery {
    /// Whose.
    pub tenant: Tenant,
    /// Of which face.
    pub kind: Kind,
    /// Only those of this name.
    pub name: Option<String>,
    /// Only this version.
    pub version: Option<i32>,
    /// Only those whose name has this in it. The letters A to Z match in both cases.
    pub keyword: Option<String>,
    /// Only the highest version of each name.
    pub latest_only: bool,
    /// How many to pass over.
    pub offset: u32,
    /// How many at the most.
    pub limit: u32,
}
