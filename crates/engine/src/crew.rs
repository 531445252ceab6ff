//! Who asks for work on this node: each worker with what it asked for last.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use waypost_kernel::{Claim, Kind, Tenant, Timestamp, WorkerId};

use crate::limits::WORKERS_MAX;

/// A worker, and what it asked for last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asking {
    /// Of which face.
    pub kind: Kind,
    /// Who.
    pub worker: WorkerId,
    /// The kinds of work; all if absent.
    pub queues: Option<Vec<String>>,
    /// When.
    pub at: Timestamp,
}

type Who = (Tenant, Kind, WorkerId);

/// The workers that were seen last.
#[derive(Default)]
pub(crate) struct Crew(Mutex<HashMap<Who, Asking>>);

impl Crew {
    /// Somebody asks.
    pub(crate) fn note(&self, claim: &Claim, at: Timestamp) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let who = (claim.tenant.clone(), claim.kind, claim.worker.clone());
        if let Some(asking) = seen.get_mut(&who) {
            asking.at = at;
            // Workers repeat themselves.
            if asking.queues != claim.queues {
                asking.queues.clone_from(&claim.queues);
            }
            return;
        }
        if seen.len() >= WORKERS_MAX
            && let Some(oldest) = seen.iter().min_by_key(|it| it.1.at).map(|it| it.0.clone())
        {
            seen.remove(&oldest);
        }
        let (kind, worker, queues) = (claim.kind, claim.worker.clone(), claim.queues.clone());
        seen.insert(who, Asking { kind, worker, queues, at });
    }

    /// Those of a tenant, by face and name.
    pub(crate) fn of(&self, tenant: &Tenant) -> Vec<Asking> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<Asking> =
            seen.iter().filter(|it| it.0.0 == *tenant).map(|it| it.1.clone()).collect();
        found.sort_unstable_by(|a, b| (a.kind, &a.worker).cmp(&(b.kind, &b.worker)));
        found
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn claim(worker: &str, queue: &str) -> Claim {
        Claim {
            id: "c".into(),
            tenant: "t".into(),
            kind: Kind::Process,
            worker: worker.into(),
            families: None,
            queues: Some(vec![queue.to_owned()]),
            limit: 1,
            lease: Duration::from_secs(1),
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    #[test]
    fn each_worker_is_known_by_what_it_asked_for_last() {
        let crew = Crew::default();
        crew.note(&claim("ann", "a"), at(1));
        crew.note(&claim("bob", "a"), at(2));
        crew.note(&claim("ann", "b"), at(3));
        let told: Vec<_> = crew.of(&"t".into());
        let told: Vec<_> = told.iter().map(|it| (it.worker.as_str(), &it.queues, it.at)).collect();
        let (a, b) = (Some(vec!["a".to_owned()]), Some(vec!["b".to_owned()]));
        assert_eq!(told, [("ann", &b, at(3)), ("bob", &a, at(2))]);
        assert!(crew.of(&"other".into()).is_empty());
    }

    #[test]
    fn who_was_not_seen_for_the_longest_time_is_forgotten_first() {
        let crew = Crew::default();
        crew.note(&claim("first", "a"), at(0));
        for number in 0..WORKERS_MAX {
            crew.note(&claim(&number.to_string(), "a"), at(1));
        }
        let told = crew.of(&"t".into());
        assert_eq!(told.len(), WORKERS_MAX);
        assert!(told.iter().all(|it| it.worker.as_str() != "first"));
    }
}
