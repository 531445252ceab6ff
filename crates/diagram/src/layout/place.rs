//! Gives each vertex its `x`: blocks keep their distance, and come as close to the middle of their
//! neighbors as that allows.

use super::{
    Spacing,
    blocks::{Blocks, border},
    column::Column,
    sheet::{Sheet, distance},
};

/// How often blocks are moved, alternately from the left and from the right.
const SWEEPS: usize = 24;

pub(super) fn place(sheet: &mut Sheet, spacing: &Spacing) {
    let blocks = Blocks::new(sheet);
    let mut placing = Placing::new(sheet, spacing, &blocks);
    placing.pack();
    for sweep in 0..SWEEPS {
        placing.sweep(sweep % 2 == 1);
    }
    placing.tighten();
    for vertex in 0..sheet.vertices.len() {
        let (block, offset) = blocks.of[vertex];
        sheet.vertices[vertex].x = placing.x[block] + offset;
    }
    let first = sheet.vertices.iter().map(|it| it.x - it.left).min().unwrap_or_default();
    for vertex in 0..sheet.vertices.len() {
        sheet.vertices[vertex].x -= first;
    }
}

struct Placing {
    x: Column<i64>,
    /// Blocks to the left of each and how far they must be away, and to the right.
    lefts: Column<Vec<(usize, i64)>>,
    rights: Column<Vec<(usize, i64)>>,
    /// Where each would like to be: a block and how far right of it.
    wishes: Column<Vec<(usize, i64)>>,
    /// Whether it is the left or the right border of a group.
    border: Column<Option<bool>>,
    /// From the left.
    sorted: Vec<usize>,
}

impl Placing {
    fn new(sheet: &Sheet, spacing: &Spacing, blocks: &Blocks) -> Self {
        let count = blocks.count;
        let mut placing = Self {
            x: Column::new(count, 0),
            lefts: Column::new(count, Vec::new()),
            rights: Column::new(count, Vec::new()),
            wishes: Column::new(count, Vec::new()),
            border: Column::new(count, None),
            sorted: Vec::new(),
        };
        for (vertex, it) in sheet.vertices.iter().enumerate() {
            placing.border[blocks.of[vertex].0] = border(it.role);
        }
        for pair in sheet.layers.iter().flat_map(|layer| layer.windows(2)) {
            if let [left, right] = *pair {
                let gap = distance(&sheet.vertices[left], &sheet.vertices[right], spacing);
                let ((left, from), (right, to)) = (blocks.of[left], blocks.of[right]);
                placing.lefts[right].push((left, from + gap - to));
                placing.rights[left].push((right, from + gap - to));
            }
        }
        for segment in &sheet.segments {
            let ((upper, from), (lower, to)) = (blocks.of[segment.upper], blocks.of[segment.lower]);
            let gap = from + segment.upper_port - to - segment.lower_port;
            if upper != lower {
                placing.wishes[lower].push((upper, gap));
                placing.wishes[upper].push((lower, -gap));
            }
        }
        placing.sort();
        placing
    }

    /// Sorts blocks so that each comes after those to its left.
    fn sort(&mut self) {
        let mut open: Column<usize> = self.lefts.iter().map(Vec::len).collect();
        self.sorted = (0..open.len()).filter(|it| open[*it] == 0).collect();
        let mut next = 0;
        while let Some(block) = self.sorted.get(next).copied() {
            next += 1;
            for (right, _) in &self.rights[block] {
                open[*right] -= 1;
                if open[*right] == 0 {
                    self.sorted.push(*right);
                }
            }
        }
    }

    /// Puts everything as far left as it can be.
    fn pack(&mut self) {
        for block in self.sorted.clone() {
            self.x[block] = self.least(block).unwrap_or_default();
        }
    }

    fn least(&self, block: usize) -> Option<i64> {
        self.lefts[block].iter().map(|(left, gap)| self.x[*left] + gap).max()
    }

    fn most(&self, block: usize) -> Option<i64> {
        self.rights[block].iter().map(|(right, gap)| self.x[*right] - gap).min()
    }

    fn sweep(&mut self, is_rightward: bool) {
        let mut order = self.sorted.clone();
        if !is_rightward {
            order.reverse();
        }
        for block in order {
            // Borders make way for what they hold; they are tightened in the end.
            let wish = match self.border[block] {
                Some(true) => self.least(block),
                Some(false) => self.most(block),
                None => self.wish(block),
            };
            if let Some(wish) = wish {
                self.put(block, wish);
            }
        }
    }

    /// In the middle of its neighbors: of an even number, between the two in the middle.
    fn wish(&self, block: usize) -> Option<i64> {
        let mut wishes: Vec<i64> =
            self.wishes[block].iter().map(|(other, gap)| self.x[*other] + gap).collect();
        wishes.sort_unstable();
        let upper = wishes.get(wishes.len() / 2)?;
        let lower = wishes.get((wishes.len() - 1) / 2)?;
        Some((lower + upper).div_euclid(2))
    }

    fn put(&mut self, block: usize, wish: i64) {
        let wish = self.most(block).map_or(wish, |it| wish.min(it));
        self.x[block] = self.least(block).map_or(wish, |it| wish.max(it));
    }

    /// Pulls borders close to what they hold, from the inside.
    fn tighten(&mut self) {
        for block in self.sorted.clone().into_iter().rev() {
            if let (Some(true), Some(most)) = (self.border[block], self.most(block)) {
                self.put(block, most);
            }
        }
        for block in self.sorted.clone() {
            if let (Some(false), Some(least)) = (self.border[block], self.least(block)) {
                self.put(block, least);
            }
        }
    }
}
