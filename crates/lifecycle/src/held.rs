//! A value whose type is only known to whoever registered it, and how such values are read and
//! written.

use std::{any::Any, collections::BTreeMap, marker::PhantomData};

use bytes::Bytes;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, value::RawValue};
use waypost_machines::lifecycle::{FieldValue, Mismatch, RESERVED, Trail, Transitions};

use crate::participant::{FieldMeta, Participant};

/// A decoded value of some type.
pub(crate) trait Held: Send + Sync {
    fn entity_id(&self) -> &str;
    fn phase(&self) -> &str;
    fn parent(&self) -> Option<&str>;
    fn is_terminal(&self, table: &Transitions) -> bool;
    fn get(&self, field: &str) -> Option<FieldValue>;
    fn set(&mut self, field: &str, value: FieldValue) -> Result<(), Mismatch>;
    fn set_phase(&mut self, phase: &str) -> Result<(), Mismatch>;
    /// The value as JSON text, without what the library adds.
    fn text(&self) -> Result<String, serde_json::Error>;
    fn to_value(&self) -> Result<Value, serde_json::Error>;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<P: Participant> Held for P {
    fn entity_id(&self) -> &str {
        Participant::entity_id(self)
    }

    fn phase(&self) -> &str {
        Participant::phase(self)
    }

    fn parent(&self) -> Option<&str> {
        self.parent_entity_id().filter(|it| !it.is_empty())
    }

    fn is_terminal(&self, table: &Transitions) -> bool {
        // A type that has no table of its own goes by the one it was registered with.
        match P::transitions().is_empty() {
            true => table.is_terminal(Participant::phase(self)),
            false => Participant::is_terminal(self),
        }
    }

    fn get(&self, field: &str) -> Option<FieldValue> {
        self.get_field(field)
    }

    fn set(&mut self, field: &str, value: FieldValue) -> Result<(), Mismatch> {
        self.set_field(field, value)
    }

    fn set_phase(&mut self, phase: &str) -> Result<(), Mismatch> {
        Participant::set_phase(self, phase)
    }

    fn text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    fn to_value(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// What is known of a registered type without knowing it.
pub(crate) trait Shape: Send + Sync {
    fn key(&self, entity_id: &str) -> String;
    fn id_of<'k>(&self, key: &'k str) -> Option<&'k str>;
    fn fields(&self) -> &[FieldMeta];
    fn decode(&self, text: &[u8]) -> Result<Box<dyn Held>, serde_json::Error>;
    /// What a field holds before anybody has set it.
    fn default_of(&self, field: &FieldMeta) -> FieldValue;
    /// The type's own word on whether a phase is terminal, if it can be had.
    fn sample_is_terminal(&self, phase: &str, table: &Transitions) -> Option<bool>;
}

pub(crate) struct Typed<P>(PhantomData<fn() -> P>);

impl<P> Typed<P> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<P: Participant> Shape for Typed<P> {
    fn key(&self, entity_id: &str) -> String {
        P::kv_key(entity_id)
    }

    fn id_of<'k>(&self, key: &'k str) -> Option<&'k str> {
        P::entity_id_from_key(key)
    }

    fn fields(&self) -> &[FieldMeta] {
        P::fields()
    }

    fn decode(&self, text: &[u8]) -> Result<Box<dyn Held>, serde_json::Error> {
        match serde_json::from_slice::<P>(text) {
            Ok(value) => Ok(Box::new(value)),
            // A type that denies what it does not know must not see what is not meant for it.
            Err(error) => match without_reserved(text) {
                Some(text) => Ok(Box::new(serde_json::from_str::<P>(&text)?)),
                None => Err(error),
            },
        }
    }

    fn default_of(&self, field: &FieldMeta) -> FieldValue {
        P::default().get_field(&field.name).unwrap_or_else(|| field.kind.zero())
    }

    fn sample_is_terminal(&self, phase: &str, table: &Transitions) -> Option<bool> {
        let mut sample = P::default();
        Participant::set_phase(&mut sample, phase).ok()?;
        Some(Held::is_terminal(&sample, table))
    }
}

/// The fields of an entity, inside of a change.
pub struct Fields<'f>(pub(crate) &'f mut dyn Held);

