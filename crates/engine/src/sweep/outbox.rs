//! Messages on their way out: at least once, the same id each time.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join_all;
use tokio::time::timeout;
use waypost_kernel::{
    ClaimId, Commit, Delivery, MessageChange, MessageRef, Posted, Timestamp, Urgency,
};

use super::Swept;
use crate::{
    engine::Shared,
    error::Error,
    limits::{
        OUTBOX_BATCH, OUTBOX_LEASE, SEND_ATTEMPTS_MAX, SEND_BACKOFF, SEND_BACKOFF_MAX, SEND_TIMEOUT,
    },
    metrics::Metrics,
};

/// The error of a message whose sender disappeared.
const LEASE_EXPIRED: &str = "LEASE_EXPIRED";

/// A way to the outside.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Hands the message over; returns when the receiver has said that it has it.
    ///
    /// # Errors
    /// What went wrong, as `kind: message`.
    async fn send(&self, posted: &Posted) -> Result<(), String>;
}

pub(super) async fn run_once(shared: &Shared, now: Timestamp) -> Result<Swept, Error> {
    let token = shared.ids.claim();
    let posted = shared.store.outbox(token.clone(), OUTBOX_LEASE, OUTBOX_BATCH).await?;
    let sending = posted.into_iter().map(|it| deliver(shared, it, &token, now));
    Ok(Swept::of(join_all(sending).await))
}

async fn deliver(
    shared: &Shared,
    posted: Posted,
    token: &ClaimId,
    now: Timestamp,
) -> Result<(), Error> {
    let result = match &shared.transport {
        // Whether the message went out is not known. It is tried again, after a while.
        _ if posted.lapsed => Err(LEASE_EXPIRED.to_owned()),
        Some(transport) => {
            let late = || Err(format!("TIMEOUT: no answer within {SEND_TIMEOUT:?}"));
            timeout(SEND_TIMEOUT, transport.send(&posted)).await.unwrap_or_else(|_| late())
        }
        None => {
            let (id, event_type) = (&posted.message.id, &posted.message.event_type);
            tracing::info!(%id, %event_type, instance = %posted.key.id, "message (no transport)");
            Ok(())
        }
    };
    let delivery = delivery(result, posted.attempts, now);
    count(shared, &delivery, &posted);
    let message = MessageRef { key: posted.key, id: posted.message.id };
    let settle = MessageChange::Settle { message, token: token.clone(), delivery };
    let commit = Commit { messages: vec![settle], urgency: Urgency::Finish, ..Commit::default() };
    shared.store.commit(commit).await?;
    Ok(())
}

fn delivery(result: Result<(), String>, attempts: u32, now: Timestamp) -> Delivery {
    match result {
        Ok(()) => Delivery::Sent,
        Err(error) if attempts + 1 >= SEND_ATTEMPTS_MAX => Delivery::Dead { error },
        Err(error) => Delivery::Failed { retry_at: now + backoff(attempts + 1), error },
    }
}

fn backoff(attempt: u32) -> Duration {
    let doublings = attempt.saturating_sub(1).min(30);
    SEND_BACKOFF.saturating_mul(1 << doublings).min(SEND_BACKOFF_MAX)
}

fn count(shared: &Shared, delivery: &Delivery, posted: &Posted) {
    let (outcome, error) = match delivery {
        Delivery::Sent => ("sent", None),
        Delivery::Failed { error, .. } => ("failed", Some(error)),
        Delivery::Dead { error } => ("dead", Some(error)),
    };
    Metrics::count(&shared.metrics.messages, outcome);
    if let Some(error) = error {
        let attempts = posted.attempts + 1;
        tracing::warn!(id = %posted.message.id, attempts, outcome, error, "message not delivered");
    }
}
