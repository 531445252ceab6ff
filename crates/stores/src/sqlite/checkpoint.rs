//! Folding the log into the database, so that it does not grow for ever. Most of it is done beside
//! the writer; what has come meanwhile, the writer folds itself, and starts the log anew.

use std::{
    io,
    sync::mpsc::{Receiver, Sender, TryRecvError, channel},
    thread::{self, JoinHandle},
};

use rusqlite::{Connection, Result};

/// From how many pages on the log is folded. Folding seldom is cheap, since a page that was logged
/// many times is written once; but what is logged must be read again after a crash.
const LOG_PAGES: i64 = 32 * 1024 * 1024 / super::open::PAGE_BYTES;

/// Works beside the writer, on a connection of its own.
pub(super) struct Checkpoints {
    wanted: Sender<()>,
    done: Receiver<Result<()>>,
    is_folding: bool,
    thread: JoinHandle<()>,
}

impl Checkpoints {
    pub(super) fn start(connection: Connection) -> io::Result<Self> {
        let (wanted, requests) = channel();
        let (report, done) = channel();
        let thread = thread::Builder::new().name("waypost-log".to_owned()).spawn(move || {
            for () in requests {
                if report.send(fold(&connection)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { wanted, done, is_folding: false, thread })
    }

    /// Sees to the log, between two transactions of the writer's connection.
    pub(super) fn tend(&mut self, writer: &Connection) -> Result<()> {
        if !self.is_folding {
            if log_pages(writer)? >= LOG_PAGES {
                self.is_folding = self.wanted.send(()).is_ok();
            }
            return Ok(());
        }
        match self.done.try_recv() {
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => Ok(()),
            Ok(folded) => {
                self.is_folding = false;
                folded?;
                fold(writer)
            }
        }
    }

    /// Waits for what is under way and closes the connection.
    pub(super) fn stop(self) {
        drop(self.wanted);
        drop(self.thread.join());
    }
}

/// Writes the newest form of each logged page into the database, without waiting for anybody.
fn fold(connection: &Connection) -> Result<()> {
    connection.prepare_cached("pragma wal_checkpoint(passive)")?.query_row([], |_| Ok(()))
}

fn log_pages(connection: &Connection) -> Result<i64> {
    connection.prepare_cached("pragma wal_checkpoint(noop)")?.query_row([], |row| row.get(1))
}
