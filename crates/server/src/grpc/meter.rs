//! Counts calls, and has them traced: which, how they ended, how long they took to be answered.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::http::{Request, Response};
use tokio::time::Instant;
use tonic::{Code, Status};
use tower::{Layer, Service};

use super::door::is_ours;
use crate::http::App;

/// The method of a call that found none. The statistics do not grow with a client's imagination.
const NO_METHOD: &str = "none";

/// Has calls counted.
#[derive(Clone)]
pub(super) struct Meter(pub(super) Arc<App>);

impl<S> Layer<S> for Meter {
    type Service = Metered<S>;

    fn layer(&self, inner: S) -> Metered<S> {
        Metered { inner, app: Arc::clone(&self.0) }
    }
}

/// A service whose calls are counted.
#[derive(Clone)]
pub(super) struct Metered<S> {
    inner: S,
    app: Arc<App>,
}

impl<S, B, A> Service<Request<B>> for Metered<S>
where
    S: Service<Request<B>, Response = Response<A>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (app, method) = (Arc::clone(&self.app), request.uri().path().to_owned());
        let began_at = Instant::now();
        let span = is_ours(&method).then(|| app.traces.call(&method, request.headers())).flatten();
        let answer = self.inner.call(request);
        Box::pin(async move {
            let response = answer.await?;
            // A call that went well says so after its answer, one that did not says so at once.
            let code = Status::from_header_map(response.headers()).map_or(Code::Ok, |it| it.code());
            if let Some(span) = span {
                span.end(code);
            }
            let method = if code == Code::Unimplemented { NO_METHOD.to_owned() } else { method };
            app.meter.count_call(method, name(code), began_at.elapsed());
            Ok(response)
        })
    }
}

const fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "Canceled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}
