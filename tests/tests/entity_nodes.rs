//! Two nodes on one PostgreSQL work on the same entities and models, and with the same members.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics has failed"
)]

use std::{path::Path, time::Duration};

use e2e::{
    binary::Running,
    entity::Client,
    load::{Answer, text},
};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};
use tonic::{
    Streaming, codegen::tokio_stream::wrappers::UnboundedReceiverStream, transport::Endpoint,
};
use waypost_api::grpc::{
    cloudevents::{
        CloudEvent,
        cloud_event::{Data, cloud_event_attribute_value::Attr},
    },
    cyoda::cloud_events_service_client::CloudEventsServiceClient,
};
use waypost_testkit::services;

/// Nothing takes as long as this.
const PATIENCE: Duration = Duration::from_secs(60);

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
            let (client, path) = (client.clone(), format!("/entity/JSON/{id}/CLOSE"));
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
                // It was decided again, and there is no such transition where the entity is by now.
                Answer::No(404, problem) => {
                    let code = &problem["properties"]["errorCode"];
                    assert_eq!(*code, "TRANSITION_NOT_FOUND", "{problem}");
                }
                Answer::No(status, problem) => panic!("{round}: {status} {problem}"),
                Answer::Unknown => panic!("{round}: no answer"),
            }
        }
        assert_eq!(n_won, 1, "{round}");
        let changes = first.get(&format!("/entity/{id}/changes")).await;
        assert_eq!(changes.as_array().unwrap().len(), 2, "{changes}");
        assert_eq!(second.get(&format!("/entity/{id}")).await["meta"]["state"], "CLOSED");
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

/// Two nodes that know each other; orders need the processor `reserve`.
async fn known_to_each_other(folder: &Path) -> [Running; 2] {
    let database = services::fresh_database(&services::postgres().unwrap()).unwrap();
    let secret = "0f".repeat(32);
    let serve = |name: &str| {
        let file = folder.join(format!("{name}.toml"));
        let text = format!(
            "[compute]\nnode = \"{name}\"\nsecret = \"{secret}\"\n\
             [cluster]\naddress = \"http://127.0.0.1:0\"\n"
        );
        std::fs::write(&file, text).unwrap();
        Running::serve(folder, &["--store", &database, "--config", file.to_str().unwrap()])
    };
    let nodes = [serve("node-a"), serve("node-b")];
    let client = Client::new(&nodes[0].url);
    let sample = json!({"n": 1});
    for model in ["order", "note"] {
        let path = format!("/model/import/JSON/SAMPLE_DATA/{model}/1");
        client.must(Method::POST, &path, &sample).await;
        client.must(Method::PUT, &format!("/model/{model}/1/lock"), &Value::Null).await;
    }
    let processor = json!({"type": "EXTERNAL", "name": "reserve", "executionMode": "SYNC",
        "config": {"attachEntity": true, "calculationNodesTags": "stock"}});
    let workflows = json!({"importMode": "REPLACE", "workflows": [{"name": "order",
        "initialState": "NEW", "states": {"DONE": {},
        "NEW": {"transitions": [{"name": "GO", "next": "DONE", "processors": [processor]}]}}}]});
    client.must(Method::POST, "/model/order/1/workflow/import", &workflows).await;
    nodes
}

/// A compute member.
struct Member {
    outgoing: mpsc::UnboundedSender<CloudEvent>,
    incoming: Streaming<CloudEvent>,
}

impl Member {
    async fn join(node: &Running) -> Self {
        let address = format!("http://{}", node.grpc.as_deref().unwrap());
        let channel = Endpoint::from_shared(address).unwrap().connect().await.unwrap();
        let mut client = CloudEventsServiceClient::new(channel);
        let (outgoing, sent) = mpsc::unbounded_channel();
        let incoming = client.start_streaming(UnboundedReceiverStream::new(sent)).await.unwrap();
        let member = Self { outgoing, incoming: incoming.into_inner() };
        member.send("CalculationMemberJoinEvent", &json!({"id": "j", "tags": ["stock"]}));
        member
    }

