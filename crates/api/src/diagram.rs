//! Pictures: the forms they come in, and the one for those who draw them themselves.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The forms a picture comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Svg,
    Json,
    Mermaid,
    Dot,
    Text,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Svg, Self::Json, Self::Mermaid, Self::Dot, Self::Text];

    /// How names of files of this form end.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Json => "json",
            Self::Mermaid => "mmd",
            Self::Dot => "dot",
            Self::Text => "txt",
        }
    }

    /// The form whose files end like this.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.extension() == extension)
    }

    /// What an answer in this form is called.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml",
            Self::Json => "application/json",
            Self::Mermaid => "text/vnd.mermaid; charset=utf-8",
            Self::Dot => "text/vnd.graphviz; charset=utf-8",
            Self::Text => "text/plain; charset=utf-8",
        }
    }
}

/// A picture whose parts have their places, in pixels from the upper left corner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Diagram {
    pub title: String,
    pub width: i64,
    pub height: i64,
    pub nodes: Vec<DiagramNode>,
    pub edges: Vec<DiagramEdge>,
    pub groups: Vec<DiagramGroup>,
}

/// A step, a state or a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiagramNode {
    /// Edges know it by this.
    pub id: String,
    pub label: String,
    /// What is said below the label. May be empty.
    pub detail: String,
    /// The label in the lines there is room for.
    #[serde(default, rename = "labelLines")]
    pub label_lines: Vec<String>,
    /// The detail in the lines there is room for.
    #[serde(default, rename = "detailLines")]
    pub detail_lines: Vec<String>,
    /// What it is: `start`, `task`, `person`, `decision`, `table`, `assignment`, `wait`,
    /// `gateway`, `join`, `end`, `state`, `terminal` or `missing`.
    pub kind: String,
    pub x: i64,
    pub y: i64,
    pub w: i64,
    pub h: i64,
    /// What goes on here, if anything does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<DiagramMark>,
}

/// What an instance does at a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiagramMark {
    /// How many paths are here now.
    pub here: u32,
    /// How often it was visited.
    pub visits: u32,
    /// When its next timer is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    pub failed: bool,
}

/// A way from one node to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiagramEdge {
    pub from: String,
    pub to: String,
    /// May be empty.
    pub label: String,
    /// The label in the lines there is room for.
    #[serde(default, rename = "labelLines")]
    pub label_lines: Vec<String>,
    /// How it comes to be taken: `normal`, `automatic`, `manual`, `timer` or `interrupting`.
    pub style: String,
    /// Its corners, from border to border; each lies straight above, below or beside the next.
    pub points: Vec<[i64; 2]>,
    /// Where the label is, if there is one: left, top, width, height.
    #[serde(default, rename = "labelArea", skip_serializing_if = "Option::is_none")]
    pub label_area: Option<[i64; 4]>,
    /// Whether it leads back.
    pub back: bool,
    /// Whether the instance has gone this way.
    #[serde(default)]
    pub taken: bool,
}

/// Nodes that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiagramGroup {
    /// May be empty.
    pub label: String,
    /// The ids of its nodes.
    pub members: Vec<String>,
    pub x: i64,
    pub y: i64,
    pub w: i64,
    pub h: i64,
}
