//! Definitions over gRPC: uploaded, read back whole, listed, refused.

use prost_types::{Value as Wire, value::Kind};
use serde_json::{Value, json};
use tonic::Code;
use waypost_api::grpc::workflow::{
    BoundaryEvent, BoundaryEventType, DecisionTable, DecisionTableRule, GetDefinitionRequest,
    ListDefinitionsRequest, StepType, UploadDefinitionRequest, WorkflowDefinition, WorkflowStep,
};

use super::talk::{ending, grpc, start_with, to_struct, to_wire, told};

fn step(id: &str, step_type: StepType, next: &str) -> WorkflowStep {
    WorkflowStep {
        id: id.to_owned(),
        name: id.to_uppercase(),
        r#type: step_type.into(),
        next_step: next.to_owned(),
        ..WorkflowStep::default()
    }
}

/// A definition with a step of every type, and every member that has a meaning.
fn everything() -> WorkflowDefinition {
    let texts = |members: &[(&str, &str)]| {
        members.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    };
    let rule = DecisionTableRule {
        when: texts(&[("n", "n > 1")]),
        outputs: [("o".to_owned(), to_wire(&json!(2)))].into(),
        ..DecisionTableRule::default()
    };
    let timer = BoundaryEvent {
        r#type: BoundaryEventType::Timer.into(),
        duration: "PT1H".to_owned(),
        interrupting: true,
        target_step_id: "end".to_owned(),
    };
    let schema = json!({"properties": {"r": {"type": "string"}}, "required": ["r"]});
    let steps = vec![
        WorkflowStep {
            conditional_next_steps: texts(&[("n > 5", "table"), ("n <= 5", "change")]),
            ..step("choose", StepType::Decision, "")
        },
        WorkflowStep {
            decision_table: Some(DecisionTable { rules: vec![rule], ..DecisionTable::default() }),
            hit_policy: "F".to_owned(),
            ..step("table", StepType::DecisionTable, "change")
        },
        WorkflowStep {
            transformations: [("t".to_owned(), to_wire(&json!("${n}")))].into(),
            ..step("change", StepType::Transformation, "fork")
        },
        WorkflowStep {
            parallel_next_steps: vec!["work".to_owned(), "ask".to_owned()],
            join_step: "join".to_owned(),
            ..step("fork", StepType::ParallelGateway, "")
        },
        WorkflowStep {
            description: "does it".to_owned(),
            job_type: "work".to_owned(),
            delegate_class: "Work".to_owned(),
            retry_count: 3,
            boundary_events: vec![timer],
            outputs_schema: Some(to_struct(&schema)),
            ..step("work", StepType::ServiceTask, "join")
        },
        step("ask", StepType::UserTask, "join"),
        step("join", StepType::JoinGateway, "hold"),
        step("hold", StepType::Wait, "end"),
        step("end", StepType::End, ""),
    ];
    WorkflowDefinition {
        id: "LOS::all".to_owned(),
        name: "All".to_owned(),
        description: "everything".to_owned(),
        auto_start_next_workflow: true,
        next_workflow_id: "next".to_owned(),
        steps,
        metadata: Some(to_struct(&json!({"owner": "me", "list": [1, null, 2.5]}))),
        input_schema: Some(to_struct(&json!({"properties": {"n": {"type": "number"}}}))),
        version: 0,
    }
}

fn upload(definition: WorkflowDefinition) -> UploadDefinitionRequest {
    UploadDefinitionRequest { definition: Some(definition) }
}

#[tokio::test]
async fn what_is_uploaded_is_read_back_whole() {
    let (_world, mut client) = grpc(&[]).await;
    let uploaded = client.upload_definition(upload(everything())).await.unwrap().into_inner();
    assert_eq!((uploaded.id.as_str(), uploaded.version), ("LOS::all", 1));
    let uploaded_at = uploaded.uploaded_at.unwrap();
    assert_eq!((uploaded_at.seconds, uploaded_at.nanos), (1_780_000_000, 0));
    for version in [0, 1, -1] {
        let request = GetDefinitionRequest { id: "LOS::all".to_owned(), version };
        let found = client.get_definition(request).await.unwrap().into_inner().definition;
        assert_eq!(found, Some(WorkflowDefinition { version: 1, ..everything() }));
    }
    let again = client.upload_definition(upload(everything())).await.unwrap().into_inner();
    assert_eq!(again.version, 1);
}

#[tokio::test]
async fn both_protocols_speak_of_the_same_definition() {
    let (world, mut client) = grpc(&[]).await;
    client.upload_definition(upload(everything())).await.unwrap();
    let read: Value = world.get("/v1/definitions/LOS::all").await.json().await.unwrap();
    assert_eq!(read["metadata"], json!({"list": [1, null, 2.5], "owner": "me"}));
    assert_eq!(read["steps"][4]["retryCount"], 3);
    let uploaded = world.post("/v1/definitions", &read.to_string()).await;
    let uploaded: Value = uploaded.json().await.unwrap();
    assert_eq!(uploaded["version"], 1, "{read:#}");
}

