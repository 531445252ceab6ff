//! Looks up what a group of commits needs to know and locks what it may change, in one round trip.
//!
//! Existing instances, tasks, timers and messages are locked in the order of their names. What does
//! not exist cannot be locked: when two nodes insert the same thing, the second one fails, and looks
//! again. Unique keys, definitions and requests are only ever judged that way.

use tokio_postgres::{Client, Error, Row};
use waypost_kernel::{ClaimId, Receipt, StoreError, Timestamp};

use super::{
    clock::CLOCK,
    facts::{Facts, Known, Standing, Wanted},
    fault::fault,
    pipeline::{Asking, in_order},
    rows::{Keys, at, column, key, lease, unsigned, version},
    session::Statements,
};

pub(super) const INSTANCES: &str = "\
    select k.n, i.version, i.position, i.unique_key
    from unnest($1::text[], $2::smallint[], $3::text[]) with ordinality as k (tenant, kind, id, n)
    join instances i on i.tenant = k.tenant and i.kind = k.kind and i.id = k.id
    order by k.n for update of i";

pub(super) const TASKS: &str = "\
    select k.n, t.token, t.worker, t.lease_until, t.family, t.queue, t.ready_at
    from unnest($1::text[], $2::smallint[], $3::text[], $4::text[])
        with ordinality as k (tenant, kind, id, task, n)
    join tasks t on t.tenant = k.tenant and t.kind = k.kind and t.id = k.id and t.task = k.task
    order by k.n for update of t";

pub(super) const TIMERS: &str = "\
    select k.n, t.due_at
    from unnest($1::text[], $2::smallint[], $3::text[], $4::text[])
        with ordinality as k (tenant, kind, id, timer, n)
    join timers t on t.tenant = k.tenant and t.kind = k.kind and t.id = k.id and t.timer = k.timer
    order by k.n for update of t";

pub(super) const LETTERS: &str = "\
    select k.n, o.token
    from unnest($1::text[], $2::smallint[], $3::text[], $4::text[])
        with ordinality as k (tenant, kind, id, message, n)
    join outbox o
        on o.tenant = k.tenant and o.kind = k.kind and o.id = k.id and o.message = k.message
    order by k.n for update of o";

pub(super) const HOLDERS: &str = "\
    select k.n, i.tenant, i.kind, i.id
    from unnest($1::text[], $2::smallint[], $3::text[])
        with ordinality as k (tenant, kind, unique_key, n)
    join instances i
        on i.tenant = k.tenant and i.kind = k.kind and i.unique_key = k.unique_key
        and i.unique_key is not null";

pub(super) const DEFINITIONS: &str = "\
    select k.n
    from unnest($1::text[], $2::smallint[], $3::text[], $4::integer[])
        with ordinality as k (tenant, kind, name, version, n)
    join definitions d
        on d.tenant = k.tenant and d.kind = k.kind and d.name = k.name and d.version = k.version";

pub(super) const REQUESTS: &str = "\
    select k.n, r.digest, r.receipt
    from unnest($1::text[], $2::text[]) with ordinality as k (tenant, request, n)
    join requests r on r.tenant = k.tenant and r.request = k.request";

/// Comes last, when all locks are held: a lease is judged by the time at which the commit lands.
pub(super) fn clock() -> String {
    format!("select {CLOCK}")
}

/// What was found, and the time at which it was true; absent if the database's clock is not asked.
pub(super) struct Found<'a> {
    pub(super) facts: Facts<'a>,
    pub(super) now: Option<Timestamp>,
}

/// Why nothing was found.
pub(super) enum Trouble {
    Statement(Error),
    Rows(StoreError),
}

/// Begins a transaction and looks everything up in it.
pub(super) async fn begin<'a>(
    client: &Client,
    statements: &Statements,
    wanted: &Wanted<'a>,
    asks_clock: bool,
) -> Result<Found<'a>, Trouble> {
    let begin: Asking<'_, Result<Vec<Row>, Error>> =
        Box::pin(async { client.batch_execute("begin").await.map(|()| Vec::new()) });
    let clock: Asking<'_, Result<Vec<Row>, Error>> = Box::pin(async {
        if !asks_clock {
            return Ok(Vec::new());
        }
        client.query(&statements.clock, &[]).await
    });
    let answers = in_order([
        begin,
        Box::pin(instances(client, statements, wanted)),
        Box::pin(tasks(client, statements, wanted)),
        Box::pin(timers(client, statements, wanted)),
        Box::pin(letters(client, statements, wanted)),
        Box::pin(holders(client, statements, wanted)),
        Box::pin(definitions(client, statements, wanted)),
        Box::pin(requests(client, statements, wanted)),
        clock,
    ])
    .await;
    let mut rows = Vec::with_capacity(answers.len());
    for answer in answers {
        // The first error is the cause of those after it.
        rows.push(answer.map_err(Trouble::Statement)?);
    }
    understand(wanted, &rows).map_err(Trouble::Rows)
}

