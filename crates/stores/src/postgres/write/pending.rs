//! Tasks and timers.

use waypost_kernel::{Lease, Task, Timer};

use super::{Count, Parameters, Place, by_name};
use crate::postgres::{
    effects::{Effects, TaskEffect},
    rows::{Keys, signed},
};

pub(in super::super) const DELETE_TASKS: &str = "\
    delete from tasks t
    using unnest($1::text[], $2::smallint[], $3::text[], $4::text[]) as k (tenant, kind, id, task)
    where t.tenant = k.tenant and t.kind = k.kind and t.id = k.id and t.task = k.task";

pub(in super::super) const HOLD_TASKS: &str = "\
    update tasks t
    set token = case when k.until is null then null else t.token end,
        worker = case when k.until is null then null else t.worker end,
        lease_until = k.until
    from unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bigint[])
        as k (tenant, kind, id, task, until)
    where t.tenant = k.tenant and t.kind = k.kind and t.id = k.id and t.task = k.task";

pub(in super::super) const PUT_TASKS: &str = "\
    insert into tasks (tenant, kind, id, task, queue, family, ready_at, version, token, worker,
        lease_until)
    select * from unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::text[],
        $6::text[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::bigint[])
    on conflict (tenant, kind, id, task) do update
    set queue = excluded.queue, family = excluded.family, ready_at = excluded.ready_at,
        version = excluded.version, token = excluded.token, worker = excluded.worker,
        lease_until = excluded.lease_until";

pub(in super::super) const DELETE_TIMERS: &str = "\
    delete from timers t
    using unnest($1::text[], $2::smallint[], $3::text[], $4::text[]) as k (tenant, kind, id, timer)
    where t.tenant = k.tenant and t.kind = k.kind and t.id = k.id and t.timer = k.timer";

pub(in super::super) const PUT_TIMERS: &str = "\
    insert into timers (tenant, kind, id, timer, due_at, command)
    select * from unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bigint[],
        $6::text[])
    on conflict (tenant, kind, id, timer) do update
    set due_at = excluded.due_at, command = excluded.command";

pub(super) async fn delete_tasks(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let (mut keys, mut ids) = (Keys::default(), Vec::new());
    for (at, effect) in &effects.tasks {
        if matches!(effect, TaskEffect::Drop) {
            keys.push(&at.key);
            ids.push(at.id.as_str());
        }
    }
    by_name(place, &place.statements.delete_tasks, &keys, &ids).await
}

pub(super) async fn hold_tasks(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let (mut keys, mut ids, mut ends) = (Keys::default(), Vec::new(), Vec::new());
    for (at, effect) in &effects.tasks {
        let end = match effect {
            TaskEffect::Hold { until } => Some(until.as_micros()),
            TaskEffect::Free => None,
            TaskEffect::Put { .. } | TaskEffect::Drop => continue,
        };
        keys.push(&at.key);
        ids.push(at.id.as_str());
        ends.push(end);
    }
    if ids.is_empty() {
        return Ok(0);
    }
    let parameters: Parameters<'_> = vec![&keys.tenants, &keys.kinds, &keys.ids, &ids, &ends];
    place.client.execute(&place.statements.hold_tasks, &parameters).await
}

pub(super) async fn put_tasks(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let put = |effect: &'_ _| match effect {
        TaskEffect::Put { task, lease } => Some((*task, lease.clone())),
        TaskEffect::Drop | TaskEffect::Hold { .. } | TaskEffect::Free => None,
    };
    let tasks: Vec<(&Task, Option<Lease>)> = effects.tasks.values().filter_map(put).collect();
    if tasks.is_empty() {
        return Ok(0);
    }
    let keys: Keys<'_> = tasks.iter().map(|(it, _)| &it.at.key).collect();
    let ids: Vec<&str> = tasks.iter().map(|(it, _)| it.at.id.as_str()).collect();
    let queues: Vec<&str> = tasks.iter().map(|(it, _)| it.queue.as_str()).collect();
    let families: Vec<&str> = tasks.iter().map(|(it, _)| it.family.as_str()).collect();
    let ready: Vec<i64> = tasks.iter().map(|(it, _)| it.ready_at.as_micros()).collect();
    let versions: Vec<i64> = tasks.iter().map(|(it, _)| signed(it.version.0)).collect();
    let leases = || tasks.iter().map(|(_, lease)| lease.as_ref());
    let tokens: Vec<Option<&str>> = leases().map(|it| it.map(|it| it.token.as_str())).collect();
    let workers: Vec<Option<&str>> = leases().map(|it| it.map(|it| it.worker.as_str())).collect();
    let ends: Vec<Option<i64>> = leases().map(|it| it.map(|it| it.until.as_micros())).collect();
    let parameters: Parameters<'_> = vec![
        &keys.tenants,
        &keys.kinds,
        &keys.ids,
        &ids,
        &queues,
        &families,
        &ready,
        &versions,
        &tokens,
        &workers,
        &ends,
    ];
    place.client.execute(&place.statements.put_tasks, &parameters).await
}

pub(super) async fn delete_timers(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let (mut keys, mut ids) = (Keys::default(), Vec::new());
    for (at, _) in effects.timers.iter().filter(|(_, armed)| armed.is_none()) {
        keys.push(&at.key);
        ids.push(at.id.as_str());
    }
    by_name(place, &place.statements.delete_timers, &keys, &ids).await
}

pub(super) async fn put_timers(place: &Place<'_>, effects: &Effects<'_>) -> Count {
    let timers: Vec<&Timer> = effects.timers.values().filter_map(|it| *it).collect();
    if timers.is_empty() {
        return Ok(0);
    }
    let keys: Keys<'_> = timers.iter().map(|it| &it.at.key).collect();
    let ids: Vec<&str> = timers.iter().map(|it| it.at.id.as_str()).collect();
    let due: Vec<i64> = timers.iter().map(|it| it.due_at.as_micros()).collect();
    let commands: Vec<&str> = timers.iter().map(|it| it.command.as_str()).collect();
    let parameters: Parameters<'_> =
        vec![&keys.tenants, &keys.kinds, &keys.ids, &ids, &due, &commands];
    place.client.execute(&place.statements.put_timers, &parameters).await
}
