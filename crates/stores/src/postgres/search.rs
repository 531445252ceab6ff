//! Lists instances, newest first, and counts them.

use waypost_kernel::{Query, Record, StoreError, Timestamp};

use super::{
    conditions::Conditions,
    pool::Connections,
    rows::{RECORD, column, record, unsigned},
};
use crate::steps::enclosed;

/// Instances that match.
pub(super) async fn search(
    readers: &Connections,
    query: &Query,
) -> Result<Vec<Record>, StoreError> {
    let mut conditions = conditions(query);
    conditions.add("id < ?", query.before.as_ref().map(|it| it.as_str()));
    let offset = conditions.place(i64::from(query.offset));
    let limit = conditions.place(i64::from(query.limit));
    let sql = format!(
        "select {RECORD} from instances where {} order by id desc offset {offset} limit {limit}",
        conditions.sql
    );
    let rows = readers.read(&sql, &conditions.parameters()).await?;
    rows.iter().map(record).collect()
}

/// How many instances match, whatever page is asked for.
pub(super) async fn count(readers: &Connections, query: &Query) -> Result<u64, StoreError> {
    let conditions = conditions(query);
    let sql = format!("select count(*) from instances where {}", conditions.sql);
    let rows = readers.read(&sql, &conditions.parameters()).await?;
    rows.first().map_or(Ok(0), |row| column(row, 0).map(unsigned))
}

/// Which instances a query wants, whatever page it asks for.
fn conditions(query: &Query) -> Conditions<'_> {
    let mut conditions = Conditions::of(&query.tenant, query.kind);
    conditions.add("definition = ?", query.definition.as_deref());
    conditions.add("definition_version = ?", query.version);
    conditions.add("status = ?", query.status.as_deref());
    conditions.add("business_key = ?", query.business_key.as_deref());
    conditions.add("awaits = ?", query.awaits.as_deref());
    // Null is in nothing.
    let step = query.step.as_deref().map(enclosed);
    conditions.add("position(?::text in chr(31) || step || chr(31)) > 0", step);
    conditions.add("created_at >= ?", query.from.map(Timestamp::as_micros));
    conditions.add("created_at < ?", query.until.map(Timestamp::as_micros));
    conditions
}
