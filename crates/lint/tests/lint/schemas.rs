//! The schemas say what the formats are: good definitions are valid, broken shapes are not.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use waypost_lifecycle::Rule;
use waypost_lint::{DefinitionKind, SCHEMAS, lint, schema};

use crate::broken::{definitions, files, name, root};

/// The part of JSON Schema that the schemas use. A word it does not know is a mistake.
fn violation(root: &Value, schema: &Value, value: &Value, place: &str) -> Option<String> {
    let Value::Object(words) = schema else {
        return (schema == &json!(false)).then(|| format!("{place}: nothing is allowed"));
    };
    words.iter().find_map(|(word, rule)| one(root, (word, rule, schema), value, place))
}

fn one(
    root: &Value,
    (word, rule, schema): (&str, &Value, &Value),
    value: &Value,
    place: &str,
) -> Option<String> {
    let fails = |inner: &Value| violation(root, inner, value, place);
    let wrong = |is_right: bool| (!is_right).then(|| format!("{place}: {word} {rule}"));
    let length = value.as_str().map(|it| it.chars().count() as u64);
    let items = value.as_array();
    match word {
        "$schema" | "$id" | "$defs" | "title" | "description" | "if" => (word == "if")
            .then(|| fails(rule).is_none().then(|| fails(&schema["then"])).flatten())
            .flatten(),
        "then" => None,
        "$ref" => {
            let target = root.pointer(rule.as_str().unwrap().trim_start_matches('#')).unwrap();
            fails(target)
        }
        "type" => wrong(types(rule).iter().any(|it| is_of(it, value))),
        "const" => wrong(value == rule),
        "enum" => wrong(rule.as_array().unwrap().contains(value)),
        "anyOf" => wrong(rule.as_array().unwrap().iter().any(|it| fails(it).is_none())),
        "allOf" => rule.as_array().unwrap().iter().find_map(fails),
        "required" => {
            let names = rule.as_array().unwrap().iter().map(|it| it.as_str().unwrap());
            wrong(
                value.as_object().is_none_or(|it| names.clone().all(|name| it.contains_key(name))),
            )
        }
        "minItems" => wrong(items.is_none_or(|it| it.len() as u64 >= rule.as_u64().unwrap())),
        "maxItems" => wrong(items.is_none_or(|it| it.len() as u64 <= rule.as_u64().unwrap())),
        "uniqueItems" => {
            wrong(items.is_none_or(|it| (1..it.len()).all(|at| !it[..at].contains(&it[at]))))
        }
        "minProperties" => wrong(value.as_object().is_none_or(|it| !it.is_empty())),
        "minLength" => wrong(length.is_none_or(|it| it >= rule.as_u64().unwrap())),
        "maxLength" => wrong(length.is_none_or(|it| it <= rule.as_u64().unwrap())),
        "minimum" => wrong(value.as_f64().is_none_or(|it| it >= rule.as_f64().unwrap())),
        "maximum" => wrong(value.as_f64().is_none_or(|it| it <= rule.as_f64().unwrap())),
        "pattern" => wrong(value.as_str().is_none_or(|it| is_match(rule.as_str().unwrap(), it))),
        "items" => items
            .into_iter()
            .flatten()
            .enumerate()
            .find_map(|(index, it)| violation(root, rule, it, &format!("{place}/{index}"))),
        "properties" | "additionalProperties" => members(root, (word, rule, schema), value, place),
        other => Some(format!("the schema says {other}, which is not known here")),
    }
}

fn members(
    root: &Value,
    (word, rule, schema): (&str, &Value, &Value),
    value: &Value,
    place: &str,
) -> Option<String> {
    let known = schema.get("properties");
    value.as_object().into_iter().flatten().find_map(|(name, it)| {
        let own = known.and_then(|it| it.get(name));
        let place = format!("{place}/{name}");
        match (word, own) {
            ("properties", Some(own)) => violation(root, own, it, &place),
            ("additionalProperties", None) => violation(root, rule, it, &place),
            _ => None,
        }
    })
}

