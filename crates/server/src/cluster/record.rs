//! What a node says of itself in the store.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use waypost_kernel::{Tenant, Timestamp};

use crate::compute::Tagged;

/// Sets of tags of one tenant that a node tells of. Its members can have more between them, but
/// every node reads this all the time.
const SETS_MAX: usize = 64;
/// Bytes of the tags of one tenant that a node tells of, for the same reason.
const TAGS_BYTES_MAX: usize = 16 << 10;

/// Where a node is, and whom it can ask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) http: String,
    pub(super) grpc: Option<String>,
    /// The sets of tags of its members, by tenant.
    pub(super) members: BTreeMap<Tenant, Vec<Vec<String>>>,
}

/// Another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) record: Record,
    pub(super) seen_at: Timestamp,
}

impl Peer {
    /// Whether it has a member of the tenant with all these tags.
    pub(super) fn serves(&self, tenant: &Tenant, tags: &[String]) -> bool {
        let has_all = |set: &Vec<String>| tags.iter().all(|it| set.contains(it));
        self.record.members.get(tenant).is_some_and(|sets| sets.iter().any(has_all))
    }
}

/// The tags that a node tells of.
pub(super) fn told(tagged: Tagged) -> BTreeMap<Tenant, Vec<Vec<String>>> {
    let few = |(tenant, sets): (Tenant, std::collections::BTreeSet<Vec<String>>)| {
        let (n_sets, mut n_bytes) = (sets.len(), 0);
        let fits = |set: &Vec<String>| {
            n_bytes += set.iter().map(String::len).sum::<usize>();
            n_bytes <= TAGS_BYTES_MAX
        };
        let few: Vec<Vec<String>> = sets.into_iter().take(SETS_MAX).take_while(fits).collect();
        if few.len() < n_sets {
            tracing::warn!(%tenant, n_sets, told = few.len(), "too many tags to tell other nodes");
        }
        (tenant, few)
    };
    tagged.into_iter().map(few).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(sets: &[&[&str]]) -> Peer {
        let set = |set: &&[&str]| set.iter().map(|it| (*it).to_owned()).collect();
        let members = [("t".into(), sets.iter().map(set).collect())].into();
        let record = Record { members, ..Record::default() };
        Peer { name: "n".to_owned(), record, seen_at: Timestamp::from_millis(0) }
    }

    fn serves(peer: &Peer, tenant: &str, tags: &[&str]) -> bool {
        let tags: Vec<String> = tags.iter().map(|it| (*it).to_owned()).collect();
        peer.serves(&tenant.into(), &tags)
    }

    #[test]
    fn one_member_must_have_all_the_tags() {
        let two = peer(&[&["a", "b"], &["c"]]);
        for (tags, is_served) in [
            (&["a"][..], true),
            (&["b", "a"], true),
            (&["c"], true),
            (&["a", "c"], false),
            (&["A"], false),
            (&[], true),
        ] {
            assert_eq!(serves(&two, "t", tags), is_served, "{tags:?}");
        }
        assert!(serves(&peer(&[&[]]), "t", &[]));
    }

    #[test]
    fn without_a_member_of_the_tenant_nobody_is_served() {
        assert!(!serves(&peer(&[]), "t", &[]));
        assert!(!serves(&peer(&[&["a"]]), "another", &[]));
        assert!(!serves(&peer(&[&["a"]]), "another", &["a"]));
    }

    #[test]
    fn a_tenant_with_very_many_tags_takes_no_more_room_than_it_may() {
        let sets = (0..100).map(|it| vec![it.to_string()]).collect();
        let long = (0..4).map(|it| vec![it.to_string().repeat(TAGS_BYTES_MAX / 2)]).collect();
        let told = told([("many".into(), sets), ("long".into(), long)].into());
        assert_eq!(told[&"many".into()].len(), SETS_MAX);
        assert_eq!(told[&"long".into()].len(), 2);
    }
}