#[tokio::test]
async fn definitions_are_listed_with_all_they_say() {
    let (_world, mut client) = grpc(&["line", "line2", "person"]).await;
    client.upload_definition(upload(everything())).await.unwrap();
    for (keyword, page, page_size, expected, total) in [
        ("", 0, 0, "LOS::all 1, line 2, person 1", 3),
        ("", 1, 2, "person 1", 3),
        ("", -1, -1, "LOS::all 1, line 2, person 1", 3),
        ("PERS", 0, 20, "person 1", 1),
        ("%", 0, 20, "", 0),
    ] {
        let keyword = keyword.to_owned();
        let request = ListDefinitionsRequest { keyword, page, page_size };
        let answer = client.list_definitions(request).await.unwrap().into_inner();
        let found = answer.definitions.iter().map(|it| format!("{} {}", it.id, it.version));
        assert_eq!(found.collect::<Vec<_>>().join(", "), expected);
        assert_eq!(answer.total, total);
        assert!(answer.definitions.iter().all(|it| !it.steps.is_empty()));
    }
}

#[tokio::test]
async fn what_is_wrong_is_an_invalid_argument() {
    let (_world, mut client) = grpc(&[]).await;
    let invalid = |text: &str| told(Code::InvalidArgument, text);
    let none = UploadDefinitionRequest { definition: None };
    assert_eq!(ending(client.upload_definition(none).await), invalid("definition is required"));
    let empty = client.upload_definition(upload(WorkflowDefinition::default())).await;
    let expected =
        "validation errors:\n  id is required\n  name is required\n  steps must not be empty";
    assert_eq!(ending(empty), invalid(expected));
    let with = |change: fn(&mut WorkflowDefinition)| {
        let mut definition = everything();
        change(&mut definition);
        upload(definition)
    };
    for (request, expected) in [
        (
            with(|it| it.steps[0].r#type = 99),
            "definition.steps[0].type: no step type has number 99",
        ),
        (
            with(|it| it.steps[4].boundary_events[0].r#type = 7),
            "definition.steps[4].boundary_events[0].type: no boundary event type has number 7",
        ),
        (
            with(|it| {
                let not_a_number = Wire { kind: Some(Kind::NumberValue(f64::NAN)) };
                it.steps[7].transformations.insert("k".to_owned(), not_a_number);
            }),
            "definition.steps[7].transformations.k: invalid JSON value: NaN",
        ),
        (
            with(|it| {
                let infinite = Wire { kind: Some(Kind::NumberValue(f64::INFINITY)) };
                let table = it.steps[1].decision_table.as_mut().unwrap();
                table.rules[0].outputs.insert("k".to_owned(), infinite);
            }),
            "definition.steps[1].decision_table.rules[0].outputs.k: invalid JSON value: inf",
        ),
        (
            with(|it| it.steps[7].r#type = 0),
            "validation errors:\n  step \"hold\": unsupported type \"\"",
        ),
        (
            with(|it| it.steps[7].next_step = "x".to_owned()),
            "validation errors:\n  step \"hold\" nextStep references unknown step \"x\"",
        ),
    ] {
        let (code, text) = ending(client.upload_definition(request).await);
        assert_eq!(code, Code::InvalidArgument);
        assert!(text.starts_with(expected), "{text}");
    }
    let unknown = GetDefinitionRequest { id: "LOS::all".to_owned(), version: 0 };
    let found = client.get_definition(unknown).await;
    assert_eq!(ending(found), told(Code::NotFound, "definition not found"));
}

#[tokio::test]
async fn conditions_without_an_order_are_tried_by_their_text() {
    let (_world, mut client) = grpc(&[]).await;
    let conditions = [("b", "two"), ("a", "one"), ("c", "two")];
    let choose = WorkflowStep {
        conditional_next_steps: conditions
            .map(|(condition, target)| (condition.to_owned(), target.to_owned()))
            .into(),
        ..step("choose", StepType::Decision, "")
    };
    let definition = WorkflowDefinition {
        id: "order".to_owned(),
        name: "Order".to_owned(),
        steps: vec![
            choose,
            step("one", StepType::Wait, "end"),
            step("two", StepType::Wait, "end"),
            step("end", StepType::End, ""),
        ],
        ..WorkflowDefinition::default()
    };
    client.upload_definition(upload(definition)).await.unwrap();
    let variables = json!({"a": true, "b": true, "c": true});
    let instance = start_with(&mut client, "order", variables).await.unwrap();
    assert_eq!(instance.current_step_ids, ["one"]);
}
