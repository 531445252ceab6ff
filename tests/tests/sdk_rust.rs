//! Workers in Rust, as programs of their own: the loan application with everybody who works on it,
//! and the guide, whose commands are typed and whose programs are those that were built.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]
#![expect(clippy::indexing_slicing, reason = "a missing member of a JSON value is null")]

use std::{
    process::{Child, Command},
    time::Duration,
};

use e2e::{
    binary::{Running, example},
    guide::{Reader, blocks, commands, seen},
    load::text,
    process::{Loan, Rest, Wire as _, definitions},
};
use serde_json::{Value, json};

const GUIDE: &str = include_str!("../../docs/guides/workers-rust.md");
const PROGRAMS: [(&str, &str); 2] = [
    ("price_worker", include_str!("../../crates/client/examples/price_worker.rs")),
    ("chain_worker", include_str!("../../crates/client/examples/chain_worker.rs")),
];

const APPLICATION: &str = "LOS::loan-application-full";
const DISBURSEMENT: &str = "LOS::loan-disbursement-workflow";

/// What usually happens; each row says what is different.
const USUAL: Loan = Loan {
    name: "plain",
    credit_score: 720,
    fraud_score: 0.12,
    amount: 200_000_000,
    review: None,
    approval: None,
    application_end: "end-approved",
    disbursement_end: Some("end-disbursed"),
};
const REFUSED: Loan = Loan { application_end: "end-rejected", disbursement_end: None, ..USUAL };
const LARGE: i64 = 600_000_000;

fn loans() -> [Loan; 8] {
    [
        USUAL,
        Loan { name: "very-good", credit_score: 750, ..USUAL },
        Loan { name: "reviewed", credit_score: 600, review: Some("APPROVED"), ..USUAL },
        Loan { name: "refused", credit_score: 600, review: Some("REJECTED"), ..REFUSED },
        Loan { name: "low-score", credit_score: 499, ..REFUSED },
        Loan { name: "fraud", fraud_score: 0.9, ..REFUSED },
        Loan { name: "large", amount: LARGE, approval: Some("APPROVED"), ..USUAL },
        Loan {
            name: "too-large",
            amount: LARGE,
            approval: Some("REJECTED"),
            disbursement_end: Some("end-disbursement-rejected"),
            ..USUAL
        },
    ]
}

/// A program that works beside the test, and is killed with it.
struct Worker(Child);

impl Worker {
    /// The worker of loans: it polls for jobs, or has them pushed.
    fn start(server: &Running, is_pushed: bool) -> Self {
        let mut command = Command::new(example("waypost-client", "loan_worker"));
        command.env("WAYPOST_SERVER", &server.url).env_remove("WAYPOST_GRPC_URL");
        if is_pushed {
            let url = format!("http://{}", server.grpc.as_deref().unwrap());
            command.env("WAYPOST_GRPC_URL", url);
        }
        Self(command.spawn().unwrap())
    }

    /// Asks it to end; it must end well.
    fn stop(mut self) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(self.0.wait().unwrap().success(), "it has not ended well");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// The bank as its clients and officers see it.
struct Bank(Rest);

impl Bank {
    /// Looks until there is something.
    async fn until<T>(&self, what: &str, look: impl AsyncFn() -> Option<T>) -> T {
        for _ in 0..600 {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        unreachable!("never seen: {what}")
    }

    async fn apply(&self, loan: &Loan) -> String {
        let variables = json!({
            "applicantId": loan.name, "loanAmount": loan.amount,
            "applicantEmail": format!("{}@example.com", loan.name),
            "bureau": { "creditScore": loan.credit_score, "fraudScore": loan.fraud_score },
        });
        self.0.start(APPLICATION, loan.name, &variables).await
    }

    /// A person decides, as soon as they are asked to.
    async fn decide(&self, id: &str, step: &str, variables: &Value) {
        let is_asked = async || {
            let shown = self.0.get(&format!("/v1/instances/{id}")).await;
            shown["currentStepIds"].as_array()?.iter().any(|it| *it == step).then_some(())
        };
        self.until(step, is_asked).await;
        self.0.complete_task(id, step, variables).await;
    }

    /// Where the instance of a loan has ended, and its id.
    async fn ended(&self, definition: &str, loan: &Loan) -> (String, String) {
        let has_ended = async || {
            let seen = self.0.find(definition, loan.name).await.pop()?;
            (seen.status == "COMPLETED").then_some((seen.last_step, seen.id))
        };
        self.until(loan.name, has_ended).await
    }

    async fn follow(&self, loan: &Loan) {
        let id = self.apply(loan).await;
        if let Some(decision) = loan.review {
            self.decide(&id, "manual-review-task", &json!({ "reviewDecision": decision })).await;
        }
        assert_eq!(self.ended(APPLICATION, loan).await.0, loan.application_end, "{}", loan.name);
        let Some(disbursement_end) = loan.disbursement_end else { return };
        let follows = async || Some(self.0.find(DISBURSEMENT, loan.name).await.pop()?.id);
        let next = self.until(DISBURSEMENT, follows).await;
        if let Some(decision) = loan.approval {
            self.decide(&next, "senior-approval-task", &json!({ "seniorDecision": decision }))
                .await;
        }
        let (end, _) = self.ended(DISBURSEMENT, loan).await;
        assert_eq!(end, disbursement_end, "{}", loan.name);
        let shown = self.0.get(&format!("/v1/instances/{next}")).await;
        assert_eq!(text(&shown["parentInstanceId"]), id);
        if end == "end-disbursed" {
            assert_eq!(text(&shown["variables"]["transferRef"]), format!("TXN-{}", loan.name));
        }
    }
}

async fn loans_end_as_they_should(is_pushed: bool) {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--store", "sqlite:w.db", "--grpc", "127.0.0.1:0"];
    let server = Running::serve(folder.path(), &args);
    let bank = Bank(Rest::new(&server.url));
    for definition in definitions() {
        bank.0.upload(&definition).await;
    }
    let worker = Worker::start(&server, is_pushed);
    for loan in loans() {
        bank.follow(&loan).await;
    }
    worker.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_in_rust_take_loans_to_every_end() {
    loans_end_as_they_should(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_in_rust_to_which_jobs_are_pushed_take_loans_to_every_end() {
    loans_end_as_they_should(true).await;
}

#[test]
fn every_command_of_the_rust_guide_does_what_it_says() {
    let mut script = commands(GUIDE);
    assert!(script.matches("waypost ").count() > 8, "{script}");
    for (name, _) in PROGRAMS {
        let typed = format!("cargo run --quiet --package waypost-client --example {name} &");
        assert!(script.contains(&typed), "{name} is not run");
        let built = format!("{} &", example("waypost-client", name).display());
        script = script.replace(&typed, &built);
    }
    let told = ["1350", "the worker has ended well", "no van is free", "\"paid\":true"];
    seen(&Reader::new().types(&script), &told);
}

#[test]
fn the_programs_of_the_rust_guide_are_those_that_were_built() {
    let shown = blocks(GUIDE, "rust,ignore");
    let built = PROGRAMS.map(|(_, program)| program.split_once("\n\n").unwrap().1);
    assert_eq!(shown, built);
}
