//! Single instances, and the short lists the engine asks for all the time.

use rusqlite::{Connection, OptionalExtension, Result, ToSql, params};
use waypost_kernel::{
    Definition, DefinitionQuery, DefinitionRef, EventRecord, Key, Receipt, Record, RequestId, Task,
    Tenant, Timer, TimerRef, Timestamp, Version,
};

use super::{
    conditions::Conditions,
    rows::{self, signed},
};

pub(super) fn load(connection: &Connection, keys: &[Key]) -> Result<Vec<Option<Record>>> {
    let mut statement = connection.prepare_cached(&format!(
        "select {} from instances where tenant = ?1 and kind = ?2 and id = ?3",
        rows::RECORD
    ))?;
    keys.iter()
        .map(|key| {
            let address = params![key.tenant.as_str(), key.kind.code(), key.id.as_str()];
            statement.query_row(address, rows::record).optional()
        })
        .collect()
}

pub(super) fn history(
    connection: &Connection,
    key: &Key,
    after: Version,
    limit: u32,
) -> Result<Vec<EventRecord>> {
    connection
        .prepare_cached(
            "select version, happened_at, events from events indexed by events_history
             where instance = (
                 select number from instances where tenant = ?1 and kind = ?2 and id = ?3)
               and version > ?4
             order by version limit ?5",
        )?
        .query_map(
            params![key.tenant.as_str(), key.kind.code(), key.id.as_str(), signed(after.0), limit],
            |row| {
                Ok(EventRecord {
                    key: key.clone(),
                    version: rows::version(row, 0)?,
                    at: rows::timestamp(row, 1)?,
                    events: rows::json(row, 2)?,
                })
            },
        )?
        .collect()
}

/// The receipt of a request that has landed.
/// The latest time that was given to a commit.
pub(super) fn landed_at(connection: &Connection) -> Result<Timestamp> {
    let mut statement = connection.prepare_cached("select landed_at from clock")?;
    statement.query_row([], |row| rows::timestamp(row, 0))
}

pub(super) fn receipt(
    connection: &Connection,
    tenant: &Tenant,
    request: &RequestId,
) -> Result<Option<Receipt>> {
    connection
        .prepare_cached("select receipt from requests where tenant = ?1 and request = ?2")?
        .query_row(params![tenant.as_str(), request.as_str()], |row| {
            let text = row.get_ref(0)?.as_str()?;
            serde_json::from_str(text).map_err(|error| rows::unreadable(0, error))
        })
        .optional()
}

pub(super) fn tasks(connection: &Connection, keys: &[Key]) -> Result<Vec<Task>> {
    let mut keys: Vec<&Key> = keys.iter().collect();
    keys.sort_unstable();
    keys.dedup();
    let mut statement = connection.prepare_cached(&format!(
        "select {} from tasks where tenant = ?1 and kind = ?2 and id = ?3 order by task",
        rows::TASK
    ))?;
    let mut found = Vec::new();
    for key in keys {
        let address = params![key.tenant.as_str(), key.kind.code(), key.id.as_str()];
        for task in statement.query_map(address, rows::task)? {
            found.push(task?);
        }
    }
    Ok(found)
}

pub(super) fn lapsed(connection: &Connection, now: Timestamp, limit: u32) -> Result<Vec<Task>> {
    connection
        .prepare_cached(&format!(
            "select {} from tasks indexed by tasks_held
             where lease_until < ?1
             order by lease_until, tenant, kind, id, task limit ?2",
            rows::TASK
        ))?
        .query_map(params![now.as_micros(), limit], rows::task)?
        .collect()
}

pub(super) fn due(connection: &Connection, now: Timestamp, limit: u32) -> Result<Vec<Timer>> {
    connection
        .prepare_cached(
            "select tenant, kind, id, timer, due_at, command from timers indexed by timers_due
             where due_at <= ?1 order by due_at, tenant, kind, id, timer limit ?2",
        )?
        .query_map(params![now.as_micros(), limit], |row| {
            Ok(Timer {
                at: TimerRef { key: rows::key(row, 0)?, id: rows::id(row, 3)? },
                due_at: rows::timestamp(row, 4)?,
                command: rows::json(row, 5)?,
            })
        })?
        .collect()
}

pub(super) fn definitions(
    connection: &Connection,
    query: &DefinitionQuery,
) -> Result<Vec<Definition>> {
    let matching = deployed(query);
    let mut parameters = matching.parameters();
    parameters.extend([&query.limit as &dyn ToSql, &query.offset]);
    connection
        .prepare_cached(&format!(
            "select name, version, body, created_at from definitions d
             where {} order by name, version desc limit ? offset ?",
            matching.sql
        ))?
        .query_map(&*parameters, |row| {
            Ok(Definition {
                tenant: query.tenant.clone(),
                kind: query.kind,
                which: DefinitionRef { name: row.get(0)?, version: row.get(1)? },
                body: rows::json(row, 2)?,
                created_at: rows::timestamp(row, 3)?,
            })
        })?
        .collect()
}

pub(super) fn count_definitions(connection: &Connection, query: &DefinitionQuery) -> Result<u64> {
    let matching = deployed(query);
    connection
        .prepare_cached(&format!("select count(*) from definitions d where {}", matching.sql))?
        .query_row(&*matching.parameters(), |row| rows::number(row, 0))
}

/// Which definitions a query wants.
fn deployed(query: &DefinitionQuery) -> Conditions<'_> {
    let mut conditions = Conditions::of(&query.tenant, query.kind);
    conditions.add("name = ?", query.name.as_deref());
    conditions.add("version = ?", query.version);
    // Both fold the letters A to Z, and nothing else.
    let keyword = query.keyword.as_ref().map(|it| it.to_ascii_lowercase());
    conditions.add("instr(lower(name), ?) > 0", keyword);
    if query.latest_only {
        conditions.sql.push_str(
            " and version = (select max(version) from definitions
                 where tenant = d.tenant and kind = d.kind and name = d.name)",
        );
    }
    conditions
}
