//! What a definition must be besides well-formed. Every mistake is told, not only the first.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    duration,
    graph::{HitPolicy, StepType},
    limits,
    parse::{BoundarySource, Source, StepSource},
    schema,
};

/// Everything that is wrong with a definition.
#[must_use]
pub fn violations(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    check_names(source, &mut found);
    if source.steps.is_empty() {
        found.push("steps must not be empty".to_owned());
        return found;
    }
    if source.steps.len() > limits::STEPS_MAX {
        let (most, n_steps) = (limits::STEPS_MAX, source.steps.len());
        found.push(format!("steps must have at most {most} entries, got {n_steps}"));
        return found;
    }
    if source.auto_start_next_workflow && source.next_workflow_id.is_empty() {
        found.push("nextWorkflowId is required when autoStartNextWorkflow is true".to_owned());
    }
    if let Some(schema) = &source.input_schema {
        found.extend(schema::violations("input_schema", schema));
    }
    check_ids(source, &mut found);
    let known: BTreeSet<&str> = source.steps.iter().map(|it| it.id.as_str()).collect();
    for step in source.steps.iter().filter(|it| !it.id.is_empty()) {
        check_step(step, &mut found);
        check_references(step, &known, &mut found);
    }
    check_joins(source, &mut found);
    check_ways(source, &mut found);
    found
}

