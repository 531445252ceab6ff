//! What the server says while its store is down.

use std::{future::pending, net::SocketAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use waypost_engine::{Engine, Settings};
use waypost_kernel::{
    Change, Claim, ClaimId, Commit, Cursor, Definition, DefinitionQuery, EventRecord, Figures, Key,
    Listener, Posted, Query, QueueFigures, Receipt, Record, Records, RequestId, Scope, Sift, Store,
    StoreError, Tally, TallyQuery, Task, Tenant, Timer, Timestamp, Version, Write,
};
use waypost_server::{HttpLimits, Options, Server};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A store that is down.
#[derive(Clone, Copy)]
enum Down {
    /// It says so at once.
    Refuses,
    /// It says nothing at all.
    Hangs,
    /// It cannot make sense of what it has.
    Rots,
}

impl Down {
    async fn answer<T>(self) -> Result<T, StoreError> {
        match self {
            Self::Refuses => Err(StoreError::Unavailable("no way to db-7:5432".to_owned())),
            Self::Hangs => pending().await,
            Self::Rots => Err(StoreError::Corrupt("a page of db-7".to_owned())),
        }
    }
}

#[async_trait]
impl Records for Down {
    async fn load(&self, _: &[Key]) -> Result<Vec<Option<Record>>, StoreError> {
        self.answer().await
    }

    async fn replace(&self, _: Write, _: EventRecord) -> Result<Receipt, StoreError> {
        self.answer().await
    }

    async fn history(&self, _: &Key, _: Version, _: u32) -> Result<Vec<EventRecord>, StoreError> {
        self.answer().await
    }

    async fn head(&self, _: &Scope) -> Result<Cursor, StoreError> {
        self.answer().await
    }

    async fn watch(
        &self,
        _: &Scope,
        _: &Cursor,
        _: u32,
        _: Duration,
    ) -> Result<Vec<Change>, StoreError> {
        self.answer().await
    }
}

#[async_trait]
impl Store for Down {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000)
    }

    async fn commit(&self, _: Commit) -> Result<Receipt, StoreError> {
        self.answer().await
    }

    async fn claim(&self, _: Claim) -> Result<Vec<Task>, StoreError> {
        self.answer().await
    }

    async fn tasks(&self, _: &[Key]) -> Result<Vec<Task>, StoreError> {
        self.answer().await
    }

    async fn definitions(&self, _: &DefinitionQuery) -> Result<Vec<Definition>, StoreError> {
        self.answer().await
    }

    async fn count_definitions(&self, _: &DefinitionQuery) -> Result<u64, StoreError> {
        self.answer().await
    }

    async fn due(&self, _: Timestamp, _: u32) -> Result<Vec<Timer>, StoreError> {
        self.answer().await
    }

    async fn lapsed(&self, _: Timestamp, _: u32) -> Result<Vec<Task>, StoreError> {
        self.answer().await
    }

    async fn outbox(&self, _: ClaimId, _: Duration, _: u32) -> Result<Vec<Posted>, StoreError> {
        self.answer().await
    }

    async fn search(&self, _: &Query) -> Result<Vec<Record>, StoreError> {
        self.answer().await
    }

    async fn count(&self, _: &Query) -> Result<u64, StoreError> {
        self.answer().await
    }

    async fn sift(&self, _: &Sift) -> Result<Vec<Record>, StoreError> {
        self.answer().await
    }

    async fn tally(&self, _: &TallyQuery) -> Result<Vec<Tally>, StoreError> {
        self.answer().await
    }

    async fn past(&self, _: &[Key], _: Timestamp) -> Result<Vec<Option<Record>>, StoreError> {
        self.answer().await
    }

    async fn versions(
        &self,
        _: &Key,
        _: Option<Version>,
        _: u32,
    ) -> Result<Vec<Record>, StoreError> {
        self.answer().await
    }

    async fn settle(&self, _: Timestamp) -> Result<(), StoreError> {
        self.answer().await
    }

    async fn receipt(&self, _: &Tenant, _: &RequestId) -> Result<Option<Receipt>, StoreError> {
        self.answer().await
    }

    async fn forget(&self, _: Timestamp, _: u32) -> Result<u32, StoreError> {
        self.answer().await
    }

    async fn queues(&self, _: &Tenant, _: u32) -> Result<Vec<QueueFigures>, StoreError> {
        self.answer().await
    }

    async fn figures(&self) -> Result<Figures, StoreError> {
        self.answer().await
    }

    fn listen(&self, _: Listener) {}
}

/// A server over a store that is down.
async fn serve(store: Down) -> SocketAddr {
    serve_with(store, HttpLimits::default()).await
}

async fn serve_with(store: Down, limits: HttpLimits) -> SocketAddr {
    let engine = Engine::new(Arc::new(store), Settings::default());
    let http = SocketAddr::from(([127, 0, 0, 1], 0));
    run(engine, Options { http, limits, ..Options::default() }).await.0
}

/// Where it is, and where its metrics are.
async fn run(engine: Engine, options: Options) -> (SocketAddr, Option<SocketAddr>) {
    let server = Server::bind(engine, options).await.unwrap();
    let addresses = (server.http_addr(), server.metrics_addr());
    tokio::spawn(server.run(CancellationToken::new()));
    addresses
}

async fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let response = reqwest::get(format!("http://{address}{path}")).await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test]
async fn a_server_whose_store_is_down_is_alive_and_not_ready() {
    for (store, reason) in [
        (Down::Refuses, "the store cannot be read"),
        (Down::Hangs, "the store does not answer within a second"),
    ] {
        let address = serve(store).await;
        assert_eq!(get(address, "/healthz").await, (200, r#"{"status":"ok"}"#.to_owned()));
        let body = format!(r#"{{"status":"unavailable","reasons":["{reason}"]}}"#);
        assert_eq!(get(address, "/readyz").await, (503, body));
    }
}

#[tokio::test]
async fn the_port_of_operators_says_in_a_word_why_a_server_is_not_ready() {
    let engine = Engine::new(Arc::new(Down::Refuses), Settings::default());
    let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
    let options = Options { http: anywhere, metrics: Some(anywhere), ..Options::default() };
    let address = run(engine, options).await.1.unwrap();
    assert_eq!(get(address, "/livez").await, (200, "ok".to_owned()));
    assert_eq!(get(address, "/readyz").await, (503, "the store cannot be read".to_owned()));
}

#[tokio::test]
async fn metrics_answer_with_what_they_have_while_the_store_is_down() {
    for store in [Down::Refuses, Down::Hangs] {
        let address = serve(store).await;
        get(address, "/healthz").await;
        let (status, text) = get(address, "/metrics").await;
        assert_eq!(status, 200);
        assert!(text.contains("\nwaypost_store_up 0.0\n"), "{text}");
        assert!(text.contains("\nwaypost_turns_total 0\n"), "{text}");
        assert!(text.contains(r#"route="/healthz",status="200"} 1"#), "{text}");
        // Old figures would pass for news.
        assert!(!text.contains("waypost_tasks_ready"), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
    }
}

#[tokio::test]
async fn requests_are_refused_for_now_and_without_the_details_of_the_store() {
    let address = serve(Down::Refuses).await;
    let (status, text) = get(address, "/v1/chains/instances").await;
    let problem: waypost_api::Problem = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (status, problem.code.as_str(), problem.retryable),
        (503, "STORE_UNAVAILABLE", true)
    );
    assert!(!text.contains("db-7"), "{text}");
}

#[tokio::test]
async fn processes_are_refused_for_now_too_and_nothing_passes_for_missing() {
    let address = serve(Down::Refuses).await;
    let instance = "00000000000000000000000000";
    for path in [
        "/v1/definitions/x".to_owned(),
        "/v1/instances".to_owned(),
        format!("/v1/instances/{instance}"),
        "/v1/user-tasks".to_owned(),
    ] {
        let (status, text) = get(address, &path).await;
        let failure: waypost_api::process::Failure = serde_json::from_str(&text).unwrap();
        assert_eq!((status, failure.error.as_str()), (503, "unavailable"), "{path}");
        assert_eq!(failure.code, "STORE_UNAVAILABLE");
        assert!(!text.contains("db-7"), "{text}");
    }
    for path in ["user-tasks/00000000000000000000000001/complete", "jobs/poll"] {
        let body = r#"{"workerId":"w","jobTypes":["a"]}"#;
        let request = reqwest::Client::new().post(format!("http://{address}/v1/{path}"));
        let response = request.body(body).send().await.unwrap();
        assert_eq!(response.status(), 503, "{path}");
        assert_eq!(response.headers()["retry-after"], "2", "{path}");
    }
}

#[tokio::test]
async fn names_nobody_has_given_are_unknown_without_a_look_into_the_store() {
    let address = serve(Down::Refuses).await;
    for path in ["/v1/instances/nobody", "/v1/instances/%00/history", "/v1/definitions/%00"] {
        assert_eq!(get(address, path).await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_our_fault_and_nobody_elses_business() {
    let address = serve(Down::Rots).await;
    let instance = "00000000000000000000000000";
    for path in [
        "/v1/definitions/x".to_owned(),
        "/v1/instances".to_owned(),
        format!("/v1/instances/{instance}"),
        format!("/v1/instances/{instance}/history"),
        "/v1/user-tasks".to_owned(),
    ] {
        let (status, text) = get(address, &path).await;
        let failure: waypost_api::process::Failure = serde_json::from_str(&text).unwrap();
        assert_eq!((status, failure.error.as_str()), (500, "internal-error"), "{path}");
        assert!(!failure.reason.is_empty(), "{path}");
        assert!(!text.contains("db-7"), "{text}");
    }
}

#[tokio::test]
async fn whoever_is_answered_too_late_is_told_what_can_be_done() {
    let request_timeout = Duration::from_millis(50);
    let limits = HttpLimits { request_timeout, ..HttpLimits::default() };
    let address = serve_with(Down::Hangs, limits).await;
    for (path, expected) in [
        ("/v1/chains/instances/x/cancel", "ask again with the same Idempotency-Key"),
        ("/api/model/import/JSON/SAMPLE_DATA/m/1", "look before asking again"),
    ] {
        let url = format!("http://{address}{path}");
        let client = reqwest::Client::builder().timeout(PATIENCE).build().unwrap();
        let response = client.post(url).json(&json!({})).send().await.unwrap();
        assert_eq!(response.status(), 503, "{path}");
        let text = response.text().await.unwrap();
        assert!(text.contains("OUTCOME_UNKNOWN") && text.contains(expected), "{path} {text}");
    }
}
