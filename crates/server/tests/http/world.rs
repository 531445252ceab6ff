//! A server with a clock that stands still and names that count up, and a little language to talk
//! to it: a line is a method, a path and a body; `$id` and `$token` are the latest ones seen.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use expect_test::expect_file;
use reqwest::{Client, Method, Response};
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use waypost_engine::{Engine, Ids, Settings};
use waypost_kernel::{ClaimId, InstanceId, Store, Timestamp};
use waypost_server::{HttpLimits, Options, Server, ServerError};
use waypost_testkit::clock::SimClock;

use crate::on;

#[derive(Default)]
struct Counting {
    instances: AtomicU64,
    entities: AtomicU64,
    claims: AtomicU64,
    chances: AtomicU64,
}

impl Ids for Counting {
    fn instance(&self, _: Timestamp) -> InstanceId {
        format!("i-{}", self.instances.fetch_add(1, Ordering::SeqCst) + 1).into()
    }

    fn entity(&self, _: Timestamp) -> InstanceId {
        let number = self.entities.fetch_add(1, Ordering::SeqCst) + 1;
        format!("{number:08x}-0000-1000-8000-000000000000").into()
    }

    fn claim(&self) -> ClaimId {
        format!("c-{}", self.claims.fetch_add(1, Ordering::SeqCst) + 1).into()
    }

    fn chance(&self) -> u64 {
        self.chances.fetch_add(1, Ordering::SeqCst) + 1
    }
}

pub(crate) struct World {
    pub(crate) clock: Arc<SimClock>,
    pub(crate) engine: Engine,
    pub(crate) address: SocketAddr,
    pub(crate) metrics: Option<SocketAddr>,
    pub(crate) grpc: Option<SocketAddr>,
    pub(crate) client: Client,
    pub(crate) stop: CancellationToken,
    pub(crate) running: JoinHandle<Result<(), ServerError>>,
    _folder: Option<TempDir>,
}

pub(crate) async fn world() -> World {
    world_with(Options::default(), Settings::default()).await
}

pub(crate) async fn world_limited(limits: HttpLimits) -> World {
    world_with(Options { limits, ..Options::default() }, Settings::default()).await
}

pub(crate) async fn world_with(options: Options, settings: Settings) -> World {
    world_in(|store| store, options, settings).await
}

/// A world over what is made of the store.
pub(crate) async fn world_in(
    trouble: impl FnOnce(Arc<dyn Store>) -> Arc<dyn Store>,
    options: Options,
    settings: Settings,
) -> World {
    let settings = Settings { ids: Arc::new(Counting::default()), ..settings };
    world_naming(trouble, options, settings).await
}

/// A world in which things are named as the settings say.
pub(crate) async fn world_naming(
    trouble: impl FnOnce(Arc<dyn Store>) -> Arc<dyn Store>,
    options: Options,
    settings: Settings,
) -> World {
    let clock = Arc::new(SimClock::default());
    let (store, folder) = on::open(&clock).await;
    let world = world_on((trouble(store), clock), options, settings).await;
    World { _folder: Some(folder), ..world }
}

/// A server over a store that others may share.
pub(crate) async fn world_on(
    (store, clock): (Arc<dyn Store>, Arc<SimClock>),
    options: Options,
    settings: Settings,
) -> World {
    served((Engine::new(store, settings), clock), options).await
}

async fn served((engine, clock): (Engine, Arc<SimClock>), options: Options) -> World {
    let http = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::bind(engine.clone(), Options { http, ..options }).await.unwrap();
    let (address, metrics, grpc) = (server.http_addr(), server.metrics_addr(), server.grpc_addr());
    let stop = CancellationToken::new();
    let running = tokio::spawn(server.run(stop.clone()));
    let client = Client::builder().timeout(Duration::from_secs(60)).build().unwrap();
    World { clock, engine, address, metrics, grpc, client, stop, running, _folder: None }
}

/// A plan with two steps.
pub(crate) const ORDER: &str = r#"{"workflowType":"order","workflowVersion":1,"steps":[{"stepType":"VALIDATE"},{"stepType":"SHIP","maxAttempts":2}]}"#;

