//! Graphs to lay out: plain ones, and such as nobody would draw.

use proptest::{collection::vec, option, prelude::*, sample::select};
use waypost_diagram::{
    layout::{Line, Request, Size, Spacing},
    picture::Style,
};

pub(super) const SPACING: Spacing = Spacing {
    margin: 10,
    node_gap: 20,
    line_gap: 8,
    track_gap: 6,
    above_tracks: 8,
    below_tracks: 12,
    layer_gap: 20,
    port_gap: 8,
    group_gap: 6,
    loop_reach: 10,
};

pub(super) const fn node() -> Size {
    Size { width: 100, height: 30 }
}

pub(super) const fn line(from: usize, to: usize) -> Line {
    Line { from, to, style: Style::Normal, label: None }
}

/// Nodes in a line.
pub(super) fn chain(length: usize) -> Request {
    Request {
        nodes: vec![node(); length],
        edges: (1..length).map(|it| line(it - 1, it)).collect(),
        groups: Vec::new(),
    }
}

/// Any graph: with circles, loops, parallel edges, parts that hang together and parts that do not,
/// and groups in any relation to each other.
pub(super) fn request() -> impl Strategy<Value = Request> {
    (1_usize..24).prop_flat_map(|count| {
        let size =
            |width, height| (width, height).prop_map(|(width, height)| Size { width, height });
        let line =
            (0..count, 0..count, select(&Style::ALL[..]), option::of(size(1_i64..120, 1_i64..40)))
                .prop_map(|(from, to, style, label)| Line { from, to, style, label });
        let edges = vec(line, 0..count * 2);
        let groups = vec(vec(0..count, 0..5), 0..4);
        (vec(size(10_i64..200, 10_i64..80), count), edges, groups)
            .prop_map(|(nodes, edges, groups)| Request { nodes, edges, groups })
    })
}
