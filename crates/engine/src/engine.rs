//! The engine: assembled from a store, with a handle for each face.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use waypost_kernel::{Kind, Store, Task, Tenant, Timer};
use waypost_machines::{
    chain::{Chain, Policy},
    process::Process,
};

use crate::{
    chain::Chains,
    crew::Crew,
    demand::Demands,
    desk::Desk,
    entity::{self, Caller, Compute, Entities, Home, NoCompute, Rules},
    error::Error,
    ids::{Ids, RandomIds},
    metrics::Metrics,
    pace::Pace,
    process::{Coercion, Graphs, Processes},
    sweep::{Sweeps, Transport},
    turn::Turns,
};

/// What an engine is assembled from, besides its store.
pub struct Settings {
    /// What chains run by.
    pub policy: Policy,
    /// How the expressions of processes read texts that look like numbers.
    pub coercion: Coercion,
    /// Where new names come from.
    pub ids: Arc<dyn Ids>,
    /// Where outgoing messages go. Without one they are logged and count as sent.
    pub transport: Option<Arc<dyn Transport>>,
    /// Who works on entities and judges them from outside.
    pub compute: Arc<dyn Compute>,
    /// What entities run by, besides their models.
    pub rules: Rules,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            coercion: Coercion::default(),
            ids: Arc::new(RandomIds),
            transport: None,
            compute: Arc::new(NoCompute),
            rules: Rules::default(),
        }
    }
}

/// What a face does about things nobody asked for.
#[async_trait]
pub trait Face: Send + Sync {
    /// A lease of one of its tasks has lapsed.
    ///
    /// # Errors
    /// [`Error::Overtaken`] when that is not so any more.
    async fn lapse(&self, task: Task) -> Result<(), Error>;

    /// One of its timers is due.
    ///
    /// # Errors
    /// [`Error::Overtaken`] when that is not so any more.
    async fn fire(&self, timer: Timer) -> Result<(), Error>;
}

/// Runs the machines against a store. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Shared>,
}

/// What the handles of an engine share.
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) policy: Policy,
    pub(crate) chains: Turns<Chain>,
    pub(crate) processes: Turns<Process>,
    pub(crate) graphs: Graphs,
    pub(crate) entities: Home,
    pub(crate) desk: Arc<Desk>,
    pub(crate) demands: Demands,
    pub(crate) crew: Crew,
    pub(crate) pace: Arc<Pace>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) transport: Option<Arc<dyn Transport>>,
    faces: OnceLock<BTreeMap<Kind, Arc<dyn Face>>>,
}

