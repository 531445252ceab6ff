//! How much is pending. Counting stops where an operator has seen enough.

use rusqlite::{Connection, OptionalExtension, Result, ToSql, params};
use waypost_kernel::{Figures, Kind, QueueFigures, Tenant, Timestamp};

pub(super) fn figures(connection: &Connection, now: Timestamp) -> Result<Figures> {
    let now = now.as_micros();
    let (tasks_ready, oldest_ready_at) = ready(connection, now)?;
    Ok(Figures {
        tasks_ready,
        oldest_ready_at: oldest_ready_at.map(Timestamp::from_micros),
        tasks_leased: count(
            connection,
            "tasks indexed by tasks_held where lease_until > ?1",
            &[&i64::MIN],
        )?,
        awaiting: count(
            connection,
            "instances indexed by instances_awaits where awaits is not null",
            &[],
        )?,
        timers_due: count(connection, "timers indexed by timers_due where due_at <= ?1", &[&now])?,
        messages_pending: count(connection, "outbox indexed by outbox_age where dead = 0", &[])?,
        oldest_message_at: oldest_message(connection)?.map(Timestamp::from_micros),
        messages_dead: count(connection, "outbox indexed by outbox_age where dead = 1", &[])?,
        ..Figures::default()
    })
}

fn count(connection: &Connection, from: &str, parameters: &[&dyn ToSql]) -> Result<u64> {
    connection
        .prepare_cached(&format!(
            "select count(*) from (select 1 from {from} limit {})",
            Figures::COUNT_MAX
        ))?
        .query_row(parameters, |row| super::rows::number(row, 0))
}

fn oldest_message(connection: &Connection) -> Result<Option<i64>> {
    connection
        .prepare_cached("select min(occurred_at) from outbox indexed by outbox_age where dead = 0")?
        .query_row([], |row| row.get(0))
}

/// How many free tasks are ready, and since when the first of them. Goes from queue to queue, so
/// that what is free but not ready yet is never read through.
fn ready(connection: &Connection, now: i64) -> Result<(u64, Option<i64>)> {
    let mut n_ready = 0;
    let mut oldest: Option<i64> = None;
    let mut next = head_from(connection, &Head::default())?;
    while let Some(head) = next {
        if head.ready_at <= now {
            oldest = Some(oldest.map_or(head.ready_at, |it| it.min(head.ready_at)));
            n_ready += count_ready(connection, &head, now)?;
        }
        next = head_from(connection, &Head { family: format!("{}\0", head.family), ..head })?;
    }
    Ok((n_ready.min(u64::from(Figures::COUNT_MAX)), oldest))
}

/// The free tasks of a tenant, queue by queue.
pub(super) fn queues(
    connection: &Connection,
    tenant: &Tenant,
    (now, limit): (Timestamp, u32),
) -> Result<Vec<QueueFigures>> {
    let mut found = Vec::new();
    let mut next =
        head_from(connection, &Head { tenant: tenant.as_str().to_owned(), ..Head::default() })?;
    while let Some(head) = next.filter(|it| it.tenant == tenant.as_str()) {
        if found.len() >= limit as usize {
            break;
        }
        if let Some(kind) = Kind::from_code(head.kind) {
            found.push(QueueFigures {
                kind,
                queue: head.queue.clone(),
                family: head.family.clone(),
                ready: count_ready(connection, &head, now.as_micros())?,
                first_at: Timestamp::from_micros(head.ready_at),
            });
        }
        next = head_from(connection, &Head { family: format!("{}\0", head.family), ..head })?;
    }
    Ok(found)
}

/// The first task of a queue and family.
#[derive(Default)]
struct Head {
    tenant: String,
    kind: i16,
    queue: String,
    family: String,
    ready_at: i64,
}

fn head_from(connection: &Connection, from: &Head) -> Result<Option<Head>> {
    connection
        .prepare_cached(
            "select tenant, kind, queue, family, ready_at from tasks indexed by tasks_free
             where token is null and (tenant, kind, queue, family) >= (?1, ?2, ?3, ?4)
             order by tenant, kind, queue, family, ready_at limit 1",
        )?
        .query_row(params![from.tenant, from.kind, from.queue, from.family], |row| {
            Ok(Head {
                tenant: row.get(0)?,
                kind: row.get(1)?,
                queue: row.get(2)?,
                family: row.get(3)?,
                ready_at: row.get(4)?,
            })
        })
        .optional()
}

fn count_ready(connection: &Connection, head: &Head, now: i64) -> Result<u64> {
    count(
        connection,
        "tasks indexed by tasks_free
         where token is null and tenant = ?1 and kind = ?2 and queue = ?3 and family = ?4
           and ready_at <= ?5",
        &[&head.tenant, &head.kind, &head.queue, &head.family, &now],
    )
}
