//! States and histories.

use waypost_kernel::Key;

use super::{Count, Parameters, Place};
use crate::postgres::{
    effects::{Effects, Written},
    rows::{Keys, signed},
};

pub(in super::super) const INSERT_INSTANCES: &str = "\
    insert into instances (tenant, kind, id, version, position, definition, definition_version,
        status, step, awaits, business_key, unique_key, updated_at, state, created_at)
    select * from unnest($1::text[], $2::smallint[], $3::text[], $4::bigint[], $5::bigint[],
        $6::text[], $7::integer[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
        $13::bigint[], $14::text[], $15::bigint[])";

pub(in super::super) const UPDATE_INSTANCES: &str = "\
    update instances i
    set version = k.version, position = k.position, definition = k.definition,
        definition_version = k.definition_version, status = k.status, step = k.step,
        awaits = k.awaits, business_key = k.business_key, unique_key = k.unique_key,
        updated_at = k.updated_at, state = k.state
    from unnest($1::text[], $2::smallint[], $3::text[], $4::bigint[], $5::bigint[],
        $6::text[], $7::integer[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
        $13::bigint[], $14::text[])
        as k (tenant, kind, id, version, position, definition, definition_version, status, step,
            awaits, business_key, unique_key, updated_at, state)
    where i.tenant = k.tenant and i.kind = k.kind and i.id = k.id";

pub(in super::super) const INSERT_EVENTS: &str = "\
    insert into events (tenant, kind, id, version, stream, position, happened_at, events)
    select k.tenant, k.kind, k.id, k.version, $4::bigint, k.position, k.happened_at, k.events
    from unnest($1::text[], $2::smallint[], $3::text[], $5::bigint[], $6::bigint[], $7::bigint[],
        $8::text[]) as k (tenant, kind, id, version, position, happened_at, events)";

pub(super) async fn insert_instances(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let begun = |it: &(&&Key, &Written<'_>)| it.1.begun_at.is_some();
    let written: Vec<&Written<'_>> =
        effects.instances.iter().filter(begun).map(|(_, it)| it).collect();
    if written.is_empty() {
        return Ok(0);
    }
    let created: Vec<i64> =
        written.iter().filter_map(|it| it.begun_at).map(|it| it.as_micros()).collect();
    let columns = InstanceColumns::of(&written);
    let mut parameters = columns.parameters();
    parameters.push(&created);
    place.client.execute(&place.statements.insert_instances, &parameters).await
}

pub(super) async fn update_instances(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let written: Vec<&Written<'_>> =
        effects.instances.values().filter(|it| it.begun_at.is_none()).collect();
    if written.is_empty() {
        return Ok(0);
    }
    let columns = InstanceColumns::of(&written);
    place.client.execute(&place.statements.update_instances, &columns.parameters()).await
}

pub(super) async fn insert_events(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let events = &effects.events;
    if events.is_empty() {
        return Ok(0);
    }
    let keys: Keys<'_> = events.iter().map(|(it, ..)| &it.key).collect();
    let versions: Vec<i64> = events.iter().map(|(it, ..)| signed(it.version.0)).collect();
    let positions: Vec<i64> = events.iter().map(|(.., position)| signed(*position)).collect();
    let happened: Vec<i64> = events.iter().map(|(_, at, _)| at.as_micros()).collect();
    let texts: Vec<&str> = events.iter().map(|(it, ..)| it.events.as_str()).collect();
    let parameters: Parameters<'_> = vec![
        &keys.tenants,
        &keys.kinds,
        &keys.ids,
        &place.stream,
        &versions,
        &positions,
        &happened,
        &texts,
    ];
    place.client.execute(&place.statements.insert_events, &parameters).await
}

/// New states as arrays, one per column.
pub(super) struct InstanceColumns<'a> {
    keys: Keys<'a>,
    versions: Vec<i64>,
    positions: Vec<i64>,
    definitions: Vec<Option<&'a str>>,
    definition_versions: Vec<Option<i32>>,
    statuses: Vec<&'a str>,
    steps: Vec<Option<&'a str>>,
    awaits: Vec<Option<&'a str>>,
    business_keys: Vec<Option<&'a str>>,
    unique_keys: Vec<Option<&'a str>>,
    updated: Vec<i64>,
    states: Vec<&'a str>,
}

impl<'a> InstanceColumns<'a> {
    pub(super) fn of(written: &[&Written<'a>]) -> Self {
        let writes = || written.iter().map(|it| it.write);
        let definitions = || writes().map(|it| it.facets.definition.as_ref());
        Self {
            keys: writes().map(|it| &it.key).collect(),
            versions: writes().map(|it| signed(it.version.0)).collect(),
            positions: written.iter().map(|it| signed(it.position)).collect(),
            definitions: definitions().map(|it| it.map(|it| it.name.as_str())).collect(),
            definition_versions: definitions().map(|it| it.map(|it| it.version)).collect(),
            statuses: writes().map(|it| it.facets.status.as_str()).collect(),
            steps: writes().map(|it| it.facets.step.as_deref()).collect(),
            awaits: writes().map(|it| it.facets.awaits.as_deref()).collect(),
            business_keys: writes().map(|it| it.facets.business_key.as_deref()).collect(),
            unique_keys: writes().map(|it| it.facets.unique_key.as_deref()).collect(),
            updated: written.iter().map(|it| it.at.as_micros()).collect(),
            states: writes().map(|it| it.state.as_str()).collect(),
        }
    }

    pub(super) fn parameters(&self) -> Parameters<'_> {
        vec![
            &self.keys.tenants,
            &self.keys.kinds,
            &self.keys.ids,
            &self.versions,
            &self.positions,
            &self.definitions,
            &self.definition_versions,
            &self.statuses,
            &self.steps,
            &self.awaits,
            &self.business_keys,
            &self.unique_keys,
            &self.updated,
            &self.states,
        ]
    }
}
