//! The one place that knows how expressions are evaluated; tests are rows.

use serde_json::{Map, Value};
use waypost_machines::process::expression::{Coercion, Compiled, ExpressionError, Limits};

/// Source, variables as JSON, and what comes of it: JSON, or `error`, or `error: part of its text`.
pub(crate) type Row = (&'static str, &'static str, &'static str);

pub(crate) fn check(rows: &[Row]) {
    check_with(Coercion::On, rows);
}

/// Looks at all rows before it fails, and shows every one that is wrong.
pub(crate) fn check_with(coercion: Coercion, rows: &[Row]) {
    let wrong: Vec<_> = rows
        .iter()
        .filter_map(|(source, variables, expected)| differs(source, variables, expected, coercion))
        .collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// What is wrong with a row, if anything is.
pub(crate) fn differs(
    source: &str,
    variables: &str,
    expected: &str,
    coercion: Coercion,
) -> Option<String> {
    let found = match evaluate(source, variables, coercion) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    };
    let as_expected = match expected.strip_prefix("error") {
        Some(part) => {
            let part = part.trim_start_matches(": ");
            found.starts_with("error: ") && found.contains(part)
        }
        None => found == expected,
    };
    (!as_expected).then(|| format!("{source} with {variables}: expected {expected}, found {found}"))
}

pub(crate) fn evaluate(
    source: &str,
    variables: &str,
    coercion: Coercion,
) -> Result<Value, ExpressionError> {
    Compiled::parse(source, Limits::default())?.evaluate(&variables_of(variables), coercion)
}

pub(crate) fn variables_of(json: &str) -> Map<String, Value> {
    let json = if json.is_empty() { "{}" } else { json };
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}
