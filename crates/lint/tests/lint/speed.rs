//! Lint does not run away. The bounds are many times what it takes, so that a busy machine does not
//! matter; what grows with the square of a definition breaks them.
#![expect(clippy::disallowed_methods, reason = "how long it takes is what is asked")]

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};
use waypost_lint::lint;

use crate::large::large;

fn took(text: &str) -> (Duration, usize) {
    let began = Instant::now();
    let n_findings = lint(text, None).unwrap().findings.len();
    (began.elapsed(), n_findings)
}

#[test]
fn a_thousand_steps_are_looked_at_in_no_time() {
    let (took, n_findings) = took(&large(1_000));
    assert_eq!(n_findings, 0);
    assert!(took < Duration::from_secs(2), "it took {took:?}");
}

/// Decisions that all lead to many others, with conditions on many variables.
fn tangle(n_steps: usize) -> String {
    let mut steps: Vec<Value> = (0..n_steps)
        .map(|step| {
            let way = |choice: usize| {
                let condition = format!("v{choice} == 'x{step}' && w{} > {choice}", choice % 7);
                (condition, json!(format!("s{}", (step * 31 + choice * 17) % n_steps)))
            };
            let mut ways: Map<String, Value> = (0..40).map(way).collect();
            ways.insert("true".to_owned(), json!("end"));
            json!({"id": format!("s{step}"), "name": "s", "type": "DECISION",
                "conditionalNextSteps": ways})
        })
        .collect();
    steps.push(json!({"id": "end", "name": "e", "type": "END"}));
    json!({"id": "t", "name": "T", "steps": steps}).to_string()
}

/// A table of many rules over many columns.
fn table() -> String {
    let rule = |rule: usize| {
        let cell = |column: usize| {
            (format!("c{column}"), json!(format!("c{column} > {}", (rule * column) % 97)))
        };
        json!({"when": (0..12).map(cell).collect::<Map<_, _>>(), "outputs": {"r": rule}})
    };
    let rules: Vec<Value> = (0..500).map(rule).collect();
    json!({"id": "t", "name": "T", "steps": [
        {"id": "rate", "name": "R", "type": "DECISION_TABLE", "hitPolicy": "U",
         "nextStep": "end", "decisionTable": {"rules": rules}},
        {"id": "end", "name": "e", "type": "END"}]})
    .to_string()
}

/// States that all lead to many others by themselves.
fn states(n_states: usize) -> String {
    let state = |state: usize| {
        let way = |way: usize| {
            json!({"name": format!("t{way}"), "next": format!("s{}", (state * 7 + way) % n_states),
                "criterion": {"type": "simple", "jsonPath": "$.a", "operatorType": "EQUALS",
                    "value": way}})
        };
        let ways: Vec<Value> = (0..30).map(way).collect();
        (format!("s{state}"), json!({"transitions": ways}))
    };
    let states: Map<String, Value> = (0..n_states).map(state).collect();
    json!({"workflows": [{"version": "1", "name": "w", "initialState": "s0", "states": states}]})
        .to_string()
}

#[test]
fn what_nobody_would_write_is_looked_at_within_bounds() {
    let mut told = String::new();
    for (name, text) in [("tangle", tangle(1_000)), ("table", table()), ("states", states(1_000))] {
        let (took, _) = took(&text);
        writeln!(told, "{name}: {took:?}").unwrap();
        assert!(took < Duration::from_secs(20), "{told}");
    }
}
