//! A value with what is known about it.

use serde::Serialize;

use crate::Revision;

/// An entity as it was read.
///
/// ```
/// use waypost_lifecycle::Snapshot;
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// # let lamps = manager.register::<Lamp>().await?;
/// # lamps.create(&lamp("l-1")).await?;
/// let found: Snapshot<Lamp> = lamps.snapshot("l-1").await?;
/// assert_eq!((found.phase.as_str(), found.is_terminal, found.degraded), ("dark", false, false));
/// let room: Snapshot<String> = found.map(|lamp| lamp.room);
/// assert_eq!((room.entity_id.as_str(), room.value.as_str()), ("l-1", "hall"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot<T> {
    /// Its type.
    pub workflow: String,
    /// Its identity.
    pub entity_id: String,
    /// The phase it is in.
    pub phase: String,
    /// Whether it says of itself that it has come to its end.
    pub is_terminal: bool,
    /// Whether its phase is not in the table, so that only a raw update can help it.
    pub degraded: bool,
    /// The entity it belongs to.
    pub parent: Option<String>,
    /// The write that made it.
    #[serde(serialize_with = "number")]
    pub revision: Revision,
    /// The value.
    pub value: T,
}

impl<T> Snapshot<T> {
    /// The same about another form of the value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Snapshot<U> {
        let Self { workflow, entity_id, phase, is_terminal, degraded, parent, revision, value } =
            self;
        let value = change(value);
        Snapshot { workflow, entity_id, phase, is_terminal, degraded, parent, revision, value }
    }
}

/// How completing went, for whom an end is an end.
///
/// ```
/// use waypost_lifecycle::{Completion, Source};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// # let lamps = manager.register::<Lamp>().await?;
/// # lamps.create(&lamp("l-1")).await?;
/// let ended = lamps.complete_if_active("l-1", Source::Component).await?;
/// assert_eq!(ended, Completion::Completed("failed".to_owned()));
/// let again = lamps.complete_if_active("l-1", Source::Component).await?;
/// assert_eq!(again, Completion::AlreadyTerminal("failed".to_owned()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It moved to this phase.
    Completed(String),
    /// It was in this phase already, which is terminal.
    AlreadyTerminal(String),
}

fn number<S: serde::Serializer>(revision: &Revision, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(revision.0)
}
