//! How fast it goes: what began and ended on this node, minute by minute.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use waypost_kernel::{Kind, Timestamp};

use crate::limits::PACE_MINUTES;

const MINUTE: Duration = Duration::from_secs(60);

/// What happened to the instances of a face within a minute, as far as this node has committed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minute {
    /// Of which face.
    pub kind: Kind,
    /// When it began.
    pub from: Timestamp,
    /// Instances that were started.
    pub started: u64,
    /// Instances that have completed.
    pub completed: u64,
    /// Instances that have failed.
    pub failed: u64,
}

/// What has become of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Started,
    Completed,
    Failed,
}

/// The latest minutes.
#[derive(Default)]
pub(crate) struct Pace(Mutex<VecDeque<Minute>>);

impl Pace {
    pub(crate) fn note(&self, kind: Kind, step: Step, at: Timestamp) {
        let mut minutes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let from = minute_of(at);
        // Commits land nearly in order: the minute is one of the last.
        let place = minutes.iter().rposition(|it| it.kind == kind && it.from == from);
        let place = place.unwrap_or_else(|| {
            minutes.push_back(Minute { kind, from, started: 0, completed: 0, failed: 0 });
            minutes.len() - 1
        });
        if let Some(minute) = minutes.get_mut(place) {
            match step {
                Step::Started => minute.started += 1,
                Step::Completed => minute.completed += 1,
                Step::Failed => minute.failed += 1,
            }
        }
        let oldest = from - MINUTE * PACE_MINUTES;
        while minutes.front().is_some_and(|it| it.from <= oldest) {
            minutes.pop_front();
        }
    }

    /// The minutes that are known up to `now`, oldest first. Those in which nothing happened are
    /// not among them.
    pub(crate) fn minutes(&self, now: Timestamp) -> Vec<Minute> {
        let oldest = minute_of(now) - MINUTE * PACE_MINUTES;
        let minutes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        minutes.iter().filter(|it| it.from > oldest).copied().collect()
    }
}

fn minute_of(at: Timestamp) -> Timestamp {
    Timestamp::from_micros(at.as_micros() - at.as_micros().rem_euclid(60_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    #[test]
    fn minutes_are_counted_apart_and_forgotten_after_an_hour() {
        let pace = Pace::default();
        pace.note(Kind::Process, Step::Started, at(61));
        pace.note(Kind::Process, Step::Failed, at(119));
        pace.note(Kind::Chain, Step::Started, at(119));
        pace.note(Kind::Process, Step::Completed, at(120));
        let told = |now| {
            let minutes = pace.minutes(at(now)).into_iter();
            let counts = |it: Minute| (it.kind, it.from, it.started, it.completed, it.failed);
            minutes.map(counts).collect::<Vec<_>>()
        };
        let first = (Kind::Process, at(60), 1, 0, 1);
        let chain = (Kind::Chain, at(60), 1, 0, 0);
        let second = (Kind::Process, at(120), 0, 1, 0);
        assert_eq!(told(130), [first, chain, second]);
        assert_eq!(told(60 + 60 * 60), [second], "the first minute is an hour old");
        pace.note(Kind::Process, Step::Started, at(10_000));
        assert_eq!(pace.0.lock().unwrap().len(), 1);
    }
}
