//! A value whose type is only known to whoever registered it, and how such values are read and
//! written.

use std::{any::Any, marker::PhantomData};

use serde_json::Value;
use waypost_machines::lifecycle::{FieldKind, FieldValue, Mismatch, Transitions};

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
    /// The value for those who look at it; long numbers are rounded.
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
        // A number that is too large for it is shown as others read it, who have only the text.
        serde_json::to_value(self).or_else(|_| serde_json::from_str(&serde_json::to_string(self)?))
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
    /// Reads what the program wrote, without what the library adds.
    fn decode(&self, text: &[u8]) -> Result<Box<dyn Held>, serde_json::Error>;
    /// What a field holds before anybody has set it, if that is known.
    fn default_of(&self, field: &FieldMeta) -> Option<FieldValue>;
    /// Whether a field would take the value.
    fn check(&self, field: &FieldMeta, value: &FieldValue) -> Result<(), Mismatch>;
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
        Ok(Box::new(serde_json::from_slice::<P>(text)?))
    }

    fn default_of(&self, field: &FieldMeta) -> Option<FieldValue> {
        P::default().get_field(&field.name).or_else(|| plain_default(field))
    }

    fn check(&self, field: &FieldMeta, value: &FieldValue) -> Result<(), Mismatch> {
        P::default().set_field(&field.name, value.clone())
    }

    fn sample_is_terminal(&self, phase: &str, table: &Transitions) -> Option<bool> {
        let mut sample = P::default();
        Participant::set_phase(&mut sample, phase).ok()?;
        Some(Held::is_terminal(&sample, table))
    }
}

/// What a field of this kind begins with. Instants, and what has an inside, begin with whatever the
/// program says.
pub(crate) fn plain_default(field: &FieldMeta) -> Option<FieldValue> {
    match field.kind {
        FieldKind::Timestamp | FieldKind::Nested => None,
        FieldKind::Text
        | FieldKind::Bool
        | FieldKind::I8
        | FieldKind::I16
        | FieldKind::I32
        | FieldKind::I64
        | FieldKind::U8
        | FieldKind::U16
        | FieldKind::U32
        | FieldKind::U64
        | FieldKind::F32
        | FieldKind::F64
        | FieldKind::Optional(_) => Some(field.kind.zero()),
    }
}

/// The fields of an entity, inside of a change.
///
/// ```
/// use waypost_lifecycle::{Error, FieldValue, Fields, MoveTo, Source};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// # manager.register::<Lamp>().await?.create(&lamp("l-1")).await?;
/// let to = MoveTo { phase: "lit", source: Source::Component, note: "" };
/// let mut switch = |fields: &mut Fields<'_>| {
///     assert_eq!((fields.entity_id(), fields.phase()), ("l-1", "dark"));
///     assert_eq!(fields.get("switched"), Some(FieldValue::U32(0)));
///     let wrong = fields.set("switched", "often".into());
///     assert!(wrong.is_err(), "it is a number");
///     fields.set("switched", 1_u32.into()).map_err(|it| Error::Mutator(it.found.into()))
/// };
/// let lit = manager.transition_with("lamp", "l-1", to, &mut switch).await?;
/// assert_eq!(lit.value["switched"], 1);
/// # Ok(())
/// # }
/// ```
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
