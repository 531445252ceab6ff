//! Who may come in when it is crowded. Finishing what was begun relieves the server, so that is
//! refused last; health and metrics never are.

use std::sync::Arc;

use axum::http::Method;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use waypost_api::problem::EdgeCode;

use super::{meter::Gauge, problem::Refusal};
use crate::options::HttpLimits;

/// What a request is, for the one at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Health and metrics.
    Operations,
    /// Lists, definitions, documents and new work.
    New,
    /// Events and cancellations for work under way.
    News,
    /// The end of work under way: reports, renewals, steps given back.
    Finish,
    /// Asks for work, and may wait for it.
    Claim,
    /// Writes an entity, and may wait for compute members.
    Write,
    /// Another node asks a compute member that is connected here.
    Dispatch,
}

/// What the request to `route` is.
pub(super) fn class(method: &Method, route: &str) -> Class {
    match route {
        "/healthz" | "/livez" | "/readyz" | "/metrics" | "/version" => Class::Operations,
        "/v1/chains/claim" | "/v1/jobs/poll" => Class::Claim,
        route if route.starts_with("/internal/dispatch/") => Class::Dispatch,
        "/v1/chains/instances" | "/v1/chains/definitions" => Class::New,
        "/v1/instances" | "/v1/definitions" | "/v1/definitions/{id}/instances" => Class::New,
        route if route.starts_with("/v1/chains/tasks/") => Class::Finish,
        route if route.starts_with("/v1/jobs/") => Class::Finish,
        route if route.ends_with("/complete") => Class::Finish,
        route if route.starts_with("/v1/") && *method != Method::GET => Class::News,
        _ => Class::New,
    }
}

/// Bodies up to this size do not count: there are not more of them than requests.
const SMALL: usize = 64 << 10;

/// Bytes that are counted as one.
const UNIT: usize = 1 << 10;

/// Counts who is inside.
pub(crate) struct Admission {
    pub(super) requests: Gauge,
    pub(super) claims: Gauge,
    pub(super) writes: Gauge,
    dispatches: Gauge,
    pub(super) subscribers: Gauge,
    /// Units of large bodies that may still come.
    bodies: Arc<Semaphore>,
    requests_max: usize,
    claims_max: usize,
    writes_max: usize,
    dispatches_max: usize,
    subscribers_max: usize,
}

/// A place inside, given up when dropped.
pub(crate) struct Admitted(Gauge);

impl Drop for Admitted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Admission {
    pub(super) fn new(limits: &HttpLimits) -> Self {
        Self {
            requests: Gauge::default(),
            claims: Gauge::default(),
            writes: Gauge::default(),
            dispatches: Gauge::default(),
            subscribers: Gauge::default(),
            bodies: Arc::new(Semaphore::new(
                (limits.bodies_max / UNIT).min(Semaphore::MAX_PERMITS),
            )),
            requests_max: limits.requests_max,
            claims_max: limits.claims_max,
            writes_max: limits.writes_max,
            dispatches_max: limits.dispatches_max,
            subscribers_max: limits.subscribers_max,
        }
    }

    /// Lets a request in, if there is room for its class.
    pub(crate) fn admit(&self, class: Class) -> Result<Option<Admitted>, Refusal> {
        match class {
            Class::Operations => Ok(None),
            Class::Claim => enter(&self.claims, self.claims_max, "claims").map(Some),
            Class::Write => enter(&self.writes, self.writes_max, "writes of entities").map(Some),
            Class::Dispatch => {
                enter(&self.dispatches, self.dispatches_max, "questions of other nodes").map(Some)
            }
            Class::Finish => enter(&self.requests, self.requests_max, "requests").map(Some),
            Class::News => {
                enter(&self.requests, self.requests_max - self.requests_max / 8, "requests")
                    .map(Some)
            }
            Class::New => {
                enter(&self.requests, self.requests_max - self.requests_max / 4, "requests")
                    .map(Some)
            }
        }
    }

    /// Makes room for a body of so many bytes, until what is given is dropped.
    pub(crate) fn carry(&self, n_bytes: usize) -> Result<Option<OwnedSemaphorePermit>, Refusal> {
        if n_bytes <= SMALL {
            return Ok(None);
        }
        let n_units = u32::try_from(n_bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        Arc::clone(&self.bodies).try_acquire_many_owned(n_units).map(Some).map_err(|_| {
            Refusal::new(EdgeCode::Overloaded, "too many large bodies at a time; ask again")
        })
    }

    /// Lets a reader of the stream of changes in.
    pub(crate) fn subscribe(&self) -> Result<Admitted, Refusal> {
        enter(&self.subscribers, self.subscribers_max, "readers of changes")
    }
}

fn enter(inside: &Gauge, most: usize, what: &str) -> Result<Admitted, Refusal> {
    let place = Admitted(inside.clone());
    if usize::try_from(inside.inc()).is_ok_and(|n_inside| n_inside < most) {
        return Ok(place);
    }
    Err(Refusal::new(EdgeCode::Overloaded, format!("too many {what} at a time; at most {most}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_work_is_refused_before_the_end_of_work_under_way() {
        let admission = Admission::new(&HttpLimits { requests_max: 8, ..HttpLimits::default() });
        let inside: Vec<_> = (0..6).map(|_| admission.admit(Class::New).unwrap()).collect();
        assert!(admission.admit(Class::New).is_err());
        let news = admission.admit(Class::News).unwrap();
        assert!(admission.admit(Class::News).is_err());
        let last = admission.admit(Class::Finish).unwrap();
        assert!(admission.admit(Class::Finish).is_err());
        assert!(admission.admit(Class::Claim).is_ok());
        assert!(admission.admit(Class::Write).is_ok());
        assert!(admission.admit(Class::Operations).is_ok());
        drop((inside, news, last));
        assert!(admission.admit(Class::New).is_ok());
    }

    #[test]
    fn large_bodies_share_what_room_there_is() {
        let limits = HttpLimits { bodies_max: 1 << 20, ..HttpLimits::default() };
        let admission = Admission::new(&limits);
        let one = admission.carry(600 << 10).unwrap();
        assert!(admission.carry(600 << 10).is_err());
        assert!(admission.carry(SMALL).unwrap().is_none());
        drop(one);
        assert!(admission.carry(1 << 20).is_ok());
    }

    #[test]
    fn every_route_has_its_class() {
        for (method, route, expected) in [
            (Method::GET, "/healthz", Class::Operations),
            (Method::POST, "/v1/chains/claim", Class::Claim),
            (Method::POST, "/v1/chains/instances", Class::New),
            (Method::GET, "/v1/chains/instances/{instanceId}", Class::New),
            (Method::POST, "/v1/chains/tasks/{leaseToken}/result", Class::Finish),
            (Method::POST, "/v1/chains/instances/{instanceId}/signals", Class::News),
            (Method::GET, "/docs", Class::New),
            (Method::POST, "/internal/dispatch/processor", Class::Dispatch),
        ] {
            assert_eq!(class(&method, route), expected, "{method} {route}");
        }
    }
}
