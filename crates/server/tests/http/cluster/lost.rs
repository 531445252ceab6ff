//! Nodes that are not there, or not any more.

use std::{net::SocketAddr, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt as _,
    net::TcpListener,
    time::{Instant, timeout},
};
use waypost_server::{
    cluster::ClusterOptions,
    compute::{Ticket, Tickets},
};

use super::pair::{PATIENCE, SECRET, Shared, impatient, patient};
use crate::calls::{
    compute::{new, processor},
    hall::Hall,
};

/// An address where nobody listens.
async fn nowhere() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
}

async fn alone(options: ClusterOptions) -> (Shared, Hall) {
    let shared = Shared::new().await;
    let node = shared.node("first", SECRET, options).await;
    node.needing(processor("p", "SYNC", "")).await;
    (shared, node)
}

/// What comes of a write that needs a member, over HTTP.
async fn created(node: &Hall) -> (u16, String, Value) {
    let creating = node.world.say(r#"POST /api/entity/JSON/m/1 {"n":1}"#, &[]);
    let answer = timeout(PATIENCE, creating).await.unwrap();
    (answer.status, answer.code(), answer.json())
}

#[tokio::test]
pub(crate) async fn a_node_that_ends_in_the_middle_leaves_nothing_behind() {
    let (shared, node) = alone(patient()).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    shared.pretend("ghost", listener.local_addr().unwrap()).await;
    let ending = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut first = [0; 100];
        stream.read_exact(&mut first).await.unwrap();
        assert!(first.starts_with(b"POST /internal/dispatch/processor HTTP/1.1\r\n"));
    };
    let ((), (status, code, problem)) = tokio::join!(ending, created(&node));
    assert_eq!((status, code.as_str()), (503, "DISPATCH_FORWARD_FAILED"));
    assert_eq!(problem["properties"]["retryable"], true, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("node ghost was lost"), "{problem}");
    assert_eq!(node.count().await, 0);
    let lost = r#"waypost_cluster_dispatches_total{outcome="lost"}"#;
    assert_eq!(node.figure(lost).await, 1);
}

#[tokio::test]
pub(crate) async fn a_node_that_does_not_answer_is_given_up_after_its_member_would_have_been() {
    for (config, seconds) in [(json!({}), 40), (json!({"responseTimeoutMs": 40_000}), 50)] {
        let shared = Shared::new().await;
        let node = shared.node("first", SECRET, patient()).await;
        node.needing(json!({"name": "p", "config": config})).await;
        // It takes the question and says nothing.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        shared.pretend("deaf", listener.local_addr().unwrap()).await;
        let listening = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_exact(&mut [0; 100]).await.unwrap();
            // Everybody has what they need but an answer.
            tokio::time::pause();
            (stream, Instant::now())
        };
        let ((_stream, asked_at), (status, code, problem)) =
            tokio::join!(listening, created(&node));
        let took = asked_at.elapsed();
        tokio::time::resume();
        assert_eq!((status, code.as_str()), (503, "DISPATCH_FORWARD_FAILED"), "{problem}");
        assert_eq!(problem["properties"]["retryable"], true, "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(&format!("has not answered within {seconds}s")), "{detail}");
        assert!(took.as_secs() < seconds + 1, "{took:?}");
        assert_eq!(node.count().await, 0);
    }
}

#[tokio::test]
pub(crate) async fn a_node_that_cannot_be_reached_is_told_as_such() {
    let (shared, node) = alone(impatient()).await;
    shared.pretend("ghost", nowhere().await).await;
    let (status, code, problem) = created(&node).await;
    assert_eq!((status, code.as_str()), (503, "DISPATCH_FORWARD_FAILED"), "{problem}");
    assert_eq!(node.count().await, 0);
}

#[tokio::test]
pub(crate) async fn while_one_node_cannot_be_reached_others_are_asked() {
    let (shared, node) = alone(patient()).await;
    let ghost = nowhere().await;
    for name in ["ghost-1", "ghost-2", "ghost-3"] {
        shared.pretend(name, ghost).await;
    }
    let second = shared.node("second", SECRET, patient()).await;
    let _member = second.member(&[], |asked| asked.with("by", "second")).await;
    for _ in 0..3 {
        assert_eq!(created(&node).await.0, 200);
    }
}

#[tokio::test]
pub(crate) async fn a_node_is_forgotten_ten_seconds_after_it_was_seen() {
    let (shared, node) = alone(impatient()).await;
    shared.pretend("ghost", nowhere().await).await;
    shared.clock.advance(Duration::from_millis(9_999));
    assert_eq!(created(&node).await.1, "DISPATCH_FORWARD_FAILED");
    shared.clock.advance(Duration::from_millis(1));
    assert_eq!(created(&node).await.1, "NO_COMPUTE_MEMBER_FOR_TAG");
}

#[tokio::test]
pub(crate) async fn a_callback_whose_node_is_gone_is_told_so() {
    let (shared, node) = alone(impatient()).await;
    shared.pretend("ghost", nowhere().await).await;
    for name in ["ghost", "never-seen"] {
        let (owner, transaction) = (name.to_owned(), "t".to_owned());
        let ticket = Ticket { node: owner, transaction, layer: 0, until: i64::MAX };
        let ticket = Tickets::new(SECRET).unwrap().sign(&ticket);
        let header = [format!("X-Tx-Token: {ticket}")];
        for line in [
            r#"POST /api/entity/JSON/m/1 {"n":1}"#,
            "GET /api/entity/00000001-0000-1000-8000-000000000000",
        ] {
            let answer = node.world.say(line, &header).await;
            let told = (answer.status, answer.code());
            assert_eq!(told, (503, "TRANSACTION_NODE_UNAVAILABLE".to_owned()), "{name} {line}");
        }
        for kind in ["EntityCreateRequest", "EntityStatsGetRequest"] {
            let payload = new(json!({"n": 1}));
            let answers = node.ask_with(kind, payload, &[("tx-token", &ticket)]).await.unwrap();
            let message = answers[0].1["error"]["message"].as_str().unwrap();
            assert!(message.starts_with("TRANSACTION_NODE_UNAVAILABLE: "), "{kind} {message}");
        }
    }
    let lost = r#"waypost_cluster_forwarded_total{outcome="unreachable"}"#;
    assert_eq!(node.figure(lost).await, 4);
    assert_eq!(node.count().await, 0);
}

#[tokio::test]
pub(crate) async fn a_node_that_does_not_answer_a_callback_is_given_up() {
    let proxy_timeout = Duration::from_millis(300);
    let (shared, node) = alone(ClusterOptions { proxy_timeout, ..impatient() }).await;
    // It takes the connection and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    shared.pretend("ghost", listener.local_addr().unwrap()).await;
    let (owner, transaction) = ("ghost".to_owned(), "t".to_owned());
    let ticket = Ticket { node: owner, transaction, layer: 0, until: i64::MAX };
    let header = [format!("X-Tx-Token: {}", Tickets::new(SECRET).unwrap().sign(&ticket))];
    let answer = timeout(PATIENCE, node.world.say("GET /api/entity/m/1", &header)).await.unwrap();
    assert_eq!((answer.status, answer.code().as_str()), (503, "TRANSACTION_NODE_UNAVAILABLE"));
    assert!(answer.text.contains("no answer within 300ms"), "{}", answer.text);
}
