//! Every route, and how refusals arrive.

use waypost_client::{
    Client, Error,
    api::{
        Document,
        chain::{
            ChangeQuery, ClaimRequest, EventType, HistoryQuery, InstanceQuery, InstanceStatus,
            PageQuery, RenewRequest, ReportRequest, Signal, SignalOutcome, StartInstance,
            StepStatus, TaskResult,
        },
    },
};

use crate::world::{World, definition, order};

fn report(result: TaskResult) -> ReportRequest {
    let worker_id = "w".to_owned();
    ReportRequest { worker_id, result, context_patch: None, outbound_events: None }
}

#[tokio::test]
async fn a_chain_is_driven_by_hand_from_its_definition_to_its_end() {
    let world = World::new(&["VALIDATE", "PAY"]).await;
    let chains = &world.chains;
    assert!(chains.deploy(&definition(&["VALIDATE", "PAY"])).await.unwrap().existed);
    assert_eq!(chains.definitions(&PageQuery::default()).await.unwrap().items.len(), 1);
    assert_eq!(chains.definition("order", 1).await.unwrap().steps.len(), 2);

    let context = Document::parse("{\"b\":1, \"a\":1.50}").unwrap();
    let start = StartInstance { context: Some(context.clone()), ..order() };
    let id = chains.start(&start, Some("k-1")).await.unwrap().instance_id;
    assert_eq!(chains.start(&start, Some("k-1")).await.unwrap().instance_id, id);

    let claim = ClaimRequest::new("w");
    let task = chains.claim(&claim).await.unwrap().pop().unwrap();
    assert_eq!((task.instance_id.as_str(), task.context.unwrap()), (id.as_str(), context));
    let renew = RenewRequest { worker_id: "w".into(), lease_ms: 60_000 };
    let renewed = chains.renew(&task.lease_token, &renew).await.unwrap();
    assert!(renewed.leased_until > task.leased_until);
    chains.release(&task.lease_token, "w").await.unwrap();

    let task = chains.claim(&claim).await.unwrap().pop().unwrap();
    assert_eq!(task.attempts, 0, "giving back costs nothing");
    let done = report(TaskResult::Completed {});
    assert_eq!(chains.report(&task.lease_token, &done).await.unwrap().current_step_type, "PAY");

    let task = chains.claim(&claim).await.unwrap().pop().unwrap();
    let waiting = TaskResult::Waiting {
        waiting_event_type: "PAID".into(),
        timeout_ms: None,
        discard_buffered: None,
    };
    let reported = chains.report(&task.lease_token, &report(waiting)).await.unwrap();
    assert_eq!(reported.step_status, StepStatus::Waiting);
    let awaits = InstanceQuery { awaits: Some("PAID".into()), ..InstanceQuery::default() };
    assert_eq!(chains.list(&awaits).await.unwrap().items.len(), 1);
    let signal = Signal { event_type: "PAID".into(), ..Signal::default() };
    assert_eq!(chains.signal(&id, &signal).await.unwrap(), SignalOutcome::Woken);

    let task = chains.claim(&claim).await.unwrap().pop().unwrap();
    assert_eq!(task.wake.unwrap().event_type, "PAID");
    let reported = chains.report(&task.lease_token, &done).await.unwrap();
    assert_eq!(reported.instance_status, InstanceStatus::Completed);
    let history = chains.history(&id, &HistoryQuery::default()).await.unwrap();
    assert_eq!(history.items.last().unwrap().events.last().unwrap().kind, EventType::Completed);
    let canceled = chains.cancel(&id, Some("too late".into())).await.unwrap();
    assert_eq!(canceled.status, InstanceStatus::Completed);
}

#[tokio::test]
async fn changes_are_followed_and_gone_on_from() {
    let world = World::new(&["A"]).await;
    let id = world.start().await.instance_id;
    let query = ChangeQuery { instance_id: Some(id.clone()), cursor: None };
    let mut changes = world.chains.watch(&query).await.unwrap();
    let change = changes.next().await.unwrap().unwrap();
    assert_eq!((change.instance_id, change.version), (id.clone(), 1));
    let cursor = changes.cursor().map(str::to_owned);
    drop(changes);
    world.chains.cancel(&id, None).await.unwrap();
    let query = ChangeQuery { instance_id: Some(id), cursor };
    let mut changes = world.chains.watch(&query).await.unwrap();
    assert_eq!(changes.next().await.unwrap().unwrap().version, 2);
}

#[tokio::test]
async fn refusals_carry_what_the_server_said() {
    let world = World::new(&["A"]).await;
    let error = world.chains.show("none").await.unwrap_err();
    assert_eq!(error.code(), Some("INSTANCE_NOT_FOUND"));
    assert_eq!(error.problem().unwrap().status, 404);
    assert!(!error.is_retryable());

    let start = StartInstance { biz_key: Some("o-1".into()), ..order() };
    let running = world.chains.start(&start, None).await.unwrap();
    let error = world.chains.start(&start, None).await.unwrap_err();
    assert_eq!(error.code(), Some("DUPLICATE_BIZ_KEY"));
    assert_eq!(error.problem().unwrap().instance_id, Some(running.instance_id));

    let error = world.chains.deploy(&definition(&["A", " "])).await.unwrap_err();
    assert_eq!(error.problem().unwrap().errors.first().unwrap().place, "steps[1].stepType");
    let late = world.chains.release("none~0~none", "w").await.unwrap_err();
    assert_eq!(late.code(), Some("LEASE_LOST"));
}

#[tokio::test]
async fn names_are_part_of_the_path_and_nothing_more() {
    let world = World::new(&["A"]).await;
    for id in ["../../metrics", "a/b", "a?b=c", "ä ö", "%2e"] {
        let error = world.chains.show(id).await.unwrap_err();
        assert_eq!(error.code(), Some("INSTANCE_NOT_FOUND"), "{id}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_no_refusal() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = Client::new(&url).unwrap().chain().show("x").await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    assert!(error.is_retryable());
    for url in ["", "localhost:8080", "ftp://host", "http://"] {
        assert!(matches!(Client::new(url), Err(Error::Address { .. })), "{url}");
    }
}
