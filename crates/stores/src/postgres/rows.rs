//! Rows and columns on one side, types on the other.

use tokio_postgres::{Row, types::FromSql};
use waypost_kernel::{
    ClaimId, Definition, DefinitionRef, EventRecord, Facets, Json, Key, Kind, Lease, Record,
    StoreError, Task, TaskRef, Tenant, Timer, TimerRef, Timestamp, Version, WorkerId,
};

use super::fault::fault;

/// The columns [`record`] reads.
pub(super) const RECORD: &str = "tenant, kind, id, version, definition, definition_version, \
    status, step, awaits, business_key, unique_key, created_at, updated_at, state";
/// The columns [`event`] reads.
pub(super) const EVENT: &str = "tenant, kind, id, version, happened_at, events";
/// The columns [`task`] reads.
pub(super) const TASK: &str =
    "tenant, kind, id, task, family, queue, ready_at, version, token, worker, lease_until";
/// The columns [`timer`] reads.
pub(super) const TIMER: &str = "tenant, kind, id, timer, due_at, command";
/// The columns [`definition`] reads.
pub(super) const DEFINITION: &str = "tenant, kind, name, version, body, created_at";

/// Keys as arrays, one per column, for `unnest`.
#[derive(Default)]
pub(super) struct Keys<'a> {
    pub(super) tenants: Vec<&'a str>,
    pub(super) kinds: Vec<i16>,
    pub(super) ids: Vec<&'a str>,
}

impl<'a> Keys<'a> {
    pub(super) fn push(&mut self, key: &'a Key) {
        self.tenants.push(key.tenant.as_str());
        self.kinds.push(key.kind.code());
        self.ids.push(key.id.as_str());
    }
}

impl<'a> FromIterator<&'a Key> for Keys<'a> {
    fn from_iter<I: IntoIterator<Item = &'a Key>>(keys: I) -> Self {
        let mut columns = Self::default();
        keys.into_iter().for_each(|key| columns.push(key));
        columns
    }
}

/// A number as the database counts: it has no unsigned ones.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// What is in a column.
pub(super) fn column<'a, T: FromSql<'a>>(row: &'a Row, index: usize) -> Result<T, StoreError> {
    row.try_get(index).map_err(fault)
}

/// The key in the three columns from `first` on.
pub(super) fn key(row: &Row, first: usize) -> Result<Key, StoreError> {
    let tenant: &str = column(row, first)?;
    let id: &str = column(row, first + 2)?;
    Ok(Key::new(Tenant::from(tenant), kind(column(row, first + 1)?)?, id.into()))
}

pub(super) fn json(row: &Row, index: usize) -> Result<Json, StoreError> {
    Json::parse(column(row, index)?)
        .map_err(|error| StoreError::Corrupt(format!("a document is not JSON: {error}")))
}

pub(super) fn at(row: &Row, index: usize) -> Result<Timestamp, StoreError> {
    column(row, index).map(Timestamp::from_micros)
}

pub(super) fn version(row: &Row, index: usize) -> Result<Version, StoreError> {
    column(row, index).map(|it| Version(unsigned(it)))
}

/// The lease in the three columns from `first` on.
pub(super) fn lease(row: &Row, first: usize) -> Result<Option<Lease>, StoreError> {
    let token: Option<&str> = column(row, first)?;
    let worker: Option<&str> = column(row, first + 1)?;
    let until: Option<i64> = column(row, first + 2)?;
    Ok(token.zip(worker).zip(until).map(|((token, worker), until)| Lease {
        token: ClaimId::from(token),
        worker: WorkerId::from(worker),
        until: Timestamp::from_micros(until),
    }))
}

pub(super) fn record(row: &Row) -> Result<Record, StoreError> {
    let name: Option<String> = column(row, 4)?;
    let number: Option<i32> = column(row, 5)?;
    let definition = name.zip(number).map(|(name, number)| DefinitionRef { name, version: number });
    let facets = Facets {
        definition,
        status: column(row, 6)?,
        step: column(row, 7)?,
        awaits: column(row, 8)?,
        business_key: column(row, 9)?,
        unique_key: column(row, 10)?,
    };
    Ok(Record {
        key: key(row, 0)?,
        version: version(row, 3)?,
        facets,
        state: json(row, 13)?,
        created_at: at(row, 11)?,
        updated_at: at(row, 12)?,
    })
}

pub(super) fn event(row: &Row) -> Result<EventRecord, StoreError> {
    Ok(EventRecord {
        key: key(row, 0)?,
        version: version(row, 3)?,
        at: at(row, 4)?,
        events: json(row, 5)?,
    })
}

/// The task in the columns from `first` on.
pub(super) fn task(row: &Row, first: usize) -> Result<Task, StoreError> {
    Ok(Task {
        at: TaskRef { key: key(row, first)?, id: column::<&str>(row, first + 3)?.into() },
        family: column(row, first + 4)?,
        queue: column(row, first + 5)?,
        ready_at: at(row, first + 6)?,
        version: version(row, first + 7)?,
        lease: lease(row, first + 8)?,
    })
}

pub(super) fn timer(row: &Row) -> Result<Timer, StoreError> {
    Ok(Timer {
        at: TimerRef { key: key(row, 0)?, id: column::<&str>(row, 3)?.into() },
        due_at: at(row, 4)?,
        command: json(row, 5)?,
    })
}

pub(super) fn definition(row: &Row) -> Result<Definition, StoreError> {
    let number: i32 = column(row, 3)?;
    Ok(Definition {
        tenant: column::<&str>(row, 0)?.into(),
        kind: kind(column(row, 1)?)?,
        which: DefinitionRef { name: column(row, 2)?, version: number },
        body: json(row, 4)?,
        created_at: at(row, 5)?,
    })
}

pub(super) fn kind(code: i16) -> Result<Kind, StoreError> {
    Kind::from_code(code).ok_or_else(|| StoreError::Corrupt(format!("there is no kind {code}")))
}
