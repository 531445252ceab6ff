//! Models: learning from samples, locking, and what may be asked of them.

use std::sync::Arc;

use waypost_documents::document::Value;
use waypost_kernel::{
    Commit, Conflict, DefinitionRef, Expectation, InstanceId, Key, Kind, Query, StoreError,
    Timestamp, Write,
};
use waypost_machines::entity::model::{ChangeLevel, Lock, Schema, id, json_schema, simple_view};

use super::{
    Code, Entities, Fault, Refusal,
    model::{Index, Model, PRESENT},
    record::LIVE,
    refuse::no_model,
};
use crate::limits::{
    INDEX_PATH_MAX, INDEXES_MAX, MODEL_NAME_MAX, MODELS_LISTED_MAX, PAGE_MAX, TURN_ATTEMPTS_MAX,
};

/// A model in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelView {
    /// The id that clients know it by.
    pub id: String,
    /// Its name and version.
    pub which: DefinitionRef,
    /// Whether it takes samples or entities.
    pub lock: Lock,
    /// When samples were imported last.
    pub imported_at: Timestamp,
}

/// How a schema is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// As a JSON Schema.
    JsonSchema,
    /// Paths and types.
    Simple,
}

/// A change of a model, with what must be so.
pub(super) struct Changed {
    model: Model,
    /// Whether there must be no entities.
    is_vacant: bool,
}

impl From<Model> for Changed {
    fn from(model: Model) -> Self {
        Self { model, is_vacant: false }
    }
}

/// The id that clients know a model by.
#[must_use]
pub fn model_id(which: &DefinitionRef) -> String {
    id(&which.name, which.version)
}

