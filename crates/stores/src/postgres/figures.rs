//! Numbers for operators. Counting stops where a number says enough, and follows indexes.

use std::sync::{LazyLock, atomic::Ordering};

use waypost_kernel::{Figures, StoreError, Timestamp};

use super::{
    clock::{CLOCK, Watch},
    lane::Tally,
    pool::Connections,
    rows::{column, unsigned},
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
