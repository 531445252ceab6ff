//! Puts a sheet together: where its layers lie, and how its edges run.

use super::{
    Area, Point, Request, Route, Size, Spacing,
    channel::Channel,
    column::Column,
    sheet::{Role, Segment, Sheet, Vertex, slot},
};

/// A part, laid out from (0, 0).
#[derive(Clone, Debug, Default)]
pub(super) struct Laid {
    pub(super) size: Size,
    /// By their numbers in the request.
    pub(super) nodes: Vec<(usize, Area)>,
    pub(super) edges: Vec<(usize, Route)>,
    pub(super) groups: Vec<(usize, Area)>,
}

pub(super) fn route(
    sheet: &Sheet,
    request: &Request,
    spacing: &Spacing,
    channels: &[Channel],
) -> Laid {
    let routing = Routing::new(sheet, request, spacing, channels);
    let nodes = routing.nodes();
    let mut edges = routing.edges();
    edges.extend(nodes.iter().flat_map(|(node, area)| routing.loops(*node, area)));
    let groups: Vec<(usize, Area)> = routing.groups();
    let mut laid = Laid { nodes, edges, groups, ..Laid::default() };
    laid.size = routing.size(&laid);
    laid
}

struct Routing<'a> {
    sheet: &'a Sheet,
    request: &'a Request,
    spacing: &'a Spacing,
    channels: &'a [Channel],
    /// Where each layer begins, and how high it is.
    rows: Column<(i64, i64)>,
}

impl<'a> Routing<'a> {
    fn new(
        sheet: &'a Sheet,
        request: &'a Request,
        spacing: &'a Spacing,
        channels: &'a [Channel],
    ) -> Self {
        let mut y = 0;
        let mut rows = Column::new(0, (0, 0));
        for (layer, channel) in sheet.layers.iter().zip(channels) {
            let height = layer.iter().map(|it| sheet.vertices[*it].height).max();
            rows.push((y, height.unwrap_or_default()));
            y += height.unwrap_or_default() + channel.height;
        }
        Self { sheet, request, spacing, channels, rows }
    }

    /// Everything that is not a border.
    fn size(&self, laid: &Laid) -> Size {
        let right = self.sheet.vertices.iter().map(|it| it.x + it.right).max();
        let bottom = self.rows.iter().map(|(y, height)| y + height).max();
        let lowest = laid.groups.iter().map(|it| it.1.y + it.1.height).max().unwrap_or_default();
        Size { width: right.unwrap_or_default(), height: bottom.unwrap_or_default().max(lowest) }
    }

    /// The area of a vertex, in the middle of its layer.
    fn area(&self, vertex: &Vertex) -> Area {
        let (y, height) = self.rows[vertex.layer];
        Area {
            x: vertex.x - vertex.left,
            y: y + (height - vertex.height) / 2,
            width: vertex.left + vertex.right,
            height: vertex.height,
        }
    }

    fn nodes(&self) -> Vec<(usize, Area)> {
        let node = |vertex: &Vertex| {
            let Role::Node(node) = vertex.role else { return None };
            let width = self.request.nodes.get(node)?.width;
            Some((node, Area { width, ..self.area(vertex) }))
        };
        self.sheet.vertices.iter().filter_map(node).collect()
    }

    fn edges(&self) -> Vec<(usize, Route)> {
        let starts =
            self.sheet.segments.iter().filter(|it| self.sheet.vertices[it.upper].role.is_node());
        starts.map(|it| (it.edge, self.edge(it))).collect()
    }

    /// Follows an edge down from its first segment.
    fn edge(&self, first: &Segment) -> Route {
        let mut route = Route { is_back: first.is_back, ..Route::default() };
        let mut next = Some(first);
        while let Some(segment) = next {
            self.run(segment, &mut route.points);
            let lower = self.sheet.vertices[segment.lower];
            if matches!(lower.role, Role::Label(_)) {
                route.label = Some(self.area(&lower));
            }
            next = self.sheet.below[segment.lower]
                .first()
                .and_then(|it| self.sheet.segments.get(*it))
                .filter(|_| !lower.role.is_node());
        }
        if route.is_back {
            route.points.reverse();
        }
        straighten(&mut route.points);
        route
    }

