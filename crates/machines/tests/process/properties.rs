//! What holds for any process, whatever its graph, whatever is asked of it and in whatever order.

use std::time::Duration;

use proptest::{
    collection::vec,
    prelude::{BoxedStrategy, Just, ProptestConfig, Strategy, any},
    prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use waypost_kernel::Conflict;
use waypost_machines::process::{Command, Phase, Rest, Start, Stay, Variables};

use crate::{
    notation::graph,
    story::variables,
    world::{Rang, Refusal, World},
};

/// How long a lease is, and a timer.
const LEASE: Duration = Duration::from_secs(10);

/// More rounds than any process of these stories needs to come to its end.
const ROUNDS_MAX: usize = 200;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The world checks the invariants after every commit.
    #[test]
    fn nothing_breaks_a_process(block in blocks(true), moves in vec(moves(), 0..80)) {
        lived(&block, &moves);
    }

    #[test]
    fn the_same_story_has_the_same_end(block in blocks(true), moves in vec(moves(), 0..40)) {
        let (once, again) = (lived(&block, &moves), lived(&block, &moves));
        prop_assert_eq!(once.events, again.events);
        prop_assert_eq!(once.tasks, again.tasks);
        prop_assert_eq!(once.timers, again.timers);
    }

    /// Workers that do their duty, people that answer and failures that are looked after are all
    /// it takes, where no path stops by itself.
    #[test]
    fn a_process_comes_to_its_end(block in blocks(false), moves in vec(moves(), 0..40)) {
        let mut world = lived(&block, &moves);
        let is_over = |world: &World| {
            matches!(world.state.phase, Phase::Completed | Phase::Canceled)
        };
        let mut rounds = 0;
        while !is_over(&world) && rounds < ROUNDS_MAX {
            help(&mut world);
            rounds += 1;
        }
        prop_assert!(is_over(&world), "still {:?}", world.state);
        prop_assert!(world.tasks.is_empty() && world.timers.is_empty());
    }
}

/// A part of a graph with one way in and one way out.
#[derive(Clone, Debug)]
enum Block {
    Task {
        retries: u32,
    },
    User,
    Wait,
    Set,
    Table(&'static str),
    /// One after the other.
    Series(Vec<Block>),
    /// One of three, as `n` says.
    Choice(Vec<Block>),
    /// All of them, meeting again.
    Parallel(Vec<Block>),
    /// Again and again while `n` is small.
    Loop(Box<Block>),
    /// A step with a timer that leads elsewhere, and back to where the step leads.
    Timed {
        wait: bool,
        interrupt: bool,
        elsewhere: Box<Block>,
    },
    /// The way does not go on.
    Stop,
    End,
}

/// Writes blocks in the notation of the stories, from the last to the first.
#[derive(Default)]
struct Writer {
    steps: Vec<String>,
    last: usize,
}

impl Writer {
    fn name(&mut self) -> String {
        self.last += 1;
        format!("s{}", self.last)
    }

    fn step(&mut self, text: &str) -> String {
        let name = self.name();
        self.steps.push(format!("{name} {text}"));
        name
    }

