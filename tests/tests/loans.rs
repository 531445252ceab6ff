//! The loan applications, all the ways they can end, over both wires and on both databases; in
//! virtual time, so that two days of silence take no time at all, and once in real time.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]
#![expect(clippy::indexing_slicing, reason = "a missing member of a JSON value is null")]

use std::{net::SocketAddr, sync::Arc, time::Duration};

use e2e::{
    binary::Running,
    process::{Grpc, Job, Loan, Rest, Wire, definitions},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use waypost_engine::{Engine, Settings};
use waypost_kernel::{Clock as _, Store};
use waypost_server::{Options, Server};
use waypost_stores::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore, StoreClock};
use waypost_testkit::{clock::SimClock, services};

const APPLICATION: &str = "LOS::loan-application-full";
const DISBURSEMENT: &str = "LOS::loan-disbursement-workflow";

/// What usually happens; each row says what is different.
const USUAL: Loan = Loan {
    name: "",
    credit_score: 720,
    fraud_score: 0.12,
    amount: 200_000_000,
    review: None,
    approval: None,
    application_end: "end-approved",
    disbursement_end: Some("end-disbursed"),
};
const LARGE: i64 = 600_000_000;

fn rows() -> Vec<Loan> {
    vec![
        Loan { name: "plain", ..USUAL },
        Loan { name: "just-good-enough", credit_score: 650, ..USUAL },
        Loan { name: "very-good", credit_score: 750, ..USUAL },
        Loan { name: "just-no-fraud", fraud_score: 0.8, ..USUAL },
        Loan { name: "just-not-large", amount: 500_000_000, ..USUAL },
        Loan { name: "just-to-review", credit_score: 500, review: Some("APPROVED"), ..USUAL },
        Loan { name: "hardly-to-review", credit_score: 649, review: Some("APPROVED"), ..USUAL },
        Loan { name: "senior-approves", amount: LARGE, approval: Some("APPROVED"), ..USUAL },
        Loan {
            name: "senior-rejects",
            amount: LARGE,
            approval: Some("REJECTED"),
            disbursement_end: Some("end-disbursement-rejected"),
            ..USUAL
        },
        Loan {
            name: "senior-is-silent",
            amount: LARGE,
            disbursement_end: Some("end-disbursement-timeout"),
            ..USUAL
        },
        Loan {
            name: "low-score",
            credit_score: 499,
            application_end: "end-rejected",
            disbursement_end: None,
            ..USUAL
        },
        Loan {
            name: "fraud",
            fraud_score: 0.9,
            application_end: "end-rejected",
            disbursement_end: None,
            ..USUAL
        },
        Loan { name: "review-approves", credit_score: 600, review: Some("APPROVED"), ..USUAL },
        Loan {
            name: "review-rejects",
            credit_score: 600,
            review: Some("REJECTED"),
            application_end: "end-rejected",
            disbursement_end: None,
            ..USUAL
        },
        Loan {
            name: "review-is-silent",
            credit_score: 600,
            application_end: "end-escalated",
            disbursement_end: None,
            ..USUAL
        },
    ]
}

/// Which definitions are deployed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// As they are written: every end of an application starts a disbursement.
    AsWritten,
    /// Applications that were not approved say that nothing follows.
    Deliberate,
}

impl Ends {
    fn definitions(self) -> [Value; 2] {
        let mark = |mut definition: Value| {
            for step in definition["steps"].as_array_mut().unwrap() {
                if matches!(step["id"].as_str(), Some("end-rejected" | "end-escalated")) {
                    step["autoStartNextWorkflow"] = false.into();
                }
            }
            definition
        };
        match self {
            Self::AsWritten => definitions(),
            Self::Deliberate => definitions().map(mark),
        }
    }
}

struct World {
    ends: Ends,
    engine: Engine,
    clock: Arc<SimClock>,
    wire: Box<dyn Wire>,
    rest: Rest,
    stop: CancellationToken,
    _folder: TempDir,
}

