//! Pictures as Mermaid, which others lay out: for pages that draw it themselves.

use std::fmt::Write;

use super::{
    layout::nest::Nest,
    picture::{Edge, Kind, Node, Picture, Style},
    words::clean,
};

/// Writes a picture as a flowchart.
#[must_use]
pub fn mermaid(picture: &Picture) -> String {
    let mut out = String::new();
    let title = clean(&picture.title).replace('\n', " ");
    if !title.is_empty() {
        let title = title.replace('\\', "\\\\").replace('"', "\\\"");
        out = format!("---\ntitle: \"{title}\"\n---\n");
    }
    out.push_str("flowchart TD\n");
    let nest = Nest::new(picture.nodes.len(), &picture.members());
    write_inside(&mut out, picture, &nest, (None, 1));
    for (from, to, edge) in picture.ways() {
        put(&mut out, 1, &format!("n{from} {} n{to}", arrow(edge)));
    }
    write_classes(&mut out, picture);
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
            put(out, depth, &format!("n{place}{}", shape(node)));
        }
    }
    for inner in nest.groups_in(group) {
        let label = picture.groups.get(inner).map_or_else(String::new, |it| escape(&it.label));
        put(out, depth, &format!("subgraph g{inner} [\"{label}\"]"));
        write_inside(out, picture, nest, (Some(inner), depth + 1));
        put(out, depth, "end");
    }
}

fn shape(node: &Node) -> String {
    let (open, close) = match node.kind {
        Kind::Start => return "(( ))".to_owned(),
        Kind::Task | Kind::Assignment | Kind::Missing => ("[", "]"),
        Kind::Person => ("[/", "\\]"),
        Kind::Decision => ("{", "}"),
        Kind::Table => ("[[", "]]"),
        Kind::Wait => (">", "]"),
        Kind::Gateway | Kind::Join => ("{{", "}}"),
        Kind::State => ("(", ")"),
        Kind::End | Kind::Terminal => ("([", "])"),
    };
    let mut label = escape(&node.label);
    if !node.detail.is_empty() {
        label = format!("{label}<br/><small>{}</small>", escape(&node.detail));
    }
    format!("{open}\"{label}\"{close}")
}

fn arrow(edge: &Edge) -> String {
    let arrow = match edge.style {
        Style::Normal | Style::Automatic => "-->",
        Style::Manual | Style::Timer => "-.->",
        Style::Interrupting => "==>",
    };
    match escape(&edge.label).as_str() {
        "" => arrow.to_owned(),
        label => format!("{arrow}|\"{label}\"|"),
    }
}

fn write_classes(out: &mut String, picture: &Picture) {
    let class = |node: &Node| match picture.mark(node) {
        _ if node.kind == Kind::Missing => Some("missing"),
        Some(mark) if mark.is_failed => Some("failed"),
        Some(mark) if mark.here > 0 => Some("here"),
        Some(_) | None => None,
    };
    let looks = [
        ("missing", "stroke:#c0262d,stroke-dasharray:5 4"),
        ("failed", "stroke:#c0262d,stroke-width:3px"),
        ("here", "stroke:#0b7a4b,stroke-width:3px"),
    ];
    for (name, look) in looks {
        let nodes = picture.nodes.iter().enumerate().filter(|it| class(it.1) == Some(name));
        let nodes: Vec<String> = nodes.map(|(place, _)| format!("n{place}")).collect();
        if !nodes.is_empty() {
            put(out, 1, &format!("classDef {name} {look}"));
            put(out, 1, &format!("class {} {name}", nodes.join(",")));
        }
    }
}

fn put(out: &mut String, depth: usize, line: &str) {
    // Writing into a text does not fail.
    writeln!(out, "{}{line}", "  ".repeat(depth)).unwrap_or_default();
}

/// A text that is nothing but text: everything that could mean something is written as a number.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for it in clean(text).chars() {
        match it {
            '\n' => escaped.push_str("<br/>"),
            it if it.is_alphanumeric() || !it.is_ascii() || " -_.,:/'=+*?!()".contains(it) => {
                escaped.push(it);
            }
            it => escaped.push_str(&format!("#{};", u32::from(it))),
        }
    }
    escaped
}
