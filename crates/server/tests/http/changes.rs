//! The stream of changes.

use std::time::Duration;

use expect_test::expect;
use reqwest::Response;
use tokio::time::timeout;

use crate::world::{World, world};

/// Reads until so many messages have come: the place of the beginning, then changes.
async fn changes(stream: &mut Response, n_messages: usize) -> String {
    let mut text = String::new();
    while text.matches("\n\n").count() < n_messages {
        let chunk = timeout(Duration::from_secs(20), stream.chunk()).await.unwrap().unwrap();
        text += std::str::from_utf8(&chunk.expect("the stream goes on")).unwrap();
    }
    text
}

async fn follow(world: &World, query: &str, last: Option<&str>) -> Response {
    let url = format!("http://{}/v1/chains/events?{query}", world.address);
    let request = world.client.get(url);
    let request = match last {
        Some(last) => request.header("last-event-id", last),
        None => request,
    };
    request.send().await.unwrap()
}

async fn start(world: &World) {
    world.post("/v1/chains/instances", r#"{"workflowType":"order"}"#).await;
}

#[tokio::test]
async fn changes_come_as_they_happen_and_can_be_gone_on_with() {
    let world = world().await.with_order().await;
    start(&world).await;
    let mut stream = follow(&world, "", None).await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    // Where it begins is told before anything happens.
    assert_eq!(changes(&mut stream, 1).await, "id: 0:1\n\n");
    start(&world).await;
    let first = changes(&mut stream, 1).await;
    world.post("/v1/chains/instances/i-2/cancel", r#"{"reason":"no"}"#).await;
    let second = changes(&mut stream, 1).await;
    expect![[r#"
        event: change
        id: 0:2
        data: {"instanceId":"i-2","version":1,"at":"2026-05-28T20:26:40.000000Z","events":[{"type":"STARTED","at":"2026-05-28T20:26:40.000000Z","workflowType":"order","workflowVersion":1,"steps":[{"stepType":"VALIDATE","maxAttempts":10},{"stepType":"SHIP","maxAttempts":2}]},{"type":"STEP_READY","stepSeq":0,"at":"2026-05-28T20:26:40.000000Z"}]}

        event: change
        id: 0:3
        data: {"instanceId":"i-2","version":2,"at":"2026-05-28T20:26:40.000000Z","events":[{"type":"CANCELED","at":"2026-05-28T20:26:40.000000Z","reason":"no"}]}

    "#]].assert_eq(&format!("{first}{second}"));
    let mut resumed = follow(&world, "", Some("0:2")).await;
    assert_eq!(changes(&mut resumed, 2).await, format!("id: 0:2\n\n{second}"));
    let mut resumed = follow(&world, "cursor=0:1", None).await;
    assert_eq!(changes(&mut resumed, 3).await, format!("id: 0:1\n\n{first}{second}"));
    let mut from_the_beginning = follow(&world, "cursor=", None).await;
    assert!(changes(&mut from_the_beginning, 4).await.contains("i-1"));
}

#[tokio::test]
async fn one_instance_can_be_followed() {
    let world = world().await.with_order().await;
    start(&world).await;
    start(&world).await;
    let mut stream = follow(&world, "instanceId=i-2", None).await;
    let seen = changes(&mut stream, 2).await;
    assert!(seen.contains(r#""instanceId":"i-2","version":1"#), "{seen}");
}

#[tokio::test]
async fn the_stream_ends_when_the_server_stops() {
    let world = world().await.with_order().await;
    let mut stream = follow(&world, "", None).await;
    assert_eq!(changes(&mut stream, 1).await, "id: 0:0\n\n");
    world.stop.cancel();
    assert!(stream.chunk().await.unwrap().is_none());
    world.running.await.unwrap().unwrap();
}

#[tokio::test]
async fn readers_are_limited() {
    let limits = waypost_server::HttpLimits { subscribers_max: 1, ..Default::default() };
    let world = crate::world::world_limited(limits).await;
    let first = follow(&world, "", None).await;
    assert_eq!(follow(&world, "", None).await.status(), 503);
    drop(first);
    let free = async { while follow(&world, "", None).await.status() != 200 {} };
    timeout(Duration::from_secs(20), free).await.unwrap();
}
