//! Processes: `/v1/definitions`, `/v1/instances`, `/v1/jobs` and `/v1/user-tasks`, as their
//! clients have always known them.

pub(super) mod attempts;
pub(super) mod audit;
mod body;
mod convert;
pub(super) mod definitions;
pub(super) mod diagram;
mod failure;
pub(super) mod instances;
pub(super) mod jobs;
pub(super) mod moments;
mod params;
pub(super) mod tables;
pub(super) mod tasks;

pub(crate) use self::convert::KEY_IN_USE;
pub(super) use self::{body::Text, failure::write};
use super::{routes::Routes, what_if};

/// What the routes of processes begin with.
const ROOTS: [&str; 4] = ["/v1/definitions", "/v1/instances", "/v1/jobs", "/v1/user-tasks"];

/// Whether a path belongs to processes.
pub(super) fn owns(path: &str) -> bool {
    let is_below = |root: &str| {
        path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    ROOTS.into_iter().any(is_below)
}

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .post("/v1/definitions", definitions::upload)
        .get("/v1/definitions", definitions::list)
        .get("/v1/definitions/{id}", definitions::latest)
        .get("/v1/definitions/{id}/versions/{version}", definitions::version)
        .picture("/v1/definitions/{id}", diagram::of_latest)
        .picture("/v1/definitions/{id}/versions/{version}", diagram::of_version)
        .get("/v1/tables", tables::list)
        .get("/v1/definitions/{id}/versions/{version}/tables/{stepId}", tables::show)
        .post("/v1/definitions/{id}/versions/{version}/tables/{stepId}/try", tables::attempt)
        .get("/v1/definitions/{id}/audit", audit::of_definition)
        .post("/v1/definitions/{id}/instances", instances::start_of)
        .post("/v1/instances", instances::start)
        .get("/v1/instances", instances::list)
        .get("/v1/instances/{id}", instances::show)
        .picture("/v1/instances/{id}", diagram::of_instance)
        .get("/v1/instances/{id}/explain", moments::explain)
        .get("/v1/instances/{id}/diff", moments::diff)
        .get("/v1/instances/{id}/history", instances::history)
        .get("/v1/instances/{id}/jobs", attempts::list)
        .get("/v1/instances/{id}/audit", audit::of_instance)
        .post("/v1/instances/{id}/cancel", instances::cancel)
        .post("/v1/instances/{id}/steps/{stepId}/retry", instances::retry)
        .post("/v1/instances/{id}/what-if", what_if::process)
        .post("/v1/instances/{id}/signals/{waitStepId}", tasks::signal)
        .post("/v1/instances/{id}/user-tasks/{userTaskId}/complete", tasks::complete)
        .get("/v1/user-tasks", tasks::list)
        .post("/v1/user-tasks/{id}/complete", tasks::complete_by_id)
        .post("/v1/jobs/poll", jobs::poll)
        .post("/v1/jobs/complete", jobs::complete_several)
        .post("/v1/jobs/{id}/complete", jobs::complete)
        .post("/v1/jobs/{id}/fail", jobs::fail)
        .post("/v1/jobs/{id}/heartbeat", jobs::heartbeat)
}
