//! Two nodes on one PostgreSQL work on the same entities and models.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use e2e::{
    binary::Running,
    entity::Client,
    load::{Answer, text},
};
use reqwest::Method;
use serde_json::{Value, json};
use waypost_testkit::services;

/// Two nodes, and a client of each.
struct Pair {
    _folder: tempfile::TempDir,
    _nodes: [Running; 2],
    clients: [Client; 2],
}

async fn pair() -> Pair {
    let folder = tempfile::tempdir().unwrap();
    let database = services::fresh_database(&services::postgres().unwrap()).unwrap();
    let serve = || Running::serve(folder.path(), &["--store", &database]);
    let nodes = [serve(), serve()];
    let clients = [Client::new(&nodes[0].url), Client::new(&nodes[1].url)];
    clients[0].prepare().await;
    Pair { _folder: folder, _nodes: nodes, clients }
}

async fn create(client: &Client) -> String {
    let body = json!({"n": 0, "who": "pair"});
    let created = client.must(Method::POST, "/entity/JSON/crash/1", &body).await;
    text(&created[0]["entityIds"][0])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_transitions_that_race_exactly_one_wins() {
    let pair = pair().await;
    let [first, second] = &pair.clients;
    for round in 0..50 {
        let id = create(first).await;
        let read = second.get(&format!("/entity/{id}")).await;
        assert_eq!(read["meta"]["state"], "OPEN");
        let take = |client: &Client, who: &str| {
            let (client, path) = (client.clone(), format!("/entity/JSON/{id}/MOVE"));
            let body = json!({"n": 1, "who": who});
            tokio::spawn(async move { client.send(Method::PUT, &path, &body).await })
        };
        let racers = [take(first, "first"), take(second, "second")];
        let mut n_won = 0;
        for racer in racers {
            match racer.await.unwrap() {
                Answer::Yes(_) => n_won += 1,
                Answer::No(409, problem) => {
                    assert_eq!(problem["properties"]["errorCode"], "CONFLICT", "{problem}");
                }
                Answer::No(status, problem) => panic!("{round}: {status} {problem}"),
                Answer::Unknown => panic!("{round}: no answer"),
            }
        }
        // One of the two may have come after the other, and moved the entity back.
        let changes = first.get(&format!("/entity/{id}/changes")).await;
        assert_eq!(changes.as_array().unwrap().len(), 1 + n_won, "{changes}");
        let state = if n_won == 1 { "AWAY" } else { "OPEN" };
        assert_eq!(second.get(&format!("/entity/{id}")).await["meta"]["state"], state);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_node_learns_of_a_model_the_other_knows() {
    let pair = pair().await;
    let [first, second] = &pair.clients;
    create(second).await;
    let workflows = json!({"importMode": "REPLACE", "workflows": [{"name": "other",
        "initialState": "ELSEWHERE", "states": {"ELSEWHERE": {}}}]});
    first.must(Method::POST, "/model/crash/1/workflow/import", &workflows).await;
    let id = create(second).await;
    let entity = second.get(&format!("/entity/{id}")).await;
    assert_eq!(entity["meta"]["state"], "ELSEWHERE");
    let unlocked = first.send(Method::PUT, "/model/crash/1/unlock", &Value::Null).await;
    assert!(matches!(unlocked, Answer::No(409, _)), "there are entities");
    first.must(Method::DELETE, "/entity/crash/1", &Value::Null).await;
    first.must(Method::PUT, "/model/crash/1/unlock", &Value::Null).await;
    let body = json!({"n": 0});
    match second.send(Method::POST, "/entity/JSON/crash/1", &body).await {
        Answer::No(409, problem) => {
            assert_eq!(problem["properties"]["errorCode"], "MODEL_NOT_LOCKED", "{problem}");
        }
        Answer::No(status, problem) => panic!("{status} {problem}"),
        Answer::Yes(written) => panic!("written under an unlocked model: {written}"),
        Answer::Unknown => panic!("no answer"),
    }
}
