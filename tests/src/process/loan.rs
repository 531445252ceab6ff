//! The loan applications everybody knows, with what their workers and officers do.

use serde_json::{Value, json};

use super::{Job, Rest, Wire};

/// All that programs are asked to do.
const JOB_TYPES: &[&str] = &[
    "validate-application",
    "credit-score",
    "fraud-screen",
    "approve-loan",
    "escalate-review",
    "prepare-disbursement",
    "transfer-funds",
    "notify-disbursement",
    "notify-approval-overdue",
];

/// The two definitions, the one that is started by the other first.
///
/// # Panics
/// When an example is not JSON.
#[must_use]
pub fn definitions() -> [Value; 2] {
    let read = |text: &str| serde_json::from_str(text).expect("examples are JSON");
    [
        read(include_str!("../../../examples/loan-disbursement.json")),
        read(include_str!("../../../examples/loan-application.json")),
    ]
}

/// One application, and what becomes of it.
#[derive(Clone, Debug)]
pub struct Loan {
    /// What it is called.
    pub name: &'static str,
    /// What the bureau says.
    pub credit_score: i64,
    /// What the fraud department says.
    pub fraud_score: f64,
    /// How much.
    pub amount: i64,
    /// What the underwriter says, or nothing.
    pub review: Option<&'static str>,
    /// What the senior officer says, or nothing.
    pub approval: Option<&'static str>,
    /// Where the application ends.
    pub application_end: &'static str,
    /// Where the disbursement ends, if it starts.
    pub disbursement_end: Option<&'static str>,
}

impl Loan {
    /// Does all that programs are asked for, until there is nothing left; gives what was done.
    pub async fn work(&self, wire: &dyn Wire) -> Vec<Job> {
        let mut done = Vec::new();
        loop {
            let jobs = wire.poll(JOB_TYPES).await;
            if jobs.is_empty() {
                return done;
            }
            for job in jobs {
                wire.complete(&job.id, &self.outcome(&job)).await;
                done.push(job);
            }
        }
    }

    /// Does what programs are asked for, as it comes, until `last` has been done.
    ///
    /// # Panics
    /// When it does not come.
    pub async fn work_until(&self, rest: &Rest, last: &str) {
        loop {
            let jobs = rest.poll_for(JOB_TYPES, 20_000).await;
            assert!(!jobs.is_empty(), "{}: nobody was asked for {last}", self.name);
            for job in jobs {
                rest.complete(&job.id, &self.outcome(&job)).await;
                if job.job_type == last {
                    return;
                }
            }
        }
    }

    fn outcome(&self, job: &Job) -> Value {
        match job.job_type.as_str() {
            "validate-application" => {
                json!({"applicantId": self.name, "loanAmount": self.amount,
                       "applicantEmail": "a@example.com"})
            }
            "credit-score" => json!({"creditScore": self.credit_score}),
            "fraud-screen" => json!({"fraudScore": self.fraud_score}),
            "approve-loan" => json!({"loanId": "LOAN-1"}),
            "prepare-disbursement" => json!({"disbursementId": "DISB-1"}),
            "transfer-funds" => json!({"transferRef": "TXN-1"}),
            _ => json!({}),
        }
    }
}
