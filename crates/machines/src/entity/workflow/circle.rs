//! Finds workflows that would never come to rest: circles of automated transitions without a
//! criterion. Whether a circle can be reached does not matter, nor whether time goes by on the way.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter,
};

use super::{Workflow, cut, limits};

/// Where each state leads to without anybody asking, in declared order.
type Edges<'a> = BTreeMap<&'a str, Vec<&'a str>>;

/// The first circle of `workflow`, as `A -> B -> A`. States are tried in the order of their names.
pub(super) fn circle(workflow: &Workflow) -> Option<String> {
    let edges: Edges<'_> = workflow
        .states
        .iter()
        .map(|(name, state)| {
            let unasked = state.transitions.iter().filter(|it| !it.is_manual && !it.is_disabled);
            let free = unasked.filter(|it| it.guard().is_none());
            (name.as_str(), free.map(|it| it.next.as_str()).collect())
        })
        .collect();
    let mut done = BTreeSet::new();
    edges.keys().find_map(|start| walk(&edges, start, &mut done)).map(|it| show(&it))
}

/// Goes everywhere from `start`, depth first, except where it was before.
fn walk<'a>(
    edges: &Edges<'a>,
    start: &'a str,
    done: &mut BTreeSet<&'a str>,
) -> Option<Vec<&'a str>> {
    // The way from the start, and which edge of each state is next. Definitions may be longer than
    // a stack is deep.
    let mut path: Vec<(&str, usize)> = Vec::new();
    let mut is_on_path = BTreeSet::new();
    if !done.contains(start) {
        path.push((start, 0));
        is_on_path.insert(start);
    }
    while let Some((state, edge)) = path.last_mut() {
        let (state, target) = (*state, edges.get(state).and_then(|it| it.get(*edge)).copied());
        *edge += 1;
        match target {
            None => {
                done.insert(state);
                is_on_path.remove(state);
                path.pop();
            }
            Some(target) if is_on_path.contains(target) => {
                let states = path.iter().map(|(it, _)| *it).skip_while(|it| *it != target);
                return Some(states.chain(iter::once(target)).collect());
            }
            Some(target) if done.contains(target) => {}
            Some(target) => {
                path.push((target, 0));
                is_on_path.insert(target);
            }
        }
    }
    None
}

fn show(circle: &[&str]) -> String {
    let shown = |it: &&str| cut(it, limits::NAME_SHOWN_MAX).to_owned();
    let mut states: Vec<String> = circle.iter().take(limits::CIRCLE_SHOWN_MAX).map(shown).collect();
    if circle.len() > limits::CIRCLE_SHOWN_MAX {
        states.push("...".to_owned());
        states.extend(circle.last().map(shown));
    }
    states.join(" -> ")
}
