//! Pictures in the forms of the wire: what the server answers, and the command line prints.

use waypost_api::diagram::{Diagram, DiagramEdge, DiagramGroup, DiagramMark, DiagramNode, Format};
use waypost_diagram::{
    Letters, Theme, TooLarge, dot,
    layout::{Area, Route},
    mermaid,
    picture::{Edge, Group, Mark, Node, Picture},
    placed, svg, text, texts,
};

/// The picture as a text.
///
/// # Errors
/// When it is too large to be laid out.
pub fn drawn(picture: &Picture, format: Format, theme: Theme) -> Result<String, TooLarge> {
    match format {
        Format::Svg => svg(picture, theme),
        Format::Json => Ok(serde_json::to_string(&laid_out(picture)?).unwrap_or_default()),
        Format::Mermaid => Ok(mermaid(picture)),
        Format::Dot => Ok(dot(picture)),
        Format::Text => text(picture, Letters::Unicode),
    }
}

fn laid_out(picture: &Picture) -> Result<Diagram, TooLarge> {
    let layout = placed(picture)?;
    let nodes = picture.nodes.iter().zip(&layout.nodes);
    let edges = picture.ways().into_iter().zip(&layout.edges);
    let groups = picture.groups.iter().zip(&layout.groups);
    Ok(Diagram {
        title: picture.title.clone(),
        width: layout.width,
        height: layout.height,
        nodes: nodes.map(|(it, area)| node(it, picture.mark(it), area)).collect(),
        edges: edges.map(|((_, _, it), route)| edge(it, picture.is_taken(it), route)).collect(),
        groups: groups.filter_map(|(it, area)| Some(group(it, area.as_ref()?))).collect(),
    })
}

fn node(node: &Node, mark: Option<&Mark>, area: &Area) -> DiagramNode {
    let (label_lines, detail_lines) = texts(node);
    let Node { id, label, detail, kind } = node.clone();
    let kind = kind.as_str().to_owned();
    let Area { x, y, width: w, height: h } = *area;
    let mark = mark.cloned().map(|Mark { here, visits, due, is_failed }| DiagramMark {
        here,
        visits,
        due,
        failed: is_failed,
    });
    DiagramNode { id, label, detail, label_lines, detail_lines, kind, x, y, w, h, mark }
}

fn edge(edge: &Edge, taken: bool, route: &Route) -> DiagramEdge {
    let label_lines = waypost_diagram::label(edge);
    let Edge { from, to, label, style } = edge.clone();
    DiagramEdge {
        from,
        to,
        label,
        label_lines,
        style: style.as_str().to_owned(),
        points: route.points.iter().map(|it| [it.x, it.y]).collect(),
        label_area: route.label.map(|it| [it.x, it.y, it.width, it.height]),
        back: route.is_back,
        taken,
    }
}

fn group(group: &Group, area: &Area) -> DiagramGroup {
    let Group { label, members } = group.clone();
    let Area { x, y, width: w, height: h } = *area;
    DiagramGroup { label, members, x, y, w, h }
}
