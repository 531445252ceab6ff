//! What one decision costs: a report that completes a step, with its state and events written out.

use std::{collections::BTreeMap, hint::black_box};

use criterion::{Criterion, criterion_group, criterion_main};
use waypost_kernel::{Json, Key, Kind, Machine, Timestamp, Turn};
use waypost_machines::chain::{Chain, Command, Held, Outcome, Policy, Report, Start, State};

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

criterion_group!(benches, decide);
criterion_main!(benches);
