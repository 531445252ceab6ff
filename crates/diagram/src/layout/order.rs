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

/// Above so many segments, neighbors are not exchanged one by one: it takes too long.
const EXCHANGED_MAX: usize = 4_000;

pub(super) fn order(sheet: &mut Sheet, nest: &Nest) {
    by_discovery(sheet, nest);
    let mut best = (crossings(sheet), sheet.layers.clone());
    for sweep in 0..SWEEPS {
        if best.0 == 0 {
            break;
        }
        sort_all(sheet, nest, sweep % 2 == 0);
        if sheet.segments.len() <= EXCHANGED_MAX {
            exchange(sheet);
        }
        let found = crossings(sheet);
        if found < best.0 {
            best = (found, sheet.layers.clone());
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
    for step in 1..count {
        let layer = if is_downward { step } else { count - 1 - step };
        let keys = averages(sheet, layer, is_downward);
        Arranging { nest, keys: &keys, ranks: &ranks }.arrange(sheet, layer);
    }
}

/// Where the vertices of a layer would stand if each were in the middle of its neighbors.
fn averages(sheet: &Sheet, layer: usize, is_downward: bool) -> Column<Option<i64>> {
    let mut keys = Column::new(sheet.vertices.len(), None);
    for vertex in sheet.layers.get(layer).into_iter().flatten() {
        let segments = if is_downward { &sheet.above } else { &sheet.below };
        let neighbors = segments[*vertex].iter().filter_map(|it| sheet.segments.get(*it));
        let places = neighbors.map(|it| if is_downward { it.upper } else { it.lower });
        let places: Vec<i64> = places.map(|it| scaled(sheet.vertices[it].place)).collect();
        let sum: i64 = places.iter().sum();
        keys[*vertex] = sum.checked_div(i64::try_from(places.len()).unwrap_or_default());
    }
    keys
}
