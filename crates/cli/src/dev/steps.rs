//! What the demo workers do: some quickly, some slowly, some not at the first attempt.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::sleep;
use waypost_engine::{
    Error,
    chain::{Outcome, StepFailure, Steps, TaskView, Verdict},
};
use waypost_kernel::{Json, digest};
use waypost_machines::chain::TaskType;

/// The share of customers who forget to pay.
pub(super) const FORGETFUL: f64 = 0.15;
/// How often the scoring service does not answer.
const UNREACHABLE: f64 = 0.4;
/// The share of loans that are refused.
const REFUSED: f64 = 0.2;

/// How long an order waits for its payment.
const PAYMENT_MAX: Duration = Duration::from_secs(30);

/// Chance without dice: a number from zero to one that is always the same for the same text.
#[expect(clippy::cast_precision_loss, reason = "a chance needs no precision")]
pub(super) fn chance(text: &str) -> f64 {
    let number = u64::from_str_radix(&digest(text), 16).unwrap_or_default();
    // The lower digits of the digest are well mixed.
    (number % 10_000) as f64 / 10_000.0
}

/// Steps that take no time to speak of.
pub(super) fn quick() -> Result<Steps, Error> {
    Steps::new()
        .step("order", "VALIDATE", |_| after(40, done(json!({ "valid": true }))))?
        .step("order", "PAY", |task| after(80, pay(&task)))?
        .step("loan", "CHECK_INCOME", |_| after(120, done(json!({ "income": "checked" }))))
}

/// Steps that take a while.
pub(super) fn slow() -> Result<Steps, Error> {
    Steps::new()
        .step("order", "SHIP", |_| after(1_500, done(json!({ "carrier": "post" }))))?
        .step("loan", "SCORE", |task| after(600, score(&task)))?
        .step("loan", "DECIDE", |task| after(900, decide(&task)))?
        .step("loan", "PAY_OUT", |_| after(1_200, done(json!({ "paidOut": true }))))
}

async fn after(millis: u64, verdict: Verdict) -> Result<Verdict, StepFailure> {
    sleep(Duration::from_millis(millis)).await;
    Ok(verdict)
}

fn done(patch: Value) -> Verdict {
    Verdict { patch: Some(Json::of(&patch)), ..Outcome::Completed.into() }
}

fn pay(task: &TaskView) -> Verdict {
    match (task.wake(), task.task_type) {
        (Some(_), _) => done(json!({ "paid": true })),
        (None, TaskType::ReadyStep) => Outcome::Waiting {
            event_type: "PAID".to_owned(),
            timeout: Some(PAYMENT_MAX),
            discard_buffered: false,
        }
        .into(),
        (None, TaskType::WaitingTimeout) => {
            Outcome::Dead { error: format!("NOT_PAID: within {PAYMENT_MAX:?}") }.into()
        }
    }
}

fn score(task: &Arc<TaskView>) -> Verdict {
    let attempt = format!("{}{}", task.token.instance, task.step().attempts);
    match chance(&attempt) {
        roll if roll < UNREACHABLE => {
            let error = "UNREACHABLE: the scoring service did not answer".to_owned();
            Outcome::Retry { backoff: Some(Duration::from_secs(2)), error }.into()
        }
        roll => done(json!({ "score": (roll * 1_000.0).round() })),
    }
}

fn decide(task: &Arc<TaskView>) -> Verdict {
    if chance(task.token.instance.as_str()) < REFUSED {
        return Outcome::Dead { error: "REFUSED: the score is too low".to_owned() }.into();
    }
    done(json!({ "decision": "granted" }))
}
