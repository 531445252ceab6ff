//! The workers of `examples/loan-application.json` and of the disbursement that follows it.
//!
//! What the bureau and the fraud department say comes from the variable `bureau` of the
//! application: `{"creditScore": 600, "fraudScore": 0.9}`. They are away at the first attempt.
//! If `WAYPOST_GRPC_URL` says where the server speaks gRPC, jobs are pushed from there.

use std::sync::Arc;

use serde_json::{Value, json};
use waypost_client::{
    Client,
    api::process::Job,
    worker::{JobFailure, JobWorker, Jobs, WorkerOptions, stop_on_signal},
};

/// How often the steps that ask others are tried again.
const RETRIES: u32 = 3;

fn given<'a>(job: &'a Job, name: &str) -> Result<&'a Value, JobFailure> {
    let value = job.variables.get(name);
    value.ok_or_else(|| JobFailure::fatal(format!("{name} is missing")))
}

/// What others say about the applicant, or what they say about most.
fn said(job: &Job, name: &str, usual: Value) -> Result<Value, JobFailure> {
    if job.retries_remaining == RETRIES {
        return Err(JobFailure::retryable("nobody answers"));
    }
    let bureau = job.variables.get("bureau");
    let said = bureau.and_then(|it| it.get(name)).cloned().unwrap_or(usual);
    Ok(json!({ name: said }))
}

fn reference(job: &Job, kind: &str) -> Result<String, JobFailure> {
    let applicant = given(job, "applicantId")?.as_str();
    let applicant = applicant.ok_or_else(|| JobFailure::fatal("applicantId is no text"))?;
    Ok(format!("{kind}-{applicant}"))
}

async fn validate(job: Arc<Job>) -> Result<Value, JobFailure> {
    Ok(json!({
        "applicantId": given(&job, "applicantId")?,
        "loanAmount": given(&job, "loanAmount")?,
        "applicantEmail": given(&job, "applicantEmail")?,
    }))
}

fn jobs() -> Result<Jobs, waypost_client::Error> {
    Jobs::new()
        .job("validate-application", validate)?
        .job("credit-score", |job| async move { said(&job, "creditScore", json!(720)) })?
        .job("fraud-screen", |job| async move { said(&job, "fraudScore", json!(0.12)) })?
        .job(
            "approve-loan",
            |job| async move { Ok(json!({ "loanId": reference(&job, "LOAN")? })) },
        )?
        .job("escalate-review", |_| async { Ok(()) })?
        .job("prepare-disbursement", |job| async move {
            Ok(json!({ "disbursementId": reference(&job, "DISB")? }))
        })?
        .job("transfer-funds", |job| async move {
            Ok(json!({ "transferRef": reference(&job, "TXN")? }))
        })?
        .job("notify-disbursement", |job| async move { given(&job, "applicantEmail").map(|_| ()) })?
        .job("notify-approval-overdue", |_| async { Ok(()) })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::var("WAYPOST_SERVER").unwrap_or("http://localhost:8080".to_owned());
    let mut worker = JobWorker::new(&Client::new(&url)?, jobs()?, WorkerOptions::default());
    if let Ok(url) = std::env::var("WAYPOST_GRPC_URL") {
        worker = worker.pushed(&url)?;
    }
    worker.run(stop_on_signal()?).await;
    Ok(())
}