    fn send(&self, kind: &str, payload: &Value) {
        let data = Some(Data::TextData(payload.to_string()));
        let (id, r#type) = ("e".to_owned(), kind.to_owned());
        self.outgoing.send(CloudEvent { id, r#type, data, ..CloudEvent::default() }).unwrap();
    }

    /// The next question, and the ticket that comes with it.
    async fn asked(&mut self) -> (Value, String) {
        loop {
            let event = timeout(PATIENCE, self.incoming.message()).await.unwrap().unwrap().unwrap();
            if event.r#type != "EntityProcessorCalculationRequest" {
                continue;
            }
            let ticket = event.attributes["cyodatxtoken"].attr.clone();
            let (Some(Data::TextData(text)), Some(Attr::CeString(ticket))) = (event.data, ticket)
            else {
                panic!("a question is text, and so is its ticket")
            };
            return (serde_json::from_str(&text).unwrap(), ticket);
        }
    }

    fn answer(&self, question: &Value) {
        let mut value = question["payload"]["data"].clone();
        value["reserved"] = json!(true);
        let payload = json!({"id": "a", "requestId": question["requestId"], "success": true,
            "payload": {"type": "JSON", "data": value}});
        self.send("EntityProcessorCalculationResponse", &payload);
    }
}

/// Writes a note in the transaction of a ticket.
async fn note(node: &Running, ticket: &str) -> (u16, Value) {
    let url = format!("{}/api/entity/JSON/note/1", node.url);
    let request = reqwest::Client::new().post(url).header("x-tx-token", ticket);
    let answer = request.json(&json!({"n": 7})).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn figure(node: &Running, name: &str) -> Option<u64> {
    let text = reqwest::get(format!("{}/metrics", node.url)).await.unwrap().text().await.unwrap();
    let value = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(' '));
    value.and_then(|it| it.parse().ok())
}

async fn until(node: &Running, name: &str, value: u64) {
    let began_at = Instant::now();
    while figure(node, name).await != Some(value) {
        assert!(began_at.elapsed() < PATIENCE, "{name} is never {value}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_of_one_node_works_in_a_transaction_of_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = known_to_each_other(folder.path()).await;
    let [first, second] = [Client::new(&nodes[0].url), Client::new(&nodes[1].url)];
    let mut member = Member::join(&nodes[1]).await;
    let body = json!({"n": 1});
    let writing = first.must(Method::POST, "/entity/JSON/order/1", &body);
    let working = async {
        let (question, ticket) = member.asked().await;
        let (status, made) = note(&nodes[1], &ticket).await;
        assert_eq!(status, 200, "{made}");
        let id = text(&made[0]["entityIds"][0]);
        assert!(matches!(
            second.send(Method::GET, &format!("/entity/{id}"), &Value::Null).await,
            Answer::No(404, _)
        ));
        member.answer(&question);
        (text(&made[0]["transactionId"]), id)
    };
    let (written, (transaction, id)) = tokio::join!(writing, working);
    assert_eq!(text(&written[0]["transactionId"]), transaction);
    let order = text(&written[0]["entityIds"][0]);
    for client in [&first, &second] {
        let shown = client.get(&format!("/entity/{order}")).await;
        assert_eq!(
            (&shown["meta"]["state"], &shown["data"]["reserved"]),
            (&json!("DONE"), &json!(true))
        );
        let shown = client.get(&format!("/entity/{id}")).await;
        assert_eq!(text(&shown["meta"]["transactionId"]), transaction);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_is_killed_leaves_nothing_of_its_open_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = known_to_each_other(folder.path()).await;
    let (client, rest) = (Client::new(&first.url), Client::new(&second.url));
    let mut member = Member::join(&second).await;
    let writing = tokio::spawn(async move {
        client.send(Method::POST, "/entity/JSON/order/1", &json!({"n": 1})).await
    });
    let (question, ticket) = member.asked().await;
    let (status, made) = note(&second, &ticket).await;
    assert_eq!(status, 200, "{made}");
    until(&second, "waypost_cluster_peers", 1).await;
    first.kill();
    assert!(matches!(writing.await.unwrap(), Answer::Unknown));
    let (status, problem) = note(&second, &ticket).await;
    assert_eq!(status, 503, "{problem}");
    assert_eq!(problem["properties"]["errorCode"], "TRANSACTION_NODE_UNAVAILABLE");
    until(&second, "waypost_compute_pending", 0).await;
    member.answer(&question);
    until(&second, "waypost_cluster_peers", 0).await;
    for model in ["order", "note"] {
        assert_eq!(rest.get(&format!("/entity/{model}/1")).await, json!([]), "{model}");
    }
    // The one that is left goes on alone.
    let body = json!({"n": 1});
    let writing = rest.must(Method::POST, "/entity/JSON/order/1", &body);
    let working = async {
        let (question, _) = member.asked().await;
        member.answer(&question);
    };
    tokio::join!(writing, working);
}
