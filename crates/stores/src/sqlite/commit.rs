//! Writing what a commit says. Whether it may land was judged before.

use rusqlite::{Error, OptionalExtension, Result, params};
use waypost_kernel::{
    Commit, Definition, EventRecord, Receipt, Request, Task, TaskChange, TaskRef, Timer,
    TimerChange, TimerRef, Timestamp, Write,
};

use super::{
    facts::{Place, Tables},
    rows::{self, signed},
};
use crate::{check::time, hint::work};

impl Tables<'_> {
    /// Writes all of `commit`.
    pub(super) fn apply(
        &mut self,
        commit: &Commit,
        receipt: &Receipt,
        now: Timestamp,
    ) -> Result<()> {
        if let Some(request) = &commit.request {
            self.insert_request(request, receipt, now)?;
        }
        commit.definitions.iter().try_for_each(|it| self.insert_definition(it))?;
        let time = |decided| time(commit.timing, receipt.at, decided);
        commit.writes.iter().try_for_each(|it| self.write(it, time(it.at)))?;
        commit.events.iter().try_for_each(|it| self.insert_event(it, time(it.at)))?;
        self.change_tasks(&commit.tasks)?;
        commit.timers.iter().try_for_each(|it| self.change_timer(it))?;
        commit.messages.iter().try_for_each(|it| self.change_message(it, now))?;
        commit.erased.iter().try_for_each(|it| self.erase(it))
    }

    fn insert_request(
        &mut self,
        request: &Request,
        receipt: &Receipt,
        now: Timestamp,
    ) -> Result<()> {
        let receipt = serde_json::to_string(receipt).expect("a receipt has a JSON form");
        self.sql(
            "insert into requests (tenant, request, digest, receipt, made_at)
                 values (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            request.tenant.as_str(),
            request.id.as_str(),
            request.digest,
            receipt,
            now.as_micros()
        ])
        .map(drop)
    }

    fn insert_definition(&mut self, definition: &Definition) -> Result<()> {
        self.sql(
            "insert into definitions (tenant, kind, name, version, body, created_at)
                 values (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            definition.tenant.as_str(),
            definition.kind.code(),
            definition.which.name,
            definition.which.version,
            definition.body.as_str(),
            definition.created_at.as_micros()
        ])
        .map(drop)
    }

    fn write(&mut self, write: &Write, at: Timestamp) -> Result<()> {
        let number = match self.place(&write.key)? {
            Some(place) => {
                if write.keeps_past {
                    self.keep_version(place.number)?;
                }
                // Naming an indexed column rewrites its index even if the value stays.
                if !self.move_on(write, place.number, at)? {
                    self.rewrite(write, place.number, at)?;
                }
                place.number
            }
            None => self.insert_instance(write, at)?,
        };
        if let Some(terms) = &write.terms {
            self.replace_terms(write, number, terms)?;
        }
        self.note(&write.key, Place { number, version: write.version, updated_at: at });
        Ok(())
    }

    /// Updates what no index has, if all that indexes have stays as it is.
    fn move_on(&mut self, write: &Write, number: i64, at: Timestamp) -> Result<bool> {
        let facets = &write.facets;
        self.sql(
            "update instances
                 set version = ?2, updated_at = ?3, state = ?4, step = ?5
                 where number = ?1 and definition_version is ?6 and status = ?7 and awaits is ?8
                   and definition is ?9 and business_key is ?10 and unique_key is ?11",
        )?
        .execute(params![
            number,
            signed(write.version.0),
            at.as_micros(),
            write.state.as_str(),
            facets.step,
            facets.definition.as_ref().map(|it| it.version),
            facets.status,
            facets.awaits,
            facets.definition.as_ref().map(|it| &it.name),
            facets.business_key,
            facets.unique_key
        ])
        .map(|n_rows| n_rows == 1)
    }

    fn rewrite(&mut self, write: &Write, number: i64, at: Timestamp) -> Result<()> {
        let facets = &write.facets;
        self.sql(
            "update instances
                 set version = ?2, updated_at = ?3, state = ?4, step = ?5, definition_version = ?6,
                     status = ?7, awaits = ?8, definition = ?9, business_key = ?10,
                     unique_key = ?11
                 where number = ?1",
        )?
        .execute(params![
            number,
            signed(write.version.0),
            at.as_micros(),
            write.state.as_str(),
            facets.step,
            facets.definition.as_ref().map(|it| it.version),
            facets.status,
            facets.awaits,
            facets.definition.as_ref().map(|it| &it.name),
            facets.business_key,
            facets.unique_key
        ])
        .map(drop)
    }

    fn insert_instance(&mut self, write: &Write, at: Timestamp) -> Result<i64> {
        let facets = &write.facets;
        self.sql(
            "insert into instances (version, created_at, updated_at, state, step,
                     definition_version, status, awaits, definition, business_key, unique_key,
                     tenant, kind, id)
                 values (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .insert(params![
            signed(write.version.0),
            at.as_micros(),
            write.state.as_str(),
            facets.step,
            facets.definition.as_ref().map(|it| it.version),
            facets.status,
            facets.awaits,
            facets.definition.as_ref().map(|it| &it.name),
            facets.business_key,
            facets.unique_key,
            write.key.tenant.as_str(),
            write.key.kind.code(),
            write.key.id.as_str()
        ])
    }

    fn insert_event(&mut self, record: &EventRecord, at: Timestamp) -> Result<()> {
        let key = &record.key;
        let orphaned = || {
            let text = format!("events of {key}, which does not exist, cannot be stored");
            Error::ToSqlConversionFailure(text.into())
        };
        let place = self.place(key)?.ok_or_else(orphaned)?;
        self.sql(
            "insert into events (instance, version, tenant, kind, id, happened_at, events)
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            place.number,
            signed(record.version.0),
            key.tenant.as_str(),
            key.kind.code(),
            key.id.as_str(),
            at.as_micros(),
            record.events.as_str()
        ])
        .map(drop)
    }

    fn change_tasks(&mut self, changes: &[TaskChange]) -> Result<()> {
        let mut left = changes;
        while let [change, rest @ ..] = left {
            left = match (change, rest) {
                // What a step mostly does: one task goes, and the next one takes its place.
                (TaskChange::Withdraw(at), [TaskChange::Schedule(task), rest @ ..])
                    if at.key == task.at.key =>
                {
                    self.succeed_task(at, task)?;
                    rest
                }
                (
                    TaskChange::Withdraw(_)
                    | TaskChange::Schedule(_)
                    | TaskChange::Extend { .. }
                    | TaskChange::Release(_),
                    rest,
                ) => {
                    self.change_task(change)?;
                    rest
                }
            };
        }
        Ok(())
    }

    fn change_task(&mut self, change: &TaskChange) -> Result<()> {
        match change {
            TaskChange::Schedule(task) => self.put_task(task),
            TaskChange::Withdraw(at) => self.delete_task(at),
            TaskChange::Extend { task, until } => self.extend_lease(task, *until),
            TaskChange::Release(at) => self.end_lease(at),
        }
    }

    /// Makes the row of one task that of another.
    fn succeed_task(&mut self, at: &TaskRef, task: &Task) -> Result<()> {
        let key = &at.key;
        let lease = task.lease.as_ref();
        let n_rows = self
            .sql(
                "update or replace tasks set task = ?5, queue = ?6, family = ?7, ready_at = ?8,
                     version = ?9, token = ?10, worker = ?11, lease_until = ?12
                 where tenant = ?1 and kind = ?2 and id = ?3 and task = ?4",
            )?
            .execute(params![
                key.tenant.as_str(),
                key.kind.code(),
                key.id.as_str(),
                at.id.as_str(),
                task.at.id.as_str(),
                task.queue,
                task.family,
                task.ready_at.as_micros(),
                signed(task.version.0),
                lease.map(|it| it.token.as_str()),
                lease.map(|it| it.worker.as_str()),
                lease.map(|it| it.until.as_micros())
            ])?;
        if n_rows == 0 { self.put_task(task) } else { Ok(()) }
    }

    fn put_task(&mut self, task: &Task) -> Result<()> {
        let key = &task.at.key;
        let lease = task.lease.as_ref();
        self.sql(
            "replace into tasks (tenant, kind, id, task, queue, family, ready_at, version,
                     token, worker, lease_until)
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            key.tenant.as_str(),
            key.kind.code(),
            key.id.as_str(),
            task.at.id.as_str(),
            task.queue,
            task.family,
            task.ready_at.as_micros(),
            signed(task.version.0),
            lease.map(|it| it.token.as_str()),
            lease.map(|it| it.worker.as_str()),
            lease.map(|it| it.until.as_micros())
        ])
        .map(drop)
    }

    fn delete_task(&mut self, at: &TaskRef) -> Result<()> {
        let key = &at.key;
        self.sql("delete from tasks where tenant = ?1 and kind = ?2 and id = ?3 and task = ?4")?
            .execute(params![key.tenant.as_str(), key.kind.code(), key.id.as_str(), at.id.as_str()])
            .map(drop)
    }

    fn extend_lease(&mut self, at: &TaskRef, until: Timestamp) -> Result<()> {
        let key = &at.key;
        self.sql(
            "update tasks set lease_until = ?5
                 where tenant = ?1 and kind = ?2 and id = ?3 and task = ?4 and token is not null",
        )?
        .execute(params![
            key.tenant.as_str(),
            key.kind.code(),
            key.id.as_str(),
            at.id.as_str(),
            until.as_micros()
        ])
        .map(drop)
    }

    fn end_lease(&mut self, at: &TaskRef) -> Result<()> {
        let key = &at.key;
        let released = self
            .sql(
                "update tasks set token = null, worker = null, lease_until = null
                 where tenant = ?1 and kind = ?2 and id = ?3 and task = ?4
                 returning family, queue, ready_at",
            )?
            .query_row(
                params![key.tenant.as_str(), key.kind.code(), key.id.as_str(), at.id.as_str()],
                |row| {
                    let (family, queue) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
                    Ok(work(at, family, queue, rows::timestamp(row, 2)?))
                },
            )
            .optional()?;
        if let Some(hint) = released {
            self.note_released(hint);
        }
        Ok(())
    }

    fn change_timer(&mut self, change: &TimerChange) -> Result<()> {
        match change {
            TimerChange::Arm(timer) => self.put_timer(timer),
            TimerChange::Disarm(at) => self.delete_timer(at),
        }
    }

    fn put_timer(&mut self, timer: &Timer) -> Result<()> {
        let key = &timer.at.key;
        self.sql(
            "replace into timers (tenant, kind, id, timer, due_at, command)
                 values (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            key.tenant.as_str(),
            key.kind.code(),
            key.id.as_str(),
            timer.at.id.as_str(),
            timer.due_at.as_micros(),
            timer.command.as_str()
        ])
        .map(drop)
    }

    fn delete_timer(&mut self, at: &TimerRef) -> Result<()> {
        let key = &at.key;
        self.sql("delete from timers where tenant = ?1 and kind = ?2 and id = ?3 and timer = ?4")?
            .execute(params![key.tenant.as_str(), key.kind.code(), key.id.as_str(), at.id.as_str()])
            .map(drop)
    }

    /// Forgets requests made before `before`, at most `limit`.
    pub(super) fn forget(&mut self, before: Timestamp, limit: u32) -> Result<u32> {
        let n_gone = self
            .sql(
                "delete from requests where (tenant, request) in (
                     select tenant, request from requests indexed by requests_made
                     where made_at < ?1 order by made_at limit ?2)",
            )?
            .execute(params![before.as_micros(), limit])?;
        Ok(u32::try_from(n_gone).unwrap_or(limit))
    }
}
