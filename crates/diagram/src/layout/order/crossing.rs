//! Counts crossings, and exchanges neighbors where that saves some.

use super::super::{column::Column, sheet::Sheet};

/// How often edges cross.
pub(super) fn crossings(sheet: &Sheet) -> u64 {
    sheet.layers.iter().map(|layer| between(sheet, layer)).sum()
}

/// How often the edges below a layer cross: for each, those from further left that end further
/// right. They are counted in a tree of sums.
fn between(sheet: &Sheet, layer: &[usize]) -> u64 {
    let mut ends: Vec<usize> = Vec::new();
    for vertex in layer {
        let start = ends.len();
        ends.extend(places(sheet, *vertex, false));
        if let Some(fresh) = ends.get_mut(start..) {
            fresh.sort_unstable();
        }
    }
    let width = ends.iter().max().map_or(0, |it| it + 1);
    let mut tree: Column<u64> = Column::new(width + 1, 0);
    let (mut total, mut crossed) = (0, 0);
    for end in ends {
        let (mut before, mut at) = (0, end + 1);
        while at > 0 {
            before += tree[at];
            at &= at - 1;
        }
        crossed += total - before;
        total += 1;
        let mut at = end + 1;
        while at <= width {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    crossed
}

/// Where the neighbors of a vertex stand in the layer above or below, sorted.
fn places(sheet: &Sheet, vertex: usize, is_above: bool) -> Vec<usize> {
    let segments = if is_above { &sheet.above } else { &sheet.below };
    let ends = segments[vertex].iter().filter_map(|it| sheet.segments.get(*it));
    let ends = ends.map(|it| if is_above { it.upper } else { it.lower });
    let mut places: Vec<usize> = ends.map(|it| sheet.vertices[it].place).collect();
    places.sort_unstable();
    places
}

/// Exchanges neighbors of one group where fewer edges cross afterward.
pub(super) fn exchange(sheet: &mut Sheet) {
    for layer in 0..sheet.layers.len() {
        let count = sheet.layers.get(layer).map_or(0, Vec::len);
        for place in 1..count {
            exchange_at(sheet, layer, place);
        }
    }
}

fn exchange_at(sheet: &mut Sheet, layer: usize, place: usize) {
    let Some(vertices) = sheet.layers.get_mut(layer) else { return };
    let (Some(left), Some(right)) = (vertices.get(place - 1), vertices.get(place)) else { return };
    let (left, right) = (*left, *right);
    let [one, other] = [left, right].map(|it| sheet.vertices[it]);
    if one.group != other.group || one.role.is_border() || other.role.is_border() {
        return;
    }
    let (mut now, mut then) = (0, 0);
    for is_above in [true, false] {
        let [lefts, rights] = [left, right].map(|it| places(sheet, it, is_above));
        now += inversions(&lefts, &rights);
        then += inversions(&rights, &lefts);
    }
    if then < now {
        if let Some(vertices) = sheet.layers.get_mut(layer) {
            vertices.swap(place - 1, place);
        }
        sheet.vertices[left].place = place;
        sheet.vertices[right].place = place - 1;
    }
}

/// How many of the first lie right of how many of the second; both are sorted.
fn inversions(lefts: &[usize], rights: &[usize]) -> usize {
    let mut smaller = 0;
    let mut count = 0;
    for left in lefts {
        while rights.get(smaller).is_some_and(|it| it < left) {
            smaller += 1;
        }
        count += smaller;
    }
    count
}
