//! Looks up what a group of commits needs to know and locks what it may change, in one round trip.
//!
//! Existing instances, tasks, timers and messages are locked in the order of their names. What does
//! not exist cannot be locked: when two nodes insert the same thing, the second one fails, and looks
//! again. Unique keys, definitions and requests are only ever judged that way. Whether a definition
//! is in use is looked at when all locks are held: whoever creates an instance holds the version of
//! what it is made by.

use tokio_postgres::{Client, Error, Row};
use waypost_kernel::{ClaimId, DefinitionRef, Receipt, StoreError, Term, Timestamp};

use super::{
    clock::CLOCK,
    facts::{Facts, Known, Shelf, Standing, Wanted},
    fault::fault,
    pipeline::{Asking, in_order},
    rows::{Keys, at, column, key, lease, unsigned, version},
    session::Statements,
};

/// Held from before the clock is read until the end by everybody who lands a time of the store.
const LANDING: &str = "(1467314288, hashtext(current_schema()))";

/// Keeps those away who settle an instant.
pub(super) fn landing() -> String {
    format!("select pg_advisory_xact_lock_shared{LANDING}")
}

/// Waits for all who are landing. It is let go at once: whoever comes later gets a later time.
pub(super) fn settling() -> String {
    format!("select pg_advisory_xact_lock{LANDING}")
}

const INSTANCES: &str = "\
    select k.n, i.version, i.position, i.unique_key, i.updated_at
    from unnest($1::text[], $2::smallint[], $3::text[]) with ordinality as k (tenant, kind, id, n)
    join instances i on i.tenant = k.tenant and i.kind = k.kind and i.id = k.id
    order by k.n for";

/// Instances that may change.
pub(super) fn written() -> String {
    format!("{INSTANCES} update of i")
}

/// Instances that may not change meanwhile.
pub(super) fn read() -> String {
    format!("{INSTANCES} share of i")
}

pub(super) const TERMS: &str = "\
    select k.n, t.path, t.key, t.definition, t.definition_version
    from unnest($1::text[], $2::smallint[], $3::text[]) with ordinality as k (tenant, kind, id, n)
    join terms t on t.tenant = k.tenant and t.kind = k.kind and t.id = k.id";

/// Entities have an index of their own, which is found by the number only.
pub(super) const OCCUPIED: &str = "\
    select k.n
    from unnest($1::text[], $2::smallint[], $3::text[], $4::integer[], $5::text[])
        with ordinality as k (tenant, kind, definition, version, status, n)
    where case when k.kind = 1 then exists (
        select 1 from instances i
        where i.tenant = k.tenant and i.kind = 1 and i.definition = k.definition
            and i.definition_version = k.version and i.status = k.status
    ) else exists (
        select 1 from instances i
        where i.tenant = k.tenant and i.kind = k.kind and i.definition = k.definition
            and i.definition_version = k.version and i.status = k.status
    ) end";

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
    let landing: Asking<'_, Result<Vec<Row>, Error>> = Box::pin(async {
        if !wanted.lands {
            return Ok(Vec::new());
        }
        client.query(&statements.landing, &[]).await
    });
    let [faces, registers, models] = &wanted.instances;
    let answers = in_order([
        begin,
        landing,
        Box::pin(instances(client, statements, faces)),
        Box::pin(instances(client, statements, registers)),
        Box::pin(instances(client, statements, models)),
        Box::pin(terms(client, statements, wanted)),
        Box::pin(occupied(client, statements, wanted)),
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
    let [_, _, faces, registers, models, terms, occupied, rest @ ..] = answers else {
        return Err(unanswered());
    };
    let [tasks, timers, letters, holders, definitions, requests, clock] = rest else {
        return Err(unanswered());
    };
    let mut facts = Facts::default();
    for (shelf, rows) in wanted.instances.iter().zip([faces, registers, models]) {
        for (key, row) in paired(&shelf.keys, rows) {
            facts.instances.insert(*key, standing(row)?);
        }
    }
    for (key, row) in paired(&wanted.terms, terms) {
        facts.terms.entry(*key).or_default().insert(term(row)?);
    }
    facts.occupied.extend(paired(&wanted.vacancies, occupied).map(|(vacancy, _)| *vacancy));
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

fn unanswered() -> StoreError {
    StoreError::Corrupt("every question has one answer".to_owned())
}

fn standing(row: &Row) -> Result<Standing, StoreError> {
    Ok(Standing {
        version: version(row, 1)?,
        position: unsigned(column(row, 2)?),
        unique_key: column(row, 3)?,
        updated_at: at(row, 4)?,
    })
}

fn term(row: &Row) -> Result<(Term, DefinitionRef), StoreError> {
    let number: i32 = column(row, 4)?;
    let definition = DefinitionRef { name: column(row, 3)?, version: number };
    Ok((Term { path: column(row, 1)?, key: column(row, 2)? }, definition))
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

async fn instances(client: &Client, statements: &Statements, shelf: &Shelf<'_>) -> Rows {
    if shelf.keys.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Keys<'_> = shelf.keys.iter().copied().collect();
    let statement = if shelf.is_written { &statements.written } else { &statements.read };
    client.query(statement, &[&keys.tenants, &keys.kinds, &keys.ids]).await
}

async fn terms(client: &Client, statements: &Statements, wanted: &Wanted<'_>) -> Rows {
    if wanted.terms.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Keys<'_> = wanted.terms.iter().copied().collect();
    client.query(&statements.terms, &[&keys.tenants, &keys.kinds, &keys.ids]).await
}

async fn occupied(client: &Client, statements: &Statements, wanted: &Wanted<'_>) -> Rows {
    if wanted.vacancies.is_empty() {
        return Ok(Vec::new());
    }
    let vacancies = &wanted.vacancies;
    let tenants: Vec<&str> = vacancies.iter().map(|(tenant, ..)| tenant.as_str()).collect();
    let kinds: Vec<i16> = vacancies.iter().map(|(_, kind, ..)| kind.code()).collect();
    let names: Vec<&str> = vacancies.iter().map(|(_, _, name, ..)| *name).collect();
    let versions: Vec<i32> = vacancies.iter().map(|(_, _, _, version, _)| *version).collect();
    let statuses: Vec<&str> = vacancies.iter().map(|(.., status)| *status).collect();
    let statement = &statements.occupied;
    client.query(statement, &[&tenants, &kinds, &names, &versions, &statuses]).await
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
    let versions: Vec<i32> = named.iter().map(|(.., version)| *version).collect();
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
