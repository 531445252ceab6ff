//! The sheet on which one part is laid out: layers of vertices. A vertex is a node, a label, a
//! place where an edge passes a layer, or a border of a group.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Request, Size, Spacing, TooLarge,
    column::{Column, whole},
    layer::{Layers, Ranked},
    limits,
    nest::Nest,
};

#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    pub(super) vertices: Column<Vertex>,
    /// From the top, each from the left.
    pub(super) layers: Vec<Vec<usize>>,
    pub(super) segments: Vec<Segment>,
    /// The segments that leave each vertex downward, and those that come from above.
    pub(super) below: Column<Vec<usize>>,
    pub(super) above: Column<Vec<usize>>,
    /// The left and the right borders of each group, from the top.
    pub(super) borders: BTreeMap<usize, (Vec<usize>, Vec<usize>)>,
    /// The edges that lead from a node to itself, by the node.
    pub(super) loops: BTreeMap<usize, Vec<usize>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    pub(super) role: Role,
    pub(super) layer: usize,
    /// How far it reaches to the left and to the right of its `x`.
    pub(super) left: i64,
    pub(super) right: i64,
    pub(super) height: i64,
    /// The innermost group it lies in.
    pub(super) group: Option<usize>,
    pub(super) x: i64,
    /// Its place in its layer.
    pub(super) place: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// An edge passes.
    #[default]
    Bend,
    /// By its number in the request.
    Node(usize),
    /// Of the edge of that number.
    Label(usize),
    LeftBorder,
    RightBorder,
}

impl Role {
    pub(super) const fn is_border(self) -> bool {
        matches!(self, Self::LeftBorder | Self::RightBorder)
    }

    pub(super) const fn is_node(self) -> bool {
        matches!(self, Self::Node(_))
    }
}

/// A piece of an edge from one layer to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) upper: usize,
    pub(super) lower: usize,
    pub(super) edge: usize,
    pub(super) is_back: bool,
    /// Where it leaves the upper vertex and meets the lower one, from their `x`.
    pub(super) upper_port: i64,
    pub(super) lower_port: i64,
}

impl Sheet {
    pub(super) fn new(
        request: &Request,
        spacing: &Spacing,
        nest: &Nest,
        layers: Layers,
    ) -> Result<Self, TooLarge> {
        let mut maker = Maker::new(request, spacing, nest, &layers);
        maker.count()?;
        maker.add_nodes();
        for line in &layers.lines {
            maker.add_line(line);
        }
        maker.add_borders();
        let sheet = maker.sheet;
        Ok(Self { loops: layers.loops, ..sheet })
    }

    /// Writes down where the vertices of each layer stand.
    pub(super) fn number(&mut self) {
        for layer in &self.layers {
            for (place, vertex) in layer.iter().enumerate() {
                self.vertices[*vertex].place = place;
            }
        }
    }
}

/// How large a node is with room for the lines that lead from it to itself, and how far those reach
/// to the right of it.
fn extent(request: &Request, spacing: &Spacing, node: usize, loops: &[usize]) -> (Size, i64) {
    let size = request.nodes.get(node).copied().unwrap_or_default();
    let (mut height, mut reach) = (0, 0);
    for line in loops.iter().filter_map(|it| request.edges.get(*it)) {
        let label = line.label.unwrap_or_default();
        height += slot(spacing, label);
        reach = reach.max(spacing.loop_reach + spacing.line_gap + label.width);
    }
    (Size { width: size.width, height: size.height.max(height) }, reach)
}

/// How much of a node's side a line to itself takes.
pub(super) fn slot(spacing: &Spacing, label: Size) -> i64 {
    label.height.max(spacing.track_gap) + spacing.track_gap
}

struct Maker<'a> {
    request: &'a Request,
    spacing: &'a Spacing,
    nest: &'a Nest,
    layers: &'a Layers,
    /// The layer of each rank that is used. Nodes have even ranks, labels odd ones.
    used: BTreeMap<usize, usize>,
    /// The first and the last layer of each group.
    spans: BTreeMap<usize, (usize, usize)>,
    /// The vertex of each node.
    vertex_of: Column<usize>,
    sheet: Sheet,
}

impl<'a> Maker<'a> {
    fn new(request: &'a Request, spacing: &'a Spacing, nest: &'a Nest, layers: &'a Layers) -> Self {
        let nodes = layers.ranks.iter().map(|rank| rank * 2);
        let labels = layers.lines.iter().filter(|it| label(request, it).is_some());
        let ranks: BTreeSet<usize> = nodes.chain(labels.map(|it| label_rank(layers, it))).collect();
        let used: BTreeMap<usize, usize> =
            ranks.into_iter().enumerate().map(|(layer, rank)| (rank, layer)).collect();
        let mut maker = Self {
            request,
            spacing,
            nest,
            layers,
            spans: BTreeMap::new(),
            vertex_of: Column::new(layers.nodes.len(), 0),
            sheet: Sheet { layers: vec![Vec::new(); used.len()], ..Sheet::default() },
            used,
        };
        maker.spans = maker.spans();
        maker
    }

    fn layer_of(&self, node: usize) -> usize {
        self.used.get(&(self.layers.ranks[node] * 2)).copied().unwrap_or_default()
    }

