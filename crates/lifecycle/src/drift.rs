//! Entities in phases that nobody declared: told once each.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, PoisonError},
};

/// How many are remembered, so that they are not told again. The oldest are forgotten first, and
/// told once more if they are met again.
const REMEMBERED_MAX: usize = 10_000;

/// Type, entity and phase.
type Place = (String, String, String);

#[derive(Default)]
pub(crate) struct Drift(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    places: HashSet<Place>,
    order: VecDeque<Place>,
}

impl Drift {
    /// Whether this has not been told before. It has now.
    pub(crate) fn is_news(&self, workflow: &str, entity_id: &str, phase: &str) -> bool {
        let place = (workflow.to_owned(), entity_id.to_owned(), phase.to_owned());
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.places.insert(place.clone()) {
            return false;
        }
        seen.order.push_back(place);
        if seen.order.len() > REMEMBERED_MAX
            && let Some(oldest) = seen.order.pop_front()
        {
            seen.places.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Drift, REMEMBERED_MAX};

    #[test]
    fn each_is_told_once_as_long_as_it_is_remembered() {
        let drift = Drift::default();
        assert!(drift.is_news("w", "e", "p"));
        assert!(!drift.is_news("w", "e", "p"));
        assert!(drift.is_news("w", "e", "q") && drift.is_news("v", "e", "p"));
        for number in 0..REMEMBERED_MAX {
            assert!(drift.is_news("w", &number.to_string(), "p"));
        }
        assert!(drift.is_news("w", "e", "p"), "it was forgotten to make room");
    }
}
