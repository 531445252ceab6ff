//! Callers inside the process: they start chains, claim steps and report them.

use std::{sync::Arc, time::Duration};

use tokio::{task::JoinSet, time::Instant};
use waypost_engine::{
    Engine, Error,
    chain::{Chains, ClaimRequest, Outcome, Plan, PlannedStep, StartRequest, TaskView},
};
use waypost_kernel::{Json, StoreError};

use super::meter::{Measured, Meter};
use crate::exit::{Exit, Failure};

/// Steps of a chain: enough for several rounds over the same chains.
const STEPS: usize = 6;

/// Makes a stored chain about half a kilobyte large.
const CONTEXT: &str = r#"{"customer":"c-10293847","amount":1299.90,"currency":"EUR","lines":[{"sku":"A-17","n":2},{"sku":"B-03","n":1}],"note":"leave at the door"}"#;

/// How hard to press.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) callers: u32,
    pub(super) claim: u32,
    pub(super) seconds: u64,
}

/// The definition all chains run by.
fn plan() -> Plan {
    let step = |index| PlannedStep { step_type: format!("STEP-{index}"), max_attempts: None };
    Plan {
        workflow_type: "bench".into(),
        workflow_version: 1,
        steps: (0..STEPS).map(step).collect(),
    }
}

/// Stores `chains` chains, each ready for its first step.
pub(super) async fn fill(engine: &Engine, chains: u32, load: Load) -> Result<(), Failure> {
    engine.chain().deploy(plan()).await.map_err(failure)?;
    let mut callers = JoinSet::new();
    for caller in 0..load.callers {
        let share = chains / load.callers + u32::from(caller < chains % load.callers);
        let handle = engine.chain();
        callers.spawn(async move {
            for _ in 0..share {
                start(&handle).await?;
            }
            Ok::<(), Error>(())
        });
    }
    while let Some(done) = callers.join_next().await {
        done.map_err(|error| Failure::new(Exit::Failed, error.to_string()))?.map_err(failure)?;
    }
    Ok(())
}

async fn start(chains: &Chains) -> Result<(), Error> {
    loop {
        let request = StartRequest {
            workflow_type: "bench".into(),
            context: Json::parse(CONTEXT).ok(),
            ..StartRequest::default()
        };
        match chains.start(request).await {
            Ok(_) => return Ok(()),
            Err(Error::Store(StoreError::Busy)) => {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Executes steps for a while.
pub(super) async fn measure(engine: &Engine, load: Load) -> Result<Measured, Failure> {
    let meter = Meter::start(engine).await?;
    let end = Instant::now() + Duration::from_secs(load.seconds);
    let mut callers = JoinSet::new();
    for caller in 0..load.callers {
        callers.spawn(caller_loop(engine.chain(), format!("caller-{caller}"), load.claim, end));
    }
    let mut latencies = Vec::new();
    while let Some(done) = callers.join_next().await {
        let done = done.map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
        latencies.extend(done.map_err(failure)?);
    }
    meter.stop(engine, latencies).await
}

async fn caller_loop(
    chains: Chains,
    worker: String,
    claim: u32,
    end: Instant,
) -> Result<Vec<Duration>, Error> {
    let mut latencies = Vec::new();
    while Instant::now() < end {
        let tasks = take(&chains, &worker, claim).await?;
        if tasks.is_empty() {
            break;
        }
        for task in tasks {
            let begin = Instant::now();
            let lease = (&task.token, &task.worker);
            chains.report(lease, Outcome::Completed, None, Vec::new()).await?;
            latencies.push(begin.elapsed());
        }
    }
    Ok(latencies)
}

async fn take(chains: &Chains, worker: &str, max: u32) -> Result<Vec<TaskView>, Error> {
    let request = ClaimRequest {
        worker: Arc::<str>::from(worker).into(),
        workflow_types: None,
        step_types: None,
        max,
        lease: Duration::from_secs(600),
        wait: Duration::ZERO,
    };
    chains.claim(request).await
}

pub(super) fn failure(error: Error) -> Failure {
    Failure::new(Exit::Failed, format!("the benchmark was interrupted: {error}"))
}
