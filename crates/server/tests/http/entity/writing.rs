//! Entities: created, read, updated, deleted, one by one and many at once.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::Barrier;
use uuid::Uuid;
use waypost_engine::{
    Settings,
    entity::{Answer as Reply, Compute, Question},
};
use waypost_machines::entity::cascade;
use waypost_server::Options;
use waypost_testkit::clock::SimClock;

use super::play::{Answer, spelled_out};
use crate::{
    on,
    world::{World, world, world_on, world_with},
};

/// A model that takes anything with these members.
const MODEL: [&str; 2] = [
    r#"POST /api/model/import/JSON/SAMPLE_DATA/invoice/1 {"no":"A-1","total":12.50}"#,
    "PUT /api/model/invoice/1/lock",
];

/// A member that answers nobody before all have asked.
struct Together(Barrier);

#[async_trait]
impl Compute for Together {
    async fn ask(&self, _: Question<'_>) -> Reply {
        self.0.wait().await;
        let reply = cascade::Reply::Processed { value: None, warnings: Vec::new() };
        Reply { reply, member: None }
    }
}

#[tokio::test]
pub(crate) async fn when_a_transaction_landed_is_known_everywhere_an_hour_later() {
    let clock = Arc::new(SimClock::default());
    let (store, _folder) = on::open(&clock).await;
    let node = async || {
        let store = (Arc::clone(&store), Arc::clone(&clock));
        world_on(store, Options::default(), Settings::default()).await
    };
    let one = node().await;
    one.prepare(&MODEL).await;
    let say = async |line: &str| {
        clock.advance(Duration::from_secs(1));
        let answer = one.say(line, &[]).await.json();
        let written = if answer.is_array() { &answer[0] } else { &answer };
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        (text(&written["entityIds"][0]), text(&written["transactionId"]))
    };
    let (id, _) = say(r#"POST /api/entity/JSON/invoice/1 {"no":"1"}"#).await;
    let (_, between) = say(r#"POST /api/entity/JSON/invoice/1 {"no":"2"}"#).await;
    let (_, last) = say(&format!(r#"PUT /api/entity/JSON/{id}/DELETE {{"no":"1"}}"#)).await;
    clock.advance(Duration::from_secs(3_600));
    let other = node().await;
    for (transaction, expected) in [(between, json!(["UPDATE", "DELETE"])), (last, json!([]))] {
        let line = format!("GET /api/entity/{id}/transitions?transactionId={transaction}");
        let answer = other.say(&line, &[]).await;
        assert_eq!((answer.status, answer.json()), (200, expected), "{}", answer.text);
    }
}

#[tokio::test]
pub(crate) async fn ten_thousand_entities_and_one_are_deleted_in_one_transaction() {
    let world = world().await;
    world.prepare(&MODEL).await;
    let mut ids = Vec::new();
    for part in [5_000, 5_001] {
        let values = vec![json!({ "no": "x" }); part];
        let create = "POST /api/entity/JSON/invoice/1?transactionWindow=1000";
        let made = world.say(&format!("{create} {}", Value::Array(values)), &[]).await.json();
        for chunk in made.as_array().unwrap() {
            ids.extend(chunk["entityIds"].as_array().unwrap().clone());
        }
    }
    let gone = world.say("DELETE /api/entity/invoice/1", &[]).await;
    let counted = gone.json()[0]["deleteResult"].clone();
    assert_eq!(counted["numberOfEntititesRemoved"], 10_001, "{}", gone.text);
    let mut by = std::collections::BTreeSet::new();
    for id in [&ids[0], &ids[9_499], &ids[9_501], &ids[10_000]] {
        let changes = format!("GET /api/entity/{}/changes", id.as_str().unwrap());
        let changes = world.say(&changes, &[]).await.json();
        assert_eq!(changes.as_array().unwrap().len(), 2, "{changes}");
        by.insert(changes[0]["transactionId"].to_string());
    }
    assert_eq!(by.len(), 1, "{by:?}");
}

#[tokio::test]
pub(crate) async fn of_many_who_have_read_the_same_one_lands_and_the_others_may_come_again() {
    let compute = Arc::new(Together(Barrier::new(16)));
    let settings = Settings { compute, ..Settings::default() };
    let world = world_with(Options::default(), settings).await;
    world.prepare(&MODEL).await;
    let workflow = r#"{"name":"w","initialState":"S","states":{"S":{"transitions":[{"name":"T","next":"S","manual":true,"processors":[{"name":"p"}]}]}}}"#;
    let import =
        format!(r#"POST /api/model/invoice/1/workflow/import {{"workflows":[{workflow}]}}"#);
    world.prepare(&[&import, r#"POST /api/entity/JSON/invoice/1 {"no":"0"}"#]).await;
    let update = async |number: usize| -> Answer {
        let line = format!(r##"PUT /api/entity/JSON/#2/T {{"no":"{number}"}}"##);
        world.say(&line, &[]).await
    };
    let answers = futures_util::future::join_all((1..=16).map(update)).await;
    let landed: Vec<_> = answers.iter().filter(|it| it.status == 200).collect();
    assert_eq!(landed.len(), 1);
    for answer in answers.iter().filter(|it| it.status != 200) {
        assert_eq!((answer.status, answer.code().as_str()), (409, "CONFLICT"));
        assert_eq!(answer.json()["properties"]["retryable"], true);
    }
    let entity = world.say("GET /api/entity/#2", &[]).await.json();
    assert_eq!(entity["meta"]["transactionId"], landed[0].json()["transactionId"]);
    let changes = world.say("GET /api/entity/#2/changes", &[]).await.json();
    assert_eq!(changes.as_array().unwrap().len(), 2);
}

#[tokio::test]
pub(crate) async fn no_version_has_a_tag_and_the_past_has_a_thousand() {
    let world = world().await;
    world.prepare(&MODEL).await;
    world.prepare(&[r#"POST /api/entity/JSON/invoice/1 {"no":"0"}"#]).await;
    let url = format!("http://{}/api/entity/00000002-0000-1000-8000-000000000000", world.address);
    let response = world.client.get(url).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(!response.headers().contains_key("etag"));
    for _ in 0..1_000 {
        let answer = world.say(r##"PUT /api/entity/JSON/#2 {"no":"1"}"##, &[]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let changes = world.say("GET /api/entity/#2/changes", &[]).await.json();
    let changes = changes.as_array().unwrap();
    assert_eq!(changes.len(), 1_000);
    assert!(changes.iter().all(|it| it["changeType"] == "UPDATED"), "the newest come first");
}

#[tokio::test]
pub(crate) async fn times_go_up_along_an_entity_while_the_clock_stands_still() {
    let world = world().await;
    world.prepare(&MODEL).await;
    world.prepare(&[r#"POST /api/entity/JSON/invoice/1 {"no":"0"}"#]).await;
    for number in 1..=5 {
        let line = format!(r##"PUT /api/entity/JSON/#2 {{"no":"{number}"}}"##);
        assert_eq!(world.say(&line, &[]).await.status, 200);
    }
    let url = format!("http://{}/api/entity/{}/changes", world.address, spelled_out("#2"));
    let changes: Vec<Value> = world.client.get(url).send().await.unwrap().json().await.unwrap();
    let times = changes.iter().map(|it| {
        let text = it["timeOfChange"].as_str().unwrap().trim_end_matches('Z');
        let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
        format!("{seconds}.{fraction:0<9}")
    });
    let times: Vec<_> = times.collect();
    assert_eq!(times.len(), 6);
    assert!(times.is_sorted_by(|newer, older| newer > older), "{times:?}");
}

#[tokio::test]
pub(crate) async fn a_hundred_are_created_at_a_time_unless_somebody_says_otherwise() {
    let world = world().await;
    world.prepare(&MODEL).await;
    let items: Vec<_> = (0..201).map(|it| json!({"no": it.to_string()})).collect();
    let line = format!("POST /api/entity/JSON/invoice/1 {}", json!(items));
    let (many, model) = (world.say(&line, &[]).await, json!({"name": "invoice", "version": 1}));
    let items: Vec<_> =
        items.iter().map(|it| json!({"model": model, "payload": it.to_string()})).collect();
    let mixed = world.say(&format!("POST /api/entity/JSON {}", json!(items)), &[]).await;
    for answer in [many, mixed] {
        assert_eq!(answer.status, 200, "{}", answer.text);
        let parts = answer.json().as_array().unwrap().clone();
        let n_made = parts.iter().map(|it| it["entityIds"].as_array().unwrap().len());
        assert_eq!(n_made.collect::<Vec<_>>(), [100, 100, 1]);
    }
}

#[tokio::test]
pub(crate) async fn creations_at_the_same_time_all_land() {
    let world = world().await;
    world.prepare(&MODEL).await;
    let create = async |number: usize| {
        let line = format!(r#"POST /api/entity/JSON/invoice/1 {{"no":"{number}"}}"#);
        world.say(&line, &[]).await.status
    };
    let statuses = futures_util::future::join_all((0..10).map(create)).await;
    assert_eq!(statuses, [200; 10]);
    let stats = world.say("GET /api/entity/stats/invoice/1", &[]).await.json();
    assert_eq!(stats, json!({"modelName": "invoice", "modelVersion": 1, "count": 10}));
}

#[tokio::test]
pub(crate) async fn extensions_of_a_model_at_the_same_time_all_land() {
    let world = world().await;
    world.prepare(&MODEL).await;
    world.prepare(&["POST /api/model/invoice/1/changeLevel/STRUCTURAL"]).await;
    let create = async |number: usize| {
        let line = format!(r#"POST /api/entity/JSON/invoice/1 {{"m{number}":{number}}}"#);
        world.say(&line, &[]).await.status
    };
    let statuses = futures_util::future::join_all((0..10).map(create)).await;
    assert_eq!(statuses, [200; 10]);
    let model = world.say("GET /api/model/export/SIMPLE_VIEW/invoice/1", &[]).await.json();
    for number in 0..10 {
        assert_eq!(model["model"]["$"][format!(".m{number}")], "INTEGER", "{model}");
    }
}

/// Of a server that is not told what to call things.
#[tokio::test]
pub(crate) async fn ids_are_made_of_the_time() {
    let clock = Arc::new(SimClock::default());
    let (store, _folder) = on::open(&clock).await;
    let world = world_on((store, clock), Options::default(), Settings::default()).await;
    world.prepare(&MODEL).await;
    let made = world.say(r#"POST /api/entity/JSON/invoice/1 {"no":"A"}"#, &[]).await.json();
    let all = r#"{"type":"group","operator":"AND","conditions":[]}"#;
    let search = world.say(&format!("POST /api/search/async/invoice/1 {all}"), &[]).await.json();
    let kind = ["Content-Type: application/json".to_owned()];
    let message = world.say(r#"POST /api/message/new/a {"payload":1}"#, &kind).await.json();
    for id in [
        &made[0]["transactionId"],
        &made[0]["entityIds"][0],
        &search,
        &message[0]["transactionId"],
        &message[0]["entityIds"][0],
    ] {
        let id = id.as_str().unwrap();
        assert_eq!(Uuid::parse_str(id).unwrap().get_version_num(), 1, "{id}");
        assert_eq!(id, id.to_lowercase());
    }
}

#[tokio::test]
pub(crate) async fn of_two_who_expect_the_same_version_one_is_refused() {
    let world = world().await;
    world.prepare(&MODEL).await;
    world.prepare(&[r#"POST /api/entity/JSON/invoice/1 {"no":"0"}"#]).await;
    let update = async |world: &World| {
        let expected = "If-Match: 00000001-0000-1000-8000-000000000000".to_owned();
        world.say(r##"PUT /api/entity/JSON/#2 {"no":"1"}"##, &[expected]).await.status
    };
    let (one, another) = tokio::join!(update(&world), update(&world));
    let mut statuses = [one, another];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412]);
}

#[tokio::test]
pub(crate) async fn an_answer_has_exactly_the_members_clients_know() {
    let world = world().await;
    world.prepare(&MODEL).await;
    world.prepare(&[r#"POST /api/entity/JSON/invoice/1 {"no":"A-1"}"#]).await;
    let names = |value: &Value| {
        let mut names: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names.join(" ")
    };
    let entity = world.say("GET /api/entity/#2", &[]).await.json();
    assert_eq!(names(&entity), "data meta type");
    let single = "creationDate id lastUpdateTime modelKey state transactionId \
                  transitionForLatestSave";
    assert_eq!(names(&entity["meta"]), single);
    let list = world.say("GET /api/entity/invoice/1", &[]).await.json();
    assert_eq!(names(&list[0]["meta"]), single.replace("modelKey ", ""));
}

#[tokio::test]
pub(crate) async fn every_answer_but_the_schema_ends_with_a_line_feed() {
    let world = world().await;
    world.prepare(&MODEL).await;
    for (line, expected) in [
        (r#"POST /api/entity/JSON/invoice/1 {"no":"A-1"}"#, true),
        ("GET /api/model/", true),
        ("GET /api/entity/invoice/1", true),
        ("GET /api/entity/nobody", true),
        ("GET /api/nothing", true),
        ("GET /api/account", true),
        ("GET /api/account/subscriptions", true),
        ("GET /api/model/export/SIMPLE_VIEW/invoice/1", false),
    ] {
        let answer = world.say(line, &[]).await;
        assert_eq!(answer.text.ends_with('\n'), expected, "{line} {}", answer.text);
    }
}
