//! All chance of a simulation comes from here.

use std::cell::Cell;

/// A small generator (`SplitMix64`): fast, seeded, the same everywhere.
pub(super) struct Chance(Cell<u64>);

impl Chance {
    pub(super) const fn new(seed: u64) -> Self {
        Self(Cell::new(seed))
    }

    pub(super) fn next(&self) -> u64 {
        let state = self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// An index into something of that length.
    pub(super) fn index(&self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    /// One of them.
    pub(super) fn pick<'a, T>(&self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.index(from.len()))
    }

    /// True in `percent` of a hundred cases.
    pub(super) fn percent(&self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
