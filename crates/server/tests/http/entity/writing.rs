//! Entities: created, read, updated, deleted, one by one and many at once.

use serde_json::{Value, json};

use super::play::Answer;
use crate::world::{World, world};

/// A model that takes anything with these members.
const MODEL: [&str; 2] = [
    r#"POST /api/model/import/JSON/SAMPLE_DATA/invoice/1 {"no":"A-1","total":12.50}"#,
    "PUT /api/model/invoice/1/lock",
];

#[tokio::test]
async fn entities_are_created_and_read() {
    world().await.enact("entities_are_created_and_read").await;
}

#[tokio::test]
async fn entities_are_updated() {
    world().await.enact("entities_are_updated").await;
}

#[tokio::test]
async fn collections_are_created_in_parts() {
    world().await.enact("collections_are_created_in_parts").await;
}

#[tokio::test]
async fn collections_are_updated_all_or_none() {
    world().await.enact("collections_are_updated_all_or_none").await;
}

#[tokio::test]
async fn entities_are_deleted_and_remembered() {
    world().await.enact("entities_are_deleted_and_remembered").await;
}

#[tokio::test]
async fn the_past_can_be_read() {
    world().await.enact("the_past_can_be_read").await;
}

#[tokio::test]
async fn entities_are_counted() {
    world().await.enact("entities_are_counted").await;
}

#[tokio::test]
async fn of_many_updates_at_once_each_lands_or_says_that_it_did_not() {
    let world = world().await;
    world.prepare(&MODEL).await;
    world.prepare(&[r#"POST /api/entity/JSON/invoice/1 {"no":"0"}"#]).await;
    let update = async |number: usize| -> Answer {
        let line = format!(r##"PUT /api/entity/JSON/#2 {{"no":"{number}"}}"##);
        world.say(&line, &[]).await
    };
    let answers = futures_util::future::join_all((1..=16).map(update)).await;
    let landed: Vec<_> = answers.iter().filter(|it| it.status == 200).collect();
    assert!(!landed.is_empty());
    for answer in answers.iter().filter(|it| it.status != 200) {
        assert_eq!((answer.status, answer.code().as_str()), (409, "CONFLICT"));
        assert_eq!(answer.json()["properties"]["retryable"], true);
    }
    let entity = world.say("GET /api/entity/#2", &[]).await.json();
    let last = entity["meta"]["transactionId"].clone();
    assert!(landed.iter().any(|it| it.json()["transactionId"] == last), "{entity}");
    let changes = world.say("GET /api/entity/#2/changes", &[]).await.json();
    assert_eq!(changes.as_array().unwrap().len(), landed.len() + 1);
}

#[tokio::test]
async fn creations_at_the_same_time_all_land() {
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
async fn of_two_who_expect_the_same_version_one_is_refused() {
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
async fn an_answer_has_exactly_the_members_clients_know() {
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
async fn every_answer_but_the_schema_ends_with_a_line_feed() {
    let world = world().await;
    world.prepare(&MODEL).await;
    for (line, expected) in [
        (r#"POST /api/entity/JSON/invoice/1 {"no":"A-1"}"#, true),
        ("GET /api/model/", true),
        ("GET /api/entity/invoice/1", true),
        ("GET /api/entity/nobody", true),
        ("GET /api/nothing", true),
        ("GET /api/model/export/SIMPLE_VIEW/invoice/1", false),
    ] {
        let answer = world.say(line, &[]).await;
        assert_eq!(answer.text.ends_with('\n'), expected, "{line} {}", answer.text);
    }
}
