//! Lint and deployment agree: what one refuses the other does.

use std::fs;

use proptest::prelude::*;
use serde_json::{Value, json};
use waypost_documents::document;
use waypost_lint::{DefinitionKind, lint};
use waypost_machines::{
    chain::Plan,
    entity::{
        judge::is_sound,
        workflow::{Rules, import},
    },
    process::{Graph, Source, expression::Coercion},
};

use crate::broken::{definitions, files, root};

/// Whether the engine takes a definition.
fn is_taken(kind: DefinitionKind, text: &str) -> bool {
    match kind {
        DefinitionKind::Process => {
            Source::parse(text).is_ok_and(|it| Graph::new(&it, 1, Coercion::default()).is_ok())
        }
        DefinitionKind::Chain => {
            serde_json::from_str::<Plan>(text).is_ok_and(|it| it.violations().is_empty())
        }
        DefinitionKind::Entity => {
            let rules = Rules { strict_types: true, is_sound: &is_sound };
            let body = document::Value::parse(text);
            body.is_ok_and(|it| import(&[], &it, &rules).is_ok())
        }
        DefinitionKind::Lifecycle => unreachable!("another crate registers those"),
    }
}

/// Whether lint expects a definition to be taken.
fn is_expected(kind: DefinitionKind, text: &str) -> bool {
    let report = lint(text, Some(kind)).unwrap();
    !report.findings.iter().any(|it| it.code.refused.is_some())
}

fn good() -> Vec<(DefinitionKind, Value)> {
    let read = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(root().join(name)).unwrap()).unwrap()
    };
    vec![
        (DefinitionKind::Process, read("examples/loan-application.json")),
        (DefinitionKind::Process, read("examples/loan-disbursement.json")),
        (DefinitionKind::Process, read("examples/broken/P011-branch-misses-its-join.json")),
        (DefinitionKind::Chain, read("examples/order.json")),
        (DefinitionKind::Entity, read("examples/broken/E009-circle-to-the-limit.json")),
        (DefinitionKind::Entity, read("examples/broken/E008-processor-without-tags.json")),
    ]
}

/// The pointers of all values inside.
fn pointers(value: &Value, base: &str, out: &mut Vec<String>) {
    let escape = |it: &str| it.replace('~', "~0").replace('/', "~1");
    if let Value::Object(members) = value {
        for (name, inner) in members {
            let pointer = format!("{base}/{}", escape(name));
            out.push(pointer.clone());
            pointers(inner, &pointer, out);
        }
    }
    if let Value::Array(items) = value {
        for (index, inner) in items.iter().enumerate() {
            out.push(format!("{base}/{index}"));
            pointers(inner, &format!("{base}/{index}"), out);
        }
    }
}

/// Puts something else in one place of a definition.
pub(crate) fn mutated(whole: &Value, which: usize, with: &Value) -> Value {
    let mut places = Vec::new();
    pointers(whole, "", &mut places);
    let pointer = &places[which % places.len()];
    let mut changed = whole.clone();
    *changed.pointer_mut(pointer).unwrap() = with.clone();
    changed
}

fn replacements() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!("")),
        Just(json!("nowhere")),
        Just(json!("end-approved")),
        Just(json!("JOIN_GATEWAY")),
        Just(json!("END")),
        Just(json!("amount > (")),
        Just(json!("${now() +}")),
        Just(json!(-1)),
        Just(json!(1.5)),
        Just(json!(0)),
        Just(json!(true)),
        Just(json!([])),
        Just(json!({})),
        Just(json!({"unknown": 1})),
        Just(json!([{"type": "TIMER", "duration": "P1Y", "targetStepId": "x"}])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn lint_and_deployment_agree(
        which in 0..6_usize,
        changes in proptest::collection::vec((0..1_000_usize, replacements()), 1..3),
    ) {
        let (kind, mut definition) = good()[which].clone();
        for (place, with) in &changes {
            definition = mutated(&definition, *place, with);
            prop_assume!(definition.is_object());
        }
        let text = definition.to_string();
        prop_assert_eq!(is_taken(kind, &text), is_expected(kind, &text), "{}", text);
    }
}

#[test]
fn all_examples_are_judged_as_the_engine_does() {
    for file in files("examples/broken").into_iter().chain(definitions("examples")) {
        let text = fs::read_to_string(&file).unwrap();
        let report = lint(&text, None).unwrap();
        if report.kinds != [DefinitionKind::Lifecycle] {
            let kind = report.kinds[0];
            assert_eq!(is_taken(kind, &text), is_expected(kind, &text), "{}", file.display());
        }
    }
}
