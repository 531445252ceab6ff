//! Clients, workers, receivers and sweepers, each following its whims.

use std::{
    cell::RefCell,
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use waypost_engine::{
    Engine, Error, Transport,
    chain::{ClaimRequest, Outbound, Outcome, StartRequest, TaskView},
};
use waypost_kernel::{InstanceId, Posted, RejectionCode, StoreError};

use super::{chance::Chance, executor::give_way, ledger::Ledger, world::World};

/// The lease workers ask for.
pub(super) const LEASE: Duration = Duration::from_secs(30);

/// What receivers have received, whichever node sent it.
#[derive(Default)]
pub(super) struct Receiver(pub(super) Mutex<Vec<String>>);

#[async_trait]
impl Transport for Receiver {
    async fn send(&self, posted: &Posted) -> Result<(), String> {
        let id = posted.message.id.as_str().to_owned();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        Ok(())
    }
}

/// Whether asking again may help.
const fn is_passing(error: &Error) -> bool {
    matches!(
        error,
        Error::Store(StoreError::Busy | StoreError::Unavailable(_) | StoreError::Unknown(_))
            | Error::Contended { .. }
            | Error::Overloaded { .. }
    )
}

/// Starts one chain, asking until it is told which.
pub(super) async fn client(world: Rc<World>, request: String) {
    world.ledger.borrow_mut().asked.insert(request.clone());
    loop {
        let start = StartRequest {
            workflow_type: format!("t{}", request.len() % 2),
            request: Some(request.as_str().into()),
            ..StartRequest::default()
        };
        match world.engine().chain().start(start).await {
            Ok(started) => {
                let id = started.chain.key.id;
                world.ledger.borrow_mut().started.insert(request, id);
                return;
            }
            Err(error) if is_passing(&error) => give_way(1 + world.chance.below(4)).await,
            Err(error) => return world.violation(format!("a start was refused: {error}")),
        }
    }
}

/// Sends one event to a chain, asking until it is told what became of it.
pub(super) async fn sender(world: Rc<World>, id: InstanceId, event_type: String, event: String) {
    loop {
        let engine = world.engine();
        let (kind, name) = (event_type.clone(), Some(event.clone()));
        match engine.chain().signal(&id, kind, name, None).await {
            Ok(_) => {
                let mut ledger = world.ledger.borrow_mut();
                ledger.signaled.entry(id).or_default().insert(event);
                return;
            }
            Err(error) if is_passing(&error) => give_way(1 + world.chance.below(4)).await,
            Err(Error::Rejected(it)) if it.code == RejectionCode::InstanceEnded => return,
            Err(error) => return world.violation(format!("an event was refused: {error}")),
        }
    }
}

/// Cancels a chain, or tries to.
pub(super) async fn canceler(world: Rc<World>, id: InstanceId) {
    match world.engine().chain().cancel(&id, Some("simulated".into())).await {
        Ok(_) => {}
        Err(error) if is_passing(&error) => {}
        Err(error) => world.violation(format!("a cancellation was refused: {error}")),
    }
}

/// Claims, dawdles, reports. Now and then it disappears with what it holds.
pub(super) async fn worker(world: Rc<World>, name: String) {
    loop {
        let request = ClaimRequest {
            worker: name.as_str().into(),
            workflow_types: None,
            step_types: None,
            max: u32::try_from(1 + world.chance.below(4)).unwrap_or(1),
            lease: LEASE,
            wait: Duration::ZERO,
        };
        let engine = world.engine();
        let tasks = match engine.chain().claim(request).await {
            Ok(tasks) => tasks,
            Err(error) if is_passing(&error) => Vec::new(),
            Err(error) => return world.violation(format!("a claim was refused: {error}")),
        };
        for task in tasks {
            execute(&world, &engine, task).await;
        }
        if world.is_over() {
            return;
        }
        give_way(1 + world.chance.below(3)).await;
    }
}

async fn execute(world: &Rc<World>, engine: &Engine, task: TaskView) {
    let chance = &world.chance;
    if !world.is_calm() {
        give_way(chance.below(5)).await;
        if chance.percent(6) {
            return;
        }
        if chance.percent(8) {
            drop(engine.chain().renew(&task.token, &task.worker, LEASE).await);
        }
    }
    world.ledger.borrow_mut().n_steps += 1;
    let (outcome, outbound) = world.verdict();
    // The worker does not know whether its report landed: it says the same thing again.
    for _ in 0..4 {
        let lease = (&task.token, &task.worker);
        let engine = world.engine();
        match engine.chain().report(lease, outcome.clone(), None, outbound.clone()).await {
            Ok(_) => {
                let id = task.token.instance.clone();
                let token = task.token.claim.as_str().to_owned();
                world.ledger.borrow_mut().reported.insert((id, token));
                return;
            }
            Err(error) if is_passing(&error) => give_way(1 + chance.below(3)).await,
            Err(Error::Rejected(it))
                if matches!(
                    it.code,
                    RejectionCode::LeaseLost | RejectionCode::InstanceCanceled
                ) =>
            {
                world.ledger.borrow_mut().n_refused += 1;
                return;
            }
            Err(error) => return world.violation(format!("a report was refused: {error}")),
        }
    }
}

/// Does a node's background duties, with that node's idea of the time.
pub(super) async fn sweeper(world: Rc<World>, node: usize) {
    while !world.is_over() {
        let engine = world.node(node);
        let now = engine.store().now();
        drop(engine.sweeps().leases(now).await);
        drop(engine.sweeps().outbox(now).await);
        give_way(1 + world.chance.below(8)).await;
    }
}

/// How a worker reports, in rough weather.
pub(super) fn whim(
    chance: &Chance,
    now: waypost_kernel::Timestamp,
) -> (Outcome, Vec<Option<Outbound>>) {
    let outcome = match chance.below(100) {
        0..55 => Outcome::Completed,
        55..70 => Outcome::Retry { backoff: None, error: "whim".into() },
        70..97 => Outcome::Waiting {
            event_type: format!("e{}", chance.below(2)),
            timeout: chance.percent(50).then(|| Duration::from_secs(chance.below(60))),
            discard_buffered: false,
        },
        _ => Outcome::Dead { error: "whim".into() },
    };
    let outbound = chance.percent(30).then(|| {
        let digits = format!("{:016x}{:016x}", chance.next(), chance.next());
        let (a, b, c) = (&digits[..8], &digits[8..12], &digits[12..15]);
        let (d, e) = (&digits[15..18], &digits[18..30]);
        let id = format!("{a}-{b}-7{c}-8{d}-{e}");
        Some(Outbound {
            event_id: Some(id),
            event_type: "asked".into(),
            occurred_at: Some(now),
            ..Outbound::default()
        })
    });
    (outcome, outbound.into_iter().collect())
}

/// Shared by all actors of one world.
pub(super) type Book = RefCell<Ledger>;

/// A receiver for all nodes.
pub(super) fn receiver() -> Arc<Receiver> {
    Arc::default()
}
