//! What happened to entities.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::entity::Timestamp;

/// Events, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AuditPage<'a> {
    /// The events.
    pub items: Vec<AuditItem<'a>>,
    /// Whether there are more.
    pub pagination: Pagination,
}

/// Whether there are more events.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    /// Whether there are.
    pub has_next: bool,
    /// Where to go on, if there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One event.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum AuditItem<'a> {
    /// The machine did something.
    Machine(MachineEvent<'a>),
    /// The entity has another version.
    Change(EntityChange<'a>),
}

/// Something the machine did.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MachineEvent<'a> {
    /// `StateMachine`.
    pub audit_event_type: &'static str,
    /// What it did.
    pub event_type: &'a str,
    /// `INFO`.
    pub severity: &'static str,
    /// When the transaction landed.
    #[schema(value_type = String, format = DateTime)]
    pub utc_time: Timestamp,
    /// The same in microseconds since 1970.
    pub micros_time: i64,
    /// The entity.
    pub entity_id: &'a str,
    /// The transaction.
    pub transaction_id: &'a str,
    /// Where the entity was then.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub state: &'a str,
    /// What people read.
    pub details: &'a str,
    /// What programs read.
    #[schema(value_type = Option<Object>)]
    pub data: Option<&'a RawValue>,
}

/// A new version of an entity.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntityChange<'a> {
    /// `EntityChange`.
    pub audit_event_type: &'static str,
    /// `CREATED`, `UPDATED` or `DELETED`.
    pub change_type: &'static str,
    /// `INFO`.
    pub severity: &'static str,
    /// Whether nobody asked for it.
    pub system: bool,
    /// When it landed.
    #[schema(value_type = String, format = DateTime)]
    pub utc_time: Timestamp,
    /// The same in microseconds since 1970.
    pub micros_time: i64,
    /// The entity.
    pub entity_id: &'a str,
    /// The transaction.
    pub transaction_id: &'a str,
    /// Who caused it.
    pub actor: Actor<'a>,
}

/// Who caused a change.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Actor<'a> {
    /// The user.
    pub id: &'a str,
    /// The user.
    pub name: &'a str,
    /// The tenant.
    pub legal_id: &'a str,
}
