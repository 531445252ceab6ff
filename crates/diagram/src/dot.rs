//! Pictures as DOT, for Graphviz and everything that reads its files.

use std::fmt::Write;

use super::{
    layout::nest::Nest,
    picture::{Edge, Kind, Mark, Node, Picture, Style},
    words::clean,
};

/// Writes a picture as a directed graph.
#[must_use]
pub fn dot(picture: &Picture) -> String {
    let mut out = "digraph {\n".to_owned();
    put(&mut out, 1, &format!("label=\"{}\"; labelloc=t;", escape(&picture.title)));
    put(&mut out, 1, "node [shape=box, fontname=\"sans-serif\", fontsize=11];");
    put(&mut out, 1, "edge [fontname=\"sans-serif\", fontsize=9];");
    let nest = Nest::new(picture.nodes.len(), &picture.members());
    write_inside(&mut out, picture, &nest, (None, 1));
    for (from, to, edge) in picture.ways() {
        put(&mut out, 1, &format!("n{from} -> n{to}{};", look_of_edge(edge)));
    }
    out.push_str("}\n");
    out
}

/// Writes what lies in a group, that deep inside.
fn write_inside(
    out: &mut String,
    picture: &Picture,
    nest: &Nest,
    (group, depth): (Option<usize>, usize),
) {
    for place in nest.nodes_in(group) {
        if let Some(node) = picture.nodes.get(place) {
            let look = look(node, picture.mark(node));
            put(out, depth, &format!("n{place} [{look}];"));
        }
    }
    for inner in nest.groups_in(group) {
        let label = picture.groups.get(inner).map_or_else(String::new, |it| escape(&it.label));
        put(out, depth, &format!("subgraph cluster_{inner} {{"));
        put(out, depth + 1, &format!("label=\"{label}\"; style=dashed;"));
        write_inside(out, picture, nest, (Some(inner), depth + 1));
        put(out, depth, "}");
    }
}

fn look(node: &Node, mark: Option<&Mark>) -> String {
    let shape = match node.kind {
        Kind::Start => return "label=\"\", shape=circle, style=filled, width=0.2".to_owned(),
        Kind::Task | Kind::Person | Kind::State => "style=rounded",
        Kind::Decision => "shape=diamond",
        Kind::Table => "shape=tab",
        Kind::Assignment => "shape=note",
        Kind::Wait => "shape=cds",
        Kind::Gateway | Kind::Join => "shape=hexagon",
        Kind::End => "style=\"rounded,bold\"",
        Kind::Terminal => "style=rounded, peripheries=2",
        Kind::Missing => "style=dashed, color=red",
    };
    let mut lines = vec![node.label.clone(), node.detail.clone()];
    if let Some(mark) = mark {
        lines.extend([mark.presence(), mark.frequency(), mark.deadline()]);
    }
    lines.retain(|it| !it.is_empty());
    let color = match mark {
        Some(mark) if mark.is_failed => ", color=red, penwidth=3",
        Some(mark) if mark.here > 0 => ", color=darkgreen, penwidth=3",
        Some(_) | None => "",
    };
    format!("label=\"{}\", {shape}{color}", escape(&lines.join("\n")))
}

fn look_of_edge(edge: &Edge) -> String {
    let style = match edge.style {
        Style::Normal | Style::Automatic => None,
        Style::Manual => Some("style=dashed"),
        Style::Timer => Some("style=dotted"),
        Style::Interrupting => Some("style=bold"),
    };
    let label = Some(escape(&edge.label)).filter(|it| !it.is_empty());
    let looks: Vec<String> = label
        .map(|it| format!("label=\"{it}\""))
        .into_iter()
        .chain(style.map(str::to_owned))
        .collect();
    if looks.is_empty() { String::new() } else { format!(" [{}]", looks.join(", ")) }
}

fn put(out: &mut String, depth: usize, line: &str) {
    // Writing into a text does not fail.
    writeln!(out, "{}{line}", "  ".repeat(depth)).unwrap_or_default();
}

/// A text between quotes. Backslashes mean something there, and so do they in front of a quote.
fn escape(text: &str) -> String {
    clean(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
