//! Takes messages for sending, and forgets old requests.

use std::{sync::LazyLock, time::Duration};

use tokio_postgres::Row;
use waypost_kernel::{ClaimId, Message, Posted, StoreError, Timestamp};

use super::{
    clock::{CLOCK, Watch, end_of, micros},
    pool::Connections,
    rows::{at, column, json, key},
};

/// A message is there to be taken once it is ready, or one microsecond after its sender's time.
static TAKE: LazyLock<String> = LazyLock::new(|| {
    let until = end_of("$4::bigint");
    format!(
        "with clock (now) as materialized (select coalesce($1::bigint, {CLOCK})),
        taken as materialized (
            select o.tenant, o.kind, o.id, o.message, o.token is not null as lapsed from outbox o
            where not o.dead and o.available_at <= (select now from clock)
            order by o.occurred_at, o.tenant, o.kind, o.id, o.message limit $2
            for update skip locked
        )
        update outbox o set token = $3, available_at = {until}
        from taken, clock
        where o.tenant = taken.tenant and o.kind = taken.kind and o.id = taken.id
            and o.message = taken.message
        returning o.tenant, o.kind, o.id, o.message, o.event_type, o.occurred_at, o.payload,
            o.headers, o.attempts, taken.lapsed, clock.now"
    )
});

const FORGET: &str = "\
    with old as materialized (
        select tenant, request from requests where made_at < $1
        order by made_at, tenant, request limit $2
        for update skip locked
    )
    delete from requests r using old where r.tenant = old.tenant and r.request = old.request
    returning 1";

/// Takes messages that wait to be sent, oldest first.
pub(super) async fn take(
    claimers: &Connections,
    clock: &Watch,
    token: &ClaimId,
    lease: Duration,
    limit: u32,
) -> Result<Vec<Posted>, StoreError> {
    let now = clock.given().map(|it| it.as_micros());
    let rows = claimers
        .write(&TAKE, &[&now, &i64::from(limit), &token.as_str(), &micros(lease).saturating_add(1)])
        .await?;
    if let Some(row) = rows.first() {
        clock.observe(at(row, 10)?);
    }
    let mut posted = rows.iter().map(letter).collect::<Result<Vec<Posted>, StoreError>>()?;
    let order = |it: &Posted| (it.message.occurred_at, it.key.clone(), it.message.id.clone());
    posted.sort_by_cached_key(order);
    Ok(posted)
}

/// Forgets requests made before `before`, oldest first.
pub(super) async fn forget(
    claimers: &Connections,
    before: Timestamp,
    limit: u32,
) -> Result<u32, StoreError> {
    let rows = claimers.write(FORGET, &[&before.as_micros(), &i64::from(limit)]).await?;
    Ok(u32::try_from(rows.len()).unwrap_or(limit))
}

fn letter(row: &Row) -> Result<Posted, StoreError> {
    let headers = serde_json::from_str(column(row, 7)?)
        .map_err(|error| StoreError::Corrupt(format!("the headers of a message: {error}")))?;
    let attempts: i32 = column(row, 8)?;
    let message = Message {
        id: column::<&str>(row, 3)?.into(),
        event_type: column(row, 4)?,
        occurred_at: at(row, 5)?,
        payload: json(row, 6)?,
        headers,
    };
    let lapsed = column(row, 9)?;
    Ok(Posted { key: key(row, 0)?, message, attempts: attempts.unsigned_abs(), lapsed })
}
