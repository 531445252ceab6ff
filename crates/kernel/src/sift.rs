//! Going through instances of one definition by id, now or as of an instant, and counting them.

use crate::{DefinitionRef, InstanceId, Kind, Tenant, Timestamp};

/// Which instances to go through, in the order of their ids.
#[derive(Clone, Debug)]
pub struct Sift {
    /// Whose.
    pub tenant: Tenant,
    /// Of which face.
    pub kind: Kind,
    /// What they run by: this name and this version.
    pub definition: DefinitionRef,
    /// Only those with this status.
    pub status: Option<String>,
    /// Only those at one of these steps; at any, if there are none.
    pub steps: Vec<String>,
    /// Only those with a term within. What is asked about a past instant ignores it: terms are
    /// known of the present only.
    pub lookup: Option<Lookup>,
    /// As they were at this instant; as they are, if absent. The definition is the one they run by
    /// now.
    pub at: Option<Timestamp>,
    /// Only those whose id sorts after this one.
    pub after: Option<InstanceId>,
    /// How many to pass over.
    pub offset: u32,
    /// How many at the most.
    pub limit: u32,
}

/// What an instance can be looked up by. Stores compare keys byte by byte and know no more of them.
/// Both texts are part of an index: together they have at most [`Term::BYTES_MAX`] bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// What the key is of.
    pub path: String,
    /// Sorts as what it stands for.
    pub key: Vec<u8>,
}

impl Term {
    /// What every store has room for in an index, beside the name of a definition.
    pub const BYTES_MAX: usize = 1_024;
}

/// Instances that have a term of this path within one of the spans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// What the keys are of.
    pub path: String,
    /// Any of them will do.
    pub spans: Vec<Span>,
}

/// A range of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first key within.
    pub from: Vec<u8>,
    /// The first key beyond; there is none if absent.
    pub to: Option<Vec<u8>>,
}

/// Which instances to count.
#[derive(Clone, Debug)]
pub struct TallyQuery {
    /// Whose.
    pub tenant: Tenant,
    /// Of which face.
    pub kind: Kind,
    /// Only those that run by this; by anything, if absent.
    pub definition: Option<DefinitionRef>,
    /// Only those with this status.
    pub status: Option<String>,
    /// As they were at this instant; as they are, if absent. The definition is the one they run by
    /// now.
    pub at: Option<Timestamp>,
}

/// How many instances of a definition are at a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tally {
    /// What they run by.
    pub definition: DefinitionRef,
    /// Where they are; empty if nowhere.
    pub step: String,
    /// How many.
    pub count: u64,
}
