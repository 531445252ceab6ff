//! Searches: at once and in the background.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use waypost_engine::{Ids, RandomIds, Settings, entity::Rules};
use waypost_kernel::{ClaimId, InstanceId, Timestamp};
use waypost_server::Options;

use crate::world::{World, world, world_naming, world_with};

/// Matches everything.
const ALL: &str = r#"{"type":"group","operator":"AND","conditions":[]}"#;

/// Names that count down.
struct Falling(AtomicU32);

impl Ids for Falling {
    fn instance(&self, now: Timestamp) -> InstanceId {
        RandomIds.instance(now)
    }

    fn entity(&self, _: Timestamp) -> InstanceId {
        let number = self.0.fetch_sub(1, Ordering::SeqCst);
        format!("{number:08x}-0000-1000-8000-000000000000").into()
    }

    fn claim(&self) -> ClaimId {
        RandomIds.claim()
    }

    fn chance(&self) -> u64 {
        RandomIds.chance()
    }
}

/// A model with so many entities.
async fn with_entities(n_entities: usize) -> World {
    filled(world().await, n_entities).await
}

async fn filled(world: World, n_entities: usize) -> World {
    let values: Vec<_> = (0..n_entities).map(|it| json!({ "a": it })).collect();
    let create =
        format!("POST /api/entity/JSON/m/1?transactionWindow=1000 {}", Value::Array(values));
    world
        .prepare(&[
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#,
            "PUT /api/model/m/1/lock",
            &create,
        ])
        .await;
    world
}

/// How many lines are answered, or what else.
async fn lines(world: &World, query: &str) -> Result<usize, String> {
    let answer = world.say(&format!("POST /api/search/direct/m/1{query} {ALL}"), &[]).await;
    match answer.status {
        200 => Ok(answer.text.lines().count()),
        _ => Err(answer.code()),
    }
}

#[tokio::test]
pub(crate) async fn a_client_that_asks_for_few_is_told_if_there_are_more() {
    let world = with_entities(1_200).await;
    assert_eq!(lines(&world, "").await, Err("SEARCH_RESULT_LIMIT".into()));
    assert_eq!(lines(&world, "?limit=1000").await, Err("SEARCH_RESULT_LIMIT".into()));
    // What is beyond is cut, since some of it is on its way already.
    assert_eq!(lines(&world, "?limit=1100").await, Ok(1_100));
    assert_eq!(lines(&world, "?limit=1200").await, Ok(1_200));
    assert_eq!(lines(&world, "?limit=10000").await, Ok(1_200));
    assert_eq!(lines(&world, "?limit=10001").await, Err("BAD_REQUEST".into()));
}

#[tokio::test]
pub(crate) async fn as_many_as_were_asked_for_are_not_too_many() {
    let world = with_entities(500).await;
    assert_eq!(lines(&world, "?limit=499").await, Err("SEARCH_RESULT_LIMIT".into()));
    assert_eq!(lines(&world, "?limit=500").await, Ok(500));
    assert_eq!(lines(&world, "?limit=0").await, Ok(500));
}

#[tokio::test]
pub(crate) async fn more_than_is_held_back_is_sent_and_cut() {
    let world = world().await;
    let values = vec![json!({ "a": "x".repeat(40_000) }); 200];
    let create =
        format!("POST /api/entity/JSON/m/1?transactionWindow=1000 {}", Value::Array(values));
    world
        .prepare(&[
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":"x"}"#,
            "PUT /api/model/m/1/lock",
            &create,
            &create,
            &create,
        ])
        .await;
    // Of 24 MB the first 16 MiB do not say yet that there are more than 550.
    assert_eq!(lines(&world, "?limit=550").await, Ok(550));
    assert_eq!(lines(&world, "").await, Ok(600));
    assert_eq!(lines(&world, "?limit=300").await, Err("SEARCH_RESULT_LIMIT".into()));
}

#[tokio::test]
pub(crate) async fn what_is_found_comes_in_lines() {
    let world = with_entities(2).await;
    let url = format!("http://{}/api/search/direct/m/1", world.address);
    let response = world.client.post(url).body(ALL).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/x-ndjson");
    let text = response.text().await.unwrap();
    assert!(text.ends_with("}\n"), "{text}");
    assert_eq!(text.lines().count(), 2);
}

