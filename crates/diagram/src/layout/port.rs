//! Where edges leave and meet a node. Edges of one style share one place, so that they fork like a
//! tree; the main one is in the middle, so that the main path is straight.

use std::{cmp::Reverse, collections::BTreeMap};

use super::{
    Request, Spacing,
    column::whole,
    sheet::{Role, Segment, Sheet, scaled},
};
use crate::picture::Style;

pub(super) fn spread(sheet: &mut Sheet, request: &Request, spacing: &Spacing) {
    for vertex in 0..sheet.vertices.len() {
        let Role::Node(node) = sheet.vertices[vertex].role else { continue };
        let width = request.nodes.get(node).map_or(0, |it| it.width);
        for is_below in [true, false] {
            let ports = ports(sheet, request, spacing, (vertex, is_below));
            let segments = if is_below { &sheet.below } else { &sheet.above };
            for number in segments[vertex].clone() {
                let Some(segment) = sheet.segments.get_mut(number) else { continue };
                let offset = ports.get(&class(request, segment)).copied().unwrap_or_default();
                let most = (width / 2 - spacing.port_gap).max(0);
                let offset = offset.clamp(-most, most);
                let port = if is_below { &mut segment.upper_port } else { &mut segment.lower_port };
                *port = offset;
            }
        }
    }
}

/// Edges that share one place: first those that lead forward, the plainest first.
type Class = (bool, Style);

fn class(request: &Request, segment: &Segment) -> Class {
    let style = request.edges.get(segment.edge).map_or(Style::Normal, |it| it.style);
    (segment.is_back, style)
}

/// How far each class is from the middle of this side of the vertex.
fn ports(
    sheet: &Sheet,
    request: &Request,
    spacing: &Spacing,
    (vertex, is_below): (usize, bool),
) -> BTreeMap<Class, i64> {
    let segments = if is_below { &sheet.below } else { &sheet.above };
    let mut sums: BTreeMap<Class, (i64, i64)> = BTreeMap::new();
    for segment in segments[vertex].iter().filter_map(|it| sheet.segments.get(*it)) {
        let other = if is_below { segment.lower } else { segment.upper };
        let sum = sums.entry(class(request, segment)).or_default();
        *sum = (sum.0 + scaled(sheet.vertices[other].place), sum.1 + 1);
    }
    let mut classes = sums.into_iter().map(|(class, (sum, count))| (class, sum / count.max(1)));
    let Some((_, middle)) = classes.next() else { return BTreeMap::new() };
    let (mut lefts, mut rights): (Vec<_>, Vec<_>) = classes.partition(|it| it.1 < middle);
    lefts.sort_by_key(|it| Reverse(it.1));
    rights.sort_by_key(|it| it.1);
    let port = |sign: i64| {
        move |(index, (class, _)): (usize, (Class, i64))| {
            (class, sign * spacing.port_gap * whole(index + 1))
        }
    };
    let lefts = lefts.into_iter().enumerate().map(port(-1));
    lefts.chain(rights.into_iter().enumerate().map(port(1))).collect()
}
