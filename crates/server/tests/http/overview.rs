//! How it goes with all of it, and the stream of everything.

use std::time::Duration;

use expect_test::expect;
use reqwest::Response;
use serde_json::Value;
use tokio::time::timeout;

use crate::world::{World, world};

/// A person decides, within a day.
const REVIEW: &str = r#"{"id":"review","name":"Review","steps":[
    {"id":"check","name":"Check","type":"SERVICE_TASK","jobType":"check","nextStep":"decide"},
    {"id":"decide","name":"Decide","type":"USER_TASK","nextStep":"end","boundaryEvents":[
        {"type":"TIMER","duration":"PT24H","interrupting":false,"targetStepId":"end"}]},
    {"id":"end","name":"End","type":"END"}]}"#;

async fn with_review() -> World {
    let world = world().await.with_order().await;
    assert_eq!(world.post("/v1/definitions", REVIEW).await.status(), 201);
    world
}

async fn start_process(world: &World) {
    let started = world.post("/v1/definitions/review/instances", "{}").await;
    assert_eq!(started.status(), 201);
}

async fn start_chain(world: &World) {
    world.post("/v1/chains/instances", r#"{"workflowType":"order"}"#).await;
}

/// Works off the check, so that a person is asked.
async fn check(world: &World) {
    let poll = r#"{"workerId":"w","jobTypes":["check"],"maxJobs":1}"#;
    let polled: Value = world.post("/v1/jobs/poll", poll).await.json().await.unwrap();
    let id = polled["jobs"][0]["id"].as_str().unwrap().to_owned();
    let done = world.post(&format!("/v1/jobs/{id}/complete"), r#"{"workerId":"w"}"#).await;
    assert!(done.status().is_success());
}

async fn json(world: &World, path: &str) -> Value {
    world.get(path).await.json().await.unwrap()
}

/// How many processes and chains have a status that some have.
fn counts(overview: &Value) -> String {
    let faces = overview["faces"].as_array().unwrap().iter();
    let lines = faces.flat_map(|face| {
        let counts = face["counts"].as_array().unwrap().iter();
        let some = counts.filter(|it| it["count"] != 0);
        some.map(|it| format!("{} {} {}", face["face"], it["status"], it["count"]))
    });
    lines.collect::<Vec<_>>().join("; ").replace('"', "")
}

#[tokio::test]
async fn an_overview_counts_what_is_there_and_what_waits() {
    let world = with_review().await;
    start_process(&world).await;
    start_process(&world).await;
    check(&world).await;
    start_chain(&world).await;
    let overview = json(&world, "/v1/overview").await;
    assert_eq!(counts(&overview), "process ACTIVE 1; process WAITING 1; chain RUNNING 1");
    assert_eq!(overview["tasks"]["ready"], 2);
    assert_eq!(overview["tasks"]["awaiting"], 1);
    assert_eq!(overview["tasks"]["oldestReadyAt"], "2026-05-28T20:26:40.000000Z");
    assert_eq!(overview["timers"]["nextAt"], "2026-05-29T20:26:40.000000Z");
    assert_eq!(overview["timers"]["due"], 0);
    assert_eq!(overview["outbox"]["pending"], 0);
}

#[tokio::test]
async fn an_overview_is_a_second_old_at_the_most() {
    let world = with_review().await;
    assert_eq!(counts(&json(&world, "/v1/overview").await), "");
    start_chain(&world).await;
    world.clock.advance(Duration::from_millis(999));
    assert_eq!(counts(&json(&world, "/v1/overview").await), "");
    world.clock.advance(Duration::from_millis(1));
    assert_eq!(counts(&json(&world, "/v1/overview").await), "chain RUNNING 1");
}

#[tokio::test]
async fn what_workers_hold_and_what_is_due_later_is_listed() {
    let world = with_review().await;
    start_process(&world).await;
    check(&world).await;
    start_chain(&world).await;
    start_chain(&world).await;
    let claim = r#"{"workerId":"ann","max":2,"leaseMs":60000}"#;
    world.post("/v1/chains/claim", claim).await;
    let work = json(&world, "/v1/work?pageSize=1").await;
    assert_eq!(work["hasMore"], true);
    expect![[r#"{"face":"chain","instanceId":"i-1","definition":"order","queue":"VALIDATE","workerId":"ann","leasedUntil":"2026-05-28T20:27:40.000000Z","readyAt":"2026-05-28T20:26:40.000000Z"}"#]]
        .assert_eq(&work["items"][0].to_string());
    let timers = json(&world, "/v1/timers").await;
    assert_eq!(timers["items"].as_array().unwrap().len(), 1);
    assert_eq!(timers["items"][0]["face"], "process");
    assert_eq!(timers["items"][0]["kind"], "boundary");
    assert_eq!(timers["items"][0]["stepName"], "Decide");
    assert_eq!(timers["items"][0]["leadsTo"], "end");
    assert_eq!(timers["items"][0]["dueAt"], "2026-05-29T20:26:40.000000Z");
    assert_eq!(timers["items"][0]["isOverdue"], false);
    world.clock.advance(Duration::from_secs(90_000));
    assert_eq!(json(&world, "/v1/timers").await["items"][0]["isOverdue"], true);
}

#[tokio::test]
async fn sizes_and_places_that_make_no_sense_are_refused_with_their_name() {
    let world = world().await;
    for (path, expected) in [
        ("/v1/work?pageSize=0", "query.pageSize: must be 1 to 1000, is 0"),
        ("/v1/timers?pageSize=1001", "query.pageSize: must be 1 to 1000, is 1001"),
        ("/v1/work?page=2", "query.page: unknown field `page`, expected `pageSize`"),
        (
            "/v1/events/stream?cursor=x",
            "query.cursor: must be PROCESSES;CHAINS or PROCESSES;CHAINS;ENTITIES",
        ),
        ("/v1/events/stream?cursor=x;0:1", "query.cursor: \"x\" is not STREAM:POSITION"),
    ] {
        let response = world.get(path).await;
        assert_eq!(response.status(), 400, "{path}");
        let problem: waypost_api::Problem = response.json().await.unwrap();
        assert_eq!(problem.detail, expected, "{path}");
    }
    let long = format!("/v1/events/stream?cursor=;{}", "1:1,".repeat(3_000));
    assert_eq!(world.get(&long).await.status(), 400);
}

async fn follow(world: &World, last: Option<&str>) -> Response {
    let request = world.client.get(format!("http://{}/v1/events/stream", world.address));
    let request = match last {
        Some(last) => request.header("last-event-id", last),
        None => request,
    };
    request.send().await.unwrap()
}

/// Reads until the text has come.
async fn until(stream: &mut Response, wanted: &str) -> String {
    let mut text = String::new();
    while !(text.contains(wanted) && text.ends_with("\n\n")) {
        let chunk = timeout(Duration::from_secs(20), stream.chunk()).await.unwrap().unwrap();
        text += std::str::from_utf8(&chunk.expect("the stream goes on")).unwrap();
    }
    text
}

/// The last place that was told.
fn place(text: &str) -> String {
    text.lines().filter_map(|it| it.strip_prefix("id: ")).next_back().unwrap().to_owned()
}

#[tokio::test]
async fn both_faces_are_followed_and_nothing_is_missed_by_coming_back() {
    let world = with_review().await;
    start_chain(&world).await;
    let mut stream = follow(&world, None).await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let beginning = place(&until(&mut stream, "id: ").await);
    start_process(&world).await;
    let first = until(&mut stream, r#""face":"process""#).await;
    start_chain(&world).await;
    let second = until(&mut stream, r#""instanceId":"i-2""#).await;
    assert!(second.starts_with("event: changes\n"), "{second}");
    expect![[
        r#"[{"face":"chain","instanceId":"i-2","version":1,"at":"2026-05-28T20:26:40.000000Z"}]"#
    ]]
    .assert_eq(second.lines().find_map(|it| it.strip_prefix("data: ")).unwrap());
    drop(stream);
    // What happens while nobody looks.
    start_chain(&world).await;
    let mut resumed = follow(&world, Some(&place(&second))).await;
    let missed = until(&mut resumed, r#""instanceId":"i-3""#).await;
    assert!(!missed.contains("i-2") && !missed.contains("process"), "{missed}");
    let mut resumed = follow(&world, Some(&place(&first))).await;
    let missed = until(&mut resumed, r#""instanceId":"i-3""#).await;
    assert!(missed.contains(r#""instanceId":"i-2""#) && !missed.contains("process"), "{missed}");
    // Both faces can be behind.
    let mut resumed = follow(&world, Some(&beginning)).await;
    let mut missed = String::new();
    while !(missed.contains("i-3") && missed.contains("process")) {
        missed += &until(&mut resumed, "data: ").await;
    }
    assert!(!missed.contains("i-1"), "{missed}");
}

#[tokio::test]
async fn an_instance_that_changes_often_is_told_once() {
    let world = with_review().await;
    let beginning = place(&until(&mut follow(&world, None).await, "id: ").await);
    for _ in 0..3 {
        start_chain(&world).await;
        world.post("/v1/chains/instances/i-1/signals", r#"{"eventType":"x"}"#).await;
    }
    // The first look asks for one change, the later ones for more at a time.
    let mut stream = follow(&world, Some(&beginning)).await;
    let told = until(&mut stream, r#""instanceId":"i-3""#).await;
    let messages = told.lines().filter_map(|it| it.strip_prefix("data: "));
    for message in messages {
        let ids: Vec<Value> = serde_json::from_str(message).unwrap();
        let mut names: Vec<_> = ids.iter().map(|it| it["instanceId"].to_string()).collect();
        let n_told = names.len();
        names.dedup();
        assert_eq!(names.len(), n_told, "{message}");
    }
    assert!(told.contains(r#""instanceId":"i-1","version":4"#), "{told}");
}

#[tokio::test]
async fn the_stream_ends_when_the_server_stops_and_has_limited_seats() {
    let limits = waypost_server::HttpLimits { subscribers_max: 1, ..Default::default() };
    let world = crate::world::world_limited(limits).await;
    let mut stream = follow(&world, None).await;
    assert_eq!(until(&mut stream, "id: ").await, "id: 0:0;0:0;0:0\n\n");
    assert_eq!(follow(&world, None).await.status(), 503);
    world.stop.cancel();
    assert!(stream.chunk().await.unwrap().is_none());
    world.running.await.unwrap().unwrap();
}

const SAMPLE: &str = r#"{"number":"A-1"}"#;

/// Makes an entity, as whoever everybody is.
async fn make_entity(world: &World) {
    let model = "/api/model/import/JSON/SAMPLE_DATA/Note/1";
    assert!(world.post(model, SAMPLE).await.status().is_success());
    let lock = world.send(reqwest::Method::PUT, "/api/model/Note/1/lock", "").await;
    assert!(lock.status().is_success());
    assert!(world.post("/api/entity/JSON/Note/1", SAMPLE).await.status().is_success());
}

#[tokio::test]
async fn entities_are_followed_by_those_of_their_tenant() {
    let world = world().await;
    let mut stream = follow(&world, None).await;
    until(&mut stream, "id: ").await;
    make_entity(&world).await;
    let told = until(&mut stream, "data: ").await;
    assert!(told.contains(r#""face":"entity","instanceId":"00000002-"#), "{told}");
    // Others of the same server hear nothing of it.
    let caller = waypost_engine::entity::Caller {
        tenant: "other".into(),
        user: "u".into(),
        roles: Vec::new(),
    };
    let others = world.engine.entities(caller);
    let mut watch = others.watch(waypost_kernel::Cursor::default());
    assert!(watch.next(Duration::ZERO).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_place_of_another_store_is_noticed_and_the_stream_begins_anew() {
    let world = with_review().await;
    start_chain(&world).await;
    let mut stream = follow(&world, Some("0:900;0:900;0:900")).await;
    let beginning = until(&mut stream, "id: ").await;
    assert!(beginning.contains("event: reset\n"), "{beginning}");
    let here = place(&beginning);
    assert!(!here.contains("900"), "{here}");
    start_chain(&world).await;
    let told = until(&mut stream, "data: ").await;
    assert!(told.contains(r#""instanceId":"i-2""#) && !told.contains("i-1"), "{told}");
    // One of this store is gone on from.
    let beginning = until(&mut follow(&world, Some(&here)).await, "id: ").await;
    assert!(!beginning.contains("reset"), "{beginning}");
}

#[tokio::test]
async fn deadlines_of_chains_are_among_the_timers() {
    let world = with_review().await;
    start_chain(&world).await;
    let claim = r#"{"workerId":"ann","max":1,"leaseMs":60000}"#;
    let claimed: Value = world.post("/v1/chains/claim", claim).await.json().await.unwrap();
    let token = claimed["tasks"][0]["leaseToken"].as_str().unwrap_or_else(|| panic!("{claimed}"));
    let wait = r#"{"workerId":"ann","result":{"kind":"WAITING","waitingEventType":"PAID","timeoutMs":5000}}"#;
    let done = world.post(&format!("/v1/chains/tasks/{token}/result"), wait).await;
    assert!(done.status().is_success(), "{}", done.text().await.unwrap());
    let timers = json(&world, "/v1/timers").await;
    assert_eq!(timers["items"][0]["kind"], "deadline");
    assert_eq!(timers["items"][0]["stepName"], "VALIDATE");
    assert_eq!(timers["items"][0]["dueAt"], "2026-05-28T20:26:45.000000Z");
}

#[tokio::test]
async fn settings_are_shown_as_they_were_given() {
    use waypost_api::operations::{SettingFacts, StoreFacts};
    let store = StoreFacts { kind: "sqlite".into(), place: "here".into(), bytes: None };
    let setting =
        SettingFacts { key: "http".into(), value: Some("x".into()), origin: Some("--http".into()) };
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "four").unwrap();
    let facts = waypost_server::Facts {
        settings: vec![setting],
        store: Some(store),
        store_file: Some(file.path().to_owned()),
    };
    let options = waypost_server::Options { facts, ..waypost_server::Options::default() };
    let world = crate::world::world_with(options, waypost_engine::Settings::default()).await;
    let mut shown = json(&world, "/v1/settings").await;
    assert_eq!(shown["version"].take(), env!("CARGO_PKG_VERSION"));
    expect![[r#"{"version":null,"store":{"kind":"sqlite","place":"here","bytes":4},"nodes":[],"settings":[{"key":"http","value":"x","origin":"--http"}]}"#]]
        .assert_eq(&shown.to_string());
}
