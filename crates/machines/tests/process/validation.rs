//! The rules of ids, steps, references and ways, and what is said when they are broken.

use serde_json::{Value, json};
use waypost_machines::process::{Graph, Source, expression::Coercion, limits, violations};

use crate::notation::definition;

/// What is wrong with a definition.
pub(crate) fn found(definition: &Value) -> Vec<String> {
    violations(&Source::parse(&definition.to_string()).unwrap())
}

/// The definition with the member at `pointer` replaced, or taken away by `null`.
pub(crate) fn changed(text: &str, pointer: &str, value: Value) -> Value {
    let mut whole = definition(text);
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = whole.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(items) => *items.get_mut(name.parse::<usize>().unwrap()).unwrap() = value,
        Value::Object(members) => drop(members.insert(name.to_owned(), value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            panic!("{pointer} leads nowhere")
        }
    }
    whole
}

/// One change to a sound definition, and all that is said about it.
pub(crate) fn check(text: &str, rows: &[(&str, Value, &[&str])]) {
    assert_eq!(found(&definition(text)), Vec::<String>::new(), "{text}");
    for (pointer, value, expected) in rows {
        let changed = changed(text, pointer, value.clone());
        assert_eq!(found(&changed), *expected, "{pointer} = {value}");
        let source = Source::parse(&changed.to_string()).unwrap();
        let graph = Graph::new(&source, 1, Coercion::On);
        assert_eq!(graph.is_err(), !expected.is_empty(), "{pointer} = {value}");
    }
}

pub(crate) const SERIES: &str = "
    a task A -> b
      after PT1S -> e
    b user -> e
    e end
";

pub(crate) const GATEWAY: &str = "
    f fork a b join j
    a task A -> j
    b task B -> j
    j join -> e
    e end
";