impl World {
    /// The same, behind a server with these options.
    pub(crate) async fn behind(self, options: Options) -> Self {
        let Self { engine, clock, _folder: folder, .. } = self;
        Self { _folder: folder, ..served((engine, clock), options).await }
    }

    /// A world with the plan [`ORDER`] deployed.
    pub(crate) async fn with_order(self) -> Self {
        self.send(Method::POST, "/v1/chains/definitions", ORDER).await;
        self
    }

    /// Sends a request with a body, if there is one, and with a name that is always the same.
    pub(crate) async fn send(&self, method: Method, path: &str, body: &str) -> Response {
        let url = format!("http://{}{path}", self.address);
        let mut request = self.client.request(method, url).header("x-request-id", "r");
        if !body.is_empty() {
            request = request.header("content-type", "application/json").body(body.to_owned());
        }
        request.send().await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> Response {
        self.send(Method::POST, path, body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, "").await
    }

    /// Tells the story in the file of that name, and compares what is answered. Lines that are
    /// indented are answers; the others are requests, waits and remarks.
    pub(crate) async fn tell(&self, name: &str) {
        let path = format!("{}/tests/http/stories/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let story = std::fs::read_to_string(&path).unwrap();
        let (mut seen, mut id, mut token) = (String::new(), String::new(), String::new());
        for line in story.lines().filter(|it| !it.starts_with(' ')) {
            seen += &format!("{line}\n");
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(seconds) = line.strip_prefix("wait ") {
                self.wait(Duration::from_secs(seconds.parse().unwrap())).await;
                continue;
            }
            let line = line.replace("$id", &id).replace("$token", &token);
            let mut words = line.splitn(3, ' ');
            let method = words.next().unwrap().parse().unwrap();
            let (path, body) = (words.next().unwrap(), words.next().unwrap_or(""));
            let response = self.send(method, path, body).await;
            let status = response.status().as_u16();
            let text = response.text().await.unwrap();
            let answer = serde_json::from_str(&text).unwrap_or(Value::String(text));
            id = find(&answer, "instanceId").unwrap_or(id);
            token = find(&answer, "leaseToken").unwrap_or(token);
            seen += &show(status, &answer);
        }
        expect_file![path].assert_eq(&seen);
    }

    /// Moves the clock, and takes steps back whose lease has lapsed.
    async fn wait(&self, duration: Duration) {
        self.clock.advance(duration);
        self.engine.sweeps().leases(self.engine.store().now()).await.unwrap();
    }
}

/// The first value of that name, anywhere.
fn find(answer: &Value, name: &str) -> Option<String> {
    if let Some(items) = answer.as_array() {
        return items.iter().find_map(|it| find(it, name));
    }
    let members = answer.as_object()?;
    let here = members.get(name).and_then(Value::as_str).map(str::to_owned);
    here.or_else(|| members.values().find_map(|it| find(it, name)))
}

/// A problem takes a line, and so does every member of anything else.
pub(crate) fn show(status: u16, answer: &Value) -> String {
    let Some(members) = answer.as_object() else {
        let text = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
        return format!("  {status} {text}").trim_end().to_owned() + "\n";
    };
    if members.contains_key("code") {
        return format!("  {status} {}\n", problem(answer));
    }
    let lines = members.iter().map(|(name, value)| member(name, value));
    format!("  {status}\n{}", lines.collect::<String>())
}

fn problem(answer: &Value) -> String {
    let problem: waypost_api::Problem = serde_json::from_value(answer.clone()).unwrap();
    let again = if problem.retryable { " (retryable)" } else { "" };
    let places: Vec<_> = problem.errors.iter().map(|it| it.place.as_str()).collect();
    let at = if places.is_empty() { String::new() } else { format!(" @ {}", places.join(", ")) };
    format!("{}{again}: {}{at}", problem.code, problem.detail)
}

fn member(name: &str, value: &Value) -> String {
    let items = value.as_array().filter(|it| it.iter().any(Value::is_object));
    let Some(items) = items else { return format!("    {name}: {value}\n") };
    let lines = items.iter().map(|it| format!("      {it}\n"));
    format!("    {name}:\n{}", lines.collect::<String>())
}