fn understand<'a>(wanted: &Wanted<'a>, answers: &[Vec<Row>]) -> Result<Found<'a>, StoreError> {
    let [_, instances, tasks, timers, letters, holders, definitions, requests, clock] = answers
    else {
        return Err(StoreError::Corrupt("every question has one answer".to_owned()));
    };
    let mut facts = Facts::default();
    for (key, row) in paired(&wanted.instances, instances) {
        let position = unsigned(column(row, 2)?);
        let standing =
            Standing { version: version(row, 1)?, position, unique_key: column(row, 3)? };
        facts.instances.insert(*key, standing);
    }
    for (task, row) in paired(&wanted.tasks, tasks) {
        let (family, queue): (String, String) = (column(row, 4)?, column(row, 5)?);
        let known = Known {
            lease: lease(row, 1)?,
            family: family.into(),
            queue: queue.into(),
            ready_at: at(row, 6)?,
        };
        facts.tasks.insert(*task, known);
    }
    for (timer, row) in paired(&wanted.timers, timers) {
        facts.timers.insert(*timer, at(row, 1)?);
    }
    for (letter, row) in paired(&wanted.letters, letters) {
        let token: Option<&str> = column(row, 1)?;
        facts.letters.insert(*letter, token.map(ClaimId::from));
    }
    for (unique, row) in paired(&wanted.uniques, holders) {
        facts.holders.insert(*unique, key(row, 1)?);
    }
    facts.definitions.extend(paired(&wanted.definitions, definitions).map(|(named, _)| *named));
    for (request, row) in paired(&wanted.requests, requests) {
        let receipt: Receipt = serde_json::from_str(column(row, 2)?)
            .map_err(|error| StoreError::Corrupt(format!("a receipt: {error}")))?;
        facts.requests.insert(*request, (column(row, 1)?, receipt));
    }
    let now = clock.first().map(|row| at(row, 0)).transpose()?;
    Ok(Found { facts, now })
}

/// What was asked for, each beside its row. A row says by its first column which one it answers.
fn paired<'s, 'r, T>(
    wanted: &'s std::collections::BTreeSet<T>,
    rows: &'r [Row],
) -> impl Iterator<Item = (&'s T, &'r Row)> {
    let wanted: Vec<&T> = wanted.iter().collect();
    rows.iter().filter_map(move |row| {
        let number: i64 = row.try_get(0).ok()?;
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        Some((*wanted.get(index)?, row))
    })
}

type Rows = Result<Vec<Row>, Error>;

async fn instances(client: &Client, statements: &Statements, wanted: &Wanted<'_>) -> Rows {
    if wanted.instances.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Keys<'_> = wanted.instances.iter().copied().collect();
    client.query(&statements.instances, &[&keys.tenants, &keys.kinds, &keys.ids]).await
}

async fn tasks(client: &Client, statements: &Statements, wanted: &Wanted<'_>) -> Rows {
    if wanted.tasks.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Keys<'_> = wanted.tasks.iter().map(|it| &it.key).collect();
    let tasks: Vec<&str> = wanted.tasks.iter().map(|it| it.id.as_str()).collect();
    client.query(&statements.tasks, &[&keys.tenants, &keys.kinds, &keys.ids, &tasks]).await
}

async fn timers(client: &Client, statements: &Statements, wanted: &Wanted<'_>) -> Rows {
    if wanted.timers.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Keys<'_> = wanted.timers.iter().map(|it| &it.key).collect();
    let timers: Vec<&str> = wanted.timers.iter().map(|it| it.id.as_str()).collect();
    client.query(&statements.timers, &[&keys.tenants, &keys.kinds, &keys.ids, &timers]).await
}

async fn letters(client: &Client, statements: &Statements, wanted: &Wanted<'_>) -> Rows {
    if wanted.letters.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Keys<'_> = wanted.letters.iter().map(|(key, _)| *key).collect();
    let messages: Vec<&str> = wanted.letters.iter().map(|(_, id)| id.as_str()).collect();
    client.query(&statements.letters, &[&keys.tenants, &keys.kinds, &keys.ids, &messages]).await
}

async fn holders(client: &Client, statements: &Statements, wanted: &Wanted<'_>) -> Rows {
    if wanted.uniques.is_empty() {
        return Ok(Vec::new());
    }
    let tenants: Vec<&str> = wanted.uniques.iter().map(|(tenant, ..)| tenant.as_str()).collect();
    let kinds: Vec<i16> = wanted.uniques.iter().map(|(_, kind, _)| kind.code()).collect();
    let uniques: Vec<&str> = wanted.uniques.iter().map(|(.., unique)| *unique).collect();
    client.query(&statements.holders, &[&tenants, &kinds, &uniques]).await
}

async fn definitions(client: &Client, statements: &Statements, wanted: &Wanted<'_>) -> Rows {
    if wanted.definitions.is_empty() {
        return Ok(Vec::new());
    }
    let named = &wanted.definitions;
    let tenants: Vec<&str> = named.iter().map(|(tenant, ..)| tenant.as_str()).collect();
    let kinds: Vec<i16> = named.iter().map(|(_, kind, ..)| kind.code()).collect();
    let names: Vec<&str> = named.iter().map(|(_, _, name, _)| *name).collect();
    let versions: Vec<i32> = named.iter().map(|(.., version)| version.cast_signed()).collect();
    client.query(&statements.definitions, &[&tenants, &kinds, &names, &versions]).await
}

async fn requests(client: &Client, statements: &Statements, wanted: &Wanted<'_>) -> Rows {
    if wanted.requests.is_empty() {
        return Ok(Vec::new());
    }
    let tenants: Vec<&str> = wanted.requests.iter().map(|(tenant, _)| tenant.as_str()).collect();
    let ids: Vec<&str> = wanted.requests.iter().map(|(_, id)| id.as_str()).collect();
    client.query(&statements.requests, &[&tenants, &ids]).await
}

impl From<Trouble> for StoreError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Statement(error) => fault(error),
            Trouble::Rows(error) => error,
        }
    }
}
