//! What holds for any chain, whatever is asked of it and in whatever order.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[path = "chain/invariants.rs"]
mod invariants;
#[path = "chain/world.rs"]
mod world;

use std::{collections::BTreeMap, time::Duration};

use proptest::{
    collection::vec,
    option,
    prelude::{BoxedStrategy, Just, ProptestConfig, Strategy, any},
    prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use waypost_kernel::{Conflict, Json, Lease, Timestamp};
use waypost_machines::chain::{
    Command, Event, Held, LeaseExhaustion, Outbound, Outcome, Policy, Report, Signal, Start,
};

use crate::world::{Refusal, World};

/// How long a lease is.
const LEASE: Duration = Duration::from_secs(10);

/// More rounds than any chain of these stories needs to come to its end.
const ROUNDS_MAX: usize = 100;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The world checks the invariants after every commit.
    #[test]
    fn nothing_breaks_a_chain(policy in policies(), start in starts(), moves in vec(moves(), 0..80)) {
        let world = lived(policy, &start, &moves);
        let left = invariants::signals_left(&world.events);
        prop_assert_eq!(&left, &world.state.signals);
        invariants::survives_storage(&world.state);
    }

    #[test]
    fn the_same_story_has_the_same_end(
        policy in policies(),
        start in starts(),
        moves in vec(moves(), 0..40),
    ) {
        let once = lived(policy.clone(), &start, &moves);
        let again = lived(policy, &start, &moves);
        prop_assert_eq!(once.events, again.events);
        prop_assert_eq!(once.tasks, again.tasks);
    }

    /// Workers that do their duty, and events that come when they are awaited, are all it takes.
    #[test]
    fn a_chain_comes_to_its_end(policy in policies(), start in starts(), moves in vec(moves(), 0..40)) {
        let mut world = lived(policy, &start, &moves);
        let mut rounds = 0;
        while world.state.is_running() && rounds < ROUNDS_MAX {
            help(&mut world);
            rounds += 1;
        }
        prop_assert!(!world.state.is_running(), "still {:?}", world.state);
        prop_assert!(world.tasks.is_empty());
    }
}

/// Something that happens around a chain.
#[derive(Clone, Debug)]
enum Move {
    Ask(Command),
    Claim {
        worker: &'static str,
    },
    /// By the claim that many before the latest; perhaps about another step, or in another name.
    Report {
        before: usize,
        step: Option<usize>,
        worker: Option<&'static str>,
        report: Report,
    },
    Lapse {
        before: usize,
    },
    Release {
        before: usize,
    },
    Wait(Duration),
}

fn lived(policy: Policy, start: &Start, moves: &[Move]) -> World {
    let mut world = World::new(policy);
    submit(&mut world, &Command::Start(start.clone()));
    for one in moves {
        happen(&mut world, one);
    }
    world
}

fn happen(world: &mut World, one: &Move) {
    match one {
        Move::Ask(Command::Wake(signal)) => {
            let received_at = world.now;
            submit(world, &Command::Wake(Signal { received_at, ..signal.clone() }));
        }
        Move::Ask(command) => submit(world, command),
        Move::Claim { worker } => drop(world.claim(worker, LEASE)),
        Move::Report { before, step, worker, report } => {
            let (claimed, mut held) = claimed(world, *before);
            if let Some(worker) = worker {
                held.worker = (*worker).into();
            }
            let step = step.unwrap_or(claimed);
            submit(world, &Command::Report(Report { step, held, ..report.clone() }));
        }
        Move::Lapse { before } => {
            let (step, held) = claimed(world, *before);
            submit(world, &Command::Lapse { step, token: held.token });
        }
        Move::Release { before } => {
            let (step, held) = claimed(world, *before);
            drop(world.release(step, held));
        }
        Move::Wait(duration) => world.now = world.now + *duration,
    }
}

fn claimed(world: &World, before: usize) -> (usize, Held) {
    let nobody = || (0, Held { token: "c0".into(), worker: "nobody".into() });
    world.claims.iter().rev().nth(before).cloned().unwrap_or_else(nobody)
}

/// What lands had the right to; what does not is refused in one of the ways there are.
fn submit(world: &mut World, command: &Command) {
    let task = world.tasks.get(&world.state.current.to_string().into());
    let (lease, now) = (task.and_then(|it| it.lease.clone()), world.now);
    match world.submit(command) {
        Ok(landed) => {
            let asks = matches!(command, Command::Wake(_) | Command::Cancel { .. });
            assert!(!landed.again || asks, "only they look at leases: {command:?}");
            let decided = &landed.decided;
            if decided.events.is_empty() {
                let effects = decided.scheduled.len() + decided.withdrawn.len();
                assert_eq!(effects + decided.messages.len(), 0, "effects without a cause");
            } else {
                assert!(has_the_right(command, lease.as_ref(), now, &decided.events));
            }
        }
        Err(Refusal::Rejected(rejection)) => assert!(!rejection.detail.is_empty()),
        Err(Refusal::Conflict(conflict)) => {
            let is_final = matches!(conflict, Conflict::Lease(_) | Conflict::NotLapsed(_));
            assert!(is_final, "{command:?}: {conflict:?}");
        }
    }
}

/// Workers act on a lease that is good, recovery on one that is not, and an event does not take a
/// step from a worker.
fn has_the_right(
    command: &Command,
    lease: Option<&Lease>,
    now: Timestamp,
    events: &[Event],
) -> bool {
    match command {
        Command::Start(_) | Command::Cancel { .. } | Command::Asked { .. } => true,
        Command::Report(Report { held, .. }) => lease.is_some_and(|it| {
            it.token == held.token && it.worker == held.worker && it.until >= now
        }),
        Command::Lapse { token, .. } => {
            lease.is_some_and(|it| it.token == *token && it.until < now)
        }
        Command::Wake(_) => {
            lease.is_none() || !events.iter().any(|it| matches!(it, Event::StepWoken { .. }))
        }
    }
}

