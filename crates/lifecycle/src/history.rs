//! How an entity got where it is.

use serde::{Deserialize, Serialize};
use waypost_kernel::Timestamp;
use waypost_machines::lifecycle::{Found, History, Moved, Observed, Source, Trail};

use crate::{
    BucketError, Entry, Result, Retained, RetainedValue, core::Core, kept::trail_of,
    registration::Registration,
};

/// A move of an entity. Its time is the store's.
///
/// ```
/// use waypost_lifecycle::{Source, TransitionEvent};
///
/// let moved: TransitionEvent = serde_json::from_str(
///     r#"{"from": "planning", "to": "flying", "at": "2026-01-31T12:00:00Z", "triggered": "rule"}"#,
/// )?;
/// assert_eq!((moved.triggered, moved.note.as_str()), (Source::Rule, ""));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransitionEvent {
    /// The phase before; empty if it was made.
    pub from: String,
    /// The phase after; `<deleted>` if there is none.
    pub to: String,
    /// When it was stored.
    #[serde(with = "rfc3339")]
    pub at: Timestamp,
    /// What caused it.
    pub triggered: Source,
    /// What was said about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl From<Moved> for TransitionEvent {
    fn from(moved: Moved) -> Self {
        let Moved { from, to, at, source, note } = moved;
        Self { from, to, at, triggered: source, note }
    }
}

impl Core {
    pub(crate) async fn history(
        &self,
        registration: &Registration,
        entity_id: &str,
    ) -> Result<Vec<TransitionEvent>> {
        let key = self.key(registration, entity_id)?;
        let mut history = History::default();
        let see = &mut |it| history.see(&self.observed(registration, &key, it));
        registration.bucket.recall(&key, see).await.map_err(|error| match error {
            BucketError::NotFound(_) => registration.not_found(entity_id),
            error @ (BucketError::Missing(_)
            | BucketError::Exists(_)
            | BucketError::Conflict(_)
            | BucketError::InvalidName(_)
            | BucketError::TooLarge { .. }
            | BucketError::Lagged
            | BucketError::Unavailable(_)
            | BucketError::Failed(_)) => registration.store_error(error),
        })?;
        Ok(history.moves().into_iter().map(TransitionEvent::from).collect())
    }

    fn observed(&self, registration: &Registration, key: &str, retained: Retained) -> Observed {
        let Retained { revision, at, value } = retained;
        let value = match value {
            RetainedValue::Deleted | RetainedValue::Purged => {
                return Observed { at, found: Found::Deleted };
            }
            RetainedValue::Put(value) => value,
        };
        let entry = Entry { key: key.to_owned(), value, revision, at };
        let found = match registration.open(&entry) {
            Ok(Some(stored)) => {
                // Without a trail of our own we tell what everybody can see.
                let is_kept = self.settings.keeps_trail;
                let mut trail = is_kept.then(|| trail_of(&stored.text)).flatten();
                trail.iter_mut().for_each(forget_impossible);
                Found::Value { phase: stored.held.phase().to_owned(), trail }
            }
            Ok(None) => Found::Unreadable,
            Err(error) => {
                self.counters.pass_over(registration, &error, revision);
                Found::Unreadable
            }
        };
        Observed { at, found }
    }
}

/// Somebody else may have written a time that is in no calendar. Nobody could be told of it.
fn forget_impossible(trail: &mut Trail) {
    for step in &mut trail.recent {
        step.at = step.at.filter(|it| jiff::Timestamp::from_microsecond(it.as_micros()).is_ok());
    }
}

mod rfc3339 {
    //! Instants as the wire has them.

    use serde::{Deserialize as _, Deserializer, Serializer, de, ser};
    use waypost_kernel::Timestamp;

    pub(super) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        let at = jiff::Timestamp::from_microsecond(at.as_micros()).map_err(ser::Error::custom)?;
        to.collect_str(&at)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(from)?;
        let at: jiff::Timestamp = text.parse().map_err(de::Error::custom)?;
        Ok(Timestamp::from_micros(at.as_microsecond()))
    }
}
