//! Vertices that are to lie straight below each other form blocks, which are placed as one: borders
//! of groups, long edges, and edges between nodes that are each other's middle.

use std::collections::BTreeMap;

use super::{
    column::Column,
    sheet::{Role, Segment, Sheet},
};

pub(super) struct Blocks {
    pub(super) count: usize,
    /// The block of each vertex, and how far right of the block's `x` it lies.
    pub(super) of: Column<(usize, i64)>,
}

impl Blocks {
    pub(super) fn new(sheet: &Sheet) -> Self {
        let mut bonds = Bonds {
            sheet,
            down: Column::new(sheet.vertices.len(), None),
            up: Column::new(sheet.vertices.len(), None),
            taken: Column::new(sheet.layers.len(), BTreeMap::new()),
        };
        for (lefts, rights) in sheet.borders.values() {
            bonds.add_border(lefts);
            bonds.add_border(rights);
        }
        // In the order of what looks worst if it is crooked.
        for wanted in [Bond::Long, Bond::Middle, Bond::Half] {
            for segment in sheet.segments.iter().filter(|it| bond(sheet, it) == wanted) {
                bonds.add(segment.upper, segment.lower, segment.upper_port - segment.lower_port);
            }
        }
        bonds.blocks()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bond {
    /// Both ends are in the middle of a long edge.
    Long,
    /// Each end is the other's middle.
    Middle,
    /// One end has no other neighbor, and the other has it in the middle; or a long edge ends here.
    Half,
    None,
}

fn bond(sheet: &Sheet, segment: &Segment) -> Bond {
    let [upper, lower] = [segment.upper, segment.lower].map(|it| sheet.vertices[it].role);
    if !upper.is_node() && !lower.is_node() {
        return Bond::Long;
    }
    let is_middle_below = is_middle(sheet, &sheet.below[segment.upper], segment.lower, true);
    let is_middle_above = is_middle(sheet, &sheet.above[segment.lower], segment.upper, false);
    match (is_middle_below, is_middle_above) {
        (true, true) if !segment.is_back => Bond::Middle,
        (true, true) => Bond::Half,
        (true | false, true | false) => Bond::None,
    }
}

/// Whether the vertex is in the middle of those at the other ends of these segments.
fn is_middle(sheet: &Sheet, segments: &[usize], vertex: usize, is_below: bool) -> bool {
    let segments = segments.iter().filter_map(|it| sheet.segments.get(*it));
    let mut ends: Vec<(usize, usize)> = segments
        .map(|it| if is_below { it.lower } else { it.upper })
        .map(|it| (sheet.vertices[it].place, it))
        .collect();
    ends.sort_unstable();
    ends.dedup();
    ends.len() % 2 == 1 && ends.get(ends.len() / 2).is_some_and(|it| it.1 == vertex)
}

/// Which vertices lie straight below which.
struct Bonds<'a> {
    sheet: &'a Sheet,
    /// The vertex below, and how far right of this one it lies.
    down: Column<Option<(usize, i64)>>,
    up: Column<Option<usize>>,
    /// Below each layer, the places that are bound: of the upper end, then of the lower end. They
    /// do not cross, which is why blocks can be placed.
    taken: Column<BTreeMap<usize, usize>>,
}

impl Bonds<'_> {
    fn add_border(&mut self, border: &[usize]) {
        for pair in border.windows(2) {
            if let [upper, lower] = *pair {
                self.add(upper, lower, 0);
            }
        }
    }

    fn add(&mut self, upper: usize, lower: usize, offset: i64) {
        let [above, below] = [upper, lower].map(|it| self.sheet.vertices[it]);
        let taken = &self.taken[above.layer];
        let before = taken.range(..above.place).next_back().is_none_or(|it| *it.1 < below.place);
        let after = taken.range(above.place + 1..).next().is_none_or(|it| *it.1 > below.place);
        if self.down[upper].is_none() && self.up[lower].is_none() && before && after {
            self.down[upper] = Some((lower, offset));
            self.up[lower] = Some(upper);
            self.taken[above.layer].insert(above.place, below.place);
        }
    }

    fn blocks(&self) -> Blocks {
        let mut blocks = Blocks { count: 0, of: Column::new(self.sheet.vertices.len(), (0, 0)) };
        for top in (0..self.sheet.vertices.len()).filter(|it| self.up[*it].is_none()) {
            let (mut next, mut x) = (Some((top, 0)), 0);
            while let Some((vertex, offset)) = next {
                x += offset;
                blocks.of[vertex] = (blocks.count, x);
                next = self.down[vertex];
            }
            blocks.count += 1;
        }
        blocks
    }
}

/// Whether a vertex is the left or the right border of a group.
pub(super) const fn border(role: Role) -> Option<bool> {
    match role {
        Role::LeftBorder => Some(true),
        Role::RightBorder => Some(false),
        Role::Node(_) | Role::Label(_) | Role::Bend => None,
    }
}