/// Looks until a search has ended.
async fn ended(world: &World, id: &str) -> Value {
    ended_of(world, id, &[]).await
}

/// Looks as somebody until a search has ended.
pub(crate) async fn ended_of(world: &World, id: &str, who: &[String]) -> Value {
    for _ in 0..10_000 {
        let line = format!("GET /api/search/async/{id}/status");
        let status = world.say(&line, who).await.json();
        if status["searchJobStatus"] != "RUNNING" {
            return status;
        }
        tokio::task::yield_now().await;
    }
    panic!("the search {id} does not end");
}

async fn begin(world: &World, query: &str, condition: &str) -> String {
    let line = format!("POST /api/search/async/m/1{query} {condition}");
    let answer = world.say(&line, &[]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json().as_str().unwrap().to_owned()
}

#[tokio::test]
pub(crate) async fn a_search_in_the_background_keeps_what_it_found() {
    let world = with_entities(2_500).await;
    world.clock.advance(Duration::from_secs(1));
    let id = begin(&world, "", ALL).await;
    let status = ended(&world, &id).await;
    assert_eq!(
        status,
        json!({
            "searchJobStatus": "SUCCESSFUL", "createTime": "2026-05-28T20:26:41Z",
            "entitiesCount": 2_500, "calculationTimeMillis": 0,
            "finishTime": "2026-05-28T20:26:41Z", "expirationDate": "2026-05-28T21:26:41Z",
        })
    );
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.say("DELETE /api/entity/m/1", &[]).await.status, 200);
    let page = async |query: &str| {
        let page = world.say(&format!("GET /api/search/async/{id}{query}"), &[]).await.json();
        (page["content"].as_array().unwrap().clone(), page["page"].clone())
    };
    let facts = |number: u64, size: u64, pages: u64| json!({"number": number, "size": size, "totalElements": 2_500, "totalPages": pages});
    let (content, found) = page("").await;
    assert_eq!((content.len(), found), (1_000, facts(0, 1_000, 3)));
    assert_eq!(content[0]["data"], json!({ "a": 0 }));
    let (content, found) = page("?pageSize=0&pageNumber=2").await;
    assert_eq!((content.len(), found), (500, facts(2, 1_000, 3)));
    let (content, found) = page("?pageSize=700&pageNumber=1").await;
    assert_eq!((content.len(), found), (700, facts(1, 700, 4)));
    assert_eq!(content[0]["data"], json!({ "a": 700 }));
    let (content, found) = page("?pageNumber=4294967295&pageSize=10000").await;
    assert_eq!((content.len(), found), (0, facts(4_294_967_295, 10_000, 1)));
    for query in ["?pageSize=10001", "?pageSize=-1", "?pageSize=x", "?pageNumber=-1"] {
        let answer = world.say(&format!("GET /api/search/async/{id}{query}"), &[]).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "BAD_REQUEST"), "{query}");
    }
    world.clock.advance(Duration::from_secs(3_600));
    for (line, expected) in [("GET", ""), ("GET", "/status"), ("PUT", "/cancel")] {
        let line = format!("{line} /api/search/async/{id}{expected}");
        let answer = world.say(&line, &[]).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "SEARCH_JOB_NOT_FOUND"));
    }
}

#[tokio::test]
pub(crate) async fn a_search_is_kept_as_long_as_the_server_is_told() {
    let rules = Rules { searches_kept: Duration::from_secs(90), ..Rules::default() };
    let settings = Settings { rules, ..Settings::default() };
    let world = filled(world_with(Options::default(), settings).await, 2).await;
    world.clock.advance(Duration::from_secs(1));
    let id = begin(&world, "", ALL).await;
    let status = ended(&world, &id).await;
    assert_eq!(status["expirationDate"], "2026-05-28T20:28:11Z");
    let lines =
        [format!("GET /api/search/async/{id}"), format!("GET /api/search/async/{id}/status")];
    world.clock.advance(Duration::from_secs(89));
    for line in &lines {
        assert_eq!(world.say(line, &[]).await.status, 200, "{line}");
    }
    world.clock.advance(Duration::from_secs(1));
    for line in &lines {
        assert_eq!(world.say(line, &[]).await.code(), "SEARCH_JOB_NOT_FOUND", "{line}");
    }
}

