//! Sorts one layer by keys, group by group: what is in a group stays between its borders, and
//! groups stand side by side in the same order in every layer.

use std::collections::BTreeMap;

use super::super::{
    column::{Column, whole},
    nest::Nest,
    sheet::{Role, Sheet, scaled},
};

pub(super) struct Arranging<'a> {
    pub(super) nest: &'a Nest,
    /// Where each vertex would like to stand. One that has no wish stays about where it is.
    pub(super) keys: &'a Column<Option<i64>>,
    /// Where each group would like to stand, over all layers.
    pub(super) ranks: &'a BTreeMap<usize, i64>,
}

/// What is sorted at one level: a vertex, or a group with its vertices.
struct Item {
    key: i64,
    group: Option<usize>,
    vertices: Vec<usize>,
}

impl Arranging<'_> {
    /// The mean key of each group's vertices.
    pub(super) fn ranks(
        sheet: &Sheet,
        nest: &Nest,
        keys: &Column<Option<i64>>,
    ) -> BTreeMap<usize, i64> {
        let mut sums: BTreeMap<usize, (i64, i64)> = BTreeMap::new();
        for (vertex, it) in sheet.vertices.iter().enumerate().filter(|it| !it.1.role.is_border()) {
            for group in nest.outward(it.group) {
                let sum = sums.entry(group).or_default();
                *sum = (sum.0 + keys[vertex].unwrap_or_default(), sum.1 + 1);
            }
        }
        sums.into_iter().map(|(group, (sum, count))| (group, sum / count.max(1))).collect()
    }

    pub(super) fn arrange(&self, sheet: &mut Sheet, layer: usize) {
        let Some(vertices) = sheet.layers.get(layer).cloned() else { return };
        let sorted = self.sorted(sheet, None, vertices);
        if let Some(layer) = sheet.layers.get_mut(layer) {
            layer.clone_from(&sorted);
        }
        for (place, vertex) in sorted.into_iter().enumerate() {
            sheet.vertices[vertex].place = place;
        }
    }

    fn sorted(&self, sheet: &Sheet, outer: Option<usize>, vertices: Vec<usize>) -> Vec<usize> {
        let mut items = self.items(sheet, outer, vertices);
        items.sort_by_key(|it| it.key);
        // Groups take the places that groups have, in the one order they have in all layers.
        let rank = |it: &Item| it.group.and_then(|group| self.ranks.get(&group)).copied();
        let (slots, mut groups): (Vec<_>, Vec<_>) =
            items.iter().enumerate().filter(|(_, it)| it.group.is_some()).unzip();
        groups.sort_by_key(|it| (rank(it), it.group));
        let order: BTreeMap<usize, Vec<usize>> = slots
            .into_iter()
            .zip(groups)
            .map(|(slot, it)| (slot, self.sorted(sheet, it.group, it.vertices.clone())))
            .collect();
        let mut sorted = Vec::new();
        for (slot, item) in items.iter().enumerate() {
            sorted.extend_from_slice(order.get(&slot).unwrap_or(&item.vertices));
        }
        sorted
    }

    fn items(&self, sheet: &Sheet, outer: Option<usize>, vertices: Vec<usize>) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        for vertex in vertices {
            let group = sheet.vertices[vertex].group.filter(|it| Some(*it) != outer);
            let group = group.and_then(|it| self.nest.child(outer, Some(it)));
            let place = group.map_or(items.len(), |it| *places.entry(it).or_insert(items.len()));
            match items.get_mut(place) {
                Some(item) => item.vertices.push(vertex),
                None => items.push(Item { key: 0, group, vertices: vec![vertex] }),
            }
        }
        for item in &mut items {
            item.key = self.key(sheet, item);
        }
        items
    }

    fn key(&self, sheet: &Sheet, item: &Item) -> i64 {
        if let (None, [vertex]) = (item.group, item.vertices.as_slice()) {
            match sheet.vertices[*vertex].role {
                Role::LeftBorder => return i64::MIN,
                Role::RightBorder => return i64::MAX,
                Role::Node(_) | Role::Label(_) | Role::Bend => {}
            }
        }
        let wishes: Vec<i64> = item.vertices.iter().filter_map(|it| self.keys[*it]).collect();
        let places = item.vertices.iter().map(|it| scaled(sheet.vertices[*it].place));
        let values = if wishes.is_empty() { places.collect() } else { wishes };
        values.iter().sum::<i64>() / whole(values.len()).max(1)
    }
}
