//! Watching over a WebSocket and as server-sent events.

use std::{sync::Arc, time::Duration};

use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest as _},
};
use waypost_lifecycle::MemoryBucket;
use waypost_server::{HttpLimits, lifecycle::GatewayOptions};

use super::{Field, field, field_limited, field_with, mission};
use crate::world::World;

pub(super) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// What must come has this long.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) async fn socket(
    world: &World,
    path: &str,
    origin: Option<&str>,
) -> Result<Socket, Error> {
    let url = format!("ws://{}/workflows/{path}", world.address);
    let mut request = url.into_client_request()?;
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    Ok(connect_async(request).await?.0)
}

impl Field {
    async fn socket(&self, path: &str, origin: Option<&str>) -> Result<Socket, Error> {
        socket(&self.world, path, origin).await
    }

    /// The bucket, and how many watch it for the index.
    async fn watched(&self) -> (Arc<MemoryBucket>, usize) {
        while !self.lifecycles.is_indexed("drone-survey").unwrap() {
            tokio::task::yield_now().await;
        }
        let bucket = self.buckets.bucket("MISSIONS").unwrap();
        let n_watches = bucket.n_watches();
        (bucket, n_watches)
    }
}

/// The next frame with text; none if the server has ended it.
pub(super) async fn next(socket: &mut Socket) -> Option<Value> {
    loop {
        match timeout(PATIENCE, socket.next()).await.unwrap()? {
            Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
            Ok(Message::Close(_)) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

#[tokio::test]
async fn a_socket_shows_what_is_there_and_then_what_is_written() {
    let field = field().await;
    let mut socket = field.socket("drone-survey?stream=true&bootstrap=true", None).await.unwrap();
    let mut ids = Vec::new();
    for _ in 0..2 {
        ids.push(next(&mut socket).await.unwrap()["entity_id"].clone());
    }
    ids.sort_by_key(Value::to_string);
    assert_eq!(ids, ["m-1", "m-2"]);
    assert_eq!(next(&mut socket).await, Some(json!({"event": "bootstrap_complete"})));
    socket.send(Message::text("nobody listens")).await.unwrap();
    field.fly("").await;
    let seen = next(&mut socket).await.unwrap();
    assert_eq!((&seen["entity_id"], &seen["phase"]), (&json!("m-2"), &json!("flying")));
    field.world.stop.cancel();
    assert_eq!(next(&mut socket).await, None, "the server ends what it cannot go on with");
}

#[tokio::test]
async fn who_watches_a_type_that_is_not_there_is_told_over_the_socket() {
    let field = field().await;
    let mut socket = field.socket("nothing?stream=true", None).await.unwrap();
    let told = next(&mut socket).await.unwrap();
    assert_eq!(told, json!({"error": "watch: workflow \"nothing\" is not registered"}));
    assert_eq!(next(&mut socket).await, None);
}

#[tokio::test]
async fn a_watch_that_fails_ends() {
    let field = field().await;
    let mut socket = field.socket("drone-survey?stream=true", None).await.unwrap();
    next(&mut socket).await.unwrap();
    next(&mut socket).await.unwrap();
    field.buckets.bucket("MISSIONS").unwrap().end_watches();
    assert_eq!(next(&mut socket).await, None);
}

#[tokio::test]
async fn sockets_can_be_switched_off_and_strange_origins_stay_outside() {
    let status = |result: Result<Socket, Error>| match result {
        Err(Error::Http(answer)) => answer.status().as_u16(),
        other => panic!("{other:?}"),
    };
    let off = field_with(GatewayOptions { websocket: false, ..Default::default() }).await;
    assert_eq!(status(off.socket("drone-survey?stream=true", None).await), 403);
    let origins = vec!["https://ops.test".to_owned()];
    let known = field_with(GatewayOptions { origins, ..Default::default() }).await;
    let path = "drone-survey?stream=true";
    assert_eq!(status(known.socket(path, Some("https://evil.test")).await), 403);
    assert!(known.socket(path, Some("https://ops.test")).await.is_ok());
    assert!(known.socket(path, None).await.is_ok(), "programs have no origin");
}

#[tokio::test]
async fn a_stream_without_a_socket_needs_events() {
    let field = field().await;
    let answer = field.world.get("/workflows/drone-survey?stream=true").await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    let url = format!("http://{}/workflows/drone-survey?stream=true", field.world.address);
    let request = field.world.client.get(url).header("accept", "text/event-stream");
    let mut events = request.send().await.unwrap();
    assert_eq!(events.headers()["content-type"], "text/event-stream");
    let mut seen = String::new();
    while seen.matches("event: entity").count() < 2 {
        let part = timeout(PATIENCE, events.chunk()).await.unwrap().unwrap().unwrap();
        seen += std::str::from_utf8(&part).unwrap();
    }
    field.lifecycles.delete("drone-survey", "m-1").await.unwrap();
    while !seen.contains(r#"data: {"entity_id":"m-1"}"#) {
        let part = timeout(PATIENCE, events.chunk()).await.unwrap().unwrap().unwrap();
        seen += std::str::from_utf8(&part).unwrap();
    }
    assert!(seen.contains("event: deleted"), "{seen}");
}

#[tokio::test]
async fn a_socket_that_nobody_reads_is_closed() {
    let limits = HttpLimits { idle_timeout: Duration::from_millis(500), ..HttpLimits::default() };
    let field = field_limited(GatewayOptions::default(), limits).await;
    let (bucket, n_others) = field.watched().await;
    let mut socket = field.socket("drone-survey?stream=true", None).await.unwrap();
    next(&mut socket).await.unwrap();
    assert_eq!(bucket.n_watches(), n_others + 1);
    flood(&bucket);
    until(&bucket, n_others).await;
}

#[tokio::test]
async fn a_quiet_socket_is_asked_whether_it_is_there() {
    let limits = HttpLimits { idle_timeout: Duration::from_millis(500), ..HttpLimits::default() };
    let field = field_limited(GatewayOptions::default(), limits).await;
    let mut socket = field.socket("drone-survey?stream=true", None).await.unwrap();
    let pinged = async {
        let mut n_pings = 0;
        while n_pings < 4 {
            n_pings += usize::from(socket.next().await.unwrap().unwrap().is_ping());
        }
    };
    timeout(PATIENCE, pinged).await.unwrap();
    // Who answers may stay, however quiet it is.
    field.fly("").await;
    assert_eq!(next(&mut socket).await.unwrap()["phase"], "flying");
}

#[tokio::test]
async fn events_that_nobody_reads_are_ended() {
    let limits = HttpLimits { idle_timeout: Duration::from_millis(500), ..HttpLimits::default() };
    let field = field_limited(GatewayOptions::default(), limits).await;
    let (bucket, n_others) = field.watched().await;
    let url = format!("http://{}/workflows/drone-survey?stream=true", field.world.address);
    let request = field.world.client.get(url).header("accept", "text/event-stream");
    let mut events = request.send().await.unwrap();
    events.chunk().await.unwrap().unwrap();
    assert_eq!(bucket.n_watches(), n_others + 1);
    flood(&bucket);
    until(&bucket, n_others).await;
}

/// More than lies on the way to a reader that does not read.
fn flood(bucket: &MemoryBucket) {
    let mut large = mission("m-1", "ann", None);
    large["serial"] = json!("x".repeat(1 << 20));
    for _ in 0..48 {
        bucket.put("mission.m-1", large.to_string());
    }
}

/// Waits until no more than these watch.
async fn until(bucket: &MemoryBucket, n_watches: usize) {
    let fewer = async {
        while bucket.n_watches() > n_watches {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, fewer).await.unwrap();
}

#[tokio::test]
async fn a_client_that_goes_ends_its_watch() {
    let field = field().await;
    let (bucket, n_others) = field.watched().await;
    let mut polite = field.socket("drone-survey?stream=true", None).await.unwrap();
    let mut rude = field.socket("drone-survey?stream=true", None).await.unwrap();
    for socket in [&mut polite, &mut rude] {
        next(socket).await.unwrap();
    }
    assert_eq!(bucket.n_watches(), n_others + 2);
    polite.close(None).await.unwrap();
    until(&bucket, n_others + 1).await;
    drop(rude);
    until(&bucket, n_others).await;
    let url = format!("http://{}/workflows/drone-survey?stream=true", field.world.address);
    let request = field.world.client.get(url).header("accept", "text/event-stream");
    let mut events = request.send().await.unwrap();
    events.chunk().await.unwrap().unwrap();
    assert_eq!(bucket.n_watches(), n_others + 1);
    drop(events);
    until(&bucket, n_others).await;
}
