//! The rules a workflow must keep to be taken in. All that are broken are told at once, with
//! workflow, state, transition and processor.

use std::collections::BTreeSet;

use waypost_documents::document::Value;

use super::{Processor, Schedule, State, Transition, Workflow, circle::circle, cut, limits};

/// What an import is measured by.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// Whether kinds of processors other than [`Processor::EXTERNAL`] are refused. Older clients
    /// send other spellings, which are never looked at.
    pub strict_types: bool,
    /// Whether a criterion can be evaluated, and if not, why.
    pub is_sound: &'a dyn Fn(&Value) -> Result<(), String>,
}

/// All rules that `workflows` break, except that they must come to rest.
pub(super) fn problems(workflows: &[Workflow], rules: &Rules<'_>) -> Vec<String> {
    let mut findings = Findings { rules, problems: Vec::new() };
    let mut names = BTreeSet::new();
    for (index, workflow) in workflows.iter().enumerate() {
        let place = match workflow.name.as_str() {
            "" => format!("workflows[{index}]"),
            name => format!("workflow {}", shown(name)),
        };
        findings.name(&place, &workflow.name, "name");
        if !names.insert(&workflow.name) && !workflow.name.is_empty() {
            findings.add(&place, "there is another workflow of this name".to_owned());
        }
        findings.workflow(&place, workflow);
    }
    findings.problems
}

/// What is wrong with a workflow that would never come to rest.
pub(super) fn loop_problem(workflow: &Workflow) -> Option<String> {
    let circle = circle(workflow)?;
    let name = shown(&workflow.name);
    Some(format!("workflow {name}: automated transitions without criterion loop: {circle}"))
}

/// A name, as refusals repeat it.
pub(super) fn shown(name: &str) -> String {
    match cut(name, limits::NAME_SHOWN_MAX) {
        all if all == name => format!("{name:?}"),
        beginning => format!("{beginning:?}..."),
    }
}

struct Findings<'a> {
    rules: &'a Rules<'a>,
    problems: Vec<String>,
}

impl Findings<'_> {
    fn add(&mut self, place: &str, problem: String) {
        self.problems.push(format!("{place}: {problem}"));
    }

    fn name(&mut self, place: &str, name: &str, what: &str) {
        if name.is_empty() {
            self.add(place, format!("its {what} is empty"));
        }
        if name.len() > limits::NAME_MAX {
            let (found, most) = (name.len(), limits::NAME_MAX);
            self.add(place, format!("its {what} has {found} bytes, at most {most} are possible"));
        }
        // States are columns, and not every database has texts with it.
        if name.contains('\0') {
            self.add(place, format!("its {what} has the character U+0000, which is not possible"));
        }
    }

    fn criterion(&mut self, place: &str, criterion: Option<&Value>) {
        if let Some(Err(reason)) = criterion.map(self.rules.is_sound) {
            self.add(place, format!("its criterion is not one: {reason}"));
        }
    }

    fn workflow(&mut self, place: &str, workflow: &Workflow) {
        let initial = &workflow.initial_state;
        if initial.is_empty() {
            self.add(place, "its initialState is empty".to_owned());
        } else if !workflow.states.contains_key(initial) {
            self.add(place, format!("initialState {} is not one of its states", shown(initial)));
        }
        self.criterion(place, workflow.guard());
        for (name, state) in &workflow.states {
            let place = format!("{place}, state {}", shown(name));
            self.name(&place, name, "name");
            self.state(&place, state, workflow);
        }
    }

    fn state(&mut self, place: &str, state: &State, workflow: &Workflow) {
        let mut names = BTreeSet::new();
        for (index, transition) in state.transitions.iter().enumerate() {
            let place = match transition.name.as_str() {
                "" => format!("{place}, transitions[{index}]"),
                name => format!("{place}, transition {}", shown(name)),
            };
            self.name(&place, &transition.name, "name");
            if !names.insert(&transition.name) && !transition.name.is_empty() {
                self.add(&place, "there is another transition of this name".to_owned());
            }
            if !workflow.states.contains_key(&transition.next) {
                let next = shown(&transition.next);
                self.add(&place, format!("next {next} is not one of the states"));
            }
            self.transition(&place, transition);
        }
    }

    fn transition(&mut self, place: &str, transition: &Transition) {
        self.criterion(place, transition.guard());
        if let Some(schedule) = transition.schedule {
            self.schedule(place, schedule);
            if transition.is_manual {
                self.add(place, "it is manual, and cannot have a schedule, too".to_owned());
            }
        }
        for (index, processor) in transition.processors.iter().enumerate() {
            let place = match processor.name.as_str() {
                "" => format!("{place}, processors[{index}]"),
                name => format!("{place}, processor {}", shown(name)),
            };
            self.name(&place, &processor.name, "name");
            let is_known = matches!(processor.kind.as_str(), "" | Processor::EXTERNAL);
            if self.rules.strict_types && !is_known {
                let (wanted, found) = (Processor::EXTERNAL, shown(&processor.kind));
                self.add(&place, format!("expected type {wanted}, found {found}"));
            }
        }
    }

    fn schedule(&mut self, place: &str, schedule: Schedule) {
        let Schedule { delay_millis, timeout_millis } = schedule;
        let spans = [("delayMs", Some(delay_millis), 1), ("timeoutMs", timeout_millis, 0)];
        for (name, millis, least) in spans {
            let most = limits::SCHEDULE_MILLIS_MAX;
            if let Some(millis) = millis.filter(|it| !(least..=most).contains(it)) {
                let wanted = format!("schedule.{name} must be from {least} to {most}");
                self.add(place, format!("{wanted}, is {millis}"));
            }
        }
    }
}
