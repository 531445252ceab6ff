//! The worker of the chain in `docs/guides/workers-rust.md`: takes orders from step to step.

use std::{sync::Arc, time::Duration};

use waypost_client::{
    Client,
    api::{
        Document,
        chain::{Task, TaskResult},
    },
    worker::{StepFailure, Steps, Verdict, Worker, WorkerOptions, stop_on_signal},
};

async fn validate(task: Arc<Task>) -> Result<Verdict, StepFailure> {
    if task.context.is_none() {
        return Err(StepFailure::fatal("an order without anything in it"));
    }
    Ok(TaskResult::Completed {}.into())
}

/// Waits for the payment, whether it comes before the step or after it.
async fn pay(task: Arc<Task>) -> Result<Verdict, StepFailure> {
    if task.wake.is_none() {
        let waiting_event_type = "PAID".to_owned();
        let timeout_ms = Some(86_400_000);
        let waiting =
            TaskResult::Waiting { waiting_event_type, timeout_ms, discard_buffered: None };
        return Ok(waiting.into());
    }
    let patch = Some(Document::parse(r#"{"paid":true}"#)?);
    Ok(Verdict { patch, ..TaskResult::Completed {}.into() })
}

async fn ship(task: Arc<Task>) -> Result<Verdict, StepFailure> {
    match task.attempts {
        0 => Err(StepFailure::retryable_after(Duration::from_millis(200), "no van is free")),
        _ => Ok(TaskResult::Completed {}.into()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::var("WAYPOST_SERVER").unwrap_or("http://localhost:8080".to_owned());
    let client = Client::new(&url)?;
    let steps = Steps::new()
        .step("rust-order", "VALIDATE", validate)?
        .step("rust-order", "PAY", pay)?
        .step("rust-order", "SHIP", ship)?;
    let worker = Worker::new(&client, steps, WorkerOptions::default());
    worker.run(stop_on_signal()?).await;
    Ok(())
}
