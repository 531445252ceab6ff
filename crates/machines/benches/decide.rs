//! What one decision costs: a report that completes a step, with its state and events written out.

use std::{collections::BTreeMap, hint::black_box};

use criterion::{Criterion, criterion_group, criterion_main};
use waypost_kernel::{Json, Key, Kind, Machine, Timestamp, Turn};
use waypost_machines::{
    chain::{Chain, Command, Held, Outcome, Policy, Report, Start, State},
    process::{self, Graph, Process, Source, expression::Coercion},
};

fn key() -> Key {
    Key::new("default".into(), Kind::Chain, "0192f3a4-5b6c-7d8e-9f01-23456789abcd".into())
}

fn started(policy: &Policy, key: &Key) -> State {
    let leases = BTreeMap::new();
    let mut turn = Turn::<Chain>::new(key, policy, State::default(), Timestamp::EPOCH, &leases);
    let start = Start {
        workflow_type: "order".into(),
        workflow_version: 1,
        steps: (0..6).map(|step| (format!("STEP-{step}"), 10)).collect(),
        biz_key: Some("o-1".into()),
        context: Json::parse(r#"{"customer":"c-1","amount":1299.90,"lines":[{"sku":"A"}]}"#).ok(),
    };
    Chain::decide(&mut turn, Command::Start(start)).expect("a chain can be started");
    turn.finish().state
}

fn report() -> Command {
    Command::Report(Report {
        step: 0,
        held: Held { token: "5e0c".into(), worker: "app:host:1:abcd".into() },
        outcome: Outcome::Completed,
        patch: None,
        outbound: Vec::new(),
    })
}

fn decide(criterion: &mut Criterion) {
    let (policy, key, leases) = (Policy::default(), key(), BTreeMap::new());
    let state = started(&policy, &key);
    let stored = Json::of(&state);
    criterion.bench_function("chain: decide a report", |bench| {
        bench.iter(|| {
            let now = Timestamp::from_millis(1);
            let mut turn = Turn::<Chain>::new(&key, &policy, state.clone(), now, &leases);
            Chain::decide(&mut turn, report()).expect("the report fits");
            black_box(turn.finish().state.current)
        });
    });
    criterion.bench_function("chain: write a state", |bench| {
        bench.iter(|| black_box(Json::of(black_box(&state)).as_str().len()));
    });
    criterion.bench_function("chain: read a state", |bench| {
        bench.iter(|| black_box(stored.read::<State>().expect("it was written").current));
    });
}

/// Three service tasks in a row.
fn series() -> Graph {
    let text = r#"{"id":"order","name":"Order","steps":[
        {"id":"validate","name":"V","type":"SERVICE_TASK","jobType":"VALIDATE","nextStep":"pack"},
        {"id":"pack","name":"P","type":"SERVICE_TASK","jobType":"PACK","nextStep":"ship"},
        {"id":"ship","name":"S","type":"SERVICE_TASK","jobType":"SHIP","nextStep":"end"},
        {"id":"end","name":"E","type":"END"}]}"#;
    let source = Source::parse(text).expect("it is a definition");
    Graph::new(&source, 1, Coercion::On).expect("the definition is sound")
}

fn variables(text: &str) -> process::Variables {
    Json::parse(text).and_then(|it| it.read()).expect("it is an object")
}

fn decided(
    graph: &Graph,
    key: &Key,
    state: process::State,
    command: process::Command,
) -> process::State {
    let leases = BTreeMap::new();
    let mut turn = Turn::<Process>::new(key, graph, state, Timestamp::from_millis(1), &leases);
    Process::decide(&mut turn, command).expect("the command fits");
    turn.finish().state
}

fn decide_process(criterion: &mut Criterion) {
    let key = Key::new("default".into(), Kind::Process, "01KBA000000000000000000000".into());
    let graph = series();
    let start = process::Start {
        variables: variables(r#"{"customer":"c-1","amount":1299.90,"lines":[{"sku":"A"}]}"#),
        ..process::Start::default()
    };
    let state = decided(&graph, &key, process::State::default(), process::Command::Start(start));
    let report = || process::Command::Complete {
        task: 2,
        worker: "w1".into(),
        output: variables(r#"{"weight":1.5,"packed":true}"#),
    };
    let command = report();
    criterion.bench_function("process: decide a report", |bench| {
        bench.iter(|| black_box(decided(&graph, &key, state.clone(), command.clone()).last));
    });
    let state = decided(&graph, &key, state, report());
    let stored = Json::of(&state);
    criterion.bench_function("process: write a state", |bench| {
        bench.iter(|| black_box(Json::of(black_box(&state)).as_str().len()));
    });
    criterion.bench_function("process: read a state", |bench| {
        bench.iter(|| black_box(stored.read::<process::State>().expect("it was written").last));
    });
}

criterion_group!(benches, decide, decide_process);
criterion_main!(benches);
