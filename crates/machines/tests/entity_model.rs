//! Models of entities: what is learned from samples, what is admitted, and how it is shown.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[path = "entity_model/exports.rs"]
mod exports;
#[path = "entity_model/inference.rs"]
mod inference;
#[path = "entity_model/levels.rs"]
mod levels;
#[path = "entity_model/limits.rs"]
mod limits;
#[path = "entity_model/merging.rs"]
mod merging;
#[path = "entity_model/properties.rs"]
mod properties;
#[path = "entity_model/stored.rs"]
mod stored;
#[path = "entity_model/strict.rs"]
mod strict;
#[path = "entity_model/xml.rs"]
mod xml;

use waypost_documents::document::Value;
use waypost_machines::entity::model::Schema;

fn document(text: &str) -> Value {
    Value::parse(text).unwrap()
}

/// The schema of samples that are imported one after the other.
fn model(samples: &[&str]) -> Schema {
    let schemas = samples.iter().map(|it| Schema::infer(&document(it)).unwrap());
    schemas.reduce(|schema, more| schema.merge(more).unwrap()).unwrap()
}

/// A schema as it is stored, which shows all of it.
fn shown(schema: &Schema) -> String {
    serde_json::to_string(schema).unwrap()
}
