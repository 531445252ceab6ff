//! What all requests share.

use std::sync::{Arc, OnceLock};

use tokio_util::{sync::CancellationToken, task::TaskTracker};
use waypost_engine::{Engine, Incidents, Overview, chain::Chains, process::Processes};

use super::{admission::Admission, meter::Meter, overview::Latest, pages::Pages};
use crate::{
    auth::Doorway,
    cluster::Cluster,
    compute::Members,
    lifecycle::Gateway,
    options::{Bearer, Facts, HttpLimits},
    telemetry::Traces,
};

/// What all requests share.
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) chains: Chains,
    pub(crate) processes: Processes,
    pub(crate) limits: HttpLimits,
    pub(crate) admission: Admission,
    pub(crate) meter: Meter,
    /// What to show before the meter is shown.
    pub(crate) metrics_bearer: Option<Bearer>,
    /// Who comes to entities, and where they are.
    pub(crate) doorway: Arc<Doorway>,
    /// Who knows the transactions that compute members may join.
    pub(crate) members: Option<Members>,
    /// The other nodes, if there may be some.
    pub(crate) cluster: Option<Cluster>,
    /// What pages in browsers may do.
    pub(crate) pages: Pages,
    /// Lifecycles and how operators come to them, if they may.
    pub(crate) lifecycle: Option<Gateway>,
    /// What can be told of how it was set up.
    pub(crate) facts: Facts,
    /// What is told of requests elsewhere.
    pub(crate) traces: Traces,
    /// How it went when somebody looked last.
    pub(super) overview: Latest<Overview>,
    /// What had failed when somebody looked last.
    pub(super) incidents: Latest<Incidents>,
    /// The description of all routes, once somebody has asked for it.
    pub(super) document: OnceLock<String>,
    /// Claims under way, also those whose client has gone.
    pub(crate) claims: TaskTracker,
    /// Calls under way over gRPC.
    pub(crate) calls: TaskTracker,
    /// Canceled when the server is about to stop.
    pub(crate) stop: CancellationToken,
}

impl App {
    pub(crate) fn new(
        engine: Engine,
        limits: HttpLimits,
        doorway: Doorway,
        (members, cluster): (Option<Members>, Option<Cluster>),
    ) -> Self {
        let admission = Admission::new(&limits);
        Self {
            chains: engine.chain(),
            processes: engine.process(),
            meter: Meter::new(&engine, &admission, (members.as_ref(), cluster.as_ref())),
            metrics_bearer: None,
            admission,
            doorway: Arc::new(doorway),
            members,
            cluster,
            pages: Pages::default(),
            lifecycle: None,
            facts: Facts::default(),
            traces: Traces::default(),
            overview: Latest::default(),
            incidents: Latest::default(),
            document: OnceLock::new(),
            claims: TaskTracker::new(),
            calls: TaskTracker::new(),
            stop: CancellationToken::new(),
            engine,
            limits,
        }
    }

    /// What the paths of entities lie below.
    pub(super) fn context(&self) -> &str {
        self.doorway.context()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.is_cancelled()
    }
}
