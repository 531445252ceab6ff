//! One simulated world: set up from a seed, run rough, then calm, and judged throughout.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use waypost_engine::{
    Engine, Ids, Settings,
    chain::{Outbound, Outcome, Plan, PlannedStep},
};
use waypost_kernel::{
    ClaimId, Clock, Cursor, InstanceId, Key, Kind, Query, Records, Scope, Store, Tenant, Timestamp,
};
use waypost_stores::MemoryStore;
use waypost_testkit::clock::SimClock;

use super::{
    actors::{self, Book, LEASE, Receiver},
    chance::Chance,
    executor::Executor,
    faults::{FaultyStore, Ground, Odds},
    mutant::Mutant,
    referee::Referee,
};

/// Steps of the rough part.
const ROUGH_STEPS: u64 = 1_500;
/// Steps within which everything must come to its end once it is calm.
const CALM_STEPS: u64 = 60_000;

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Chains that were started.
    pub chains: u64,
    /// Steps that were executed.
    pub steps: u64,
    /// Late reports that were refused.
    pub refused: u64,
    /// Answers that were lost, and calls that were refused.
    pub faults: u64,
}

pub(super) struct World {
    pub(super) chance: Chance,
    pub(super) ledger: Book,
    ground: Arc<Ground>,
    receiver: Arc<Receiver>,
    nodes: RefCell<Vec<Engine>>,
    executor: Executor,
    odds: Odds,
    mutant: Option<Mutant>,
    over: Cell<bool>,
    broken: RefCell<Option<String>>,
    n_events: Cell<u64>,
}

/// Names in order, so that a seed is always the same story.
struct CountedIds(AtomicU64);

