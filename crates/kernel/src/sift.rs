//! Going through instances of one definition by id, now or as of an instant, and counting them.

use crate::{DefinitionRef, InstanceId, Kind, Record, Tenant, Timestamp};

/// How many bytes of states a page may have before its last record. A state may have many; a page
/// of them must still fit in memory many times over.
pub const PAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Whether there may be more behind a page that was to have at most `limit` records.
#[must_use]
pub fn may_go_on(page: &[Record], limit: u32) -> bool {
    let n_bytes: usize = page.iter().map(|it| it.state.as_str().len()).sum();
    usize::try_from(limit).is_ok_and(|it| page.len() >= it) || n_bytes >= PAGE_BYTES_MAX
}

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
