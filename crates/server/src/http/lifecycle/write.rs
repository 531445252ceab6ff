//! What operators change: fields that were declared for them, and the phase along its table.

use axum::{extract::Request, http::Uri, response::Response};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use waypost_api::{
    Document,
    forecast::{Forecast, ForeseenInstance},
    lifecycle::{Done, Transition},
};
use waypost_lifecycle::{MoveTo, Snapshot, Source};

use super::{Answer, failure::Denied, json};
use crate::{
    http::{app::App, body::read_within, dry_run::asked},
    lifecycle::Gateway,
};

/// Characters of a note: it is kept with the entity, for each of its last moves.
const NOTE_MAX: usize = 1_000;

/// Writes fields, all or none.
pub(super) async fn patch(
    (app, gateway): (&App, &Gateway),
    (of, id): (&str, &str),
    request: Request,
) -> Answer {
    const LABEL: &str = "state_patch";
    let is_dry = is_dry(LABEL, request.uri())?;
    let patch: Map<String, Value> = body(LABEL, (app, gateway), request).await?;
    if is_dry {
        let foreseen = gateway.lifecycles.foresee_update(of, id, &patch).await;
        return foretold(LABEL, foreseen);
    }
    // Nothing to write is fine for the library, which then asks for nothing; an operator who
    // mistyped the name of an entity is told.
    if patch.is_empty() {
        gateway.lifecycles.get(of, id).await.map_err(|error| Denied::of(LABEL, &error))?;
    }
    let written = gateway.lifecycles.update_from_operator(of, id, &patch).await;
    written.map_err(|error| Denied::of(LABEL, &error))?;
    Ok(json(Done { ok: true, phase: None }))
}

/// Moves an entity along its table.
pub(super) async fn transition(
    (app, gateway): (&App, &Gateway),
    (of, id): (&str, &str),
    request: Request,
) -> Answer {
    const LABEL: &str = "transition";
    let is_dry = is_dry(LABEL, request.uri())?;
    let Transition { phase, note } = body(LABEL, (app, gateway), request).await?;
    let (phase, note) = (phase.trim(), note.unwrap_or_default());
    if phase.is_empty() {
        return Err(Denied::bad(LABEL, "phase is required"));
    }
    if note.chars().count() > NOTE_MAX {
        return Err(Denied::bad(LABEL, format!("note must have at most {NOTE_MAX} characters")));
    }
    let to = MoveTo { phase, source: Source::Operator, note: &note };
    if is_dry {
        return foretold(LABEL, gateway.lifecycles.foresee_transition(of, id, to).await);
    }
    let moved = gateway.lifecycles.transition(of, id, to).await;
    moved.map_err(|error| Denied::of(LABEL, &error))?;
    Ok(json(Done { ok: true, phase: Some(phase.to_owned()) }))
}

/// Whether only what would come of it is wanted.
fn is_dry(label: &str, uri: &Uri) -> Result<bool, Denied> {
    match asked(uri).as_deref() {
        None | Some("false") => Ok(false),
        Some("true" | "") => Ok(true),
        Some(other) => {
            Err(Denied::bad(label, format!("dryRun must be true or false, is {other:?}")))
        }
    }
}

/// What would be written. The revision is the one it was decided from: which the next one will be
/// only the bucket knows.
fn foretold(
    label: &str,
    foreseen: Result<Snapshot<Value>, waypost_lifecycle::Error>,
) -> Result<Response, Denied> {
    let entity = foreseen.map_err(|error| Denied::of(label, &error))?;
    let document =
        |it: &Value| Document::of(it).map_err(|error| Denied::bad(label, error.to_string()));
    let instance = ForeseenInstance {
        instance_id: entity.entity_id,
        face: "lifecycle".to_owned(),
        version: entity.revision.0,
        status: entity.phase,
        steps: Vec::new(),
        state: document(&entity.value)?,
        events: document(&Value::Array(Vec::new()))?,
    };
    Ok(json(Forecast { dry_run: true, instances: vec![instance], ..Forecast::default() }))
}

async fn body<T: DeserializeOwned>(
    label: &str,
    (app, gateway): (&App, &Gateway),
    request: Request,
) -> Result<T, Denied> {
    let text = read_within(request, app, gateway.options.body_max).await;
    let text = text.map_err(|refusal| Denied::at_the_edge(label, &refusal))?;
    serde_json::from_slice(&text)
        .map_err(|error| Denied::bad(label, format!("the body cannot be read: {error}")))
}
