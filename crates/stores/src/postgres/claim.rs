//! Hands out work. One statement finds, locks and leases; claims never wait for each other.

use std::sync::LazyLock;

use tokio_postgres::Row;
use waypost_kernel::{Claim, StoreError, Task};

use super::{
    clock::{CLOCK, Watch, end_of, micros},
    pool::Connections,
    rows::{TASK, at, column, task},
};

/// How often a claim looks again when all it saw was taken by others at the same moment.
const TRIES_MAX: usize = 5;

/// Where the columns of a task begin in an answer.
const TASK_FIRST: usize = 2;

/// Skips from one (queue, family) to the next on the index of free tasks, so that a million tasks
/// of one queue cost no more than one. `shares` says how many of the longest ready are in each;
/// that many are then locked there, passing over what others hold.
///
/// There is always an answer: the time, how many were seen, and the tasks that were taken, if any.
static CLAIM: LazyLock<String> = LazyLock::new(|| {
    let columns: Vec<String> = TASK.split(", ").map(|it| format!("t.{it}")).collect();
    let (returned, until) = (columns.join(", "), end_of("$9::bigint"));
    format!(
        "with recursive clock (now) as materialized (select coalesce($1::bigint, {CLOCK})),
        pairs (queue, family) as (
            (select queue, family from tasks
            where tenant = $2 and kind = $3 and token is null
            order by queue, family limit 1)
            union all
            select next.queue, next.family from pairs, lateral (
                select t.queue, t.family from tasks t
                where t.tenant = $2 and t.kind = $3 and t.token is null
                    and (t.queue, t.family) > (pairs.queue, pairs.family)
                order by t.queue, t.family limit 1
            ) next
        ),
        ready as (
            select pairs.queue, pairs.family from pairs, lateral (
                select t.ready_at, t.id, t.task from tasks t
                where t.tenant = $2 and t.kind = $3 and t.token is null
                    and t.queue = pairs.queue and t.family = pairs.family
                    and t.ready_at <= (select now from clock)
                order by t.ready_at, t.id, t.task limit $6
            ) first
            where ($4::text[] is null or pairs.queue = any($4))
                and ($5::text[] is null or pairs.family = any($5))
            order by first.ready_at, first.id, first.task limit $6
        ),
        shares as (select queue, family, count(*) as n from ready group by queue, family),
        taken as materialized (
            select held.* from shares, lateral (
                select t.tenant, t.kind, t.id, t.task from tasks t
                where t.tenant = $2 and t.kind = $3 and t.token is null
                    and t.queue = shares.queue and t.family = shares.family
                    and t.ready_at <= (select now from clock)
                order by t.ready_at, t.id, t.task limit shares.n
                for update skip locked
            ) held
        ),
        claimed as (
            update tasks t set token = $7, worker = $8, lease_until = {until}
            from taken, clock
            where t.tenant = taken.tenant and t.kind = taken.kind and t.id = taken.id
                and t.task = taken.task
            returning {returned}
        )
        select clock.now, (select count(*) from ready), claimed.*
        from clock left join claimed on true"
    )
});

/// Leases what is ready, longest ready first.
pub(super) async fn claim(
    claimers: &Connections,
    clock: &Watch,
    claim: &Claim,
) -> Result<Vec<Task>, StoreError> {
    for _ in 0..TRIES_MAX {
        let rows = attempt(claimers, clock, claim).await?;
        let Some(first) = rows.first() else { break };
        clock.observe(at(first, 0)?);
        let n_seen: i64 = column(first, 1)?;
        let mut tasks = taken(&rows)?;
        if !tasks.is_empty() || n_seen == 0 {
            tasks.sort_by(|a, b| (a.ready_at, &a.at).cmp(&(b.ready_at, &b.at)));
            return Ok(tasks);
        }
        tokio::task::yield_now().await;
    }
    Ok(Vec::new())
}

async fn attempt(
    claimers: &Connections,
    clock: &Watch,
    claim: &Claim,
) -> Result<Vec<Row>, StoreError> {
    let now = clock.given().map(|it| it.as_micros());
    let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 9] = [
        &now,
        &claim.tenant.as_str(),
        &claim.kind.code(),
        &claim.queues,
        &claim.families,
        &i64::from(claim.limit),
        &claim.id.as_str(),
        &claim.worker.as_str(),
        &micros(claim.lease),
    ];
    claimers.write(&CLAIM, &parameters).await
}

fn taken(rows: &[Row]) -> Result<Vec<Task>, StoreError> {
    let mut tasks = Vec::with_capacity(rows.len());
    for row in rows {
        if column::<Option<&str>>(row, TASK_FIRST)?.is_some() {
            tasks.push(task(row, TASK_FIRST)?);
        }
    }
    Ok(tasks)
}
