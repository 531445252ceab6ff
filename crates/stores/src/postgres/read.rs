//! Answers questions about what is stored.

use waypost_kernel::{
    Definition, DefinitionQuery, EventRecord, Key, Receipt, Record, RequestId, StoreError, Task,
    Tenant, Timer, Timestamp, Version,
};

use super::{
    clock::Watch,
    conditions::Conditions,
    lock,
    pool::Connections,
    rows::{
        DEFINITION, EVENT, Keys, RECORD, TASK, TIMER, column, definition, event, record, signed,
        task, timer, unsigned,
    },
};

/// What the clock shows that gives commits their times.
pub(super) async fn instant(readers: &Connections, clock: &Watch) -> Result<Timestamp, StoreError> {
    if let Some(now) = clock.given() {
        return Ok(now);
    }
    let rows = readers.read(&lock::clock(), &[]).await?;
    let Some(row) = rows.first() else { return Ok(clock.now()) };
    Ok(Timestamp::from_micros(column(row, 0)?))
}

/// The receipt of a request that has landed.
pub(super) async fn receipt(
    readers: &Connections,
    tenant: &Tenant,
    request: &RequestId,
) -> Result<Option<Receipt>, StoreError> {
    let sql = "select receipt from requests where tenant = $1 and request = $2";
    let rows = readers.read(sql, &[&tenant.as_str(), &request.as_str()]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let receipt = serde_json::from_str(column(row, 0)?);
    receipt.map(Some).map_err(|error| StoreError::Corrupt(format!("a receipt: {error}")))
}

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
    let mut conditions = deployed(query);
    let offset = conditions.place(i64::from(query.offset));
    let limit = conditions.place(i64::from(query.limit));
    let sql = format!(
        "select {DEFINITION} from definitions d where {}
        order by name, version desc offset {offset} limit {limit}",
        conditions.sql
    );
    let rows = readers.read(&sql, &conditions.parameters()).await?;
    rows.iter().map(definition).collect()
}

/// How many definitions match, whatever page is asked for.
pub(super) async fn count_definitions(
    readers: &Connections,
    query: &DefinitionQuery,
) -> Result<u64, StoreError> {
    let conditions = deployed(query);
    let sql = format!("select count(*) from definitions d where {}", conditions.sql);
    let rows = readers.read(&sql, &conditions.parameters()).await?;
    rows.first().map_or(Ok(0), |row| column(row, 0).map(unsigned))
}

/// Which definitions a query wants.
fn deployed(query: &DefinitionQuery) -> Conditions<'_> {
    let mut conditions = Conditions::of(&query.tenant, query.kind);
    conditions.add("name = ?", query.name.as_deref());
    conditions.add("version = ?", query.version);
    // Names compare by their bytes, so both fold the letters A to Z, and nothing else.
    let keyword = query.keyword.as_ref().map(|it| it.to_ascii_lowercase());
    conditions.add("position(? in lower(name)) > 0", keyword);
    if query.latest_only {
        conditions.sql.push_str(
            " and version = (select max(l.version) from definitions l
                where l.tenant = d.tenant and l.kind = d.kind and l.name = d.name)",
        );
    }
    conditions
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