impl Ids for CountedIds {
    fn instance(&self, now: Timestamp) -> InstanceId {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}-{number:08}", now.as_micros()).into()
    }

    fn entity(&self, now: Timestamp) -> InstanceId {
        self.instance(now)
    }

    fn claim(&self) -> ClaimId {
        format!("c{}", self.0.fetch_add(1, Ordering::Relaxed)).into()
    }

    fn chance(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// Runs the world of a seed.
///
/// # Errors
/// The first broken promise.
pub fn run(seed: u64, mutant: Option<Mutant>) -> Result<Report, String> {
    let world = World::new(seed, mutant);
    world.deploy()?;
    let mut referee = Referee::default();
    let mut cursor = Cursor::default();
    world.populate();
    for _ in 0..ROUGH_STEPS {
        world.upset();
        world.executor.step(&world.chance);
        world.judge(&mut referee, &mut cursor)?;
    }
    world.calm_down();
    for _ in 0..CALM_STEPS {
        world.executor.step(&world.chance);
        world.judge(&mut referee, &mut cursor)?;
        if world.executor.len() == 0 {
            break;
        }
        world.nudge();
    }
    world.judge(&mut referee, &mut cursor)?;
    world.finish(&referee)
}

impl World {
    fn new(seed: u64, mutant: Option<Mutant>) -> Rc<Self> {
        let chance = Chance::new(seed);
        let clock = Arc::new(SimClock::default());
        let store = MemoryStore::new(Arc::clone(&clock) as Arc<dyn Clock>);
        let ground = Arc::new(Ground {
            store,
            clock,
            leases: Mutex::default(),
            is_calm: AtomicBool::new(false),
            n_faults: AtomicU64::new(0),
        });
        // Each seed has its own weather: some are rough in one way only.
        let odds = Odds {
            refused: chance.below(8),
            answer_lost: chance.below(10),
            busy: chance.below(4),
            delay: chance.below(90),
        };
        let world = Rc::new(Self {
            ledger: RefCell::default(),
            ground,
            receiver: actors::receiver(),
            nodes: RefCell::default(),
            executor: Executor::default(),
            odds,
            mutant,
            over: Cell::new(false),
            broken: RefCell::default(),
            n_events: Cell::new(0),
            chance,
        });
        let n_nodes = 1 + world.chance.below(3);
        for node in 0..n_nodes {
            let engine = world.boot(node);
            world.nodes.borrow_mut().push(engine);
        }
        world
    }

    /// A fresh engine: it knows nothing but the store.
    fn boot(&self, incarnation: u64) -> Engine {
        let store = FaultyStore {
            ground: Arc::clone(&self.ground),
            chance: Mutex::new(Chance::new(self.chance.next())),
            odds: self.odds,
            mutant: self.mutant,
            skew: i64::try_from(self.chance.below(100_000)).unwrap_or(0) - 50_000,
        };
        let settings = Settings {
            ids: Arc::new(CountedIds(AtomicU64::new(
                (incarnation + 1) << 32 | self.chance.below(1 << 20) << 8,
            ))),
            transport: Some(Arc::clone(&self.receiver) as Arc<_>),
            ..Settings::default()
        };
        Engine::new(Arc::new(store), settings)
    }

    fn deploy(&self) -> Result<(), String> {
        let quiet = Engine::new(Arc::new(self.quiet()), Settings::default());
        for (name, n_steps) in [("t0", 1), ("t1", 3)] {
            let step = |index| PlannedStep {
                step_type: format!("S{index}"),
                max_attempts: Some(u32::try_from(1 + self.chance.below(6)).unwrap_or(1)),
            };
            let plan = Plan {
                workflow_type: name.into(),
                workflow_version: 1,
                steps: (0..n_steps).map(step).collect(),
            };
            now(quiet.chain().deploy(plan)).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn quiet(&self) -> FaultyStore {
        FaultyStore {
            ground: Arc::clone(&self.ground),
            chance: Mutex::new(Chance::new(0)),
            odds: Odds { refused: 0, answer_lost: 0, busy: 0, delay: 0 },
            mutant: None,
            skew: 0,
        }
    }

    fn populate(self: &Rc<Self>) {
        let n_nodes = self.nodes.borrow().len();
        for worker in 0..=1 + self.chance.below(3) {
            let (world, name) = (Rc::clone(self), format!("w{}", worker % 2));
            self.executor.spawn(usize::MAX, actors::worker(world, name));
        }
        for node in 0..n_nodes {
            self.executor.spawn(node, actors::sweeper(Rc::clone(self), node));
        }
        for client in 0..4 + self.chance.below(6) {
            let request = format!("r{}", "x".repeat(usize::try_from(client).unwrap_or(0)));
            self.executor.spawn(usize::MAX, actors::client(Rc::clone(self), request));
        }
    }

    /// What happens to everybody: time passes, events come, nodes die.
    fn upset(self: &Rc<Self>) {
        match self.chance.below(1_000) {
            0..200 => self.pass(Duration::from_millis(self.chance.below(500))),
            200..215 => self.pass(Duration::from_secs(self.chance.below(20))),
            215..220 => self.pass(LEASE + Duration::from_secs(self.chance.below(60))),
            // Exactly the end of a lease: the last instant at which it is good.
            220..225 => self.pass(LEASE),
            225..245 => self.signal(),
            245..247 => self.cancel(),
            247..251 => self.crash(),
            _ => {}
        }
    }

    fn pass(&self, time: Duration) {
        self.ground.clock.advance(time);
    }

    fn signal(self: &Rc<Self>) {
        let known: Vec<_> = self.ledger.borrow().started.values().cloned().collect();
        let Some(id) = self.chance.pick(&known).cloned() else { return };
        // Some events come twice, by different ways.
        let number = self.chance.below(40);
        let event_type = format!("e{}", number % 2);
        let actor = actors::sender(Rc::clone(self), id, event_type, format!("ev{number}"));
        self.executor.spawn(usize::MAX, actor);
    }

    fn cancel(self: &Rc<Self>) {
        let known: Vec<_> = self.ledger.borrow().started.values().cloned().collect();
        if let Some(id) = self.chance.pick(&known).cloned()
            && self.chance.percent(30)
        {
            self.executor.spawn(usize::MAX, actors::canceler(Rc::clone(self), id));
        }
    }

    /// A node dies with whatever it was doing, and comes back knowing nothing.
    fn crash(self: &Rc<Self>) {
        let node = self.chance.index(self.nodes.borrow().len());
        self.executor.kill(node);
        let engine = self.boot(self.chance.next() >> 40);
        if let Some(slot) = self.nodes.borrow_mut().get_mut(node) {
            *slot = engine;
        }
        self.executor.spawn(node, actors::sweeper(Rc::clone(self), node));
    }

    fn calm_down(&self) {
        self.ground.is_calm.store(true, Ordering::Relaxed);
    }

    /// Calm weather: time goes on, and whoever waits is told.
    fn nudge(self: &Rc<Self>) {
        match self.chance.below(20) {
            0 => self.pass(Duration::from_secs(10)),
            1 => self.wake_all(),
            _ => {}
        }
        self.over.set(self.chance.below(50) == 0 && self.all_ended());
    }

    fn wake_all(self: &Rc<Self>) {
        for record in self.running() {
            if let Some(event_type) = record.facets.awaits {
                let number = self.n_events.get();
                self.n_events.set(number + 1);
                let (world, event) = (Rc::clone(self), format!("calm{number}"));
                let actor = actors::sender(world, record.key.id, event_type, event);
                self.executor.spawn(usize::MAX, actor);
            }
        }
    }

    fn running(&self) -> Vec<waypost_kernel::Record> {
        let query = Query {
            tenant: tenant(),
            kind: Kind::Chain,
            definition: None,
            version: None,
            status: Some("RUNNING".into()),
            business_key: None,
            awaits: None,
            step: None,
            from: None,
            until: None,
            before: None,
            offset: 0,
            limit: 1_000,
        };
        now(self.ground.store.search(&query)).unwrap_or_default()
    }

    fn all_ended(&self) -> bool {
        let told = self.ledger.borrow().started.len() == self.ledger.borrow().asked.len();
        let figures = now(self.ground.store.figures()).unwrap_or_default();
        told && self.running().is_empty() && figures.messages_pending == 0
    }

    /// Looks at everything that has changed since the last time.
    fn judge(&self, referee: &mut Referee, cursor: &mut Cursor) -> Result<(), String> {
        if let Some(broken) = self.broken.borrow_mut().take() {
            return Err(broken);
        }
        let leases = self.ground.leases.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(violation) = leases.violations.first() {
            return Err(violation.clone());
        }
        drop(leases);
        let scope = Scope { tenant: tenant(), kind: Kind::Chain, instance: None };
        let changes = now(self.ground.store.watch(&scope, cursor, 1_000, Duration::ZERO))
            .map_err(|error| error.to_string())?;
        for change in &changes {
            referee.see(change)?;
            *cursor = change.cursor.clone();
        }
        for key in changes.iter().map(|it| &it.record.key) {
            self.look_at(referee, key)?;
        }
        referee.signals(&self.ledger.borrow())
    }

    fn look_at(&self, referee: &Referee, key: &Key) -> Result<(), String> {
        let keys = std::slice::from_ref(key);
        let stored = now(self.ground.store.load(keys)).map_err(|error| error.to_string())?;
        let tasks = now(self.ground.store.tasks(keys)).map_err(|error| error.to_string())?;
        let stored = stored.first().and_then(Option::as_ref);
        referee.stands(key, stored, &tasks).map_err(|problem| format!("{problem} ({key})"))
    }

    fn finish(&self, referee: &Referee) -> Result<Report, String> {
        let mut ledger = self.ledger.borrow_mut();
        for id in self.receiver.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            *ledger.received.entry(id).or_default() += 1;
        }
        let leases = self.ground.leases.lock().unwrap_or_else(PoisonError::into_inner);
        if ledger.started.len() != ledger.asked.len() {
            return Err("I13: a start was never answered".into());
        }
        referee.finish(&ledger)?;
        let received: std::collections::BTreeSet<_> = ledger.received.keys().cloned().collect();
        if received != leases.posted {
            return Err("I10: what arrived is not what was committed".into());
        }
        Ok(Report {
            chains: ledger.started.len() as u64,
            steps: ledger.n_steps,
            refused: ledger.n_refused,
            faults: self.ground.n_faults.load(Ordering::Relaxed),
        })
    }

    /// Any node.
    pub(super) fn engine(&self) -> Engine {
        let nodes = self.nodes.borrow();
        self.chance.pick(&nodes).expect("there is at least one node").clone()
    }

    pub(super) fn node(&self, node: usize) -> Engine {
        self.nodes.borrow().get(node).expect("nodes are never taken away").clone()
    }

    pub(super) fn is_calm(&self) -> bool {
        self.ground.is_calm.load(Ordering::Relaxed)
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.get()
    }

    pub(super) fn verdict(&self) -> (Outcome, Vec<Option<Outbound>>) {
        if self.is_calm() {
            return (Outcome::Completed, Vec::new());
        }
        actors::whim(&self.chance, self.ground.clock.now())
    }

    pub(super) fn violation(&self, what: String) {
        self.broken.borrow_mut().get_or_insert(what);
    }
}

fn tenant() -> Tenant {
    Tenant::from("default")
}

/// The answer of a future that has nothing to wait for.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(answer) = future.as_mut().poll(&mut context) {
            return answer;
        }
    }
}
