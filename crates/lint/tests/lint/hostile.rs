//! Texts that nobody would write, and definitions larger than anybody draws.

use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};
use waypost_lint::{DefinitionKind, Paint, json as as_json, limits, lint, sarif, text};

use crate::graph::{blocks, definition};

fn values() -> BoxedStrategy<Value> {
    let names = prop_oneof![
        Just("id"),
        Just("name"),
        Just("type"),
        Just("steps"),
        Just("nextStep"),
        Just("workflows"),
        Just("states"),
        Just("transitions"),
        Just("initialState"),
        Just("criterion"),
        Just("types"),
        Just("fields"),
        Just("workflowType"),
        Just("when"),
        Just("decisionTable"),
        Just("rules"),
        Just("conditionalNextSteps"),
        Just("x"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop_oneof![Just("END"), Just("DECISION"), Just("a"), Just("a > 1")].prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((names.clone(), inner), 0..6).prop_map(|members| {
                members.into_iter().map(|(name, it)| (name.to_owned(), it)).collect()
            }),
        ]
    })
    .boxed()
}

/// Looks, and shows what is found in every way.
fn look(source: &str, kind: Option<DefinitionKind>) {
    let Ok(report) = lint(source, kind) else { return };
    for finding in &report.findings {
        let span = finding.place.span.clone();
        assert!(source.get(span).is_some(), "{finding:?} in {source}");
    }
    let _shown = text("f", source, &report, Paint::Colors);
    let _shown = (as_json("f", &report), sarif(&[("f", &report)]));
    assert_eq!(lint(source, kind).unwrap(), report, "the same text has the same findings");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_can_be_looked_at(source in "\\PC{0,80}") {
        look(&source, None);
        DefinitionKind::ALL.into_iter().for_each(|it| look(&source, Some(it)));
    }

    #[test]
    fn any_json_can_be_looked_at(value in values()) {
        let source = value.to_string();
        look(&source, None);
        DefinitionKind::ALL.into_iter().for_each(|it| look(&source, Some(it)));
    }

    #[test]
    fn any_graph_can_be_looked_at(
        block in blocks(),
        detours in vec((0..100_usize, 0..100_usize), 0..8),
    ) {
        look(&definition(&block, &detours), None);
    }
}

#[test]
fn what_is_too_large_or_too_deep_is_said_to_be() {
    let long = " ".repeat(limits::TEXT_MAX + 1);
    assert!(lint(&long, None).unwrap_err().problem.contains("bytes"));
    let deep = "[".repeat(100_000);
    let problem = lint(&deep, None).unwrap_err().to_string();
    assert!(problem.contains("nested deeper than 128 levels"), "{problem}");
    let many = format!("[{}]", vec!["{}"; limits::DEFINITIONS_MAX + 1].join(","));
    assert!(lint(&many, None).unwrap_err().problem.contains("definitions"));
}

#[test]
fn mistakes_in_the_text_are_told_with_their_place() {
    let wrong = |text: &str| lint(text, None).unwrap_err().to_string();
    assert_eq!(
        wrong("{\n  \"id\": \"a\",\n  nope"),
        "3:3: is not JSON: expected the name of a member"
    );
    assert_eq!(wrong("{\"a\": 01}"), "1:7: is not JSON: not a number as JSON writes it");
    assert_eq!(
        wrong("{\"a\": 1}").split(':').nth(2).unwrap().trim(),
        "cannot tell what kind of definition this is"
    );
    assert!(wrong("types = [").contains("is not TOML"), "{}", wrong("types = ["));
    assert_eq!(wrong(""), "1:1: is not JSON: the text ends where a value is expected");
}

#[test]
fn only_so_many_findings_are_shown() {
    let step = json!({"stepType": "A"});
    let text = json!({"workflowType": "w", "workflowVersion": 1, "steps": vec![step; 1_000]});
    let more = json!({"workflowType": "w", "workflowVersion": 0, "steps": vec![json!({"stepType": "A"}); 1_000]});
    let report = lint(&json!([text, more]).to_string(), None).unwrap();
    assert_eq!(report.findings.len(), limits::FINDINGS_MAX + 1);
    assert_eq!(report.findings[0].code.id, "G001");
}

/// Gateways one after the other, three steps each, and an end.
fn gateways(n_gateways: usize) -> String {
    let mut steps = Vec::new();
    for index in 0..n_gateways {
        let (join, task) = (format!("j{index}"), format!("a{index}"));
        let next = if index + 1 < n_gateways { format!("f{}", index + 1) } else { "end".into() };
        steps.push(json!({"id": format!("f{index}"), "name": "f", "type": "PARALLEL_GATEWAY",
            "parallelNextSteps": [task, task], "joinStep": join}));
        steps.push(json!({"id": task, "name": "a", "type": "USER_TASK", "nextStep": join}));
        steps.push(json!({"id": join, "name": "j", "type": "JOIN_GATEWAY", "nextStep": next}));
    }
    steps.push(json!({"id": "end", "name": "e", "type": "END"}));
    json!({"id": "g", "name": "G", "steps": steps}).to_string()
}

/// The proof counts what it walks over: a thousand steps are within it, however many gateways.
#[test]
fn what_cannot_be_proved_is_said_to_be_so() {
    let codes = |text: &str| -> Vec<&str> {
        lint(text, None).unwrap().findings.iter().map(|it| it.code.id).collect()
    };
    assert_eq!(codes(&gateways(333)), [""; 0]);
    assert_eq!(codes(&gateways(660)), ["P019"]);
}
