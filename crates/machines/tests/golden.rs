//! Stored states and events, as files: they must be read for as long as there are chains.
//!
//! `golden/<version>` holds what that version wrote. The newest folder is written by this test when
//! `UPDATE_EXPECT=1`; the folder of a released version is never changed again.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{collections::BTreeSet, fmt::Debug, fs, path::Path};

use expect_test::expect_file;
use indexmap::IndexMap;
use serde::{Serialize, de::DeserializeOwned};
use waypost_kernel::{Json, Lease, Note, Timestamp};
use waypost_machines::chain::{
    Event, Held, ReportKind, Settled, Signal, State, Status, Step, StepStatus, TaskType,
};

/// Members that are the user's own.
const DOCUMENTS: [&str; 3] = ["context", "payload", "patch"];

#[test]
fn what_is_written_today_is_read_tomorrow() {
    for (name, state) in states() {
        check(&format!("state-{name}"), &state);
    }
    for (name, event) in events() {
        check(&format!("event-{name}"), &event);
    }
}

#[test]
fn what_was_ever_written_can_be_read() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let versions = fs::read_dir(golden).unwrap();
    for file in versions.flat_map(|version| fs::read_dir(version.unwrap().path()).unwrap()) {
        let path = file.unwrap().path();
        let stored = Json::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        match name.split_once('-').unwrap().0 {
            "state" => drop(stored.read::<State>().unwrap()),
            "event" => drop(stored.read::<Event>().unwrap()),
            other => assert_eq!(other, "state", "{name} is neither a state nor an event"),
        }
    }
}

#[test]
fn what_a_later_version_adds_is_passed_over() {
    for (name, state) in states() {
        let later = extended(&Json::of(&state));
        assert_eq!(later.read::<State>().unwrap(), state, "{name}: {later}");
    }
    for (name, event) in events() {
        let mut named: IndexMap<String, Json> = Json::of(&event).read().unwrap();
        named.values_mut().for_each(|it| *it = extended(it));
        let later = Json::of(&named);
        assert_eq!(later.read::<Event>().unwrap(), event, "{name}: {later}");
    }
}

#[test]
fn what_an_earlier_version_did_not_know_has_not_happened() {
    assert_eq!(Json::parse("{}").unwrap().read::<State>().unwrap(), State::default());
    let step = Json::parse(r#"{"steps":[{}]}"#).unwrap().read::<State>().unwrap();
    assert_eq!(step.steps, [Step::default()]);
}

#[test]
fn every_event_has_a_file() {
    let told: BTreeSet<&str> = events().iter().map(|(_, event)| name(event)).collect();
    assert_eq!(told, BTreeSet::from(NAMES));
}

/// The file has this text and this meaning.
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(name: &str, value: &T) {
    let file = expect_file![format!("golden/0.1/{name}.json")];
    file.assert_eq(&format!("{}\n", Json::of(value)));
    let read: T = Json::parse(&file.data()).unwrap().read().unwrap();
    assert_eq!(read, *value, "{name}");
}

/// The same with a member nobody knows in every object.
fn extended(json: &Json) -> Json {
    if let Ok(members) = json.read::<IndexMap<String, Json>>() {
        let added = ("added_later".to_owned(), Json::of(&[1]));
        let known = members.into_iter().map(|(name, it)| {
            let is_own = !DOCUMENTS.contains(&name.as_str());
            let it = if is_own { extended(&it) } else { it };
            (name, it)
        });
        return Json::of(&[added].into_iter().chain(known).collect::<IndexMap<_, _>>());
    }
    match json.read::<Vec<Json>>() {
        Ok(items) => Json::of(&items.iter().map(extended).collect::<Vec<_>>()),
        Err(_) => json.clone(),
    }
}

const NAMES: [&str; 15] = [
    "started",
    "step_ready",
    "step_done",
    "step_waiting",
    "step_woken",
    "step_retried",
    "step_lapsed",
    "step_dead",
    "signal_buffered",
    "signals_discarded",
    "context_patched",
    "completed",
    "failed",
    "canceled",
    "asked",
];

/// A new event needs a name in [`NAMES`] and a file.
const fn name(event: &Event) -> &'static str {
    match event {
        Event::Started { .. } => "started",
        Event::StepReady { .. } => "step_ready",
        Event::StepDone { .. } => "step_done",
        Event::StepWaiting { .. } => "step_waiting",
        Event::StepWoken { .. } => "step_woken",
        Event::StepRetried { .. } => "step_retried",
        Event::StepLapsed { .. } => "step_lapsed",
        Event::StepDead { .. } => "step_dead",
        Event::SignalBuffered { .. } => "signal_buffered",
        Event::SignalsDiscarded { .. } => "signals_discarded",
        Event::ContextPatched { .. } => "context_patched",
        Event::Completed { .. } => "completed",
        Event::Failed { .. } => "failed",
        Event::Canceled { .. } => "canceled",
        Event::Asked(_) => "asked",
    }
}

const fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(1_780_000_000_000_001 + second * 1_000_000)
}

fn held() -> Held {
    Held { token: "0198c0de-0000-7000-8000-000000000001".into(), worker: "app:host:7:0a1b".into() }
}

fn lease() -> Lease {
    let Held { token, worker } = held();
    Lease { token, worker, until: at(30) }
}

