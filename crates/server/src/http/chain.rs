//! Chains: `/v1/chains/…`.

pub(super) mod changes;
mod convert;
pub(super) mod definitions;
mod history;
pub(super) mod instances;
pub(super) mod work;

use super::{routes::Routes, what_if};

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .post("/v1/chains/definitions", definitions::deploy)
        .get("/v1/chains/definitions", definitions::list)
        .get("/v1/chains/definitions/{workflowType}/{version}", definitions::show)
        .post("/v1/chains/instances", instances::start)
        .get("/v1/chains/instances", instances::list)
        .get("/v1/chains/instances/{instanceId}", instances::show)
        .get("/v1/chains/instances/{instanceId}/events", instances::history)
        .post("/v1/chains/instances/{instanceId}/signals", instances::signal)
        .post("/v1/chains/instances/{instanceId}/cancel", instances::cancel)
        .post("/v1/chains/instances/{instanceId}/what-if", what_if::chain)
        .post("/v1/chains/claim", work::claim)
        .post("/v1/chains/tasks/{leaseToken}/result", work::report)
        .post("/v1/chains/tasks/{leaseToken}/renew", work::renew)
        .post("/v1/chains/tasks/{leaseToken}/release", work::release)
        .get("/v1/chains/events", changes::follow)
}