enum Over {
    Rest,
    Grpc,
}

enum On {
    Sqlite,
    Postgres,
}

impl World {
    async fn new(over: Over, on: On, ends: Ends) -> Self {
        let clock = Arc::new(SimClock::default());
        let folder = TempDir::new().unwrap();
        let store: Arc<dyn Store> = match on {
            On::Sqlite => {
                let path = folder.path().join("loans.db");
                let clock = Arc::clone(&clock) as _;
                Arc::new(SqliteStore::open(&path, SqliteOptions::default(), clock).unwrap())
            }
            On::Postgres => {
                let url = services::fresh_database(&services::postgres().unwrap()).unwrap();
                let clock = StoreClock::Given(Arc::clone(&clock) as _);
                let options = PostgresOptions::default();
                Arc::new(PostgresStore::connect(&url, options, clock).await.unwrap())
            }
        };
        let engine = Engine::new(store, Settings::default());
        let free = SocketAddr::from(([127, 0, 0, 1], 0));
        let options = Options { http: free, grpc: Some(free), ..Options::default() };
        let server = Server::bind(engine.clone(), options).await.unwrap();
        let (http, grpc) = (server.http_addr(), server.grpc_addr().unwrap());
        let stop = CancellationToken::new();
        tokio::spawn(server.run(stop.clone()));
        let wire: Box<dyn Wire> = match over {
            Over::Rest => Box::new(Rest::new(&format!("http://{http}"))),
            Over::Grpc => Box::new(Grpc::connect(format!("http://{grpc}")).await),
        };
        let rest = Rest::new(&format!("http://{http}"));
        Self { ends, engine, clock, wire, rest, stop, _folder: folder }
    }

    /// Fires what is due.
    async fn tick(&self) {
        self.engine.sweeps().timers(self.clock.now()).await.unwrap();
    }

    async fn run(&self, loan: &Loan) {
        let wire = &*self.wire;
        let id = wire.start(APPLICATION, loan.name, &json!({"applicantId": loan.name})).await;
        loan.work(wire).await;
        if let Some(decision) = loan.review {
            let variables = json!({"reviewDecision": decision});
            wire.complete_task(&id, "manual-review-task", &variables).await;
            loan.work(wire).await;
        }
        // The disbursement starts by itself.
        self.tick().await;
        let mut done = Vec::new();
        if loan.disbursement_end.is_some() {
            done.extend(loan.work(wire).await);
        }
        if let Some(decision) = loan.approval {
            let disbursement = wire.find(DISBURSEMENT, loan.name).await.pop().unwrap();
            self.nobody_answers_for_the_disbursement(&id, loan).await;
            let variables = json!({"seniorDecision": decision});
            wire.complete_task(&disbursement.id, "senior-approval-task", &variables).await;
            done.extend(loan.work(wire).await);
        }
        if loan.disbursement_end == Some("end-disbursed") {
            workers_were_told(loan, &done);
        }
        let is_silent = loan.name.ends_with("silent");
        if is_silent {
            // One second before nothing has happened yet.
            let patience = if loan.amount == LARGE { 8 } else { 48 } * 3_600;
            self.clock.advance(Duration::from_secs(patience - 1));
            self.tick().await;
            assert!(wire.poll(&["escalate-review", "notify-approval-overdue"]).await.is_empty());
            self.clock.advance(Duration::from_secs(1));
            self.tick().await;
            loan.work(wire).await;
            self.tick().await;
        }
        self.check(loan, &id).await;
    }

