//! A worker of the process in `docs/guides/process.md`: prices orders until it is told to stop.

use std::sync::Arc;

use serde_json::{Value, json};
use waypost_client::{
    Client,
    api::process::Job,
    worker::{JobFailure, JobWorker, Jobs, WorkerOptions, stop_on_signal},
};

async fn price(job: Arc<Job>) -> Result<Value, JobFailure> {
    let items = job.variables.get("items").and_then(Value::as_u64);
    let items = items.ok_or_else(|| JobFailure::fatal("items is missing"))?;
    Ok(json!({ "total": items * 450 }))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::var("WAYPOST_SERVER").unwrap_or("http://localhost:8080".to_owned());
    let client = Client::new(&url)?;
    let jobs = Jobs::new().job("price", price)?.job("ship", |_| async { Ok(()) })?;
    let worker = JobWorker::new(&client, jobs, WorkerOptions::default());
    worker.run(stop_on_signal()?).await;
    Ok(())
}
