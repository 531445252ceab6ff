//! Which workflow an entity that exists runs by, and what can be asked of it there.

use super::{Workflow, built_in};

/// The workflow for an entity in `state`: the one it was created by, else the first active one that
/// knows the state, else the built-in one if it does.
#[must_use]
pub fn choose<'a>(
    workflows: &'a [Workflow],
    state: &str,
    remembered: Option<&str>,
) -> Option<&'a Workflow> {
    let knows = |it: &&Workflow| it.is_active && it.states.contains_key(state);
    let candidates = || workflows.iter().filter(knows);
    let default = Some(built_in()).filter(knows);
    candidates()
        .chain(default)
        .find(|it| remembered == Some(it.name.as_str()))
        .or_else(|| candidates().next())
        .or(default)
}

/// The names of the transitions that can be asked for in `state`, in declared order.
#[must_use]
pub fn available<'a>(
    workflows: &'a [Workflow],
    state: &str,
    remembered: Option<&str>,
) -> Vec<&'a str> {
    let chosen = choose(workflows, state, remembered).and_then(|it| it.states.get(state));
    let transitions = chosen.iter().flat_map(|it| &it.transitions);
    transitions.filter(|it| !it.is_disabled).map(|it| it.name.as_str()).collect()
}
