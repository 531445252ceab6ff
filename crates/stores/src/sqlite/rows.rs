//! Columns and what they stand for.

use std::sync::Arc;

use rusqlite::{Error, Result, Row, types::Type};
use waypost_kernel::{
    DefinitionRef, Facets, InstanceId, Json, Key, Kind, Lease, Record, Task, TaskRef, Tenant,
    Timestamp, Version,
};

/// A number that SQLite can hold. Versions and positions never get near the end of its range.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// One of the identifiers.
pub(super) fn id<T: From<Arc<str>>>(row: &Row<'_>, index: usize) -> Result<T> {
    row.get::<_, Arc<str>>(index).map(T::from)
}

pub(super) fn number(row: &Row<'_>, index: usize) -> Result<u64> {
    let number: i64 = row.get(index)?;
    u64::try_from(number).map_err(|_| Error::IntegralValueOutOfRange(index, number))
}

pub(super) fn version(row: &Row<'_>, index: usize) -> Result<Version> {
    number(row, index).map(Version)
}

pub(super) fn timestamp(row: &Row<'_>, index: usize) -> Result<Timestamp> {
    row.get(index).map(Timestamp::from_micros)
}

pub(super) fn json(row: &Row<'_>, index: usize) -> Result<Json> {
    Json::parse(row.get_ref(index)?.as_str()?).map_err(|error| unreadable(index, error))
}

/// A column that does not hold what it should.
pub(super) fn unreadable(index: usize, error: serde_json::Error) -> Error {
    Error::FromSqlConversionFailure(index, Type::Text, Box::new(error))
}

/// `tenant, kind, id` from the column `index` on.
pub(super) fn key(row: &Row<'_>, index: usize) -> Result<Key> {
    let code: i16 = row.get(index + 1)?;
    let kind = Kind::from_code(code)
        .ok_or_else(|| Error::IntegralValueOutOfRange(index + 1, i64::from(code)))?;
    Ok(Key::new(id::<Tenant>(row, index)?, kind, id::<InstanceId>(row, index + 2)?))
}

/// What [`record`] reads.
pub(super) const RECORD: &str = "version, created_at, updated_at, state, status, step, awaits, \
     business_key, unique_key, definition, definition_version, tenant, kind, id";

/// A whole instance, selected as [`RECORD`].
pub(super) fn record(row: &Row<'_>) -> Result<Record> {
    Ok(Record {
        key: key(row, 11)?,
        version: version(row, 0)?,
        facets: facets(row)?,
        state: json(row, 3)?,
        created_at: timestamp(row, 1)?,
        updated_at: timestamp(row, 2)?,
    })
}

fn facets(row: &Row<'_>) -> Result<Facets> {
    let name: Option<String> = row.get(9)?;
    let version: Option<i32> = row.get(10)?;
    Ok(Facets {
        definition: name.zip(version).map(|(name, version)| DefinitionRef { name, version }),
        status: row.get(4)?,
        step: row.get(5)?,
        awaits: row.get(6)?,
        business_key: row.get(7)?,
        unique_key: row.get(8)?,
    })
}

/// What [`task`] reads.
pub(super) const TASK: &str =
    "tenant, kind, id, task, family, queue, ready_at, version, token, worker, lease_until";

/// A task, selected as [`TASK`].
pub(super) fn task(row: &Row<'_>) -> Result<Task> {
    Ok(Task {
        at: TaskRef { key: key(row, 0)?, id: id(row, 3)? },
        family: row.get(4)?,
        queue: row.get(5)?,
        ready_at: timestamp(row, 6)?,
        version: version(row, 7)?,
        lease: lease(row, 8)?,
    })
}

/// `token, worker, lease_until` from the column `index` on.
pub(super) fn lease(row: &Row<'_>, index: usize) -> Result<Option<Lease>> {
    let Some(token) = row.get::<_, Option<Arc<str>>>(index)? else { return Ok(None) };
    let (worker, until) = (id(row, index + 1)?, timestamp(row, index + 2)?);
    Ok(Some(Lease { token: token.into(), worker, until }))
}
