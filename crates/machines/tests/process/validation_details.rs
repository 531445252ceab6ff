//! The rules of tables, schemas and limits, and what is said when they are broken.

use serde_json::{Value, json};
use waypost_machines::process::{HitPolicy, StepType, limits};

use crate::{
    notation::{definition, graph},
    validation::{AUTOMATIC, GATEWAY, SERIES, changed, check, found},
};

// Rows 21 to 26.
#[test]
fn tables_have_rules_and_nothing_of_other_steps() {
    let place = r#"step "t" (DECISION_TABLE)"#;
    let says = |it: &str| format!("{place}: {it}");
    let unknown = |it: &str| {
        says(&format!(
            r#"hitPolicy "{it}" is not recognised; expected one of U, F, A, R, C, C+, C#, C>, C<"#
        ))
    };
    let foreign = |it: &str| says(&format!("{it} is not valid on this step type"));
    check(
        AUTOMATIC,
        &[
            ("/steps/1/decisionTable", Value::Null, &[&says("decisionTable payload is required")]),
            ("/steps/1/decisionTable/rules", json!([]), &[&says("rules must not be empty")]),
            ("/steps/1/decisionTable", json!({}), &[&says("rules must not be empty")]),
            ("/steps/1/decisionTable/rules", json!([{}]), &[]),
            ("/steps/1/nextStep", Value::Null, &[&says("nextStep is required")]),
            ("/steps/1/hitPolicy", Value::Null, &[]),
            ("/steps/1/hitPolicy", json!("X"), &[&unknown("X")]),
            ("/steps/1/hitPolicy", json!("C-"), &[&unknown("C-")]),
            ("/steps/1/hitPolicy", json!("F++"), &[&unknown("F++")]),
            ("/steps/1/hitPolicy", json!("é"), &[&unknown("é")]),
            ("/steps/1/hitPolicy", json!("u"), &[&unknown("u")]),
            (
                "/steps/1/conditionalNextSteps",
                json!({ "a": "e" }),
                &[&foreign("conditionalNextSteps")],
            ),
            ("/steps/1/transformations", json!({ "a": 1 }), &[&foreign("transformations")]),
            ("/steps/1/parallelNextSteps", json!(["e"]), &[&foreign("parallelNextSteps")]),
            ("/steps/1/joinStep", json!("e"), &[&foreign("joinStep")]),
            ("/steps/1/jobType", json!("a"), &[&foreign("jobType")]),
            ("/steps/1/delegateClass", json!("a"), &[&foreign("delegateClass")]),
            ("/steps/1/retryCount", json!(1), &[&foreign("retryCount")]),
            ("/steps/1/retryCount", json!(0), &[]),
            (
                "/steps/1/boundaryEvents",
                json!([{ "type": "TIMER", "duration": "PT1S", "targetStepId": "e" }]),
                &[&foreign("boundaryEvents")],
            ),
        ],
    );
    for policy in HitPolicy::ALL {
        let table = changed(AUTOMATIC, "/steps/1/hitPolicy", policy.as_str().into());
        assert_eq!(found(&table), Vec::<String>::new());
        assert_eq!(HitPolicy::of(policy.as_str()), Some(*policy));
    }
}

// Row 25.
#[test]
fn only_what_is_collected_is_aggregated() {
    for policy in ["U", "F", "A", "R"] {
        for aggregator in ["+", "#", ">", "<"] {
            let written = format!("{policy}{aggregator}");
            let table = changed(AUTOMATIC, "/steps/1/hitPolicy", json!(written));
            let expected = format!(
                r#"step "t" (DECISION_TABLE): aggregator "{aggregator}" is only valid on hitPolicy "C" (got "{written}")"#
            );
            assert_eq!(found(&table), [expected]);
        }
    }
}

