//! Findings as SARIF 2.1.0 has them, for code review and dashboards.

use serde_json::{Value, json};

use crate::{ALL, Code, Finding, Place, Report, Severity};

/// One run over all files.
#[must_use]
pub fn sarif(reports: &[(&str, &Report)]) -> Value {
    let results = reports
        .iter()
        .flat_map(|(file, report)| report.findings.iter().map(move |it| result(file, it)));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "waypost lint",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": ALL.iter().map(|it| rule(it)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

fn rule(code: &Code) -> Value {
    json!({
        "id": code.id,
        "shortDescription": { "text": code.title },
        "help": { "text": code.help },
        "defaultConfiguration": { "level": level(code.severity) },
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn result(file: &str, finding: &Finding) -> Value {
    let index = ALL.iter().position(|it| it.id == finding.code.id);
    let related = finding.related.iter().enumerate().map(|(id, it)| {
        let mut location = location(file, &it.place);
        if let Value::Object(members) = &mut location {
            members.insert("id".to_owned(), id.into());
            members.insert("message".to_owned(), json!({ "text": it.message }));
        }
        location
    });
    json!({
        "ruleId": finding.code.id,
        "ruleIndex": index,
        "level": level(finding.code.severity),
        "message": { "text": format!("{}; {}", finding.message, finding.help) },
        "locations": [location(file, &finding.place)],
        "relatedLocations": related.collect::<Vec<_>>(),
    })
}

fn location(file: &str, place: &Place) -> Value {
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(file) },
            "region": {
                "startLine": place.line,
                "startColumn": place.column,
                "byteOffset": place.span.start,
                "byteLength": place.span.len(),
            },
        },
        "logicalLocations": [{ "fullyQualifiedName": place.pointer }],
    })
}

/// A path as a reference: forward slashes, and nothing that means something else there.
fn uri(file: &str) -> String {
    let mut uri = String::new();
    for byte in file.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
