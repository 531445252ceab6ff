//! Whatever the graph, the layout can be drawn: nothing lies on top of anything, lines run straight
//! and end at borders, and it is always the same.
#![expect(clippy::indexing_slicing, reason = "a test that panics has failed")]

#[path = "layout/graph.rs"]
mod graph;

use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use waypost_diagram::{
    layout::{Area, Layout, Line, Point, Request, Route, Size, TooLarge, lay_out, limits},
    picture::Style,
};

use self::graph::{SPACING, chain, line, node, request};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_graph_can_be_drawn(request in request()) {
        let layout = lay_out(&request, &SPACING).unwrap();
        prop_assert_eq!(problems(&request, &layout), Vec::<String>::new());
        prop_assert_eq!(lay_out(&request, &SPACING).unwrap(), layout);
    }
}

/// Everything that is wrong with a layout.
fn problems(request: &Request, layout: &Layout) -> Vec<String> {
    let mut found = Vec::new();
    let labels: Vec<&Area> = layout.edges.iter().filter_map(|it| it.label.as_ref()).collect();
    let areas: Vec<&Area> = layout.nodes.iter().chain(labels.iter().copied()).collect();
    for (index, one) in areas.iter().enumerate() {
        for other in areas.iter().skip(index + 1).filter(|it| one.overlaps(it)) {
            found.push(format!("{one:?} lies on {other:?}"));
        }
        if !is_inside(one, layout) {
            found.push(format!("{one:?} is off the sheet"));
        }
    }
    for (line, route) in request.edges.iter().zip(&layout.edges) {
        found.extend(route_problem(line, route, layout).map(|it| format!("{line:?}: {it}")));
    }
    found.extend(group_problems(request, layout));
    found
}

fn is_inside(area: &Area, layout: &Layout) -> bool {
    let Area { x, y, width, height } = *area;
    x >= 0 && y >= 0 && x + width <= layout.width && y + height <= layout.height
}

fn route_problem(line: &Line, route: &Route, layout: &Layout) -> Option<String> {
    let (from, to) = (layout.nodes[line.from], layout.nodes[line.to]);
    let [first, .., last] = route.points.as_slice() else { return Some("no way".into()) };
    if !is_on_border(first, &from) || !is_on_border(last, &to) {
        return Some(format!("{:?} is not from {from:?} to {to:?}", route.points));
    }
    if line.label.is_some() != route.label.is_some() {
        return Some("the label is lost".into());
    }
    for pair in route.points.windows(2) {
        let (one, two) = (pair[0], pair[1]);
        if (one.x == two.x) == (one.y == two.y) {
            return Some(format!("{one:?} to {two:?} is not straight"));
        }
        let covered = Area {
            x: one.x.min(two.x),
            y: one.y.min(two.y),
            width: (one.x - two.x).abs(),
            height: (one.y - two.y).abs(),
        };
        // A line has no inside; one that is a little wider has.
        let wide = Area { width: covered.width.max(1), height: covered.height.max(1), ..covered };
        let others = layout.nodes.iter().filter(|it| **it != from && **it != to);
        let labels =
            layout.edges.iter().filter(|it| *it != route).filter_map(|it| it.label.as_ref());
        if let Some(area) = others.chain(labels).find(|it| it.overlaps(&wide)) {
            return Some(format!("{one:?} to {two:?} runs through {area:?}"));
        }
    }
    None
}

fn is_on_border(point: &Point, area: &Area) -> bool {
    let Area { x, y, width, height } = *area;
    let is_within = (x..=x + width).contains(&point.x) && (y..=y + height).contains(&point.y);
    let is_inner = x < point.x && point.x < x + width && y < point.y && point.y < y + height;
    is_within && !is_inner
}

fn group_problems(request: &Request, layout: &Layout) -> Vec<String> {
    let mut found = Vec::new();
    for (members, area) in request.groups.iter().zip(&layout.groups) {
        let Some(area) = area else {
            if !members.is_empty() && request.groups.iter().all(|it| is_apart(it, members)) {
                found.push(format!("{members:?} is not drawn"));
            }
            continue;
        };
        for (node, it) in layout.nodes.iter().enumerate() {
            let is_around = area.x <= it.x
                && area.y <= it.y
                && it.x + it.width <= area.x + area.width
                && it.y + it.height <= area.y + area.height;
            match members.contains(&node) {
                true if !is_around => found.push(format!("{members:?} is not around {node}")),
                false if it.overlaps(area) => found.push(format!("{members:?} lies on {node}")),
                true | false => {}
            }
        }
    }
    found
}

