//! What is wrong with workflows of entities.

mod beside;
mod criterion;
mod member;
mod refused;
mod way;

use waypost_documents::document::Value;
use waypost_machines::entity::{
    judge::is_sound,
    workflow::{Refusal, Rules, Transition, Workflow, import},
};

use crate::{
    Surroundings, code,
    ledger::{At, Ledger, Note},
    lint::Subject,
    source::{down, pointer_of},
};

/// A workflow and where it stands.
struct Placed<'w> {
    workflow: &'w Workflow,
    pointer: String,
}

impl Placed<'_> {
    fn states(&self) -> String {
        down(&self.pointer, "states")
    }

    /// A state, by its name.
    fn state(&self, name: &str) -> At {
        At::name(down(&self.states(), name))
    }

    /// The pointer of a transition.
    fn transition(&self, state: &str, index: usize) -> String {
        down(&down(&down(&self.states(), state), "transitions"), index)
    }

    /// Every transition, with the state it leads from and its place there.
    fn transitions(&self) -> impl Iterator<Item = (&str, usize, &Transition)> {
        self.workflow.states.iter().flat_map(|(name, state)| {
            let each = state.transitions.iter().enumerate();
            each.map(move |(index, it)| (name.as_str(), index, it))
        })
    }
}

pub(crate) fn check(subject: &Subject<'_>, surroundings: &Surroundings, ledger: &mut Ledger<'_>) {
    let body = match Value::parse(subject.own_text()) {
        Ok(body) => body,
        Err(error) => {
            let at = At::value(subject.pointer.clone());
            return ledger.add(Note::new(&code::E001, at, error.to_string()));
        }
    };
    member::check(subject, ledger);
    let rules = Rules { strict_types: true, is_sound: &is_sound };
    match import(&[], &body, &rules) {
        Ok(workflows) => check_all(subject, &workflows, surroundings, ledger),
        Err(Refusal::Malformed(malformed)) => {
            let at = At::value(pointer_of(&subject.pointer, &malformed.place));
            ledger.add(Note::new(&code::E001, at, malformed.problem));
        }
        Err(Refusal::Invalid(problems)) => {
            for problem in problems {
                let at = refused::place(subject, &problem);
                ledger.add(Note::new(&code::E002, at, problem));
            }
        }
    }
}

fn check_all(
    subject: &Subject<'_>,
    workflows: &[Workflow],
    surroundings: &Surroundings,
    ledger: &mut Ledger<'_>,
) {
    let list = subject.at("workflows");
    let mut taker: Option<String> = None;
    for (index, workflow) in workflows.iter().enumerate() {
        let placed = Placed { workflow, pointer: down(&list, index) };
        if let Some(before) = &taker {
            let message = format!("no new entity gets as far as {:?}", workflow.name);
            let note = Note::new(&code::E011, At::value(down(&placed.pointer, "name")), message);
            ledger.add(note.related(At::value(before.clone()), "this one takes every entity"));
        } else if workflow.guard().is_none() {
            taker = Some(down(&placed.pointer, "name"));
        }
        way::check(&placed, ledger);
        criterion::check(&placed, ledger);
        beside::check(&placed, surroundings, ledger);
        for (state, at, transition) in placed.transitions() {
            processors(&placed.transition(state, at), transition, ledger);
        }
    }
}

fn processors(pointer: &str, transition: &Transition, ledger: &mut Ledger<'_>) {
    for (index, processor) in transition.processors.iter().enumerate() {
        if processor.config.tags.split(',').all(|it| it.trim().is_empty()) {
            let at = down(&down(&down(pointer, "processors"), index), "name");
            let message = format!("processor {:?} has no tags", processor.name);
            ledger.add(Note::new(&code::E008, At::value(at), message));
        }
    }
}
