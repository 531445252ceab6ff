//! What would become of an instance: it is forked in memory, from what is stored, and nothing that
//! happens to the fork happens to anybody else.

use waypost_kernel::{Key, Machine, RejectionCode as Code, StoreError, Timestamp, Version};
use waypost_rehearsal::{Face, Played, WhatIf};

use crate::{error::Error, limits::PAGE_MAX, turn::Turns};

/// What came of trying something.
#[derive(Clone, Debug)]
pub struct Tried {
    /// When the instance was forked: what is earlier has really happened.
    pub forked_at: Timestamp,
    /// What came of it.
    pub played: Played,
}

/// Refuses what cannot be tried with an instance of that face.
pub(crate) fn check(what: &WhatIf, face: Face) -> Result<(), Error> {
    match what.problem(face) {
        Some(problem) => Err(Error::rejected(Code::FieldInvalid, problem)),
        None => Ok(()),
    }
}

/// All that happened to an instance up to `last`, oldest first.
pub(crate) async fn events<M: Machine>(
    turns: &Turns<M>,
    key: &Key,
    last: Version,
) -> Result<Vec<(Timestamp, M::Event)>, Error> {
    let (mut after, mut events) = (Version::ABSENT, Vec::new());
    loop {
        let records = turns.store.history(key, after, PAGE_MAX).await?;
        for record in records.iter().filter(|it| it.version <= last) {
            let read: Vec<M::Event> = record
                .events
                .read()
                .map_err(|error| StoreError::Corrupt(format!("the events of {key}: {error}")))?;
            events.extend(read.into_iter().map(|it| (record.at, it)));
        }
        match records.last() {
            Some(record) if records.len() >= PAGE_MAX as usize => after = record.version,
            Some(_) | None => return Ok(events),
        }
    }
}

/// Plays where nobody has to wait for it: it may take a while.
pub(crate) async fn apart<T: Send + 'static>(
    play: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let played = tokio::task::spawn_blocking(play).await;
    played.map_err(|error| Error::Defect(format!("what was tried did not end: {error}")))
}
