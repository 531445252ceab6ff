//! `waypost history entity ID --audit`

use waypost_client::{
    Entities,
    entity::{AuditEvent, AuditQuery},
};

use crate::{
    exit::Failure,
    output::{Output, Tone, cell, table, toned},
};

/// How many the server gives at most at a time.
const PAGE: u32 = 1_000;

/// Shows what happened to an entity and what its workflow did, newest first.
pub(super) async fn audit(entities: &Entities, id: &str, output: Output) -> Result<(), Failure> {
    let events = all(entities, id).await?;
    if output.is_json {
        return output.json(&events);
    }
    let mut shown = table(&["AT", "WHAT", "STATE", "BY", "DETAIL", "TRANSACTION"]);
    for it in &events {
        let what = it.event_type.as_deref().or(it.change_type.as_deref());
        shown.add_row([
            toned(&it.utc_time.to_string(), Tone::Faint),
            cell(what.unwrap_or(&it.audit_event_type)),
            cell(it.state.as_deref().unwrap_or_default()),
            cell(it.actor.as_ref().map_or("", |it| &it.id)),
            cell(it.details.as_deref().unwrap_or_default()),
            cell(&it.transaction_id),
        ]);
    }
    output.table(shown)
}

async fn all(entities: &Entities, id: &str) -> Result<Vec<AuditEvent>, Failure> {
    let mut events = Vec::new();
    let mut next = Some(AuditQuery { limit: Some(PAGE), cursor: None });
    while let Some(query) = next.take() {
        let found = entities.audit(id, &query).await?;
        events.extend(found.items);
        let cursor = found.pagination.next_cursor;
        next = cursor.map(|it| AuditQuery { cursor: Some(it), ..query });
    }
    Ok(events)
}
