//! Puts the parts side by side, in rows if there are many.

use super::{Area, Layout, Point, Request, Route, Spacing, route::Laid};

/// How much wider than high a picture of many parts is.
const SHAPE: i64 = 2;

pub(super) fn pack(request: &Request, spacing: &Spacing, parts: Vec<Laid>) -> Layout {
    let mut layout = Layout {
        nodes: vec![Area::default(); request.nodes.len()],
        edges: vec![Route::default(); request.edges.len()],
        groups: vec![None; request.groups.len()],
        ..Layout::default()
    };
    let most = row_width(spacing, &parts);
    let (mut at, mut row) = (Point::default(), 0);
    for part in parts {
        if at.x > 0 && at.x + part.size.width > most {
            at = Point { x: 0, y: at.y + row + spacing.node_gap };
            row = 0;
        }
        row = row.max(part.size.height);
        let offset = Point { x: at.x + spacing.margin, y: at.y + spacing.margin };
        at.x += part.size.width + spacing.node_gap;
        layout.width = layout.width.max(offset.x + part.size.width + spacing.margin);
        layout.height = layout.height.max(offset.y + part.size.height + spacing.margin);
        put(&mut layout, part, offset);
    }
    layout
}

/// As wide as the widest part, or as a sheet of a pleasant shape that holds all of them.
fn row_width(spacing: &Spacing, parts: &[Laid]) -> i64 {
    let gap = spacing.node_gap;
    let sizes = || parts.iter().map(|it| it.size);
    let area: i64 = sizes().map(|it| (it.width + gap) * (it.height + gap)).sum();
    sizes().map(|it| it.width).max().unwrap_or_default().max((area * SHAPE).isqrt())
}

fn put(layout: &mut Layout, part: Laid, offset: Point) {
    let moved = |it: Area| Area { x: it.x + offset.x, y: it.y + offset.y, ..it };
    for (node, area) in part.nodes {
        if let Some(slot) = layout.nodes.get_mut(node) {
            *slot = moved(area);
        }
    }
    for (edge, mut route) in part.edges {
        for point in &mut route.points {
            *point = Point { x: point.x + offset.x, y: point.y + offset.y };
        }
        route.label = route.label.map(moved);
        if let Some(slot) = layout.edges.get_mut(edge) {
            *slot = route;
        }
    }
    for (group, area) in part.groups {
        if let Some(slot) = layout.groups.get_mut(group) {
            *slot = Some(moved(area));
        }
    }
}
