//! What lint shows an example for, the engine does.

use proptest::{collection::vec, prelude::*};
use serde_json::{Map, Value, json};
use waypost_lint::{Finding, lint};
use waypost_machines::process::{Event, Phase};

use crate::runs::{Run, graph, variables};

fn table(policy: &str, rules: &[Value]) -> String {
    json!({"id": "t", "name": "T", "steps": [
        {"id": "rate", "name": "R", "type": "DECISION_TABLE", "hitPolicy": policy,
         "nextStep": "done", "decisionTable": {"rules": rules}},
        {"id": "done", "name": "D", "type": "END"},
    ]})
    .to_string()
}

fn found(text: &str) -> Vec<Finding> {
    lint(text, None).unwrap().findings
}

/// What the table sets for an input; or why it fails.
fn outcome(text: &str, example: &Value) -> Result<Value, String> {
    let run = Run::start(graph(text).unwrap(), variables(example));
    if run.state.phase == Phase::Failed {
        return Err(run.reason().to_owned());
    }
    let set = run.events.iter().find_map(|it| {
        let Event::Passed { set: Some(set), .. } = it else { return None };
        Some(Value::Object(set.clone()))
    });
    Ok(set.unwrap())
}

/// The rule a finding is about, from 0.
fn rule(finding: &Finding) -> usize {
    finding.place.pointer.split('/').nth(5).unwrap().parse().unwrap()
}

fn check(policy: &str, rules: &[Value]) -> Result<(), TestCaseError> {
    let text = table(policy, rules);
    for finding in found(&text) {
        let Some(example) = &finding.example else { continue };
        let outcome = outcome(&text, example);
        match finding.code.id {
            "T003" => {
                let index = rule(&finding);
                let alone = table(policy, &rules[index..=index]);
                prop_assert!(self::outcome(&alone, example).is_ok(), "it matches alone: {text}");
                let set = outcome.clone().map(|it| it["rule"].clone());
                prop_assert!(set.clone().is_ok_and(|it| it != json!(index)), "{set:?} {text}");
            }
            "T004" => {
                let why = outcome.unwrap_err();
                prop_assert!(why.contains("DecisionTableUniqueViolation"), "{why} {text}");
            }
            "T005" => {
                let why = outcome.unwrap_err();
                prop_assert!(why.contains("DecisionTableAnyConflict"), "{why} {text}");
            }
            "T006" => {
                let why = outcome.unwrap_err();
                prop_assert!(why.contains("DecisionTableNoRuleMatched"), "{why} {text}");
            }
            other => prop_assert!(false, "{other} has an example"),
        }
    }
    Ok(())
}

fn conditions() -> impl Strategy<Value = String> {
    let number = ("[ab]", prop_oneof!["<", "<=", ">", ">=", "==", "!="], -2..3_i32);
    let text = ("[cd]", prop_oneof!["==", "!="], "[xyz]");
    let simple = prop_oneof![
        4 => number.prop_map(|(name, operator, it)| format!("{name} {operator} {it}")),
        2 => text.prop_map(|(name, operator, it)| format!("{name} {operator} '{it}'")),
        1 => "e".prop_map(|it| it),
        1 => ("[cd]").prop_map(|it| format!("{it} in ['x', 'y']")),
        1 => (-2..3_i32).prop_map(|it| format!("{it} < a <= {}", it + 2)),
        1 => Just("len(c) > 2".to_owned()),
    ];
    simple.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} && {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} || {b})")),
            inner.prop_map(|it| format!("!({it})")),
        ]
    })
}

fn rules() -> impl Strategy<Value = Vec<Value>> {
    vec(vec(conditions(), 0..3), 1..5).prop_map(|rules| {
        let rule = |(index, cells): (usize, Vec<String>)| {
            let cells = cells.into_iter().enumerate();
            let when: Map<String, Value> =
                cells.map(|(column, it)| (format!("c{column}"), it.into())).collect();
            json!({"when": when, "outputs": {"rule": index}})
        };
        rules.into_iter().enumerate().map(rule).collect()
    })
}

