//! Moving forward: from step to step until every path rests or the instance has ended.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;
use waypost_kernel::{Json, Lease, NewTask, NewTimer, Turn, WorkerId};

use super::{
    Alarm, Branch, Event, Fork, Graph, Path, Phase, Process, Rest, Stay, StepId, Variables,
    graph::{Choice, Exit, Step, Work},
    limits,
    schema::type_name,
    table,
    types::{next_id, task_id, timer_id},
    variables::problem,
};

/// Enters a step, and all that follow from it without resting.
pub(super) fn enter(turn: &mut Turn<'_, Process>, step: StepId, branch: Option<Branch>) {
    enter_all(turn, vec![Path { step, branch }]);
}

/// Enters several steps, the last of them first, and all that follow without resting.
pub(super) fn enter_all(turn: &mut Turn<'_, Process>, mut pending: Vec<Path>) {
    let mut n_passed = 0;
    while let Some(Path { step, branch }) = pending.pop() {
        // What ended the instance on one path ends it on all.
        if turn.state().phase != Phase::Running {
            return;
        }
        let graph = turn.definition();
        let step = graph.step(&step).expect("references of a sound graph lead to steps");
        n_passed += 1;
        if let Some(reason) = exhaustion(turn, n_passed) {
            // What got lost in circles has more paths than anybody can use.
            return stumble(turn, step, branch, (reason, Vec::new()));
        }
        if let Err(reason) = pass(turn, step, branch, &mut pending) {
            return stumble(turn, step, branch, (reason, pending));
        }
    }
}

/// Forgets the gateways that no path lies on any more. Those outside come before those inside, and
/// are needed by them.
pub(super) fn forget_forks(turn: &mut Turn<'_, Process>) {
    let state = turn.state();
    let joins = state.stays.iter().filter_map(|it| match it.rest {
        Rest::Join { fork } => Some(fork),
        Rest::Task { .. } | Rest::User | Rest::Signal | Rest::Failed => None,
    });
    let branches = state.stays.iter().filter_map(|it| it.branch);
    let mut needed: BTreeSet<u32> = joins.chain(branches.map(|it| it.fork)).collect();
    let mut lost = Vec::new();
    for (number, fork) in state.forks.iter().rev() {
        match needed.contains(number) {
            true => needed.extend(fork.outer.map(|it| it.fork)),
            false => lost.push(*number),
        }
    }
    lost.into_iter().for_each(|fork| turn.emit(Event::Forgotten { fork }));
}

/// Two decisions may point at each other, and a loop may run for years.
fn exhaustion(turn: &Turn<'_, Process>, n_passed: usize) -> Option<String> {
    let (automatic, numbers) = (limits::AUTOMATIC_MAX, limits::NUMBER_MAX);
    if n_passed > automatic {
        return Some(format!("more than {automatic} automatic steps in one turn"));
    }
    let is_used_up = turn.state().last > numbers - 100;
    is_used_up.then(|| format!("more than {numbers} visits and tasks of one instance"))
}

fn pass(
    turn: &mut Turn<'_, Process>,
    step: &Step,
    branch: Option<Branch>,
    pending: &mut Vec<Path>,
) -> Result<(), String> {
    match &step.work {
        Work::Service { queue, retries, .. } => offer(turn, step, branch, (queue, *retries)),
        Work::User { .. } => rest(turn, step, branch, Rest::User),
        Work::Wait { .. } => rest(turn, step, branch, Rest::Signal),
        Work::Decide(choices) => {
            let target = choose(turn, choices)?;
            go_through(turn, step, None);
            pending.push(Path { step: target, branch });
        }
        Work::Table { table, next } => {
            let known = (turn.definition(), &*turn.state().variables, turn.now());
            let set = table::evaluate(table, step, known)?;
            go_through(turn, step, Some(fitting(turn, set)?));
            pending.push(Path { step: Arc::clone(next), branch });
        }
        Work::Transform { assignments, next } => {
            let set = transform(turn, assignments)?;
            go_through(turn, step, Some(fitting(turn, set)?));
            pending.push(Path { step: Arc::clone(next), branch });
        }
        Work::Fork { branches, join } => {
            go_through(turn, step, None);
            pending.extend(fork(turn, branches, join, branch));
        }
        Work::Join { next } => {
            if let Some(branch) = arrive(turn, step, branch)? {
                pending.push(Path { step: Arc::clone(next), branch });
            }
        }
        Work::End { starts_next } => complete(turn, step, *starts_next),
    }
    Ok(())
}

fn number(turn: &Turn<'_, Process>) -> u32 {
    turn.state().last + 1
}

fn go_through(turn: &mut Turn<'_, Process>, step: &Step, set: Option<Variables>) {
    let visit = number(turn);
    turn.emit(Event::Passed { visit, step: Arc::clone(&step.id), set });
}

