//! Pictures as SVG: one text that needs nothing else, neither fonts nor scripts nor identifiers, so
//! that several can stand in one page.

mod line;
mod node;
mod palette;

pub use self::node::texts;

use std::fmt::Write;

use super::{
    layout::{Area, Layout, Line, Request, Size, Spacing, TooLarge, lay_out},
    picture::{Edge, Picture},
    words::{breadth, wrap},
};

/// Which colors a picture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
    /// As the reader's system has it.
    Auto,
}

const SPACING: Spacing = Spacing {
    margin: 24,
    node_gap: 36,
    line_gap: 12,
    track_gap: 14,
    above_tracks: 20,
    below_tracks: 26,
    layer_gap: 36,
    port_gap: 22,
    group_gap: 14,
    loop_reach: 22,
};

/// How texts on edges are broken.
const LABEL_COLUMNS: usize = 30;
const LABEL_LINES: usize = 4;
const LABEL_FONT: i64 = 11;
const LABEL_LINE: i64 = 14;

/// Draws a picture.
///
/// # Errors
/// When it is too large to be laid out.
pub fn svg(picture: &Picture, theme: Theme) -> Result<String, TooLarge> {
    let layout = placed(picture)?;
    let edges: Vec<&Edge> = picture.ways().into_iter().map(|it| it.2).collect();
    Ok(draw(picture, &edges, &layout, theme))
}

/// Where [`svg()`] has everything, in pixels, for those who draw it themselves. Edges are those of
/// [`Picture::ways`].
///
/// # Errors
/// When it is too large to be laid out.
pub fn placed(picture: &Picture) -> Result<Layout, TooLarge> {
    let ways = picture.ways();
    let request = Request {
        nodes: picture.nodes.iter().map(node::size).collect(),
        edges: ways.iter().map(|(from, to, edge)| line(*from, *to, edge)).collect(),
        groups: picture.members(),
    };
    lay_out(&request, &SPACING)
}

fn line(from: usize, to: usize, edge: &Edge) -> Line {
    let lines = label(edge);
    let width = lines.iter().map(|it| breadth(it, LABEL_FONT)).max();
    let size = width.map(|width| Size {
        width: width + 4,
        height: LABEL_LINE * i64::try_from(lines.len()).unwrap_or_default() + 4,
    });
    Line { from, to, style: edge.style, label: size }
}

/// The label of an edge, in the lines there is room for.
#[must_use]
pub fn label(edge: &Edge) -> Vec<String> {
    wrap(&edge.label, LABEL_COLUMNS, LABEL_LINES)
}

fn draw(picture: &Picture, edges: &[&Edge], layout: &Layout, theme: Theme) -> String {
    let mut out = Drawing::default();
    let Layout { width, height, .. } = layout;
    out.put(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"waypost\" role=\"img\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    ));
    out.put(format_args!("<title>{}</title>", escape(&picture.title)));
    out.put(format_args!("<desc>{}</desc>", escape(&super::told::told(picture))));
    out.put(format_args!("<style>{}</style>", palette::style(theme)));
    if !picture.taken.is_empty() {
        out.put(format_args!("<style>.waypost .edge.taken path {{ stroke-width: 2.6; }}</style>"));
    }
    out.put(format_args!("<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>"));
    for (group, area) in picture.groups.iter().zip(&layout.groups) {
        if let Some(area) = area {
            draw_group(&mut out, &group.label, area);
        }
    }
    for (edge, route) in edges.iter().zip(&layout.edges) {
        line::draw(&mut out, edge, picture.is_taken(edge), route);
    }
    for (node, area) in picture.nodes.iter().zip(&layout.nodes) {
        node::draw(&mut out, node, picture.mark(node), area);
    }
    for (edge, route) in edges.iter().zip(&layout.edges) {
        line::draw_start(&mut out, edge, route);
        if let Some(area) = &route.label {
            line::draw_label(&mut out, edge, area);
        }
    }
    out.put(format_args!("</svg>"));
    out.text
}

fn draw_group(out: &mut Drawing, label: &str, area: &Area) {
    let Area { x, y, width, height } = area;
    out.put(format_args!(
        "<g class=\"group\"><title>{}</title>\
         <rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"10\"/></g>",
        escape(label)
    ));
}

/// What has been drawn so far, one element to a line.
#[derive(Default)]
struct Drawing {
    text: String,
}

impl Drawing {
    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing into a text does not fail.
        writeln!(self.text, "{element}").unwrap_or_default();
    }
}

/// A text that is nothing but text to a reader of XML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // XML has no place for these, not even in disguise.
            it if it.is_control() && it != '\n' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            it => escaped.push(it),
        }
    }
    escaped
}
