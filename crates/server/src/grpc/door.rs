//! Lets calls in while there is room, by the same count as requests over HTTP; and has the client
//! blamed for messages that cannot be read.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::http::{Request, Response};
use tonic::{Code, Status};
use tower::{Layer, Service};

use crate::http::{App, Class, Refusal};

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
    S: Service<Request<B>, Response = Response<A>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
    A: Default + Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let place = match self.app.admission.admit(class(request.uri().path())) {
            Ok(place) => place,
            Err(refusal) => {
                let refused = full(&refusal).into_http();
                return Box::pin(async { Ok(refused) });
            }
        };
        let answer = self.inner.call(request);
        Box::pin(async move {
            let response = answer.await?;
            drop(place);
            Ok(blame(response))
        })
    }
}

/// What somebody is told for whom there is no room.
pub(super) fn full(refusal: &Refusal) -> Status {
    Status::resource_exhausted(format!("{}; ask again later", refusal.detail()))
}

/// What a call is, for the one at the door. Streams have places of their own.
fn class(path: &str) -> Class {
    let Some(method) = path.strip_prefix("/workflow.v1.WorkflowEngine/") else {
        return Class::Operations;
    };
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
