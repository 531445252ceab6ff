//! Instances as they were: their events, applied up to a moment.

use waypost_kernel::{Key, Machine, Store, StoreError, Timestamp, Version};

use crate::{error::Error, limits::PAGE_MAX};

/// A moment in the life of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// When it had seen that many commits.
    Version(u64),
    /// At that instant: after all that had happened by then.
    Time(Timestamp),
}

/// An instance at a moment.
pub(crate) struct Then<S> {
    pub(crate) version: Version,
    pub(crate) state: S,
}

/// The instance as it was; none if it had not begun. A version that is not there yet is none, too.
pub(crate) async fn then<M: Machine>(
    store: &dyn Store,
    key: &Key,
    moment: Moment,
) -> Result<Option<Then<M::State>>, Error> {
    let mut then = Then { version: Version::ABSENT, state: M::State::default() };
    loop {
        let records = store.history(key, then.version, PAGE_MAX).await?;
        let is_last = records.len() < PAGE_MAX as usize;
        for record in records {
            if is_after(moment, record.version, record.at) {
                return Ok(finished(then, moment));
            }
            let events: Vec<M::Event> = record
                .events
                .read()
                .map_err(|error| StoreError::Corrupt(format!("the events of {key}: {error}")))?;
            events.iter().for_each(|event| M::evolve(&mut then.state, event));
            then.version = record.version;
        }
        if is_last {
            return Ok(finished(then, moment));
        }
    }
}

pub(crate) fn is_after(moment: Moment, version: Version, at: Timestamp) -> bool {
    match moment {
        Moment::Version(wanted) => version.0 > wanted,
        Moment::Time(wanted) => at > wanted,
    }
}

fn finished<S>(then: Then<S>, moment: Moment) -> Option<Then<S>> {
    let is_there = match moment {
        Moment::Version(wanted) => then.version.0 == wanted,
        Moment::Time(_) => true,
    };
    (is_there && then.version != Version::ABSENT).then_some(then)
}

/// Why there is nothing to see.
pub(crate) fn not_then(moment: Moment) -> String {
    match moment {
        Moment::Version(version) => format!("the instance has no version {version}"),
        Moment::Time(_) => "the instance had not begun at that time".to_owned(),
    }
}
