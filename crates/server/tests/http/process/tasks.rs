//! Tasks for people, and signals.

use serde_json::{Value, json};

use super::samples::{sample, text_of};
use crate::world::{World, world};

#[tokio::test]
async fn user_tasks_are_listed_and_completed() {
    world().await.play("user_tasks").await;
}

#[tokio::test]
async fn user_tasks_are_listed_while_they_can_be_done() {
    world().await.play("user_tasks_of_ended_instances").await;
}

#[tokio::test]
async fn what_leads_nowhere_is_taken_and_fails_the_instance() {
    world().await.play("callbacks_that_lead_nowhere").await;
}

#[tokio::test]
async fn signals_are_taken_where_an_instance_waits() {
    world().await.play("signals").await;
}

#[tokio::test]
async fn of_signals_at_the_same_time_one_is_taken() {
    let world = world().await.with(&["pause"]).await;
    let id = world.start("pause", json!({})).await;
    let path = format!("/v1/instances/{id}/signals/hold");
    let signal = async || world.post(&path, "{}").await.status().as_u16();
    let (a, b, c) = tokio::join!(signal(), signal(), signal());
    let mut statuses = [a, b, c];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409, 409]);
}

#[tokio::test]
async fn of_people_who_do_the_same_task_one_has_done_it() {
    let world = world().await.with(&["person"]).await;
    let id = world.start("person", json!({})).await;
    let path = format!("/v1/instances/{id}/user-tasks/ask/complete");
    let complete = async || world.post(&path, "{}").await.status().as_u16();
    let (a, b, c) = tokio::join!(complete(), complete(), complete());
    let mut statuses = [a, b, c];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 404, 404]);
}

#[tokio::test]
async fn user_tasks_are_paged_by_instance() {
    let world = world().await.with(&["person", "pause"]).await;
    let mut started = Vec::new();
    for _ in 0..5 {
        started.insert(0, world.start("person", json!({})).await);
        world.start("pause", json!({})).await;
    }
    let (mut seen, mut before) = (Vec::new(), Some(String::new()));
    while let Some(last) = before {
        let path = format!("/v1/user-tasks?pageSize=2&before={last}");
        let page: Value = world.get(&path).await.json().await.unwrap();
        let items = page["items"].as_array().unwrap();
        seen.extend(items.iter().map(|it| text_of(it, "instanceId")));
        before = page["next"].as_str().map(str::to_owned);
    }
    assert_eq!(seen, started);
}

#[tokio::test]
async fn people_and_signals_go_by_the_version_an_instance_began_with() {
    let world = world().await.with(&["person", "pause"]).await;
    for (name, path, not_there) in
        [("person", "user-tasks/ask/complete", 404), ("pause", "signals/hold", 409)]
    {
        let old = world.start(name, json!({})).await;
        let without = sample("line").replace(r#""id":"line""#, &format!(r#""id":"{name}""#));
        let answer: Value = world.post("/v1/definitions", &without).await.json().await.unwrap();
        assert_eq!(answer["version"], 2, "{name}");
        let new = world.start(name, json!({})).await;
        for (id, expected) in [(&old, 204), (&new, not_there)] {
            let response = world.post(&format!("/v1/instances/{id}/{path}"), "").await;
            assert_eq!(response.status(), expected, "{name}");
            assert_eq!(world.look(id, "currentStepIds").await, json!(["a"]), "{name}");
        }
        assert_eq!(world.look(&old, "definitionVersion").await, 1, "{name}");
    }
}

/// What the audit says about the deed of that kind.
async fn detail(world: &World, id: &str, kind: &str) -> Value {
    let audit: Value = world.get(&format!("/v1/instances/{id}/audit")).await.json().await.unwrap();
    let items = audit["items"].as_array().unwrap();
    items.iter().find(|it| it["kind"] == kind).unwrap()["detail"].clone()
}

#[tokio::test]
async fn whoever_completes_signals_or_cancels_can_say_why() {
    let world = world().await.with(&["person", "pause", "line"]).await;
    let id = world.start("person", json!({})).await;
    let body = r#"{"variables":{}, "reason":"seen the papers"}"#;
    let path = format!("/v1/instances/{id}/user-tasks/ask/complete");
    assert_eq!(world.post(&path, body).await.status(), 204);
    assert_eq!(detail(&world, &id, "USER_TASK_COMPLETED").await, "seen the papers");

    let because = async |path: String, reason: &str| {
        let request = world.client.post(format!("http://{}{path}", world.address));
        request.header("waypost-reason", reason).send().await.unwrap().status().as_u16()
    };
    let id = world.start("pause", json!({})).await;
    let path = format!("/v1/instances/{id}/signals/hold");
    assert_eq!(because(path.clone(), &"x".repeat(1_001)).await, 400);
    assert_eq!(because(path, "Frau%20M%C3%BCller%20rief%20an").await, 204);
    assert_eq!(detail(&world, &id, "SIGNAL_RECEIVED").await, "Frau M\u{fc}ller rief an");

    let id = world.start("line", json!({})).await;
    assert_eq!(because(format!("/v1/instances/{id}/cancel"), "no longer wanted").await, 200);
    assert_eq!(detail(&world, &id, "INSTANCE_CANCELLED").await, "no longer wanted");
}

#[tokio::test]
async fn whoever_signals_a_chain_can_say_why() {
    let world = world().await.with_order().await;
    let started = world.post("/v1/chains/instances", r#"{"workflowType":"order"}"#).await;
    let started: Value = started.json().await.unwrap();
    let id = started["instanceId"].as_str().unwrap();
    let url = format!("http://{}/v1/chains/instances/{id}/signals", world.address);
    let request = world.client.post(url).header("waypost-reason", "they paid in cash");
    let request = request.header("content-type", "application/json");
    let request = request.body(r#"{"eventType":"PAID"}"#);
    assert_eq!(request.send().await.unwrap().status(), 200);
    let history = world.get(&format!("/v1/chains/instances/{id}/events")).await;
    let history: Value = history.json().await.unwrap();
    let events = history["items"][1]["events"].as_array().unwrap();
    assert_eq!(events[1], json!({"type": "ASKED", "reason": "they paid in cash"}), "{history}");
}
