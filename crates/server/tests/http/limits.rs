//! What a client may take from the server, and what happens beyond it.

use std::time::Duration;

use async_compression::tokio::write::GzipEncoder;
use tokio::io::AsyncWriteExt as _;
use waypost_server::{HttpLimits, Options, Server};

use crate::{
    raw::rest,
    world::{World, world, world_limited},
};

const ORDER: &str = r#"{"workflowType":"order"}"#;

async fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzipEncoder::new(Vec::new());
    encoder.write_all(text).await.unwrap();
    encoder.shutdown().await.unwrap();
    encoder.into_inner()
}

async fn post_packed(world: &World, body: Vec<u8>) -> (u16, String) {
    let request = world.client.post(format!("http://{}/v1/chains/instances", world.address));
    let request = request.header("content-type", "application/json");
    let response = request.header("content-encoding", "gzip").body(body).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test]
async fn a_packed_body_is_unpacked() {
    let world = world().await.with_order().await;
    let (status, answer) = post_packed(&world, packed(ORDER.as_bytes()).await).await;
    assert_eq!(status, 201, "{answer}");
}

#[tokio::test]
async fn a_small_body_that_unpacks_to_a_large_one_is_refused() {
    let world = world().await.with_order().await;
    let bomb = packed(&vec![b' '; 64 << 20]).await;
    assert!(bomb.len() < 1 << 17, "{} bytes", bomb.len());
    let (status, answer) = post_packed(&world, bomb).await;
    assert_eq!(status, 413);
    assert!(answer.contains("BODY_TOO_LARGE"), "{answer}");
}

#[tokio::test]
async fn a_body_may_be_as_large_as_the_limit_and_no_larger() {
    let world = world_limited(HttpLimits { body_max: 100, ..HttpLimits::default() }).await;
    let body = |length: usize| format!("{ORDER}{}", " ".repeat(length - ORDER.len()));
    let status =
        async |length| world.post("/v1/chains/instances", &body(length)).await.status().as_u16();
    assert_eq!(status(100).await, 404, "read, but not deployed");
    assert_eq!(status(101).await, 413);
}

#[tokio::test]
async fn a_body_without_a_length_is_limited_too() {
    let world = world_limited(HttpLimits { body_max: 100, ..HttpLimits::default() }).await;
    let chunk = format!("c8\r\n{}\r\n", " ".repeat(200));
    let head = "POST /v1/chains/instances HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let answer = world.shout(format!("{head}{chunk}").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn a_head_that_does_not_end_is_cut_off() {
    let limits = HttpLimits { head_timeout: Duration::from_millis(50), ..HttpLimits::default() };
    let world = world_limited(limits).await;
    assert_eq!(world.shout(b"").await, "");
    assert_eq!(world.shout(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-slow: ").await, "");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_refused() {
    let limits = HttpLimits { body_timeout: Duration::from_millis(50), ..HttpLimits::default() };
    let world = world_limited(limits).await;
    let head = "POST /v1/chains/instances HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                content-type: application/json\r\ncontent-length: 10\r\n\r\n{";
    let answer = world.shout(head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("BODY_TOO_SLOW"), "{answer}");
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let limits = HttpLimits { idle_timeout: Duration::from_millis(50), ..HttpLimits::default() };
    let world = world_limited(limits).await;
    let answer = world.shout(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn heads_are_limited_in_size_and_number() {
    let world = world().await;
    let large = format!("GET /healthz HTTP/1.1\r\nx: {}\r\n\r\n", "a".repeat(20_000));
    let answer = world.shout(large.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    let many: String = (0..101).map(|it| format!("h{it}: x\r\n")).collect();
    let answer = world.shout(format!("GET /healthz HTTP/1.1\r\n{many}\r\n").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[tokio::test]
async fn what_is_not_http_gets_no_further() {
    let world = world().await;
    for bytes in
        [&b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"[..], b"hello\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"]
    {
        let answer = world.shout(bytes).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
    }
    assert_eq!(world.get("/healthz").await.status(), 200);
}

#[tokio::test]
async fn beyond_the_limit_connections_are_told_so_and_health_still_answers() {
    let world = world_limited(HttpLimits { connections_max: 1, ..HttpLimits::default() }).await;
    let mut first = world.connect().await;
    first.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    first.readable().await.unwrap();
    let refused =
        world.shout(b"GET /v1/chains/instances HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(refused.contains("retry-after: 1"), "{refused}");
    assert!(refused.contains("connection: close"), "{refused}");
    assert!(refused.contains("OVERLOADED"), "{refused}");
    for path in ["/healthz", "/readyz", "/metrics"] {
        let answer =
            world.shout(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{path} {answer}");
    }
    first
        .write_all(b"GET /v1/chains/instances HTTP/1.1\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    let answer = rest(&mut first).await;
    assert!(answer.contains("\"hasMore\":false"), "{answer}");
}

#[tokio::test]
async fn claims_that_wait_leave_room_for_others() {
    let limits = HttpLimits { claims_max: 1, ..HttpLimits::default() };
    let world = world_limited(limits).await.with_order().await;
    let claim = r#"{"workerId":"w","waitMs":30000}"#;
    let waiting = async { world.post("/v1/chains/claim", claim).await.status().as_u16() };
    let others = async {
        loop {
            let response = world.post("/v1/chains/claim", r#"{"workerId":"v"}"#).await;
            if response.status() == 503 {
                break;
            }
        }
        world.post("/v1/chains/instances", ORDER).await.status().as_u16()
    };
    assert_eq!(tokio::join!(waiting, others), (200, 201));
}

#[tokio::test]
async fn a_port_in_use_is_told_with_what_to_do() {
    let world = world().await;
    let options = Options { http: world.address, ..Options::default() };
    let error = Server::bind(world.engine.clone(), options).await.err().unwrap();
    let port = world.address.port();
    assert_eq!(
        error.to_string(),
        format!(
            "port {port} of 127.0.0.1 is in use; stop the other program or choose another with \
             --http"
        )
    );
}
