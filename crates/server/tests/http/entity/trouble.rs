//! Entities while the store is in trouble, and searches that do not end by themselves.

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use waypost_engine::{Settings, entity::Rules};
use waypost_kernel::{Key, Kind, Store};
use waypost_server::{EntityOptions, Options, auth::Verbosity};

use super::{search::ended_of, tenants::jwt};
use crate::{
    trouble::{Trouble, Troubled},
    world::{World, world_in},
};

const ALL: &str = r#"{"type":"group","operator":"AND","conditions":[]}"#;

/// A world with an entity `#2`, and its store.
async fn troubled(verbosity: Verbosity) -> (World, Arc<Troubled>) {
    troubled_with(verbosity, Rules::default()).await
}

/// The same with so many searches that are kept.
async fn keeping(n_searches_kept: usize) -> (World, Arc<Troubled>) {
    troubled_with(Verbosity::Sanitized, Rules { n_searches_kept, ..Rules::default() }).await
}

async fn troubled_with(verbosity: Verbosity, rules: Rules) -> (World, Arc<Troubled>) {
    let entity = EntityOptions { verbosity, ..EntityOptions::default() };
    let (world, troubled) = serving(entity, Settings { rules, ..Settings::default() }).await;
    world
        .prepare(&[
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"n":1}"#,
            "PUT /api/model/m/1/lock",
            r#"POST /api/entity/JSON/m/1 {"n":1}"#,
        ])
        .await;
    (world, troubled)
}

async fn serving(entity: EntityOptions, settings: Settings) -> (World, Arc<Troubled>) {
    let mut troubled = None;
    let trouble = |store: Arc<dyn Store>| {
        let store = Troubled::new(store);
        troubled = Some(Arc::clone(&store));
        store as Arc<dyn Store>
    };
    let world = world_in(trouble, Options { entity, ..Options::default() }, settings).await;
    (world, troubled.unwrap())
}

fn is_ticket(value: &Value) -> bool {
    value.as_str().is_some_and(|it| it.len() == 36)
}

#[tokio::test]
async fn a_defect_is_named_by_a_ticket_and_its_cause_told_to_those_who_may_know() {
    for (verbosity, is_told) in [(Verbosity::Sanitized, false), (Verbosity::Verbose, true)] {
        let (world, store) = troubled(verbosity).await;
        store.be(Trouble::Corrupt);
        for line in ["GET /api/entity/#2", r##"PUT /api/entity/JSON/#2 {"n":2}"##] {
            let answer = world.say(line, &[]).await;
            assert_eq!((answer.status, answer.code().as_str()), (500, "SERVER_ERROR"), "{line}");
            let problem = answer.json();
            assert!(is_ticket(&problem["ticket"]), "{problem}");
            let ticket = problem["ticket"].as_str().unwrap();
            let detail = problem["detail"].as_str().unwrap();
            assert_eq!(detail.contains("page 7 is torn"), is_told, "{detail}");
            let plain = format!("SERVER_ERROR: internal error [ticket: {ticket}]");
            assert_eq!(detail == plain, !is_told, "{detail}");
            assert!(problem["properties"]["retryable"].is_null(), "{problem}");
        }
        store.be(Trouble::None);
        assert_eq!(world.say("GET /api/entity/#2", &[]).await.json()["data"], json!({"n": 1}));
    }
}

#[tokio::test]
async fn a_token_is_refused_in_the_words_of_its_own_whatever_the_store_does() {
    let entity = EntityOptions { auth: jwt(), ..EntityOptions::default() };
    let (world, store) = serving(entity, Settings::default()).await;
    let header = [format!("Authorization: Basic {}", STANDARD.encode("nobody:knows"))];
    for (trouble, status, error) in [
        (Trouble::None, 401, "invalid_client"),
        (Trouble::Corrupt, 500, "server_error"),
        (Trouble::Away, 503, "temporarily_unavailable"),
    ] {
        store.be(trouble);
        let answer =
            world.say("POST /api/oauth/token grant_type=client_credentials", &header).await;
        assert_eq!((answer.status, answer.json()), (status, json!({ "error": error })));
    }
}

#[tokio::test]
async fn a_panic_is_an_answer_and_not_the_end() {
    let (world, store) = troubled(Verbosity::Sanitized).await;
    store.be(Trouble::Panics);
    let answer = world.say("GET /api/entity/#2", &[]).await;
    assert_eq!((answer.status, answer.code().as_str()), (500, "SERVER_ERROR"));
    assert!(is_ticket(&answer.json()["ticket"]), "{}", answer.text);
    store.be(Trouble::None);
    assert_eq!(world.say("GET /api/health", &[]).await.text, "{\"status\":\"UP\"}\n");
    assert_eq!(world.say("GET /api/entity/#2", &[]).await.status, 200);
}

