//! A picture in sentences, for those who cannot see it.

use std::collections::BTreeMap;

use super::picture::{Edge, Node, Picture};

/// Every node, what it is, what goes on there, and where it leads to. One line for each.
#[must_use]
pub fn told(picture: &Picture) -> String {
    let mut out: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (from, to, edge) in picture.ways() {
        if let Some(target) = picture.nodes.get(to) {
            out.entry(from).or_default().push(way(edge, target));
        }
    }
    let node = |(place, node): (usize, &Node)| {
        let mut told = format!("{} ({})", name(node), node.kind.as_str());
        if let Some(mark) = picture.mark(node) {
            for said in [mark.presence(), mark.frequency(), mark.deadline()] {
                if !said.is_empty() {
                    told = format!("{told}, {said}");
                }
            }
        }
        match out.get(&place) {
            Some(ways) => format!("{told} leads to {}.", ways.join("; ")),
            None => format!("{told}."),
        }
    };
    picture.nodes.iter().enumerate().map(node).collect::<Vec<_>>().join("\n")
}

fn name(node: &Node) -> &str {
    if node.label.is_empty() { "Beginning" } else { &node.label }
}

fn way(edge: &Edge, target: &Node) -> String {
    match edge.label.as_str() {
        "" => name(target).to_owned(),
        label => format!("{} ({})", name(target), label.replace('\n', " ")),
    }
}
