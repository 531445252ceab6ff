//! Hands out work. One statement finds, locks and leases, for all claims that want the same.

use std::{collections::HashMap, sync::LazyLock};

use tokio_postgres::Row;
use waypost_kernel::{Claim, ClaimId, StoreError, Task};

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
    let (returned, until) = (columns.join(", "), end_of("wanted.lease"));
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
                select t.tenant, t.kind, t.id, t.task, t.ready_at from tasks t
                where t.tenant = $2 and t.kind = $3 and t.token is null
                    and t.queue = shares.queue and t.family = shares.family
                    and t.ready_at <= (select now from clock)
                order by t.ready_at, t.id, t.task limit shares.n
                for update skip locked
            ) held
        ),
        ranked as (
            select taken.*, row_number() over (order by ready_at, id, task) as place from taken
        ),
        wanted (token, worker, lease, first, last) as (
            select * from unnest($7::text[], $8::text[], $9::bigint[], $10::bigint[], $11::bigint[])
        ),
        claimed as (
            update tasks t set token = wanted.token, worker = wanted.worker, lease_until = {until}
            from clock, ranked join wanted on ranked.place between wanted.first and wanted.last
            where t.tenant = ranked.tenant and t.kind = ranked.kind and t.id = ranked.id
                and t.task = ranked.task
            returning {returned}
        )
        select clock.now, (select count(*) from ready), claimed.*
        from clock left join claimed on true"
    )
});

/// Leases what is ready, longest ready first, to claims that want the same: what each gets.
pub(super) async fn claim(
    claimers: &Connections,
    clock: &Watch,
    claims: &[&Claim],
) -> Result<HashMap<ClaimId, Vec<Task>>, StoreError> {
    let mut served: HashMap<ClaimId, Vec<Task>> = HashMap::new();
    for _ in 0..TRIES_MAX {
        let waiting: Vec<&Claim> =
            claims.iter().copied().filter(|it| !served.contains_key(&it.id)).collect();
        let rows = attempt(claimers, clock, &waiting).await?;
        let Some(first) = rows.first() else { break };
        clock.observe(at(first, 0)?);
        let n_seen: i64 = column(first, 1)?;
        let n_taken = take(&rows, &mut served)?;
        // Those who have nothing look again only if there was something that others took.
        if served.len() == claims.len() || n_taken == n_seen {
            break;
        }
        tokio::task::yield_now().await;
    }
    for tasks in served.values_mut() {
        tasks.sort_by(|a, b| (a.ready_at, &a.at).cmp(&(b.ready_at, &b.at)));
    }
    Ok(served)
}

async fn attempt(
    claimers: &Connections,
    clock: &Watch,
    claims: &[&Claim],
) -> Result<Vec<Row>, StoreError> {
    let Some(first) = claims.first() else { return Ok(Vec::new()) };
    let now = clock.given().map(|it| it.as_micros());
    let each = Each::of(claims);
    let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 11] = [
        &now,
        &first.tenant.as_str(),
        &first.kind.code(),
        &first.queues,
        &first.families,
        &each.lasts.last().copied().unwrap_or(0),
        &each.tokens,
        &each.workers,
        &each.leases,
        &each.firsts,
        &each.lasts,
    ];
    claimers.write(&CLAIM, &parameters).await
}

/// What the claims differ in. Each gets the tasks from one place to another in the order of waiting.
#[derive(Default)]
struct Each<'a> {
    tokens: Vec<&'a str>,
    workers: Vec<&'a str>,
    leases: Vec<i64>,
    firsts: Vec<i64>,
    lasts: Vec<i64>,
}

impl<'a> Each<'a> {
    fn of(claims: &[&'a Claim]) -> Self {
        let (mut each, mut last) = (Self::default(), 0);
        for claim in claims {
            each.tokens.push(claim.id.as_str());
            each.workers.push(claim.worker.as_str());
            each.leases.push(micros(claim.lease));
            each.firsts.push(last + 1);
            last += i64::from(claim.limit);
            each.lasts.push(last);
        }
        each
    }
}

/// Sorts what was taken by who gets it, and says how many there are.
fn take(rows: &[Row], served: &mut HashMap<ClaimId, Vec<Task>>) -> Result<i64, StoreError> {
    let mut n_taken = 0;
    for row in rows {
        if column::<Option<&str>>(row, TASK_FIRST)?.is_none() {
            continue;
        }
        let task = task(row, TASK_FIRST)?;
        if let Some(lease) = &task.lease {
            served.entry(lease.token.clone()).or_default().push(task);
            n_taken += 1;
        }
    }
    Ok(n_taken)
}
