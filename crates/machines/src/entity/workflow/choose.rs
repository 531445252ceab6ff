//! Which workflow an entity that exists runs by, and what can be asked of it there.

use super::{Workflow, built_in};

/// What an entity remembers that was created by the built-in workflow. No other one is called so: a
/// client's workflow may have the built-in one's name, and is still another.
const BUILT_IN: &str = "";

/// What an entity that `workflow` has created remembers.
#[must_use]
pub(crate) fn remembered_as(workflow: &Workflow) -> &str {
    if std::ptr::eq(workflow, built_in()) { BUILT_IN } else { &workflow.name }
}

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
    if remembered == Some(BUILT_IN) && default.is_some() {
        return default;
    }
    // Entities of older releases remember the built-in one by its name.
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
    transitions.filter(|it| it.can_be_asked_for()).map(|it| it.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{super::State, *};

    #[test]
    fn a_workflow_with_the_name_of_the_built_in_one_is_another() {
        let states = BTreeMap::from([("CREATED".to_owned(), State::default())]);
        let own = Workflow {
            name: built_in().name.clone(),
            is_active: true,
            states,
            ..Workflow::default()
        };
        let workflows = [own];
        let chosen = |remembered| choose(&workflows, "CREATED", remembered);
        assert!(std::ptr::eq(chosen(Some(BUILT_IN)).unwrap(), built_in()));
        assert_eq!(chosen(Some("default")), workflows.first());
        assert_eq!(chosen(None), workflows.first());
        assert_eq!(remembered_as(built_in()), BUILT_IN);
        assert_eq!(remembered_as(&workflows[0]), "default");
        assert!(std::ptr::eq(choose(&[], "CREATED", Some("default")).unwrap(), built_in()));
    }
}
