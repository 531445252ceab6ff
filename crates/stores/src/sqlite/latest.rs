//! The times that are given to commits: each is later than all before it, also after a restart with a
//! clock that stands earlier.

use rusqlite::{Result, params};
use waypost_kernel::{Commit, StoreError, Timestamp, Timing};

use super::{facts::Tables, fault::fault, rows};
use crate::check::{TICK, instant};

/// The latest time that was given or settled.
#[derive(Default)]
pub(super) struct Latest {
    /// Absent until it is read from the file.
    at: Option<Timestamp>,
    /// Whether a commit was given a time that the file does not have.
    is_unwritten: bool,
}

impl Latest {
    /// Nothing lands at this time or before any more; absent if that was never asked.
    pub(super) const fn at(&self) -> Option<Timestamp> {
        self.at
    }
}

impl Tables<'_> {
    /// When a commit happens that lands at `now`.
    pub(super) fn stamp(
        &mut self,
        commit: &Commit,
        now: Timestamp,
    ) -> Result<Timestamp, StoreError> {
        if commit.timing == Timing::Decided {
            return Ok(now);
        }
        let earliest = self.read_latest().map_err(fault)? + TICK;
        let at = instant(commit, self, now, earliest)?;
        self.latest = Latest { at: Some(at), is_unwritten: true };
        Ok(at)
    }

    /// Sees to it that nothing lands at `at` or before any more. The file learns of it with the next
    /// commit: a sync for each who only reads would be too much.
    pub(super) fn pass(&mut self, at: Timestamp) -> Result<()> {
        self.latest.at = Some(self.read_latest()?.max(at));
        Ok(())
    }

    /// Writes down the latest time, once for all commits of a group.
    pub(super) fn keep_latest(&mut self) -> Result<()> {
        let Some(at) = self.latest.at.filter(|_| self.latest.is_unwritten) else { return Ok(()) };
        self.sql("update clock set landed_at = ?1")?.execute(params![at.as_micros()])?;
        self.latest.is_unwritten = false;
        Ok(())
    }

    fn read_latest(&mut self) -> Result<Timestamp> {
        match self.latest.at {
            Some(at) => Ok(at),
            None => self
                .sql("select landed_at from clock")?
                .query_row([], |row| rows::timestamp(row, 0)),
        }
    }
}
