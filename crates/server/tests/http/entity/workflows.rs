//! Workflows: taken in, given out, run.

use serde_json::{Value, json};

use crate::world::{World, world};

#[tokio::test]
async fn workflows_are_exported_as_they_were_imported() {
    world().await.enact("workflows_are_exported_as_they_were_imported").await;
}

#[tokio::test]
async fn workflows_are_merged_replaced_and_activated() {
    world().await.enact("workflows_are_merged_replaced_and_activated").await;
}

#[tokio::test]
async fn workflows_that_break_rules_are_refused() {
    world().await.enact("workflows_that_break_rules_are_refused").await;
}

#[tokio::test]
async fn without_workflows_there_is_one() {
    world().await.enact("without_workflows_there_is_one").await;
}

#[tokio::test]
async fn the_first_workflow_that_matches_is_chosen() {
    world().await.enact("the_first_workflow_that_matches_is_chosen").await;
}

#[tokio::test]
async fn transitions_are_guarded() {
    world().await.enact("transitions_are_guarded").await;
}

#[tokio::test]
async fn the_examples_of_the_format_work() {
    world().await.enact("the_examples_of_the_format_work").await;
}

#[tokio::test]
async fn what_happened_is_told_newest_first() {
    world().await.enact("what_happened_is_told_newest_first").await;
}

#[tokio::test]
async fn nobody_to_ask_is_told_as_such() {
    world().await.enact("nobody_to_ask_is_told_as_such").await;
}

/// A workflow of a line of states that are left by themselves.
fn line(n_transitions: usize) -> String {
    let state = |it: usize| {
        let next = json!([{"name": format!("t{it}"), "next": format!("s{}", it + 1)}]);
        (format!("s{it}"), json!({ "transitions": next }))
    };
    let mut states: serde_json::Map<_, _> = (0..n_transitions).map(state).collect();
    states.insert(format!("s{n_transitions}"), json!({}));
    let workflow = json!({"version": "1", "name": "line", "initialState": "s0", "states": states});
    json!({ "workflows": [workflow] }).to_string()
}

async fn with_line(n_transitions: usize) -> World {
    let world = world().await;
    let import = format!("POST /api/model/m/1/workflow/import {}", line(n_transitions));
    world
        .prepare(&[
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#,
            "PUT /api/model/m/1/lock",
            &import,
        ])
        .await;
    world
}

#[tokio::test]
async fn a_hundred_transitions_by_themselves_are_too_many() {
    let answer = with_line(99).await.say(r#"POST /api/entity/JSON/m/1 {"a":1}"#, &[]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer = with_line(100).await.say(r#"POST /api/entity/JSON/m/1 {"a":1}"#, &[]).await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "WORKFLOW_FAILED"));
}

#[tokio::test]
async fn pages_of_the_audit_have_everything_once_while_more_happens() {
    let world = world().await;
    world
        .prepare(&[
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#,
            "PUT /api/model/m/1/lock",
            r#"POST /api/entity/JSON/m/1 {"a":1}"#,
            r##"PUT /api/entity/JSON/#2 {"a":2}"##,
        ])
        .await;
    let all = world.say("GET /api/audit/entity/#2?limit=1000", &[]).await.json();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("GET /api/audit/entity/#2?limit=2{cursor}");
        let page = world.say(&path, &[]).await.json();
        seen.extend(page["items"].as_array().unwrap().clone());
        world.prepare(&[r##"PUT /api/entity/JSON/#2 {"a":3}"##]).await;
        let Some(next) = page["pagination"]["nextCursor"].as_str() else { break };
        assert_eq!(page["pagination"]["hasNext"], true);
        cursor = format!("&cursor={next}");
    }
    assert_eq!(Value::Array(seen), all["items"]);
    assert_eq!(all["pagination"], json!({ "hasNext": false }));
}
