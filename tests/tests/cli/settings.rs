//! What is set is what the running program goes by.

use e2e::binary::Running;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{entities::KEY, world::text};

/// A server with these settings, on the store of its folder.
fn serve(folder: &TempDir, settings: &str) -> Running {
    std::fs::write(folder.path().join("waypost.toml"), settings).unwrap();
    Running::serve(folder.path(), &["--store", "sqlite:w.db"])
}

async fn asked(
    server: &Running,
    (method, path): (Method, &str),
    body: Option<&Value>,
) -> (StatusCode, Value) {
    let request = reqwest::Client::new().request(method, format!("{}/api{path}", server.url));
    let request = body.into_iter().fold(request, reqwest::RequestBuilder::json);
    let response = request.send().await.unwrap();
    (response.status(), response.json().await.unwrap_or_default())
}

async fn must(server: &Running, what: (Method, &str), body: Option<&Value>) -> Value {
    let (status, answer) = asked(server, what, body).await;
    assert!(status.is_success(), "{status} {answer}");
    answer
}

/// A model whose entities go through each of their two states again and again.
async fn with_circle(server: &Running) {
    let always = json!({"type": "simple", "jsonPath": "$.n", "operatorType": "NOT_NULL"});
    let to =
        |next: &str| json!({"transitions": [{"name": next, "next": next, "criterion": always}]});
    let workflows = json!({"workflows": [{"name": "circle", "initialState": "A",
        "states": {"A": to("B"), "B": to("A")}}]});
    let import = "/model/import/JSON/SAMPLE_DATA/circle/1";
    must(server, (Method::POST, import), Some(&json!({"n": 1}))).await;
    must(server, (Method::POST, "/model/circle/1/workflow/import"), Some(&workflows)).await;
    must(server, (Method::PUT, "/model/circle/1/lock"), None).await;
}

#[tokio::test]
async fn a_cascade_goes_as_far_as_it_is_set() {
    let folder = TempDir::new().unwrap();
    for (settings, told) in [
        ("", "was entered more than 10 times"),
        ("entity.state_visits_max = 2", "was entered more than 2 times"),
    ] {
        let server = serve(&folder, settings);
        if settings.is_empty() {
            with_circle(&server).await;
        }
        let create = (Method::POST, "/entity/JSON/circle/1");
        let (status, answer) = asked(&server, create, Some(&json!({"n": 1}))).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{answer}");
        assert!(text(&answer, "detail").contains(told), "{answer}");
        assert_eq!(server.stop().0.code(), Some(0));
    }
}

#[tokio::test]
async fn what_went_wrong_inside_is_told_if_it_is_set_so() {
    let folder = TempDir::new().unwrap();
    let server = serve(&folder, "");
    must(&server, (Method::POST, "/model/import/JSON/SAMPLE_DATA/thing/1"), Some(&json!({"n": 1})))
        .await;
    must(&server, (Method::PUT, "/model/thing/1/lock"), None).await;
    let create = (Method::POST, "/entity/JSON/thing/1");
    let created = must(&server, create, Some(&json!({"n": 1}))).await;
    let id = created.pointer("/0/entityIds/0").and_then(Value::as_str).unwrap().to_owned();
    server.stop();
    let store = rusqlite::Connection::open(folder.path().join("w.db")).unwrap();
    let spoiled = store.execute("update instances set state = '{' where id = ?", [&id]);
    assert_eq!(spoiled, Ok(1));
    drop(store);

    for (settings, is_verbose) in [("", false), ("entity.errors = \"verbose\"", true)] {
        let server = serve(&folder, settings);
        let (status, answer) = asked(&server, (Method::GET, &format!("/entity/{id}")), None).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR, "{answer}");
        assert!(!text(&answer, "ticket").is_empty());
        let is_told = text(&answer, "detail").contains("cannot be read");
        assert_eq!(is_told, is_verbose, "{answer}");
    }
}

/// Signs in as the client of the settings; says the token.
async fn signed_in(server: &Running) -> String {
    let grant = reqwest::Client::new()
        .post(format!("{}/api/oauth/token", server.url))
        .basic_auth("me", Some("secret-enough-for-a-test"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body("grant_type=client_credentials");
    text(&grant.send().await.unwrap().json().await.unwrap(), "access_token")
}

async fn status_of(server: &Running, path: &str, token: &str) -> StatusCode {
    let request = reqwest::Client::new().get(format!("{}/api{path}", server.url));
    request.bearer_auth(token).send().await.unwrap().status()
}

#[tokio::test]
async fn tokens_are_for_whom_they_are_set_and_clients_have_the_roles_they_are_given() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("signing.pem"), KEY).unwrap();
    let settings = |more: &str| {
        format!(
            "[auth]\nmode = \"jwt\"\nsigning_key_file = \"signing.pem\"\n{more}\n[auth.client]\n\
             id = \"me\"\nsecret = \"secret-enough-for-a-test\"\nroles = \"ROLE_M2M\"\n"
        )
    };
    let server = serve(&folder, &settings(""));
    let token = signed_in(&server).await;
    assert_eq!(status_of(&server, "/model/", &token).await, StatusCode::OK);
    assert_eq!(status_of(&server, "/clients", &token).await, StatusCode::FORBIDDEN);
    server.stop();
    // The same key signs for somebody else, and tokens of the server are for nobody in particular.
    let server = serve(&folder, &settings("audience = \"them\""));
    assert_eq!(status_of(&server, "/model/", &token).await, StatusCode::UNAUTHORIZED);
}
