//! The formats of definitions, rules and scenarios, as JSON Schemas that editors and other programs can use.

/// The formats there are, by name, and their schemas.
pub const SCHEMAS: [(&str, &str); 7] = [
    ("process", include_str!("../schemas/process.json")),
    ("entity", include_str!("../schemas/entity.json")),
    ("lifecycle", include_str!("../schemas/lifecycle.json")),
    ("lifecycle-rules", include_str!("../schemas/lifecycle-rules.json")),
    ("chain", include_str!("../schemas/chain.json")),
    ("decision-table", include_str!("../schemas/decision-table.json")),
    ("scenario", include_str!("../schemas/scenario.json")),
];

/// The schema of a format.
#[must_use]
pub fn schema(name: &str) -> Option<&'static str> {
    SCHEMAS.iter().find(|(it, _)| *it == name).map(|(_, text)| *text)
}
