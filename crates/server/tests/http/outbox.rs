//! Messages on their way out, to receivers that are real.

use std::{sync::Arc, time::Duration};

use async_nats::jetstream;
use expect_test::expect;
use futures_util::StreamExt as _;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use waypost_engine::Transport;
use waypost_kernel::{Json, Key, Kind, Message, Posted, Timestamp};
use waypost_server::outbox::{Nats, Webhook};
use waypost_testkit::services;

fn posted() -> Posted {
    let headers = [
        ("stepType", "PAY"),
        ("X-Own", "yes"),
        ("bad name", "x"),
        ("bad-value", "a\r\nb: c"),
        ("Content-Length", "1"),
        ("EVENTID", "forged"),
    ];
    let message = Message {
        id: "01890a5d-ac96-774b-bcce-b302099a8057".into(),
        event_type: "ASKED".into(),
        occurred_at: Timestamp::from_millis(1_780_000_000_000),
        payload: Json::parse(r#"{"n": 1.10}"#).unwrap(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    };
    let key = Key::new("default".into(), Kind::Chain, "i-1".into());
    Posted { key, message, attempts: 0, lapsed: false }
}

/// Reads one request and answers it; returns what was read.
async fn receive(stream: &mut TcpStream, answer: &str) -> String {
    let mut received = String::new();
    let mut buffer = [0; 4096];
    while !received.ends_with(r#"{"n": 1.10}"#) {
        let length = stream.read(&mut buffer).await.unwrap();
        assert!(length > 0, "{received}");
        received += std::str::from_utf8(&buffer[..length]).unwrap();
    }
    stream.write_all(answer.as_bytes()).await.unwrap();
    received
}

async fn receiver() -> (TcpListener, Webhook, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let secret = ("authorization".to_owned(), "Bearer s".to_owned());
    let webhook = Webhook::new(&format!("http://{host}/hook?a=b"), [secret]).unwrap();
    (listener, webhook, host)
}

#[tokio::test]
async fn a_webhook_gets_the_payload_with_its_headers() {
    let (listener, webhook, host) = receiver().await;
    let posted = posted();
    let receive = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
        let first = receive(&mut stream, ok).await;
        // The second one comes over the same connection.
        receive(&mut stream, "HTTP/1.1 204 No Content\r\n\r\n").await;
        first
    };
    let send = async {
        webhook.send(&posted).await.unwrap();
        webhook.send(&posted).await.unwrap();
    };
    let (received, ()) = tokio::join!(receive, send);
    let mut lines: Vec<_> = received.lines().filter(|it| !it.is_empty()).collect();
    lines[1..].sort_unstable();
    let version = concat!("waypost/", env!("CARGO_PKG_VERSION"));
    let shown = lines.join("\n").replace(&host, "HOST").replace(version, "waypost/VERSION");
    expect![[r#"
        POST /hook?a=b HTTP/1.1
        accept: */*
        aggregateid: i-1
        aggregatetype: WORKFLOW_INSTANCE
        authorization: Bearer s
        content-length: 11
        content-type: application/json
        eventid: 01890a5d-ac96-774b-bcce-b302099a8057
        eventtype: ASKED
        host: HOST
        occurredat: 2026-05-28T20:26:40.000000Z
        steptype: PAY
        user-agent: waypost/VERSION
        x-own: yes
        {"n": 1.10}"#]]
    .assert_eq(&shown);
}

#[tokio::test]
async fn anything_but_success_is_a_failure() {
    for (answer, expected) in [
        (
            "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 9\r\n\r\nfull\r\nday",
            "HTTP: 503 Service Unavailable full  day",
        ),
        (
            "HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n",
            "HTTP: 302 Found",
        ),
        ("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n", "HTTP: 400 Bad Request"),
    ] {
        let (listener, webhook, _) = receiver().await;
        let receive = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            receive(&mut stream, answer).await;
        };
        let posted = posted();
        let ((), sent) = tokio::join!(receive, webhook.send(&posted));
        assert_eq!(sent.unwrap_err(), expected);
    }
}

#[tokio::test]
async fn a_receiver_that_is_away_is_a_failure() {
    let (listener, webhook, _) = receiver().await;
    drop(listener);
    let error = webhook.send(&posted()).await.unwrap_err();
    assert!(error.starts_with("CONNECT: "), "{error}");
}

#[test]
fn an_address_that_makes_no_sense_is_told() {
    for url in ["", "example", "ftp://example/x"] {
        assert!(Webhook::new(url, []).is_err(), "{url}");
    }
    let bad = ("two words".to_owned(), "x".to_owned());
    assert!(Webhook::new("http://example/x", [bad]).is_err());
}

#[tokio::test]
async fn an_address_is_refused_without_its_secrets() {
    let webhook = Webhook::new("ftp://me:secret@example/x?key=secret", []).err().unwrap();
    let nats = Nats::connect("http://me:secret@example", "a.b", false).await.err().unwrap();
    expect![[r#"
        "ftp://***@example/x?key=***" is not an address for a webhook: it must begin with http:// or https://
        "http://***@example" is not a NATS server: invalid scheme for NATS server URL: http"#]]
    .assert_eq(&format!("{webhook}\n{nats}"));
}

/// What a NATS server is told by a client that was given `user` in its address.
async fn signed_in(user: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("nats://{user}{}", listener.local_addr().unwrap());
    let _nats = Nats::connect(&url, "a.b", false).await.unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.write_all(b"INFO {\"max_payload\":1024,\"headers\":true}\r\n").await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let told: serde_json::Value =
        serde_json::from_str(line.strip_prefix("CONNECT ").unwrap()).unwrap();
    ["user", "pass", "auth_token"].map(|name| format!("{name}={}", told[name])).join(" ")
}

#[tokio::test]
async fn nats_is_told_the_user_and_password_of_its_address() {
    let user = signed_in("me:s%40cret@").await;
    assert_eq!(user, r#"user="me" pass="s@cret" auth_token=null"#);
    let word = signed_in("s%40cret@").await;
    assert_eq!(word, r#"user=null pass=null auth_token="s@cret""#);
    assert_eq!(signed_in("").await, "user=null pass=null auth_token=null");
}

/// Sending fails while there is no connection; messages wait in the outbox for that.
async fn send_when_connected(nats: &Nats, posted: &Posted) {
    let sent = async {
        while let Err(error) = nats.send(posted).await {
            assert!(error.starts_with("CONNECT: "), "{error}");
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(20), sent).await.unwrap();
}

#[tokio::test]
async fn nats_gets_the_payload_with_its_headers() {
    let url = services::nats().unwrap();
    let client = async_nats::connect(&url).await.unwrap();
    let mut subscription = client.subscribe("plain.events").await.unwrap();
    client.flush().await.unwrap();
    let nats = Nats::connect(&url, "plain.events", false).await.unwrap();
    send_when_connected(&nats, &posted()).await;
    let message = timeout(Duration::from_secs(20), subscription.next()).await.unwrap().unwrap();
    assert_eq!(message.payload, r#"{"n": 1.10}"#);
    let headers = message.headers.unwrap();
    let mut lines: Vec<_> =
        headers.iter().map(|(name, values)| format!("{name}: {}", values[0])).collect();
    lines.sort_unstable();
    expect![[r#"
        Content-Length: 1
        Nats-Msg-Id: 01890a5d-ac96-774b-bcce-b302099a8057
        X-Own: yes
        aggregateId: i-1
        aggregateType: WORKFLOW_INSTANCE
        eventId: 01890a5d-ac96-774b-bcce-b302099a8057
        eventType: ASKED
        occurredAt: 2026-05-28T20:26:40.000000Z
        stepType: PAY"#]]
    .assert_eq(&lines.join("\n"));
}

#[tokio::test]
async fn jetstream_stores_a_repeated_message_once() {
    let url = services::nats().unwrap();
    let context = jetstream::new(async_nats::connect(&url).await.unwrap());
    let subjects = vec!["stored.events".to_owned()];
    let config =
        jetstream::stream::Config { name: "STORED".into(), subjects, ..Default::default() };
    // Of another run against the same server, if there was one.
    drop(context.delete_stream("STORED").await);
    let mut stream = context.create_stream(config).await.unwrap();
    let nats = Nats::connect(&url, "stored.events", true).await.unwrap();
    send_when_connected(&nats, &posted()).await;
    send_when_connected(&nats, &posted()).await;
    assert_eq!(stream.info().await.unwrap().state.messages, 1);
}

#[tokio::test]
async fn a_subject_without_a_stream_is_a_failure() {
    let url = services::nats().unwrap();
    let nats = Nats::connect(&url, "nobody.stores.this", true).await.unwrap();
    let failed = async {
        loop {
            let error = nats.send(&posted()).await.unwrap_err();
            if !error.starts_with("CONNECT: ") {
                return error;
            }
            tokio::task::yield_now().await;
        }
    };
    let error = timeout(Duration::from_secs(20), failed).await.unwrap();
    assert!(error.starts_with("NATS: "), "{error}");
}

#[tokio::test]
async fn a_server_that_is_away_does_not_block_the_start() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    drop(listener);
    let nats: Arc<dyn Transport> = Arc::new(Nats::connect(&url, "a.b", false).await.unwrap());
    assert!(nats.send(&posted()).await.unwrap_err().starts_with("CONNECT: "));
}
