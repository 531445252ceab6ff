//! Gives each node its layer: below everything that leads to it, and not far above what it leads
//! to.

use std::collections::BTreeMap;

use super::{
    column::Column,
    cycle::leads_back,
    part::{Part, PartLine},
};

/// A part with layers.
pub(super) struct Layers {
    /// The nodes, by their numbers in the request.
    pub(super) nodes: Vec<usize>,
    /// The layer of each, from the top.
    pub(super) ranks: Column<usize>,
    pub(super) lines: Vec<Ranked>,
    /// The edges that lead from a node to itself, by the node.
    pub(super) loops: BTreeMap<usize, Vec<usize>>,
}

/// An edge that leads down, whatever its arrow says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) upper: usize,
    pub(super) lower: usize,
    pub(super) edge: usize,
    pub(super) is_back: bool,
}

/// How often nodes are pulled down. More moves hardly anything.
const PULLS: usize = 4;

pub(super) fn layers(part: Part) -> Layers {
    let back = leads_back(&part);
    let down = |(line, it): (usize, &PartLine)| {
        let PartLine { from, to, edge } = *it;
        match back[line] {
            true => Ranked { upper: to, lower: from, edge, is_back: true },
            false => Ranked { upper: from, lower: to, edge, is_back: false },
        }
    };
    let lines: Vec<Ranked> = part.lines.iter().enumerate().map(down).collect();
    let ranks = ranks(part.nodes.len(), &lines);
    Layers { nodes: part.nodes, ranks, lines, loops: part.loops }
}

fn ranks(count: usize, lines: &[Ranked]) -> Column<usize> {
    let mut below: Column<Vec<usize>> = Column::new(count, Vec::new());
    let mut above: Column<usize> = Column::new(count, 0);
    for line in lines {
        below[line.upper].push(line.lower);
        above[line.lower] += 1;
    }
    let mut ranks: Column<usize> = Column::new(count, 0);
    let mut left = above.clone();
    let mut sorted: Vec<usize> = (0..count).filter(|it| left[*it] == 0).collect();
    let mut next = 0;
    while let Some(node) = sorted.get(next).copied() {
        next += 1;
        for lower in &below[node] {
            ranks[*lower] = ranks[*lower].max(ranks[node] + 1);
            left[*lower] -= 1;
            if left[*lower] == 0 {
                sorted.push(*lower);
            }
        }
    }
    for _ in 0..PULLS {
        for node in sorted.iter().rev().copied() {
            let nearest = below[node].iter().map(|it| ranks[*it]).min();
            if let Some(nearest) = nearest.filter(|_| above[node] < below[node].len()) {
                ranks[node] = ranks[node].max(nearest.saturating_sub(1));
            }
        }
    }
    ranks
}