#[tokio::test]
async fn a_server_whose_store_is_away_says_so_to_those_who_ask_and_come_again() {
    let (world, store) = troubled(Verbosity::Sanitized).await;
    store.be(Trouble::Away);
    let health = world.say("GET /api/health", &[]).await;
    assert_eq!((health.status, health.text.as_str()), (503, "{\"status\":\"DOWN\"}\n"));
    let answer = world.say("GET /api/entity/#2", &[]).await;
    assert_eq!((answer.status, answer.code().as_str()), (503, "STORE_UNAVAILABLE"));
    assert_eq!(answer.json()["properties"]["retryable"], true);
    assert!(!answer.text.contains("db-7"), "{}", answer.text);
    store.be(Trouble::None);
    assert_eq!(world.say("GET /api/health", &[]).await.status, 200);
}

#[tokio::test]
pub(crate) async fn what_a_search_left_behind_that_died_goes_with_it() {
    let (world, store) = troubled(Verbosity::Sanitized).await;
    let values: Vec<_> = (0..2_500).map(|it| json!({ "n": it })).collect();
    let create = "POST /api/entity/JSON/m/1?transactionWindow=1000";
    world.prepare(&[&format!("{create} {}", Value::Array(values))]).await;
    // What is searched is what there was a moment ago.
    world.clock.advance(Duration::from_secs(1));
    store.be(Trouble::SearchesHangAfter(4));
    let search = begin(&world).await;
    let id = search.rsplit('/').next().unwrap();
    let parts: Vec<Key> = ["", "/0", "/1"].map(|it| register(&format!("search/{id}{it}"))).into();
    let mut n_looks = 0;
    while !store.has_hung() {
        assert!(n_looks < 10_000_000, "it does not hang");
        n_looks += 1;
        tokio::task::yield_now().await;
    }
    // Four pages are two chunks.
    assert_eq!(are_there(&world, &parts).await, [true; 3]);
    world.clock.advance(Duration::from_secs(3_700));
    store.be(Trouble::None);
    begin(&world).await;
    assert_eq!(are_there(&world, &parts).await, [false; 3]);
}

fn register(name: &str) -> Key {
    Key::new("mock-tenant".into(), Kind::Register, name.into())
}

async fn are_there(world: &World, keys: &[Key]) -> Vec<bool> {
    world.engine.store().load(keys).await.unwrap().iter().map(Option::is_some).collect()
}

#[tokio::test]
pub(crate) async fn the_oldest_search_that_has_ended_makes_room_for_another() {
    let (world, store) = keeping(3).await;
    let mut begun = Vec::new();
    for _ in 0..3 {
        let search = begin(&world).await;
        ended_of(&world, search.rsplit('/').next().unwrap(), &[]).await;
        begun.push(search);
        world.clock.advance(Duration::from_secs(1));
    }
    let status = async |search: &str| world.say(&format!("GET {search}/status"), &[]).await.status;
    store.be(Trouble::SearchesHang);
    let running = begin(&world).await;
    assert_eq!(status(&begun[0]).await, 404);
    assert_eq!((status(&begun[1]).await, status(&begun[2]).await), (200, 200));
    begin(&world).await;
    begin(&world).await;
    assert_eq!((status(&begun[1]).await, status(&begun[2]).await), (404, 404));
    let refused = world.say(&format!("POST /api/search/async/m/1 {ALL}"), &[]).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "OVERLOADED"), "{}", refused.text);
    assert_eq!(world.say(&format!("PUT {running}/cancel"), &[]).await.status, 200);
    begin(&world).await;
    assert_eq!(status(&running).await, 404);
}

/// Begins a search while searches are in trouble: where it is.
async fn begin(world: &World) -> String {
    let begun = world.say(&format!("POST /api/search/async/m/1 {ALL}"), &[]).await;
    format!("/api/search/async/{}", begun.json().as_str().unwrap())
}

