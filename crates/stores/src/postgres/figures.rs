//! Numbers for operators. Counting stops where a number says enough, and follows indexes.

use std::sync::{LazyLock, atomic::Ordering};

use waypost_kernel::{Figures, QueueFigures, StoreError, Tenant, Timestamp};

use super::{
    clock::{CLOCK, Watch},
    lane::Tally,
    pool::Connections,
    rows::{column, kind, unsigned},
};

/// Free tasks are looked at queue by queue, so that those of the far future cost nothing.
static FIGURES: LazyLock<String> = LazyLock::new(|| {
    let most = Figures::COUNT_MAX;
    format!(
        "with recursive clock (now) as materialized (select coalesce($1::bigint, {CLOCK})),
        queues (tenant, kind, queue, family) as (
            (select tenant, kind, queue, family from tasks where token is null
            order by tenant, kind, queue, family limit 1)
            union all
            select next.* from queues q, lateral (
                select t.tenant, t.kind, t.queue, t.family from tasks t
                where t.token is null
                    and (t.tenant, t.kind, t.queue, t.family) > (q.tenant, q.kind, q.queue, q.family)
                order by t.tenant, t.kind, t.queue, t.family limit 1
            ) next
        ),
        ready as (
            select counted.ready_at from queues q, lateral (
                select t.ready_at from tasks t
                where t.token is null and t.tenant = q.tenant and t.kind = q.kind
                    and t.queue = q.queue and t.family = q.family
                    and t.ready_at <= (select now from clock)
                order by t.ready_at limit {most}
            ) counted
        )
        select (select now from clock),
            least((select count(*) from ready), {most}),
            (select min(ready_at) from ready),
            (select count(*) from (select 1 from tasks where token is not null limit {most}) x),
            (select count(*) from (select 1 from instances where awaits is not null
                limit {most}) x),
            (select count(*) from (select 1 from timers where due_at <= (select now from clock)
                limit {most}) x),
            (select count(*) from (select 1 from outbox where not dead limit {most}) x),
            (select min(occurred_at) from outbox where not dead),
            (select count(*) from (select 1 from outbox where dead limit {most}) x)"
    )
});

/// The free tasks of a tenant. The first task of each queue leads to the next queue.
static QUEUES: LazyLock<String> = LazyLock::new(|| {
    let most = Figures::COUNT_MAX;
    format!(
        "with recursive clock (now) as materialized (select coalesce($1::bigint, {CLOCK})),
        queues (kind, queue, family, ready_at) as (
            (select kind, queue, family, ready_at from tasks where token is null and tenant = $2
            order by kind, queue, family, ready_at limit 1)
            union all
            select next.* from queues q, lateral (
                select t.kind, t.queue, t.family, t.ready_at from tasks t
                where t.token is null and t.tenant = $2
                    and (t.kind, t.queue, t.family) > (q.kind, q.queue, q.family)
                order by t.kind, t.queue, t.family, t.ready_at limit 1
            ) next
        )
        select (select now from clock), q.kind, q.queue, q.family, q.ready_at, (
            select count(*) from (
                select 1 from tasks t
                where t.token is null and t.tenant = $2 and t.kind = q.kind
                    and t.queue = q.queue and t.family = q.family
                    and t.ready_at <= (select now from clock)
                limit {most}
            ) x
        ) from queues q order by q.kind, q.queue, q.family limit $3"
    )
});

pub(super) async fn queues(
    readers: &Connections,
    clock: &Watch,
    (tenant, limit): (&Tenant, u32),
) -> Result<Vec<QueueFigures>, StoreError> {
    let now = clock.given().map(|it| it.as_micros());
    let (tenant, limit) = (tenant.as_str(), i64::from(limit));
    let rows = readers.read(&QUEUES, &[&now, &tenant, &limit]).await?;
    if let Some(row) = rows.first() {
        clock.observe(Timestamp::from_micros(column(row, 0)?));
    }
    let figures = rows.iter().map(|row| {
        Ok(QueueFigures {
            kind: kind(column(row, 1)?)?,
            queue: column(row, 2)?,
            family: column(row, 3)?,
            ready: column(row, 5).map(unsigned)?,
            first_at: Timestamp::from_micros(column(row, 4)?),
        })
    });
    figures.collect()
}

pub(super) async fn figures(
    readers: &Connections,
    clock: &Watch,
    tally: &Tally,
) -> Result<Figures, StoreError> {
    let now = clock.given().map(|it| it.as_micros());
    let rows = readers.read(&FIGURES, &[&now]).await?;
    let row = rows.first().ok_or_else(|| StoreError::Corrupt("figures have a row".to_owned()))?;
    clock.observe(Timestamp::from_micros(column(row, 0)?));
    let count = |index| column(row, index).map(unsigned);
    let oldest = |index| column::<Option<i64>>(row, index).map(|it| it.map(Timestamp::from_micros));
    Ok(Figures {
        tasks_ready: count(1)?,
        oldest_ready_at: oldest(2)?,
        tasks_leased: count(3)?,
        awaiting: count(4)?,
        timers_due: count(5)?,
        messages_pending: count(6)?,
        oldest_message_at: oldest(7)?,
        messages_dead: count(8)?,
        commits: tally.commits.load(Ordering::Relaxed),
        groups: tally.groups.load(Ordering::Relaxed),
        refused: tally.refused.load(Ordering::Relaxed),
    })
}
