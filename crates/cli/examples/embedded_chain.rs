//! The engine inside a program of its own: no server, no network, one SQLite file.
//!
//! ```text
//! cargo run --package waypost --example embedded_chain -- orders.db
//! ```
//!
//! Kill it at any moment and run it again on the same file: what was under way goes on.
#![expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]

use std::{env, path::PathBuf, sync::Arc, time::Duration};

use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use waypost_engine::{
    Engine, Error, Settings, SystemClock,
    chain::{
        Chains, ListRequest, Outcome, Plan, PlannedStep, Runner, RunnerOptions, StartRequest,
        Status, StepFailure, Steps, TaskView, Verdict,
    },
};
use waypost_kernel::Json;
use waypost_stores::{SqliteOptions, SqliteStore};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let path = env::args().nth(1).map_or_else(|| PathBuf::from("orders.db"), PathBuf::from);
    let store = SqliteStore::open(&path, SqliteOptions::default(), Arc::new(SystemClock))?;
    let store = Arc::new(store);
    let engine = Engine::new(Arc::<SqliteStore>::clone(&store), Settings::default());
    let chains = engine.chain();

    // Deploying the same definition again changes nothing.
    chains.deploy(plan()).await?;
    for order in running(&chains).await? {
        println!("found {order} from an earlier run");
    }
    start(&chains).await?;

    let stop = CancellationToken::new();
    let sweeping = engine.run(stop.clone());
    // Short leases: an order whose worker was killed goes on after a few seconds.
    let options = RunnerOptions { lease: Duration::from_secs(5), ..RunnerOptions::default() };
    let working = Runner::new(engine.chain(), steps()?, options).run(stop.clone());
    let waiting = async {
        let ended = until_all_ended(&chains).await;
        stop.cancel();
        ended
    };
    let ((), (), ended) = tokio::join!(sweeping, working, waiting);
    ended?;
    Ok(store.close().await?)
}

fn plan() -> Plan {
    let step = |name: &str| PlannedStep { step_type: name.to_owned(), max_attempts: Some(5) };
    Plan {
        workflow_type: "order".to_owned(),
        workflow_version: 1,
        steps: ["VALIDATE", "PAY", "SHIP"].map(step).into(),
    }
}

/// What the steps do. Each may run more than once for the same order, so each must bear that.
fn steps() -> Result<Steps, Error> {
    Steps::new()
        .step("order", "VALIDATE", validate)?
        .step("order", "PAY", pay)?
        .step("order", "SHIP", ship)
}

async fn validate(task: Arc<TaskView>) -> Result<Verdict, StepFailure> {
    println!("validate {:?}", task.context());
    Ok(Outcome::Completed.into())
}

/// Waits for the payment, whether it comes before the step or after it.
async fn pay(task: Arc<TaskView>) -> Result<Verdict, StepFailure> {
    let Some(payment) = task.wake() else {
        let event_type = "PAID".to_owned();
        let timeout = Some(Duration::from_secs(60));
        return Ok(Outcome::Waiting { event_type, timeout, discard_buffered: false }.into());
    };
    println!("paid {:?}", payment.payload);
    let patch = Some(Json::of(&json!({ "paid": true })));
    Ok(Verdict { patch, ..Outcome::Completed.into() })
}

async fn ship(task: Arc<TaskView>) -> Result<Verdict, StepFailure> {
    println!("ship, knowing {:?}", task.context());
    sleep(Duration::from_secs(1)).await;
    Ok(Outcome::Completed.into())
}

async fn start(chains: &Chains) -> Result<(), Error> {
    let order = chains
        .start(StartRequest {
            workflow_type: "order".to_owned(),
            context: Some(Json::of(&json!({ "customer": "c-1", "total": 12 }))),
            ..StartRequest::default()
        })
        .await?
        .chain;
    println!("started {}", order.key.id);
    let payload = Json::of(&json!({ "method": "card" }));
    chains.signal(&order.key.id, "PAID".to_owned(), None, Some(payload)).await?;
    Ok(())
}

async fn running(chains: &Chains) -> Result<Vec<String>, Error> {
    let status = Some(Status::Running);
    let found = chains.list(ListRequest { status, limit: 100, ..ListRequest::default() }).await?;
    Ok(found.into_iter().map(|it| it.key.id.to_string()).collect())
}

async fn until_all_ended(chains: &Chains) -> Result<(), Error> {
    while !running(chains).await?.is_empty() {
        sleep(Duration::from_millis(100)).await;
    }
    println!("every order has ended");
    Ok(())
}
