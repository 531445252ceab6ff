//! What is told of a request or a call: which route or method, how it ended, how long it took, and
//! whose trace it is part of. No payloads, and nothing a client could forge but its own ids.

use axum::http::{HeaderMap, Method, StatusCode};
use opentelemetry::{
    Context, KeyValue,
    propagation::{Extractor, TextMapPropagator as _},
    trace::{Span as _, SpanKind, Status, Tracer as _},
};
use opentelemetry_sdk::{propagation::TraceContextPropagator, trace::Span};
use tonic::Code;

use super::traces::Traces;

/// The method of a request that clients have invented, and what its span is called.
const OTHER: (&str, &str) = ("_OTHER", "HTTP");
/// The method of a call that found none.
const NO_METHOD: &str = "none";

/// A request over HTTP under way. Its client may go before it is answered; then it ends without a
/// status.
pub(crate) struct RequestSpan(Span);

/// A call over gRPC under way.
pub(crate) struct CallSpan {
    span: Span,
    service: String,
    method: String,
}

impl Traces {
    /// Begins to tell of a request to a route, if that is wanted.
    pub(crate) fn request(
        &self,
        (method, route): (&Method, Option<&str>),
        id: &str,
        headers: &HeaderMap,
    ) -> Option<RequestSpan> {
        self.exporting.as_ref()?;
        let (method, verb) = spelled(method);
        let name = route.map_or_else(|| verb.to_owned(), |route| format!("{verb} {route}"));
        let mut span = self.begin(name, headers)?;
        span.set_attribute(KeyValue::new("http.request.method", method));
        if let Some(route) = route {
            span.set_attribute(KeyValue::new("http.route", route.to_owned()));
        }
        span.set_attribute(KeyValue::new("waypost.request_id", id.to_owned()));
        Some(RequestSpan(span))
    }

    /// Begins to tell of a call to `/package.Service/Method`, if that is wanted.
    pub(crate) fn call(&self, path: &str, headers: &HeaderMap) -> Option<CallSpan> {
        self.exporting.as_ref()?;
        let (service, method) = path.strip_prefix('/')?.split_once('/')?;
        let mut span = self.begin(format!("{service}/{method}"), headers)?;
        span.set_attribute(KeyValue::new("rpc.system", "grpc"));
        span.set_attribute(KeyValue::new("rpc.service", service.to_owned()));
        Some(CallSpan { span, service: service.to_owned(), method: method.to_owned() })
    }

    fn begin(&self, name: String, headers: &HeaderMap) -> Option<Span> {
        let tracer = &self.exporting.as_ref()?.tracer;
        let parent =
            TraceContextPropagator::new().extract_with_context(&Context::new(), &Carried(headers));
        let builder = tracer.span_builder(name).with_kind(SpanKind::Server);
        Some(tracer.build_with_context(builder, &parent))
    }
}

impl RequestSpan {
    pub(crate) fn end(mut self, status: StatusCode) {
        let code = i64::from(status.as_u16());
        self.0.set_attribute(KeyValue::new("http.response.status_code", code));
        if status.is_server_error() {
            self.0.set_attribute(KeyValue::new("error.type", code.to_string()));
            self.0.set_status(Status::error(""));
        }
        self.0.end();
    }
}

impl CallSpan {
    pub(crate) fn end(mut self, code: Code) {
        // Names of methods do not grow with a client's imagination.
        if code == Code::Unimplemented {
            NO_METHOD.clone_into(&mut self.method);
            self.span.update_name(format!("{}/{NO_METHOD}", self.service));
        }
        let status = i64::from(i32::from(code));
        self.span.set_attribute(KeyValue::new("rpc.method", self.method));
        self.span.set_attribute(KeyValue::new("rpc.grpc.status_code", status));
        if is_fault(code) {
            self.span.set_status(Status::error(""));
        }
        self.span.end();
    }
}

/// Whether the server is to blame.
const fn is_fault(code: Code) -> bool {
    match code {
        Code::Unknown
        | Code::DeadlineExceeded
        | Code::Unimplemented
        | Code::Internal
        | Code::Unavailable
        | Code::DataLoss => true,
        Code::Ok
        | Code::Cancelled
        | Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::ResourceExhausted
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::OutOfRange
        | Code::Unauthenticated => false,
    }
}

/// A method, and what a span with it is called.
fn spelled(method: &Method) -> (&'static str, &'static str) {
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let found = known.into_iter().find(|it| *it == method.as_str());
    found.map_or(OTHER, |it| (it, it))
}

/// Where the parent of a span is found.
struct Carried<'a>(&'a HeaderMap);

impl Extractor for Carried<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|it| it.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(axum::http::HeaderName::as_str).collect()
    }
}
