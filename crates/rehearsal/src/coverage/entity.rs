//! What of a workflow was come to: its transitions.

use std::collections::BTreeSet;

use waypost_machines::entity::{
    cascade::{AuditEvent, AuditKind},
    workflow::{Transition, Workflow},
};

use super::{Kind, Point, point};

pub(super) fn points(workflow: &Workflow) -> Vec<Point> {
    transitions(workflow).map(|(state, index, it)| transition_point(state, index, it)).collect()
}

/// What is written down about a transition names it and where it leads.
pub(super) fn hits(workflow: &Workflow, audit: &[&AuditEvent]) -> BTreeSet<Point> {
    let made = |event: &&&AuditEvent| event.kind == AuditKind::TransitionMake;
    let taken = audit.iter().filter(made).filter_map(|event| {
        let is_it = |(state, _, it): &(&str, usize, &Transition)| {
            *state == event.state
                && event.details == format!("transition {} leads to {}", it.name, it.next)
        };
        let (state, index, transition) = transitions(workflow).find(is_it)?;
        Some(transition_point(state, index, transition))
    });
    taken.collect()
}

fn transitions(workflow: &Workflow) -> impl Iterator<Item = (&str, usize, &Transition)> {
    workflow.states.iter().flat_map(|(state, it)| {
        let enabled = it.transitions.iter().enumerate().filter(|(_, it)| !it.is_disabled);
        enabled.map(move |(index, it)| (state.as_str(), index, it))
    })
}

fn transition_point(state: &str, index: usize, transition: &Transition) -> Point {
    let label = format!("{state}: {} → {}", transition.name, transition.next);
    point(Kind::Transition, state, index, label)
}
