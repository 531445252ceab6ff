//! Where new names come from: the one place that draws random numbers.

use uuid::{ClockSequence, NoContext, Uuid};
use waypost_kernel::{ClaimId, InstanceId, Timestamp};

/// Makes names that were never used before.
pub trait Ids: Send + Sync {
    /// A name for an instance that starts at `now`. Later ones sort after earlier ones, so that
    /// what is alive lies together in the store.
    fn instance(&self, now: Timestamp) -> InstanceId;

    /// A name for an entity or a transaction that begins at `now`: a UUID of version 1, which
    /// clients of entities expect.
    fn entity(&self, now: Timestamp) -> InstanceId;

    /// A name for one claim.
    fn claim(&self) -> ClaimId;

    /// A number nobody can guess.
    fn chance(&self) -> u64;
}

/// Names nobody can guess.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    fn instance(&self, now: Timestamp) -> InstanceId {
        let (seconds, nanos) = parts(now);
        Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, seconds, nanos)).to_string().into()
    }

    fn entity(&self, now: Timestamp) -> InstanceId {
        let (seconds, nanos) = parts(now);
        // The node and the sequence are drawn, too: time alone may come twice.
        let chance = Uuid::new_v4().into_bytes();
        let [low, high, node @ ..] = chance;
        let sequence = u16::from_be_bytes([low, high]) & 0x3fff;
        let at = uuid::Timestamp::from_unix(Sequence(sequence), seconds, nanos);
        let [n0, n1, n2, n3, n4, n5, ..] = node;
        Uuid::new_v1(at, &[n0 | 1, n1, n2, n3, n4, n5]).to_string().into()
    }

    fn claim(&self) -> ClaimId {
        Uuid::new_v4().simple().to_string().into()
    }

    fn chance(&self) -> u64 {
        Uuid::new_v4().as_u64_pair().1
    }
}

/// Whole seconds and the nanoseconds beyond them.
fn parts(at: Timestamp) -> (u64, u32) {
    let micros = u64::try_from(at.as_micros()).unwrap_or(0);
    (micros / 1_000_000, u32::try_from(micros % 1_000_000).unwrap_or(0) * 1_000)
}

/// A sequence of one number.
struct Sequence(u16);

impl ClockSequence for Sequence {
    type Output = u16;

    fn generate_sequence(&self, _seconds: u64, _nanos: u32) -> u16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_entities_are_time_based_and_never_come_twice() {
        let now = Timestamp::from_millis(1_700_000_000_000);
        let names: std::collections::BTreeSet<_> =
            (0..10_000).map(|_| RandomIds.entity(now)).collect();
        assert_eq!(names.len(), 10_000);
        let name = Uuid::parse_str(names.first().unwrap().as_str()).unwrap();
        assert_eq!(name.get_version_num(), 1);
        assert_eq!(name.get_timestamp().unwrap().to_unix().0, 1_700_000_000);
    }
}
