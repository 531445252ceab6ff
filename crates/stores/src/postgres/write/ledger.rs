//! What is only ever added: definitions and requests.

use super::{Count, Place};
use crate::postgres::effects::Effects;

pub(in super::super) const INSERT_DEFINITIONS: &str = "\
    insert into definitions (tenant, kind, name, version, body, created_at)
    select * from unnest($1::text[], $2::smallint[], $3::text[], $4::integer[], $5::text[],
        $6::bigint[])";

pub(in super::super) const INSERT_REQUESTS: &str = "\
    insert into requests (tenant, request, digest, receipt, made_at)
    select k.tenant, k.request, k.digest, k.receipt, $5::bigint
    from unnest($1::text[], $2::text[], $3::text[], $4::text[])
        as k (tenant, request, digest, receipt)";

pub(super) async fn insert_definitions(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let definitions = &effects.definitions;
    if definitions.is_empty() {
        return Ok(0);
    }
    let tenants: Vec<&str> = definitions.iter().map(|it| it.tenant.as_str()).collect();
    let kinds: Vec<i16> = definitions.iter().map(|it| it.kind.code()).collect();
    let names: Vec<&str> = definitions.iter().map(|it| it.which.name.as_str()).collect();
    let versions: Vec<i32> = definitions.iter().map(|it| it.which.version).collect();
    let bodies: Vec<&str> = definitions.iter().map(|it| it.body.as_str()).collect();
    let created: Vec<i64> = definitions.iter().map(|it| it.created_at.as_micros()).collect();
    let statement = &place.statements.insert_definitions;
    place.client.execute(statement, &[&tenants, &kinds, &names, &versions, &bodies, &created]).await
}

pub(super) async fn insert_requests(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let requests = &effects.requests;
    if requests.is_empty() {
        return Ok(0);
    }
    let tenants: Vec<&str> = requests.iter().map(|(it, _)| it.tenant.as_str()).collect();
    let ids: Vec<&str> = requests.iter().map(|(it, _)| it.id.as_str()).collect();
    let digests: Vec<&str> = requests.iter().map(|(it, _)| it.digest.as_str()).collect();
    let receipts: Vec<String> = requests
        .iter()
        .map(|(_, it)| serde_json::to_string(it).expect("a receipt has a JSON form"))
        .collect();
    let statement = &place.statements.insert_requests;
    place.client.execute(statement, &[&tenants, &ids, &digests, &receipts, &place.now]).await
}
