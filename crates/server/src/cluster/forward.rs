//! Callbacks that belong to a transaction of another node are sent there, and its answer is passed
//! on as it is.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header, request::Parts},
    response::Response,
};
use bytes::Bytes;
use tokio::time::timeout;
use tonic::{Request, Status, metadata::MetadataMap};
use waypost_api::grpc::{
    cloudevents::CloudEvent, cyoda::cloud_events_service_client::CloudEventsServiceClient,
};

use super::{hop::told, node::Cluster, record::Peer};

/// Marks a call that another node has sent on. It is not sent on again: two nodes that disagree
/// about a third would do so for ever.
pub(crate) const FORWARDED: &str = "x-waypost-forwarded";

/// Headers about the connection, and about a body that is not sent as it came.
const OWN: [HeaderName; 12] = [
    header::CONNECTION,
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// What else goes along with a call over gRPC. The name of the transaction does in any case.
const METADATA: [&str; 3] = ["authorization", "traceparent", "x-request-id"];

pub(crate) type Client = CloudEventsServiceClient<tonic::transport::Channel>;

/// Another node that has the transaction of a call.
pub(crate) struct Owner<'a> {
    cluster: &'a Cluster,
    peer: Peer,
    /// How long it may take to begin its answer.
    patience: Duration,
}

impl Cluster {
    /// The node that has the transaction of a ticket, if that is another one which is live, and the
    /// call may be sent there.
    pub(crate) async fn owner_of(
        &self,
        ticket: Option<&[u8]>,
        is_forwarded: bool,
    ) -> Option<Owner<'_>> {
        let ticket = std::str::from_utf8(ticket?).ok()?;
        if is_forwarded {
            return None;
        }
        let peer = self.owner(ticket).await?;
        Some(Owner { cluster: self, peer, patience: self.0.options.proxy_timeout })
    }
}

impl Owner<'_> {
    /// What the node is called.
    pub(crate) fn name(&self) -> &str {
        &self.peer.name
    }

    /// A write may wait for compute members there, for as long as it could here.
    pub(crate) fn writing(self, write_timeout: Duration) -> Self {
        Self { patience: self.patience.max(write_timeout), ..self }
    }

    /// Sends a request there; or says why it could not.
    pub(crate) async fn forward(&self, parts: &Parts, body: Bytes) -> Result<Response, String> {
        let Parts { method, uri, headers, .. } = parts;
        let sent = self.send(method, uri, self.dressed(headers), body).await;
        self.count(sent.is_ok());
        sent
    }

    async fn send(
        &self,
        method: &Method,
        uri: &Uri,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, String> {
        let shared = &self.cluster.0;
        let path = uri.path_and_query().map_or("/", |it| it.as_str());
        let url = format!("{}{path}", self.peer.record.http);
        let request = shared.http.request(method.clone(), url).headers(headers);
        let request = if body.is_empty() { request } else { request.body(body) };
        let patience = self.patience;
        let response = match timeout(patience, request.send()).await {
            Ok(sent) => sent.map_err(|error| told(&error))?,
            Err(_) => return Err(format!("there was no answer within {patience:?}")),
        };
        let (mut parts, body) = axum::http::Response::from(response).into_parts();
        parts.extensions.clear();
        for name in [header::CONNECTION, header::TRANSFER_ENCODING] {
            parts.headers.remove(name);
        }
        Ok(Response::from_parts(parts, Body::new(body)))
    }

    fn dressed(&self, headers: &HeaderMap) -> HeaderMap {
        let mut dressed = headers.clone();
        for name in &OWN {
            dressed.remove(name);
        }
        if let Ok(node) = HeaderValue::try_from(self.cluster.0.members.node()) {
            dressed.insert(FORWARDED, node);
        }
        dressed
    }

    /// Makes a call there. Nothing, if the node was not reached or has not answered.
    pub(crate) async fn call<T, F>(
        &self,
        (ticket, metadata): (&'static str, &MetadataMap),
        event: CloudEvent,
        call: impl FnOnce(Client, Request<CloudEvent>) -> F,
    ) -> Option<Result<T, Status>>
    where
        F: Future<Output = Result<tonic::Response<T>, Status>>,
    {
        let shared = &self.cluster.0;
        let channel = shared.channels.to(self.peer.record.grpc.as_deref()?)?;
        // What the other node may send was limited where it was made.
        let client = Client::new(channel).max_decoding_message_size(usize::MAX);
        let client = client.max_encoding_message_size(usize::MAX);
        let mut request = Request::new(event);
        for name in METADATA.into_iter().chain([ticket]) {
            for value in metadata.get_all(name).iter() {
                request.metadata_mut().append(name, value.clone());
            }
        }
        request.metadata_mut().insert(FORWARDED, shared.members.node().parse().ok()?);
        let answered = timeout(self.patience, call(client, request)).await;
        let answer = match answered {
            Ok(Ok(response)) => Some(Ok(response.into_inner())),
            // What has a cause was made here, because the other node was lost.
            Ok(Err(status)) if std::error::Error::source(&status).is_some() => None,
            Ok(Err(status)) => Some(Err(status)),
            Err(_) => None,
        };
        self.count(answer.is_some());
        answer
    }

    fn count(&self, is_answered: bool) {
        let outcome = if is_answered { "answered" } else { "unreachable" };
        self.cluster.0.metrics.count_forwarded(outcome);
    }
}
