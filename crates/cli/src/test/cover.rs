//! What scenarios came to, and what they did not.

use serde_json::{Value, json};
use waypost_rehearsal::coverage::{Coverage, Covered, Kind, Point};

use crate::{
    exit::Failure,
    output::{Output, cell, printable, table},
};

/// One line for each definition, and then what no scenario came to.
pub(super) fn show(coverage: &Coverage, output: Output) -> Result<(), Failure> {
    let heads = ["DEFINITION", "STEPS", "EXITS", "RULES", "TIMERS", "FAILURES", "TRANSITIONS"];
    let mut shown = table(&heads);
    for (name, covered) in coverage.definitions() {
        let counts = Kind::ALL.map(|kind| count(covered, kind));
        shown.add_row([name.to_owned()].iter().chain(&counts).map(|it| cell(it)));
    }
    output.table(shown)?;
    for (name, covered) in coverage.definitions() {
        for Point { kind, label, .. } in covered.missed() {
            let text = format!("not covered: {name}: {} {label}", kind.as_str());
            output.line(&printable(&text))?;
        }
    }
    Ok(())
}

fn count(covered: &Covered, kind: Kind) -> String {
    match covered.count(kind) {
        (_, 0) => "-".to_owned(),
        (n_hit, n_all) => format!("{n_hit}/{n_all}"),
    }
}

pub(super) fn json(coverage: &Coverage) -> Value {
    let definition = |(name, covered): (&str, &Covered)| {
        let kinds = Kind::ALL.into_iter().map(|kind| {
            let (hit, all) = covered.count(kind);
            (kind.as_str().to_owned(), json!({ "covered": hit, "of": all }))
        });
        let missed =
            covered.missed().map(|it| json!({ "kind": it.kind.as_str(), "what": it.label }));
        let missed: Vec<Value> = missed.collect();
        json!({ "definition": name, "points": kinds.collect::<Value>(), "missed": missed })
    };
    coverage.definitions().map(definition).collect()
}
