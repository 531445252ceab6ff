//! Tasks for people, and signals.

use serde_json::{Value, json};

use super::samples::{sample, text_of};
use crate::world::world;

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
