//! What all requests share.

use tokio_util::sync::CancellationToken;
use waypost_engine::{Engine, chain::Chains};

use super::{admission::Admission, meter::Meter};
use crate::options::HttpLimits;

/// What all requests share.
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) chains: Chains,
    pub(crate) limits: HttpLimits,
    pub(crate) admission: Admission,
    pub(crate) meter: Meter,
    /// Canceled when the server is about to stop.
    pub(crate) stop: CancellationToken,
}

impl App {
    pub(crate) fn new(engine: Engine, limits: HttpLimits) -> Self {
        let admission = Admission::new(&limits);
        Self {
            chains: engine.chain(),
            meter: Meter::new(&engine, &admission),
            admission,
            stop: CancellationToken::new(),
            engine,
            limits,
        }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.is_cancelled()
    }
}
