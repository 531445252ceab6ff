//! From definitions to pictures, one file for each face. Definitions need not be sound: what they
//! name and do not have is drawn as missing.

pub mod chain;
pub mod entity;
pub mod lifecycle;
pub mod process;

use super::picture::{Edge, Kind, Node, Picture, Style};

/// The id of the dot at which a picture begins.
pub const START: &str = "(start)";

fn node(id: &str, label: &str, detail: String, kind: Kind) -> Node {
    let label = if label.is_empty() { id } else { label };
    Node { id: id.to_owned(), label: label.to_owned(), detail, kind }
}

fn edge(from: &str, to: &str, label: String, style: Style) -> Edge {
    Edge { from: from.to_owned(), to: to.to_owned(), label, style }
}

/// Puts a dot in front, and an edge from it to where everything begins.
fn begin(picture: &mut Picture, first: &str) {
    let dot = Node {
        id: START.to_owned(),
        label: String::new(),
        detail: String::new(),
        kind: Kind::Start,
    };
    picture.nodes.insert(0, dot);
    picture.edges.insert(0, edge(START, first, String::new(), Style::Normal));
}

/// Adds a node for everything that edges lead to and that is not there.
fn add_missing(picture: &mut Picture) {
    let places = picture.places();
    let mut missing: Vec<String> = Vec::new();
    for id in picture.edges.iter().map(|it| it.to.as_str()) {
        if !places.contains_key(id) && !missing.iter().any(|it| it == id) {
            missing.push(id.to_owned());
        }
    }
    picture
        .nodes
        .extend(missing.iter().map(|id| node(id, id, "is not there".to_owned(), Kind::Missing)));
}
