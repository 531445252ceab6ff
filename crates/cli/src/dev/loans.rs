//! Loans that are applied for, scored, reviewed and paid out by themselves, slowly enough to watch.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;
use waypost_engine::{
    Engine, Error,
    process::{ListProcesses, Processes, StartProcess, UserTaskView, Variables},
};

use super::{offices, steps::chance};
use crate::exit::Failure;

/// The example definitions. The one that follows comes first.
const EXAMPLES: [&str; 2] = [
    include_str!("../../../../examples/loan-disbursement.json"),
    include_str!("../../../../examples/loan-application.json"),
];

/// How long until the next application.
const PAUSE: Duration = Duration::from_secs(3);
/// No more than this: the store is on somebody's temporary disk.
const APPLICATIONS_MAX: u32 = 2_000;

/// Everybody's account; one in so many applications has a digit less.
const ACCOUNT: &str = "DE89370400440532013000";
const FLAWED: u32 = 12;

/// How long people take to look at a case.
const LOOKING: Duration = Duration::from_secs(5);
/// The share of cases that people refuse.
const REFUSED: f64 = 0.25;

/// Deploys the examples.
pub(super) async fn deploy(engine: &Engine) -> Result<(), Failure> {
    for text in EXAMPLES {
        engine.process().deploy(text).await?;
    }
    Ok(())
}

/// Applies, works and decides for ever.
pub(super) async fn run(engine: &Engine) {
    let processes = engine.process();
    tokio::join!(apply(&processes), decide(engine, &processes), offices::run(&processes));
}

async fn apply(processes: &Processes) {
    for number in 1..=APPLICATIONS_MAX {
        if let Err(error) = start(processes, number).await {
            tracing::warn!(%error, "a demo application could not be started");
        }
        sleep(PAUSE).await;
    }
}

/// Amounts differ so that some need a senior's approval. Now and then somebody leaves out a digit of
/// the account, which shows when money is to go there.
async fn start(processes: &Processes, number: u32) -> Result<(), Error> {
    let applicant = format!("APP-{number:05}");
    let is_flawed = number % FLAWED == 2;
    let variables = json!({
        "applicantId": applicant,
        "applicantEmail": format!("applicant-{number}@example.com"),
        "account": if is_flawed { &ACCOUNT[..ACCOUNT.len() - 1] } else { ACCOUNT },
        "loanAmount": 50_000_000_u64 * u64::from(if is_flawed { 3 } else { number * 7 % 17 + 1 }),
    });
    let start = StartProcess {
        definition: "LOS::loan-application-full".to_owned(),
        variables: members(variables),
        business_key: Some(applicant),
        ..StartProcess::default()
    };
    processes.start(start).await.map(drop)
}

/// Underwriters and senior officers, who take their time.
async fn decide(engine: &Engine, processes: &Processes) {
    loop {
        sleep(Duration::from_secs(1)).await;
        if let Err(error) = decide_once(engine, processes).await {
            tracing::warn!(%error, "demo cases could not be decided");
        }
    }
}

async fn decide_once(engine: &Engine, processes: &Processes) -> Result<(), Error> {
    let waiting = ListProcesses { limit: 100, ..ListProcesses::default() };
    let now = engine.store().now();
    for task in processes.user_tasks(&waiting).await?.0 {
        if now.since(task.since) >= LOOKING {
            complete(processes, &task).await?;
        }
    }
    Ok(())
}

async fn complete(processes: &Processes, task: &UserTaskView) -> Result<(), Error> {
    // The next process starts at every END of the one before, also after a rejection.
    let is_refused = &*task.step == "senior-approval-task" && !offices::is_granted(&task.variables);
    let is_refused = is_refused || chance(&task.id) < REFUSED;
    let decision = if is_refused { "REJECTED" } else { "APPROVED" };
    let output = match &*task.step {
        "senior-approval-task" => json!({ "seniorDecision": decision }),
        _ => json!({ "reviewDecision": decision }),
    };
    processes.complete_user_task(&task.instance.id, &task.step, members(output)).await
}

/// The variables an object stands for.
pub(super) fn members(object: serde_json::Value) -> Variables {
    serde_json::from_value(object).unwrap_or_default()
}
