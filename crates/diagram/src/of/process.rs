//! Processes: steps, where they lead to, their timers, and the branches of their gateways.

mod branch;

use std::collections::{BTreeMap, BTreeSet};

use waypost_machines::process::{
    BoundarySource, HitPolicy, Rest, Source, State, StepSource, StepType, Trail, Way,
};

use super::{START, add_missing, begin, edge, node};
use crate::picture::{Edge, Kind, Mark, Picture, Style, Taken};

/// The picture of a definition as it is written.
#[must_use]
pub fn picture(source: &Source) -> Picture {
    let title = if source.name.is_empty() { &source.id } else { &source.name };
    let mut picture = Picture { title: title.clone(), ..Picture::default() };
    for step in &source.steps {
        let kind = StepType::of(&step.step_type).map_or(Kind::Missing, kind);
        picture.nodes.push(node(&step.id, &step.name, detail(source, step), kind));
        picture.edges.extend(ways(step));
    }
    add_missing(&mut picture);
    if let Some(first) = source.steps.first() {
        begin(&mut picture, &first.id);
    }
    picture.groups = branch::groups(source);
    picture
}

/// Where an instance is, and where it has been. When timers are due is for the caller to say.
#[must_use]
pub fn marks(state: &State) -> BTreeMap<String, Mark> {
    let mut marks: BTreeMap<String, Mark> = BTreeMap::new();
    for (step, visits) in &state.visits {
        let mark = marks.entry(step.to_string()).or_default();
        mark.visits = visits.count;
        mark.is_failed = visits.failed;
    }
    for stay in &state.stays {
        let mark = marks.entry(stay.step.to_string()).or_default();
        match stay.rest {
            Rest::Failed => mark.is_failed = true,
            Rest::Task { .. } | Rest::User | Rest::Signal | Rest::Join { .. } => mark.here += 1,
        }
    }
    marks
}

/// The ways an instance has gone, as its history tells.
#[must_use]
pub fn taken(trail: &Trail) -> BTreeSet<Taken> {
    let way = |Way { from, to, by_timer }: &Way| Taken {
        from: from.as_deref().unwrap_or(START).to_owned(),
        to: to.to_string(),
        by_timer: *by_timer,
    };
    trail.ways().iter().map(way).collect()
}

const fn kind(step_type: StepType) -> Kind {
    match step_type {
        StepType::ServiceTask => Kind::Task,
        StepType::UserTask => Kind::Person,
        StepType::Decision => Kind::Decision,
        StepType::DecisionTable => Kind::Table,
        StepType::Transformation => Kind::Assignment,
        StepType::Wait => Kind::Wait,
        StepType::ParallelGateway => Kind::Gateway,
        StepType::JoinGateway => Kind::Join,
        StepType::End => Kind::End,
    }
}

/// What is said below the name of a step.
fn detail(source: &Source, step: &StepSource) -> String {
    let Some(step_type) = StepType::of(&step.step_type) else {
        return format!("no such type: {}", step.step_type);
    };
    match step_type {
        StepType::ServiceTask => match step.retry_count {
            0 => step.job_type.clone(),
            1 => format!("{} · 1 retry", step.job_type),
            retries => format!("{} · {retries} retries", step.job_type),
        },
        StepType::UserTask => step.job_type.clone(),
        StepType::DecisionTable => table(step),
        StepType::Transformation => {
            let names: Vec<&str> = step.transformations.keys().map(String::as_str).collect();
            format!("sets {}", names.join(", "))
        }
        StepType::Wait => "until a signal comes".to_owned(),
        StepType::Decision | StepType::ParallelGateway | StepType::JoinGateway => String::new(),
        StepType::End => {
            let starts = source.auto_start_next_workflow
                && step.auto_start_next_workflow.unwrap_or(true)
                && !source.next_workflow_id.is_empty();
            if starts { format!("then {}", source.next_workflow_id) } else { String::new() }
        }
    }
}

fn table(step: &StepSource) -> String {
    let rules = step.decision_table.as_ref().map_or(0, |it| it.rules.len());
    let policy = match HitPolicy::of(&step.hit_policy).unwrap_or(HitPolicy::Unique) {
        HitPolicy::Unique => "only one",
        HitPolicy::First => "the first",
        HitPolicy::Any => "any",
        HitPolicy::RuleOrder => "all, in order",
        HitPolicy::Collect => "all",
        HitPolicy::Sum => "the sum",
        HitPolicy::Count => "the number",
        HitPolicy::Max => "the largest",
        HitPolicy::Min => "the smallest",
    };
    match rules {
        1 => "1 rule".to_owned(),
        rules => format!("{rules} rules · {policy} counts"),
    }
}

/// Every edge that leaves a step.
fn ways(step: &StepSource) -> Vec<Edge> {
    let Some(step_type) = StepType::of(&step.step_type) else { return next(step, "") };
    match step_type {
        StepType::ServiceTask | StepType::UserTask | StepType::Wait => {
            let mut ways = choices(step);
            ways.extend(next(step, if ways.is_empty() { "" } else { "otherwise" }));
            ways.extend(step.boundary_events.iter().map(|it| timer(step, it)));
            ways
        }
        StepType::Decision => choices(step),
        StepType::DecisionTable | StepType::Transformation | StepType::JoinGateway => {
            next(step, "")
        }
        StepType::ParallelGateway => {
            let branch = |to: &String| edge(&step.id, to, String::new(), Style::Normal);
            step.parallel_next_steps.iter().map(branch).collect()
        }
        StepType::End => Vec::new(),
    }
}

fn next(step: &StepSource, label: &str) -> Vec<Edge> {
    let to = Some(step.next_step.as_str()).filter(|it| !it.is_empty());
    to.map(|to| edge(&step.id, to, label.to_owned(), Style::Normal)).into_iter().collect()
}

/// One edge for each target: what leads to the same step is one way with several conditions.
fn choices(step: &StepSource) -> Vec<Edge> {
    let mut ways: Vec<Edge> = Vec::new();
    for (condition, target) in &step.conditional_next_steps {
        match ways.iter_mut().find(|it| it.to == *target) {
            Some(way) => way.label = format!("{}\nor {condition}", way.label),
            None => ways.push(edge(&step.id, target, condition.clone(), Style::Normal)),
        }
    }
    ways
}

fn timer(step: &StepSource, timer: &BoundarySource) -> Edge {
    let style = if timer.interrupting { Style::Interrupting } else { Style::Timer };
    let label = format!("after {}", duration(&timer.duration));
    edge(&step.id, &timer.target_step_id, label, style)
}

/// `P1DT12H` as `1d 12h`; anything else as it is.
fn duration(text: &str) -> String {
    let parts = text.strip_prefix('P').map(|it| it.replace('T', ""));
    let Some(parts) = parts.filter(|it| it.ends_with(|it: char| it.is_ascii_alphabetic())) else {
        return text.to_owned();
    };
    // Months and minutes share a letter; months are not understood by processes.
    let mut shown = String::new();
    for it in parts.chars() {
        let is_next = it.is_ascii_digit() && shown.ends_with(|it: char| it.is_ascii_alphabetic());
        if is_next {
            shown.push(' ');
        }
        shown.push(it.to_ascii_lowercase());
    }
    shown.replace('m', "min")
}