    /// Runs down, across, and down again.
    fn run(&self, segment: &Segment, points: &mut Vec<Point>) {
        let [upper, lower] = [segment.upper, segment.lower].map(|it| self.sheet.vertices[it]);
        let number = self.sheet.below[segment.upper].iter().copied().find(|it| {
            let it = self.sheet.segments.get(*it);
            it.is_some_and(|it| it.edge == segment.edge)
        });
        let (from, to) = (upper.x + segment.upper_port, lower.x + segment.lower_port);
        let (top, height) = self.rows[upper.layer];
        let begin = self.area(&upper);
        points.push(Point { x: from, y: begin.y + begin.height });
        let tracks = self.channels.get(upper.layer).map(|it| &it.tracks);
        let track = number.and_then(|it| tracks.and_then(|tracks| tracks.get(&it)));
        if let Some(track) = track.filter(|_| from != to) {
            let y = top + height + track;
            points.extend([Point { x: from, y }, Point { x: to, y }]);
        }
        points.push(Point { x: to, y: self.area(&lower).y });
    }

    /// Lines from a node to itself: out of its right side, and back into it.
    fn loops(&self, node: usize, area: &Area) -> Vec<(usize, Route)> {
        let loops = self.sheet.loops.get(&node).into_iter().flatten();
        let loops: Vec<_> =
            loops.filter_map(|it| Some((*it, self.request.edges.get(*it)?))).collect();
        let heights = loops.iter().map(|(_, it)| slot(self.spacing, it.label.unwrap_or_default()));
        let mut y = area.y + (area.height - heights.sum::<i64>()) / 2;
        let mut routes = Vec::with_capacity(loops.len());
        for (edge, line) in loops {
            let height = slot(self.spacing, line.label.unwrap_or_default());
            routes.push((edge, self.round(area, y + height / 2, line.label)));
            y += height;
        }
        routes
    }

    /// A line that leaves and comes back around `y`.
    fn round(&self, area: &Area, y: i64, label: Option<Size>) -> Route {
        let side = area.x + area.width;
        let out = side + self.spacing.loop_reach;
        let reach = (self.spacing.track_gap + 1) / 2;
        let points = [(side, y - reach), (out, y - reach), (out, y + reach), (side, y + reach)];
        let gap = self.spacing.line_gap / 2;
        Route {
            points: points.map(|(x, y)| Point { x, y }).to_vec(),
            label: label.map(|Size { width, height }| Area {
                x: out + gap,
                y: y - height / 2,
                width,
                height,
            }),
            is_back: true,
        }
    }

    /// Around what lies between the borders.
    fn groups(&self) -> Vec<(usize, Area)> {
        let group = |(group, (lefts, rights)): (&usize, &(Vec<usize>, Vec<usize>))| {
            let x = lefts.iter().map(|it| self.sheet.vertices[*it].x).min()?;
            let right = rights.iter().map(|it| self.sheet.vertices[*it].x).max()?;
            let (top, _) = self.rows[self.sheet.vertices[*lefts.first()?].layer];
            let (last, height) = self.rows[self.sheet.vertices[*lefts.last()?].layer];
            let (y, bottom) =
                (top - self.spacing.group_gap, last + height + self.spacing.group_gap);
            Some((*group, Area { x, y, width: right - x, height: bottom - y }))
        };
        self.sheet.borders.iter().filter_map(group).collect()
    }
}

/// Leaves out the points at which nothing turns.
fn straighten(points: &mut Vec<Point>) {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for point in points.drain(..) {
        let is_straight = |one: &Point, two: &Point| {
            (one.x == two.x && two.x == point.x) || (one.y == two.y && two.y == point.y)
        };
        match kept.as_mut_slice() {
            [.., last] if *last == point => {}
            [.., before, last] if is_straight(before, last) => *last = point,
            [..] => kept.push(point),
        }
    }
    *points = kept;
}
