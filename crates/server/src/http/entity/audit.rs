//! What happened to entities, and what the machine did about it.

use axum::response::Response;
use waypost_api::entity::http::{
    Actor, AuditItem, AuditPage, EntityChange, MachineEvent, Pagination,
};
use waypost_engine::{
    entity::{self, AuditQuery, AuditWhat},
    limits::AUDIT_MAX,
};

use super::{
    answer::json,
    asker::Asker,
    convert::{change_type, time},
    params::{Asked, InPath, bad},
    problem::Failure,
};

/// Events of a page unless the client says otherwise.
const PAGE_SIZE: usize = 20;

/// All events are as grave as this.
const SEVERITY: &str = "INFO";

/// What happened to an entity, newest first.
#[utoipa::path(
    get, path = "/api/audit/entity/{entityId}", tag = "Entity audit",
    params(
        ("entityId" = String, Path, description = "The entity's id"),
        ("eventType" = Option<Vec<String>>, Query,
            description = "StateMachine, EntityChange, System; the first two unless given"),
        ("severity" = Option<String>, Query, description = "ERROR, INFO, WARN or DEBUG"),
        ("fromUtcTime" = Option<String>, Query, description = "From then on"),
        ("toUtcTime" = Option<String>, Query, description = "Before then"),
        ("transactionId" = Option<String>, Query, description = "Of that transaction"),
        ("limit" = Option<String>, Query, description = "How many; 20 unless given, at most 1000"),
        ("cursor" = Option<String>, Query, description = "The nextCursor of the page before"),
    ),
    responses(
        (status = 200, description = "One page", body = AuditPage<'_>),
        (status = 404, description = "It has never existed: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn list(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
) -> Result<Response, Failure> {
    let (id, query) = (path.id("entityId")?, query(&asked)?);
    let page = entities.audit(&id, &query).await?;
    let tenant = entities.caller().tenant.to_string();
    let items = page.items.iter().map(|it| item(it, id.as_str(), &tenant)).collect();
    let next_cursor = page.next.map(|it| it.to_string());
    let pagination = Pagination { has_next: next_cursor.is_some(), next_cursor };
    json(&AuditPage { items, pagination })
}

/// The event that ended the machine's run on an entity in a transaction.
#[utoipa::path(
    get, path = "/api/audit/entity/{entityId}/workflow/{transactionId}/finished",
    tag = "Entity audit",
    params(
        ("entityId" = String, Path, description = "The entity's id"),
        ("transactionId" = String, Path, description = "The transaction's id"),
    ),
    responses(
        (status = 200, description = "The event", body = MachineEvent<'_>),
        (status = 404, description = "There is none: ENTITY_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn finished(
    Asker(entities): Asker,
    path: InPath,
) -> Result<Response, Failure> {
    let (id, transaction) = (path.id("entityId")?, path.id("transactionId")?);
    let found = entities.finished(&id, transaction.as_str()).await?;
    json(&item(&found, id.as_str(), &entities.caller().tenant.to_string()))
}

fn query(asked: &Asked) -> Result<AuditQuery, Failure> {
    let kinds: Vec<&str> = asked.all("eventType").collect();
    let is_grave_enough = asked.text("severity").is_none_or(|it| it == SEVERITY);
    let has = |kind| is_grave_enough && (kinds.is_empty() || kinds.contains(&kind));
    Ok(AuditQuery {
        has_machine: has("StateMachine"),
        has_changes: has("EntityChange"),
        from: asked.time("fromUtcTime")?,
        until: asked.time("toUtcTime")?,
        transaction: asked.id("transactionId")?,
        limit: limit(asked)?,
        // What is no place is the beginning.
        cursor: asked.text("cursor").and_then(|it| it.parse().ok()),
    })
}

fn limit(asked: &Asked) -> Result<usize, Failure> {
    let Some(text) = asked.text("limit") else { return Ok(PAGE_SIZE) };
    match text.parse::<u128>() {
        Ok(limit) if limit > 0 => Ok(usize::try_from(limit).unwrap_or(AUDIT_MAX).min(AUDIT_MAX)),
        Ok(_) | Err(_) => Err(bad("limit", "must be a whole number from 1 on", text)),
    }
}

fn item<'a>(item: &'a entity::AuditItem, entity_id: &'a str, tenant: &'a str) -> AuditItem<'a> {
    let (utc_time, micros_time) = (time(item.at), item.at.as_micros());
    match &item.what {
        AuditWhat::Machine { event, state, details, facts } => AuditItem::Machine(MachineEvent {
            audit_event_type: "StateMachine",
            event_type: event,
            severity: SEVERITY,
            utc_time,
            micros_time,
            entity_id,
            transaction_id: &item.transaction,
            state,
            details,
            data: facts.as_ref().map(waypost_kernel::Json::raw),
        }),
        AuditWhat::Change(change) => AuditItem::Change(EntityChange {
            audit_event_type: "EntityChange",
            change_type: change_type(change.kind),
            severity: SEVERITY,
            system: false,
            utc_time,
            micros_time,
            entity_id,
            transaction_id: &item.transaction,
            actor: Actor { id: &change.user, name: &change.user, legal_id: tenant },
        }),
    }
}
