//! Where new names come from: the one place that draws random numbers.

use uuid::{NoContext, Uuid};
use waypost_kernel::{ClaimId, InstanceId, Timestamp};

/// Makes names that were never used before.
pub trait Ids: Send + Sync {
    /// A name for an instance that starts at `now`. Later ones sort after earlier ones, so that
    /// what is alive lies together in the store.
    fn instance(&self, now: Timestamp) -> InstanceId;

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
        let micros = u64::try_from(now.as_micros()).unwrap_or(0);
        let nanos = u32::try_from(micros % 1_000_000).unwrap_or(0) * 1_000;
        let at = uuid::Timestamp::from_unix(NoContext, micros / 1_000_000, nanos);
        Uuid::new_v7(at).to_string().into()
    }

    fn claim(&self) -> ClaimId {
        Uuid::new_v4().simple().to_string().into()
    }

    fn chance(&self) -> u64 {
        Uuid::new_v4().as_u64_pair().1
    }
}
