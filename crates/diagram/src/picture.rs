//! What is drawn: nodes, edges between them, groups around them, and marks of what goes on now.
//! A picture knows nothing of coordinates.

use std::collections::{BTreeMap, BTreeSet};

/// A definition as a drawing, and what an instance does in it, if anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    pub title: String,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub groups: Vec<Group>,
    /// What goes on at nodes, by their ids.
    pub marks: BTreeMap<String, Mark>,
    /// The ways that were gone.
    pub taken: BTreeSet<Taken>,
}

/// A way that was gone, by the ids of its ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Taken {
    pub from: String,
    pub to: String,
    /// Whether time was what started it.
    pub by_timer: bool,
}

/// Something that has a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Unique within the picture. Of several with one id, edges know the first.
    pub id: String,
    pub label: String,
    /// What is said below the label, in smaller letters. May be empty.
    pub detail: String,
    pub kind: Kind,
}

/// What a node is, which says how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Where everything begins: a dot.
    Start,
    /// A program does it.
    Task,
    /// Somebody does it.
    Person,
    /// Conditions say where to go.
    Decision,
    /// Rules say what is so.
    Table,
    /// Variables are set.
    Assignment,
    /// A signal is waited for.
    Wait,
    /// One path becomes several.
    Gateway,
    /// Several paths become one.
    Join,
    End,
    State,
    /// A state nothing leaves.
    Terminal,
    /// Something that is named and not there.
    Missing,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Start,
        Self::Task,
        Self::Person,
        Self::Decision,
        Self::Table,
        Self::Assignment,
        Self::Wait,
        Self::Gateway,
        Self::Join,
        Self::End,
        Self::State,
        Self::Terminal,
        Self::Missing,
    ];

    /// Its name, for classes and for those who cannot see the shape.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Task => "task",
            Self::Person => "person",
            Self::Decision => "decision",
            Self::Table => "table",
            Self::Assignment => "assignment",
            Self::Wait => "wait",
            Self::Gateway => "gateway",
            Self::Join => "join",
            Self::End => "end",
            Self::State => "state",
            Self::Terminal => "terminal",
            Self::Missing => "missing",
        }
    }
}

/// A way from one node to another, by their ids. One that names no node is not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: String,
    pub to: String,
    /// May be empty.
    pub label: String,
    pub style: Style,
}

/// How an edge comes to be taken. That it leads back is found by the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    Normal,
    /// Without being asked.
    Automatic,
    /// When somebody asks for it.
    Manual,
    /// When time has passed, beside what goes on.
    Timer,
    /// When time has passed, instead of what goes on.
    Interrupting,
}

impl Style {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Normal, Self::Automatic, Self::Manual, Self::Timer, Self::Interrupting];

    /// Its name, for classes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Automatic => "automatic",
            Self::Manual => "manual",
            Self::Timer => "timer",
            Self::Interrupting => "interrupting",
        }
    }

    /// Whether time is what starts it.
    #[must_use]
    pub const fn is_timed(self) -> bool {
        match self {
            Self::Timer | Self::Interrupting => true,
            Self::Normal | Self::Automatic | Self::Manual => false,
        }
    }
}

/// Nodes that belong together, as the branches of a gateway do. Groups lie inside of each other or
/// apart; one that crosses another is not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// May be empty.
    pub label: String,
    /// The ids of the nodes, those of inner groups included.
    pub members: Vec<String>,
}

/// What goes on at a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// How many paths are here now.
    pub here: u32,
    /// How often it was visited.
    pub visits: u32,
    /// When its next timer is due, as people are to read it.
    pub due: Option<String>,
    pub is_failed: bool,
}

impl Picture {
    /// Where nodes stand in [`Self::nodes`], by their ids.
    #[must_use]
    pub fn places(&self) -> BTreeMap<&str, usize> {
        // From the back, so that the first of several with one id stays.
        self.nodes.iter().enumerate().rev().map(|(place, it)| (it.id.as_str(), place)).collect()
    }

    /// The edges whose ends are there, each with the places of its ends.
    #[must_use]
    pub fn ways(&self) -> Vec<(usize, usize, &Edge)> {
        let places = self.places();
        let place = |id: &str| places.get(id).copied();
        let way = |edge| -> Option<_> {
            let edge: &Edge = edge;
            Some((place(&edge.from)?, place(&edge.to)?, edge))
        };
        self.edges.iter().filter_map(way).collect()
    }

    /// The members of each group, by their places in [`Self::nodes`].
    #[must_use]
    pub fn members(&self) -> Vec<Vec<usize>> {
        let places = self.places();
        let place = |id: &String| places.get(id.as_str()).copied();
        self.groups.iter().map(|it| it.members.iter().filter_map(place).collect()).collect()
    }

    /// Whether an edge was taken.
    #[must_use]
    pub fn is_taken(&self, edge: &Edge) -> bool {
        let by_timer = edge.style.is_timed();
        let way = Taken { from: edge.from.clone(), to: edge.to.clone(), by_timer };
        !self.taken.is_empty() && self.taken.contains(&way)
    }

    /// What goes on at a node, if anything does.
    #[must_use]
    pub fn mark(&self, node: &Node) -> Option<&Mark> {
        self.marks.get(&node.id).filter(|it| **it != Mark::default())
    }
}

impl Mark {
    /// What is said of the paths that are here: empty if there are none.
    #[must_use]
    pub fn presence(&self) -> String {
        match (self.is_failed, self.here) {
            (true, _) => "✗ failed".to_owned(),
            (false, 0) => String::new(),
            (false, 1) => "● here".to_owned(),
            (false, several) => format!("● {several} here"),
        }
    }

    /// What is said of the visits: empty if there were none.
    #[must_use]
    pub fn frequency(&self) -> String {
        if self.visits == 0 { String::new() } else { format!("×{}", self.visits) }
    }

    /// What is said of the timer: empty if there is none.
    #[must_use]
    pub fn deadline(&self) -> String {
        self.due.as_ref().map_or_else(String::new, |due| format!("due {due}"))
    }
}
