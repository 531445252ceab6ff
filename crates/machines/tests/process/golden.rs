//! Stored states and events, as files: they must be read for as long as there are processes.
//!
//! `golden/<version>` holds what that version wrote. The newest folder is written by this test when
//! `UPDATE_EXPECT=1`; the folder of a released version is never changed again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    fs,
    path::Path as FilePath,
    sync::Arc,
};

use expect_test::expect_file;
use indexmap::IndexMap;
use serde::{Serialize, de::DeserializeOwned};
use waypost_kernel::{DefinitionRef, Json, Lease, Note, Timestamp};
use waypost_machines::process::{
    Alarm, Branch, Event, Fork, Path, Phase, Rest, State, Stay, Variables, Visits,
};

use crate::story::variables;

/// Members that are the user's own.
const DOCUMENTS: [&str; 5] = ["variables", "snapshots", "output", "set", "patch"];

/// Members whose own members have names that are given, not defined.
const NAMED: [&str; 4] = ["rest", "visits", "forks", "held"];

#[test]
fn what_is_written_today_is_read_tomorrow() {
    for (name, state) in states() {
        check(&format!("state-{name}"), &state);
    }
    for (name, event) in events() {
        check(&format!("event-{name}"), &event);
    }
    check("alarm-boundary", &Alarm::Boundary { visit: 7, timer: 1 });
    check("alarm-next", &Alarm::Next { definition: "LOS::disbursement".into() });
}

#[test]
fn what_was_ever_written_can_be_read() {
    let golden = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("tests/process/golden");
    let versions = fs::read_dir(golden).unwrap();
    for file in versions.flat_map(|version| fs::read_dir(version.unwrap().path()).unwrap()) {
        let path = file.unwrap().path();
        let stored = Json::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        match name.split_once('-').unwrap().0 {
            "state" => drop(stored.read::<State>().unwrap()),
            "event" => drop(stored.read::<Event>().unwrap()),
            "alarm" => drop(stored.read::<Alarm>().unwrap()),
            other => assert_eq!(other, "state", "{name} is of no known kind"),
        }
    }
}

#[test]
fn what_a_later_version_adds_is_passed_over() {
    for (name, state) in states() {
        let later = extended(&Json::of(&state), true);
        assert_eq!(later.read::<State>().unwrap(), state, "{name}: {later}");
    }
    for (name, event) in events() {
        let mut named: IndexMap<String, Json> = Json::of(&event).read().unwrap();
        named.values_mut().for_each(|it| *it = extended(it, true));
        let later = Json::of(&named);
        assert_eq!(later.read::<Event>().unwrap(), event, "{name}: {later}");
    }
}

#[test]
fn what_an_earlier_version_did_not_know_has_not_happened() {
    assert_eq!(Json::parse("{}").unwrap().read::<State>().unwrap(), State::default());
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

/// The same with a member nobody knows in every object that is a struct.
fn extended(json: &Json, is_struct: bool) -> Json {
    if let Ok(members) = json.read::<IndexMap<String, Json>>() {
        let added = is_struct.then(|| ("added_later".to_owned(), Json::of(&[1])));
        let known = members.into_iter().map(|(name, it)| {
            let it = match DOCUMENTS.contains(&name.as_str()) {
                true => it,
                false => extended(&it, !NAMED.contains(&name.as_str())),
            };
            (name, it)
        });
        return Json::of(&added.into_iter().chain(known).collect::<IndexMap<_, _>>());
    }
    match json.read::<Vec<Json>>() {
        Ok(items) => Json::of(&items.iter().map(|it| extended(it, is_struct)).collect::<Vec<_>>()),
        Err(_) => json.clone(),
    }
}

const NAMES: [&str; 20] = [
    "started",
    "entered",
    "passed",
    "forked",
    "arrived",
    "joined",
    "forgotten",
    "merged",
    "left",
    "fired",
    "interrupted",
    "retried",
    "lapsed",
    "step_failed",
    "stumbled",
    "resumed",
    "completed",
    "failed",
    "canceled",
    "asked",
];

/// A new event needs a name in [`NAMES`] and a file.
const fn name(event: &Event) -> &'static str {
    match event {
        Event::Started { .. } => "started",
        Event::Entered(_) => "entered",
        Event::Passed { .. } => "passed",
        Event::Forked { .. } => "forked",
        Event::Arrived { .. } => "arrived",
        Event::Joined { .. } => "joined",
        Event::Forgotten { .. } => "forgotten",
        Event::Merged { .. } => "merged",
        Event::Left { .. } => "left",
        Event::Fired { .. } => "fired",
        Event::Interrupted { .. } => "interrupted",
        Event::Retried { .. } => "retried",
        Event::Lapsed { .. } => "lapsed",
        Event::StepFailed { .. } => "step_failed",
        Event::Stumbled { .. } => "stumbled",
        Event::Resumed { .. } => "resumed",
        Event::Completed { .. } => "completed",
        Event::Failed { .. } => "failed",
        Event::Canceled { .. } => "canceled",
        Event::Asked(_) => "asked",
    }
}

const fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(1_780_000_000_000_001 + second * 1_000_000)
}

fn lease() -> Lease {
    let token = "0198c0de-0000-7000-8000-000000000001".into();
    Lease { token, worker: "app:host:7:0a1b".into(), until: at(30) }
}

fn known() -> Variables {
    variables(r#"{"total":9.9,"big":18446744073709551615,"items":[1,{"a":null}],"name":"Zürich"}"#)
}

const BRANCH: Branch = Branch { fork: 2, index: 1 };

fn stay(visit: u32, step: &str, branch: Option<Branch>, rest: Rest) -> Stay {
    Stay { visit, step: step.into(), branch, since: at(1), rest }
}

fn stays() -> Vec<Stay> {
    let task = |number, input, held| Rest::Task { number, retries: 3, input, held };
    vec![
        stay(3, "ship", None, task(4, None, None)),
        stay(5, "pack", Some(BRANCH), task(6, Some(5), Some(lease()))),
        stay(7, "approve", Some(BRANCH), Rest::User),
        stay(8, "paid", None, Rest::Signal),
        stay(9, "meet", None, Rest::Join { fork: 2 }),
        stay(10, "decide", Some(BRANCH), Rest::Failed),
    ]
}

fn instance(phase: Phase) -> State {
    let visits = |count, failed, branch| Visits { count, latest: 0, failed, branch };
    State {
        phase,
        definition: DefinitionRef { name: "LOS::loan".into(), version: 2 },
        variables: Arc::new(known()),
        visits: IndexMap::from([
            ("ship".into(), visits(1, false, None)),
            ("decide".into(), visits(2, true, Some(BRANCH))),
        ]),
        last: 10,
        started_at: at(0),
        ..State::default()
    }
}

fn states() -> Vec<(&'static str, State)> {
    let inner =
        Fork { join: "inner".into(), branches: 3, arrived: Vec::new(), outer: Some(BRANCH) };
    let outer = Fork { join: "meet".into(), branches: 2, arrived: vec![0], outer: None };
    let ended = |phase, reason: Option<&str>| State {
        ended_at: Some(at(9)),
        reason: reason.map(str::to_owned),
        ..instance(phase)
    };
    vec![
        ("absent", State::default()),
        (
            "running",
            State {
                business_key: Some("o-17".into()),
                parent: Some("01KBA000000000000000000000".into()),
                stays: stays(),
                snapshots: BTreeMap::from([(5, Arc::new(variables("{}")))]),
                forks: BTreeMap::from([(2, outer), (11, inner)]),
                ..instance(Phase::Running)
            },
        ),
        ("completed", ended(Phase::Completed, None)),
        (
            "failed",
            State {
                stays: stays(),
                pending: vec![
                    Path { step: "later".into(), branch: Some(BRANCH) },
                    Path { step: "sooner".into(), branch: None },
                ],
                ..ended(Phase::Failed, Some("no \"such\" address"))
            },
        ),
        ("canceled", State { stays: stays(), ..ended(Phase::Canceled, Some("")) }),
    ]
}

fn events() -> Vec<(&'static str, Event)> {
    let mut all = paths();
    all.extend(visits());
    all.extend(ends());
    all
}

fn paths() -> Vec<(&'static str, Event)> {
    let passed = |set| Event::Passed { visit: 3, step: "ship".into(), set };
    let made = |outer| Fork { join: "meet".into(), branches: 2, arrived: Vec::new(), outer };
    let arrived = |branch| Event::Arrived { visit: 9, step: "meet".into(), branch, at: at(1) };
    vec![
        ("passed", passed(Some(known()))),
        ("passed-bare", passed(None)),
        ("forked", Event::Forked { fork: 4, made: made(Some(BRANCH)) }),
        ("forked-bare", Event::Forked { fork: 2, made: made(None) }),
        ("arrived", arrived(Some(BRANCH))),
        ("arrived-bare", arrived(None)),
        ("joined", Event::Joined { fork: 2 }),
        ("forgotten", Event::Forgotten { fork: 2 }),
    ]
}

fn visits() -> Vec<(&'static str, Event)> {
    const NAMES: [&str; 6] = [
        "entered-task",
        "entered-task-held",
        "entered-user",
        "entered-signal",
        "entered-join",
        "entered-failed",
    ];
    let entered = NAMES.into_iter().zip(stays().into_iter().map(Event::Entered));
    let merged = |deeply| Event::Merged { visit: 3, output: known(), deeply };
    let stumbled = |branch| Event::Stumbled {
        visit: 10,
        step: "decide".into(),
        branch,
        reason: "no way".into(),
        at: at(1),
    };
    let by = || Some(lease().worker);
    let retried = |by| Event::Retried { visit: 3, task: 11, error: "no answer".into(), by };
    let failed = |by| Event::StepFailed { visit: 3, reason: "no answer".into(), by };
    let others = [
        ("merged", merged(false)),
        ("merged-deeply", merged(true)),
        ("left", Event::Left { visit: 3, by: None }),
        ("left-task", Event::Left { visit: 3, by: by() }),
        ("fired", Event::Fired { visit: 3, timer: 1 }),
        ("interrupted", Event::Interrupted { visit: 3 }),
        ("retried", retried(None)),
        ("retried-task", retried(by())),
        ("lapsed", Event::Lapsed { visit: 3, task: 11 }),
        ("step-failed", failed(None)),
        ("step-failed-task", failed(by())),
        ("stumbled", stumbled(Some(BRANCH))),
        ("stumbled-bare", stumbled(None)),
        ("resumed", Event::Resumed { step: "ship".into(), patch: known() }),
    ];
    entered.chain(others).collect()
}

fn ends() -> Vec<(&'static str, Event)> {
    let started = |business_key, parent, variables| Event::Started {
        definition: DefinitionRef { name: "LOS::loan".into(), version: 2 },
        business_key,
        parent,
        variables,
        at: at(0),
    };
    let failed =
        |held, pending| Event::Failed { at: at(9), reason: "no answer".into(), held, pending };
    let parent = Some("01KBA000000000000000000000".into());
    let pending = vec![Path { step: "later".into(), branch: Some(BRANCH) }];
    vec![
        ("started", started(Some("o-17".into()), parent, known())),
        ("started-bare", started(None, None, Variables::new())),
        ("completed", Event::Completed { at: at(9) }),
        ("failed", failed(BTreeMap::from([(6, lease())]), pending)),
        ("failed-bare", failed(BTreeMap::new(), Vec::new())),
        ("canceled", Event::Canceled { at: at(9), reason: "out of stock".into() }),
        ("asked", Event::Asked(Note { by: Some("ann".into()), reason: Some("late".into()) })),
        ("asked-bare", Event::Asked(Note { by: None, reason: Some("late".into()) })),
    ]
}
