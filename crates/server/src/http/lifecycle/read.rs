//! Types, entities, and how they got where they are.

use std::collections::{BTreeMap, HashSet};

use axum::{
    extract::Query,
    http::{HeaderName, HeaderValue, Uri},
    response::Response,
};
use serde_json::Value;
use waypost_api::lifecycle::Type;
use waypost_lifecycle::{DynManager, ListOptions, Snapshot, WorkflowDef};

use super::{Answer, failure::Denied, json};
use crate::lifecycle::Gateway;

/// Entities of one answer; `offset` leads to those behind.
const LIST_MAX: usize = 10_000;

/// Says that there are more entities than an answer has.
const MORE: HeaderName = HeaderName::from_static("waypost-more");

pub(super) async fn types(gateway: &Gateway) -> Answer {
    let mut types = Vec::new();
    for definition in gateway.lifecycles.list_workflows() {
        types.push(with_counts(&gateway.lifecycles, definition).await);
    }
    Ok(json(types))
}

async fn with_counts(lifecycles: &DynManager, definition: WorkflowDef) -> Type {
    let counts = lifecycles.counts_by_phase(&definition.workflow).await;
    let (counts_by_phase, counts_error) = match counts {
        Ok(counts) => (counts, None),
        Err(error) => {
            tracing::error!(workflow = definition.workflow, %error, "entities cannot be counted");
            (BTreeMap::new(), Some(error.public_message()))
        }
    };
    let owned = |phases: Vec<&str>| phases.into_iter().map(str::to_owned).collect();
    Type {
        phases: owned(definition.transitions.phases()),
        terminal_phases: owned(definition.transitions.terminal_phases()),
        workflow: definition.workflow,
        kv_bucket: definition.kv_bucket,
        operator_writable_fields: definition.operator_writable_fields,
        counts_by_phase,
        counts_error,
    }
}

pub(super) async fn list(gateway: &Gateway, of: &str, uri: &Uri) -> Answer {
    let lifecycles = &gateway.lifecycles;
    let query = pairs(uri)?;
    if query.iter().any(|(name, value)| name == "definition" && value == "true") {
        let definition = lifecycles.get_workflow_definition(of);
        return definition.map(json).map_err(|error| Denied::of("definition", &error));
    }
    // An unknown type is told before a mistake in what is asked of it.
    lifecycles.get_workflow_definition(of).map_err(|error| Denied::of("list", &error))?;
    let mut options = options(lifecycles, of, &query)?;
    let wanted = at_most(options.limit);
    options.limit = wanted + 1;
    let found = lifecycles.list(of, &options).await.map_err(|it| Denied::of("list", &it))?;
    Ok(some(found, wanted, View::of(uri)))
}

/// How many entities are wanted, if so many were asked for; zero asks for all.
fn at_most(limit: usize) -> usize {
    if limit == 0 { LIST_MAX } else { limit.min(LIST_MAX) }
}

/// As many as are wanted, and whether there are more.
fn some(mut found: Vec<Snapshot<Value>>, wanted: usize, view: View) -> Response {
    let is_more = found.len() > wanted;
    found.truncate(wanted);
    let mut answer = shown(found, view);
    if is_more {
        answer.headers_mut().insert(MORE, HeaderValue::from_static("true"));
    }
    answer
}

pub(super) fn pairs(uri: &Uri) -> Result<Vec<(String, String)>, Denied> {
    let query = Query::<Vec<(String, String)>>::try_from_uri(uri);
    query.map(|it| it.0).map_err(|error| Denied::bad("list", error.body_text()))
}

/// The first of several values counts; what nobody knows is passed over.
fn options(
    lifecycles: &DynManager,
    of: &str,
    query: &[(String, String)],
) -> Result<ListOptions, Denied> {
    let (mut options, mut seen) = (ListOptions::default(), HashSet::new());
    for (name, value) in query.iter().filter(|(name, _)| seen.insert(name.as_str())) {
        match name.as_str() {
            "phase" => options.phase.clone_from(value),
            "active" => options.active = value == "true",
            "limit" => options.limit = number("list", name, value)?,
            "offset" => options.offset = number("list", name, value)?,
            name => {
                let Some(field) = name.strip_prefix("match.") else { continue };
                let value = lifecycles.match_of_text(of, field, value);
                let value = value.map_err(|error| Denied::of("list", &error))?;
                options.matches.insert(field.to_owned(), value);
            }
        }
    }
    Ok(options)
}

fn number(label: &str, name: &str, text: &str) -> Result<usize, Denied> {
    let problem = || format!("{name} must be a number that is not negative, not {text:?}");
    text.parse().map_err(|_| Denied::bad(label, problem()))
}

pub(super) async fn show(gateway: &Gateway, of: &str, id: &str, view: View) -> Answer {
    let found = gateway.lifecycles.get(of, id).await;
    found.map(|it| json(view.of_entity(it))).map_err(|error| Denied::of("get", &error))
}

pub(super) async fn history(gateway: &Gateway, of: &str, id: &str) -> Answer {
    let events = gateway.lifecycles.history(of, id).await;
    events.map(json).map_err(|error| Denied::of("history", &error))
}

pub(super) async fn children(gateway: &Gateway, id: &str, uri: &Uri) -> Answer {
    const LABEL: &str = "children";
    let query = pairs(uri)?;
    let asked = |wanted: &str| {
        let asked = query.iter().find(|(name, _)| name == wanted);
        asked.map_or(Ok(0), |(name, text)| number(LABEL, name, text))
    };
    let (offset, wanted) = (asked("offset")?, at_most(asked("limit")?));
    let found = gateway.lifecycles.children_page(id, offset, wanted + 1).await;
    let found = found.map_err(|error| Denied::of(LABEL, &error))?;
    Ok(some(found, wanted, View::of(uri)))
}

fn shown(found: Vec<Snapshot<Value>>, view: View) -> Response {
    json(found.into_iter().map(|it| view.of_entity(it)).collect::<Vec<Value>>())
}

/// How much of an entity is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// What its program stores.
    Value,
    /// That, with what is known about it.
    Snapshot,
}

impl View {
    pub(super) fn of(uri: &Uri) -> Self {
        if has(uri, "snapshot") { Self::Snapshot } else { Self::Value }
    }

    pub(super) fn of_entity(self, entity: Snapshot<Value>) -> Value {
        match self {
            Self::Value => entity.value,
            // A snapshot is made of nothing that has no JSON form.
            Self::Snapshot => serde_json::to_value(entity).unwrap_or_default(),
        }
    }
}

/// Whether a flag is set in the query.
pub(super) fn has(uri: &Uri, wanted: &str) -> bool {
    let query = pairs(uri).unwrap_or_default();
    query.iter().any(|(name, value)| name == wanted && value == "true")
}
