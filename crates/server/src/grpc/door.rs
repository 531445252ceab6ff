//! Lets calls in while there is room, by the same count as requests over HTTP, and gives each its
//! time; and has the client blamed for messages that cannot be read.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::http::{HeaderMap, Request, Response};
use tokio::time::timeout;
use tonic::{Code, Status};
use tower::{Layer, Service};

use waypost_engine::Error;

use super::{entity::TICKET, status::status};
use crate::{
    auth::{Denied, identify},
    http::{App, Class, LOOK_ONLY, Refusal},
    options::HttpLimits,
};

/// How long a call may take that neither streams nor writes an entity.
const CALL_MAX: Duration = Duration::from_secs(30);

const PROCESSES: &str = "/workflow.v1.WorkflowEngine/";
/// What changes nothing.
const LOOKS: [&str; 6] = [
    "GetDefinition",
    "ListDefinitions",
    "GetInstance",
    "GetInstanceHistory",
    "ListInstances",
    "ExplainInstance",
];
/// Looks at who asks itself: entities are everybody's own, the rest belongs to one tenant.
const INSTANCES: &str = "/waypost.v1.Instances/";
const ENTITIES: &str = "/org.cyoda.cloud.api.grpc.CloudEventsService/";

/// Lets calls in.
#[derive(Clone)]
pub(super) struct Door(pub(super) Arc<App>);

impl<S> Layer<S> for Door {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded { inner, app: Arc::clone(&self.0) }
    }
}

/// A service that is not called when there is no room.
#[derive(Clone)]
pub(super) struct Guarded<S> {
    inner: S,
    app: Arc<App>,
}

impl<S, B, A> Service<Request<B>> for Guarded<S>
where
    S: Service<Request<B>, Response = Response<A>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
    A: Default + Send + 'static,
    B: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let path = request.uri().path();
        let class = class(path, request.headers());
        let patience = patience(class, path, &self.app.limits);
        let place = match self.app.admission.admit(class) {
            Ok(place) => place,
            Err(refusal) => {
                let refused = full(&refusal).into_http();
                return Box::pin(async { Ok(refused) });
            }
        };
        // The one that is ready is called; another stays for the next call.
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        let (app, under_way) = (Arc::clone(&self.app), self.app.calls.token());
        Box::pin(async move {
            let request = match sign_in(&app, request).await {
                Ok(request) => request,
                Err(denied) => return Ok(denied.into_http()),
            };
            let answered = timeout(patience, inner.call(request)).await;
            drop((place, under_way));
            match answered {
                Ok(response) => response.map(blame),
                Err(_) => Ok(Status::deadline_exceeded("the call took too long").into_http()),
            }
        })
    }
}

/// Lets calls about processes through where it is known whose they are, and they may. Entities have
/// a door of their own.
async fn sign_in<B>(app: &App, mut request: Request<B>) -> Result<Request<B>, Status> {
    let authenticator = app.doorway.authenticator();
    let method = request.uri().path().strip_prefix(PROCESSES);
    let (Some(tenant), Some(method)) = (authenticator.tenant(), method) else {
        return Ok(request);
    };
    let may_look = LOOKS.contains(&method);
    let identity = match identify(authenticator, request.headers()).await {
        Ok(identity) => identity,
        Err(Denied::Unknown) => return Err(Status::unauthenticated("authentication failed")),
        Err(Denied::Store(error)) => return Err(status(Error::Store(error))),
    };
    if identity.caller.tenant.as_str() != tenant {
        return Err(Status::permission_denied("processes of this server belong to another tenant"));
    }
    if identity.is_viewer() && !may_look {
        return Err(Status::permission_denied(LOOK_ONLY));
    }
    request.extensions_mut().insert(identity);
    Ok(request)
}

/// Whether a call is about what the server is for; not about its health, or what it can do.
pub(super) fn is_ours(path: &str) -> bool {
    [PROCESSES, INSTANCES, ENTITIES].iter().any(|it| path.starts_with(it))
}

