//! The one thread that writes: takes all that waits, lands it in one transaction, and only then
//! answers.

use std::{
    sync::{Arc, atomic::Ordering},
    thread,
};

use rusqlite::{Connection, ErrorCode, config::DbConfig};
use waypost_kernel::{Hint, StoreError};

use super::{
    checkpoint::Checkpoints,
    facts::Tables,
    fault::{fault, left_no_trace},
    operation::{Effect, Operation},
    shared::{Shared, stopped},
    watch::Spot,
};

/// Writes until the queue is closed and empty.
pub(super) fn run(
    connection: Connection,
    checkpoints: Checkpoints,
    shared: &Arc<Shared>,
    group_max: usize,
) {
    let _last_words = LastWords(Arc::clone(shared));
    let tables = Tables::new(&connection);
    let mut writer = Writer { connection: &connection, tables, checkpoints, shared };
    while let Some(group) = shared.queue.take(group_max) {
        writer.land(group);
        writer.tend_log();
    }
    writer.stop();
    close(connection, shared);
}

/// Closing the last connection folds the log and removes it, unless a sync has failed: then
/// everything stays as it is, for the next one who opens it.
fn close(connection: Connection, shared: &Shared) {
    if shared.failure().is_some() {
        drop(connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true));
    }
    if let Err((_, error)) = connection.close() {
        tracing::warn!(%error, "the database could not be closed");
    }
}

struct Writer<'c> {
    connection: &'c Connection,
    tables: Tables<'c>,
    checkpoints: Checkpoints,
    shared: &'c Shared,
}

/// Why a group did not land.
enum Trouble {
    /// One of its operations failed, and all were taken back.
    Spoiled(StoreError),
    /// Nothing of it is there.
    NotLanded(StoreError),
    /// Nobody can say whether it is there.
    Unclear(String),
}

impl Writer<'_> {
    /// After the answers: nobody waits for this.
    fn tend_log(&mut self) {
        if self.shared.failure().is_some() {
            return;
        }
        let Err(error) = self.checkpoints.tend(self.connection) else { return };
        if error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure) {
            self.shared.fail(format!("the log could not be folded into the database: {error}"));
        } else {
            tracing::warn!(%error, "the log could not be folded into the database for now");
        }
    }

    fn stop(self) {
        self.checkpoints.stop();
    }

    fn land(&mut self, mut group: Vec<Operation>) {
        if let Some(reason) = self.shared.failure() {
            return fail_all(group, &stopped(reason));
        }
        match self.attempt(&mut group) {
            Ok(effects) => self.announce(group, &effects),
            // One of them is to blame; the others must not suffer for it.
            Err(Trouble::Spoiled(_)) if group.len() > 1 => {
                group.into_iter().for_each(|operation| self.land(vec![operation]));
            }
            Err(Trouble::Spoiled(error) | Trouble::NotLanded(error)) => fail_all(group, &error),
            Err(Trouble::Unclear(reason)) => {
                self.shared.fail(reason.clone());
                fail_all(group, &StoreError::Unknown(reason));
            }
        }
    }

    fn attempt(&mut self, group: &mut [Operation]) -> Result<Vec<Effect>, Trouble> {
        self.tables.run("begin immediate").map_err(|error| Trouble::NotLanded(fault(error)))?;
        let performed: Result<Vec<Effect>, StoreError> = group
            .iter_mut()
            .map(|operation| operation.perform(&mut self.tables, self.shared.clock.now()))
            .collect();
        match performed {
            Ok(effects) => self.commit().map(|()| effects),
            Err(error) => {
                self.roll_back();
                Err(Trouble::Spoiled(error))
            }
        }
    }

    fn commit(&mut self) -> Result<(), Trouble> {
        let Err(error) = self.tables.run("commit") else { return Ok(()) };
        self.roll_back();
        // A sync that failed once may succeed the next time without having written anything:
        // it is never tried again.
        Err(if left_no_trace(&error) {
            Trouble::NotLanded(fault(error))
        } else {
            Trouble::Unclear(format!("the commit could not be synced: {error}"))
        })
    }

    fn roll_back(&mut self) {
        // Some errors have ended the transaction already.
        if self.connection.is_autocommit() {
            return;
        }
        if let Err(error) = self.tables.run("rollback") {
            self.shared.fail(format!("a transaction could not be taken back: {error}"));
        }
    }

    /// Answers everybody, then wakes those who wait for what is new.
    fn announce(&self, group: Vec<Operation>, effects: &[Effect]) {
        self.count(effects);
        let mut hints: Vec<Hint> = Vec::new();
        let mut spots: Vec<Spot> = Vec::new();
        let is_watched = self.shared.watchers.is_anybody_there();
        for (mut operation, effect) in group.into_iter().zip(effects) {
            if let Operation::Commit(ticket) = &mut operation
                && *effect == Effect::Applied
            {
                hints.append(&mut ticket.asked.hints);
                if is_watched {
                    spots
                        .extend(ticket.asked.commit.events.iter().flat_map(|it| Spot::of(&it.key)));
                }
            }
            operation.settle();
        }
        self.shared.watchers.wake(&spots);
        self.shared.listeners.tell(&hints);
    }

    fn count(&self, effects: &[Effect]) {
        let count = |wanted| effects.iter().filter(|it| **it == wanted).count() as u64;
        let (applied, refused) = (count(Effect::Applied), count(Effect::Refused));
        let tally = &self.shared.tally;
        tally.commits.fetch_add(applied, Ordering::Relaxed);
        tally.refused.fetch_add(refused, Ordering::Relaxed);
        tally.groups.fetch_add(u64::from(applied > 0), Ordering::Relaxed);
    }
}

fn fail_all(group: Vec<Operation>, error: &StoreError) {
    group.into_iter().for_each(|operation| operation.fail(error.clone()));
}

/// Sees to it that nobody waits for a writer that is gone.
struct LastWords(Arc<Shared>);

impl Drop for LastWords {
    fn drop(&mut self) {
        if !thread::panicking() {
            return;
        }
        let reason = "the writer has stopped because of a defect";
        self.0.fail(reason.to_owned());
        self.0.queue.close();
        while let Some(group) = self.0.queue.take(usize::MAX) {
            fail_all(group, &stopped(reason));
        }
    }
}
