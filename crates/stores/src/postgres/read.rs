//! Answers questions about what is stored.

use waypost_kernel::{
    Definition, DefinitionQuery, EventRecord, Key, Record, StoreError, Task, Timer, Timestamp,
    Version,
};

use super::{
    pool::Connections,
    rows::{
        DEFINITION, EVENT, Keys, RECORD, TASK, TIMER, column, definition, event, record, signed,
        task, timer,
    },
};

/// The instances of these keys, in the same order.
pub(super) async fn load(
    readers: &Connections,
    keys: &[Key],
) -> Result<Vec<Option<Record>>, StoreError> {
    let mut found: Vec<Option<Record>> = keys.iter().map(|_| None).collect();
    if let ([key], [place]) = (keys, found.as_mut_slice()) {
        *place = load_one(readers, key).await?;
        return Ok(found);
    }
    if keys.is_empty() {
        return Ok(found);
    }
    // A limit inside keeps the database from reading the whole table for many keys.
    let sql = format!(
        "select i.*, k.n
        from unnest($1::text[], $2::smallint[], $3::text[])
            with ordinality as k (tenant, kind, id, n),
        lateral (
            select {RECORD} from instances
            where tenant = k.tenant and kind = k.kind and id = k.id limit 1
        ) i"
    );
    let columns: Keys<'_> = keys.iter().collect();
    for row in readers.read(&sql, &[&columns.tenants, &columns.kinds, &columns.ids]).await? {
        let number: i64 = column(&row, row.len() - 1)?;
        let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
        if let Some(place) = found.get_mut(index) {
            *place = Some(record(&row)?);
        }
    }
    Ok(found)
}

async fn load_one(readers: &Connections, key: &Key) -> Result<Option<Record>, StoreError> {
    let sql = format!("select {RECORD} from instances where tenant = $1 and kind = $2 and id = $3");
    let rows =
        readers.read(&sql, &[&key.tenant.as_str(), &key.kind.code(), &key.id.as_str()]).await?;
    rows.first().map(record).transpose()
}

/// What happened to an instance after `after`, oldest first.
pub(super) async fn history(
    readers: &Connections,
    key: &Key,
    after: Version,
    limit: u32,
) -> Result<Vec<EventRecord>, StoreError> {
    let sql = format!(
        "select {EVENT} from events
        where tenant = $1 and kind = $2 and id = $3 and version > $4
        order by version limit $5"
    );
    let (tenant, kind, id) = (key.tenant.as_str(), key.kind.code(), key.id.as_str());
    let rows =
        readers.read(&sql, &[&tenant, &kind, &id, &signed(after.0), &i64::from(limit)]).await?;
    rows.iter().map(event).collect()
}

/// The tasks of these instances, by name.
pub(super) async fn tasks(readers: &Connections, keys: &[Key]) -> Result<Vec<Task>, StoreError> {
    // Asked for twice is still answered once. The offset keeps the database from reading the whole
    // table for many keys.
    let sql = format!(
        "select t.*
        from (select distinct tenant, kind, id from unnest($1::text[], $2::smallint[], $3::text[])
            as k (tenant, kind, id)) k,
        lateral (
            select {TASK} from tasks
            where tenant = k.tenant and kind = k.kind and id = k.id offset 0
        ) t
        order by t.tenant, t.kind, t.id, t.task"
    );
    let columns: Keys<'_> = keys.iter().collect();
    let rows = readers.read(&sql, &[&columns.tenants, &columns.kinds, &columns.ids]).await?;
    rows.iter().map(|row| task(row, 0)).collect()
}

/// Deployed definitions, by name, newest version first.
pub(super) async fn definitions(
    readers: &Connections,
    query: &DefinitionQuery,
) -> Result<Vec<Definition>, StoreError> {
    let sql = format!(
        "select {DEFINITION} from definitions
        where tenant = $1 and kind = $2 and ($3::text is null or name = $3)
            and ($4::integer is null or version = $4)
        order by name, version desc offset $5 limit $6"
    );
    let version = query.version.map(u32::cast_signed);
    let (tenant, kind) = (query.tenant.as_str(), query.kind.code());
    let (offset, limit) = (i64::from(query.offset), i64::from(query.limit));
    let rows =
        readers.read(&sql, &[&tenant, &kind, &query.name, &version, &offset, &limit]).await?;
    rows.iter().map(definition).collect()
}

/// Timers that are due, longest due first.
pub(super) async fn due(
    readers: &Connections,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Timer>, StoreError> {
    let sql = format!(
        "select {TIMER} from timers where due_at <= $1
        order by due_at, tenant, kind, id, timer limit $2"
    );
    let rows = readers.read(&sql, &[&now.as_micros(), &i64::from(limit)]).await?;
    rows.iter().map(timer).collect()
}

/// Tasks whose lease has passed its end, longest first.
pub(super) async fn lapsed(
    readers: &Connections,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Task>, StoreError> {
    let sql = format!(
        "select {TASK} from tasks where token is not null and lease_until < $1
        order by lease_until, tenant, kind, id, task limit $2"
    );
    let rows = readers.read(&sql, &[&now.as_micros(), &i64::from(limit)]).await?;
    rows.iter().map(|row| task(row, 0)).collect()
}
