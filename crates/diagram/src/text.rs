//! Pictures as text, for a terminal: boxes and lines, or plain ASCII where there is nothing else.

mod canvas;
mod letters;

pub use self::letters::Letters;
use self::{canvas::Canvas, letters::Alphabet};
use super::{
    layout::{Area, Layout, Line, Request, Route, Size, Spacing, TooLarge, lay_out},
    picture::{Edge, Kind, Mark, Node, Picture, Style},
    words::{columns, wrap},
};

/// One is a letter wide, or a line high.
const SPACING: Spacing = Spacing {
    margin: 1,
    node_gap: 3,
    line_gap: 2,
    track_gap: 1,
    above_tracks: 1,
    below_tracks: 2,
    layer_gap: 2,
    port_gap: 3,
    group_gap: 1,
    loop_reach: 2,
};

const NAME_COLUMNS: usize = 26;
const NAME_LINES: usize = 3;
const DETAIL_COLUMNS: usize = 36;
const DETAIL_LINES: usize = 2;
const LABEL_COLUMNS: usize = 30;
const LABEL_LINES: usize = 4;

/// Draws a picture.
///
/// # Errors
/// When it is too large to be laid out, or to be drawn.
pub fn text(picture: &Picture, letters: Letters) -> Result<String, TooLarge> {
    let ways = picture.ways();
    let request = Request {
        nodes: picture.nodes.iter().map(|it| size(it, picture.mark(it))).collect(),
        edges: ways.iter().map(|(from, to, edge)| line(*from, *to, edge)).collect(),
        groups: picture.members(),
    };
    let layout = lay_out(&request, &SPACING)?;
    let edges: Vec<&Edge> = ways.iter().map(|it| it.2).collect();
    draw(picture, &edges, &layout, letters)
}

/// What a node says, in lines.
fn lines(node: &Node) -> Vec<String> {
    let mut lines = wrap(&node.label, NAME_COLUMNS, NAME_LINES);
    lines.extend(wrap(&node.detail, DETAIL_COLUMNS, DETAIL_LINES));
    lines
}

/// What a node is, on its upper border. States are what they look like.
const fn heading(kind: Kind) -> &'static str {
    match kind {
        Kind::Start | Kind::State | Kind::Terminal => "",
        Kind::Task
        | Kind::Person
        | Kind::Decision
        | Kind::Table
        | Kind::Assignment
        | Kind::Wait
        | Kind::Gateway
        | Kind::Join
        | Kind::End
        | Kind::Missing => kind.as_str(),
    }
}

fn size(node: &Node, mark: Option<&Mark>) -> Size {
    if node.kind == Kind::Start {
        return Size { width: 1, height: 1 };
    }
    let lines = lines(node);
    let widest = lines.iter().map(|it| columns(it)).max().unwrap_or_default();
    // An odd width has a middle.
    let marked = mark.map_or(0, |it| columns(&said(it)).min(DETAIL_COLUMNS));
    let width = (widest.max(marked) + 4).max(heading(node.kind).len() + 6).max(9) | 1;
    Size { width: whole(width), height: whole(lines.len().max(1) + 2) }
}

fn line(from: usize, to: usize, edge: &Edge) -> Line {
    let lines = label(edge);
    let width = lines.iter().map(|it| columns(it)).max();
    let label = width.map(|it| Size { width: whole(it + 2), height: whole(lines.len()) });
    Line { from, to, style: edge.style, label }
}

fn label(edge: &Edge) -> Vec<String> {
    wrap(&edge.label, LABEL_COLUMNS, LABEL_LINES)
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn draw(
    picture: &Picture,
    edges: &[&Edge],
    layout: &Layout,
    letters: Letters,
) -> Result<String, TooLarge> {
    let mut canvas = Canvas::new(layout.width, layout.height, letters.alphabet())?;
    for area in layout.groups.iter().flatten() {
        canvas.frame(area);
    }
    for (node, area) in picture.nodes.iter().zip(&layout.nodes) {
        draw_node(&mut canvas, letters.alphabet(), node, area);
    }
    for (edge, route) in edges.iter().zip(&layout.edges) {
        canvas.line(&route.points, is_dashed(edge.style));
    }
    for (edge, route) in edges.iter().zip(&layout.edges) {
        draw_label(&mut canvas, edge, route);
    }
    for (node, area) in picture.nodes.iter().zip(&layout.nodes) {
        if let Some(mark) = picture.mark(node) {
            draw_mark(&mut canvas, mark, area);
        }
    }
    Ok(canvas.text())
}

const fn is_dashed(style: Style) -> bool {
    match style {
        Style::Manual | Style::Timer => true,
        Style::Normal | Style::Automatic | Style::Interrupting => false,
    }
}

fn draw_node(canvas: &mut Canvas, alphabet: &Alphabet, node: &Node, area: &Area) {
    let edges = match node.kind {
        Kind::Start => {
            canvas.write(area.x, area.y, &alphabet.dot.to_string());
            return;
        }
        Kind::End | Kind::Terminal => &alphabet.double,
        Kind::Wait | Kind::State | Kind::Person => &alphabet.round,
        Kind::Task
        | Kind::Decision
        | Kind::Table
        | Kind::Assignment
        | Kind::Gateway
        | Kind::Join
        | Kind::Missing => &alphabet.plain,
    };
    canvas.rectangle(area, edges);
    let heading = heading(node.kind);
    if !heading.is_empty() {
        canvas.write(area.x + 2, area.y, &format!(" {heading} "));
    }
    let lines = lines(node);
    let top = area.y + (area.height - whole(lines.len())) / 2;
    for (row, line) in (top..).zip(&lines) {
        canvas.write(area.x + (area.width - whole(columns(line))) / 2, row, line);
    }
}

fn draw_label(canvas: &mut Canvas, edge: &Edge, route: &Route) {
    let Some(area) = &route.label else { return };
    for (row, line) in (area.y..).zip(label(edge)) {
        let line = format!(" {line} ");
        canvas.write(area.x + (area.width - whole(columns(&line))) / 2, row, &line);
    }
}

/// What is said of a mark.
fn said(mark: &Mark) -> String {
    let mut said = vec![mark.presence(), mark.frequency(), mark.deadline()];
    said.retain(|it| !it.is_empty());
    said.join(" ")
}

/// On the lower border, as far as there is room.
fn draw_mark(canvas: &mut Canvas, mark: &Mark, area: &Area) {
    let room = usize::try_from(area.width - 4).unwrap_or_default();
    for line in wrap(&said(mark), room, 1) {
        canvas.write(area.x + 1, area.y + area.height - 1, &format!(" {line} "));
    }
}