pub(crate) const AUTOMATIC: &str = "
    d decide
      if n > 1 -> t
      if n <= 1 -> x
    t table F -> x
      rule n > 1 => {\"m\":1}
    x set -> w
      put m = 2
    w wait -> e
    e end
";

// Rows 1 to 6.
#[test]
fn the_definition_has_a_name_an_id_and_steps() {
    let long = "x".repeat(limits::ID_MAX + 1);
    let most = "x".repeat(limits::ID_MAX);
    let charset = |id: &str| format!(r#"id "{id}" must match ^[A-Za-z0-9_:\-]+$"#);
    check(
        SERIES,
        &[
            ("/id", Value::Null, &["id is required"]),
            ("/id", json!(""), &["id is required"]),
            ("/id", json!("LOS::loan-1_a"), &[]),
            ("/id", json!(most), &[]),
            ("/id", json!(long), &["id must be ≤ 256 characters, got 257"]),
            ("/id", json!("x y"), &[&charset("x y")]),
            ("/id", json!("order@v2"), &[&charset("order@v2")]),
            ("/id", json!("straße"), &[&charset("straße")]),
            ("/name", Value::Null, &["name is required"]),
            ("/steps", json!([]), &["steps must not be empty"]),
            ("/steps", Value::Null, &["steps must not be empty"]),
            (
                "/autoStartNextWorkflow",
                json!(true),
                &["nextWorkflowId is required when autoStartNextWorkflow is true"],
            ),
            ("/nextWorkflowId", json!("other"), &[]),
            ("/version", json!(7), &[]),
            ("/metadata", json!({ "a": [1] }), &[]),
        ],
    );
    let mut nameless = changed(SERIES, "/autoStartNextWorkflow", json!(true));
    nameless["nextWorkflowId"] = "".into();
    let expected = ["nextWorkflowId is required when autoStartNextWorkflow is true"];
    assert_eq!(found(&nameless), expected);
}

#[test]
fn nothing_more_is_checked_where_there_are_no_steps() {
    let empty = json!({ "autoStartNextWorkflow": true, "input_schema": {} });
    let expected = ["id is required", "name is required", "steps must not be empty"];
    assert_eq!(found(&empty), expected);
}

// Rows 7 to 11.
#[test]
fn every_step_has_an_id_a_name_and_a_type() {
    let no_id = ["step[1] id is required", r#"step "a" nextStep references unknown step "b""#];
    check(
        SERIES,
        &[
            ("/steps/1/id", Value::Null, &no_id),
            ("/steps/1/id", json!(""), &no_id),
            (
                "/steps/1/id",
                json!("a"),
                &[r#"duplicate step id: "a""#, r#"step "a" nextStep references unknown step "b""#],
            ),
            ("/steps/1/name", json!(""), &[r#"step "b": name is required"#]),
            ("/steps/1/type", json!("FOO"), &[r#"step "b": unsupported type "FOO""#]),
            ("/steps/1/type", Value::Null, &[r#"step "b": unsupported type """#]),
            ("/steps/0/jobType", Value::Null, &[r#"step "a" (SERVICE_TASK): jobType is required"#]),
            ("/steps/1/jobType", json!("form"), &[]),
            ("/steps/1/description", json!("somebody looks"), &[]),
            ("/steps/0/delegateClass", json!("com.example.A"), &[]),
        ],
    );
}

// Rows 12 to 15.
#[test]
fn every_step_has_what_its_type_needs() {
    check(
        AUTOMATIC,
        &[
            (
                "/steps/3/nextStep",
                Value::Null,
                &[
                    r#"step "w" (WAIT): nextStep is required"#,
                    r#"step "e" is unreachable from the first step"#,
                    "no END step is reachable from the first step",
                ],
            ),
            (
                "/steps/2/transformations",
                json!({}),
                &[r#"step "x" (TRANSFORMATION): transformations must not be empty"#],
            ),
            (
                "/steps/2",
                json!({ "id": "x", "name": "X", "type": "TRANSFORMATION" }),
                &[
                    r#"step "x" (TRANSFORMATION): nextStep is required"#,
                    r#"step "x" (TRANSFORMATION): transformations must not be empty"#,
                    r#"step "w" is unreachable from the first step"#,
                    r#"step "e" is unreachable from the first step"#,
                    "no END step is reachable from the first step",
                ],
            ),
        ],
    );
    for none in [json!({}), Value::Null] {
        let decision =
            changed("d decide\nif true -> e\ne end", "/steps/0/conditionalNextSteps", none);
        let expected = [
            r#"step "d" (DECISION): conditionalNextSteps must not be empty"#,
            r#"step "e" is unreachable from the first step"#,
            "no END step is reachable from the first step",
        ];
        assert_eq!(found(&decision), expected);
    }
}

#[test]
fn gateways_have_branches_and_a_join() {
    let no_branches = [
        r#"step "f" (PARALLEL_GATEWAY): parallelNextSteps must have at least 2 entries"#,
        r#"step "a" is unreachable from the first step"#,
        r#"step "b" is unreachable from the first step"#,
    ];
    check(
        GATEWAY,
        &[
            ("/steps/0/parallelNextSteps", Value::Null, &no_branches),
            ("/steps/0/parallelNextSteps", json!([]), &no_branches),
            (
                "/steps/0/parallelNextSteps",
                json!(["a"]),
                &[
                    r#"step "f" (PARALLEL_GATEWAY): parallelNextSteps must have at least 2 entries"#,
                    r#"step "b" is unreachable from the first step"#,
                ],
            ),
            (
                "/steps/0/joinStep",
                Value::Null,
                &[
                    r#"step "f" (PARALLEL_GATEWAY): joinStep is required"#,
                    r#"step "j" (JOIN_GATEWAY): no PARALLEL_GATEWAY names it as its joinStep"#,
                ],
            ),
            (
                "/steps/0/joinStep",
                json!("a"),
                &[
                    r#"step "f" (PARALLEL_GATEWAY): joinStep "a" is not a JOIN_GATEWAY"#,
                    r#"step "j" (JOIN_GATEWAY): no PARALLEL_GATEWAY names it as its joinStep"#,
                ],
            ),
            (
                "/steps/3/nextStep",
                Value::Null,
                &[
                    r#"step "j" (JOIN_GATEWAY): nextStep is required"#,
                    r#"step "e" is unreachable from the first step"#,
                    "no END step is reachable from the first step",
                ],
            ),
            ("/steps/0/parallelNextSteps", json!(["a", "b", "a"]), &[]),
        ],
    );
}

#[test]
fn two_gateways_do_not_share_a_join() {
    let shared = "
        f fork a g join j
        a task A -> j
        g fork x y join j
        x task X -> j
        y task Y -> j
        j join -> e
        e end
    ";
    let expected = [r#"step "g" (PARALLEL_GATEWAY): joinStep "j" already belongs to "f""#];
    assert_eq!(found(&definition(shared)), expected);
}

// Row 16.
#[test]
fn references_lead_to_steps() {
    check(
        SERIES,
        &[("/steps/1/nextStep", json!("y"), &[r#"step "b" nextStep references unknown step "y""#])],
    );
    check(
        AUTOMATIC,
        &[
            (
                "/steps/1/nextStep",
                json!("y"),
                &[r#"step "t" nextStep references unknown step "y""#],
            ),
            (
                "/steps/2/nextStep",
                json!("y"),
                &[
                    r#"step "x" nextStep references unknown step "y""#,
                    r#"step "w" is unreachable from the first step"#,
                    r#"step "e" is unreachable from the first step"#,
                    "no END step is reachable from the first step",
                ],
            ),
            (
                "/steps/3/nextStep",
                json!("y"),
                &[
                    r#"step "w" nextStep references unknown step "y""#,
                    r#"step "e" is unreachable from the first step"#,
                    "no END step is reachable from the first step",
                ],
            ),
            (
                "/steps/0/conditionalNextSteps",
                json!({ "n > 1": "t", "n > 2": "y", "n > 3": "" }),
                &[
                    r#"step "d" conditionalNextSteps target references unknown step "y""#,
                    r#"step "d" conditionalNextSteps target references unknown step """#,
                ],
            ),
        ],
    );
    check(
        GATEWAY,
        &[
            (
                "/steps/3/nextStep",
                json!("y"),
                &[
                    r#"step "j" nextStep references unknown step "y""#,
                    r#"step "e" is unreachable from the first step"#,
                    "no END step is reachable from the first step",
                ],
            ),
            (
                "/steps/0/parallelNextSteps",
                json!(["a", "y", "b"]),
                &[r#"step "f" parallelNextSteps references unknown step "y""#],
            ),
            (
                "/steps/0/joinStep",
                json!("y"),
                &[
                    r#"step "f" joinStep references unknown step "y""#,
                    r#"step "j" (JOIN_GATEWAY): no PARALLEL_GATEWAY names it as its joinStep"#,
                ],
            ),
        ],
    );
}

// Rows 16 to 18, and durations.
#[test]
fn timers_have_a_type_a_duration_and_a_target() {
    let place = r#"step "a" boundaryEvents[0]"#;
    let unknown = format!(r#"{place}.targetStepId references unknown step "y""#);
    let type_ = format!(r#"{place}: unsupported type "FOO" (only TIMER is in scope)"#);
    let no_type = format!(r#"{place}: unsupported type "" (only TIMER is in scope)"#);
    let missing = format!("{place}: duration is required for TIMER events");
    let target = format!("{place}: targetStepId is required");
    let wrong = |it: &str| {
        format!(r#"{place}: duration "{it}" is not an ISO 8601 duration such as PT30S or P1DT12H"#)
    };
    check(
        SERIES,
        &[
            ("/steps/0/boundaryEvents/0/targetStepId", json!("y"), &[&unknown]),
            ("/steps/0/boundaryEvents/0/type", json!("FOO"), &[&type_]),
            ("/steps/0/boundaryEvents/0/type", Value::Null, &[&no_type]),
            ("/steps/0/boundaryEvents/0/duration", json!(""), &[&missing]),
            ("/steps/0/boundaryEvents/0/duration", json!("PT0S"), &[&wrong("PT0S")]),
            ("/steps/0/boundaryEvents/0/duration", json!("P1Y"), &[&wrong("P1Y")]),
            ("/steps/0/boundaryEvents/0/duration", json!("30S"), &[&wrong("30S")]),
            ("/steps/0/boundaryEvents/0/duration", json!("P1H"), &[]),
            ("/steps/0/boundaryEvents/0/duration", json!("P2DT30M"), &[]),
            ("/steps/0/boundaryEvents/0/targetStepId", Value::Null, &[&target]),
            ("/steps/0/boundaryEvents/0/interrupting", Value::Null, &[]),
        ],
    );
}

// Rows 19 and 20.
#[test]
fn every_step_and_an_end_can_be_reached() {
    check(
        SERIES,
        &[("/steps/0/nextStep", json!("e"), &[r#"step "b" is unreachable from the first step"#])],
    );
    let circle = definition("a task A -> b\nb task B -> a");
    assert_eq!(found(&circle), ["no END step is reachable from the first step"]);
    // By every member of every step, whatever its type makes of it.
    let by_way_of = "
        a user -> e
          after PT1S -> t
          if false -> c
        c task C
        t task T
        e end
    ";
    assert_eq!(found(&definition(by_way_of)), Vec::<String>::new());
    let timer = json!([{ "type": "TIMER", "duration": "PT1S", "targetStepId": "b" }]);
    let of_no_use = [
        ("a user -> e", "parallelNextSteps", json!(["b"])),
        ("a task A -> e", "joinStep", json!("b")),
        ("a decide\nif true -> e", "nextStep", json!("b")),
        ("a decide\nif true -> e", "boundaryEvents", timer.clone()),
        ("a set -> e\nput n = 1", "conditionalNextSteps", json!({ "true": "b" })),
        ("a set -> e\nput n = 1", "boundaryEvents", timer),
        ("a fork e e join j\nj join -> e", "nextStep", json!("b")),
    ];
    for (first, member, value) in of_no_use {
        let text = format!("{first}\ne end\nb end");
        let lost = [r#"step "b" is unreachable from the first step"#];
        assert_eq!(found(&definition(&text)), lost, "{text}");
        let reached = changed(&text, &format!("/steps/0/{member}"), value);
        assert_eq!(found(&reached), Vec::<String>::new(), "{first} {member}");
    }
    let by_join = "f fork a b join j\na task A -> e\nb task B -> e\nj join -> e\ne end";
    assert_eq!(found(&definition(by_join)), Vec::<String>::new());
}
