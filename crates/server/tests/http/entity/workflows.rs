//! Workflows: taken in, given out, run.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use waypost_engine::{Engine, Settings, entity::Rules};
use waypost_kernel::Clock as _;
use waypost_server::Options;

use crate::world::{World, world, world_with};

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
pub(crate) async fn a_hundred_transitions_by_themselves_are_too_many() {
    let world = with_line(99).await;
    let answer = world.say(r#"POST /api/entity/JSON/m/1 {"a":1}"#, &[]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let entity = world.say("GET /api/entity/#2", &[]).await.json();
    assert_eq!(entity["meta"]["state"], "s99");
    let answer = with_line(100).await.say(r#"POST /api/entity/JSON/m/1 {"a":1}"#, &[]).await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "WORKFLOW_FAILED"));
}

#[tokio::test]
pub(crate) async fn a_transition_that_is_asked_for_is_not_one_of_the_hundred() {
    for (n_transitions, expected) in [(99, 200), (100, 400)] {
        let world = world().await;
        let mut import: Value = serde_json::from_str(&line(n_transitions)).unwrap();
        let begin = json!({"name": "BEGIN", "next": "s0", "manual": true});
        import["workflows"][0]["initialState"] = json!("START");
        import["workflows"][0]["states"]["START"] = json!({ "transitions": [begin] });
        world
            .prepare(&[
                r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#,
                "PUT /api/model/m/1/lock",
                &format!("POST /api/model/m/1/workflow/import {import}"),
                r#"POST /api/entity/JSON/m/1 {"a":1}"#,
            ])
            .await;
        let answer = world.say(r##"PUT /api/entity/JSON/#2/BEGIN {"a":2}"##, &[]).await;
        assert_eq!(answer.status, expected, "{}", answer.text);
        let entity = world.say("GET /api/entity/#2", &[]).await.json();
        let rests = if expected == 200 { "s99" } else { "START" };
        assert_eq!(entity["meta"]["state"], rests);
    }
}

#[tokio::test]
pub(crate) async fn what_a_server_is_told_to_be_strict_about_is_up_to_its_settings() {
    let workflow = r#"{"name":"w","initialState":"A","states":{"A":{"transitions":[{"name":"t","next":"A","manual":true,"processors":[{"type":"externalized","name":"p"}]}]}}}"#;
    let import = format!(r#"POST /api/model/m/1/workflow/import {{"workflows":[{workflow}]}}"#);
    let with = async |rules| {
        world_with(Options::default(), Settings { rules, ..Settings::default() }).await
    };
    let world = with(Rules { strict_processor_types: false, ..Rules::default() }).await;
    world.prepare(&[&import]).await;
    let export = world.say("GET /api/model/m/1/workflow/export", &[]).await.json();
    let processor = &export["workflows"][0]["states"]["A"]["transitions"][0]["processors"][0];
    assert_eq!(processor["type"], "externalized");

    let import = import.replace("externalized", "EXTERNAL");
    let world = with(Rules { strict_workflow_models: true, ..Rules::default() }).await;
    let answer = world.say(&import, &[]).await;
    assert_eq!((answer.status, answer.code().as_str()), (404, "MODEL_NOT_FOUND"));
    world.prepare(&[r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#, &import]).await;
}

#[tokio::test]
pub(crate) async fn pages_of_the_audit_have_everything_once_while_more_happens() {
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

#[tokio::test]
pub(crate) async fn a_page_of_the_audit_has_twenty_items_and_never_more_than_a_thousand() {
    let world = world().await;
    let item = r##"{"id":"#2","payload":"{}"}"##;
    let update = format!(
        "PUT /api/entity/JSON?transactionWindow=1000 [{}{item}]",
        format!("{item},").repeat(599)
    );
    world
        .prepare(&[
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#,
            "PUT /api/model/m/1/lock",
            r#"POST /api/entity/JSON/m/1 {"a":1}"#,
            &update,
        ])
        .await;
    for (query, expected) in [
        ("", 20),
        ("?limit=1", 1),
        ("?limit=1000", 1_000),
        ("?limit=1001", 1_000),
        ("?limit=5000", 1_000),
    ] {
        let page = world.say(&format!("GET /api/audit/entity/#2{query}"), &[]).await.json();
        assert_eq!(page["items"].as_array().unwrap().len(), expected, "{query}");
        assert_eq!(page["pagination"]["hasNext"], true);
    }
}

#[tokio::test]
pub(crate) async fn imports_at_the_same_time_all_land() {
    let world = world().await;
    let import = async |number: usize| {
        let workflow =
            format!(r#"{{"name":"w{number}","initialState":"S","states":{{"S":{{}}}}}}"#);
        let line = format!(r#"POST /api/model/m/1/workflow/import {{"workflows":[{workflow}]}}"#);
        world.say(&line, &[]).await.status
    };
    let statuses = futures_util::future::join_all((0..10).map(import)).await;
    assert_eq!(statuses, [200; 10]);
    let export = world.say("GET /api/model/m/1/workflow/export", &[]).await.json();
    let mut names: Vec<_> =
        export["workflows"].as_array().unwrap().iter().map(|it| it["name"].to_string()).collect();
    names.sort();
    assert_eq!(names, (0..10).map(|it| format!("\"w{it}\"")).collect::<Vec<_>>());
}

#[tokio::test]
pub(crate) async fn a_state_may_be_entered_as_often_as_the_server_is_told() {
    let rules = Rules { state_visits_max: 3, ..Rules::default() };
    let world = world_with(Options::default(), Settings { rules, ..Settings::default() }).await;
    let still = |n: u64| json!({"type": "simple", "jsonPath": "$.a", "operatorType": "GREATER_THAN", "value": n});
    let states = json!({
        "A": {"transitions": [{"name": "t", "next": "B", "criterion": still(0)}]},
        "B": {"transitions": [{"name": "t", "next": "A", "criterion": still(0)}]},
    });
    let workflow = json!({"name": "w", "initialState": "A", "states": states});
    let import = json!({ "workflows": [workflow] });
    world
        .prepare(&[
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#,
            "PUT /api/model/m/1/lock",
            &format!("POST /api/model/m/1/workflow/import {import}"),
            r#"POST /api/entity/JSON/m/1 {"a":0}"#,
        ])
        .await;
    let answer = world.say(r#"POST /api/entity/JSON/m/1 {"a":1}"#, &[]).await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "WORKFLOW_FAILED"));
    assert!(answer.text.contains("state A was entered more than 3 times"), "{}", answer.text);
}

/// Entities that time takes on, of which two nodes hear at the same moment.
#[tokio::test]
pub(crate) async fn of_two_nodes_one_takes_what_is_due() {
    let world = world().await;
    let late = json!([{"name": "LATE", "next": "DONE", "schedule": {"delayMs": 10_000}}]);
    let states = json!({"NEW": {"transitions": late}, "DONE": {}});
    let workflow = json!({"name": "w", "initialState": "NEW", "states": states});
    let import = json!({"workflows": [workflow]});
    let many = vec![json!({"a": 1}); 30];
    world
        .prepare(&[
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#,
            "PUT /api/model/m/1/lock",
            &format!("POST /api/model/m/1/workflow/import {import}"),
            &format!("POST /api/entity/JSON/m/1 {}", Value::from(many)),
        ])
        .await;
    let ids = world.say("GET /api/entity/m/1?pageSize=100", &[]).await.json();
    let ids: Vec<&str> =
        ids.as_array().unwrap().iter().map(|it| it["meta"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 30);
    // As after a restart, the other one has seen nothing of it yet.
    let other = Engine::new(Arc::clone(world.engine.store()), Settings::default());
    world.clock.advance(Duration::from_secs(10));
    let now = world.clock.now();
    let (here, there) = (world.engine.sweeps(), other.sweeps());
    let swept = tokio::join!(here.timers(now), there.timers(now));
    assert_eq!(swept.0.unwrap().done + swept.1.unwrap().done, 30);
    for id in ids {
        let line = format!("GET /api/audit/entity/{id}?eventType=StateMachine");
        let audit = world.say(&line, &[]).await.json();
        let events = audit["items"].as_array().unwrap().iter().map(|it| &it["eventType"]);
        assert_eq!(events.filter(|it| **it == "SCHEDULED_TRANSITION_FIRE").count(), 1, "{id}");
    }
}
