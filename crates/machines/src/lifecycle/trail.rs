//! Who moved an entity, and why: kept inside of what is stored, in the same write as the phase, so
//! that it cannot be lost and needs no deeper history than the bucket has.

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap as _};
use waypost_kernel::Timestamp;

/// The member of a stored value that belongs to the library.
pub const RESERVED: &str = "_lifecycle";

/// Where an entity goes that is deleted, in its history.
pub const DELETED: &str = "<deleted>";

/// What caused a move.
///
/// ```
/// use waypost_machines::lifecycle::Source;
///
/// assert_eq!(Source::Operator.as_str(), "operator");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A rule.
    Rule,
    /// A person.
    Operator,
    /// A part of the program.
    Component,
    /// The library itself: creating, completing, failing.
    Framework,
}

impl Source {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Operator => "operator",
            Self::Component => "component",
            Self::Framework => "framework",
        }
    }
}

/// One move, as it is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The phase before; empty if there was none.
    pub from: String,
    /// The phase after.
    pub to: String,
    /// What caused it.
    pub source: Source,
    /// What was said about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// How many moves there have been with this one.
    pub seq: u64,
    /// When it was stored. The write that makes the move cannot know; the next one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// What the library keeps with a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Wire")]
pub struct Trail {
    /// The type the value belongs to.
    pub workflow: String,
    /// The move this very write made, if it made one.
    pub this: Option<Step>,
    /// The latest moves, oldest first, this one included.
    pub recent: Vec<Step>,
}

/// A trail as it is read: this write's move lies flat in it. Spelled out, because what serde flattens
/// it reads twice, and this is read with every change.
#[derive(Deserialize)]
struct Wire {
    #[serde(default)]
    workflow: String,
    from: Option<String>,
    to: Option<String>,
    source: Option<Source>,
    #[serde(default)]
    note: String,
    seq: Option<u64>,
    #[serde(default)]
    recent: Vec<Step>,
}

impl From<Wire> for Trail {
    fn from(wire: Wire) -> Self {
        let Wire { workflow, from, to, source, note, seq, recent } = wire;
        let this = match (from, to, source, seq) {
            (Some(from), Some(to), Some(source), Some(seq)) => {
                Some(Step { from, to, source, note, seq, at: None })
            }
            _ => None,
        };
        Self { workflow, this, recent }
    }
}

impl Serialize for Trail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("workflow", &self.workflow)?;
        if let Some(this) = &self.this {
            members.serialize_entry("from", &this.from)?;
            members.serialize_entry("to", &this.to)?;
            members.serialize_entry("source", &this.source)?;
            if !this.note.is_empty() {
                members.serialize_entry("note", &this.note)?;
            }
            members.serialize_entry("seq", &this.seq)?;
        }
        if !self.recent.is_empty() {
            members.serialize_entry("recent", &self.recent)?;
        }
        members.end()
    }
}

impl Trail {
    /// How many moves are remembered: enough to tell how an entity got where it is, and few enough
    /// to be read and written each time.
    pub const STEPS_MAX: usize = 64;

    /// Of a value that is stored for the first time, in the phase `to`.
    #[must_use]
    pub fn begin(workflow: &str, to: &str, source: Source) -> Self {
        let empty = Self { workflow: workflow.to_owned(), this: None, recent: Vec::new() };
        empty.moved(String::new(), to.to_owned(), source, String::new())
    }

    /// Of a write that moves nothing. The value read was stored at `at`.
    #[must_use]
    pub fn carried(mut self, at: Timestamp) -> Self {
        if let Some(this) = self.this.take()
            && let Some(last) = self.recent.last_mut()
            && last.seq == this.seq
        {
            last.at = Some(at);
        }
        self
    }

