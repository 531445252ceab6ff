//! Finds the edges that lead back, so that the others can all lead down.

use super::{column::Column, part::Part};

/// For each edge of the part, whether it leads back. Without those there is no circle.
pub(super) fn leads_back(part: &Part) -> Column<bool> {
    let count = part.nodes.len();
    let mut out: Column<Vec<usize>> = Column::new(count, Vec::new());
    let mut is_entered = Column::new(count, false);
    for (line, it) in part.lines.iter().enumerate() {
        out[it.from].push(line);
        is_entered[it.to] = true;
    }
    let mut search = Search {
        part,
        out,
        seen: Column::new(count, Seen::Not),
        back: Column::new(part.lines.len(), false),
    };
    let (roots, others): (Vec<_>, Vec<_>) = (0..count).partition(|it| !is_entered[*it]);
    for root in roots.into_iter().chain(others) {
        search.from(root);
    }
    search.back
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Not,
    /// On the way that is being followed: an edge to here leads back.
    OnTheWay,
    Done,
}

struct Search<'a> {
    part: &'a Part,
    out: Column<Vec<usize>>,
    seen: Column<Seen>,
    back: Column<bool>,
}

impl Search<'_> {
    /// Goes everywhere from `root`, depth first. Definitions may be longer than a stack is deep.
    fn from(&mut self, root: usize) {
        if self.seen[root] != Seen::Not {
            return;
        }
        self.seen[root] = Seen::OnTheWay;
        let mut way = vec![(root, 0)];
        while let Some((node, next)) = way.last_mut() {
            let (node, line) = (*node, self.out[*node].get(*next).copied());
            *next += 1;
            let Some(line) = line else {
                self.seen[node] = Seen::Done;
                way.pop();
                continue;
            };
            let Some(to) = self.part.lines.get(line).map(|it| it.to) else { continue };
            match self.seen[to] {
                Seen::OnTheWay => self.back[line] = true,
                Seen::Done => {}
                Seen::Not => {
                    self.seen[to] = Seen::OnTheWay;
                    way.push((to, 0));
                }
            }
        }
    }
}
