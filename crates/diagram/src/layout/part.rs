//! Parts of a picture that have nothing to do with each other are laid out apart.

use std::collections::BTreeMap;

use super::{Request, column::Column};

/// Nodes that hang together, and the edges between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// The nodes, by their numbers in the request.
    pub(super) nodes: Vec<usize>,
    /// Where each edge leads, by places in `nodes`. Edges from a node to itself are not among them.
    pub(super) lines: Vec<PartLine>,
    /// The edges that lead from a node to itself, by the node.
    pub(super) loops: BTreeMap<usize, Vec<usize>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PartLine {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The edge's number in the request.
    pub(super) edge: usize,
}

pub(super) fn parts(request: &Request) -> Vec<Part> {
    let count = request.nodes.len();
    let mut sets = Sets { above: (0..count).collect() };
    for edge in request.edges.iter().filter(|it| it.from < count && it.to < count) {
        sets.unite(edge.from, edge.to);
    }
    for group in &request.groups {
        for pair in group.windows(2) {
            if let [one, other] = *pair {
                sets.unite(one, other);
            }
        }
    }
    collect(request, &mut sets)
}

fn collect(request: &Request, sets: &mut Sets) -> Vec<Part> {
    let count = request.nodes.len();
    let mut parts: Vec<Part> = Vec::new();
    let mut part_of: Column<Option<usize>> = Column::new(count, None);
    let mut place: Column<usize> = Column::new(count, 0);
    for node in 0..count {
        let top = sets.top(node);
        let number = part_of[top].unwrap_or(parts.len());
        if part_of[top].is_none() {
            part_of[top] = Some(number);
            parts.push(Part::default());
        }
        if let Some(part) = parts.get_mut(number) {
            place[node] = part.nodes.len();
            part.nodes.push(node);
        }
    }
    for (edge, line) in request.edges.iter().enumerate() {
        let is_inside = line.from < count && line.to < count;
        let number = part_of[sets.top(line.from)].unwrap_or_default();
        let Some(part) = parts.get_mut(number).filter(|_| is_inside) else { continue };
        if line.from == line.to {
            part.loops.entry(line.from).or_default().push(edge);
        } else {
            part.lines.push(PartLine { from: place[line.from], to: place[line.to], edge });
        }
    }
    parts
}

/// Which nodes hang together.
struct Sets {
    above: Column<usize>,
}

impl Sets {
    fn top(&mut self, node: usize) -> usize {
        let mut top = node;
        while self.above[top] != top && top < self.above.len() {
            let over = self.above[top];
            self.above[top] = self.above[over];
            top = self.above[top];
        }
        top
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.top(one), self.top(other));
        // The smaller number stays on top, so that parts come in the order of their first nodes.
        self.above[one.max(other)] = one.min(other);
    }
}