/// Lets an hour pass, recovers what was lost, and does what there is to do.
fn help(world: &mut World) {
    world.now = world.now + Duration::from_secs(3_600);
    happen(world, &Move::Lapse { before: 0 });
    if world.claim("w1", LEASE).is_some() {
        let (step, held) = claimed(world, 0);
        let outcome = Outcome::Completed;
        let report = Report { step, held, outcome, patch: None, outbound: Vec::new() };
        return submit(world, &Command::Report(report));
    }
    let awaited = world.state.current_step().and_then(|it| it.waiting_event_type.clone());
    if let Some(event_type) = awaited {
        let received_at = world.now;
        let signal = Signal { event_type, event_id: None, payload: None, received_at };
        submit(world, &Command::Wake(signal));
    }
}

fn policies() -> impl Strategy<Value = Policy> {
    let modes = prop_oneof![Just(LeaseExhaustion::Requeue), Just(LeaseExhaustion::MaxAttempts)];
    (modes, any::<bool>(), any::<bool>()).prop_map(|(lease_exhaustion, strict, timed)| Policy {
        lease_exhaustion,
        strict_signals: strict,
        claim_timeouts: timed,
        ..Policy::default()
    })
}

fn starts() -> impl Strategy<Value = Start> {
    let step = (names(), 0..5_u32);
    (vec(step, 1..5), option::of(names()), option::of(documents())).prop_map(
        |(steps, biz_key, context)| Start {
            workflow_type: "order".into(),
            workflow_version: 1,
            steps,
            biz_key,
            context,
        },
    )
}

fn moves() -> BoxedStrategy<Move> {
    let before = || prop_oneof![8 => Just(0_usize), 1 => Just(1), 1 => 0..5_usize];
    let step = prop_oneof![12 => Just(None), 1 => (0..6_usize).prop_map(Some)];
    let worker = prop_oneof![12 => Just(None), 1 => workers().prop_map(Some)];
    let report = (before(), step, worker, reports())
        .prop_map(|(before, step, worker, report)| Move::Report { before, step, worker, report });
    prop_oneof![
        24 => workers().prop_map(|worker| Move::Claim { worker }),
        24 => report,
        16 => signals().prop_map(|signal| Move::Ask(Command::Wake(signal))),
        12 => durations().prop_map(Move::Wait),
        8 => before().prop_map(|before| Move::Lapse { before }),
        5 => before().prop_map(|before| Move::Release { before }),
        1 => option::of(names()).prop_map(|reason| Move::Ask(Command::Cancel { reason })),
        1 => starts().prop_map(|start| Move::Ask(Command::Start(start))),
    ]
    .boxed()
}

fn reports() -> impl Strategy<Value = Report> {
    let no_one = || Held { token: "c0".into(), worker: "nobody".into() };
    let outbound = vec(option::weighted(0.95, outbounds()), 0..3);
    (outcomes(), option::of(documents()), outbound).prop_map(move |(outcome, patch, outbound)| {
        Report { step: 0, held: no_one(), outcome, patch, outbound }
    })
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    let waiting = (names(), option::of(timeouts()), any::<bool>()).prop_map(
        |(event_type, timeout, discard_buffered)| Outcome::Waiting {
            event_type,
            timeout,
            discard_buffered,
        },
    );
    prop_oneof![
        3 => Just(Outcome::Completed),
        6 => waiting,
        4 => (option::of(durations()), names())
            .prop_map(|(backoff, error)| Outcome::Retry { backoff, error }),
        1 => names().prop_map(|error| Outcome::Dead { error }),
    ]
}

fn outbounds() -> impl Strategy<Value = Outbound> {
    let ids = prop_oneof![
        20 => (0..3_u8).prop_map(|it| Some(format!("01980000-0000-7000-8000-{it:012}"))),
        1 => Just(Some("x".into())),
        1 => Just(None),
    ];
    (ids, names(), option::of(documents())).prop_map(|(event_id, event_type, payload)| Outbound {
        event_id,
        event_type,
        occurred_at: Some(world::DAWN),
        payload,
        headers: BTreeMap::new(),
    })
}

fn signals() -> impl Strategy<Value = Signal> {
    let id = option::of((0..8_u8).prop_map(|it| format!("e{it}")));
    (names(), id, option::of(documents())).prop_map(|(event_type, event_id, payload)| Signal {
        event_type,
        event_id,
        payload,
        received_at: world::DAWN,
    })
}

/// Few, so that what is sent is often what is awaited; and one that is none.
fn names() -> impl Strategy<Value = String> {
    prop_oneof![20 => Just("paid"), 10 => Just("packed"), 4 => Just("été 🎉"), 1 => Just(" ")]
        .prop_map(str::to_owned)
}

fn workers() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("w1"), Just("w2")]
}

/// Around the length of a lease, and all that is on its edge.
fn durations() -> impl Strategy<Value = Duration> {
    prop_oneof![
        Just(Duration::ZERO),
        Just(Duration::from_micros(1)),
        Just(Duration::from_secs(1)),
        Just(LEASE),
        Just(LEASE + Duration::from_micros(1)),
    ]
}

fn timeouts() -> impl Strategy<Value = Duration> {
    prop_oneof![5 => durations(), 1 => Just(Duration::MAX)]
}

fn documents() -> impl Strategy<Value = Json> {
    let texts = ["null", "{}", "[1, 2]", r#"{"a":1.10}"#, r#"{"a":{"b":null}}"#, r#"{"a":null}"#];
    (0..texts.len()).prop_map(move |it| Json::parse(texts.get(it).unwrap()).unwrap())
}
