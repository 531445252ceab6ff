//! A value whose type is only known to whoever registered it, and how such values are read and
//! written.

use std::{any::Any, collections::BTreeMap, marker::PhantomData};

use serde_json::{Value, value::RawValue};
use waypost_machines::lifecycle::{FieldValue, Mismatch, RESERVED, Transitions};

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

/// The same object without the library's member, if it has it.
fn without_reserved(text: &[u8]) -> Option<String> {
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_slice(text).ok()?;
    members.remove(RESERVED)?;
    serde_json::to_string(&members).ok()
}
