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
    together,
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
        match together::perform(group, &mut self.tables, &*self.shared.clock) {
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
        self.shared.settle(self.tables.latest.at());
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

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use waypost_kernel::{
        Clock, Commit, Facets, Json, Key, Kind, Receipt, StoreError, Timestamp, Urgency, Version,
        Write,
    };

    use super::{
        super::{
            checkpoint::Checkpoints,
            open::{self, Durability},
            operation::{Operation, Submission, Ticket},
            queue::Queue,
            read,
            shared::Shared,
            temporary::TemporaryDirectory,
        },
        run,
    };

    struct Epoch;

    impl Clock for Epoch {
        fn now(&self) -> Timestamp {
            Timestamp::EPOCH
        }
    }

    fn key(id: u64) -> Key {
        Key::new("acme".into(), Kind::Chain, id.to_string().as_str().into())
    }

    fn write(id: u64, version: u64, state: &str) -> Commit {
        let (key, version, at) = (key(id), Version(version), Timestamp::EPOCH);
        let facets = Facets::default();
        let (state, keeps_past, terms) = (Json::of(state), false, None);
        let write = Write { key, version, facets, state, at, keeps_past, terms };
        Commit { writes: vec![write], ..Commit::default() }
    }

    fn commit(shared: &Shared, commits: Vec<Commit>) -> Vec<Result<Receipt, StoreError>> {
        let submit = |commit| {
            let (ticket, answer) = Ticket::new(Submission { commit, hints: Vec::new() });
            shared.queue.push(Operation::Commit(ticket), 0, Urgency::Finish).unwrap();
            answer
        };
        let answers: Vec<_> = commits.into_iter().map(submit).collect();
        answers.into_iter().map(|it| it.blocking_recv().unwrap()).collect()
    }

    fn is_full(outcome: &Result<Receipt, StoreError>) -> bool {
        matches!(outcome, Err(StoreError::Unavailable(text)) if text.contains("disk is full"))
    }

    #[test]
    fn a_full_disk_refuses_what_needs_room_and_nothing_else() {
        let directory = TemporaryDirectory::new().unwrap();
        let path = directory.path().join("a.db");
        let connection = open::writer(&path, Durability::Synced, Timestamp::EPOCH).unwrap();
        let n_pages: i64 = connection.query_row("pragma page_count", [], |row| row.get(0)).unwrap();
        connection.pragma_update(None, "max_page_count", n_pages + 20).unwrap();
        let checkpoints = open::checkpointer(&path, Durability::Synced).unwrap();
        let checkpoints = Checkpoints::start(checkpoints).unwrap();
        let shared = Arc::new(Shared::new(Arc::new(Epoch), Queue::new(1_000, 1_000_000)));
        let writer = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || run(connection, checkpoints, &shared, 256))
        };

        let large = "x".repeat(10_000);
        let started = commit(&shared, (0..100).map(|id| write(id, 1, &large)).collect());
        let n_started = started.iter().filter(|it| it.is_ok()).count();
        assert!((3..100).contains(&n_started), "{n_started}");
        assert!(started.iter().all(|it| it.is_ok() || is_full(it)), "{started:?}");
        // What is there can still come to its end, also beside what cannot begin.
        let ended = (0..3).map(|id| write(id, 2, "done"));
        let mixed = commit(&shared, [write(200, 1, &large)].into_iter().chain(ended).collect());
        let [first, ended @ ..] = mixed.as_slice() else { panic!("nothing was answered") };
        assert!(is_full(first) && ended.iter().all(Result::is_ok), "{mixed:?}");
        // That has made room.
        let last = commit(&shared, vec![write(201, 1, &large)]);
        assert!(last.iter().all(Result::is_ok), "{last:?}");
        assert_eq!(shared.failure(), None);
        shared.queue.close();
        writer.join().unwrap();

        let reader = open::reader(&path).unwrap();
        let stored = read::load(&reader, &(0..100).map(key).collect::<Vec<_>>()).unwrap();
        for (stored, started) in stored.iter().zip(&started) {
            assert_eq!(stored.is_some(), started.is_ok());
        }
        let [done, first, last] =
            read::load(&reader, &[key(0), key(200), key(201)]).unwrap().try_into().unwrap();
        assert_eq!(done.unwrap().version, Version(2));
        assert!(first.is_none() && last.is_some());
    }
}
