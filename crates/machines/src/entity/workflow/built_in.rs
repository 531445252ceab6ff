//! The workflow of entities that no other one takes. It is never stored and never shown.

use std::{collections::BTreeMap, sync::LazyLock};

use super::{State, Transition, Workflow};

/// The workflow `default`: `NONE` becomes `CREATED`, which can be updated and deleted.
#[must_use]
pub fn built_in() -> &'static Workflow {
    static WORKFLOW: LazyLock<Workflow> = LazyLock::new(|| Workflow {
        version: "1".to_owned(),
        name: "default".to_owned(),
        initial_state: "NONE".to_owned(),
        is_active: true,
        states: BTreeMap::from([
            state("NONE", vec![automated("NEW", "CREATED")]),
            state("CREATED", vec![manual("UPDATE", "CREATED"), manual("DELETE", "DELETED")]),
            state("DELETED", vec![]),
        ]),
        ..Workflow::default()
    });
    &WORKFLOW
}

fn state(name: &str, transitions: Vec<Transition>) -> (String, State) {
    (name.to_owned(), State { transitions })
}

fn automated(name: &str, next: &str) -> Transition {
    Transition { name: name.to_owned(), next: next.to_owned(), ..Transition::default() }
}

fn manual(name: &str, next: &str) -> Transition {
    Transition { is_manual: true, ..automated(name, next) }
}
