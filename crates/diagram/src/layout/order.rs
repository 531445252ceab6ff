//! Orders the vertices of each layer so that few edges cross, and groups stay together.

mod arrange;
mod crossing;

use self::{
    arrange::Arranging,
    crossing::{crossings, exchange},
};
use super::{
    column::Column,
    nest::Nest,
    sheet::{Sheet, scaled},
};

/// How often all layers are sorted, alternately from the top and from the bottom.
const SWEEPS: usize = 12;

/// After so many sweeps that were of no use, there are no more.
const VAIN_MAX: usize = 4;

/// Above so many segments, neighbors are not exchanged one by one: it takes too long.
const EXCHANGED_MAX: usize = 4_000;

pub(super) fn order(sheet: &mut Sheet, nest: &Nest) {
    by_discovery(sheet, nest);
    let mut best = (crossings(sheet), sheet.layers.clone());
    let mut vain = 0;
    for sweep in 0..SWEEPS {
        if best.0 == 0 || vain == VAIN_MAX {
            break;
        }
        vain += 1;
        sort_all(sheet, nest, sweep % 2 == 0);
        if sheet.segments.len() <= EXCHANGED_MAX {
            exchange(sheet);
        }
        let found = crossings(sheet);
        if found < best.0 {
            best = (found, sheet.layers.clone());
            vain = 0;
        }
    }
    sheet.layers = best.1;
    sheet.number();
}

/// The first order: as a walk from the top, left to right, comes upon the vertices.
fn by_discovery(sheet: &mut Sheet, nest: &Nest) {
    let mut found: Column<Option<usize>> = Column::new(sheet.vertices.len(), None);
    let mut count = 0;
    for top in sheet.layers.iter().flatten().copied() {
        let mut way = vec![top];
        while let Some(vertex) = way.pop() {
            if found[vertex].is_some() {
                continue;
            }
            found[vertex] = Some(count);
            count += 1;
            let below = sheet.below[vertex].iter().rev();
            way.extend(below.filter_map(|it| sheet.segments.get(*it)).map(|it| it.lower));
        }
    }
    let keys: Column<Option<i64>> = found.iter().map(|it| it.map(scaled)).collect();
    sheet.number();
    let ranks = Arranging::ranks(sheet, nest, &keys);
    for layer in 0..sheet.layers.len() {
        Arranging { nest, keys: &keys, ranks: &ranks }.arrange(sheet, layer);
    }
}

fn sort_all(sheet: &mut Sheet, nest: &Nest, is_downward: bool) {
    let places: Column<Option<i64>> =
        sheet.vertices.iter().map(|it| Some(scaled(it.place))).collect();
    let ranks = Arranging::ranks(sheet, nest, &places);
    let count = sheet.layers.len();
    let mut keys = Column::new(sheet.vertices.len(), None);
    for step in 0..count {
        let layer = if is_downward { step } else { count - 1 - step };
        // In the first layer nothing has a wish; but its groups have to follow the others.
        average(sheet, layer, is_downward, &mut keys);
        Arranging { nest, keys: &keys, ranks: &ranks }.arrange(sheet, layer);
    }
}

/// Where the vertices of a layer would stand if each were in the middle of its neighbors.
fn average(sheet: &Sheet, layer: usize, is_downward: bool, keys: &mut Column<Option<i64>>) {
    let segments = if is_downward { &sheet.above } else { &sheet.below };
    for vertex in sheet.layers.get(layer).into_iter().flatten() {
        let (mut sum, mut count) = (0, 0);
        for segment in segments[*vertex].iter().filter_map(|it| sheet.segments.get(*it)) {
            let neighbor = if is_downward { segment.upper } else { segment.lower };
            sum += scaled(sheet.vertices[neighbor].place);
            count += 1;
        }
        keys[*vertex] = i64::checked_div(sum, count);
    }
}
