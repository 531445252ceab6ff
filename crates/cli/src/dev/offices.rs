//! Who does the jobs of the demo loans: some quickly, some slowly, some not at the first attempt.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{task::JoinSet, time::sleep};
use waypost_engine::{
    Error,
    chain::worker_id,
    process::{Poll, Processes, TaskView, Variables},
};
use waypost_kernel::WorkerId;

use super::{loans::members, steps::chance};

/// How long a job is held; every one of them is done sooner.
const LEASE: Duration = Duration::from_secs(30);
/// How long to wait for work before asking again.
const WAIT: Duration = Duration::from_secs(1);

/// How often a service does not answer, and how often the bank is closed: then somebody has to try
/// again by hand.
const UNREACHABLE: f64 = 0.12;
const CLOSED: f64 = 0.04;

/// Characters of an account.
const ACCOUNT: usize = 22;

/// A worker: its name, what it does, how long that takes, and how much at a time.
struct Office {
    name: &'static str,
    queues: &'static [&'static str],
    effort: Duration,
    concurrency: usize,
}

const OFFICES: [Office; 3] = [
    Office {
        name: "front-desk",
        queues: &["validate-application", "escalate-review", "notify-approval-overdue"],
        effort: Duration::from_millis(150),
        concurrency: 4,
    },
    Office {
        name: "risk",
        queues: &["credit-score", "fraud-screen", "approve-loan"],
        effort: Duration::from_millis(900),
        concurrency: 4,
    },
    Office {
        name: "treasury",
        queues: &["prepare-disbursement", "transfer-funds", "notify-disbursement"],
        effort: Duration::from_millis(1_500),
        concurrency: 2,
    },
];

/// Works for ever.
pub(super) async fn run(processes: &Processes) {
    let [first, second, third] = &OFFICES;
    tokio::join!(work(processes, first), work(processes, second), work(processes, third));
}

async fn work(processes: &Processes, office: &Office) {
    let worker = worker_id(office.name);
    let mut running = JoinSet::new();
    loop {
        let poll = Poll {
            worker: worker.clone(),
            queues: office.queues.iter().map(|it| (*it).to_owned()).collect(),
            max: u32::try_from(office.concurrency - running.len()).unwrap_or(1),
            lease: LEASE,
            wait: WAIT,
        };
        match processes.poll(&poll).await {
            Ok(tasks) => {
                for task in tasks {
                    let (processes, worker) = (processes.clone(), worker.clone());
                    let effort = office.effort;
                    running.spawn(async move { attend(&processes, worker, &task, effort).await });
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a demo worker got no work");
                sleep(WAIT).await;
            }
        }
        while running.len() >= office.concurrency && running.join_next().await.is_some() {}
        while running.try_join_next().is_some() {}
    }
}

async fn attend(processes: &Processes, worker: WorkerId, task: &TaskView, effort: Duration) {
    // From half as long to one and a half times as long.
    sleep(effort.mul_f64(0.5 + chance(&task.id))).await;
    if let Err(error) = report(processes, worker, task).await {
        tracing::warn!(%error, "a demo worker could not report");
    }
}

async fn report(processes: &Processes, worker: WorkerId, task: &TaskView) -> Result<(), Error> {
    let roll = chance(&format!("luck {}", task.id));
    // The next process starts at every END of the one before, also after a rejection.
    if task.queue == "prepare-disbursement" && !is_granted(&task.variables) {
        let reason = Some("the loan was not approved".to_owned());
        return processes.cancel(&task.instance.id, reason).await.map(drop);
    }
    // Notices are always delivered: only what costs money goes wrong.
    if let Some(error) = refusal(task, roll) {
        return processes.fail(&task.id, worker, Some(error), false).await.map(drop);
    }
    if roll < UNREACHABLE && task.retries > 0 {
        let error = Some(format!("{} did not answer", task.queue));
        return processes.fail(&task.id, worker, error, true).await.map(drop);
    }
    processes.complete(&task.id, worker, members(result(task))).await.map(drop)
}

/// Why money cannot be sent, if it cannot.
fn refusal(task: &TaskView, roll: f64) -> Option<String> {
    if task.queue != "transfer-funds" {
        return None;
    }
    let account = account(&task.variables);
    let n = account.chars().count();
    if n != ACCOUNT {
        return Some(format!(
            "account {account:?} has {n} characters, expected {ACCOUNT}: retry with it corrected"
        ));
    }
    (roll < CLOSED).then(|| "the bank was closed for the moment: retry".to_owned())
}

/// Whether somebody has granted the loan.
pub(super) fn is_granted(variables: &Variables) -> bool {
    variables.contains_key("loanId")
}

fn account(variables: &Variables) -> &str {
    variables.get("account").and_then(Value::as_str).unwrap_or_default()
}

/// Scores differ so that every branch is taken. Whoever wrote the account wrongly is scored well,
/// so that it is noticed soon.
fn result(task: &TaskView) -> Value {
    let number = task.id.get(10..21).unwrap_or_default();
    let is_right = account(&task.variables).chars().count() == ACCOUNT;
    let roll = if is_right { chance(&task.visit) } else { 0.85 };
    match task.queue.as_str() {
        "validate-application" => json!({ "valid": true }),
        "credit-score" => json!({ "creditScore": (400.0 + roll * 450.0).round() }),
        "fraud-screen" => json!({ "fraudScore": (roll * 90.0).round() / 100.0 }),
        "approve-loan" => json!({ "loanId": format!("LOAN-{number}") }),
        "prepare-disbursement" => json!({ "disbursementId": format!("DISB-{number}") }),
        "transfer-funds" => json!({ "transferRef": format!("TXN-{number}") }),
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::OFFICES;

    /// A job nobody does would stop its loan for ever.
    #[test]
    fn every_job_of_the_examples_has_an_office() {
        let texts = [
            include_str!("../../../../examples/loan-disbursement.json"),
            include_str!("../../../../examples/loan-application.json"),
        ];
        let mut wanted = BTreeSet::new();
        for text in texts {
            let definition: serde_json::Value = serde_json::from_str(text).unwrap();
            let steps = definition.get("steps").and_then(|it| it.as_array()).unwrap();
            let types = steps.iter().filter_map(|it| it.get("jobType")?.as_str());
            wanted.extend(types.map(str::to_owned));
        }
        let offered = OFFICES.iter().flat_map(|it| it.queues).map(|it| (*it).to_owned());
        assert_eq!(wanted, offered.collect());
    }
}
