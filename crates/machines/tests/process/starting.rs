//! What an instance must know to start.

use expect_test::expect;
use serde_json::{Value, json};
use waypost_kernel::{Machine as _, RejectionCode};
use waypost_machines::process::{Command, Graph, Process, Start, expression::Coercion};

use crate::{
    notation::{graph, source},
    story::{check, variables},
    world::{Refusal, World},
};

#[test]
fn variables_that_break_the_schema_start_nothing() {
    check(
        r#"
        input {"properties":{"n":{"type":"integer"},"ok":{"type":"boolean"}},"required":["n"]}
        a task A -> e
        e end
        "#,
        r#"
        start {"ok":1}
        start {"n":1.5}
        start {"n":null}
        show
        start {"n":3.0,"ok":null}
        "#,
        expect![[r#"
            start {"ok":1}
              ! SCHEMA_VIOLATED schema violation: required field "n" missing; field "ok" expected boolean, got number
            start {"n":1.5}
              ! SCHEMA_VIOLATED schema violation: field "n" expected integer, got number
            start {"n":null}
              ! SCHEMA_VIOLATED schema violation: required field "n" missing
            show
              => ACTIVE []
                 {}
            start {"n":3.0,"ok":null}
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {"n":3,"ok":null}
        "#]],
    );
}

#[test]
fn an_empty_business_key_is_none() {
    let mut world = World::new(graph("a task A -> e\ne end"));
    let start = Start { business_key: Some(String::new()), ..Start::default() };
    assert_eq!(unique_key(&mut world, &[Command::Start(start)]), None);
    assert_eq!(world.state.business_key, None);
}

#[test]
fn a_business_key_without_bounds_is_refused() {
    check(
        "
        a task A -> e
        e end
        ",
        "
        start key=0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678
        ",
        expect![[r#"
            start key=0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678
              ! FIELD_INVALID businessKey must have at most 256 characters, and no control characters
        "#]],
    );
}

/// What a start with this variable comes to, if the variable must be of that type.
fn started_with(type_: &str, value: Value) -> Option<String> {
    let schema = json!({ "properties": { "x": { "type": type_ } } });
    let mut world = World::new(graph(&format!("input {schema}\ne end")));
    let variables = json!({ "x": value }).as_object().unwrap().clone();
    match world.submit(&Command::Start(Start { variables, ..Start::default() })) {
        Ok(_) => None,
        Err(Refusal::Rejected(it)) => {
            assert_eq!(it.code, RejectionCode::SchemaViolated);
            Some(it.detail)
        }
        Err(Refusal::Conflict(it)) => panic!("{it}"),
    }
}

#[test]
fn nothing_is_converted_for_a_schema() {
    let values = [
        (json!("5"), "string"),
        (json!(1.5), "number"),
        (json!(3), "number"),
        (json!(3.0), "number"),
        (json!(u64::MAX), "number"),
        (json!(true), "boolean"),
        (json!([1]), "array"),
        (json!({}), "object"),
    ];
    for type_ in ["string", "number", "integer", "boolean"] {
        for (value, found) in &values {
            let fits =
                type_ == *found || type_ == "integer" && *found == "number" && *value != json!(1.5);
            let expected = (!fits)
                .then(|| format!("schema violation: field \"x\" expected {type_}, got {found}"));
            assert_eq!(started_with(type_, value.clone()), expected, "{type_} {value}");
        }
        assert_eq!(started_with(type_, Value::Null), None, "nothing is required");
    }
}

#[test]
fn all_that_breaks_a_schema_is_said_by_name() {
    check(
        r#"
        input {"properties":{"c":{"type":"string"},"a":{"type":"number"},"b":{"type":"boolean"}},"required":["c","a"]}
        e end
        "#,
        r#"
        start {"b":"true","a":null,"z":[1]}
        start {"c":1,"a":1,"b":{}}
        start {"c":"","a":0,"z":[1]}
        "#,
        expect![[r#"
            start {"b":"true","a":null,"z":[1]}
              ! SCHEMA_VIOLATED schema violation: required field "a" missing; field "b" expected boolean, got string; required field "c" missing
            start {"c":1,"a":1,"b":{}}
              ! SCHEMA_VIOLATED schema violation: field "b" expected boolean, got object; field "c" expected string, got number
            start {"c":"","a":0,"z":[1]}
              e#1 passed
              completed
              => COMPLETED []
                 {"c":"","a":0,"z":[1]}
        "#]],
    );
}

/// The key no other instance may have, as it is after these commands.
fn unique_key(world: &mut World, commands: &[Command]) -> Option<String> {
    for command in commands {
        world.submit(command).unwrap();
    }
    Process::facets(&world.state).unique_key
}

#[test]
fn a_business_key_is_taken_while_the_instance_is_under_way() {
    let start = || {
        let business_key = Some("k".to_owned());
        Command::Start(Start { business_key, variables: variables("{}"), ..Start::default() })
    };
    let fail = |task| {
        let (worker, error) = ("w".into(), None);
        Command::Fail { task, worker, error, retryable: false }
    };
    let retry = || Command::Retry { step: "a".into(), patch: variables("{}") };
    let cancel = || Command::Cancel { reason: None };
    let done = || Command::Complete { task: 2, worker: "w".into(), output: variables("{}") };
    let text = "a task A -> e\ne end";
    // All versions of a definition share their keys.
    for version in [1, 7] {
        let world = || World::new(Graph::new(&source(text), version, Coercion::On).unwrap());
        let taken = Some("order\u{1f}k".to_owned());
        assert_eq!(unique_key(&mut world(), &[start()]), taken);
        assert_eq!(unique_key(&mut world(), &[start(), done()]), None);
        assert_eq!(unique_key(&mut world(), &[start(), cancel()]), None);
        assert_eq!(unique_key(&mut world(), &[start(), fail(2)]), None);
        assert_eq!(unique_key(&mut world(), &[start(), fail(2), retry()]), taken);
    }
    let nameless = Command::Start(Start::default());
    assert_eq!(unique_key(&mut World::new(graph(text)), &[nameless]), None);
}
