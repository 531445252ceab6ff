//! What is foreseen is decided as always, and comes to nothing.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{sync::Arc, time::Duration};

use waypost_engine::{
    Engine, Error, Settings,
    chain::{Chains, ClaimRequest, Outcome, Plan, PlannedStep, StartRequest, Status},
    foresee,
};
use waypost_kernel::RejectionCode;
use waypost_stores::MemoryStore;
use waypost_testkit::clock::SimClock;

async fn chains(clock: &Arc<SimClock>) -> Chains {
    let engine = Engine::new(Arc::new(MemoryStore::new(clock.clone())), Settings::default());
    let chains = engine.chain();
    let step = PlannedStep { step_type: "A".into(), max_attempts: None };
    let plan = Plan { workflow_type: "order".into(), workflow_version: 1, steps: vec![step] };
    chains.deploy(plan).await.unwrap();
    chains
}

fn order() -> StartRequest {
    StartRequest {
        workflow_type: "order".into(),
        workflow_version: None,
        biz_key: Some("o-1".into()),
        context: None,
        request: None,
    }
}

fn claim() -> ClaimRequest {
    ClaimRequest {
        worker: "w".into(),
        workflow_types: None,
        step_types: None,
        max: 10,
        lease: Duration::from_secs(30),
        wait: Duration::ZERO,
    }
}

#[tokio::test]
async fn what_is_foreseen_comes_to_nothing() {
    let chains = chains(&Arc::default()).await;
    let (started, foreseen) = foresee(chains.start(order())).await;
    let id = started.unwrap().chain.key.id;
    assert_eq!(foreseen.commits.len(), 1);
    assert!(chains.show(&id).await.is_err(), "the chain must not exist");
    assert!(chains.claim(claim()).await.unwrap().is_empty(), "nobody may have work from it");

    let id = chains.start(order()).await.unwrap().chain.key.id;
    let again = foresee(chains.start(order())).await.0;
    assert!(matches!(again, Err(Error::Duplicate { existing }) if existing.id == id));
    let task = chains.claim(claim()).await.unwrap().remove(0);
    let lease = (&task.token, &task.worker);
    let done = || chains.report(lease, Outcome::Completed, None, Vec::new());
    assert_eq!(foresee(done()).await.0.unwrap().state.status, Status::Completed);
    // What was foreseen is not at hand either.
    assert_eq!(chains.show(&id).await.unwrap().state.status, Status::Running);
    assert_eq!(done().await.unwrap().state.status, Status::Completed);
}

#[tokio::test]
async fn what_could_not_land_is_refused_as_it_would_be() {
    let clock = Arc::<SimClock>::default();
    let chains = chains(&clock).await;
    chains.start(order()).await.unwrap();
    let task = chains.claim(claim()).await.unwrap().remove(0);
    clock.advance(Duration::from_secs(31));
    let lease = (&task.token, &task.worker);
    let (late, foreseen) =
        foresee(chains.report(lease, Outcome::Completed, None, Vec::new())).await;
    let Err(Error::Rejected(rejection)) = late else { unreachable!("the lease is over") };
    assert_eq!(rejection.code, RejectionCode::LeaseLost);
    assert!(foreseen.commits.is_empty());
}
