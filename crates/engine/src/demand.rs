//! Who has asked for work, and when: so that a task nobody comes for can say so.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use waypost_kernel::{Claim, Kind, Tenant, Timestamp};
use waypost_machines::explanation::Demand;

use crate::limits::DEMANDS_MAX;

/// Who asked so lately is still asking: workers come again and again.
const LATELY: Duration = Duration::from_secs(10);

/// What claims were after, and when the last of each kind came. Workers repeat themselves, so there
/// are few of them.
pub(crate) struct Demands {
    began_at: Timestamp,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    /// The latest at the end.
    seen: VecDeque<Seen>,
    /// When the latest of those was seen that are not remembered.
    forgotten_at: Option<Timestamp>,
}

struct Seen {
    claim: Claim,
    at: Timestamp,
}

impl Demands {
    pub(crate) fn new(began_at: Timestamp) -> Self {
        Self { began_at, inside: Mutex::default() }
    }

    fn inside(&self) -> std::sync::MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody asks.
    pub(crate) fn note(&self, claim: &Claim, at: Timestamp) {
        let mut inside = self.inside();
        // Who asks now has asked a moment ago: the end is where to look.
        let place = inside.seen.iter().rposition(|it| is_alike(&it.claim, claim));
        let seen = match place.and_then(|it| inside.seen.remove(it)) {
            Some(seen) => Seen { at, ..seen },
            None => Seen { claim: claim.clone(), at },
        };
        if inside.seen.len() >= DEMANDS_MAX
            && let Some(oldest) = inside.seen.pop_front()
        {
            inside.forgotten_at = inside.forgotten_at.max(Some(oldest.at));
        }
        inside.seen.push_back(seen);
    }

    /// Who asks for work of a family and a queue.
    pub(crate) fn of(
        &self,
        (tenant, kind): (&Tenant, Kind),
        (family, queue): (&str, &str),
        now: Timestamp,
    ) -> Demand {
        let inside = self.inside();
        let wants = |it: &&Seen| {
            it.claim.tenant == *tenant && it.claim.kind == kind && it.claim.wants(family, queue)
        };
        let last = inside.seen.iter().filter(wants).map(|it| it.at).max();
        match (last, inside.forgotten_at) {
            (Some(at), _) if now.since(at) <= LATELY => Demand::Now,
            (Some(at), forgotten) => Demand::Last(forgotten.map_or(at, |it| it.max(at))),
            (None, Some(forgotten)) => Demand::Last(forgotten),
            (None, None) => Demand::Never { since: self.began_at },
        }
    }
}

fn is_alike(one: &Claim, other: &Claim) -> bool {
    one.tenant == other.tenant
        && one.kind == other.kind
        && one.families == other.families
        && one.queues == other.queues
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(queue: &str) -> Claim {
        Claim {
            id: "c".into(),
            tenant: "t".into(),
            kind: Kind::Process,
            worker: "w".into(),
            families: None,
            queues: Some(vec![queue.to_owned()]),
            limit: 1,
            lease: Duration::from_secs(1),
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    fn of(demands: &Demands, queue: &str, now: i64) -> Demand {
        demands.of((&"t".into(), Kind::Process), ("f", queue), at(now))
    }

    #[test]
    fn who_asked_and_when_is_known() {
        let demands = Demands::new(at(5));
        assert_eq!(of(&demands, "a", 100), Demand::Never { since: at(5) });
        demands.note(&claim("a"), at(20));
        assert_eq!(of(&demands, "a", 25), Demand::Now);
        assert_eq!(of(&demands, "a", 100), Demand::Last(at(20)));
        assert_eq!(of(&demands, "b", 100), Demand::Never { since: at(5) });
        demands.note(&claim("a"), at(60));
        assert_eq!(of(&demands, "a", 100), Demand::Last(at(60)));
        let elsewhere = demands.of((&"t".into(), Kind::Chain), ("f", "a"), at(100));
        assert_eq!(elsewhere, Demand::Never { since: at(5) });
    }

    #[test]
    fn what_is_forgotten_is_not_denied() {
        let demands = Demands::new(at(0));
        demands.note(&claim("first"), at(1));
        for number in 0..DEMANDS_MAX {
            demands.note(&claim(&number.to_string()), at(2));
        }
        assert_eq!(demands.inside().seen.len(), DEMANDS_MAX);
        assert_eq!(of(&demands, "first", 100), Demand::Last(at(1)));
    }
}