/// Two edges that change places between two layers can get into each other's way. That is rare.
#[test]
fn edges_that_have_no_end_in_common_hardly_ever_run_along_one_line() {
    let mut runner = TestRunner::deterministic();
    let mut found = 0;
    for _ in 0..500 {
        let request = request().new_tree(&mut runner).unwrap().current();
        let layout = lay_out(&request, &SPACING).unwrap();
        found += usize::from(!shared_lines(&request, &layout).is_empty());
    }
    assert!(found <= 2, "{found} of 500");
}

fn shared_lines(request: &Request, layout: &Layout) -> Vec<String> {
    let mut pieces = Vec::new();
    for (line, route) in request.edges.iter().zip(&layout.edges) {
        pieces.extend(route.points.windows(2).map(|it| (line, it[0], it[1])));
    }
    let mut found = Vec::new();
    for (index, (line, one, two)) in pieces.iter().enumerate() {
        for (other, three, four) in pieces.iter().skip(index + 1) {
            let ends = [other.from, other.to];
            let is_related = ends.contains(&line.from) || ends.contains(&line.to);
            if !is_related && overlay(*one, *two, *three, *four) {
                found.push(format!("{line:?} and {other:?} from {one:?} to {two:?}"));
            }
        }
    }
    found
}

fn overlay(one: Point, two: Point, three: Point, four: Point) -> bool {
    let shared = |a: i64, b: i64, c: i64, d: i64| a.max(b).min(c.max(d)) - a.min(b).max(c.min(d));
    let is_down = one.x == two.x && three.x == four.x && one.x == three.x;
    let is_across = one.y == two.y && three.y == four.y && one.y == three.y;
    (is_down && shared(one.y, two.y, three.y, four.y) > 0)
        || (is_across && shared(one.x, two.x, three.x, four.x) > 0)
}

/// Whether two groups do not cross.
fn is_apart(one: &[usize], other: &[usize]) -> bool {
    let is_inside = |one: &[usize], other: &[usize]| one.iter().all(|it| other.contains(it));
    is_inside(one, other) || is_inside(other, one) || !one.iter().any(|it| other.contains(it))
}

#[test]
fn a_line_of_nodes_stands_straight() {
    let layout = lay_out(&chain(5), &SPACING).unwrap();
    let middle = |it: &Area| it.x + it.width / 2;
    assert!(layout.nodes.iter().all(|it| middle(it) == middle(&layout.nodes[0])));
    assert!(layout.edges.iter().all(|it| it.points.len() == 2));
}

#[test]
fn an_edge_that_leads_back_is_told_from_the_others() {
    let mut request = chain(3);
    request.edges.push(line(2, 0));
    let layout = lay_out(&request, &SPACING).unwrap();
    let back: Vec<bool> = layout.edges.iter().map(|it| it.is_back).collect();
    assert_eq!(back, [false, false, true]);
    let ends = layout.edges[2].points.as_slice();
    assert!(ends[0].y > ends[ends.len() - 1].y, "it runs upward");
}

#[test]
fn branches_lie_side_by_side_in_their_group() {
    let edges = vec![line(0, 1), line(0, 2), line(1, 3), line(2, 3)];
    let request = Request { nodes: vec![node(); 4], edges, groups: vec![vec![1, 2]] };
    let layout = lay_out(&request, &SPACING).unwrap();
    assert_eq!(layout.nodes[1].y, layout.nodes[2].y);
    assert_eq!(layout.nodes[0].x, layout.nodes[3].x);
    assert!(layout.groups[0].is_some());
    assert_eq!(problems(&request, &layout), Vec::<String>::new());
}

#[test]
fn a_node_that_nothing_leads_to_stands_right_above_what_it_leads_to() {
    let mut request = chain(6);
    request.nodes.push(node());
    request.edges.push(line(6, 4));
    let layout = lay_out(&request, &SPACING).unwrap();
    assert_eq!(layout.nodes[6].y, layout.nodes[3].y);
}

#[test]
fn a_group_is_no_wider_than_what_it_holds() {
    let wide = Size { width: 400, ..node() };
    let edges = vec![line(0, 1), line(0, 2), line(0, 3), line(1, 4), line(2, 5), line(3, 6)];
    let nodes = vec![node(), node(), node(), node(), wide, wide, wide];
    let request = Request { nodes, edges, groups: vec![vec![2]] };
    let layout = lay_out(&request, &SPACING).unwrap();
    assert_eq!(layout.groups[0].unwrap().width, 100 + 2 * SPACING.group_gap);
}

#[test]
fn groups_stand_side_by_side_in_the_same_order_from_top_to_bottom() {
    let label = Some(Size { width: 1, height: 1 });
    let labeled = |from, to| Line { label, ..line(from, to) };
    let edges = vec![line(4, 3), line(1, 2), labeled(4, 2), line(4, 1), labeled(5, 2)];
    let request = Request { nodes: vec![node(); 6], edges, groups: vec![vec![1, 4], vec![2, 0]] };
    let layout = lay_out(&request, &SPACING).unwrap();
    assert_eq!(problems(&request, &layout), Vec::<String>::new());
}