impl Fields<'_> {
    /// The entity.
    #[must_use]
    pub fn entity_id(&self) -> &str {
        self.0.entity_id()
    }

    /// The phase it is in, before it moves.
    #[must_use]
    pub fn phase(&self) -> &str {
        self.0.phase()
    }

    /// What a field holds.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<FieldValue> {
        self.0.get(field)
    }

    /// Gives a field a value.
    ///
    /// # Errors
    /// When it does not take it.
    pub fn set(&mut self, field: &str, value: FieldValue) -> Result<(), Mismatch> {
        self.0.set(field, value)
    }
}

/// What the library keeps with a value; nothing, if somebody dropped or damaged it.
pub(crate) fn trail_of(text: &[u8]) -> Option<Trail> {
    let own = parted(text).and_then(|(_, trail)| serde_json::from_str(trail).ok());
    own.or_else(|| serde_json::from_str(kept(text)?.get()).ok())
}

/// A value as we write it, in its two parts: the program's, and what the library keeps. A trail is
/// long, and most who read a value need not go through it.
///
/// The second part is JSON, so nothing of the program's follows it. The first is if the cut is
/// right, and is not if it is wrong, because a brace is missing then.
pub(crate) fn parted(text: &[u8]) -> Option<(String, &str)> {
    let text = std::str::from_utf8(text).ok()?;
    let (before, kept) = text.split_at(text.rfind(MARK)?);
    let trail = kept.strip_prefix(MEMBER)?.strip_suffix('}')?;
    serde_json::from_str::<IgnoredAny>(trail).ok()?;
    Some((format!("{}}}", before.strip_suffix(',').unwrap_or(before)), trail))
}

const MEMBER: &str = "\"_lifecycle\":";
const MARK: &str = "\"_lifecycle\":{\"workflow\":";

/// The type that a value says it belongs to. Most who read a value want to know no more.
pub(crate) fn workflow_of(text: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        workflow: String,
    }
    let head: Head = serde_json::from_str(kept(text)?.get()).ok()?;
    Some(head.workflow).filter(|it| !it.is_empty())
}

fn kept(text: &[u8]) -> Option<&RawValue> {
    #[derive(Deserialize)]
    struct Kept<'k> {
        #[serde(borrow, default, rename = "_lifecycle")]
        trail: Option<&'k RawValue>,
    }
    serde_json::from_slice::<Kept<'_>>(text).ok()?.trail
}

/// The text of a value with what the library keeps beside it.
pub(crate) fn joined(text: String, trail: Option<&Trail>) -> Result<Bytes, serde_json::Error> {
    let Some(trail) = trail else { return Ok(text.into()) };
    let trail = serde_json::to_string(trail)?;
    let Some(open) = text.strip_suffix('}') else { return Ok(text.into()) };
    let comma = if open == "{" { "" } else { "," };
    Ok(format!("{open}{comma}\"{RESERVED}\":{trail}}}").into())
}

/// The same object without the library's member, if it has it.
fn without_reserved(text: &[u8]) -> Option<String> {
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_slice(text).ok()?;
    members.remove(RESERVED)?;
    serde_json::to_string(&members).ok()
}

#[cfg(test)]
mod tests {
    use waypost_machines::lifecycle::Source;

    use super::*;

    #[test]
    fn what_we_write_comes_apart_again() {
        let trail = Trail::begin("survey", "planning", Source::Framework);
        for plain in [r#"{"a":1}"#, "{}", r#"{"a":{"_lifecycle":{"workflow":"x"}}}"#] {
            let text = joined(plain.to_owned(), Some(&trail)).expect("is JSON");
            let (first, second) = parted(&text).expect("comes apart");
            assert_eq!(first, plain);
            assert_eq!(serde_json::from_str::<Trail>(second).ok(), Some(trail.clone()));
            assert_eq!(trail_of(&text), Some(trail.clone()));
        }
    }

    #[test]
    fn what_others_wrote_is_not_taken_for_ours() {
        for text in [
            r#"{"a":{"_lifecycle":{"workflow":"x"}}}"#,
            r#"{"_lifecycle":{"workflow":"x"},"a":1}"#,
            r#"{"a":"\"_lifecycle\":{\"workflow\":"}"#,
        ] {
            let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
            assert!(parted(text.as_bytes()).is_none_or(|(first, _)| !is_json(&first)), "{text}");
        }
        let moved = br#"{"_lifecycle":{"workflow":"x"},"a":1}"#;
        assert_eq!(trail_of(moved).map(|it| it.workflow).as_deref(), Some("x"));
        assert_eq!(trail_of(br#"{"a":1}"#), None);
        assert_eq!(trail_of(br#"{"_lifecycle":3}"#), None);
    }
}