fn settled(kind: ReportKind) -> Option<Settled> {
    Some(Settled { token: held().token, kind })
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn signal() -> Signal {
    Signal {
        event_type: "paid".into(),
        event_id: Some("e1".into()),
        payload: Some(json(r#"{"total": 9.90, "big": 123456789012345678901}"#)),
        received_at: at(2),
    }
}

fn bare_signal() -> Signal {
    Signal { event_type: "packed".into(), event_id: None, payload: None, received_at: at(3) }
}

fn step(step_type: &str, status: StepStatus) -> Step {
    let activated_at = (status != StepStatus::Pending).then(|| at(1));
    Step { step_type: step_type.into(), status, max_attempts: 10, activated_at, ..Step::default() }
}

fn chain(status: Status, steps: Vec<Step>) -> State {
    State {
        status,
        workflow_type: "order.process".into(),
        workflow_version: 2,
        current: steps.len() - 1,
        steps,
        started_at: at(0),
        ..State::default()
    }
}

fn states() -> Vec<(&'static str, State)> {
    let done = || step("VALIDATE", StepStatus::Done);
    let dead = Step {
        attempts: 3,
        max_attempts: 3,
        last_error: Some("no \"such\" address: Zürich".into()),
        ..step("SHIP", StepStatus::Dead)
    };
    vec![
        ("running", running(done())),
        ("waiting", waiting()),
        (
            "completed",
            State {
                completed_at: Some(at(9)),
                settled: settled(ReportKind::Completed),
                ..chain(Status::Completed, vec![done()])
            },
        ),
        (
            "failed",
            State {
                failed_at: Some(at(9)),
                settled: settled(ReportKind::Retry),
                ..chain(Status::Failed, vec![done(), dead])
            },
        ),
        (
            "canceled",
            State {
                canceled_at: Some(at(9)),
                cancel_reason: Some("out of stock".into()),
                canceled_under: Some(lease()),
                ..chain(
                    Status::Canceled,
                    vec![Step { next_run_at: Some(at(1)), ..step("VALIDATE", StepStatus::Ready) }],
                )
            },
        ),
    ]
}

fn running(done: Step) -> State {
    let ready = Step {
        attempts: 2,
        task_type: TaskType::WaitingTimeout,
        lapses: 1,
        next_run_at: Some(at(5)),
        last_error: Some("LEASE_EXPIRED".into()),
        wake: Some(signal()),
        ..step("SHIP", StepStatus::Ready)
    };
    State {
        current: 1,
        biz_key: Some("o-17".into()),
        context: Some(json(r#"{"total": 9.90, "items":[1,2]}"#)),
        signals: vec![signal(), bare_signal()],
        seen: vec!["e0".into(), "e1".into()],
        settled: settled(ReportKind::Waiting),
        ..chain(Status::Running, vec![done, ready, step("CLOSE", StepStatus::Pending)])
    }
}

fn waiting() -> State {
    let waiting = Step {
        waiting_event_type: Some("paid".into()),
        deadline_at: Some(at(60)),
        ..step("VALIDATE", StepStatus::Waiting)
    };
    State { settled: settled(ReportKind::Waiting), ..chain(Status::Running, vec![waiting]) }
}

fn events() -> Vec<(&'static str, Event)> {
    let mut all = step_events();
    all.extend(chain_events());
    all
}

fn step_events() -> Vec<(&'static str, Event)> {
    let waiting = |deadline_at| Event::StepWaiting {
        step: 1,
        event_type: "paid".into(),
        deadline_at,
        by: held(),
    };
    let woken = |signal, buffered| Event::StepWoken { step: 1, signal, at: at(2), buffered };
    let dead = |by| Event::StepDead { step: 1, error: "LEASE_EXHAUSTED".into(), by };
    let retried =
        Event::StepRetried { step: 1, next_run_at: at(5), error: "no answer".into(), by: held() };
    vec![
        ("step-ready", Event::StepReady { step: 1, at: at(1) }),
        ("step-done", Event::StepDone { step: 1, by: held() }),
        ("step-waiting", waiting(Some(at(60)))),
        ("step-waiting-bare", waiting(None)),
        ("step-woken", woken(signal(), false)),
        ("step-woken-bare", woken(bare_signal(), true)),
        ("step-retried", retried),
        ("step-lapsed", Event::StepLapsed { step: 1, at: at(31) }),
        ("step-dead", dead(Some((held(), ReportKind::Retry)))),
        ("step-dead-bare", dead(None)),
    ]
}

fn chain_events() -> Vec<(&'static str, Event)> {
    let started = |biz_key, context| Event::Started {
        workflow_type: "order.process".into(),
        workflow_version: 2,
        steps: vec![("VALIDATE".into(), 10), ("SHIP".into(), 3)],
        biz_key,
        context,
        at: at(0),
    };
    let canceled = |reason, under| Event::Canceled { at: at(9), reason, under };
    vec![
        ("started", started(Some("o-17".into()), Some(json(r#"{"total": 9.90}"#)))),
        ("started-bare", started(None, None)),
        ("started-null", started(None, Some(json("null")))),
        ("signal-buffered", Event::SignalBuffered { signal: signal() }),
        ("signal-buffered-bare", Event::SignalBuffered { signal: bare_signal() }),
        ("signals-discarded", Event::SignalsDiscarded { event_type: "paid".into() }),
        ("context-patched", Event::ContextPatched { patch: json(r#"{"total":null,"n": 1.0}"#) }),
        ("completed", Event::Completed { at: at(9) }),
        ("failed", Event::Failed { at: at(9) }),
        ("canceled", canceled(Some("out of stock".into()), Some(lease()))),
        ("canceled-bare", canceled(None, None)),
        ("asked", Event::Asked(Note { by: Some("ann".into()), reason: Some("late".into()) })),
        ("asked-bare", Event::Asked(Note { by: None, reason: Some("late".into()) })),
    ]
}
