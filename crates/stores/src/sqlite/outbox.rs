//! Messages that wait to be sent, and how sending them went.

use rusqlite::{OptionalExtension, Result, Row, params};
use waypost_kernel::{
    ClaimId, Delivery, Key, Message, MessageChange, MessageRef, Posted, Timestamp,
};

use super::{facts::Tables, rows};

/// Up to how many messages that may be taken are read to find the oldest. If there are more, they
/// are looked for among all messages, oldest first.
const WINDOW: u32 = 512;

impl Tables<'_> {
    pub(super) fn change_message(&mut self, change: &MessageChange, now: Timestamp) -> Result<()> {
        match change {
            MessageChange::Send { key, message } => self.insert_message(key, message, now),
            MessageChange::Settle { message, token, delivery } => {
                self.settle(message, token, delivery)
            }
        }
    }

    fn insert_message(&mut self, key: &Key, message: &Message, now: Timestamp) -> Result<()> {
        let headers = serde_json::to_string(&message.headers).expect("headers have a JSON form");
        self.sql(
            "insert into outbox (tenant, kind, id, message, event_type, occurred_at, payload,
                     headers, attempts, available_at, dead)
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, 0)
                 on conflict do nothing",
        )?
        .execute(params![
            key.tenant.as_str(),
            key.kind.code(),
            key.id.as_str(),
            message.id.as_str(),
            message.event_type,
            message.occurred_at.as_micros(),
            message.payload.as_str(),
            headers,
            now.as_micros()
        ])
        .map(drop)
    }

    fn settle(&mut self, at: &MessageRef, token: &ClaimId, delivery: &Delivery) -> Result<()> {
        let Some(number) = self.find_message(at, token)? else { return Ok(()) };
        match delivery {
            Delivery::Sent => self.delete_message(number),
            Delivery::Failed { retry_at, error } => self.postpone(number, *retry_at, error),
            Delivery::Dead { error } => self.give_up(number, error),
        }
    }

    /// The row of a message, if the claim `token` has it.
    fn find_message(&mut self, at: &MessageRef, token: &ClaimId) -> Result<Option<i64>> {
        let key = &at.key;
        self.sql(
            "select rowid from outbox
                 where tenant = ?1 and kind = ?2 and id = ?3 and message = ?4 and token = ?5",
        )?
        .query_row(
            params![
                key.tenant.as_str(),
                key.kind.code(),
                key.id.as_str(),
                at.id.as_str(),
                token.as_str()
            ],
            |row| row.get(0),
        )
        .optional()
    }

    fn delete_message(&mut self, number: i64) -> Result<()> {
        self.sql("delete from outbox where rowid = ?1")?.execute([number]).map(drop)
    }

    fn postpone(&mut self, number: i64, retry_at: Timestamp, error: &str) -> Result<()> {
        self.sql(
            "update outbox
                 set attempts = attempts + 1, token = null, available_at = ?2, error = ?3
                 where rowid = ?1",
        )?
        .execute(params![number, retry_at.as_micros(), error])
        .map(drop)
    }

    fn give_up(&mut self, number: i64, error: &str) -> Result<()> {
        self.sql(
            "update outbox
                 set attempts = attempts + 1, token = null, dead = 1, error = ?2
                 where rowid = ?1",
        )?
        .execute(params![number, error])
        .map(drop)
    }

    /// Takes messages until `until`, oldest first.
    pub(super) fn post(
        &mut self,
        token: &ClaimId,
        until: Timestamp,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Posted>> {
        let mut numbers = self.available(now)?;
        if numbers.len() > WINDOW as usize {
            numbers = self.oldest_available(now, limit)?;
        }
        numbers.truncate(limit as usize);
        numbers.into_iter().map(|number| self.take_message(number, token, until)).collect()
    }

    /// The messages that may be taken, oldest first, if they are no more than [`WINDOW`]. Reads
    /// past nothing that has to wait.
    fn available(&mut self, now: Timestamp) -> Result<Vec<i64>> {
        let mut found: Vec<Available> = self
            .sql(
                "select rowid, occurred_at, tenant, kind, id, message
                 from outbox indexed by outbox_available
                 where dead = 0 and available_at <= ?1 limit ?2",
            )?
            .query_map(params![now.as_micros(), WINDOW + 1], |row| {
                let at = MessageRef { key: rows::key(row, 2)?, id: rows::id(row, 5)? };
                Ok(Available { occurred_at: row.get(1)?, at, number: row.get(0)? })
            })?
            .collect::<Result<_>>()?;
        found.sort();
        Ok(found.into_iter().map(|it| it.number).collect())
    }

    /// The oldest messages that may be taken.
    fn oldest_available(&mut self, now: Timestamp, limit: u32) -> Result<Vec<i64>> {
        self.sql(
            "select rowid from outbox indexed by outbox_age
                 where dead = 0 and available_at <= ?1
                 order by occurred_at, tenant, kind, id, message limit ?2",
        )?
        .query_map(params![now.as_micros(), limit], |row| row.get(0))?
        .collect()
    }

    fn take_message(&mut self, number: i64, token: &ClaimId, until: Timestamp) -> Result<Posted> {
        let posted = self
            .sql(
                "select tenant, kind, id, message, event_type, occurred_at, payload, headers,
                     attempts, token is not null
                 from outbox where rowid = ?1",
            )?
            .query_row([number], posted)?;
        // The last instant of the hold still belongs to it.
        let overdue_at = until.as_micros().saturating_add(1);
        self.sql("update outbox set token = ?2, available_at = ?3 where rowid = ?1")?
            .execute(params![number, token.as_str(), overdue_at])?;
        Ok(posted)
    }
}

/// A message that may be taken, in the order of taking.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Available {
    occurred_at: i64,
    at: MessageRef,
    number: i64,
}

fn posted(row: &Row<'_>) -> Result<Posted> {
    let headers = serde_json::from_str(row.get_ref(7)?.as_str()?)
        .map_err(|error| rows::unreadable(7, error))?;
    let message = Message {
        id: rows::id(row, 3)?,
        event_type: row.get(4)?,
        occurred_at: rows::timestamp(row, 5)?,
        payload: rows::json(row, 6)?,
        headers,
    };
    Ok(Posted { key: rows::key(row, 0)?, message, attempts: row.get(8)?, lapsed: row.get(9)? })
}