    fn spans(&self) -> BTreeMap<usize, (usize, usize)> {
        let mut spans: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (place, node) in self.layers.nodes.iter().enumerate() {
            let layer = self.layer_of(place);
            for group in self.nest.outward(self.nest.of_node[*node]) {
                let span = spans.entry(group).or_insert((layer, layer));
                *span = (span.0.min(layer), span.1.max(layer));
            }
        }
        spans
    }

    /// Refuses before anything is made.
    fn count(&self) -> Result<(), TooLarge> {
        let passed = |it: &Ranked| self.layer_of(it.lower) - self.layer_of(it.upper);
        let passes: usize = self.layers.lines.iter().map(passed).sum();
        let borders: usize = self.spans.values().map(|(first, last)| 2 * (last - first + 1)).sum();
        let found = self.layers.nodes.len() + passes + borders;
        super::within(super::PASSES, found, limits::PASSES_MAX)
    }

    fn add(&mut self, vertex: Vertex) -> usize {
        let number = self.sheet.vertices.push(vertex);
        self.sheet.above.push(Vec::new());
        self.sheet.below.push(Vec::new());
        if let Some(layer) = self.sheet.layers.get_mut(vertex.layer) {
            layer.push(number);
        }
        number
    }

    fn add_nodes(&mut self) {
        for (place, node) in self.layers.nodes.iter().copied().enumerate() {
            let loops = self.layers.loops.get(&node).map_or(&[][..], Vec::as_slice);
            let (size, reach) = extent(self.request, self.spacing, node, loops);
            let left = size.width / 2;
            self.vertex_of[place] = self.add(Vertex {
                role: Role::Node(node),
                layer: self.layer_of(place),
                left,
                right: size.width - left + reach,
                height: size.height,
                group: self.nest.of_node[node],
                ..Vertex::default()
            });
        }
    }

    fn add_line(&mut self, line: &Ranked) {
        let ends = [line.upper, line.lower].map(|it| self.group_of(it));
        let label = label(self.request, line);
        let label_layer = self.used.get(&label_rank(self.layers, line)).copied();
        let mut upper = self.vertex_of[line.upper];
        for layer in self.layer_of(line.upper) + 1..self.layer_of(line.lower) {
            let group = self.home(ends, layer);
            let bend = Vertex { layer, group, ..Vertex::default() };
            let vertex = match label.filter(|_| label_layer == Some(layer)) {
                None => bend,
                Some(Size { width, height }) => Vertex {
                    role: Role::Label(line.edge),
                    left: width / 2,
                    right: width - width / 2,
                    height,
                    ..bend
                },
            };
            let lower = self.add(vertex);
            self.connect(line, upper, lower);
            upper = lower;
        }
        self.connect(line, upper, self.vertex_of[line.lower]);
    }

    fn connect(&mut self, line: &Ranked, upper: usize, lower: usize) {
        let Ranked { edge, is_back, .. } = *line;
        let segment = self.sheet.segments.len();
        self.sheet.below[upper].push(segment);
        self.sheet.above[lower].push(segment);
        let (upper_port, lower_port) = (0, 0);
        self.sheet.segments.push(Segment { upper, lower, edge, is_back, upper_port, lower_port });
    }

    fn group_of(&self, place: usize) -> Option<usize> {
        self.layers.nodes.get(place).and_then(|node| self.nest.of_node[*node])
    }

    /// The group in which an edge between nodes of these groups passes the layer: as deep inside as
    /// one of them is there.
    fn home(&self, ends: [Option<usize>; 2], layer: usize) -> Option<usize> {
        let spans = |group: &usize| {
            self.spans.get(group).is_some_and(|(first, last)| (*first..=*last).contains(&layer))
        };
        let [upper, lower] = ends.map(|it| self.nest.outward(it).find(spans));
        match () {
            () if self.nest.lies_in(lower, upper) => lower,
            () if self.nest.lies_in(upper, lower) => upper,
            () => self.nest.shared(upper, lower),
        }
    }

    fn add_borders(&mut self) {
        for (group, (first, last)) in self.spans.clone() {
            let mut borders = (Vec::new(), Vec::new());
            for layer in first..=last {
                let border = Vertex { layer, group: Some(group), ..Vertex::default() };
                borders.0.push(self.add(Vertex { role: Role::LeftBorder, ..border }));
                borders.1.push(self.add(Vertex { role: Role::RightBorder, ..border }));
            }
            self.sheet.borders.insert(group, borders);
        }
    }
}

fn label(request: &Request, line: &Ranked) -> Option<Size> {
    request.edges.get(line.edge).and_then(|it| it.label)
}

/// Labels lie beside the node that their edge leaves.
fn label_rank(layers: &Layers, line: &Ranked) -> usize {
    if line.is_back { layers.ranks[line.lower] * 2 - 1 } else { layers.ranks[line.upper] * 2 + 1 }
}

/// How far two neighbors of a layer must be apart.
pub(super) const fn distance(one: &Vertex, other: &Vertex, spacing: &Spacing) -> i64 {
    let gap = match (one.role, other.role) {
        (Role::LeftBorder, _) | (_, Role::RightBorder) => spacing.group_gap,
        (Role::Node(_), Role::Node(_)) => spacing.node_gap,
        (
            Role::Node(_) | Role::Label(_) | Role::Bend | Role::RightBorder,
            Role::Node(_) | Role::Label(_) | Role::Bend | Role::LeftBorder,
        ) => spacing.line_gap,
    };
    one.right + gap + other.left
}

/// A place, fine enough for averages of places.
pub(super) fn scaled(place: usize) -> i64 {
    whole(place) * 1_024
}
