//! One question on its way to another node, and what came back.

use std::time::Duration;

use axum::http::header::CONTENT_TYPE;
use reqwest::Response;
use tokio::time::timeout;
use waypost_machines::entity::cascade::Asked;

use super::{
    node::Cluster,
    record::Peer,
    seal::{About, Number},
};
use crate::compute::peer::{Offered, Outcome};

/// What sealed questions and answers are called.
pub(super) const SEALED: &str = "application/cyoda-dispatch-v1";
/// When a question was sealed, in seconds since 1970.
pub(super) const SENT_AT: &str = "x-dispatch-timestamp";
/// Bytes of a question or an answer. An entity may have ten million, and a text within a text may
/// take twice its room; more was not made by a node.
pub(super) const MESSAGE_MAX: usize = 32 << 20;

pub(super) const PROCESSOR: &str = "/internal/dispatch/processor";
pub(super) const CRITERIA: &str = "/internal/dispatch/criteria";

/// How much longer than the member the other node may take: it answers in any case, unless it is
/// gone.
const MARGIN: Duration = Duration::from_secs(5);

/// What came of a question to another node.
pub(super) enum Hop {
    /// The node has answered.
    Answered(Outcome),
    /// Nobody was asked: the node was not reached, or did not take the question. Says why.
    Refused(String),
    /// Nobody knows whether a member was asked. Says why.
    Lost(String),
}

/// A question as nodes send it.
pub(super) struct Parcel {
    path: &'static str,
    text: Vec<u8>,
    patience: Duration,
}

impl Parcel {
    /// A question that a member may think about for so long.
    pub(super) fn new(asked: &Asked, offered: &Offered, patience: Duration) -> Self {
        let path = match asked {
            Asked::Processor { .. } => PROCESSOR,
            Asked::Function { .. } => CRITERIA,
        };
        let text = serde_json::to_vec(offered).expect("a question has a JSON form");
        Self { path, text, patience: patience.saturating_add(MARGIN) }
    }
}

impl Cluster {
    /// Has the other node ask one of its members. Dropping the future takes the question back.
    pub(super) async fn hop(&self, peer: &Peer, parcel: &Parcel) -> Hop {
        match timeout(parcel.patience, self.carry(peer, parcel)).await {
            Ok(hop) => hop,
            Err(_) => {
                let (name, patience) = (&peer.name, parcel.patience);
                Hop::Lost(format!("node {name} has not answered within {patience:?}"))
            }
        }
    }

    async fn carry(&self, peer: &Peer, parcel: &Parcel) -> Hop {
        let (name, sent_at) = (&peer.name, self.seconds());
        let about = About { path: parcel.path, sent_at, answers: None };
        let (number, sealed) = self.0.seal.close(about, parcel.text.clone());
        let sent = self
            .0
            .http
            .post(format!("{}{}", peer.record.http, parcel.path))
            .header(CONTENT_TYPE, SEALED)
            .header(SENT_AT, sent_at)
            .body(sealed)
            .send()
            .await;
        let response = match sent {
            Ok(response) => response,
            Err(error) if error.is_connect() || error.is_builder() => {
                return Hop::Refused(format!("node {name} cannot be reached: {}", told(&error)));
            }
            Err(error) => return Hop::Lost(format!("node {name} was lost: {}", told(&error))),
        };
        let status = response.status().as_u16();
        if status != 200 {
            return Hop::Refused(format!("node {name} has not taken the question: {status}"));
        }
        self.read(response, About { answers: Some(&number), ..about })
            .await
            .map_or_else(|why| Hop::Lost(format!("the answer of node {name} {why}")), Hop::Answered)
    }

    async fn read(&self, mut response: Response, about: About<'_>) -> Result<Outcome, String> {
        let mut sealed = Vec::new();
        while let Some(chunk) =
            response.chunk().await.map_err(|error| format!("broke off: {}", told(&error)))?
        {
            if sealed.len() + chunk.len() > MESSAGE_MAX {
                return Err(format!("has more than {MESSAGE_MAX} bytes"));
            }
            sealed.extend_from_slice(&chunk);
        }
        let (_, text): (Number, _) = self
            .0
            .seal
            .open(about, &sealed)
            .ok_or_else(|| "is not sealed with the secret of this node".to_owned())?;
        serde_json::from_slice(&text).map_err(|error| format!("makes no sense: {error}"))
    }

    /// The time now. Nodes share a store, and so they share its clock.
    pub(super) fn seconds(&self) -> i64 {
        self.0.store.now().as_micros().div_euclid(1_000_000)
    }
}

/// What went wrong, down to its cause.
pub(super) fn told(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    text
}