#[tokio::test]
pub(crate) async fn a_search_that_runs_can_be_looked_at_and_canceled_and_has_no_pages() {
    let (world, store) = troubled(Verbosity::Sanitized).await;
    store.be(Trouble::SearchesHang);
    let search = begin(&world).await;
    let status = world.say(&format!("GET {search}/status"), &[]).await.json();
    let expected = json!({
        "searchJobStatus": "RUNNING", "createTime": "2026-05-28T20:26:40Z", "entitiesCount": 0,
        "calculationTimeMillis": 0, "expirationDate": "2026-05-28T21:26:40Z",
    });
    assert_eq!(status, expected);
    let page = world.say(&format!("GET {search}"), &[]).await;
    assert_eq!((page.status, page.code().as_str()), (400, "BAD_REQUEST"));
    let canceled = world.say(&format!("PUT {search}/cancel"), &[]).await.json();
    let expected =
        json!({"isCancelled": true, "cancelled": true, "currentSearchJobStatus": "CANCELLED"});
    assert_eq!(canceled, expected);
    let status = world.say(&format!("GET {search}/status"), &[]).await.json();
    assert_eq!(status["searchJobStatus"], "CANCELLED");
    assert_eq!(status["finishTime"], "2026-05-28T20:26:40Z");
    let again = world.say(&format!("PUT {search}/cancel"), &[]).await;
    assert_eq!(again.status, 400, "{}", again.text);
    assert_eq!(again.json()["properties"]["currentStatus"], "CANCELLED");
    assert_eq!(world.say(&format!("GET {search}"), &[]).await.status, 400);
}

#[tokio::test]
pub(crate) async fn a_search_that_fails_says_so() {
    let (world, store) = troubled(Verbosity::Sanitized).await;
    store.be(Trouble::SearchesCorrupt);
    let search = begin(&world).await;
    let mut status = Value::Null;
    for _ in 0..10_000 {
        status = world.say(&format!("GET {search}/status"), &[]).await.json();
        if status["searchJobStatus"] != "RUNNING" {
            break;
        }
    }
    assert_eq!(status["searchJobStatus"], "FAILED");
    assert_eq!(status["entitiesCount"], 0);
    for line in [format!("GET {search}"), format!("PUT {search}/cancel")] {
        let answer = world.say(&line, &[]).await;
        assert_eq!(answer.status, 400, "{line}");
        assert!(!answer.text.contains("torn"), "{}", answer.text);
    }
}

/// The status is gone by then: all that is left is not to end as if that were all.
#[tokio::test]
pub(crate) async fn a_search_that_fails_after_it_has_begun_to_answer_breaks_off() {
    let (world, store) = troubled(Verbosity::Sanitized).await;
    let values: Vec<_> = (0..2_500).map(|it| json!({ "n": it })).collect();
    let create = "POST /api/entity/JSON/m/1?transactionWindow=1000";
    world.prepare(&[&format!("{create} {}", Value::Array(values))]).await;
    store.be(Trouble::SearchesCorruptAfter(1));
    // Up to a thousand are held back until all of them are found, more are not.
    let url = format!("http://{}/api/search/direct/m/1?limit=10000", world.address);
    let mut answer = world.client.post(&url).body(ALL).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let mut seen = Vec::new();
    let ending = loop {
        match answer.chunk().await {
            Ok(Some(chunk)) => seen.extend(chunk),
            ending => break ending,
        }
    };
    assert!(ending.is_err(), "it ends as if it were all");
    assert!(!String::from_utf8_lossy(&seen).contains("torn"));
    let n_lines = seen.iter().filter(|it| **it == b'\n').count();
    assert!((1..2_501).contains(&n_lines), "{n_lines}");
    store.be(Trouble::SearchesCorrupt);
    let held = world.say(&format!("POST /api/search/direct/m/1?limit=10 {ALL}"), &[]).await;
    assert_eq!((held.status, held.code().as_str()), (500, "SERVER_ERROR"));
}

#[tokio::test]
pub(crate) async fn a_search_that_says_nothing_for_a_minute_has_failed() {
    let (world, store) = troubled(Verbosity::Sanitized).await;
    store.be(Trouble::SearchesHang);
    let search = begin(&world).await;
    let status = async || world.say(&format!("GET {search}/status"), &[]).await.json();
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(status().await["searchJobStatus"], "RUNNING");
    world.clock.advance(Duration::from_millis(1));
    let expected = json!({
        "searchJobStatus": "FAILED", "createTime": "2026-05-28T20:26:40Z", "entitiesCount": 0,
        "calculationTimeMillis": 0, "finishTime": "2026-05-28T20:26:40Z",
        "expirationDate": "2026-05-28T21:26:40Z",
    });
    assert_eq!(status().await, expected);
    assert_eq!(world.say(&format!("GET {search}"), &[]).await.status, 400);
    let canceled = world.say(&format!("PUT {search}/cancel"), &[]).await;
    assert_eq!(
        (canceled.status, &canceled.json()["properties"]["currentStatus"]),
        (400, &json!("FAILED"))
    );
}
