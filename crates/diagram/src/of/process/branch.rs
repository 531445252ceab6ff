//! What lies on the branches of a gateway: everything on a way from it to its join.

use std::collections::{BTreeMap, BTreeSet};

use waypost_machines::process::{Source, StepType};

use crate::picture::Group;

/// One group for each gateway that has something on its branches.
pub(super) fn groups(source: &Source) -> Vec<Group> {
    let ways: Vec<(&str, &str)> = source
        .steps
        .iter()
        .flat_map(|step| super::ways(step).into_iter().map(move |way| (step, way)))
        .filter_map(|(step, way)| Some((step.id.as_str(), target(source, &way.to)?)))
        .collect();
    let forth = neighbors(ways.iter().copied());
    let back = neighbors(ways.iter().map(|(from, to)| (*to, *from)));
    let gateway = StepType::ParallelGateway.as_str();
    let mut groups = Vec::new();
    for step in source.steps.iter().filter(|it| it.step_type == gateway) {
        let ends = [step.id.as_str(), step.join_step.as_str()];
        let after = reached(&forth, ends[0], &ends);
        let before = reached(&back, ends[1], &ends);
        let members: Vec<String> = source
            .steps
            .iter()
            .map(|it| it.id.as_str())
            .filter(|it| after.contains(it) && before.contains(it))
            .map(str::to_owned)
            .collect();
        if !members.is_empty() {
            groups.push(Group { label: step.name.clone(), members });
        }
    }
    groups
}

/// The step of that name, if it is there.
fn target<'a>(source: &'a Source, id: &str) -> Option<&'a str> {
    source.steps.iter().map(|it| it.id.as_str()).find(|it| *it == id)
}

type Neighbors<'a> = BTreeMap<&'a str, Vec<&'a str>>;

fn neighbors<'a>(ways: impl Iterator<Item = (&'a str, &'a str)>) -> Neighbors<'a> {
    let mut neighbors: Neighbors<'a> = BTreeMap::new();
    for (from, to) in ways {
        neighbors.entry(from).or_default().push(to);
    }
    neighbors
}

/// Everything that is reached from `start` without passing one of the ends.
fn reached<'a>(neighbors: &Neighbors<'a>, start: &str, ends: &[&str]) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = neighbors.get(start).cloned().unwrap_or_default();
    while let Some(step) = open.pop() {
        if ends.contains(&step) {
            continue;
        }
        if let Some((step, nexts)) = neighbors.get_key_value(step)
            && found.insert(*step)
        {
            open.extend(nexts);
        }
    }
    found
}