#[tokio::test]
pub(crate) async fn a_search_of_then_finds_what_was_there() {
    let world = with_entities(3).await;
    world.clock.advance(Duration::from_secs(10));
    assert_eq!(world.say("DELETE /api/entity/m/1", &[]).await.status, 200);
    let id = begin(&world, "?pointInTime=2026-05-28T20:26:45Z", ALL).await;
    assert_eq!(ended(&world, &id).await["entitiesCount"], 3);
    let id = begin(&world, "", ALL).await;
    assert_eq!(ended(&world, &id).await["entitiesCount"], 0);
    let page = world.say(&format!("GET /api/search/async/{id}"), &[]).await.json();
    assert_eq!(page["content"], json!([]));
    assert_eq!(page["page"]["totalPages"], 0);
}

#[tokio::test]
pub(crate) async fn a_search_that_has_ended_cannot_be_canceled() {
    let world = with_entities(1).await;
    let id = begin(&world, "", ALL).await;
    ended(&world, &id).await;
    let answer = world.say(&format!("PUT /api/search/async/{id}/cancel"), &[]).await;
    assert_eq!(answer.status, 400);
    let problem = answer.json();
    let expected = json!({
        "type": "about:blank", "title": "Bad Request", "status": 400,
        "detail": format!("snapshot by id={id} is not running. current status=SUCCESSFUL"),
        "properties": { "currentStatus": "SUCCESSFUL", "snapshotId": id },
    });
    assert_eq!(problem, expected);
    assert!(!answer.is_problem, "{}", answer.text);
    assert!(answer.text.ends_with('\n'));
}

#[tokio::test]
pub(crate) async fn searches_nobody_has_begun_are_not_found() {
    let world = world().await;
    for line in [
        "GET /api/search/async/#9",
        "GET /api/search/async/#9/status",
        "PUT /api/search/async/#9/cancel",
    ] {
        let answer = world.say(line, &[]).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "SEARCH_JOB_NOT_FOUND"));
    }
    let answer = world.say("GET /api/search/async/nonsense", &[]).await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "BAD_REQUEST"));
    let answer = world.say(&format!("POST /api/search/async/m/1 {ALL}"), &[]).await;
    assert_eq!((answer.status, answer.code().as_str()), (404, "MODEL_NOT_FOUND"));
}

/// What entities have in `a`.
fn shown(entities: &[Value]) -> Vec<u64> {
    entities.iter().map(|it| it["data"]["a"].as_u64().unwrap()).collect()
}

#[tokio::test]
pub(crate) async fn what_is_found_is_in_the_order_of_ids_and_not_of_time() {
    let settings =
        Settings { ids: Arc::new(Falling(AtomicU32::new(u32::MAX))), ..Settings::default() };
    let world = world_naming(|store| store, Options::default(), settings).await;
    let world = filled(world, 1_200).await;
    world.clock.advance(Duration::from_secs(1));
    world.prepare(&[r#"POST /api/entity/JSON/m/1 {"a":1200}"#]).await;
    let then = "pointInTime=2026-05-28T20:26:40.5Z";
    let (now, before): (Vec<u64>, Vec<u64>) =
        ((0..=1_200).rev().collect(), (0..1_200).rev().collect());
    for (query, expected) in [("", &now), (then, &before)] {
        let line = format!("POST /api/search/direct/m/1?limit=10000&{query} {ALL}");
        let text = world.say(&line, &[]).await.text;
        let lines: Vec<_> = text.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
        assert_eq!(shown(&lines), *expected, "{query}");
        let id = begin(&world, &format!("?{query}"), ALL).await;
        ended(&world, &id).await;
        for (at, places) in [("/entity/m/1", ""), (&*format!("/search/async/{id}"), "/content")] {
            let mut all = Vec::new();
            for number in 0..5 {
                let line = format!("GET /api{at}?pageSize=300&pageNumber={number}&{query}");
                let page = world.say(&line, &[]).await.json();
                all.extend(shown(page.pointer(places).unwrap().as_array().unwrap()));
            }
            assert_eq!(all, *expected, "{at} {query}");
        }
    }
}
