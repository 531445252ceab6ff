//! Questions between nodes: only nodes ask them, and each only once.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::pair::{PATIENCE, Pair, SECRET, Shared, impatient, pair};
use crate::{
    calls::{compute::processor, hall::Hall},
    raw::rest,
};

const PATH: &str = "/internal/dispatch/processor";

/// A question of the first node, byte by byte, as somebody on the way may have seen it.
async fn overheard(pair: &Pair) -> Vec<u8> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    pair.shared.pretend("ghost", listener.local_addr().unwrap()).await;
    let listening = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        question(&mut stream).await
    };
    let creating =
        pair.first.world.say(r#"POST /api/entity/JSON/m/1 {"n":1,"s":"overheard"}"#, &[]);
    let both = async { tokio::join!(listening, creating) };
    tokio::time::timeout(PATIENCE, both).await.unwrap().0
}

/// Reads a request to its end.
async fn question(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4_096];
        let n_bytes = stream.read(&mut chunk).await.unwrap();
        bytes.extend_from_slice(&chunk[..n_bytes]);
        let Some(head) = bytes.windows(4).position(|it| it == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
        let length = text.lines().find_map(|it| it.strip_prefix("content-length: "));
        if bytes.len() >= head + 4 + length.unwrap().parse::<usize>().unwrap() {
            return bytes;
        }
    }
}

/// The status that somebody gets who sends these bytes.
async fn status(hall: &Hall, bytes: &[u8]) -> u16 {
    let mut stream = hall.world.connect().await;
    stream.write_all(bytes).await.unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    String::from_utf8_lossy(&first[9..]).parse().unwrap()
}

#[tokio::test]
async fn a_question_cannot_be_read_changed_or_sent_again() {
    let pair = pair(impatient()).await;
    let question = overheard(&pair).await;
    let text = String::from_utf8_lossy(&question);
    assert!(text.contains("content-type: application/cyoda-dispatch-v1\r\n"), "{text}");
    assert!(!text.contains("overheard") && !text.contains("mock-tenant"), "{text}");
    let mut changed = question.clone();
    *changed.last_mut().unwrap() ^= 1;
    assert_eq!(status(&pair.second, &changed).await, 403);
    let moved = text.replacen("processor", "criteria", 1).len();
    assert_ne!(moved, question.len());
    let mut elsewhere = question.clone();
    elsewhere.splice(..PATH.len() + 5, b"POST /internal/dispatch/criteria".iter().copied());
    assert_eq!(status(&pair.second, &elsewhere).await, 403);
    assert_eq!(status(&pair.second, &question).await, 200);
    assert_eq!(status(&pair.second, &question).await, 403);
}

#[tokio::test]
async fn a_question_is_good_for_half_a_minute() {
    for (seconds, expected) in [(30, 200), (31, 403)] {
        let pair = pair(impatient()).await;
        let question = overheard(&pair).await;
        pair.shared.clock.advance(Duration::from_secs(seconds));
        assert_eq!(status(&pair.second, &question).await, expected, "{seconds}");
    }
}

#[tokio::test]
async fn whoever_is_no_node_is_sent_away() {
    let pair = pair(impatient()).await;
    let url = format!("http://{}{PATH}", pair.second.world.address);
    let now = "1780000000";
    for (kind, sent_at, body) in [
        ("application/json", None, "{}"),
        ("application/cyoda-dispatch-v1", None, "x"),
        ("application/cyoda-dispatch-v1", Some("soon"), "x"),
        ("application/json", Some(now), "x"),
        ("application/cyoda-dispatch-v1", Some(now), ""),
        ("application/cyoda-dispatch-v1", Some(now), "a text that is long enough to be sealed"),
    ] {
        let request = pair.second.world.client.post(&url).header("content-type", kind).body(body);
        let request = match sent_at {
            Some(sent_at) => request.header("x-dispatch-timestamp", sent_at),
            None => request,
        };
        let response = request.send().await.unwrap();
        assert_eq!(response.status().as_u16(), 403, "{kind} {sent_at:?} {body}");
        assert_eq!(response.text().await.unwrap(), "");
    }
}

#[tokio::test]
async fn a_question_that_is_too_large_is_not_read() {
    let pair = pair(impatient()).await;
    let head = |length: usize| {
        format!(
            "POST {PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/cyoda-dispatch-v1\r\n\
             x-dispatch-timestamp: 1780000000\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        )
    };
    assert_eq!(status(&pair.second, head((32 << 20) + 1).as_bytes()).await, 413);
    let mut stream = pair.second.world.connect().await;
    stream.write_all(format!("{}x", head(1)).as_bytes()).await.unwrap();
    assert!(rest(&mut stream).await.starts_with("HTTP/1.1 403 "));
}

#[tokio::test]
async fn nodes_without_a_common_secret_do_not_answer_each_other() {
    let shared = Shared::new().await;
    let first = shared.node("first", SECRET, impatient()).await;
    let other = shared.node("second", b"another secret, and also long enough", impatient()).await;
    first.needing(processor("p", "SYNC", "")).await;
    let _member = other.member(&[], |asked| asked.with("by", "other")).await;
    shared.until("second", |it| it.is_some_and(|it| it["members"]["mock-tenant"].is_array())).await;
    let answer = first.world.say(r#"POST /api/entity/JSON/m/1 {"n":1}"#, &[]).await;
    assert_eq!((answer.status, answer.code().as_str()), (503, "DISPATCH_FORWARD_FAILED"));
    assert!(answer.text.contains("node second has not taken the question: 403"), "{}", answer.text);
}