    /// The task of a disbursement is not one of the application it follows.
    async fn nobody_answers_for_the_disbursement(&self, application: &str, loan: &Loan) {
        let path = format!("/v1/instances/{application}/user-tasks/senior-approval-task/complete");
        let body = json!({"variables": {"seniorDecision": "APPROVED"}});
        let (status, _, answer) = self.rest.post(&path, &body, None).await.unwrap();
        assert_eq!((status, &answer["reason"]), (404, &json!("user task not found")));
        let disbursements = self.wire.find(DISBURSEMENT, loan.name).await;
        let seen = disbursements.iter().map(|it| (it.status.as_str(), it.last_step.as_str()));
        assert_eq!(seen.collect::<Vec<_>>(), [("WAITING", "senior-approval-task")]);
    }

    async fn check(&self, loan: &Loan, id: &str) {
        let found = self.wire.find(APPLICATION, loan.name).await;
        let [application] = found.as_slice() else { unreachable!("{}: {found:?}", loan.name) };
        assert_eq!(application.id, id);
        let seen = (application.status.as_str(), application.last_step.as_str());
        assert_eq!(seen, ("COMPLETED", loan.application_end), "{}", loan.name);
        let disbursements = self.wire.find(DISBURSEMENT, loan.name).await;
        // Every END starts what follows, unless it says that it does not. What follows a rejection
        // is left alone here.
        if loan.disbursement_end.is_none() && self.ends == Ends::AsWritten {
            assert_eq!(disbursements.len(), 1, "{}", loan.name);
            return;
        }
        let ends: Vec<&str> = disbursements.iter().map(|it| it.last_step.as_str()).collect();
        let expected: Vec<&str> = loan.disbursement_end.into_iter().collect();
        assert_eq!(ends, expected, "{}", loan.name);
        assert!(disbursements.iter().all(|it| it.status == "COMPLETED"), "{disbursements:?}");
    }
}

/// What the application has found out reaches those who pay out.
fn workers_were_told(loan: &Loan, done: &[Job]) {
    for (job_type, variable, expected) in [
        ("prepare-disbursement", "loanId", "LOAN-1"),
        ("transfer-funds", "applicantId", loan.name),
        ("notify-disbursement", "applicantEmail", "a@example.com"),
    ] {
        let told: Vec<_> = done.iter().filter(|it| it.job_type == job_type).collect();
        let [job] = told.as_slice() else { unreachable!("{}: {told:?}", loan.name) };
        assert_eq!(job.variables[variable], expected, "{}: {job_type}", loan.name);
    }
}