    /// Of a write that moves the entity, carried over first.
    #[must_use]
    pub fn moved(mut self, from: String, to: String, source: Source, note: String) -> Self {
        let seq = self.recent.last().map_or(1, |it| it.seq.saturating_add(1));
        let step = Step { from, to, source, note, seq, at: None };
        if self.recent.len() >= Self::STEPS_MAX {
            let surplus = self.recent.len() + 1 - Self::STEPS_MAX;
            self.recent.drain(..surplus);
        }
        self.recent.push(step.clone());
        Self { this: Some(step), ..self }
    }

    /// The moves before this write.
    fn earlier(&self) -> &[Step] {
        match (&self.this, self.recent.split_last()) {
            (Some(this), Some((last, earlier))) if last.seq == this.seq => earlier,
            _ => &self.recent,
        }
    }
}

/// A revision that is still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// When it was stored.
    pub at: Timestamp,
    /// What it is.
    pub found: Found,
}

/// What a revision is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A value.
    Value {
        /// The phase it has.
        phase: String,
        /// What the library kept with it, if nobody dropped it.
        trail: Option<Trail>,
    },
    /// The mark of a deletion.
    Deleted,
    /// Something that cannot be read.
    Unreadable,
}

/// A move in an entity's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The phase before; empty if it is not known to have had one.
    pub from: String,
    /// The phase after.
    pub to: String,
    /// When it was stored.
    pub at: Timestamp,
    /// What caused it, as far as that is known.
    pub source: Source,
    /// What was said about it.
    pub note: String,
}

/// The moves behind revisions that are seen one after the other, oldest first.
///
/// What was kept with a value is believed where it fits what is observed; otherwise a move is just
/// a phase that differs from the one before.
#[derive(Clone, Debug, Default)]
pub struct History {
    moves: Vec<Moved>,
    previous: String,
}

impl History {
    /// Takes the next revision in.
    pub fn see(&mut self, revision: &Observed) {
        match &revision.found {
            Found::Unreadable => {}
            Found::Deleted => {
                let from = std::mem::replace(&mut self.previous, DELETED.to_owned());
                self.moves.push(plain(from, DELETED, revision.at));
            }
            Found::Value { phase, trail } => self.value(revision, phase, trail.as_ref()),
        }
    }

    /// The moves so far.
    #[must_use]
    pub fn moves(self) -> Vec<Moved> {
        self.moves
    }

    fn value(&mut self, revision: &Observed, phase: &str, trail: Option<&Trail>) {
        if self.moves.is_empty() {
            // Older revisions are gone, but what they did is remembered here.
            let earlier = trail.into_iter().flat_map(Trail::earlier);
            self.moves.extend(earlier.map(|it| told(it, revision)));
            self.previous = self.moves.last().map_or_else(String::new, |it| it.to.clone());
        }
        if *phase == self.previous {
            return;
        }
        let known = trail.and_then(|it| it.this.as_ref()).filter(|it| self.fits(it, phase));
        let from = std::mem::replace(&mut self.previous, phase.to_owned());
        self.moves.push(match known {
            Some(step) if self.moves.is_empty() => told(step, revision),
            Some(step) => Moved { from, ..told(step, revision) },
            None => plain(from, phase, revision.at),
        });
    }

    /// Whether a step leads from where the entity was to the phase.
    fn fits(&self, step: &Step, phase: &str) -> bool {
        let begins = step.from.is_empty() && self.previous == DELETED;
        // The oldest of what is known may have come from anywhere.
        let is_first = self.moves.is_empty();
        step.to == *phase && (is_first || begins || step.from == self.previous)
    }
}

fn told(step: &Step, revision: &Observed) -> Moved {
    let at = step.at.unwrap_or(revision.at);
    let (from, to, note) = (step.from.clone(), step.to.clone(), step.note.clone());
    Moved { from, to, at, source: step.source, note }
}

fn plain(from: String, to: &str, at: Timestamp) -> Moved {
    Moved { from, to: to.to_owned(), at, source: Source::Framework, note: String::new() }
}
