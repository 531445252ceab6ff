//! Lists of instances, newest first. Each kind of question has an index that answers it in order.

use rusqlite::{Connection, OptionalExtension, Result, named_params, params};
use waypost_kernel::{Query, Record};

use super::rows;

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
    let last = u64::from(query.offset) + u64::from(query.limit);
    connection
        .prepare_cached(&statement(query))?
        .query_map(
            named_params! {
                ":tenant": query.tenant.as_str(),
                ":kind": query.kind.code(),
                ":definition": query.definition,
                ":status": query.status,
                ":business_key": query.business_key,
                ":awaits": query.awaits,
                ":before": query.before.as_ref().map(|it| it.as_str()),
                ":last": rows::signed(last),
            },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?
        .collect()
}

fn statement(query: &Query) -> String {
    let clause = |is_asked: bool, asked: &'static str, name: &str| {
        // A filter that is not there still has its parameter, so that all statements bind alike.
        if is_asked { format!("and {asked}") } else { format!("and :{name} is null") }
    };
    format!(
        "select id, number from instances indexed by {}
         where tenant = :tenant and kind = :kind {} {} {} {} {}
         order by id desc limit :last",
        index(query),
        clause(query.business_key.is_some(), "business_key = :business_key", "business_key"),
        clause(query.awaits.is_some(), "awaits = :awaits", "awaits"),
        clause(query.definition.is_some(), "definition = :definition", "definition"),
        clause(query.status.is_some(), "status = :status", "status"),
        clause(query.before.is_some(), "id < :before", "before"),
    )
}

/// The index that leaves the fewest instances and has them in order.
const fn index(query: &Query) -> &'static str {
    if query.business_key.is_some() {
        "instances_business_key"
    } else if query.awaits.is_some() {
        "instances_awaits"
    } else if query.definition.is_some() && query.status.is_some() {
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
