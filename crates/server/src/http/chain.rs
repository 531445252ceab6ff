//! Chains: `/v1/chains/…`.

pub(super) mod changes;
mod convert;
pub(super) mod definitions;
pub(super) mod diagram;
mod history;
pub(super) mod instances;
pub(super) mod moments;
pub(super) mod work;

use super::routes::Routes;

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .post("/v1/chains/definitions", definitions::deploy)
        .get("/v1/chains/definitions", definitions::list)
        .get("/v1/chains/definitions/{workflowType}/{version}", definitions::show)
        .picture("/v1/chains/definitions/{workflowType}/{version}", diagram::of_definition)
        .post("/v1/chains/instances", instances::start)
        .get("/v1/chains/instances", instances::list)
        .get("/v1/chains/instances/{instanceId}", instances::show)
        .picture("/v1/chains/instances/{instanceId}", diagram::of_instance)
        .get("/v1/chains/instances/{instanceId}/explain", moments::explain)
        .get("/v1/chains/instances/{instanceId}/diff", moments::diff)
        .get("/v1/chains/instances/{instanceId}/events", instances::history)
        .post("/v1/chains/instances/{instanceId}/signals", instances::signal)
        .post("/v1/chains/instances/{instanceId}/cancel", instances::cancel)
        .post("/v1/chains/claim", work::claim)
        .post("/v1/chains/tasks/{leaseToken}/result", work::report)
        .post("/v1/chains/tasks/{leaseToken}/renew", work::renew)
        .post("/v1/chains/tasks/{leaseToken}/release", work::release)
        .get("/v1/chains/events", changes::follow)
}
