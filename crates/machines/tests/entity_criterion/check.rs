//! The one place that knows how criteria are read and asked.

use std::convert::Infallible;

use waypost_documents::{document::Value, predicate::Subject};
use waypost_machines::entity::criterion::Criterion;

pub(super) fn value(json: &str) -> Value {
    Value::parse(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

pub(super) fn criterion(json: &str) -> Criterion {
    Criterion::parse(&value(json)).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// What is wrong with a criterion.
pub(super) fn problem(json: &str) -> String {
    match Criterion::parse(&value(json)) {
        Ok(criterion) => panic!("{json} is read as {criterion:?}"),
        Err(error) => error.to_string(),
    }
}

/// A document of which nothing else is known than what nobody asks for.
pub(super) fn subject(value: &Value) -> Subject<'_> {
    Subject {
        value,
        state: "OPEN",
        previous_transition: "SUBMIT",
        created_at: 1_725_532_215_250_000,
        updated_at: 1_725_618_615_000_000,
        transaction: "8d9a1f70-6b5e-11ef-8000-000000000001",
        id: "7c1f0a52-6b5e-11ef-8000-000000000002",
    }
}

/// Whether a criterion without functions holds for a subject. Its predicate must say the same.
pub(super) fn judge(criterion: &Criterion, subject: &Subject<'_>) -> bool {
    let Ok(holds) = criterion.evaluate::<Infallible>(subject, &mut |function| {
        panic!("{} is not to be asked", function.name)
    });
    assert_eq!(criterion.predicate().unwrap().matches(subject), holds, "{criterion:?}");
    holds
}

/// Whether the condition `json` holds for `document`.
pub(super) fn holds(json: &str, document: &str) -> bool {
    judge(&criterion(json), &subject(&value(document)))
}

/// Whether the values at `path` of `document` compare like that; `operand` is JSON.
pub(super) fn compares(document: &str, path: &str, operator: &str, operand: &str) -> bool {
    let path = Value::Text(path.to_owned());
    let condition = format!(
        r#"{{"type":"simple","jsonPath":{path},"operatorType":"{operator}","value":{operand}}}"#
    );
    holds(&condition, document)
}

/// Whether a field beside the document compares like that.
pub(super) fn knows(field: &str, operator: &str, operand: &str) -> bool {
    let condition = format!(
        r#"{{"type":"lifecycle","field":"{field}","operatorType":"{operator}","value":{operand}}}"#
    );
    holds(&condition, "{}")
}
