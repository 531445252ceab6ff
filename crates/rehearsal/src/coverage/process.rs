//! What of a graph was come to. Which exit was taken and which rules counted is not in the events;
//! it is found again by asking the same conditions with the same variables.

use std::collections::BTreeSet;

use serde_json::Value;
use waypost_kernel::Machine as _;
use waypost_machines::process::{
    Choice, Event, Exit, Graph, HitPolicy, Process, Rule, State, Step, Table, Variables, Work,
};

use super::{Kind, Point, point};

pub(super) fn points(graph: &Graph) -> Vec<Point> {
    graph.steps().iter().flat_map(points_of).collect()
}

fn points_of(step: &Step) -> Vec<Point> {
    let id = &*step.id;
    let mut points = vec![point(Kind::Step, id, 0, id)];
    let choices = choices(&step.work).iter().enumerate();
    points.extend(choices.map(|(index, it)| exit_point(id, index, it)));
    if let Work::Table { table, .. } = &step.work {
        points.extend((0..table.rules.len()).map(|index| rule_point(step, table, index)));
    }
    points.extend((0..step.timers.len()).map(|index| timer_point(step, index)));
    if matches!(step.work, Work::Service { .. }) {
        points.push(failure_point(id));
    }
    points
}

pub(super) fn hits(graph: &Graph, events: &[&Event]) -> BTreeSet<Point> {
    let mut state = State::default();
    let mut hit = BTreeSet::new();
    for event in events {
        note(graph, &state, event, &mut hit);
        Process::evolve(&mut state, event);
    }
    hit
}

fn note(graph: &Graph, state: &State, event: &Event, hit: &mut BTreeSet<Point>) {
    let step_of = |visit: u32| {
        let stay = state.stays.iter().find(|it| it.visit == visit)?;
        graph.step(&stay.step)
    };
    match event {
        Event::Entered(stay) => {
            hit.insert(point(Kind::Step, &stay.step, 0, &*stay.step));
        }
        Event::Passed { step, .. } => {
            hit.insert(point(Kind::Step, step, 0, &**step));
            if let Some(step) = graph.step(step) {
                hit.extend(passed(graph, step, &state.variables));
            }
        }
        Event::Arrived { step, .. } | Event::Stumbled { step, .. } => {
            hit.insert(point(Kind::Step, step, 0, &**step));
        }
        Event::Left { visit, .. } => {
            hit.extend(step_of(*visit).and_then(|it| taken(graph, it, &state.variables)));
        }
        Event::Fired { visit, timer } => {
            hit.extend(step_of(*visit).map(|it| timer_point(it, *timer)));
        }
        Event::Retried { visit, .. }
        | Event::Lapsed { visit, .. }
        | Event::StepFailed { visit, .. } => {
            let is_task = |it: &&Step| matches!(it.work, Work::Service { .. });
            hit.extend(step_of(*visit).filter(is_task).map(|it| failure_point(&it.id)));
        }
        Event::Started { .. }
        | Event::Forked { .. }
        | Event::Joined { .. }
        | Event::Forgotten { .. }
        | Event::Merged { .. }
        | Event::Interrupted { .. }
        | Event::Resumed { .. }
        | Event::Completed { .. }
        | Event::Failed { .. }
        | Event::Canceled { .. }
        | Event::Asked(_) => {}
    }
}

/// The exit of a decision, or the rules of a table, that counted for these variables.
fn passed(graph: &Graph, step: &Step, variables: &Variables) -> Vec<Point> {
    let Work::Table { table, .. } = &step.work else {
        return taken(graph, step, variables).into_iter().collect();
    };
    let counts = |(_, rule): &(usize, &Rule)| {
        let mut conditions = rule.cells.iter().map(|it| &it.condition);
        conditions
            .all(|it| it.as_ref().is_ok_and(|it| holds(it.evaluate(variables, graph.coercion))))
    };
    let most = if table.policy == HitPolicy::First { 1 } else { usize::MAX };
    let counted = table.rules.iter().enumerate().filter(counts).take(most);
    counted.map(|(index, _)| rule_point(step, table, index)).collect()
}

fn taken(graph: &Graph, step: &Step, variables: &Variables) -> Option<Point> {
    let is_taken = |(_, choice): &(usize, &Choice)| {
        let condition = choice.condition.as_ref();
        condition.is_ok_and(|it| holds(it.evaluate(variables, graph.coercion)))
    };
    let (index, choice) = choices(&step.work).iter().enumerate().find(is_taken)?;
    Some(exit_point(&step.id, index, choice))
}

fn holds<E>(outcome: Result<Value, E>) -> bool {
    outcome.is_ok_and(|it| it == Value::Bool(true))
}

fn choices(work: &Work) -> &[Choice] {
    match work {
        Work::Decide(choices) => choices,
        Work::Service { exit: Exit { choices, .. }, .. }
        | Work::User { exit: Exit { choices, .. }, .. }
        | Work::Wait { exit: Exit { choices, .. } } => choices,
        Work::Table { .. }
        | Work::Transform { .. }
        | Work::Fork { .. }
        | Work::Join { .. }
        | Work::End { .. } => &[],
    }
}

fn exit_point(step: &str, index: usize, choice: &Choice) -> Point {
    let label = format!("{step}: {} → {}", choice.source, choice.target);
    point(Kind::Exit, step, index, label)
}

fn rule_point(step: &Step, table: &Table, index: usize) -> Point {
    let cells = table.rules.get(index).map(|it| it.cells.as_slice()).unwrap_or_default();
    let when: Vec<&str> = cells.iter().map(|it| it.source.as_str()).collect();
    let when = if when.is_empty() { "otherwise".to_owned() } else { when.join(", ") };
    let id = &step.id;
    point(Kind::Rule, id, index, format!("{id}: rule {} ({when})", index + 1))
}

fn timer_point(step: &Step, index: usize) -> Point {
    let id = &step.id;
    let label = match step.timers.get(index) {
        Some(timer) => format!("{id}: after {} → {}", crate::Length(timer.after), timer.target),
        None => format!("{id}: timer {}", index + 1),
    };
    point(Kind::Timer, id, index, label)
}

fn failure_point(step: &str) -> Point {
    point(Kind::Failure, step, 0, format!("{step} fails"))
}
