//! Where everything lies: layers from top to bottom, few crossings, lines that run straight down
//! and straight across. Whole numbers only, so that it is the same everywhere.

mod blocks;
mod channel;
mod column;
mod cycle;
mod layer;
pub(crate) mod nest;
mod order;
mod pack;
mod part;
mod place;
mod port;
mod route;
mod sheet;

use std::fmt;

use super::picture::Style;

/// How much is laid out, and why not more.
pub mod limits {
    /// Nodes: as many as a definition of a process may have steps.
    pub const NODES_MAX: usize = 2_000;
    /// Edges. Nobody follows more of them with the eye.
    pub const EDGES_MAX: usize = 10_000;
    /// Nodes, and every place where an edge passes a layer: the time goes with them.
    pub const PASSES_MAX: usize = 40_000;
    /// How deep groups may lie inside of each other. Deeper ones are left out.
    pub const DEPTH_MAX: usize = 16;
}

/// Why there is no layout: how much there is of what, and how much there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    pub what: &'static str,
    pub found: usize,
    pub most: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, found, most } = self;
        write!(out, "the picture has {found} {what}, at most {most} can be laid out")
    }
}

impl std::error::Error for TooLarge {}

/// What is to be laid out. Nodes and edges are known by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub nodes: Vec<Size>,
    pub edges: Vec<Line>,
    /// Nodes that belong together.
    pub groups: Vec<Vec<usize>>,
}

/// An edge to be laid out.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub from: usize,
    pub to: usize,
    pub style: Style,
    /// How large its label is, if it has one.
    pub label: Option<Size>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub width: i64,
    pub height: i64,
}

/// The distances to keep, in whatever unit sizes are in.
#[derive(Clone, Copy, Debug)]
pub struct Spacing {
    /// Around everything.
    pub margin: i64,
    /// Between neighbors of a layer.
    pub node_gap: i64,
    /// Between lines that run down, and between them and nodes.
    pub line_gap: i64,
    /// Between lines that run across.
    pub track_gap: i64,
    /// Above the first line that runs across, below a layer.
    pub above_tracks: i64,
    /// Below the last line that runs across: room for a head.
    pub below_tracks: i64,
    /// Between a layer and the next if nothing runs across.
    pub layer_gap: i64,
    /// Between the places where lines of different styles leave a node.
    pub port_gap: i64,
    /// Between a group and what it holds.
    pub group_gap: i64,
    /// How far a line from a node to itself reaches out.
    pub loop_reach: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    pub x: i64,
    pub y: i64,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    pub x: i64,
    pub y: i64,
    pub width: i64,
    pub height: i64,
}

/// How an edge runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// From the border of one node to the border of the other; each lies straight below, above or
    /// beside the one before.
    pub points: Vec<Point>,
    pub label: Option<Area>,
    /// Whether it runs against the direction of the picture.
    pub is_back: bool,
}

/// Where everything lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub width: i64,
    pub height: i64,
    pub nodes: Vec<Area>,
    pub edges: Vec<Route>,
    /// None for groups that cross others, lie too deep in them, or are empty.
    pub groups: Vec<Option<Area>>,
}

/// Lays out a request.
///
/// # Errors
/// When there is more of it than the limits allow.
pub fn lay_out(request: &Request, spacing: &Spacing) -> Result<Layout, TooLarge> {
    within("nodes", request.nodes.len(), limits::NODES_MAX)?;
    within("edges", request.edges.len(), limits::EDGES_MAX)?;
    within("groups", request.groups.len(), limits::NODES_MAX)?;
    let nest = nest::Nest::new(request.nodes.len(), &request.groups);
    let mut passes = 0;
    let mut sheets = Vec::new();
    for part in part::parts(request) {
        let layers = layer::layers(part);
        let mut sheet = sheet::Sheet::new(request, spacing, &nest, layers)?;
        passes += sheet.vertices.len();
        within(PASSES, passes, limits::PASSES_MAX)?;
        order::order(&mut sheet, &nest);
        port::spread(&mut sheet, request, spacing);
        place::place(&mut sheet, spacing);
        let channels = channel::channels(&sheet, spacing);
        sheets.push(route::route(&sheet, request, spacing, &channels));
    }
    Ok(pack::pack(request, spacing, sheets))
}

/// What there may be too much of in a picture of few nodes.
const PASSES: &str = "passes of edges through layers";

const fn within(what: &'static str, found: usize, most: usize) -> Result<(), TooLarge> {
    if found > most { Err(TooLarge { what, found, most }) } else { Ok(()) }
}

impl Area {
    /// Whether the two have more than a border in common.
    #[must_use]
    pub const fn overlaps(&self, other: &Self) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }
}
