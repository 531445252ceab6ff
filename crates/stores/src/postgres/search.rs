//! Lists instances, newest first. Only the conditions asked for are in the statement, so that each
//! combination finds its index.

use std::fmt::Write as _;

use tokio_postgres::types::ToSql;
use waypost_kernel::{Query, Record, StoreError};

use super::{
    pool::Connections,
    rows::{RECORD, record},
};

/// Instances that match.
pub(super) async fn search(
    readers: &Connections,
    query: &Query,
) -> Result<Vec<Record>, StoreError> {
    let (tenant, kind) = (query.tenant.as_str(), query.kind.code());
    let before = query.before.as_ref().map(|it| it.as_str());
    let (offset, limit) = (i64::from(query.offset), i64::from(query.limit));
    let mut sql = format!("select {RECORD} from instances where tenant = $1 and kind = $2");
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&tenant, &kind];
    let conditions: [(&str, Option<&(dyn ToSql + Sync)>); 5] = [
        ("definition =", query.definition.as_ref().map(|it| it as _)),
        ("status =", query.status.as_ref().map(|it| it as _)),
        ("business_key =", query.business_key.as_ref().map(|it| it as _)),
        ("awaits =", query.awaits.as_ref().map(|it| it as _)),
        ("id <", before.as_ref().map(|it| it as _)),
    ];
    for (condition, value) in conditions {
        let Some(value) = value else { continue };
        parameters.push(value);
        write!(sql, " and {condition} ${}", parameters.len()).expect("a string takes any text");
    }
    parameters.extend([&offset as &(dyn ToSql + Sync), &limit]);
    let last = parameters.len();
    write!(sql, " order by id desc offset ${} limit ${last}", last - 1)
        .expect("a string takes any text");
    let rows = readers.read(&sql, &parameters).await?;
    rows.iter().map(record).collect()
}