/// What somebody is told for whom there is no room.
pub(super) fn full(refusal: &Refusal) -> Status {
    Status::resource_exhausted(format!("{}; ask again later", refusal.detail()))
}

/// What a call is, for the one at the door. Streams have places of their own.
fn class(path: &str, headers: &HeaderMap) -> Class {
    if let Some(method) = path.strip_prefix(ENTITIES) {
        return match method {
            "startStreaming" => Class::Operations,
            // Models are part of no transaction.
            "entityModelManage" => Class::New,
            // Somebody waits for the member that sends this, with a place of its own.
            _ if headers.contains_key(TICKET) => Class::Finish,
            "entityManage" | "entityManageCollection" => Class::Write,
            _ => Class::New,
        };
    }
    if path.starts_with(INSTANCES) {
        return Class::New;
    }
    let Some(method) = path.strip_prefix(PROCESSES) else { return Class::Operations };
    match method {
        "PollJobs" => Class::Claim,
        "StreamJobs" => Class::Operations,
        "CompleteJob" | "CompleteJobs" | "FailJob" | "ExtendJobLease" | "CompleteUserTask" => {
            Class::Finish
        }
        "SignalWait" | "CancelInstance" | "RetryStep" => Class::News,
        _ => Class::New,
    }
}

/// How long a call may take until it is answered.
fn patience(class: Class, path: &str, limits: &HttpLimits) -> Duration {
    match class {
        Class::Write | Class::Dispatch => limits.write_timeout,
        // A callback may wait for compute members, too.
        Class::Finish if path.starts_with(ENTITIES) => limits.write_timeout,
        Class::Operations | Class::New | Class::News | Class::Finish | Class::Claim => CALL_MAX,
    }
}

/// A message that is nested too deep, or not one at all, is no fault of the server.
fn blame<A: Default>(response: Response<A>) -> Response<A> {
    let status = Status::from_header_map(response.headers());
    let is_unreadable = |it: &Status| {
        it.code() == Code::Internal && it.message().starts_with("failed to decode Protobuf message")
    };
    match status.filter(is_unreadable) {
        Some(status) => Status::invalid_argument(status.message()).into_http(),
        None => response,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_its_class_and_its_time() {
        let limits = HttpLimits::default();
        let (plain, mut joined) = (HeaderMap::new(), HeaderMap::new());
        joined.insert(TICKET, "x".parse().unwrap());
        for (service, method, headers, expected, is_long) in [
            (ENTITIES, "startStreaming", &plain, Class::Operations, false),
            (ENTITIES, "startStreaming", &joined, Class::Operations, false),
            (ENTITIES, "entityManage", &plain, Class::Write, true),
            (ENTITIES, "entityManage", &joined, Class::Finish, true),
            (ENTITIES, "entityManageCollection", &plain, Class::Write, true),
            (ENTITIES, "entityModelManage", &plain, Class::New, false),
            (ENTITIES, "entityModelManage", &joined, Class::New, false),
            (ENTITIES, "entitySearch", &plain, Class::New, false),
            (ENTITIES, "entitySearchCollection", &plain, Class::New, false),
            (ENTITIES, "entitySearchCollection", &joined, Class::Finish, true),
            (PROCESSES, "PollJobs", &plain, Class::Claim, false),
            (PROCESSES, "CompleteJob", &joined, Class::Finish, false),
            (PROCESSES, "StartInstance", &plain, Class::New, false),
            (INSTANCES, "Explain", &plain, Class::New, false),
            ("/grpc.health.v1.Health/", "Check", &plain, Class::Operations, false),
        ] {
            let path = format!("{service}{method}");
            let found = class(&path, headers);
            assert_eq!(found, expected, "{path}");
            let time = if is_long { limits.write_timeout } else { CALL_MAX };
            assert_eq!(patience(found, &path, &limits), time, "{path}");
        }
    }
}
