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
        let found: Vec<Bond> =
            sheet.segments.iter().enumerate().map(|(number, it)| bond(sheet, number, it)).collect();
        for wanted in [Bond::Long, Bond::Main, Bond::Side] {
            let segments = sheet.segments.iter().zip(&found).filter(|it| *it.1 == wanted);
            for (segment, _) in segments {
                bonds.add(segment.upper, segment.lower, segment.upper_port - segment.lower_port);
            }
        }
        bonds.blocks()
    }
}

/// Why two vertices should lie straight below each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bond {
    /// Both are on one long edge.
    Long,
    /// They are each other's middle, on the main path.
    Main,
    /// They are each other's middle, beside it.
    Side,
    None,
}

fn bond(sheet: &Sheet, number: usize, segment: &Segment) -> Bond {
    let [upper, lower] = [segment.upper, segment.lower].map(|it| sheet.vertices[it].role);
    let is_middle = is_middle(sheet, number, true) && is_middle(sheet, number, false);
    match () {
        () if !upper.is_node() && !lower.is_node() => Bond::Long,
        () if !is_middle => Bond::None,
        () if segment.is_back || segment.upper_port != 0 || segment.lower_port != 0 => Bond::Side,
        () => Bond::Main,
    }
}

/// Whether a segment is in the middle of those that share its upper place, or its lower one.
fn is_middle(sheet: &Sheet, number: usize, is_upper: bool) -> bool {
    let Some(segment) = sheet.segments.get(number) else { return false };
    let (port, others) = if is_upper {
        (segment.upper_port, &sheet.below[segment.upper])
    } else {
        (segment.lower_port, &sheet.above[segment.lower])
    };
    let mut places: Vec<(usize, usize)> = Vec::with_capacity(others.len());
    for other in others {
        let Some(it) = sheet.segments.get(*other) else { continue };
        let (its_port, end) =
            if is_upper { (it.upper_port, it.lower) } else { (it.lower_port, it.upper) };
        if its_port == port {
            places.push((sheet.vertices[end].place, *other));
        }
    }
    places.sort_unstable();
    places.len() % 2 == 1 && places.get(places.len() / 2).is_some_and(|it| it.1 == number)
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