fn rest(turn: &mut Turn<'_, Process>, step: &Step, branch: Option<Branch>, rest: Rest) {
    let (visit, since) = (number(turn), turn.now());
    turn.emit(Event::Entered(Stay { visit, step: Arc::clone(&step.id), branch, since, rest }));
    for (index, timer) in step.timers.iter().enumerate() {
        let command = Json::of(&Alarm::Boundary { visit, timer: index });
        turn.arm(NewTimer { id: timer_id(visit, index), due_at: since + timer.after, command });
    }
}

fn offer(
    turn: &mut Turn<'_, Process>,
    step: &Step,
    branch: Option<Branch>,
    (queue, retries): (&str, u32),
) {
    let task = number(turn) + 1;
    rest(turn, step, branch, Rest::Task { number: task, retries, input: None, held: None });
    schedule(turn, task, queue);
}

/// Puts a task into its queue.
pub(super) fn schedule(turn: &mut Turn<'_, Process>, task: u32, queue: &str) {
    let (family, ready_at) = (turn.definition().which.name.clone(), turn.now());
    let (id, queue) = (task_id(task), queue.to_owned());
    turn.schedule(NewTask { id, family, queue, ready_at, lease: None });
}

/// The first condition that holds.
fn choose(turn: &Turn<'_, Process>, choices: &[Choice]) -> Result<StepId, String> {
    let (graph, variables) = (turn.definition(), &turn.state().variables);
    for choice in choices {
        let told = |error: &dyn std::fmt::Display| format!("expression eval error: {error}");
        let condition = choice.condition.as_ref().map_err(|error| told(error))?;
        match condition.evaluate(variables, graph.coercion).map_err(|error| told(&error))? {
            Value::Bool(true) => return Ok(Arc::clone(&choice.target)),
            Value::Bool(false) => {}
            other @ (Value::Null
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_)) => {
                let (source, found) = (&choice.source, type_name(&other));
                return Err(format!("expression \"{source}\": result is {found}, not bool"));
            }
        }
    }
    Err("no conditionalNextSteps branch matched (DecisionNoBranchMatched)".to_owned())
}

fn transform(
    turn: &Turn<'_, Process>,
    assignments: &[(String, super::expression::Assignment)],
) -> Result<Variables, String> {
    let (graph, variables, now) = (turn.definition(), &turn.state().variables, turn.now());
    let set = |(name, assignment): &(String, super::expression::Assignment)| {
        let value = table::value(assignment, graph, variables, now).map_err(|(_, detail)| {
            format!("transformation \"{name}\": expression eval: {detail}")
        })?;
        Ok((name.clone(), value))
    };
    assignments.iter().map(set).collect()
}

/// What is set, unless the variables would become too large by it.
fn fitting(turn: &Turn<'_, Process>, set: Variables) -> Result<Variables, String> {
    let mut all = (*turn.state().variables).clone();
    super::variables::merge(&mut all, &set);
    problem(&all).map_or(Ok(set), Err)
}

/// Opens the branches; gives them last first, so that the first is entered first.
fn fork(
    turn: &mut Turn<'_, Process>,
    branches: &[StepId],
    join: &StepId,
    outer: Option<Branch>,
) -> Vec<Path> {
    let fork = number(turn);
    let count = u32::try_from(branches.len()).unwrap_or(u32::MAX);
    let made = Fork { join: Arc::clone(join), branches: count, arrived: Vec::new(), outer };
    turn.emit(Event::Forked { fork, made });
    let paths = branches.iter().zip(0..).map(|(id, index)| {
        let branch = Some(Branch { fork, index });
        Path { step: Arc::clone(id), branch }
    });
    let mut paths: Vec<Path> = paths.collect();
    paths.reverse();
    paths
}

/// Takes note of an arrival; says on which branch to go on if it was the last that was awaited.
fn arrive(
    turn: &mut Turn<'_, Process>,
    step: &Step,
    branch: Option<Branch>,
) -> Result<Option<Option<Branch>>, String> {
    let Some(at) = branch_to(turn, step, branch) else {
        let id = &step.id;
        return Err(format!("join \"{id}\" was reached by a path that no gateway has opened"));
    };
    let (visit, now) = (number(turn), turn.now());
    let fork = turn.state().forks.get(&at.fork).expect("branches are of forks that are known");
    // A branch counts once, however many paths of it come here.
    let counts = !fork.is_over() && !fork.arrived.contains(&at.index);
    let branch = counts.then_some(at);
    turn.emit(Event::Arrived { visit, step: Arc::clone(&step.id), branch, at: now });
    let fork = turn.state().forks.get(&at.fork).expect("arriving forgets no fork");
    if !counts || !fork.is_over() {
        return Ok(None);
    }
    let outer = fork.outer;
    turn.emit(Event::Joined { fork: at.fork });
    Ok(Some(outer))
}

