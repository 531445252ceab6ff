//! Reads what was committed after a cursor, and waits for more.
//!
//! Every writer has a stream and numbers its events upwards; since it commits one group after the
//! other, nothing appears behind a position that was read. Positions also go up along each
//! instance's history, whichever streams it is in, so the order of positions is an order in which
//! everything may have happened.

use std::{sync::LazyLock, time::Duration};

use tokio_postgres::Row;
use waypost_kernel::{Change, Cursor, Scope, StoreError};

use super::{
    notify::News,
    pool::Connections,
    rows::{EVENT, column, event, signed, unsigned},
};

/// How long a watcher sleeps when nobody wakes it.
const POLL: Duration = Duration::from_secs(1);

/// Where the stream and the position are in an answer.
const STREAM: usize = 6;
const POSITION: usize = 7;

static FACE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select e.* from streams s
        left join unnest($1::bigint[], $2::bigint[]) as c (stream, position) on c.stream = s.stream,
        lateral (
            select {EVENT}, stream, position from events
            where tenant = $3 and kind = $4 and stream = s.stream
                and position > coalesce(c.position, 0)
            order by position limit $5
        ) e
        order by e.position, e.stream limit $5"
    )
});

/// Reads an instance's history from its end, back to the last change that the cursor has passed.
static INSTANCE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select {EVENT}, stream, position from events
        where tenant = $3 and kind = $4 and id = $6 and version > coalesce((
            select e.version from events e
            where e.tenant = $3 and e.kind = $4 and e.id = $6 and e.position <= (
                select c.position from unnest($1::bigint[], $2::bigint[]) as c (stream, position)
                where c.stream = e.stream
            )
            order by e.version desc limit 1
        ), 0)
        order by version limit $5"
    )
});

static HEAD: &str = "
    select s.stream, e.position from streams s, lateral (
        select position from events where stream = s.stream and tenant = $1 and kind = $2
        order by position desc limit 1
    ) e";

/// The place after the latest change of every writer.
pub(super) async fn head(readers: &Connections, scope: &Scope) -> Result<Cursor, StoreError> {
    let place = |row: &Row| Ok((unsigned(column(row, 0)?), unsigned(column(row, 1)?)));
    let rows = readers.read(HEAD, &[&scope.tenant.as_str(), &scope.kind.code()]).await?;
    rows.iter().map(place).collect::<Result<_, _>>().map(Cursor)
}

/// The changes in `scope` after `cursor`. Waits up to `wait` for the first.
pub(super) async fn watch(
    sources: (&Connections, &News),
    scope: &Scope,
    cursor: &Cursor,
    limit: u32,
    wait: Duration,
) -> Result<Vec<Change>, StoreError> {
    let (readers, news) = sources;
    if wait.is_zero() {
        return changes(readers, scope, cursor, limit).await;
    }
    let look = async {
        loop {
            let committed = news.committed.notified();
            let changes = changes(readers, scope, cursor, limit).await?;
            if !changes.is_empty() {
                return Ok(changes);
            }
            // Woken or not, it looks again: hints may be lost.
            drop(tokio::time::timeout(POLL, committed).await);
        }
    };
    tokio::time::timeout(wait, look).await.unwrap_or_else(|_| Ok(Vec::new()))
}

async fn changes(
    readers: &Connections,
    scope: &Scope,
    cursor: &Cursor,
    limit: u32,
) -> Result<Vec<Change>, StoreError> {
    let streams: Vec<i64> = cursor.0.keys().map(|it| signed(*it)).collect();
    let positions: Vec<i64> = cursor.0.values().map(|it| signed(*it)).collect();
    let (tenant, kind, limit) = (scope.tenant.as_str(), scope.kind.code(), i64::from(limit));
    let rows = match &scope.instance {
        None => readers.read(&FACE, &[&streams, &positions, &tenant, &kind, &limit]).await?,
        Some(id) => {
            let id = id.as_str();
            readers.read(&INSTANCE, &[&streams, &positions, &tenant, &kind, &limit, &id]).await?
        }
    };
    let mut cursor = cursor.clone();
    rows.iter().map(|row| change(row, &mut cursor)).collect()
}

/// A change, and the cursor moved past it.
fn change(row: &Row, cursor: &mut Cursor) -> Result<Change, StoreError> {
    let record = event(row)?;
    cursor.0.insert(unsigned(column(row, STREAM)?), unsigned(column(row, POSITION)?));
    Ok(Change { record, cursor: cursor.clone() })
}
