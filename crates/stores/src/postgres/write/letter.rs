//! Messages, and how sending them went.

use waypost_kernel::Delivery;

use super::{Count, Parameters, Place, by_name};
use crate::postgres::{effects::Effects, rows::Keys};

pub(in super::super) const DELETE_LETTERS: &str = "\
    delete from outbox o
    using unnest($1::text[], $2::smallint[], $3::text[], $4::text[])
        as k (tenant, kind, id, message)
    where o.tenant = k.tenant and o.kind = k.kind and o.id = k.id and o.message = k.message";

pub(in super::super) const UPDATE_LETTERS: &str = "\
    update outbox o
    set token = null, attempts = o.attempts + 1, dead = k.retry_at is null,
        available_at = coalesce(k.retry_at, o.available_at), error = k.error
    from unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bigint[], $6::text[])
        as k (tenant, kind, id, message, retry_at, error)
    where o.tenant = k.tenant and o.kind = k.kind and o.id = k.id and o.message = k.message";

/// A message that is there already stays as it is.
pub(in super::super) const INSERT_LETTERS: &str = "\
    insert into outbox (tenant, kind, id, message, event_type, occurred_at, payload, headers,
        attempts, available_at, dead)
    select k.tenant, k.kind, k.id, k.message, k.event_type, k.occurred_at, k.payload, k.headers,
        0, $9::bigint, false
    from unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::bigint[],
        $7::text[], $8::text[])
        as k (tenant, kind, id, message, event_type, occurred_at, payload, headers)
    on conflict (tenant, kind, id, message) do nothing";

pub(super) async fn delete_letters(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let keys: Keys<'_> = effects.sent.iter().map(|(key, _)| *key).collect();
    let ids: Vec<&str> = effects.sent.iter().map(|(_, id)| id.as_str()).collect();
    by_name(place, &place.statements.delete_letters, &keys, &ids).await
}

pub(super) async fn update_letters(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let unsent = &effects.unsent;
    if unsent.is_empty() {
        return Ok(0);
    }
    let keys: Keys<'_> = unsent.iter().map(|((key, _), _)| *key).collect();
    let ids: Vec<&str> = unsent.iter().map(|((_, id), _)| id.as_str()).collect();
    let (mut retries, mut errors) = (Vec::new(), Vec::new());
    for (_, delivery) in unsent {
        let (retry_at, error) = match delivery {
            Delivery::Failed { retry_at, error } => (Some(retry_at.as_micros()), Some(error)),
            Delivery::Dead { error } => (None, Some(error)),
            Delivery::Sent => (None, None),
        };
        retries.push(retry_at);
        errors.push(error.map(String::as_str));
    }
    let parameters: Parameters<'_> =
        vec![&keys.tenants, &keys.kinds, &keys.ids, &ids, &retries, &errors];
    place.client.execute(&place.statements.update_letters, &parameters).await
}

pub(super) async fn insert_letters(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let posted = &effects.posted;
    if posted.is_empty() {
        return Ok(0);
    }
    let keys: Keys<'_> = posted.iter().map(|(key, _)| *key).collect();
    let ids: Vec<&str> = posted.iter().map(|(_, it)| it.id.as_str()).collect();
    let types: Vec<&str> = posted.iter().map(|(_, it)| it.event_type.as_str()).collect();
    let occurred: Vec<i64> = posted.iter().map(|(_, it)| it.occurred_at.as_micros()).collect();
    let payloads: Vec<&str> = posted.iter().map(|(_, it)| it.payload.as_str()).collect();
    let headers: Vec<String> = posted
        .iter()
        .map(|(_, it)| serde_json::to_string(&it.headers).expect("headers have a JSON form"))
        .collect();
    let parameters: Parameters<'_> = vec![
        &keys.tenants,
        &keys.kinds,
        &keys.ids,
        &ids,
        &types,
        &occurred,
        &payloads,
        &headers,
        &place.now,
    ];
    place.client.execute(&place.statements.insert_letters, &parameters).await
}