impl Entities {
    /// All models, by name and version.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn models(&self) -> Result<Vec<ModelView>, Fault> {
        let mut views = Vec::new();
        let mut before: Option<InstanceId> = None;
        loop {
            let query = Query {
                tenant: self.caller.tenant.clone(),
                kind: Kind::Model,
                definition: None,
                version: None,
                status: Some(PRESENT.to_owned()),
                business_key: None,
                awaits: None,
                step: None,
                from: None,
                until: None,
                before: before.take(),
                offset: 0,
                limit: PAGE_MAX,
            };
            let page = self.store().search(&query).await?;
            before = page.last().map(|it| it.key.id.clone());
            let is_last = page.len() < usize::try_from(PAGE_MAX).unwrap_or(usize::MAX);
            for record in page {
                let model = Model::read(&record)?;
                let Some(which) = record.facets.definition else { continue };
                let (id, lock) = (model_id(&which), model.lock);
                views.push(ModelView { id, which, lock, imported_at: model.imported_at });
            }
            if is_last || views.len() >= MODELS_LISTED_MAX {
                break;
            }
        }
        views.sort_by(|one, another| one.which.cmp(&another.which));
        Ok(views)
    }

    /// Learns from a sample. Makes the model if there is none; gives its id.
    ///
    /// # Errors
    /// When the model is locked, or its schema would become too large.
    pub async fn import_sample(
        &self,
        which: &DefinitionRef,
        sample: &Value,
    ) -> Result<String, Fault> {
        check_name(which)?;
        let too_large = |it: waypost_machines::entity::model::TooLarge| bad(it.to_string());
        let learned = Schema::infer(sample).map_err(too_large)?;
        let now = self.store().now();
        self.change(which, |model| {
            if model.lock == Lock::Locked {
                return Err(Refusal::model_locked(which));
            }
            let schema = match &model.schema {
                Some(schema) => Schema::clone(schema).merge(learned.clone()).map_err(too_large)?,
                None => learned.clone(),
            };
            Ok(Model { schema: Some(Arc::new(schema)), imported_at: now, ..model }.into())
        })
        .await?;
        Ok(model_id(which))
    }

    /// The schema and whether it is locked, as one JSON document.
    ///
    /// # Errors
    /// When there is no such model.
    pub async fn export_model(&self, which: &DefinitionRef, view: View) -> Result<String, Fault> {
        let (schema, lock) = self.schema(which).await?;
        Ok(match view {
            View::JsonSchema => json_schema(&schema, lock),
            View::Simple => simple_view(&schema, lock),
        })
    }

    /// What is wrong with a document, if anything is.
    ///
    /// # Errors
    /// When there is no such model.
    pub async fn validate(
        &self,
        which: &DefinitionRef,
        document: &Value,
    ) -> Result<Option<String>, Fault> {
        let problems = self.schema(which).await?.0.problems(document);
        Ok((!problems.is_empty()).then(|| problems.to_string()))
    }

    /// Where the model stands.
    ///
    /// # Errors
    /// When there is no such model.
    pub async fn model_lock(&self, which: &DefinitionRef) -> Result<Lock, Fault> {
        self.schema(which).await.map(|(_, lock)| lock)
    }

    /// From now on entities may be written, and no samples imported.
    ///
    /// # Errors
    /// When there is no such model, or it is locked already.
    pub async fn lock(&self, which: &DefinitionRef) -> Result<(), Fault> {
        self.change(which, |model| match (&model.schema, model.lock) {
            (None, _) => Err(no_model(which)),
            (Some(_), Lock::Locked) => Err(Refusal::model_locked(which)
                .with("expectedState", Lock::Unlocked.name())
                .with("actualState", Lock::Locked.name())),
            (Some(_), Lock::Unlocked) => Ok(Model { lock: Lock::Locked, ..model }.into()),
        })
        .await
    }

    /// From now on samples may be imported, and no entities written. There are none.
    ///
    /// # Errors
    /// When there is no such model, it is not locked, or has entities.
    pub async fn unlock(&self, which: &DefinitionRef) -> Result<(), Fault> {
        self.change(which, |model| match (&model.schema, model.lock) {
            (None, _) => Err(no_model(which)),
            (Some(_), Lock::Unlocked) => Err(Refusal::model_unlocked(which)
                .with("expectedState", Lock::Locked.name())
                .with("actualState", Lock::Unlocked.name())),
            (Some(_), Lock::Locked) => {
                let model = Model { lock: Lock::Unlocked, ..model };
                Ok(Changed { model, is_vacant: true })
            }
        })
        .await
    }

    /// How far writes may extend the model from now on.
    ///
    /// # Errors
    /// When there is no such model or no such level.
    pub async fn set_change_level(&self, which: &DefinitionRef, name: &str) -> Result<(), Fault> {
        self.change(which, |model| {
            if model.schema.is_none() {
                return Err(no_model(which));
            }
            let Some(level) = ChangeLevel::named(name) else {
                let names = ChangeLevel::ALL.map(ChangeLevel::name).join(", ");
                let detail = format!("there is no change level {name:?}, only {names}");
                let refusal = Refusal::new(Code::InvalidChangeLevel, detail);
                return Err(refusal.with("suppliedValue", name).with("validValues", names));
            };
            Ok(Model { level: Some(level), ..model }.into())
        })
        .await
    }

    /// No more of the model and its workflows.
    ///
    /// # Errors
    /// When there is no such model, it is locked, or has entities.
    pub async fn delete_model(&self, which: &DefinitionRef) -> Result<(), Fault> {
        self.change(which, |model| match (&model.schema, model.lock) {
            (None, _) => Err(no_model(which)),
            (Some(_), Lock::Locked) => Err(Refusal::model_locked(which)),
            (Some(_), Lock::Unlocked) => {
                // The version goes on, so that what was decided under the old model cannot land
                // under a new one of the same name.
                let model = Model { version: model.version, ..Model::absent() };
                Ok(Changed { model, is_vacant: true })
            }
        })
        .await
    }

    /// The paths that entities of the model can be looked up by.
    ///
    /// # Errors
    /// When there is no such model.
    pub async fn indexes(&self, which: &DefinitionRef) -> Result<Vec<String>, Fault> {
        let model = self.stored_model(which).await?;
        if model.schema.is_none() {
            return Err(no_model(which).into());
        }
        Ok(model.indexes.iter().map(|it| it.text.clone()).collect())
    }

    /// Declares the paths that entities can be looked up by. The model is not locked, so there are
    /// no entities that would have to be looked at first.
    ///
    /// # Errors
    /// When there is no such model, it is locked, or a path cannot be read or is there twice.
    pub async fn declare_indexes(
        &self,
        which: &DefinitionRef,
        paths: &[String],
    ) -> Result<(), Fault> {
        if paths.len() > INDEXES_MAX {
            return Err(bad(format!("a model has at most {INDEXES_MAX} indexes")).into());
        }
        let parse = |path: &String| {
            if path.len() > INDEX_PATH_MAX {
                return Err(bad(format!("an indexed path has at most {INDEX_PATH_MAX} bytes")));
            }
            if path.contains('\0') {
                return Err(bad("an indexed path has no U+0000".to_owned()));
            }
            Index::parse(path.clone()).map_err(|error| bad(format!("path {path:?}: {error}")))
        };
        let indexes: Arc<[Index]> = paths.iter().map(parse).collect::<Result<_, _>>()?;
        check_apart(&indexes)?;
        self.change(which, |model| match (&model.schema, model.lock) {
            (None, _) => Err(no_model(which)),
            (Some(_), Lock::Locked) => Err(Refusal::model_locked(which)),
            (Some(_), Lock::Unlocked) => {
                Ok(Model { indexes: Arc::clone(&indexes), ..model }.into())
            }
        })
        .await
    }

    /// What a model has learned so far; nothing if there is no such model.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn learned(&self, which: &DefinitionRef) -> Result<Option<Arc<Schema>>, Fault> {
        Ok(self.stored_model(which).await?.schema)
    }

    async fn schema(&self, which: &DefinitionRef) -> Result<(Arc<Schema>, Lock), Fault> {
        let model = self.stored_model(which).await?;
        model.schema.map(|it| (it, model.lock)).ok_or_else(|| no_model(which).into())
    }

    /// Changes a model as it is stored, again while others change it.
    pub(super) async fn change(
        &self,
        which: &DefinitionRef,
        decide: impl Fn(Model) -> Result<Changed, Refusal>,
    ) -> Result<(), Fault> {
        let key = self.model_key(which);
        for _ in 0..TURN_ATTEMPTS_MAX {
            let Changed { model, is_vacant } = decide(self.stored_model(which).await?)?;
            let model = Model { version: model.version.next(), ..model };
            let commit = self.model_commit(which, &key, &model, is_vacant);
            match self.store().commit(commit).await {
                Ok(_) => {
                    self.home().models.keep(key, model);
                    return Ok(());
                }
                Err(StoreError::Conflict(Conflict::Version(_))) => {}
                Err(StoreError::Conflict(Conflict::Occupied(_))) => {
                    return Err(Refusal::model_has_entities(which).into());
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Refusal::new(Code::Conflict, "the model changes too often; try again").into())
    }

    fn model_commit(
        &self,
        which: &DefinitionRef,
        key: &Key,
        model: &Model,
        is_vacant: bool,
    ) -> Commit {
        let vacant = Expectation::Vacant {
            tenant: self.caller.tenant.clone(),
            kind: Kind::Entity,
            definition: which.clone(),
            status: LIVE.to_owned(),
        };
        let write = Write {
            key: key.clone(),
            version: model.version,
            facets: model.facets(which),
            state: model.stored(),
            at: self.store().now(),
            keeps_past: false,
            terms: None,
        };
        let expect = if is_vacant { vec![vacant] } else { Vec::new() };
        Commit { expect, writes: vec![write], ..Commit::default() }
    }
}

/// Whether a model can be called so.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= MODEL_NAME_MAX && !text.chars().any(char::is_control)
}

/// Goes on only if there can be such a model.
pub(super) fn check_name(which: &DefinitionRef) -> Result<(), Refusal> {
    match is_name(&which.name) {
        true => Ok(()),
        false => Err(bad(format!(
            "the name of a model has 1 to {MODEL_NAME_MAX} bytes and no control characters"
        ))),
    }
}

/// Goes on only if no two of them are about the same place: each costs as much as the first.
fn check_apart(indexes: &[Index]) -> Result<(), Refusal> {
    for (at, index) in indexes.iter().enumerate() {
        if let Some(before) = indexes.iter().take(at).find(|it| it.path == index.path) {
            let (one, other) = (&before.text, &index.text);
            return Err(bad(format!("the paths {one:?} and {other:?} are the same")));
        }
    }
    Ok(())
}

pub(super) fn bad(detail: String) -> Refusal {
    Refusal::new(Code::BadRequest, detail)
}
