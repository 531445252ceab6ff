//! Which lifecycles operators can see, and how they come to them.

use std::path::PathBuf;

use waypost_server::lifecycle::GatewayOptions;

use super::{catalog, entity::list, resolve::Settings};
use crate::exit::Failure;

/// What is set about lifecycles.
#[derive(Clone, Debug)]
pub(crate) struct LifecycleConfig {
    /// The file that describes the types; without one there is nothing to see.
    pub(crate) types: Option<PathBuf>,
    /// Where their buckets are, if they are not in the store.
    pub(crate) nats: Option<String>,
    pub(crate) creates_buckets: bool,
    pub(crate) gateway: GatewayOptions,
}

impl LifecycleConfig {
    pub(super) fn new(settings: &Settings) -> Result<Self, Failure> {
        let switch = "true or false";
        let body_max: i64 = settings.read(&catalog::LIFECYCLE_BODY, "a number of bytes")?;
        Ok(Self {
            types: settings.find(&catalog::LIFECYCLE_TYPES, "the path of a file")?,
            nats: settings.find(&catalog::LIFECYCLE_NATS, "a URL such as nats://host:4222")?,
            creates_buckets: settings.read(&catalog::LIFECYCLE_CREATE, switch)?,
            gateway: GatewayOptions {
                prefix: settings.read(&catalog::LIFECYCLE_PREFIX, "a path such as workflows")?,
                websocket: settings.read(&catalog::LIFECYCLE_SOCKET, switch)?,
                // None at all would leave nothing to say: then it is as usual.
                body_max: usize::try_from(body_max).unwrap_or(0),
                origins: list(settings, &catalog::LIFECYCLE_ORIGINS),
            },
        })
    }
}