/// Values of all types, and around those that conditions mention.
fn inputs() -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        6 => (-6..9_i32).prop_map(|it| json!(f64::from(it) / 2.0)),
        3 => "[wxyz]".prop_map(Value::from),
        1 => (-3..4_i32).prop_map(|it| json!(it.to_string())),
        2 => any::<bool>().prop_map(Value::from),
        1 => prop_oneof![Just("true"), Just("false")].prop_map(Value::from),
        1 => prop_oneof![Just(json!(null)), Just(json!([])), Just(json!({}))],
    ];
    vec(value, 5).prop_map(|values| {
        let names = ["a", "b", "c", "d", "e"];
        names.into_iter().map(str::to_owned).zip(values).collect::<Map<_, _>>().into()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn examples_are_what_the_engine_does(rules in rules(), policy in "[UFA]") {
        check(&policy, &rules)?;
    }

    /// A rule that lint calls masked or impossible decides for no input at all.
    #[test]
    fn dead_rules_never_decide(rules in rules(), inputs in vec(inputs(), 200)) {
        let text = table("F", &rules);
        let dead: Vec<Finding> =
            found(&text).into_iter().filter(|it| ["T003", "T007"].contains(&it.code.id)).collect();
        for finding in &dead {
            for input in &inputs {
                let decides = outcome(&text, input).is_ok_and(|it| it["rule"] == rule(finding));
                prop_assert!(!decides, "{input} {}: {text}", finding.message);
            }
        }
    }
}

#[test]
fn a_masked_rule_is_shown_the_input_that_masks_it() {
    let rules = [
        json!({"when": {"s": "score < 650"}, "outputs": {"rule": 0}}),
        json!({"when": {"s": "score < 500"}, "outputs": {"rule": 1}}),
        json!({"when": {}, "outputs": {"rule": 2}}),
    ];
    let text = table("F", &rules);
    let findings = found(&text);
    let [finding] = findings.as_slice() else { unreachable!("{findings:?}") };
    assert_eq!(finding.code.id, "T003");
    let example = finding.example.clone().unwrap();
    assert!(example["score"].as_f64().unwrap() < 500.0);
    assert_eq!(outcome(&text, &example).unwrap()["rule"], 0);
}

#[test]
fn whole_numbers_leave_no_gap_between_neighbors() {
    let rules = [
        json!({"when": {"s": "n <= 0"}, "outputs": {"rule": 0}}),
        json!({"when": {"s": "n >= 1"}, "outputs": {"rule": 1}}),
    ];
    let text = table("U", &rules);
    assert_eq!(found(&text)[0].example, Some(json!({"n": 0.5})));
    let typed = text.replacen(
        r#""steps""#,
        r#""input_schema": {"properties": {"n": {"type": "integer"}}}, "steps""#,
        1,
    );
    assert_eq!(found(&typed), []);
}

#[test]
fn a_condition_that_never_decides_is_shown_why() {
    let text = r#"{"id": "d", "name": "D", "steps": [
        {"id": "a", "name": "A", "type": "DECISION", "conditionalNextSteps":
            {"order.total > 100": "x", "order.total > 500": "y", "true": "y"}},
        {"id": "x", "name": "X", "type": "END"},
        {"id": "y", "name": "Y", "type": "END"}]}"#;
    let findings = found(text);
    let [finding] = findings.as_slice() else { unreachable!("{findings:?}") };
    assert_eq!(finding.code.id, "P033");
    let run = Run::start(graph(text).unwrap(), variables(finding.example.as_ref().unwrap()));
    let ends = run.events.iter().filter_map(|it| {
        let Event::Passed { step, .. } = it else { return None };
        Some(step.to_string())
    });
    assert_eq!(ends.collect::<Vec<_>>(), ["a", "x"]);
}
