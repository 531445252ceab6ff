//! A compute node and a real server: asked, calling back, refused, lost and found again.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Map, Value, json};
use tokio::{sync::Notify, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;
use waypost_client::{
    Error,
    compute::{Functions, Node, NodeOptions, Question, Refused},
};
use waypost_engine::{Engine, Settings, SystemClock};
use waypost_server::{
    EntityOptions, Options, Server, ServerError,
    compute::{ComputeOptions, Members},
};
use waypost_stores::MemoryStore;

/// Nothing takes as long as this.
const PATIENCE: Duration = Duration::from_secs(60);

struct World {
    http: String,
    grpc: SocketAddr,
    stop: CancellationToken,
    running: JoinHandle<Result<(), ServerError>>,
    engine: Engine,
}

async fn serve(engine: Engine, members: Members, grpc: SocketAddr) -> World {
    let http = SocketAddr::from(([127, 0, 0, 1], 0));
    let entity = EntityOptions { members: Some(members), ..EntityOptions::default() };
    let options = Options { http, grpc: Some(grpc), entity, ..Options::default() };
    let server = Server::bind(engine.clone(), options).await.unwrap();
    let (http, grpc) = (format!("http://{}/api", server.http_addr()), server.grpc_addr().unwrap());
    let stop = CancellationToken::new();
    let running = tokio::spawn(server.run(stop.clone()));
    World { http, grpc, stop, running, engine }
}

fn members() -> Members {
    Members::new(ComputeOptions::default(), Arc::new(SystemClock)).unwrap()
}

/// A server whose orders are taken through the processor `work` if the function `is-open` says so.
async fn world() -> World {
    let members = members();
    let settings = Settings { compute: Arc::new(members.clone()), ..Settings::default() };
    let engine = Engine::new(Arc::new(MemoryStore::new(Arc::new(SystemClock))), settings);
    let world = serve(engine, members, SocketAddr::from(([127, 0, 0, 1], 0))).await;
    let config = json!({"attachEntity": true, "calculationNodesTags": "shop"});
    let work = json!({"type": "EXTERNAL", "name": "work", "config": config});
    let criterion = json!({"type": "function", "function": {"name": "is-open"}});
    let transition =
        json!({"name": "GO", "next": "DONE", "criterion": criterion, "processors": [work]});
    let states = json!({"NEW": {"transitions": [transition]}, "DONE": {}});
    let workflows = json!({"workflows": [{"name": "w", "initialState": "NEW", "states": states}]});
    for (method, path, body) in [
        ("POST", "/model/import/JSON/SAMPLE_DATA/order/1", json!({"n": 1})),
        ("PUT", "/model/order/1/lock", Value::Null),
        ("POST", "/model/import/JSON/SAMPLE_DATA/note/1", json!({"n": 1})),
        ("PUT", "/model/note/1/lock", Value::Null),
        ("POST", "/model/order/1/workflow/import", workflows),
    ] {
        assert_eq!(send(&world.http, method, path, &body, None).await.0, 200, "{path}");
    }
    world
}

async fn send(
    base: &str,
    method: &str,
    path: &str,
    body: &Value,
    ticket: Option<&str>,
) -> (u16, Value) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client.request(method.parse().unwrap(), format!("{base}{path}"));
    if !body.is_null() {
        request = request.body(body.to_string());
    }
    if let Some(ticket) = ticket {
        request = request.header("X-Tx-Token", ticket);
    }
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default())
}

impl World {
    async fn create(&self, n: u64) -> (u16, Value) {
        send(&self.http, "POST", "/entity/JSON/order/1", &json!({"n": n}), None).await
    }

