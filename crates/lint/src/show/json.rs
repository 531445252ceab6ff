//! Findings for programs.

use serde_json::{Value, json};

use crate::{Finding, Place, Report, Severity};

/// The report of one file.
#[must_use]
pub fn json(file: &str, report: &Report) -> Value {
    let kinds: Vec<&str> = report.kinds.iter().map(|it| it.as_str()).collect();
    json!({
        "file": file,
        "kinds": kinds,
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    let related = finding
        .related
        .iter()
        .map(|it| json!({ "message": it.message, "place": place(&it.place) }));
    let mut shown = json!({
        "code": finding.code.id,
        "severity": finding.code.severity.as_str(),
        "message": finding.message,
        "help": finding.help,
        "place": place(&finding.place),
        "related": related.collect::<Vec<_>>(),
    });
    if let Value::Object(members) = &mut shown {
        members.extend(finding.example.clone().map(|it| ("example".to_owned(), it)));
        members.extend(finding.code.refused.map(|it| ("refusedWith".to_owned(), it.into())));
    }
    shown
}

fn place(place: &Place) -> Value {
    json!({
        "pointer": place.pointer,
        "line": place.line,
        "column": place.column,
        "start": place.span.start,
        "end": place.span.end,
    })
}
