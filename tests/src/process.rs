//! Processes as a client and a worker see them, over either wire.

mod crash;
mod grpc;
mod loan;
mod rest;

use async_trait::async_trait;
use serde_json::Value;

pub use self::{
    crash::{Ledger, Press, Verdict},
    grpc::Grpc,
    loan::{Loan, definitions},
    rest::Rest,
};

/// A job that was polled.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// What is to be done.
    pub job_type: String,
    /// The instance it belongs to.
    pub instance: String,
    /// What the worker is told.
    pub variables: Value,
}

/// Where an instance stands.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its id.
    pub id: String,
    /// Its status.
    pub status: String,
    /// The last step it came to.
    pub last_step: String,
}

/// What a client and a worker do, whatever the wire.
#[async_trait]
pub trait Wire: Send + Sync {
    /// Uploads a definition.
    async fn upload(&self, definition: &Value);
    /// Starts an instance under a business key; gives its id.
    async fn start(&self, definition: &str, key: &str, variables: &Value) -> String;
    /// Takes whatever there is to do.
    async fn poll(&self, job_types: &[&str]) -> Vec<Job>;
    /// Has done a job.
    async fn complete(&self, job: &str, variables: &Value);
    /// Completes a person's task.
    async fn complete_task(&self, instance: &str, step: &str, variables: &Value);
    /// The instances of a definition under a business key.
    async fn find(&self, definition: &str, key: &str) -> Vec<Seen>;
}