fn types(rule: &Value) -> Vec<String> {
    let all = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
    all.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => unreachable!("there is no type {other}"),
    }
}

/// The engine's own expressions know patterns.
fn is_match(pattern: &str, text: &str) -> bool {
    use waypost_machines::process::expression::{Coercion, Compiled, Limits};
    let compiled = Compiled::parse("text matches pattern", Limits::default()).unwrap();
    let variables = json!({"text": text, "pattern": pattern});
    compiled.evaluate(variables.as_object().unwrap(), Coercion::Off).unwrap() == json!(true)
}

/// A text as JSON, whatever it is written in.
fn read(path: &std::path::Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    match path.extension().is_some_and(|it| it == "toml") {
        true => toml::from_str(&text).unwrap(),
        false => serde_json::from_str(&text).unwrap(),
    }
}

fn check(value: &Value) -> Option<String> {
    let kind = lint(&value.to_string(), None).unwrap().kinds[0];
    let schema: Value = serde_json::from_str(schema(kind.as_str()).unwrap()).unwrap();
    violation(&schema, &schema, value, "")
}

#[test]
fn good_examples_are_valid() {
    for file in definitions("examples") {
        assert_eq!(check(&read(&file)), None, "{}", file.display());
    }
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

fn scenario_violation(value: &Value) -> Option<String> {
    let schema: Value = serde_json::from_str(schema("scenario").unwrap()).unwrap();
    violation(&schema, &schema, value, "")
}

#[test]
fn the_scenarios_of_the_examples_are_valid() {
    let is_scenario = |it: &PathBuf| it.extension().is_some_and(|it| it == "yaml");
    let files: Vec<PathBuf> = files("examples").into_iter().filter(is_scenario).collect();
    assert!(files.len() > 4);
    for file in files {
        let value = yaml(&fs::read_to_string(&file).unwrap());
        assert_eq!(scenario_violation(&value), None, "{}", file.display());
    }
}

/// The schema and the import agree about what a schedule is.
#[test]
fn schedules_have_a_schema() {
    for (schedule, is_one) in [
        (json!({"delayMs": 1}), true),
        (json!({"delayMs": 3_162_240_000_000_u64, "timeoutMs": 0}), true),
        (json!({"delayMs": 1, "timeoutMs": null}), true),
        (json!(null), true),
        (json!({"delayMs": 0}), false),
        (json!({"delayMs": 3_162_240_000_001_u64}), false),
        (json!({"delayMs": 1, "timeoutMs": -1}), false),
        (json!({"delayMs": 1, "function": {"name": "f"}}), false),
        (json!({"timeoutMs": 1}), false),
        (json!(5), false),
    ] {
        let import = json!({"workflows": [{"name": "w", "initialState": "A", "states": {
            "A": {"transitions": [{"name": "t", "next": "B", "schedule": schedule}]}, "B": {}}}]});
        let report = lint(&import.to_string(), None).unwrap();
        let is_taken = !report.findings.iter().any(|it| it.code.refused.is_some());
        assert_eq!((check(&import).is_none(), is_taken), (is_one, is_one), "{import}");
    }
}

/// The schema and what plays scenarios agree about what is one.
#[test]
fn what_is_no_scenario_is_not_valid() {
    for member in [
        "expect: {status: COMPLETED, at: a, visits: {a: 2}, elapsed: 1h30m, next: {path: [b]}}",
        "do: [{advance: 1h}, {until: a}, {signal: {event: E, payload: {}}}, {fail: {step: a}}]",
        "workers: {a: [{fail: e, times: 2}, complete], b: never, c: {wait: E, timeout: 1h}}",
        "criteria: {a: true, b: {holds: false}}",
        "expct: {}",
        "expect: {statsu: COMPLETED}",
        "workers: {check: [{complet: {}}]}",
        "workers: {check: done}",
        "workers: {check: {after: 1h}}",
        "expect: {elapsed: soon}",
        "expect: {timersFired: many}",
        "do: [{}]",
        "do: [{complete: 7}]",
        "do: [{signal: {evnt: PAID}}]",
    ] {
        let scenario = yaml(&format!("{{name: x, start: {{process: p}}, {member}}}"));
        let is_read = serde_json::from_value::<waypost_rehearsal::Scenario>(scenario.clone());
        let file = json!({"definitions": [], "scenarios": [scenario]});
        let found = scenario_violation(&file);
        assert_eq!(found.is_none(), is_read.is_ok(), "{member}: {found:?} {is_read:?}");
    }
    for start in ["{}", "{lifecycle: a}", "{process: a, varables: {}}", "{entity: a, version: x}"] {
        let file = yaml(&format!("{{definitions: [], scenarios: [{{name: x, start: {start}}}]}}"));
        assert!(scenario_violation(&file).is_some(), "{start}");
    }
}

/// The schema and the library that acts on rules agree about what is one.
#[test]
fn rules_of_lifecycles_have_a_schema() {
    let schema: Value = serde_json::from_str(schema("lifecycle-rules").unwrap()).unwrap();
    let rules = read(&root().join("examples/rules/drone-survey.json"));
    assert_eq!(violation(&schema, &schema, &rules, ""), None);
    for (member, value, expected) in [
        ("/0/name", json!(7), "/0/name: type"),
        ("/0/if", json!([]), "/0/if: nothing is allowed"),
        ("/0/when/0/operator", json!("like"), "/0/when/0/operator: enum"),
        ("/0/when/1/fields", json!("x"), "/0/when/1/fields: nothing is allowed"),
        ("/0/then/0/type", json!("lifecycle_fly"), "/0/then/0: anyOf"),
        ("/0/then/0/phase", json!(null), "/0/then/0: anyOf"),
        ("/0/then/0/set", json!([]), "/0/then/0: anyOf"),
    ] {
        let mut broken = rules.clone();
        let (place, name) = member.rsplit_once('/').unwrap();
        broken.pointer_mut(place).unwrap()[name] = value;
        let found = violation(&schema, &schema, &broken, "").unwrap_or_default();
        assert!(found.starts_with(expected), "{member}: {found:?}");
        assert!(serde_json::from_value::<Vec<Rule>>(broken).is_err(), "{member}");
    }
}

/// What is broken in its shape is not valid; what is broken in its sense is.
#[test]
fn broken_examples_are_valid_unless_their_shape_is_broken() {
    for file in files("examples/broken") {
        let name = name(&file);
        let shape = ["P001", "P002", "E001", "L001", "C001", "C002"];
        let is_expected = !shape.contains(&name.split('-').next().unwrap());
        let found = check(&read(&file));
        assert_eq!(found.is_none(), is_expected, "{name}: {found:?}");
    }
}

#[test]
fn every_kind_has_a_schema_that_says_what_it_is() {
    for kind in DefinitionKind::ALL {
        assert!(schema(kind.as_str()).is_some(), "{kind}");
    }
    for (name, text) in SCHEMAS {
        let schema: Value = serde_json::from_str(text).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["$id"], format!("urn:waypost:schema:{name}"));
    }
    assert_eq!(schema("nothing"), None);
}

#[test]
fn tables_have_the_same_schema_alone_and_inside() {
    let inside: Value = serde_json::from_str(schema("process").unwrap()).unwrap();
    let alone: Value = serde_json::from_str(schema("decision-table").unwrap()).unwrap();
    assert_eq!(inside["$defs"]["rule"], alone["$defs"]["rule"]);
    assert_eq!(inside["$defs"]["table"]["properties"], alone["properties"]);
    let loan = read(&root().join("examples/loan-application.json"));
    let tables = loan["steps"].as_array().unwrap().iter().filter_map(|it| it.get("decisionTable"));
    for table in tables {
        assert_eq!(violation(&alone, &alone, table, ""), None);
    }
    let old = json!({"rules": [{"when": {}, "then": "x"}]});
    assert_eq!(violation(&alone, &alone, &old, "").unwrap(), "/rules/0/then: nothing is allowed");
}
