//! Lists of instances, newest first. Each kind of question has an index that answers it in order.

use rusqlite::{Connection, OptionalExtension, Result, params};
use waypost_kernel::{Query, Record, Timestamp};

use super::{conditions::Conditions, rows};
use crate::steps::enclosed;

pub(super) fn search(connection: &Connection, query: &Query) -> Result<Vec<Record>> {
    // Both steps see the same moment.
    let tx = connection.unchecked_transaction()?;
    let numbers = find(&tx, query)?;
    let records = records(&tx, &numbers)?;
    tx.finish()?;
    Ok(records)
}

/// The page of instances that match, by their numbers.
fn find(connection: &Connection, query: &Query) -> Result<Vec<i64>> {
    let mut found = match (&query.definition, &query.status) {
        (Some(definition), None) if !is_narrow(query) => {
            by_definition(connection, query, definition)?
        }
        (None | Some(_), _) => matching(connection, query)?,
    };
    let page = found.drain(..).skip(query.offset as usize).take(query.limit as usize);
    Ok(page.map(|(_, number)| number).collect())
}

/// Whether few instances are left by a filter that has an index of its own.
const fn is_narrow(query: &Query) -> bool {
    query.business_key.is_some() || query.awaits.is_some()
}

/// All of a definition: the index has them by status, so each status is asked and the answers are
/// merged.
fn by_definition(
    connection: &Connection,
    query: &Query,
    definition: &str,
) -> Result<Vec<(String, i64)>> {
    let mut found = Vec::new();
    let mut next = status_from(connection, query, definition, "")?;
    while let Some(status) = next {
        next = status_from(connection, query, definition, &format!("{status}\0"))?;
        found.extend(matching(connection, &Query { status: Some(status), ..query.clone() })?);
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}

fn status_from(
    connection: &Connection,
    query: &Query,
    definition: &str,
    from: &str,
) -> Result<Option<String>> {
    connection
        .prepare_cached(
            "select status from instances indexed by instances_definition
             where tenant = ?1 and kind = ?2 and definition = ?3 and status >= ?4
             order by status limit 1",
        )?
        .query_row(params![query.tenant.as_str(), query.kind.code(), definition, from], |row| {
            row.get(0)
        })
        .optional()
}

/// Ids and numbers of the instances that match, newest first, up to the end of the page.
fn matching(connection: &Connection, query: &Query) -> Result<Vec<(String, i64)>> {
    let last = rows::signed(u64::from(query.offset) + u64::from(query.limit));
    let mut conditions = conditions(query);
    conditions.add("id < ?", query.before.as_ref().map(|it| it.as_str()));
    let mut parameters = conditions.parameters();
    parameters.push(&last);
    connection
        .prepare_cached(&format!(
            "select id, number from instances indexed by {}
             where {} order by id desc limit ?",
            index(query),
            conditions.sql
        ))?
        .query_map(&*parameters, |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// How many instances match, whatever page is asked for.
pub(super) fn count(connection: &Connection, query: &Query) -> Result<u64> {
    let conditions = conditions(query);
    connection
        .prepare_cached(&format!(
            "select count(*) from instances indexed by {} where {}",
            index(query),
            conditions.sql
        ))?
        .query_row(&*conditions.parameters(), |row| rows::number(row, 0))
}

/// Which instances a query wants, whatever page it asks for.
fn conditions(query: &Query) -> Conditions<'_> {
    let mut conditions = Conditions::of(&query.tenant, query.kind);
    conditions.add("business_key = ?", query.business_key.as_deref());
    conditions.add("awaits = ?", query.awaits.as_deref());
    conditions.add("definition = ?", query.definition.as_deref());
    conditions.add("definition_version = ?", query.version);
    conditions.add("status = ?", query.status.as_deref());
    // Null is in nothing.
    let step = query.step.as_deref().map(enclosed);
    conditions.add("instr(char(31) || step || char(31), ?) > 0", step);
    conditions.add("created_at >= ?", query.from.map(Timestamp::as_micros));
    conditions.add("created_at < ?", query.until.map(Timestamp::as_micros));
    conditions
}

/// The index that leaves the fewest instances and has them in order.
const fn index(query: &Query) -> &'static str {
    if query.business_key.is_some() {
        "instances_business_key"
    } else if query.awaits.is_some() {
        "instances_awaits"
    } else if query.definition.is_some() {
        "instances_definition"
    } else if query.status.is_some() {
        "instances_status"
    } else {
        "instances_key"
    }
}

fn records(connection: &Connection, numbers: &[i64]) -> Result<Vec<Record>> {
    let mut statement = connection
        .prepare_cached(&format!("select {} from instances where number = ?1", rows::RECORD))?;
    numbers.iter().map(|number| statement.query_row([number], rows::record)).collect()
}