async fn all_ends_are_reached(over: Over, on: On, ends: Ends) {
    let world = World::new(over, on, ends).await;
    for definition in ends.definitions() {
        world.wire.upload(&definition).await;
    }
    for loan in rows() {
        world.run(&loan).await;
    }
    world.stop.cancel();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_ends_are_reached_over_rest_on_sqlite() {
    all_ends_are_reached(Over::Rest, On::Sqlite, Ends::AsWritten).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_ends_are_reached_over_grpc_on_sqlite() {
    all_ends_are_reached(Over::Grpc, On::Sqlite, Ends::Deliberate).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_ends_are_reached_over_rest_on_postgresql() {
    all_ends_are_reached(Over::Rest, On::Postgres, Ends::Deliberate).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_ends_are_reached_over_grpc_on_postgresql() {
    all_ends_are_reached(Over::Grpc, On::Postgres, Ends::AsWritten).await;
}

/// What the worker of each type gives back in the example.
fn given_back(job_type: &str) -> Value {
    match job_type {
        "validate-application" => json!({"applicantId": "APP-20240417-001",
            "loanAmount": 200_000_000, "applicantEmail": "applicant@example.com"}),
        "credit-score" => json!({"creditScore": 720}),
        "fraud-screen" => json!({"fraudScore": 0.12}),
        "approve-loan" => json!({"loanId": "LOAN-20240417-001"}),
        "prepare-disbursement" => json!({"disbursementId": "DISB-20240417-001"}),
        "transfer-funds" => json!({"transferRef": "TXN-20240417-88821"}),
        "notify-disbursement" => json!({}),
        other => unreachable!("nobody is asked for {other}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_runs_as_it_is_explained() {
    let world = World::new(Over::Rest, On::Sqlite, Ends::AsWritten).await;
    let rest = &world.rest;
    for definition in definitions() {
        rest.upload(&definition).await;
        let id = definition["id"].as_str().unwrap();
        let read = rest.get(&format!("/v1/definitions/{id}")).await;
        assert_eq!(read["metadata"], definition["metadata"], "{id}");
        assert_eq!(read["metadata"]["category"], "LOAN_PROCESSING", "{id}");
    }
    let start = json!({
        "definitionId": "LOS::loan-application-full",
        "variables": {
            "applicantId": "APP-20240417-001",
            "loanAmount": 200_000_000,
            "applicantEmail": "applicant@example.com"
        },
        "businessKey": "APP-20240417-001"
    });
    let (status, _, instance) = rest.post("/v1/instances", &start, None).await.unwrap();
    assert_eq!((status, &instance["status"]), (201, &json!("ACTIVE")));
    let types = [
        "validate-application",
        "credit-score",
        "fraud-screen",
        "approve-loan",
        "prepare-disbursement",
        "transfer-funds",
        "notify-disbursement",
    ];
    let mut n_done = 0;
    while n_done < types.len() {
        world.tick().await;
        let jobs = rest.poll(&types).await;
        assert!(!jobs.is_empty(), "after {n_done}");
        for job in jobs {
            rest.complete(&job.id, &given_back(&job.job_type)).await;
            n_done += 1;
        }
    }
    let mut expected = json!({
        "applicantId": "APP-20240417-001", "loanAmount": 200_000_000,
        "applicantEmail": "applicant@example.com", "creditScore": 720, "fraudScore": 0.12,
        "riskTier": "STANDARD", "decisionReason": "Standard credit profile",
        "interestRatePct": 9, "loanId": "LOAN-20240417-001",
    });
    ended_with(rest, APPLICATION, "end-approved", &expected).await;
    let more = json!({
        "disbursementFee": 2_000_000, "netAmount": 198_000_000, "requiresSeniorApproval": false,
        "disbursementId": "DISB-20240417-001", "transferRef": "TXN-20240417-88821",
    });
    expected.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ended_with(rest, DISBURSEMENT, "end-disbursed", &expected).await;
    world.stop.cancel();
}

/// The one instance of the example has come to that end, and knows this.
async fn ended_with(rest: &Rest, definition: &str, end: &str, variables: &Value) {
    let found = rest.find(definition, "APP-20240417-001").await;
    let [only] = found.as_slice() else { unreachable!("{definition}: {found:?}") };
    assert_eq!((only.status.as_str(), only.last_step.as_str()), ("COMPLETED", end));
    let instance = rest.get(&format!("/v1/instances/{}", only.id)).await;
    assert_eq!(instance["variables"], *variables, "{definition}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_is_noticed_in_real_time() {
    let folder = TempDir::new().unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:loans.db"]);
    let rest = Rest::new(&server.url);
    for definition in Ends::Deliberate.definitions() {
        let impatient = definition.to_string().replace("PT48H", "PT1S").replace("PT8H", "PT1S");
        rest.upload(&serde_json::from_str(&impatient).unwrap()).await;
    }
    for loan in rows().iter().filter(|it| it.name.ends_with("silent")) {
        let (name, last) = match loan.disbursement_end {
            Some(_) => (DISBURSEMENT, "notify-approval-overdue"),
            None => (APPLICATION, "escalate-review"),
        };
        rest.start(APPLICATION, loan.name, &json!({"applicantId": loan.name})).await;
        loan.work_until(&rest, last).await;
        let found = rest.find(name, loan.name).await;
        let ends: Vec<&str> = found.iter().map(|it| it.last_step.as_str()).collect();
        let expected = loan.disbursement_end.unwrap_or(loan.application_end);
        assert_eq!(ends, [expected], "{}", loan.name);
        assert!(found.iter().all(|it| it.status == "COMPLETED"), "{found:?}");
    }
}
