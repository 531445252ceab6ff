//! Gives each vertex its `x`: blocks keep their distance, and come as close to the middle of their
//! neighbors as that allows.

use super::{
    Spacing,
    blocks::{Blocks, border},
    column::Column,
    sheet::{Sheet, distance},
};

/// How often blocks are moved, alternately from the left and from the right, unless they have come
/// to rest before.
const SWEEPS: usize = 100;

/// Above so many blocks none is pushed aside: each may push all others.
const PUSHED_MAX: usize = 1_000;

pub(super) fn place(sheet: &mut Sheet, spacing: &Spacing) {
    let blocks = Blocks::new(sheet);
    let mut placing = Placing::new(sheet, spacing, &blocks);
    placing.pack();
    for sweep in 0..SWEEPS {
        let before: Vec<i64> = placing.x.iter().copied().collect();
        placing.sweep(sweep % 2 == 1);
        placing.shift();
        if placing.x.iter().eq(&before) {
            break;
        }
    }
    placing.straighten(spacing.port_gap / 2);
    placing.push_aside(spacing.port_gap / 2);
    placing.straighten(spacing.port_gap / 2);
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
    /// Whether it holds a node, and is not just a line.
    has_node: Column<bool>,
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
            has_node: Column::new(count, false),
            sorted: Vec::new(),
        };
        for (vertex, it) in sheet.vertices.iter().enumerate() {
            let (block, _) = blocks.of[vertex];
            placing.border[block] = border(it.role);
            placing.has_node[block] |= it.role.is_node();
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

    /// In the middle of its neighbors. A line is better straight at one of its ends than crooked at
    /// both.
    fn wish(&self, block: usize) -> Option<i64> {
        if self.has_node[block] {
            middle(self.wishes(block).collect())
        } else {
            self.nearest(block)
        }
    }

    fn wishes(&self, block: usize) -> impl Iterator<Item = i64> {
        self.wishes[block].iter().map(|(other, gap)| self.x[*other] + gap)
    }

    fn nearest(&self, block: usize) -> Option<i64> {
        self.wishes(block).min_by_key(|it| (it - self.x[block]).abs())
    }

    fn put(&mut self, block: usize, wish: i64) {
        let wish = self.most(block).map_or(wish, |it| wish.min(it));
        self.x[block] = self.least(block).map_or(wish, |it| wish.max(it));
    }

    /// Straightens lines that are only a little crooked by pushing aside what is in the way.
    fn push_aside(&mut self, little: i64) {
        if self.sorted.len() > PUSHED_MAX {
            return;
        }
        let lines = self.sorted.iter().copied().filter(|it| !self.has_node[*it]);
        for block in lines.collect::<Vec<_>>() {
            let far = |it: &i64| (it - self.x[block]).abs();
            if let Some(wish) = self.nearest(block).filter(|it| (1..=little).contains(&far(it))) {
                self.push(block, wish);
            }
        }
    }

    fn push(&mut self, block: usize, wish: i64) {
        let is_leftward = wish < self.x[block];
        let mut open = vec![(block, wish)];
        while let Some((block, wish)) = open.pop() {
            if is_leftward && wish < self.x[block] {
                self.x[block] = wish;
                open.extend(self.lefts[block].iter().map(|(left, gap)| (*left, wish - gap)));
            } else if !is_leftward && wish > self.x[block] {
                self.x[block] = wish;
                open.extend(self.rights[block].iter().map(|(right, gap)| (*right, wish + gap)));
            }
        }
    }

    /// Gives lines the chance to follow the nodes, which are where they are now, and takes out what
    /// is only a little crooked.
    fn straighten(&mut self, little: i64) {
        let there = self.sorted.iter().copied().filter(|it| self.border[*it].is_none());
        let there_and_back: Vec<usize> = there.clone().chain(there.rev()).collect();
        for block in there_and_back.repeat(2) {
            let is_line = !self.has_node[block];
            let nearest =
                self.nearest(block).filter(|it| is_line || (it - self.x[block]).abs() <= little);
            if let Some(wish) = nearest {
                self.put(block, wish);
            }
        }
    }

    /// Moves blocks that touch each other together, where each of them alone cannot move.
    fn shift(&mut self) {
        let touching = self.touching();
        let mut clusters: Column<Vec<usize>> = Column::new(self.x.len(), Vec::new());
        for block in self.sorted.iter().copied() {
            clusters[touching[block]].push(block);
        }
        for members in clusters.iter().filter(|it| !it.is_empty()) {
            self.shift_cluster(&touching, members);
        }
    }

    /// For each block, the smallest number of those it touches, and that those touch.
    fn touching(&self) -> Column<usize> {
        let mut touching: Column<usize> = (0..self.x.len()).collect();
        for order in [self.sorted.clone(), self.sorted.iter().rev().copied().collect()] {
            for block in order {
                for (right, gap) in &self.rights[block] {
                    if self.x[*right] - self.x[block] == *gap {
                        let first = touching[block].min(touching[*right]);
                        touching[block] = first;
                        touching[*right] = first;
                    }
                }
            }
        }
        touching
    }

    /// Moves a cluster to the middle of where its members would like to be, as far as it can.
    fn shift_cluster(&mut self, touching: &Column<usize>, members: &[usize]) {
        let is_outside = |one: usize, other: &(usize, i64)| touching[other.0] != touching[one];
        let mut wishes = Vec::new();
        let (mut least, mut most) = (i64::MIN, i64::MAX);
        for block in members.iter().copied() {
            let x = self.x[block];
            for (other, gap) in self.wishes[block].iter().filter(|it| is_outside(block, it)) {
                wishes.push(self.x[*other] + gap - x);
            }
            for (left, gap) in self.lefts[block].iter().filter(|it| is_outside(block, it)) {
                least = least.max(self.x[*left] + gap - x);
            }
            for (right, gap) in self.rights[block].iter().filter(|it| is_outside(block, it)) {
                most = most.min(self.x[*right] - gap - x);
            }
        }
        let wish = middle(wishes).unwrap_or_default();
        for block in members.iter().filter(|_| least <= most) {
            self.x[*block] += wish.clamp(least, most);
        }
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

/// The one in the middle; of an even number, what lies between the two in the middle.
fn middle(mut wishes: Vec<i64>) -> Option<i64> {
    wishes.sort_unstable();
    let upper = wishes.get(wishes.len() / 2)?;
    let lower = wishes.get((wishes.len() - 1) / 2)?;
    Some((lower + upper).div_euclid(2))
}