fn check_names(source: &Source, found: &mut Vec<String>) {
    let id = &source.id;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_:-".contains(it);
    if id.is_empty() {
        found.push("id is required".to_owned());
    } else if id.chars().count() > limits::ID_MAX {
        let (most, length) = (limits::ID_MAX, id.chars().count());
        found.push(format!("id must be ≤ {most} characters, got {length}"));
    }
    if !id.chars().all(is_plain) {
        found.push(format!(r#"id "{id}" must match ^[A-Za-z0-9_:\-]+$"#));
    }
    if source.name.is_empty() {
        found.push("name is required".to_owned());
    }
}

fn check_ids(source: &Source, found: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for (index, step) in source.steps.iter().enumerate() {
        let id = &step.id;
        if id.is_empty() {
            found.push(format!("step[{index}] id is required"));
        } else if !seen.insert(id) {
            found.push(format!(r#"duplicate step id: "{id}""#));
        } else if id.chars().count() > limits::ID_MAX {
            let most = limits::ID_MAX;
            found.push(format!("step[{index}] id must be ≤ {most} characters"));
        } else if id.chars().any(char::is_control) {
            found.push(format!("step[{index}] id must not contain control characters"));
        }
    }
}

fn check_step(step: &StepSource, found: &mut Vec<String>) {
    let (id, written) = (&step.id, &step.step_type);
    if step.name.is_empty() {
        found.push(format!(r#"step "{id}": name is required"#));
    }
    match StepType::of(written) {
        None => found.push(format!(r#"step "{id}": unsupported type "{written}""#)),
        Some(step_type) => {
            let mut note =
                |problem: &str| found.push(format!(r#"step "{id}" ({written}): {problem}"#));
            check_members(step, step_type, &mut note);
            check_places(step, step_type, &mut note);
        }
    }
    if let Some(schema) = &step.outputs_schema {
        found.extend(schema::violations(&format!(r#"step "{id}" outputs_schema"#), schema));
    }
    for (index, event) in step.boundary_events.iter().enumerate() {
        check_boundary(&format!(r#"step "{id}" boundaryEvents[{index}]"#), event, found);
    }
}

fn check_members(step: &StepSource, step_type: StepType, note: &mut impl FnMut(&str)) {
    let has_next = !step.next_step.is_empty();
    match step_type {
        StepType::ServiceTask => {
            if step.job_type.is_empty() {
                note("jobType is required");
            }
            if step.retry_count < 0 || step.retry_count > i64::from(limits::RETRIES_MAX) {
                let most = limits::RETRIES_MAX;
                note(&format!("retryCount must be 0 to {most}, got {}", step.retry_count));
            }
        }
        StepType::Decision if step.conditional_next_steps.is_empty() => {
            note("conditionalNextSteps must not be empty");
        }
        StepType::Transformation => {
            if !has_next {
                note("nextStep is required");
            }
            if step.transformations.is_empty() {
                note("transformations must not be empty");
            }
        }
        StepType::Wait | StepType::JoinGateway if !has_next => note("nextStep is required"),
        StepType::ParallelGateway => check_parallel(step, note),
        StepType::DecisionTable => check_table(step, note),
        StepType::UserTask
        | StepType::Decision
        | StepType::Wait
        | StepType::JoinGateway
        | StepType::End => {}
    }
}

/// What is written on a step of another type than it is meant for.
fn check_places(step: &StepSource, step_type: StepType, note: &mut impl FnMut(&str)) {
    if step_type != StepType::DecisionTable && step.decision_table.is_some() {
        note("decisionTable is not valid on this step type");
    }
    if step_type != StepType::ServiceTask && step.outputs_schema.is_some() {
        note("outputs_schema is only supported on SERVICE_TASK steps in this version");
    }
}

fn check_parallel(step: &StepSource, note: &mut impl FnMut(&str)) {
    let n_branches = step.parallel_next_steps.len();
    if n_branches < 2 {
        note("parallelNextSteps must have at least 2 entries");
    }
    if n_branches > limits::BRANCHES_MAX {
        let most = limits::BRANCHES_MAX;
        note(&format!("parallelNextSteps must have at most {most} entries, got {n_branches}"));
    }
    if step.join_step.is_empty() {
        note("joinStep is required");
    }
}

fn check_table(step: &StepSource, note: &mut impl FnMut(&str)) {
    // Without a table it is anybody's guess which of the other members are meant.
    let Some(table) = &step.decision_table else {
        note("decisionTable payload is required");
        return;
    };
    let foreign = [
        ("conditionalNextSteps", !step.conditional_next_steps.is_empty()),
        ("transformations", !step.transformations.is_empty()),
        ("parallelNextSteps", !step.parallel_next_steps.is_empty()),
        ("joinStep", !step.join_step.is_empty()),
        ("jobType", !step.job_type.is_empty()),
        ("delegateClass", !step.delegate_class.is_empty()),
        ("retryCount", step.retry_count != 0),
        ("boundaryEvents", !step.boundary_events.is_empty()),
    ];
    for (member, _) in foreign.iter().filter(|(_, is_there)| *is_there) {
        note(&format!("{member} is not valid on this step type"));
    }
    if table.rules.is_empty() {
        note("rules must not be empty");
    }
    if step.next_step.is_empty() {
        note("nextStep is required");
    }
    let written = &step.hit_policy;
    if written.is_empty() || HitPolicy::of(written).is_some() {
        return;
    }
    match written.split_at_checked(1) {
        Some(("U" | "F" | "A" | "R", aggregator @ ("+" | "#" | ">" | "<"))) => note(&format!(
            r#"aggregator "{aggregator}" is only valid on hitPolicy "C" (got "{written}")"#
        )),
        Some(_) | None => note(&format!(
            r#"hitPolicy "{written}" is not recognised; expected one of U, F, A, R, C, C+, C#, C>, C<"#
        )),
    }
}

fn check_boundary(place: &str, event: &BoundarySource, found: &mut Vec<String>) {
    let BoundarySource { event_type, duration, target_step_id, .. } = event;
    if event_type != "TIMER" {
        found.push(format!(r#"{place}: unsupported type "{event_type}" (only TIMER is in scope)"#));
    }
    if duration.is_empty() {
        found.push(format!("{place}: duration is required for TIMER events"));
    } else if duration::parse(duration).is_none() {
        found.push(format!(
            r#"{place}: duration "{duration}" is not an ISO 8601 duration such as PT30S or P1DT12H"#
        ));
    }
    if target_step_id.is_empty() {
        found.push(format!("{place}: targetStepId is required"));
    }
}

/// Where one can get to from a step, with the member that says so.
fn ways(step: &StepSource) -> Vec<(String, &str)> {
    let mut ways: Vec<(String, &str)> = vec![("nextStep".to_owned(), &step.next_step)];
    let conditional = step.conditional_next_steps.values();
    ways.extend(conditional.map(|it| ("conditionalNextSteps target".to_owned(), it.as_str())));
    let parallel = step.parallel_next_steps.iter();
    ways.extend(parallel.map(|it| ("parallelNextSteps".to_owned(), it.as_str())));
    ways.push(("joinStep".to_owned(), &step.join_step));
    for (index, event) in step.boundary_events.iter().enumerate() {
        ways.push((format!("boundaryEvents[{index}].targetStepId"), &event.target_step_id));
    }
    ways
}

fn check_references(step: &StepSource, known: &BTreeSet<&str>, found: &mut Vec<String>) {
    let id = &step.id;
    // An empty target is missing where one must be, which is said elsewhere, or nothing at all;
    // but a branch or a condition that leads nowhere is a reference like any other.
    let is_optional = |member: &str| {
        matches!(member, "nextStep" | "joinStep") || member.starts_with("boundaryEvents")
    };
    for (member, target) in ways(step) {
        if target.is_empty() && is_optional(&member) || known.contains(target) {
            continue;
        }
        found.push(format!(r#"step "{id}" {member} references unknown step "{target}""#));
    }
}

/// A join that no gateway fills would wait for ever, and so would one that two gateways share.
fn check_joins(source: &Source, found: &mut Vec<String>) {
    let of_type =
        |wanted| source.steps.iter().filter(move |it| StepType::of(&it.step_type) == Some(wanted));
    let mut filled_by: BTreeMap<&str, &str> = BTreeMap::new();
    for gateway in of_type(StepType::ParallelGateway).filter(|it| !it.join_step.is_empty()) {
        let (id, join) = (&gateway.id, &gateway.join_step);
        if let Some(other) = filled_by.insert(join, id) {
            found.push(format!(
                r#"step "{id}" (PARALLEL_GATEWAY): joinStep "{join}" already belongs to "{other}""#
            ));
        }
        let target = source.steps.iter().find(|it| it.id == *join);
        if target.is_some_and(|it| StepType::of(&it.step_type) != Some(StepType::JoinGateway)) {
            found.push(format!(
                r#"step "{id}" (PARALLEL_GATEWAY): joinStep "{join}" is not a JOIN_GATEWAY"#
            ));
        }
    }
    for join in of_type(StepType::JoinGateway).filter(|it| !filled_by.contains_key(it.id.as_str()))
    {
        let id = &join.id;
        found.push(format!(
            r#"step "{id}" (JOIN_GATEWAY): no PARALLEL_GATEWAY names it as its joinStep"#
        ));
    }
}

fn check_ways(source: &Source, found: &mut Vec<String>) {
    let by_id: BTreeMap<&str, &StepSource> =
        source.steps.iter().rev().map(|it| (it.id.as_str(), it)).collect();
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut pending: Vec<&str> =
        source.steps.first().map(|it| it.id.as_str()).into_iter().collect();
    while let Some(id) = pending.pop() {
        let Some(step) = by_id.get(id) else { continue };
        if reached.insert(id) {
            let targets = ways(step).into_iter().map(|(_, target)| target);
            pending.extend(targets.filter(|it| !it.is_empty()));
        }
    }
    let is_lost = |it: &&StepSource| !it.id.is_empty() && !reached.contains(it.id.as_str());
    for step in source.steps.iter().filter(is_lost) {
        found.push(format!(r#"step "{}" is unreachable from the first step"#, step.id));
    }
    let is_end = |id: &&str| {
        let step = by_id.get(id);
        step.is_some_and(|it| StepType::of(&it.step_type) == Some(StepType::End))
    };
    if !reached.iter().any(is_end) {
        found.push("no END step is reachable from the first step".to_owned());
    }
}