// Row 21.
#[test]
fn nothing_more_is_said_about_a_table_that_is_not_there() {
    let members = [("hitPolicy", json!("X")), ("nextStep", json!("")), ("jobType", json!("T"))];
    for (member, value) in members {
        let mut whole = changed(AUTOMATIC, "/steps/1/decisionTable", Value::Null);
        whole["steps"][1][member] = value;
        let expected = [r#"step "t" (DECISION_TABLE): decisionTable payload is required"#];
        assert_eq!(found(&whole), expected, "{member}");
    }
}

// Rows 27 and 30.
#[test]
fn tables_and_schemas_stand_where_they_belong() {
    let schema = json!({ "properties": { "a": { "type": "string" } } });
    check(
        SERIES,
        &[
            (
                "/steps/0/decisionTable",
                json!({ "rules": [{}] }),
                &[r#"step "a" (SERVICE_TASK): decisionTable is not valid on this step type"#],
            ),
            ("/steps/0/hitPolicy", json!("F"), &[]),
            ("/steps/0/outputs_schema", schema.clone(), &[]),
            ("/input_schema", schema.clone(), &[]),
        ],
    );
    let elsewhere = [(SERIES, 1), (GATEWAY, 0), (GATEWAY, 3), (GATEWAY, 4)];
    for (text, index) in elsewhere.into_iter().chain((0..4).map(|it| (AUTOMATIC, it))) {
        let whole = changed(text, &format!("/steps/{index}/outputs_schema"), schema.clone());
        let step = &whole["steps"][index];
        let (id, step_type) = (step["id"].as_str().unwrap(), step["type"].as_str().unwrap());
        let expected = format!(
            r#"step "{id}" ({step_type}): outputs_schema is only supported on SERVICE_TASK steps in this version"#
        );
        assert_eq!(found(&whole), [expected]);
    }
}

// Row 29.
#[test]
fn schemas_say_what_they_want() {
    let type_ = concat!(
        r#"input_schema: property "p" has unsupported type "decimal" (expected one of: string, "#,
        "number, integer, boolean)"
    );
    let none = concat!(
        r#"input_schema: property "p" has unsupported type "" (expected one of: string, "#,
        "number, integer, boolean)"
    );
    check(
        SERIES,
        &[
            ("/input_schema", json!({}), &["input_schema: properties must not be empty"]),
            (
                "/input_schema",
                json!({ "properties": {}, "required": ["q"] }),
                &[
                    "input_schema: properties must not be empty",
                    r#"input_schema: required name "q" does not appear in properties"#,
                ],
            ),
            ("/input_schema", json!({ "properties": { "p": { "type": "decimal" } } }), &[type_]),
            ("/input_schema", json!({ "properties": { "p": {} } }), &[none]),
            (
                "/steps/0/outputs_schema",
                json!({}),
                &[r#"step "a" outputs_schema: properties must not be empty"#],
            ),
            (
                "/steps/0/outputs_schema",
                json!({ "properties": { "p": { "type": "decimal" } }, "required": ["q"] }),
                &[
                    concat!(
                        r#"step "a" outputs_schema: property "p" has unsupported type "decimal" "#,
                        "(expected one of: string, number, integer, boolean)"
                    ),
                    r#"step "a" outputs_schema: required name "q" does not appear in properties"#,
                ],
            ),
        ],
    );
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let wrong = json!({
        "id": "x y",
        "autoStartNextWorkflow": true,
        "input_schema": { "properties": { "p": { "type": "decimal" } }, "required": ["q"] },
        "steps": [
            { "id": "a", "type": "SERVICE_TASK", "nextStep": "nowhere", "retryCount": -1 },
            { "name": "B", "type": "END" },
            { "id": "a", "name": "A", "type": "WAIT" },
            { "id": "c", "name": "C", "type": "FOO",
              "boundaryEvents": [{ "type": "SIGNAL" }] },
        ],
    });
    let expected = [
        r#"id "x y" must match ^[A-Za-z0-9_:\-]+$"#,
        "name is required",
        "nextWorkflowId is required when autoStartNextWorkflow is true",
        r#"input_schema: property "p" has unsupported type "decimal" (expected one of: string, number, integer, boolean)"#,
        r#"input_schema: required name "q" does not appear in properties"#,
        "step[1] id is required",
        r#"duplicate step id: "a""#,
        r#"step "a": name is required"#,
        r#"step "a" (SERVICE_TASK): jobType is required"#,
        r#"step "a" (SERVICE_TASK): retryCount must be 0 to 10000, got -1"#,
        r#"step "a" nextStep references unknown step "nowhere""#,
        r#"step "a" (WAIT): nextStep is required"#,
        r#"step "c": unsupported type "FOO""#,
        r#"step "c" boundaryEvents[0]: unsupported type "SIGNAL" (only TIMER is in scope)"#,
        r#"step "c" boundaryEvents[0]: duration is required for TIMER events"#,
        r#"step "c" boundaryEvents[0]: targetStepId is required"#,
        r#"step "c" is unreachable from the first step"#,
        "no END step is reachable from the first step",
    ];
    assert_eq!(found(&wrong), expected);
}

#[test]
fn nothing_is_without_bounds() {
    let long = "x".repeat(limits::ID_MAX + 1);
    let most = limits::RETRIES_MAX;
    check(
        SERIES,
        &[
            (
                "/steps/0/retryCount",
                json!(most + 1),
                &[r#"step "a" (SERVICE_TASK): retryCount must be 0 to 10000, got 10001"#],
            ),
            ("/steps/0/retryCount", json!(most), &[]),
        ],
    );
    let with_id = |id: &str| {
        let whole = definition(&format!("a task A -> {id}\n{id} end"));
        found(&whole)
    };
    assert_eq!(with_id(&long), ["step[1] id must be ≤ 256 characters"]);
    assert_eq!(with_id(&"é".repeat(limits::ID_MAX)), Vec::<String>::new());
    assert_eq!(with_id("a\u{1f}b"), ["step[1] id must not contain control characters"]);
    let branches = |count: usize| {
        let names = vec!["a"; count].join(" ");
        found(&definition(&format!("f fork {names} join j\na task A -> j\nj join -> e\ne end")))
    };
    assert_eq!(branches(limits::BRANCHES_MAX), Vec::<String>::new());
    let expected = concat!(
        r#"step "f" (PARALLEL_GATEWAY): parallelNextSteps must have at most 100 entries, "#,
        "got 101"
    );
    assert_eq!(branches(limits::BRANCHES_MAX + 1), [expected]);
    let steps = |count: usize| {
        let many = (1..count).map(|it| format!("s{it} wait -> s{}\n", it + 1));
        found(&definition(&format!("{}s{count} end", many.collect::<String>())))
    };
    assert_eq!(steps(limits::STEPS_MAX), Vec::<String>::new());
    let expected = ["steps must have at most 2000 entries, got 2001"];
    assert_eq!(steps(limits::STEPS_MAX + 1), expected);
}

#[test]
fn a_definition_that_is_sound_becomes_a_graph() {
    let graph = graph(GATEWAY);
    assert_eq!(graph.entry().id.as_ref(), "f");
    assert_eq!((graph.which.name.as_str(), graph.which.version), ("order", 1));
    let types: Vec<StepType> = graph.steps().iter().map(|it| it.step_type()).collect();
    let expected = [
        StepType::ParallelGateway,
        StepType::ServiceTask,
        StepType::ServiceTask,
        StepType::JoinGateway,
        StepType::End,
    ];
    assert_eq!(types, expected);
    assert_eq!(graph.step("a").map(|it| it.label.as_str()), Some("A"));
    assert!(graph.step("nowhere").is_none());
    for name in StepType::ALL {
        assert_eq!(StepType::of(name.as_str()), Some(*name));
    }
}
