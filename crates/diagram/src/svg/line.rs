//! Edges: a line with round corners, a head, a clock where time starts it, and a label.

use super::{Drawing, LABEL_LINE, escape, label};
use crate::{
    layout::{Area, Point, Route},
    picture::Edge,
};

/// How round corners are.
const RADIUS: i64 = 6;

/// How long a head is, and how wide to each side.
const HEAD: (i64, i64) = (8, 4);

pub(super) fn draw(out: &mut Drawing, edge: &Edge, is_taken: bool, route: &Route) {
    let [.., before, last] = route.points.as_slice() else { return };
    let style = edge.style.as_str();
    let back = if route.is_back { " back" } else { "" };
    let taken = if is_taken { " taken" } else { "" };
    let path = path(route);
    let (dx, dy) = ((last.x - before.x).signum(), (last.y - before.y).signum());
    let (length, wide) = HEAD;
    let (x, y) = (last.x - dx * length, last.y - dy * length);
    out.put(format_args!(
        "<g class=\"edge {style}{back}{taken}\"><path d=\"{path}\"/><path class=\"head\" \
         d=\"M{} {}L{} {}L{} {}z\"/></g>",
        last.x,
        last.y,
        x - dy * wide,
        y + dx * wide,
        x + dy * wide,
        y - dx * wide,
    ));
}

/// A line that turns in quarter circles and makes room for its label. It ends inside of its head.
fn path(route: &Route) -> String {
    let mut points = route.points.clone();
    if let [.., before, last] = points.as_mut_slice() {
        *last = toward(last, before, HEAD.0 / 2);
    }
    match route.label.and_then(|label| gap(&points, &label)) {
        Some((place, from, to)) => {
            let (mut head, mut tail) = (points.clone(), points);
            head.truncate(place + 1);
            head.push(from);
            tail.drain(..=place);
            tail.insert(0, to);
            round(&head) + &round(&tail)
        }
        None => round(&points),
    }
}

/// After which point a line runs through its label, where it stops and where it goes on.
fn gap(points: &[Point], label: &Area) -> Option<(usize, Point, Point)> {
    let (top, bottom) = (label.y, label.y + label.height);
    points.windows(2).enumerate().find_map(|(place, pair)| {
        let [one, two] = *pair else { return None };
        let is_through = one.x == two.x
            && (label.x..=label.x + label.width).contains(&one.x)
            && one.y.min(two.y) <= top
            && bottom <= one.y.max(two.y);
        let (from, to) = if one.y < two.y { (top, bottom) } else { (bottom, top) };
        is_through.then_some((place, Point { y: from, ..one }, Point { y: to, ..one }))
    })
}

fn round(points: &[Point]) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let mut path = format!("M{} {}", first.x, first.y);
    for corner in points.windows(3) {
        let [before, at, after] = corner else { continue };
        let radius = RADIUS.min(length(before, at) / 2).min(length(at, after) / 2);
        let (start, end) = (toward(at, before, radius), toward(at, after, radius));
        path.push_str(&format!("L{} {}Q{} {} {} {}", start.x, start.y, at.x, at.y, end.x, end.y));
    }
    path.push_str(&format!("L{} {}", last.x, last.y));
    path
}

const fn length(one: &Point, other: &Point) -> i64 {
    (one.x - other.x).abs() + (one.y - other.y).abs()
}

/// The point that far from `from` on the way to `to`.
const fn toward(from: &Point, to: &Point, length: i64) -> Point {
    Point {
        x: from.x + (to.x - from.x).signum() * length,
        y: from.y + (to.y - from.y).signum() * length,
    }
}

/// A clock on the border of the node, if time is what starts the edge.
pub(super) fn draw_start(out: &mut Drawing, edge: &Edge, route: &Route) {
    if let Some(Point { x, y }) = route.points.first().filter(|_| edge.style.is_timed()) {
        let style = edge.style.as_str();
        out.put(format_args!(
            "<g class=\"clock {style}\"><circle cx=\"{x}\" cy=\"{y}\" r=\"8\"/>\
             <path d=\"M{x} {}V{y}h3\"/></g>",
            y - 5
        ));
    }
}

pub(super) fn draw_label(out: &mut Drawing, edge: &Edge, area: &Area) {
    let Area { x, y, width, .. } = area;
    let middle = x + width / 2;
    let style = edge.style.as_str();
    let mut text = String::new();
    for (line, it) in (1..).zip(label(edge)) {
        let y = y + line * LABEL_LINE - 1;
        text.push_str(&format!("<text x=\"{middle}\" y=\"{y}\">{}</text>", escape(&it)));
    }
    out.put(format_args!(
        "<g class=\"label {style}\"><title>{}</title>{text}</g>",
        escape(&edge.label)
    ));
}
