//! Every process route, and how refusals arrive.

use std::{net::SocketAddr, time::Duration};

use serde_json::{Map, Value, json};
use waypost_client::{
    Callback, Client, DefinitionQuery, ProcessQuery, Processes,
    api::{
        Document,
        process::{
            CompleteJob, CompleteJobs, CompleteUserTask, CompletedJob, FailJob, Heartbeat,
            Instance, InstanceStatus, Job, PollJobs, StartInstance,
        },
    },
};

use crate::world::World;

/// A server with a process of one job deployed.
pub(crate) struct Site {
    pub(crate) client: Client,
    pub(crate) processes: Processes,
    pub(crate) world: World,
}

fn document(value: &Value) -> Document {
    Document::of(value).unwrap()
}

fn members(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

fn scoring(n_retries: u32) -> Value {
    json!({ "id": "T::scoring", "name": "Scoring", "steps": [
        { "id": "score", "name": "Score", "type": "SERVICE_TASK", "jobType": "score",
          "retryCount": n_retries, "nextStep": "end" },
        { "id": "end", "name": "End", "type": "END" },
    ] })
}

impl Site {
    pub(crate) async fn new(n_retries: u32) -> Self {
        Self::at(SocketAddr::from(([127, 0, 0, 1], 0)), n_retries).await
    }

    pub(crate) async fn at(address: SocketAddr, n_retries: u32) -> Self {
        let world = World::at(address, &["A"]).await;
        let (client, processes) = (world.client.clone(), world.client.process());
        processes.upload(&document(&scoring(n_retries))).await.unwrap();
        Self { client, processes, world }
    }

    pub(crate) async fn start(&self, variables: Value) -> String {
        let start = StartInstance {
            definition_id: Some("T::scoring".into()),
            variables: Some(members(variables)),
            ..StartInstance::default()
        };
        self.processes.start(&start, None).await.unwrap().id
    }

    /// Looks until the process is as wanted.
    pub(crate) async fn until(&self, id: &str, is_so: impl Fn(&Instance) -> bool) -> Instance {
        loop {
            let instance = self.processes.show(id).await.unwrap();
            if is_so(&instance) {
                return instance;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Looks until the lease of a job was prolonged to end that long after the first sight.
    pub(crate) async fn until_lease_of(&self, id: &str, beyond: Duration) {
        let first = self.world.clock();
        let beyond = i64::try_from(beyond.as_micros()).unwrap();
        loop {
            let until = self.world.lease_until(id).await;
            if until.is_some_and(|it| it >= first + beyond) {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    async fn poll(&self) -> Vec<Job> {
        let poll = PollJobs {
            worker_id: Some("w".into()),
            job_types: Some(vec!["score".into()]),
            ..PollJobs::default()
        };
        self.processes.poll(&poll).await.unwrap()
    }
}

fn done(variables: Value) -> CompleteJob {
    CompleteJob { worker_id: Some("w".into()), variables: Some(members(variables)) }
}

#[tokio::test]
async fn a_process_is_driven_by_hand_from_its_definition_to_its_end() {
    let site = Site::new(1).await;
    let processes = &site.processes;
    assert_eq!(processes.upload(&document(&scoring(1))).await.unwrap().version, 1);
    assert_eq!(processes.upload(&document(&scoring(2))).await.unwrap().version, 2);
    assert_eq!(processes.definitions(&DefinitionQuery::default()).await.unwrap().total, 1);
    let none = DefinitionQuery { keyword: Some("nothing".into()), ..Default::default() };
    assert_eq!(processes.definitions(&none).await.unwrap().total, 0);
    let first: Value = processes.definition("T::scoring", Some(1)).await.unwrap().read().unwrap();
    assert_eq!(first.pointer("/steps/0/retryCount"), Some(&json!(1)));
    let latest: Value = processes.definition("T::scoring", None).await.unwrap().read().unwrap();
    assert_eq!(latest.get("version"), Some(&json!(2)));

    let id = site.start(json!({ "amount": 1 })).await;
    let job = site.poll().await.pop().unwrap();
    assert_eq!((job.instance_id.as_str(), job.step_id.as_str()), (id.as_str(), "score"));
    let beat = Heartbeat { worker_id: Some("w".into()), lease_seconds: Some(300) };
    assert!(processes.heartbeat(&job.id, &beat).await.unwrap() > job.lock_expires_at);
    let failed = FailJob {
        worker_id: Some("w".into()),
        error_message: Some("not now".into()),
        retryable: Some(true),
    };
    assert_eq!(processes.fail(&job.id, &failed).await.unwrap(), Callback::Accepted);
    let again = site.poll().await.pop().unwrap();
    assert_ne!(again.id, job.id);
    let late = processes.complete(&job.id, &done(json!({}))).await.unwrap();
    assert_eq!(late, Callback::Ignored);
    let taken = processes.complete(&again.id, &done(json!({ "score": 7 }))).await.unwrap();
    assert_eq!(taken, Callback::Accepted);
    let ended = processes.show(&id).await.unwrap();
    assert_eq!(ended.status, InstanceStatus::Completed);
    assert_eq!(*ended.variables, members(json!({ "amount": 1, "score": 7 })));
    let history = processes.history(&id).await.unwrap();
    assert_eq!(history.iter().map(|it| &it.step_id).collect::<Vec<_>>(), ["score", "end"]);
    let completed =
        ProcessQuery { status: Some(InstanceStatus::Completed), ..ProcessQuery::default() };
    assert_eq!(processes.list(&completed).await.unwrap().total, 1);
}

#[tokio::test]
async fn a_failed_step_is_tried_again_and_several_jobs_are_completed_at_once() {
    let site = Site::new(0).await;
    let (first, second) = (site.start(json!({})).await, site.start(json!({})).await);
    let jobs = site.poll().await;
    let failed = FailJob { worker_id: Some("w".into()), ..FailJob::default() };
    site.processes.fail(&jobs[0].id, &failed).await.unwrap();
    let patch = Some(members(json!({ "fixed": true })));
    let retried = site.processes.retry(&first, "score", patch).await.unwrap();
    assert_eq!(retried.status, InstanceStatus::Active);
    let again = site.poll().await.pop().unwrap();
    assert_eq!(again.variables.get("fixed"), Some(&json!(true)));
    let of = |id: &str| CompletedJob { id: id.to_owned(), variables: None };
    let several = CompleteJobs {
        worker_id: Some("w".into()),
        jobs: vec![of(&again.id), of(&jobs[1].id), of(&jobs[0].id)],
    };
    let results = site.processes.complete_several(&several).await.unwrap().results;
    assert_eq!(results.iter().map(|it| it.accepted).collect::<Vec<_>>(), [true, true, false]);
    for id in [first, second] {
        assert_eq!(site.processes.show(&id).await.unwrap().status, InstanceStatus::Completed);
    }
}

#[tokio::test]
async fn people_and_signals_move_a_process_on() {
    let site = Site::new(0).await;
    let processes = &site.processes;
    let definition = json!({ "id": "people", "name": "People", "steps": [
        { "id": "ask", "name": "Ask", "type": "USER_TASK", "nextStep": "again" },
        { "id": "again", "name": "Ask again", "type": "USER_TASK", "nextStep": "wait" },
        { "id": "wait", "name": "Wait", "type": "WAIT", "nextStep": "end" },
        { "id": "end", "name": "End", "type": "END" },
    ] });
    processes.upload(&document(&definition)).await.unwrap();
    let start = StartInstance { definition_id: Some("people".into()), ..Default::default() };
    let id = processes.start(&start, Some("k-1")).await.unwrap().id;
    assert_eq!(processes.start(&start, Some("k-1")).await.unwrap().id, id);
    let variables = Some(members(json!({ "answer": 42 })));
    let task = CompleteUserTask { variables, ..CompleteUserTask::default() };
    processes.complete_user_task(&id, "ask", &task).await.unwrap();
    let open = processes.user_tasks(&ProcessQuery::default()).await.unwrap().items;
    assert_eq!(open.iter().map(|it| &it.step_id).collect::<Vec<_>>(), ["again"]);
    processes.complete_user_task_by_id(&open[0].id, &task).await.unwrap();
    processes.signal(&id, "wait", &members(json!({ "paid": true }))).await.unwrap();
    let ended = processes.show(&id).await.unwrap();
    assert_eq!(*ended.variables, members(json!({ "answer": 42, "paid": true })));
    let error = processes.cancel(&id, Some("too late".into())).await.unwrap_err();
    assert_eq!(error.code(), Some("INSTANCE_ENDED"));
}

#[tokio::test]
async fn refusals_of_processes_carry_what_the_server_said() {
    let site = Site::new(0).await;
    let error = site.processes.show("none").await.unwrap_err();
    assert_eq!(error.code(), Some("INSTANCE_NOT_FOUND"));
    let problem = error.problem().unwrap();
    assert_eq!((problem.status, problem.detail.as_str()), (404, "workflow instance not found"));
    assert_eq!(problem.instance, "/v1/instances/none");
    assert!(!error.is_retryable());

    let unsound =
        json!({ "id": "x", "name": "", "steps": [{ "id": "a", "name": "", "type": "END" }] });
    let error = site.processes.upload(&document(&unsound)).await.unwrap_err();
    assert_eq!(error.code(), Some("DEFINITION_INVALID"));
    assert_eq!(error.problem().unwrap().detail.lines().count(), 3);

    let start = StartInstance {
        definition_id: Some("T::scoring".into()),
        business_key: Some("k".into()),
        ..StartInstance::default()
    };
    site.processes.start(&start, None).await.unwrap();
    let error = site.processes.start(&start, None).await.unwrap_err();
    assert_eq!(error.code(), Some("DUPLICATE_BIZ_KEY"));
    let beat = Heartbeat { worker_id: Some("w".into()), lease_seconds: None };
    let error = site.processes.heartbeat("none", &beat).await.unwrap_err();
    assert_eq!(error.code(), Some("LEASE_LOST"));
}