    /// Creates until a member is there to be asked.
    async fn create_when_joined(&self, n: u64) -> (u16, Value) {
        let creating = async {
            loop {
                let (status, answer) = self.create(n).await;
                if answer["properties"]["errorCode"] != "NO_COMPUTE_MEMBER_FOR_TAG" {
                    return (status, answer);
                }
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, creating).await.unwrap()
    }

    async fn show(&self, created: &Value) -> Value {
        let id = created[0]["entityIds"][0].as_str().unwrap();
        send(&self.http, "GET", &format!("/entity/{id}"), &Value::Null, None).await.1
    }

    fn join(&self, functions: Functions) -> (CancellationToken, JoinHandle<()>) {
        let url = format!("http://{}", self.grpc);
        let options = NodeOptions { url, tags: vec!["shop".into()], ..NodeOptions::default() };
        let stop = CancellationToken::new();
        (stop.clone(), tokio::spawn(Node::new(functions, options).run(stop)))
    }
}

fn value(question: &Question) -> Map<String, Value> {
    question.payload.as_ref().unwrap().data.read().unwrap()
}

/// Decides by the number: 0 is closed, 13 cannot be told.
async fn is_open(question: Arc<Question>) -> Result<bool, Refused> {
    match value(&question)["n"].as_u64() {
        Some(13) => Err(Refused::fatal("cannot tell")),
        n => Ok(n != Some(0)),
    }
}

fn functions() -> Functions {
    Functions::new().criterion("is-open", is_open).unwrap()
}

#[tokio::test]
async fn a_node_works_and_decides() {
    let world = world().await;
    let work = |question: Arc<Question>| async move {
        assert_eq!(question.workflow.name, "w");
        assert_eq!(question.transition.as_ref().unwrap().state_to, "DONE");
        let mut value = value(&question);
        match value["n"].as_u64() {
            Some(7) => Err(Refused::fatal("seven is too many")),
            Some(8) => unreachable!("eight is unheard of"),
            _ => {
                value.insert("by".into(), json!(question.name));
                Ok(value)
            }
        }
    };
    let (stop, running) = world.join(functions().processor("work", work).unwrap());
    let (_, created) = world.create_when_joined(1).await;
    let seen = world.show(&created).await;
    assert_eq!(
        (&seen["data"], &seen["meta"]["state"]),
        (&json!({"n": 1, "by": "work"}), &json!("DONE"))
    );
    let (_, created) = world.create(0).await;
    assert_eq!(world.show(&created).await["meta"]["state"], "NEW");
    for (n, told) in [(7, "seven is too many"), (8, "eight is unheard of"), (13, "cannot tell")] {
        let (status, problem) = world.create(n).await;
        let detail = problem["detail"].as_str().unwrap();
        assert!(status == 400 && detail.contains(told), "{n}: {detail}");
    }
    stop.cancel();
    timeout(PATIENCE, running).await.unwrap().unwrap();
    assert_eq!(world.create(1).await.0, 503);
}

#[tokio::test]
async fn a_node_calls_back_into_the_transaction_that_asks_it() {
    let world = world().await;
    let http = world.http.clone();
    let work = move |question: Arc<Question>| {
        let http = http.clone();
        async move {
            let (path, body) = ("/entity/JSON/note/1", json!({"n": 1}));
            let (status, written) = send(&http, "POST", path, &body, Some(&question.ticket)).await;
            assert_eq!(status, 200, "{written}");
            assert_eq!(written[0]["transactionId"], question.transaction_id);
            Ok(())
        }
    };
    let (_stop, _running) = world.join(functions().processor("work", work).unwrap());
    let (status, created) = world.create_when_joined(1).await;
    assert_eq!(status, 200, "{created}");
    let (_, notes) = send(&world.http, "GET", "/entity/note/1", &Value::Null, None).await;
    assert_eq!(notes[0]["meta"]["transactionId"], created[0]["transactionId"]);
    // It has returned nothing, so nothing has changed.
    assert_eq!(world.show(&created).await["data"], json!({"n": 1}));
}

#[tokio::test]
async fn a_node_without_the_function_says_so() {
    let world = world().await;
    let (_stop, _running) = world.join(functions());
    let (status, problem) = world.create_when_joined(1).await;
    let detail = problem["detail"].as_str().unwrap();
    assert!(status == 400 && detail.contains("no function \"work\""), "{detail}");
}

#[tokio::test]
async fn a_node_finishes_what_it_was_asked_before_it_goes() {
    let world = world().await;
    let (asked, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (told, waited) = (Arc::clone(&asked), Arc::clone(&go_on));
    let work = move |_| {
        let (told, waited) = (Arc::clone(&told), Arc::clone(&waited));
        async move {
            told.notify_one();
            waited.notified().await;
            Ok(())
        }
    };
    let (stop, running) = world.join(functions().processor("work", work).unwrap());
    let stopping = async {
        asked.notified().await;
        stop.cancel();
        go_on.notify_one();
    };
    let ((status, answer), ()) = tokio::join!(world.create_when_joined(1), stopping);
    assert_eq!(status, 200, "{answer}");
    timeout(PATIENCE, running).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_node_comes_back_when_the_server_does() {
    let world = world().await;
    let n_asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&n_asked);
    let work = move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(()) }
    };
    let (_stop, _running) = world.join(functions().processor("work", work).unwrap());
    assert_eq!(world.create_when_joined(1).await.0, 200);
    let World { grpc, stop, running, engine, .. } = world;
    stop.cancel();
    timeout(PATIENCE, running).await.unwrap().unwrap().unwrap();
    let members = members();
    let settings = Settings { compute: Arc::new(members.clone()), ..Settings::default() };
    let engine = Engine::new(Arc::clone(engine.store()), settings);
    let world = serve(engine, members, grpc).await;
    assert_eq!(world.create_when_joined(1).await.0, 200);
    assert_eq!(n_asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn one_name_has_one_function() {
    let twice = functions().criterion("is-open", is_open);
    assert!(matches!(twice, Err(Error::NameTwice { name }) if name == "is-open"));
}
