//! What operators and rules may write, and how.

use serde_json::{Map, Value};
use waypost_machines::lifecycle::{FieldKind, FieldValue, Mismatch};

use crate::{
    Error, Result,
    change::Stamp,
    core::{Core, Stored},
    held::Held,
    participant::FieldMeta,
    registration::Registration,
};

impl Registration {
    /// The field, if rules may write it. One that does not exist is refused just the same.
    pub(crate) fn writable(&self, name: &str) -> Result<&FieldMeta> {
        let field = self.field(name).filter(|it| it.is_writable());
        field.ok_or_else(|| Error::FieldNotOperatorWritable {
            workflow: self.workflow.clone(),
            field: name.to_owned(),
        })
    }

    pub(crate) fn mismatch(&self, field: &FieldMeta, mismatch: Mismatch) -> Error {
        Error::TypeMismatch {
            workflow: self.workflow.clone(),
            field: field.name.clone(),
            expected: field.kind.clone(),
            found: mismatch.found,
        }
    }

    /// The value a JSON value means for the field; null is what the type begins with. What the field
    /// would not take is refused here, before anything is read.
    pub(crate) fn value_of(&self, field: &FieldMeta, json: &Value) -> Result<FieldValue> {
        let value = match json {
            Value::Null => self
                .shape
                .default_of(field)
                .ok_or_else(|| Mismatch { expected: field.kind.clone(), found: "null".to_owned() }),
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => field.kind.of_json(json),
        };
        let checked = value.and_then(|it| self.shape.check(field, &it).map(|()| it));
        checked.map_err(|it| self.mismatch(field, it))
    }

    /// The value that text in an address means, for matching.
    pub(crate) fn match_of_text(&self, name: &str, text: &str) -> Result<FieldValue> {
        let field = self.field(name).ok_or_else(|| Error::UnknownMatchField {
            workflow: self.workflow.clone(),
            field: name.to_owned(),
        })?;
        field.kind.of_text(text).map_err(|it| self.mismatch(field, it))
    }

    /// Sets the fields of what was read.
    fn touched(
        &self,
        held: &mut dyn Held,
        values: &[(&FieldMeta, FieldValue)],
    ) -> Result<Stamp<'static>> {
        for (field, value) in values {
            let set = held.set(&field.name, value.clone());
            set.map_err(|it| self.mismatch(field, it))?;
        }
        Ok(Stamp::Touched)
    }

    /// Checks all of a patch before anything is touched.
    fn patch(&self, patch: &Map<String, Value>) -> Result<Vec<(&FieldMeta, FieldValue)>> {
        let mut values = Vec::with_capacity(patch.len());
        for (name, json) in patch {
            let field = self.field(name).ok_or_else(|| Error::UnknownField {
                workflow: self.workflow.clone(),
                field: name.clone(),
            })?;
            self.writable(name)?;
            values.push((field, self.value_of(field, json)?));
        }
        Ok(values)
    }
}

impl Core {
    /// Writes fields, all or none. An empty patch is done before it begins, wherever it is for.
    pub(crate) async fn patch(
        &self,
        workflow: &str,
        entity_id: &str,
        patch: &Map<String, Value>,
    ) -> Result<Option<Stored>> {
        if patch.is_empty() {
            return Ok(None);
        }
        let registration = self.registration(workflow)?;
        let values = registration.patch(patch)?;
        let change = &mut |held: &mut dyn Held| registration.touched(held, &values);
        self.change(&registration, entity_id, change).await.map(Some)
    }

    /// What a patch would come to, while nothing is written.
    pub(crate) async fn foresee_patch(
        &self,
        registration: &Registration,
        entity_id: &str,
        patch: &Map<String, Value>,
    ) -> Result<Stored> {
        let values = registration.patch(patch)?;
        let change = &mut |held: &mut dyn Held| registration.touched(held, &values);
        self.foresee(registration, entity_id, change).await
    }

    pub(crate) fn field_type(&self, workflow: &str, field: &str) -> Result<FieldKind> {
        let registration = self.registration(workflow)?;
        registration.writable(field).map(|it| it.kind.clone())
    }
}
