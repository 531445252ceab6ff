//! Many entities at once: created in parts, updated all or none.

use axum::response::Response;
use waypost_api::entity::http::{
    EntityUpdate, NewEntity, StaleChunk, StaleChunkError, Transaction, Written,
};
use waypost_engine::entity::{Entities, Fault, Item, Refusal};
use waypost_kernel::DefinitionRef;

use super::{
    answer::{json, warned},
    asker::Asker,
    body::{Text, json as document, unsupported},
    convert::transaction,
    params::{Asked, InPath, id},
    problem::Failure,
};

/// How many entities a transaction takes unless the client says otherwise, and at the most.
const WINDOW: u32 = 100;
const WINDOW_MAX: u32 = 1_000;

/// Creates entities of several models.
#[utoipa::path(
    post, path = "/api/entity/{idOrFormat}", tag = "Entities",
    params(
        ("idOrFormat" = String, Path, description = "JSON"),
        ("transactionWindow" = Option<u32>, Query,
            description = "How many of them one transaction takes; 100 unless given, at most 1000"),
    ),
    request_body = [NewEntity],
    responses(
        (status = 200, description = "What was written, one item for each transaction; the last \
            one tells where it ended if not all could be written", body = [Written]),
        (status = 404, description = "No such model: MODEL_NOT_FOUND"),
    ),
)]
pub(in crate::http) async fn create(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
    text: Text,
) -> Result<Response, Failure> {
    only_json(&path)?;
    let window = window(&asked)?;
    let given: Vec<NewEntity> = text.parse()?;
    let mut items = Vec::with_capacity(given.len());
    for (index, NewEntity { model, payload }) in given.into_iter().enumerate() {
        let model = DefinitionRef { name: model.name, version: model.version };
        let value = match document(&payload) {
            Ok(value) => value,
            Err(failure) => {
                // Whatever is wrong with those before it comes first.
                let checked = entities.check_new(&items).await;
                checked.map_err(|it| placed(it, 0, items.len()))?;
                return Err(failure.at(&format!("item {index}")));
            }
        };
        items.push(Item::Create { model, value });
    }
    write(&entities, items, window).await
}

/// Gives entities other values and takes them through transitions: all of them, or none.
#[utoipa::path(
    put, path = "/api/entity/{idOrFormat}", tag = "Entities",
    params(
        ("idOrFormat" = String, Path, description = "JSON"),
        ("transactionWindow" = Option<u32>, Query,
            description = "How many there may be; 100 unless given, at most 1000"),
    ),
    request_body = [EntityUpdate],
    responses(
        (status = 200, description = "What was written", body = [Transaction]),
        (status = 404, description = "No such entity or transition"),
        (status = 412, description = "Another transaction has saved one: ENTITY_MODIFIED"),
    ),
)]
pub(in crate::http) async fn update(
    Asker(entities): Asker,
    path: InPath,
    asked: Asked,
    text: Text,
) -> Result<Response, Failure> {
    only_json(&path)?;
    let window = window(&asked)?;
    let given: Vec<EntityUpdate> = text.parse()?;
    if given.is_empty() || given.len() > window {
        let text = format!("a collection has 1 to {window} items, this one has {}", given.len());
        return Err(Failure::bad_request(text));
    }
    let mut items = Vec::with_capacity(given.len());
    for (index, update) in given.into_iter().enumerate() {
        items.push(item(update).map_err(|it| it.at(&format!("item {index}")))?);
    }
    let written = entities.write(&items).await.map_err(|it| placed(it, 0, items.len()))?;
    Ok(warned(json(&[transaction(&written)])?, &written.warnings))
}

fn item(update: EntityUpdate) -> Result<Item, Failure> {
    let EntityUpdate { id: name, payload, transition, if_match } = update;
    let given = |it: &String| !it.is_empty();
    Ok(Item::Update {
        id: id("id", &name)?.into(),
        value: Some(document(&payload)?),
        transition: transition.filter(given),
        if_match: if_match.filter(|it| given(it) && it != "*"),
    })
}

/// Writes part after part, each in a transaction of its own.
pub(super) async fn write(
    entities: &Entities,
    items: Vec<Item>,
    window: usize,
) -> Result<Response, Failure> {
    let (mut done, mut warnings) = (Vec::new(), Vec::new());
    if items.is_empty() {
        let written = entities.write(&[]).await?;
        return json(&[transaction(&written)]);
    }
    for (chunk_index, part) in items.chunks(window).enumerate() {
        let first = chunk_index * window;
        match entities.write(part).await.map_err(|it| placed(it, first, part.len())) {
            Ok(written) => {
                done.push(Written::Done(transaction(&written)));
                warnings.extend(written.warnings);
            }
            // Nothing has been written.
            Err(fault) if chunk_index == 0 => return Err(fault.into()),
            Err(fault) => {
                if let Fault::Refused(refusal) = &fault {
                    warnings.extend_from_slice(&refusal.warnings);
                }
                let (code, message) = Failure::from(fault).told();
                let error = StaleChunkError { code: code.to_owned(), message, chunk_index };
                done.push(Written::Failed(StaleChunk { error }));
                break;
            }
        }
    }
    Ok(warned(json(&done)?, &warnings))
}

/// How many items one transaction takes.
pub(super) fn window(asked: &Asked) -> Result<usize, Failure> {
    let window = asked.number("transactionWindow", WINDOW, 1..=WINDOW_MAX)?;
    Ok(usize::try_from(window).unwrap_or(usize::MAX))
}

fn only_json(path: &InPath) -> Result<(), Failure> {
    match path.text("idOrFormat") {
        "JSON" => Ok(()),
        other => Err(unsupported(other, "JSON")),
    }
}

/// The engine counts within a transaction; clients count all of their items.
pub(crate) fn placed(fault: Fault, first: usize, n_items: usize) -> Fault {
    let Fault::Refused(refusal) = fault else { return fault };
    let within = |text: &str| {
        let (index, text) = text.strip_prefix("item ")?.split_once(": ")?;
        Some((index.parse::<usize>().ok()?, text.to_owned()))
    };
    let (index, text) = match (n_items, within(&refusal.detail)) {
        (1, _) => (0, refusal.detail.clone()),
        (_, Some(found)) => found,
        (_, None) => return Fault::Refused(refusal),
    };
    let detail = format!("item {}: {text}", first + index);
    Fault::Refused(Refusal { detail, ..refusal })
}