impl Engine {
    /// An engine over `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, settings: Settings) -> Self {
        Self::with_faces(store, settings, BTreeMap::new())
    }

    /// An engine that also serves faces of the host program's own.
    #[must_use]
    pub fn with_faces(
        store: Arc<dyn Store>,
        settings: Settings,
        mut faces: BTreeMap<Kind, Arc<dyn Face>>,
    ) -> Self {
        let metrics = Arc::new(Metrics::default());
        let desk = Arc::new(Desk::default());
        let pace = Arc::new(Pace::default());
        let chains = Turns::new(&store, &metrics, &pace);
        let processes = Turns::new(&store, &metrics, &pace);
        call_when_there_is_work(&store, &desk);
        let Settings { policy, coercion, ids, transport, compute, rules } = settings;
        let entities = Home::new(compute, rules, store.now());
        let demands = Demands::new(store.now());
        let shared = Shared {
            demands,
            crew: Crew::default(),
            pace,
            store,
            ids,
            policy,
            chains,
            processes,
            graphs: Graphs::new(coercion),
            entities,
            desk,
            metrics,
            transport,
            faces: OnceLock::new(),
        };
        let engine = Self { shared: Arc::new(shared) };
        let home = || Arc::downgrade(&engine.shared);
        faces.entry(Kind::Chain).or_insert_with(|| Arc::new(ChainFace(home())));
        faces.entry(Kind::Process).or_insert_with(|| Arc::new(ProcessFace(home())));
        faces.entry(Kind::Entity).or_insert_with(|| Arc::new(EntityFace(home())));
        engine.shared.faces.get_or_init(|| faces);
        engine
    }

    /// The chains of the default tenant.
    #[must_use]
    pub fn chain(&self) -> Chains {
        self.chain_of(Tenant::from("default"))
    }

    /// The chains of `tenant`.
    #[must_use]
    pub fn chain_of(&self, tenant: Tenant) -> Chains {
        Chains::new(Arc::clone(&self.shared), tenant)
    }

    /// The processes of the default tenant.
    #[must_use]
    pub fn process(&self) -> Processes {
        self.process_of(Tenant::from("default"))
    }

    /// The processes of `tenant`.
    #[must_use]
    pub fn process_of(&self, tenant: Tenant) -> Processes {
        Processes::new(Arc::clone(&self.shared), tenant)
    }

    /// The entities of the caller's tenant.
    #[must_use]
    pub fn entities(&self, caller: Caller) -> Entities {
        Entities::new(Arc::clone(&self.shared), caller)
    }

    /// What the engine has counted.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// The store it runs on.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// The background duties, one by one.
    #[must_use]
    pub fn sweeps(&self) -> Sweeps {
        Sweeps::new(Arc::clone(&self.shared))
    }

    /// Does what nobody asks for until `stop` is canceled.
    pub async fn run(&self, stop: CancellationToken) {
        self.sweeps().run(stop).await;
    }
}

impl Shared {
    pub(crate) fn face(&self, kind: Kind) -> Option<&Arc<dyn Face>> {
        self.faces.get().and_then(|faces| faces.get(&kind))
    }
}

/// Chains as a face. Holds no engine alive: the engine holds it.
struct ChainFace(std::sync::Weak<Shared>);

impl ChainFace {
    fn chains(&self, tenant: &Tenant) -> Result<Chains, Error> {
        let shared = self.0.upgrade().ok_or(Error::Overtaken)?;
        Ok(Chains::new(shared, tenant.clone()))
    }
}

#[async_trait]
impl Face for ChainFace {
    async fn lapse(&self, task: Task) -> Result<(), Error> {
        self.chains(&task.at.key.tenant)?.lapse(task).await
    }

    async fn fire(&self, timer: Timer) -> Result<(), Error> {
        Err(Error::Defect(format!("chains arm no timers, but {} has one", timer.at.key)))
    }
}

/// Processes as a face.
struct ProcessFace(std::sync::Weak<Shared>);

impl ProcessFace {
    fn processes(&self, tenant: &Tenant) -> Result<Processes, Error> {
        let shared = self.0.upgrade().ok_or(Error::Overtaken)?;
        Ok(Processes::new(shared, tenant.clone()))
    }
}

#[async_trait]
impl Face for ProcessFace {
    async fn lapse(&self, task: Task) -> Result<(), Error> {
        self.processes(&task.at.key.tenant)?.lapse(task).await
    }

    async fn fire(&self, timer: Timer) -> Result<(), Error> {
        self.processes(&timer.at.key.tenant)?.fire(timer).await
    }
}

/// Entities as a face.
struct EntityFace(std::sync::Weak<Shared>);

#[async_trait]
impl Face for EntityFace {
    async fn lapse(&self, task: Task) -> Result<(), Error> {
        Err(Error::Defect(format!("entities have no tasks, but {} has one", task.at.key)))
    }

    async fn fire(&self, timer: Timer) -> Result<(), Error> {
        let shared = self.0.upgrade().ok_or(Error::Overtaken)?;
        entity::fire(shared, timer).await
    }
}

/// The store's own clock decides what is ready.
fn call_when_there_is_work(store: &Arc<dyn Store>, desk: &Arc<Desk>) {
    let (clock, desk) = (Arc::downgrade(store), Arc::clone(desk));
    store.listen(Arc::new(move |hint| {
        if let Some(store) = clock.upgrade() {
            desk.tell(hint, store.now());
        }
    }));
}
