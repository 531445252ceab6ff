//! What is to be expected of variables, of models and of those who are there.

use serde_json::{Value, json};
use waypost_lint::{Surroundings, lint, lint_within, model};

fn codes(definition: &Value) -> Vec<String> {
    let report = lint(&definition.to_string(), None).unwrap();
    report.findings.iter().map(|it| format!("{} {}", it.code.id, it.message)).collect()
}

/// A table that sets a tier, and a decision that is made by it.
fn tiers(ways: &[&str]) -> Value {
    let rules = json!([{"when": {"c": "score < 5"}, "outputs": {"tier": "LOW"}},
        {"when": {}, "outputs": {"tier": "HIGH"}}]);
    let ways: serde_json::Map<String, Value> =
        ways.iter().map(|it| (format!("tier == '{it}'"), json!("done"))).collect();
    json!({"id": "t", "name": "T", "steps": [
        {"id": "rate", "name": "R", "type": "DECISION_TABLE", "hitPolicy": "F",
         "nextStep": "route", "decisionTable": {"rules": rules}},
        {"id": "route", "name": "W", "type": "DECISION", "conditionalNextSteps": ways},
        {"id": "done", "name": "D", "type": "END"}]})
}

#[test]
fn what_a_table_sets_is_all_that_is_expected_and_all_of_it_is() {
    assert_eq!(codes(&tiers(&["LOW", "HIGH"])), [""; 0]);
    assert_eq!(
        codes(&tiers(&["LOW", "MEDIUM"])),
        ["P036 no condition of \"route\" holds for {\"tier\":\"HIGH\"}"]
    );
}

/// A step, and a decision behind it on what was answered there.
fn answered(step: &Value, ways: &Value) -> Value {
    json!({"id": "t", "name": "T", "steps": [step,
        {"id": "route", "name": "W", "type": "DECISION", "conditionalNextSteps": ways},
        {"id": "done", "name": "D", "type": "END"}]})
}

#[test]
fn a_person_is_given_the_choices_that_are_asked_for() {
    let person = json!({"id": "ask", "name": "A", "type": "USER_TASK", "nextStep": "route"});
    let worker = json!({"id": "ask", "name": "A", "type": "SERVICE_TASK", "jobType": "a",
        "nextStep": "route"});
    let both = json!({"answer == 'YES'": "done", "answer == 'NO'": "done"});
    assert_eq!(codes(&answered(&person, &both)), [""; 0]);
    let gap = "P036 no condition of \"route\" holds for {\"answer\":\"other\"}";
    assert_eq!(codes(&answered(&worker, &both)), [gap]);
    assert_eq!(codes(&answered(&person, &json!({"answer == 'YES'": "done"}))), [gap]);
}

#[test]
fn where_everything_is_declared_other_names_are_told() {
    let mut definition = answered(
        &json!({"id": "ask", "name": "A", "type": "SERVICE_TASK", "jobType": "a",
            "nextStep": "route", "outputs_schema": {"properties": {"score": {"type": "number"}}}}),
        &json!({"score > 5 && quantity > 1": "done", "true": "done"}),
    );
    assert_eq!(codes(&definition), [""; 0]);
    definition["input_schema"] = json!({"properties": {"amount": {"type": "number"}}});
    assert_eq!(codes(&definition), ["P038 \"quantity\" is set nowhere, and no schema declares it"]);
    definition["steps"][0].as_object_mut().unwrap().remove("outputs_schema");
    assert_eq!(codes(&definition), [""; 0]);
}

/// Findings of a workflow whose one transition has a criterion on `path`.
fn on_path(path: &str, sample: &str) -> Vec<String> {
    let criterion = json!({"type": "simple", "jsonPath": path, "operatorType": "NOT_NULL"});
    let text = json!({"workflows": [{"version": "1", "name": "w", "initialState": "A",
        "criterion": criterion, "states": {"A": {"transitions": [
            {"name": "go", "next": "B", "manual": true}]}, "B": {}}}]});
    let known = Surroundings { model: Some(model(sample).unwrap()), ..Surroundings::default() };
    let report = lint_within(&text.to_string(), None, &known).unwrap();
    report.findings.iter().map(|it| format!("{} {}", it.code.id, it.message)).collect()
}

