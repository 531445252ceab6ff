//! Handing out work, longest ready first, without ever reading through a long queue.

use std::sync::Arc;

use rusqlite::{OptionalExtension, Result, params};
use waypost_kernel::{Claim, InstanceId, Key, Lease, Task, TaskId, TaskRef, Timestamp, Version};

use super::{facts::Tables, rows};

impl Tables<'_> {
    /// Finds the tasks `claim` wants, whatever queue they are in: at most `limit`, those that are
    /// ready the longest first.
    pub(super) fn ready(
        &mut self,
        claim: &Claim,
        limit: u32,
        now: Timestamp,
    ) -> Result<Vec<Ready>> {
        let most = limit as usize;
        let mut found = Vec::new();
        let mut horizon = now.as_micros();
        for pair in self.pairs(claim)? {
            self.read_ready(claim, &Arc::new(pair), (horizon, limit), &mut found)?;
            if found.len() > most {
                found.sort_unstable();
                found.truncate(most);
                // What is ready later than all of these need not be read from the other queues.
                horizon = found.last().map_or(horizon, |it| it.ready_at);
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The queues and families in which there is something free that is wanted. Jumps from one to
    /// the next: what it costs depends on how many there are, not on how much is in them.
    fn pairs(&mut self, claim: &Claim) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        match &claim.queues {
            Some(queues) => {
                let mut queues: Vec<&String> = queues.iter().collect();
                queues.sort_unstable();
                queues.dedup();
                for queue in queues {
                    self.walk(claim, queue, Some(queue), &mut pairs)?;
                }
            }
            None => self.walk(claim, "", None, &mut pairs)?,
        }
        Ok(pairs)
    }

    /// Collects the wanted pairs from the queue `from` on, or only those of the queue `only`.
    fn walk(
        &mut self,
        claim: &Claim,
        from: &str,
        only: Option<&String>,
        pairs: &mut Vec<Pair>,
    ) -> Result<()> {
        let mut next = self.pair_from(claim, from, "")?;
        while let Some(pair) = next {
            if only.is_some_and(|only| *only != pair.queue) {
                break;
            }
            // The very next text after the family, so that "from" means "after".
            next = self.pair_from(claim, &pair.queue, &format!("{}\0", pair.family))?;
            if claim.wants(&pair.family, &pair.queue) {
                pairs.push(pair);
            }
        }
        Ok(())
    }

    /// The first queue and family, at or after these, in which there is something free.
    fn pair_from(&mut self, claim: &Claim, queue: &str, family: &str) -> Result<Option<Pair>> {
        self.sql(
            "select queue, family from tasks indexed by tasks_free
                 where token is null and tenant = ?1 and kind = ?2 and (queue, family) >= (?3, ?4)
                 order by queue, family limit 1",
        )?
        .query_row(params![claim.tenant.as_str(), claim.kind.code(), queue, family], |row| {
            Ok(Pair { queue: row.get(0)?, family: row.get(1)? })
        })
        .optional()
    }

    fn read_ready(
        &mut self,
        claim: &Claim,
        pair: &Arc<Pair>,
        (horizon, limit): (i64, u32),
        found: &mut Vec<Ready>,
    ) -> Result<()> {
        let mut statement = self.sql(
            "select ready_at, id, task, version from tasks indexed by tasks_free
             where token is null and tenant = ?1 and kind = ?2 and queue = ?3 and family = ?4
               and ready_at <= ?5
             order by ready_at, id, task limit ?6",
        )?;
        let mut rows = statement.query(params![
            claim.tenant.as_str(),
            claim.kind.code(),
            pair.queue,
            pair.family,
            horizon,
            limit
        ])?;
        while let Some(row) = rows.next()? {
            found.push(Ready {
                ready_at: row.get(0)?,
                instance: rows::id(row, 1)?,
                task: rows::id(row, 2)?,
                version: rows::version(row, 3)?,
                pair: Arc::clone(pair),
            });
        }
        Ok(())
    }

    /// Leases a task that is ready.
    pub(super) fn lease(&mut self, claim: &Claim, ready: Ready, now: Timestamp) -> Result<Task> {
        let until = now + claim.lease;
        self.sql(
            "update tasks set token = ?5, worker = ?6, lease_until = ?7
                 where tenant = ?1 and kind = ?2 and id = ?3 and task = ?4",
        )?
        .execute(params![
            claim.tenant.as_str(),
            claim.kind.code(),
            ready.instance.as_str(),
            ready.task.as_str(),
            claim.id.as_str(),
            claim.worker.as_str(),
            until.as_micros()
        ])?;
        let key = Key::new(claim.tenant.clone(), claim.kind, ready.instance);
        let lease = Lease { token: claim.id.clone(), worker: claim.worker.clone(), until };
        Ok(Task {
            at: TaskRef { key, id: ready.task },
            family: ready.pair.family.clone(),
            queue: ready.pair.queue.clone(),
            ready_at: Timestamp::from_micros(ready.ready_at),
            version: ready.version,
            lease: Some(lease),
        })
    }
}

/// Where tasks lie together.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    queue: String,
    family: String,
}

/// A task that can be claimed, in the order of claiming.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ready {
    ready_at: i64,
    instance: InstanceId,
    task: TaskId,
    version: Version,
    pair: Arc<Pair>,
}
