//! Lines in a channel that hang together: those that leave one place, or else those that meet in
//! one place. They share a track.

use std::collections::BTreeMap;

use super::super::sheet::{Segment, Sheet};

#[derive(Clone, Debug, Default)]
pub(super) struct Net {
    pub(super) segments: Vec<usize>,
    /// Where lines come from above, and where they go on below; sorted.
    tops: Vec<i64>,
    bottoms: Vec<i64>,
    /// From where to where it runs across.
    pub(super) from: i64,
    pub(super) to: i64,
}

/// What it costs if two lines lie on top of each other, in crossings.
const OVERLAY: i64 = 1_000_000;

/// The lines that run across between two layers. Those that run straight down are not among them.
pub(super) fn nets(sheet: &Sheet, segments: &[usize]) -> Vec<Net> {
    let ends = |it: &Segment| {
        let [upper, lower] = [it.upper, it.lower].map(|it| sheet.vertices[it].x);
        (upper + it.upper_port, lower + it.lower_port)
    };
    let mut by_top: BTreeMap<(usize, i64), Vec<usize>> = BTreeMap::new();
    for number in segments {
        if let Some(segment) = sheet.segments.get(*number) {
            by_top.entry((segment.upper, ends(segment).0)).or_default().push(*number);
        }
    }
    let (single, mut nets): (Vec<_>, Vec<_>) = by_top.into_values().partition(|it| it.len() == 1);
    let mut by_bottom: BTreeMap<(usize, i64), Vec<usize>> = BTreeMap::new();
    for number in single.into_iter().flatten() {
        if let Some(segment) = sheet.segments.get(number) {
            by_bottom.entry((segment.lower, ends(segment).1)).or_default().push(number);
        }
    }
    nets.extend(by_bottom.into_values());
    let net = |numbers: Vec<usize>| {
        let ends = numbers.iter().filter_map(|it| sheet.segments.get(*it)).map(ends).collect();
        Net::new(numbers, ends)
    };
    nets.into_iter().map(net).filter(|it| it.from < it.to).collect()
}

impl Net {
    fn new(segments: Vec<usize>, ends: Vec<(i64, i64)>) -> Self {
        let (mut tops, mut bottoms): (Vec<i64>, Vec<i64>) = ends.into_iter().unzip();
        for side in [&mut tops, &mut bottoms] {
            side.sort_unstable();
            side.dedup();
        }
        let all = || tops.iter().chain(&bottoms).copied();
        let from = all().min().unwrap_or_default();
        let to = all().max().unwrap_or_default();
        Self { segments, tops, bottoms, from, to }
    }

    /// Whether both cannot be on one track.
    pub(super) const fn meets(&self, other: &Self, gap: i64) -> bool {
        self.from < other.to + gap && other.from < self.to + gap
    }

    /// What it costs if this is above the other.
    pub(super) fn cost_above(&self, other: &Self, gap: i64) -> i64 {
        if !self.meets(other, gap) {
            return 0;
        }
        let crossed = |ends: &[i64], net: &Self| {
            i64::try_from(ends.iter().filter(|it| net.from < **it && **it < net.to).count())
        };
        let crossings = crossed(&self.bottoms, other).unwrap_or_default()
            + crossed(&other.tops, self).unwrap_or_default();
        // This one's lines go on down where the other's come from above.
        let lies_on = |it: &i64| other.tops.iter().any(|top| (top - it).abs() < gap);
        crossings + self.bottoms.iter().filter(|it| lies_on(it)).map(|_| OVERLAY).sum::<i64>()
    }
}
