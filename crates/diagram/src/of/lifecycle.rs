//! Lifecycles: phases, and the phases each may be followed by.

use super::{add_missing, begin, edge, node};
use crate::picture::{Kind, Picture, Style};

/// A table of phases.
#[derive(Clone, Debug, Default)]
pub struct Phases<'a> {
    pub title: &'a str,
    /// Where everything begins, if that is known.
    pub initial: Option<&'a str>,
    /// Each phase, and those that may follow it.
    pub phases: Vec<(&'a str, Vec<&'a str>)>,
}

/// The picture of a table of phases.
#[must_use]
pub fn picture(table: &Phases<'_>) -> Picture {
    let mut picture = Picture { title: table.title.to_owned(), ..Picture::default() };
    for (phase, targets) in &table.phases {
        let kind = if targets.is_empty() { Kind::Terminal } else { Kind::State };
        picture.nodes.push(node(phase, phase, String::new(), kind));
        let way = |to: &&str| edge(phase, to, String::new(), Style::Normal);
        picture.edges.extend(targets.iter().map(way));
    }
    add_missing(&mut picture);
    if let Some(initial) = table.initial {
        begin(&mut picture, initial);
    }
    picture
}
