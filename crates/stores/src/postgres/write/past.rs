//! What instances were, what they can be looked up by, and making all of an instance disappear.

use super::{Count, Place, instance::InstanceColumns};
use crate::postgres::{
    effects::{Effects, Written},
    rows::Keys,
};

/// Everything but messages.
pub(in super::super) const ERASE: &str = "\
    with k as materialized (
        select * from unnest($1::text[], $2::smallint[], $3::text[]) as k (tenant, kind, id)
    ), e as (
        delete from events t using k where t.tenant = k.tenant and t.kind = k.kind and t.id = k.id
    ), v as (
        delete from versions t using k
        where t.tenant = k.tenant and t.kind = k.kind and t.id = k.id
    ), w as (
        delete from terms t using k where t.tenant = k.tenant and t.kind = k.kind and t.id = k.id
    ), x as (
        delete from tasks t using k where t.tenant = k.tenant and t.kind = k.kind and t.id = k.id
    ), y as (
        delete from timers t using k where t.tenant = k.tenant and t.kind = k.kind and t.id = k.id
    )
    delete from instances t using k
    where t.tenant = k.tenant and t.kind = k.kind and t.id = k.id";

/// Comes before the update that replaces what it copies.
pub(in super::super) const KEEP_VERSIONS: &str = "\
    insert into versions (tenant, kind, id, version, updated_at, definition, definition_version,
        status, step, awaits, business_key, unique_key, state)
    select i.tenant, i.kind, i.id, i.version, i.updated_at, i.definition, i.definition_version,
        i.status, i.step, i.awaits, i.business_key, i.unique_key, i.state
    from unnest($1::text[], $2::smallint[], $3::text[]) as k (tenant, kind, id)
    join instances i on i.tenant = k.tenant and i.kind = k.kind and i.id = k.id";

pub(in super::super) const INSERT_VERSIONS: &str = "\
    insert into versions (tenant, kind, id, version, updated_at, definition, definition_version,
        status, step, awaits, business_key, unique_key, state)
    select k.tenant, k.kind, k.id, k.version, k.updated_at, k.definition, k.definition_version,
        k.status, k.step, k.awaits, k.business_key, k.unique_key, k.state
    from unnest($1::text[], $2::smallint[], $3::text[], $4::bigint[], $5::bigint[],
        $6::text[], $7::integer[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
        $13::bigint[], $14::text[])
        as k (tenant, kind, id, version, position, definition, definition_version, status, step,
            awaits, business_key, unique_key, updated_at, state)";

pub(in super::super) const DELETE_TERMS: &str = "\
    delete from terms t
    using unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bytea[])
        as k (tenant, kind, id, path, key)
    where t.tenant = k.tenant and t.kind = k.kind and t.id = k.id and t.path = k.path
        and t.key = k.key";

pub(in super::super) const INSERT_TERMS: &str = "\
    insert into terms (tenant, kind, id, path, key, definition, definition_version)
    select * from unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bytea[],
        $6::text[], $7::integer[])";

pub(super) async fn erase(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    if effects.erased.is_empty() {
        return Ok(0);
    }
    let keys: Keys<'_> = effects.erased.iter().copied().collect();
    let statement = &place.statements.erase;
    place.client.execute(statement, &[&keys.tenants, &keys.kinds, &keys.ids]).await
}

pub(super) async fn keep_versions(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    if effects.kept.is_empty() {
        return Ok(0);
    }
    let keys: Keys<'_> = effects.kept.iter().copied().collect();
    let statement = &place.statements.keep_versions;
    place.client.execute(statement, &[&keys.tenants, &keys.kinds, &keys.ids]).await
}

pub(super) async fn insert_versions(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    if effects.passed.is_empty() {
        return Ok(0);
    }
    let passed: Vec<&Written<'_>> = effects.passed.iter().collect();
    let columns = InstanceColumns::of(&passed);
    place.client.execute(&place.statements.insert_versions, &columns.parameters()).await
}

pub(super) async fn delete_terms(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let dropped = &effects.dropped_terms;
    if dropped.is_empty() {
        return Ok(0);
    }
    let keys: Keys<'_> = dropped.iter().map(|(key, _)| *key).collect();
    let paths: Vec<&str> = dropped.iter().map(|(_, it)| it.path.as_str()).collect();
    let terms: Vec<&[u8]> = dropped.iter().map(|(_, it)| it.key.as_slice()).collect();
    let statement = &place.statements.delete_terms;
    place.client.execute(statement, &[&keys.tenants, &keys.kinds, &keys.ids, &paths, &terms]).await
}

pub(super) async fn insert_terms(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let added = &effects.added_terms;
    if added.is_empty() {
        return Ok(0);
    }
    let keys: Keys<'_> = added.iter().map(|(key, ..)| *key).collect();
    let paths: Vec<&str> = added.iter().map(|(.., it)| it.path.as_str()).collect();
    let terms: Vec<&[u8]> = added.iter().map(|(.., it)| it.key.as_slice()).collect();
    let names: Vec<&str> = added.iter().map(|(_, it, _)| it.name.as_str()).collect();
    let versions: Vec<i32> = added.iter().map(|(_, it, _)| it.version).collect();
    let parameters: super::Parameters<'_> =
        vec![&keys.tenants, &keys.kinds, &keys.ids, &paths, &terms, &names, &versions];
    place.client.execute(&place.statements.insert_terms, &parameters).await
}