/// The branch, among those this path lies on, that is to meet others at `step`.
fn branch_to(turn: &Turn<'_, Process>, step: &Step, mut branch: Option<Branch>) -> Option<Branch> {
    loop {
        let at = branch?;
        let fork = turn.state().forks.get(&at.fork)?;
        if fork.join == step.id {
            return Some(at);
        }
        branch = fork.outer;
    }
}

fn complete(turn: &mut Turn<'_, Process>, step: &Step, starts_next: bool) {
    go_through(turn, step, None);
    drop_work(turn);
    let at = turn.now();
    turn.emit(Event::Completed { at });
    if let Some(definition) = turn.definition().next.clone().filter(|_| starts_next) {
        let command = Json::of(&Alarm::Next { definition });
        turn.arm(NewTimer { id: next_id(), due_at: at, command });
    }
}

/// Takes away all that is still to be done: tasks and timers.
pub(super) fn drop_work(turn: &mut Turn<'_, Process>) {
    let stays = turn.state().stays.clone();
    stays.iter().for_each(|it| drop_work_of(turn, it));
}

/// Takes away what is still to be done at a stay.
pub(super) fn drop_work_of(turn: &mut Turn<'_, Process>, stay: &Stay) {
    if let Rest::Task { number, .. } = stay.rest {
        turn.withdraw(task_id(number));
    }
    let n_timers = turn.definition().step(&stay.step).map_or(0, |it| it.timers.len());
    (0..n_timers).for_each(|index| turn.disarm(timer_id(stay.visit, index)));
}

/// Leaves a stay, with what came back from it, and goes on.
pub(super) fn leave(
    turn: &mut Turn<'_, Process>,
    (stay, by): (&Stay, Option<WorkerId>),
    exit: &Exit,
    output: (Variables, bool),
) {
    let (output, deeply) = output;
    let visit = stay.visit;
    if !output.is_empty() {
        turn.emit(Event::Merged { visit, output, deeply });
    }
    let target = match exit.choices.as_slice() {
        [] => Ok(exit.next.clone()),
        choices => choose(turn, choices).map(Some),
    };
    match target {
        Ok(target) => {
            drop_work_of(turn, stay);
            turn.emit(Event::Left { visit, by });
            if let Some(target) = target {
                enter(turn, target, stay.branch);
            }
        }
        Err(reason) => fail_at(turn, (stay, by), reason),
    }
}

/// A step that could not be gone through fails the instance, before other paths have begun.
fn stumble(
    turn: &mut Turn<'_, Process>,
    step: &Step,
    branch: Option<Branch>,
    (reason, pending): (String, Vec<Path>),
) {
    let (visit, at) = (number(turn), turn.now());
    let (step, reason) = (Arc::clone(&step.id), shortened(&reason));
    turn.emit(Event::Stumbled { visit, step, branch, reason: reason.clone(), at });
    fail(turn, reason, pending);
}

/// A rest that ended badly fails the instance.
pub(super) fn fail_at(
    turn: &mut Turn<'_, Process>,
    (stay, by): (&Stay, Option<WorkerId>),
    reason: String,
) {
    let reason = shortened(&reason);
    drop_work_of(turn, stay);
    turn.emit(Event::StepFailed { visit: stay.visit, reason: reason.clone(), by });
    fail(turn, reason, Vec::new());
}

/// Fails the instance. What is open stays so, out of everybody's reach, until a step is tried
/// again; timers go on.
pub(super) fn fail(turn: &mut Turn<'_, Process>, reason: String, pending: Vec<Path>) {
    let open = turn.state().stays.iter().filter_map(|it| match &it.rest {
        Rest::Task { number, held, .. } => Some((*number, held.clone())),
        Rest::User | Rest::Signal | Rest::Join { .. } | Rest::Failed => None,
    });
    let open: Vec<(u32, Option<Lease>)> = open.collect();
    let mut holders = BTreeMap::new();
    for (number, held) in open {
        // A task that came back to life in this very turn is in no queue yet.
        let lease = turn.lease_on(&task_id(number)).cloned().or(held);
        holders.extend(lease.map(|it| (number, it)));
        turn.withdraw(task_id(number));
    }
    let at = turn.now();
    turn.emit(Event::Failed { at, reason, held: holders, pending });
}

/// As much of a reason as is kept.
pub(super) fn shortened(reason: &str) -> String {
    reason.chars().take(limits::REASON_MAX).collect()
}

/// The exit of a step somebody can rest at.
pub(super) fn exit_of<'g>(graph: &'g Graph, stay: &Stay) -> Option<&'g Exit> {
    match &graph.step(&stay.step)?.work {
        Work::Service { exit, .. } | Work::User { exit, .. } | Work::Wait { exit } => Some(exit),
        Work::Decide(_)
        | Work::Table { .. }
        | Work::Transform { .. }
        | Work::Fork { .. }
        | Work::Join { .. }
        | Work::End { .. } => None,
    }
}
