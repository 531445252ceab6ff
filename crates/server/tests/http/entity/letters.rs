//! Edge messages, and help.

use serde_json::{Value, json};

use crate::world::world;

/// What the server is. All crates have one version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[tokio::test]
pub(crate) async fn a_large_message_comes_back_as_it_was() {
    let world = world().await;
    let payload = format!("[{}1.50]", "1.50,".repeat(40_000));
    let headers = ["Content-Type: application/json".to_owned()];
    let line = format!(r#"POST /api/message/new/a {{"payload": {payload}}}"#);
    assert_eq!(world.say(&line, &headers).await.status, 200);
    let kept = world.say("GET /api/message/#2", &[]).await.json();
    assert_eq!(kept["content"], payload);
    let line = format!(r#"POST /api/message/new/a {{"payload":"{}"}}"#, "x".repeat(10 << 20));
    let answer = world.say(&line, &headers).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "BAD_REQUEST"));
}

#[tokio::test]
pub(crate) async fn many_messages_are_erased_at_once_and_each_is_told_once() {
    let world = world().await;
    let headers = ["Content-Type: application/json".to_owned()];
    let mut kept = Vec::new();
    for _ in 0..120 {
        let answer = world.say(r#"POST /api/message/new/a {"payload":1}"#, &headers).await.json();
        kept.push(answer[0]["entityIds"][0].as_str().unwrap().to_owned());
    }
    // Every fifth is not there; one comes again at once, and one among the second hundred.
    let mut asked = Vec::new();
    for (index, id) in kept.iter().enumerate() {
        asked.push(id.clone());
        if index % 4 == 0 {
            asked.push(format!("00000000-0000-1000-8000-{index:012}"));
        }
    }
    asked.insert(10, asked[9].clone());
    asked.push(asked[0].clone());
    assert_eq!(asked.len(), 152);
    let erased = world.say(&format!("DELETE /api/message {}", json!(asked)), &[]).await.json();
    assert_eq!(erased, json!([{ "entityIds": kept, "success": true }]));
    let again = world.say(&format!("DELETE /api/message {}", json!(asked)), &[]).await.json();
    assert_eq!(again, json!([{ "entityIds": [], "success": true }]));
}

#[tokio::test]
pub(crate) async fn a_message_without_a_length_is_refused() {
    let world = world().await;
    let head = "POST /api/message/new/a HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let body = r#"{"payload":1}"#;
    let chunks = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let answer = world.shout(format!("{head}{chunks}").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("the header Content-Length is required"), "{answer}");
}

#[tokio::test]
pub(crate) async fn help_can_be_read_from_everywhere() {
    let world = world().await;
    let response = world.get("/api/help").await;
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
    let contents: Value = response.json().await.unwrap();
    assert_eq!((&contents["schema"], &contents["version"]), (&json!(1), &json!(VERSION)));
    let topics = contents["topics"].as_array().unwrap();
    let names: Vec<_> = topics.iter().map(|it| it["topic"].as_str().unwrap()).collect();
    assert_eq!(names, ["audit", "crud", "errors", "models", "search", "workflows"]);
    let topic = world.say("GET /api/help/workflows", &[]).await.json();
    assert_eq!(topic["title"], "Workflows");
    assert_eq!(topic["sections"][0]["name"], "Importing");
    assert_eq!(topic["see_also"], json!(["crud", "search", "audit"]));
    let known = [
        "actions",
        "body",
        "children",
        "path",
        "sections",
        "see_also",
        "stability",
        "synopsis",
        "title",
        "topic",
    ];
    for topic in topics {
        for name in topic.as_object().unwrap().keys() {
            assert!(known.contains(&name.as_str()), "{name}");
        }
        for name in known.iter().filter(|it| **it != "children") {
            assert!(topic.get(name).is_some(), "{name} {topic}");
        }
        assert_eq!(topic["path"][0], topic["topic"]);
        assert_eq!(topic["stability"], "stable");
    }
    for path in ["errors.CONFLICT", "errors/CONFLICT", "errors.conflict"] {
        let topic = world.say(&format!("GET /api/help/{path}"), &[]).await.json();
        assert_eq!((&topic["title"], &topic["path"][0]), (&json!("CONFLICT"), &json!("errors")));
    }
    let url = format!("http://{}/api/help/search", world.address);
    let response = world.client.request(reqwest::Method::OPTIONS, url).send().await.unwrap();
    assert_eq!(response.status(), 204);
    assert_eq!(response.headers()["access-control-max-age"], "86400");
    assert_eq!(response.headers()["access-control-allow-methods"], "GET, OPTIONS");
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
    let allowed = &response.headers()["access-control-allow-headers"];
    assert_eq!(allowed, "Content-Type, Authorization");
}

#[tokio::test]
pub(crate) async fn nothing_else_can_be_read_from_everywhere() {
    let world = world().await;
    for path in ["/api/model/", "/api/health", "/api/account", "/api/entity/x/1", "/openapi.json"] {
        let url = format!("http://{}{path}", world.address);
        let request = world.client.get(url).header("origin", "https://elsewhere.example");
        let response = request.send().await.unwrap();
        assert!(!response.headers().contains_key("access-control-allow-origin"), "{path}");
    }
}

#[tokio::test]
pub(crate) async fn help_about_what_is_not_there_is_refused() {
    let world = world().await;
    for (line, expected) in [
        ("GET /api/help/nothing", (404, "HELP_TOPIC_NOT_FOUND")),
        ("GET /api/help/errors.NOTHING", (404, "HELP_TOPIC_NOT_FOUND")),
        ("GET /api/help/errors/CONFLICT/more", (404, "HELP_TOPIC_NOT_FOUND")),
        ("GET /api/help/a..b", (400, "BAD_REQUEST")),
        ("GET /api/help/.a", (400, "BAD_REQUEST")),
        ("GET /api/help/a%20b", (400, "BAD_REQUEST")),
        ("POST /api/help", (405, "BAD_REQUEST")),
        ("DELETE /api/help/search", (405, "BAD_REQUEST")),
    ] {
        let answer = world.say(line, &[]).await;
        assert_eq!((answer.status, answer.code().as_str()), expected, "{line}");
        let allows = answer.shown().contains("[allow: GET, OPTIONS]");
        assert_eq!(allows, expected.0 == 405, "{line}");
        let (method, path) = line.split_once(' ').unwrap();
        let url = format!("http://{}{path}", world.address);
        let refused = world.client.request(method.parse().unwrap(), url).send().await.unwrap();
        assert_eq!(refused.headers()["access-control-allow-origin"], "*", "{line}");
    }
}
