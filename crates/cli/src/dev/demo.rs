//! Chains that start, wait and end by themselves, slowly enough to watch.

use std::{net::SocketAddr, time::Duration};

use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use waypost_engine::{
    Engine, Error,
    chain::{Chains, ListRequest, Plan, Runner, RunnerOptions, StartRequest, Status, worker_id},
};
use waypost_kernel::Json;

use super::{loans, orders, steps, survey::Survey};
use crate::exit::{Exit, Failure};

/// The example definitions.
const EXAMPLES: [&str; 2] = [
    include_str!("../../../../examples/order.json"),
    include_str!("../../../../examples/loan.json"),
];

/// One chain a second while somebody is likely to look, and fewer later.
const QUICK: Duration = Duration::from_secs(1);
const SLOW: Duration = Duration::from_secs(5);
const QUICK_CHAINS: u32 = 120;

/// No more chains than this: the store is on somebody's temporary disk.
const CHAINS_MAX: u32 = 5_000;

/// How long a customer takes to pay.
const PAYING: Duration = Duration::from_secs(4);

/// Deploys the examples.
pub(super) async fn deploy(engine: &Engine) -> Result<(), Failure> {
    for text in EXAMPLES {
        let plan: Plan = serde_json::from_str(text).map_err(|error| {
            Failure::new(Exit::Failed, format!("an example cannot be read: {error}"))
        })?;
        engine.chain().deploy(plan).await?;
    }
    Ok(())
}

/// What the demo runs on.
pub(super) struct Faces {
    pub(super) engine: Engine,
    pub(super) grpc: Option<SocketAddr>,
    pub(super) survey: Survey,
}

/// Works, starts chains and pays, until `stop` is canceled. Nothing is kept, so nothing is finished.
pub(super) async fn run(faces: Faces, stop: CancellationToken) {
    let Faces { engine, grpc, survey } = faces;
    let runner = |name: &str, steps, concurrency| {
        let options = RunnerOptions { worker: worker_id(name), concurrency, ..Default::default() };
        Runner::new(engine.chain(), steps, options).run(stop.clone())
    };
    let (quick, slow) = match (steps::quick(), steps::slow()) {
        (Ok(quick), Ok(slow)) => (runner("quick", quick, 8), runner("slow", slow, 2)),
        (Err(error), _) | (_, Err(error)) => {
            tracing::error!(%error, "the demo workers cannot be assembled");
            return;
        }
    };
    let all = async {
        let (loans, orders) = (loans::run(&engine), orders::run(&engine, grpc, stop.clone()));
        tokio::join!(quick, slow, load(&engine), loans, orders, survey.run())
    };
    tokio::select! {
        () = stop.cancelled() => {}
        _ = all => {}
    }
}

async fn load(engine: &Engine) {
    let chains = engine.chain();
    for number in 1..=CHAINS_MAX {
        if let Err(error) = start(&chains, number).await {
            tracing::warn!(%error, "a demo chain could not be started");
        }
        if let Err(error) = pay(engine, &chains).await {
            tracing::warn!(%error, "demo chains could not be paid");
        }
        sleep(if number <= QUICK_CHAINS { QUICK } else { SLOW }).await;
    }
    tracing::info!("the demo has started its last chain");
    loop {
        sleep(SLOW).await;
        if let Err(error) = pay(engine, &chains).await {
            tracing::warn!(%error, "demo chains could not be paid");
        }
    }
}

async fn start(chains: &Chains, number: u32) -> Result<(), Error> {
    let (workflow_type, context) = match number % 3 {
        0 => ("loan", json!({ "amount": 1_000 * (number % 17 + 1), "currency": "EUR" })),
        _ => {
            ("order", json!({ "customer": format!("c-{}", number % 40), "items": number % 5 + 1 }))
        }
    };
    let request = StartRequest {
        workflow_type: workflow_type.to_owned(),
        biz_key: Some(format!("{workflow_type}-{number:05}")),
        context: Some(Json::of(&context)),
        ..StartRequest::default()
    };
    chains.start(request).await.map(drop)
}

/// Most customers pay after a while; those who do not run into the deadline.
async fn pay(engine: &Engine, chains: &Chains) -> Result<(), Error> {
    let waiting = ListRequest {
        status: Some(Status::Running),
        awaits: Some("PAID".to_owned()),
        limit: 100,
        ..ListRequest::default()
    };
    let now = engine.store().now();
    for chain in chains.list(waiting).await? {
        let id = &chain.key.id;
        let is_due = now.since(chain.state.started_at) >= PAYING;
        if !is_due || steps::chance(id.as_str()) < steps::FORGETFUL {
            continue;
        }
        let payload = Json::of(&json!({ "method": "card" }));
        let event_id = Some(format!("payment-{id}"));
        chains.signal(id, "PAID".to_owned(), event_id, Some(payload)).await?;
    }
    Ok(())
}
