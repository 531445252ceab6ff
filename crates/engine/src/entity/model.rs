//! Models as they are stored, and made ready to be used.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use waypost_documents::{
    document::Value,
    predicate::{Path, PathError},
};
use waypost_kernel::{DefinitionRef, Facets, Json, Key, Record, StoreError, Timestamp, Version};
use waypost_machines::entity::{
    cascade::{Question, Verdict},
    criterion::Criterion,
    judge,
    model::{ChangeLevel, Lock, Schema},
    workflow::{Workflow, read_stored, stored},
};

use super::{Code, Refusal, refuse::inadmissible};

/// What [`Facets::status`] says of models that have a schema.
pub(super) const PRESENT: &str = "present";
/// What it says of those that have workflows at the most.
pub(super) const ABSENT: &str = "absent";

/// A model of one version, ready to be used.
#[derive(Clone)]
pub(super) struct Model {
    /// The version of the record, which every write under the model expects.
    pub(super) version: Version,
    /// What its documents look like. Without one there is no model, only workflows for it.
    pub(super) schema: Option<Arc<Schema>>,
    pub(super) lock: Lock,
    pub(super) level: Option<ChangeLevel>,
    pub(super) imported_at: Timestamp,
    pub(super) workflows: Arc<Workflows>,
    /// What entities can be looked up by.
    pub(super) indexes: Arc<[Index]>,
}

/// A path that entities can be looked up by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Index {
    /// As it was declared.
    pub(super) text: String,
    pub(super) path: Path,
}

/// The workflows of a model with their criteria made ready.
#[derive(Default)]
pub(super) struct Workflows {
    pub(super) list: Vec<Workflow>,
    criteria: BTreeMap<String, Criteria>,
}

/// The criteria of one workflow.
#[derive(Default)]
struct Criteria {
    own: Option<Result<Criterion, String>>,
    /// By state and transition.
    guards: BTreeMap<String, BTreeMap<String, Result<Criterion, String>>>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<Schema>,
    lock: Lock,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    level: Option<ChangeLevel>,
    imported_at: Timestamp,
    workflows: Json,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    indexes: Vec<String>,
}

impl Model {
    /// A model of which nothing is known yet.
    pub(super) fn absent() -> Self {
        Self {
            version: Version::ABSENT,
            schema: None,
            lock: Lock::default(),
            level: None,
            imported_at: Timestamp::EPOCH,
            workflows: Arc::default(),
            indexes: Arc::from([]),
        }
    }

    pub(super) fn read(record: &Record) -> Result<Self, StoreError> {
        let key = &record.key;
        let corrupt = |what: String| StoreError::Corrupt(format!("the model {key}: {what}"));
        let stored: Stored = record.state.read().map_err(|it| corrupt(it.to_string()))?;
        let workflows =
            read_stored(stored.workflows.as_str()).map_err(|it| corrupt(it.to_string()))?;
        let indexes = stored.indexes.into_iter().map(Index::parse);
        let indexes = indexes.collect::<Result<_, _>>().map_err(|it| corrupt(it.to_string()))?;
        Ok(Self {
            version: record.version,
            schema: stored.schema.map(Arc::new),
            lock: stored.lock,
            level: stored.level,
            imported_at: stored.imported_at,
            workflows: Arc::new(Workflows::new(workflows)),
            indexes,
        })
    }

    pub(super) fn stored(&self) -> Json {
        let workflows = stored(&self.workflows.list);
        Json::of(&Stored {
            schema: self.schema.as_deref().cloned(),
            lock: self.lock,
            level: self.level,
            imported_at: self.imported_at,
            workflows: Json::parse(&workflows).expect("workflows are written as JSON"),
            indexes: self.indexes.iter().map(|it| it.text.clone()).collect(),
        })
    }

    /// What is left of two extensions of one model that were made without knowing of each other.
    ///
    /// # Errors
    /// When they contradict each other, or are not of the same version.
    pub(super) fn and(&self, other: Self) -> Result<Self, Refusal> {
        let schema = match (self.schema.as_deref(), other.schema.as_deref()) {
            (Some(one), Some(another)) if self.version == other.version && one.agrees(another) => {
                one.clone().merge(another.clone()).map_err(|it| inadmissible(it.into()))?
            }
            (Some(_) | None, _) => {
                let detail = "another callback of the same transaction has extended the model";
                return Err(Refusal::new(Code::Conflict, detail));
            }
        };
        Ok(Self { schema: Some(Arc::new(schema)), ..other })
    }

    pub(super) fn facets(&self, which: &DefinitionRef) -> Facets {
        let status = if self.schema.is_some() { PRESENT } else { ABSENT };
        Facets {
            definition: Some(which.clone()),
            status: status.to_owned(),
            step: Some(self.lock.name().to_owned()),
            ..Facets::default()
        }
    }
}

impl Index {
    pub(super) fn parse(text: String) -> Result<Self, PathError> {
        Ok(Self { path: Path::parse(&text)?, text })
    }
}

impl Workflows {
    pub(super) fn new(list: Vec<Workflow>) -> Self {
        let criteria = list.iter().map(|it| (it.name.clone(), Criteria::of(it))).collect();
        Self { list, criteria }
    }

    /// Decides the questions of a run.
    pub(super) fn judge(&self, question: &Question<'_>) -> Verdict {
        let criteria = self.criteria.get(&question.workflow.name);
        let guards = || criteria?.guards.get(question.entity.state);
        let found = match question.transition {
            Some(transition) => guards().and_then(|it| it.get(&transition.name)),
            None => criteria.and_then(|it| it.own.as_ref()),
        };
        match found {
            Some(Ok(criterion)) => judge::judge(criterion, question),
            Some(Err(problem)) => Verdict::Broken(problem.clone()),
            None => Verdict::Broken("the criterion is not known".to_owned()),
        }
    }
}

impl Criteria {
    fn of(workflow: &Workflow) -> Self {
        let mut guards = BTreeMap::<_, BTreeMap<_, _>>::new();
        for (name, state) in &workflow.states {
            // Of two transitions of one name the first one counts.
            for transition in state.transitions.iter().rev() {
                if let Some(guard) = transition.guard() {
                    let state = guards.entry(name.clone()).or_default();
                    state.insert(transition.name.clone(), parse(guard));
                }
            }
        }
        Self { own: workflow.guard().map(parse), guards }
    }
}

fn parse(criterion: &Value) -> Result<Criterion, String> {
    Criterion::parse(criterion).map_err(|error| error.to_string())
}

/// The name under which the model `which` is kept.
pub(super) fn key(tenant: &waypost_kernel::Tenant, which: &DefinitionRef) -> Key {
    let id = format!("{}.{}", which.name, which.version);
    Key::new(tenant.clone(), waypost_kernel::Kind::Model, id.into())
}
