//! What all requests share.

use tokio_util::{sync::CancellationToken, task::TaskTracker};
use waypost_engine::{Engine, chain::Chains, process::Processes};

use super::{admission::Admission, meter::Meter};
use crate::options::HttpLimits;

/// What all requests share.
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) chains: Chains,
    pub(crate) processes: Processes,
    pub(crate) limits: HttpLimits,
    pub(crate) admission: Admission,
    pub(crate) meter: Meter,
    /// Claims under way, also those whose client has gone.
    pub(crate) claims: TaskTracker,
    /// Canceled when the server is about to stop.
    pub(crate) stop: CancellationToken,
}

impl App {
    pub(crate) fn new(engine: Engine, limits: HttpLimits) -> Self {
        let admission = Admission::new(&limits);
        Self {
            chains: engine.chain(),
            processes: engine.process(),
            meter: Meter::new(&engine, &admission),
            admission,
            claims: TaskTracker::new(),
            stop: CancellationToken::new(),
            engine,
            limits,
        }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.is_cancelled()
    }
}