#[test]
fn groups_that_cross_are_not_both_drawn() {
    let request = Request { groups: vec![vec![0, 1], vec![1, 2]], ..chain(3) };
    let layout = lay_out(&request, &SPACING).unwrap();
    assert_eq!(layout.groups.iter().flatten().count(), 1);
}

#[test]
fn parts_that_have_nothing_to_do_with_each_other_fill_rows() {
    let request = Request { nodes: vec![node(); 2_000], ..Request::default() };
    let layout = lay_out(&request, &SPACING).unwrap();
    assert!(layout.width < 4 * layout.height && layout.height < 4 * layout.width);
    assert_eq!(problems(&request, &layout), Vec::<String>::new());
}

#[test]
fn thousands_of_edges_between_two_nodes_all_keep_their_labels_apart() {
    let label = Some(Size { width: 30, height: 12 });
    let edges = (0..3_000).map(|it| Line { label, ..line(it % 2, (it + 1) % 2) }).collect();
    let request = Request { nodes: vec![node(); 2], edges, groups: vec![] };
    let layout = lay_out(&request, &SPACING).unwrap();
    let mut places: Vec<_> =
        layout.edges.iter().map(|it| it.label.map(|it| (it.x, it.y))).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 3_000);
}

#[test]
fn thousands_of_edges_across_one_channel_are_laid_out() {
    let edges = (0..10_000).map(|it| line(it % 100, 100 + it / 100)).collect();
    let request = Request { nodes: vec![node(); 200], edges, groups: vec![] };
    let layout = lay_out(&request, &SPACING).unwrap();
    assert!(layout.edges.iter().all(|it| it.points.len() >= 2));
}

#[test]
fn a_long_line_does_not_need_a_deep_stack() {
    assert_eq!(lay_out(&chain(limits::NODES_MAX), &SPACING).unwrap().nodes.len(), 2_000);
}

#[test]
fn groups_in_groups_in_groups_end_somewhere() {
    let request = Request { groups: (1..500).map(|it| (0..it).collect()).collect(), ..chain(500) };
    let layout = lay_out(&request, &SPACING).unwrap();
    assert_eq!(layout.groups.iter().flatten().count(), limits::DEPTH_MAX);
}

#[test]
fn what_is_too_large_is_refused_by_name() {
    let refusal = |request: &Request| lay_out(request, &SPACING).unwrap_err();
    let nodes = Request { nodes: vec![node(); 2_001], ..Request::default() };
    assert_eq!(refusal(&nodes), TooLarge { what: "nodes", found: 2_001, most: 2_000 });
    let edges = Request { edges: vec![line(0, 1); 10_001], ..chain(2) };
    assert_eq!(refusal(&edges), TooLarge { what: "edges", found: 10_001, most: 10_000 });
    let mut passes = chain(1_000);
    passes.edges.extend((0..50).map(|it| line(it, 999)));
    let text = refusal(&passes).to_string();
    assert_eq!(
        text,
        "the picture has 50724 passes of edges through layers, at most 40000 can be laid out"
    );
    assert_eq!(refusal(&Request { groups: vec![vec![]; 2_001], ..chain(2) }).what, "groups");
}

#[test]
fn edges_and_groups_that_name_no_node_are_left_out() {
    let request = Request {
        edges: vec![line(0, 7), line(9, 9), Line { style: Style::Timer, ..line(0, 1) }],
        groups: vec![vec![5, 6]],
        ..chain(2)
    };
    let layout = lay_out(&request, &SPACING).unwrap();
    assert!(layout.edges[0].points.is_empty() && layout.edges[1].points.is_empty());
    assert!(!layout.edges[2].points.is_empty());
    assert_eq!(layout.groups, [None]);
}

/// The aim is 50 milliseconds. This is built with little optimization and runs beside others, so
/// what is caught is something that has become many times slower.
#[test]
#[expect(clippy::disallowed_methods, reason = "it is about how long it takes")]
fn two_hundred_nodes_take_no_time_to_speak_of() {
    let mut request = chain(200);
    request.edges.extend((0..60).map(|it| line(it * 3, it * 3 + 7)));
    request.edges.extend((1..10).map(|it| line(it * 20, it * 17)));
    let best = (0..5).map(|_| {
        let began_at = std::time::Instant::now();
        lay_out(&request, &SPACING).unwrap();
        began_at.elapsed()
    });
    let best = best.min().unwrap();
    assert!(best.as_millis() < 250, "{best:?}");
}