#[test]
fn paths_are_followed_through_the_model() {
    let sample = r#"{"a": {"b": 1, "2": "x"}, "l": [{"c": 1}], "n": null, "e": [], "o": {}}"#;
    for path in ["$", "$.a", "a.b", "$.a.2", "$.l[*].c", "l[0].c", "l.0.c", "n.x.y", "e[*].z"] {
        assert_eq!(on_path(path, sample), [""; 0], "{path}");
    }
    for (path, why) in [
        ("$.a.c", "there is no member \"c\""),
        ("$.a.b.c", "a single value has no member \"c\""),
        ("$.a[*]", "an object has no elements"),
        ("$.l.c", "a list has no member \"c\""),
        ("$.l[*].d.e", "there is no member \"d\""),
        ("$.o.x", "there is no member \"x\""),
    ] {
        assert_eq!(on_path(path, sample), [format!("E012 the model has no {path:?}: {why}")]);
    }
}

#[test]
fn whoever_has_all_tags_serves() {
    let text = |tags: &str| {
        let processor = json!({"type": "EXTERNAL", "name": "p", "executionMode": "SYNC",
            "config": {"calculationNodesTags": tags}});
        let function = json!({"type": "function", "function": {"name": "f",
            "config": {"calculationNodesTags": tags}}});
        json!({"workflows": [{"version": "1", "name": "w", "initialState": "A", "states": {
            "A": {"transitions": [{"name": "go", "next": "B", "manual": true,
                "criterion": function, "processors": [processor]}]}, "B": {}}}]})
        .to_string()
    };
    let found = |tags: &str, members: &[&[&str]]| -> Vec<String> {
        let text = text(tags);
        let members: Vec<_> =
            members.iter().map(|it| it.iter().map(|it| (*it).to_owned()).collect()).collect();
        let known = Surroundings::default().with_members(&text, &members);
        let report = lint_within(&text, None, &known).unwrap();
        let told = report.findings.iter().filter(|it| it.code.id == "E013");
        told.map(|it| it.message.clone()).collect()
    };
    assert_eq!(found("a, b", &[&["x"], &["b", "a", "c"]]), [""; 0]);
    assert_eq!(
        found("a,b", &[&["a"], &["b"]]),
        [
            "no member is there for function \"f\" with tags \"a,b\"",
            "no member is there for processor \"p\" with tags \"a,b\""
        ]
    );
    assert_eq!(found("", &[&[]]), [""; 0]);
    assert_eq!(found("", &[]).len(), 2);
}

/// An import of a workflow whose first state has these transitions.
fn leaving(transitions: &Value) -> Value {
    json!({"workflows": [{"version": "1", "name": "w", "initialState": "A", "states": {
        "A": {"transitions": transitions}, "B": {}}}]})
}

#[test]
fn time_leads_on_where_nobody_asks() {
    let late = json!({"name": "late", "next": "B", "schedule": {"delayMs": 5, "timeoutMs": 0}});
    assert_eq!(codes(&leaving(&json!([late]))), [""; 0]);
    let at_once = json!({"name": "go", "next": "B"});
    assert_eq!(
        codes(&leaving(&json!([late, at_once]))),
        ["E006 \"late\" is never taken: \"A\" is left at once"]
    );
    let odd = json!({"name": "late", "next": "B", "schedule": {"delayMs": 5, "timeoutms": 0}});
    assert_eq!(
        codes(&leaving(&json!([odd]))),
        ["E010 nobody reads \"timeoutms\"; \"timeoutMs\" is read"]
    );
}

#[test]
fn a_circle_that_time_goes_round_in_is_refused_unless_it_is_wanted() {
    let again = json!({"name": "again", "next": "A", "schedule": {"delayMs": 5}});
    let stop = json!({"name": "stop", "next": "B", "manual": true});
    let mut import = leaving(&json!([again, stop]));
    let loops = "automated transitions without criterion loop: A -> A";
    assert_eq!(codes(&import), [format!("E002 workflow \"w\": {loops}")]);
    import["allowCycles"] = json!(true);
    assert_eq!(codes(&import), [""; 0]);
}