    /// Writes a block that leads to `next`; gives the name of its first step.
    fn write(&mut self, block: &Block, next: &str) -> String {
        match block {
            Block::Task { retries } => {
                let queue = if retries % 2 == 0 { "A" } else { "B" };
                self.step(&format!("task {queue} retries={retries} -> {next}"))
            }
            Block::User => self.step(&format!("user -> {next}")),
            Block::Wait => self.step(&format!("wait -> {next}")),
            Block::Set => self.step(&format!("set -> {next}\nput m = \"${{n + 1}}\"")),
            Block::Table(policy) => self.step(&format!(
                "table {policy} -> {next}\nrule n >= 0 => {{\"k\":1}}\nrule n > 2 => {{\"k\":1}}"
            )),
            Block::Series(blocks) => {
                let write = |next: String, it: &Block| self.write(it, &next);
                blocks.iter().rev().fold(next.to_owned(), write)
            }
            Block::Choice(blocks) => {
                let conditions = ["n == 0", "n == 1", "n > 1"];
                let targets: Vec<String> = blocks.iter().map(|it| self.write(it, next)).collect();
                let ways = targets.iter().zip(conditions);
                let ways: String = ways.map(|(it, when)| format!("\nif {when} -> {it}")).collect();
                self.step(&format!("decide{ways}"))
            }
            Block::Parallel(blocks) => {
                let join = self.step(&format!("join -> {next}"));
                let firsts: Vec<String> = blocks.iter().map(|it| self.write(it, &join)).collect();
                self.step(&format!("fork {} join {join}", firsts.join(" ")))
            }
            Block::Loop(block) => {
                let (first, way) = (self.name(), self.name());
                let body = self.write(block, &way);
                self.steps.push(format!("{way} decide\nif n < 2 -> {first}\nif n >= 2 -> {next}"));
                self.steps.push(format!("{first} task A retries=1 -> {body}"));
                first
            }
            Block::Timed { wait, interrupt, elsewhere } => {
                let target = self.write(elsewhere, next);
                let work = if *wait { "wait" } else { "task B retries=1" };
                let kind = if *interrupt { "interrupt" } else { "after" };
                self.step(&format!("{work} -> {next}\n{kind} PT10S -> {target}"))
            }
            Block::Stop => {
                let end = self.step("end");
                self.step(&format!("task A\nafter PT10S -> {end}"))
            }
            Block::End => self.step("end"),
        }
    }
}

/// The graph in words: a task, the block, and the end.
fn written(block: &Block) -> String {
    let mut writer = Writer::default();
    let end = writer.step("end");
    let first = writer.write(block, &end);
    let entry = writer.step(&format!("task A retries=1 -> {first}\nafter PT10S -> {end}"));
    writer.steps.reverse();
    assert!(writer.steps.first().is_some_and(|it| it.starts_with(&entry)));
    // A stop or an end in a series cuts off what follows, which must not be there then.
    let reachable = reachable(&writer.steps, &entry);
    let kept = writer.steps.iter().filter(|it| reachable.iter().any(|name| is_of(it, name)));
    kept.cloned().collect::<Vec<String>>().join("\n")
}

fn is_of(step: &str, name: &str) -> bool {
    step.split(' ').next() == Some(name)
}

fn reachable(steps: &[String], entry: &str) -> Vec<String> {
    let mut reached = vec![entry.to_owned()];
    let mut at = 0;
    while let Some(name) = reached.get(at).cloned() {
        at += 1;
        let step = steps.iter().find(|it| is_of(it, &name)).unwrap();
        for word in step.split([' ', '\n']).skip(1) {
            let is_step = steps.iter().any(|it| is_of(it, word));
            if is_step && !reached.iter().any(|it| it == word) {
                reached.push(word.to_owned());
            }
        }
    }
    reached
}

/// Something that happens around a process.
#[derive(Clone, Debug)]
enum Move {
    Claim {
        queue: &'static str,
        worker: &'static str,
    },
    /// A task that is open, by its place among them.
    Done {
        which: usize,
        worker: &'static str,
        output: &'static str,
    },
    Fail {
        which: usize,
        worker: &'static str,
        retryable: bool,
    },
    Lapse {
        before: usize,
    },
    /// A step of the graph, by its place.
    User {
        step: usize,
        output: &'static str,
    },
    Signal {
        step: usize,
        output: &'static str,
    },
    Retry {
        step: usize,
        patch: &'static str,
    },
    /// What is open is answered, whoever it waits for.
    Answer {
        output: &'static str,
    },
    Wait(Duration),
    Ring,
    Cancel,
    /// What nobody in his senses would ask.
    Ask(Command),
}

fn lived(block: &Block, moves: &[Move]) -> World {
    let mut world = World::new(graph(&written(block)));
    let start = Start { variables: variables(r#"{"n":0}"#), ..Start::default() };
    submit(&mut world, &Command::Start(start));
    for one in moves {
        happen(&mut world, one);
    }
    world
}

fn happen(world: &mut World, one: &Move) {
    match one {
        Move::Claim { queue, worker } => drop(world.claim(queue, worker, LEASE)),
        Move::Done { which, worker, output } => {
            let Some(task) = open_task(world, *which) else { return };
            let (worker, output) = ((*worker).into(), variables(output));
            submit(world, &Command::Complete { task, worker, output });
        }
        Move::Fail { which, worker, retryable } => {
            let Some(task) = open_task(world, *which) else { return };
            let (worker, retryable) = ((*worker).into(), *retryable);
            submit(world, &Command::Fail { task, worker, error: None, retryable });
        }
        Move::Lapse { before } => {
            let Some((task, lease)) = world.claims.iter().rev().nth(*before).cloned() else {
                return;
            };
            submit(world, &Command::Lapse { task, token: lease.token });
        }
        Move::User { step, output } => {
            let (step, output) = (step_of(world, *step), variables(output));
            submit(world, &Command::CompleteUserTask { step, output });
        }
        Move::Signal { step, output } => {
            let (step, output) = (step_of(world, *step), variables(output));
            submit(world, &Command::Signal { step, output });
        }
        Move::Retry { step, patch } => {
            let (step, patch) = (step_of(world, *step), variables(patch));
            submit(world, &Command::Retry { step, patch });
        }
        Move::Answer { output } => answer(world, &variables(output)),
        Move::Wait(duration) => world.now = world.now + *duration,
        Move::Ring => while world.ring().is_some() {},
        Move::Cancel => submit(world, &Command::Cancel { reason: None }),
        Move::Ask(Command::Fire { visit, timer }) => drop(world.fire(*visit, *timer)),
        Move::Ask(command) => submit(world, command),
    }
}

fn open_task(world: &World, which: usize) -> Option<u32> {
    let tasks: Vec<u32> = world.state.stays.iter().filter_map(|it| task(&it.rest)).collect();
    tasks.get(which.checked_rem(tasks.len())?).copied()
}

fn task(rest: &Rest) -> Option<u32> {
    if let Rest::Task { number, .. } = rest { Some(*number) } else { None }
}

fn step_of(world: &World, which: usize) -> String {
    let steps = world.graph.steps();
    steps.get(which % steps.len()).unwrap().id.to_string()
}

/// Only a report without a lease, a lease that is still good and a timer that is gone are final.
fn submit(world: &mut World, command: &Command) {
    match world.submit(command) {
        Ok(landed) => {
            let decided = &landed.decided;
            if decided.events.is_empty() {
                let effects = decided.scheduled.len() + decided.withdrawn.len();
                let timers = decided.armed.len() + decided.disarmed.len();
                assert_eq!(effects + timers, 0, "effects without a cause");
            }
        }
        Err(Refusal::Rejected(rejection)) => assert!(!rejection.detail.is_empty()),
        Err(Refusal::Conflict(conflict)) => {
            let is_final = matches!(conflict, Conflict::Lease(_) | Conflict::NotLapsed(_));
            assert!(is_final, "{command:?}: {conflict:?}");
        }
    }
}

/// Does one thing that is to be done, if there is any.
fn answer(world: &mut World, output: &Variables) {
    let has_failed = world.state.phase == Phase::Failed;
    // While the instance is under way nobody can help what failed before another step was retried.
    let is_open = |it: &&Stay| match it.rest {
        Rest::Task { .. } | Rest::User | Rest::Signal => true,
        Rest::Failed => has_failed,
        Rest::Join { .. } => false,
    };
    let Some(stay) = world.state.stays.iter().find(is_open) else { return };
    let (step, output) = (stay.step.to_string(), output.clone());
    let command = match &stay.rest {
        Rest::Task { number, .. } => {
            let holder = world.lease(*number).map(|it| it.worker.clone());
            let worker = holder.unwrap_or_else(|| "w1".into());
            Command::Complete { task: *number, worker, output }
        }
        Rest::User => Command::CompleteUserTask { step, output },
        Rest::Signal => Command::Signal { step, output },
        Rest::Failed => Command::Retry { step, patch: output },
        Rest::Join { .. } => return,
    };
    submit(world, &command);
}

/// Lets a minute pass, recovers what was lost, has tried again what has failed, and does what there
/// is to do.
fn help(world: &mut World) {
    world.now = world.now + Duration::from_secs(60);
    while let Some(rang) = world.ring() {
        if let Rang::Fired(id, answer) = rang {
            assert!(answer.is_ok(), "timer {id} was armed");
        }
    }
    let lost: Vec<_> = world.claims.clone();
    for (task, lease) in lost {
        submit(world, &Command::Lapse { task, token: lease.token });
    }
    // Neither too small for a loop nor too large for a table whose rules must not overlap.
    let fresh = variables(r#"{"n":2}"#);
    let failed = world.state.stays.iter().find(|it| it.rest == Rest::Failed);
    match failed.filter(|_| world.state.phase == Phase::Failed).map(|it| it.step.to_string()) {
        Some(step) => submit(world, &Command::Retry { step, patch: fresh }),
        None => answer(world, &fresh),
    }
}

fn blocks(stops: bool) -> BoxedStrategy<Block> {
    let policies = ["U", "F", "A", "R", "C", "C+", "C#", "C>", "C<"];
    let leaf = prop_oneof![
        6 => (0..3_u32).prop_map(|retries| Block::Task { retries }),
        2 => Just(Block::User),
        2 => Just(Block::Wait),
        2 => Just(Block::Set),
        2 => (0..policies.len()).prop_map(move |it| Block::Table(policies.get(it).unwrap())),
        u32::from(stops) => Just(Block::Stop),
        1 => Just(Block::End),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let timed = (any::<bool>(), any::<bool>(), inner.clone());
        prop_oneof![
            3 => vec(inner.clone(), 1..4).prop_map(Block::Series),
            2 => vec(inner.clone(), 3).prop_map(Block::Choice),
            4 => vec(inner.clone(), 2..4).prop_map(Block::Parallel),
            2 => inner.prop_map(|it| Block::Loop(Box::new(it))),
            3 => timed.prop_map(|(wait, interrupt, it)| Block::Timed {
                wait,
                interrupt,
                elsewhere: Box::new(it),
            }),
        ]
    })
    .boxed()
}

fn moves() -> BoxedStrategy<Move> {
    let queues = || prop_oneof![Just("A"), Just("B")];
    let places = || 0..40_usize;
    let done = (places(), workers(), outputs());
    let fail = (places(), workers(), any::<bool>());
    prop_oneof![
        12 => (queues(), workers()).prop_map(|(queue, worker)| Move::Claim { queue, worker }),
        16 => done.prop_map(|(which, worker, output)| Move::Done { which, worker, output }),
        6 => fail.prop_map(|(which, worker, retryable)| Move::Fail { which, worker, retryable }),
        4 => (0..4_usize).prop_map(|before| Move::Lapse { before }),
        6 => (places(), outputs()).prop_map(|(step, output)| Move::User { step, output }),
        6 => (places(), outputs()).prop_map(|(step, output)| Move::Signal { step, output }),
        6 => (places(), outputs()).prop_map(|(step, patch)| Move::Retry { step, patch }),
        24 => outputs().prop_map(|output| Move::Answer { output }),
        8 => durations().prop_map(Move::Wait),
        8 => Just(Move::Ring),
        4 => questions().prop_map(Move::Ask),
        1 => Just(Move::Cancel),
    ]
    .boxed()
}

fn questions() -> impl Strategy<Value = Command> {
    let fire = (0..60_u32, 0..3_usize);
    prop_oneof![
        fire.prop_map(|(visit, timer)| Command::Fire { visit, timer }),
        any::<u32>().prop_map(|task| {
            let (worker, output) = ("w1".into(), Variables::new());
            Command::Complete { task, worker, output }
        }),
        (0..60_u32).prop_map(|task| {
            let worker = "w1".into();
            Command::Fail { task, worker, error: Some("no".into()), retryable: true }
        }),
        (0..60_u32).prop_map(|task| Command::Lapse { task, token: "c1".into() }),
        Just(Command::Start(Start::default())),
        Just(Command::Retry { step: "nowhere".into(), patch: Variables::new() }),
        Just(Command::Signal { step: "nowhere".into(), output: Variables::new() }),
        Just(Command::CompleteUserTask { step: "nowhere".into(), output: Variables::new() }),
    ]
}

/// Mostly what decisions can use.
fn outputs() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => Just("{}"),
        4 => Just(r#"{"n":0}"#),
        4 => Just(r#"{"n":1}"#),
        8 => Just(r#"{"n":3}"#),
        1 => Just(r#"{"n":"many"}"#),
        1 => Just(r#"{"n":null}"#),
        2 => Just(r#"{"o":{"x":[1.0]}}"#),
        2 => Just(r#"{"o":{"y":null}}"#),
    ]
}

fn workers() -> impl Strategy<Value = &'static str> {
    prop_oneof![3 => Just("w1"), 1 => Just("w2")]
}

/// Around the length of a lease, and all that is on its edge.
fn durations() -> impl Strategy<Value = Duration> {
    prop_oneof![
        Just(Duration::from_micros(1)),
        Just(Duration::from_secs(1)),
        Just(LEASE),
        Just(LEASE + Duration::from_micros(1)),
    ]
}
