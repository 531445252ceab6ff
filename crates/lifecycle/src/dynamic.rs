//! Everything by name, with JSON instead of Rust types: for gateways, command lines and rules.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};
use waypost_machines::lifecycle::{FieldKind, FieldValue, Goal, Source};

use crate::{
    Error, Fields, Figures, ListOptions, Result, Revision, Snapshot, TransitionEvent,
    TypeDescription, Watch, WatchEvent, WorkflowDef,
    change::Move,
    core::{Core, Stored},
    held::Held,
    registration::Registration,
};

/// The registered types by name, whether Rust knows them or not. Copies are the same.
///
/// ```
/// use serde_json::json;
/// use waypost_lifecycle::{DynManager, FieldKind, ListOptions, MoveTo, Source};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/lamps.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let manager = manager();
/// # manager.register::<Lamp>().await?;
/// let all: &DynManager = manager.dynamic();
/// let json = |id: &str| json!({"id": id, "phase": "dark", "room": "hall", "switched": 0});
/// for id in ["l-1", "l-2", "l-3"] {
///     all.create("lamp", &json(id)).await?;
/// }
/// let mut shade = json("shade");
/// shade["circuit"] = json!("l-1");
/// all.create("lamp", &shade).await?;
///
/// // What is there.
/// assert_eq!(all.list_workflows()[0], all.get_workflow_definition("lamp")?);
/// assert_eq!(all.counts_by_phase("lamp").await?["dark"], 4);
/// assert_eq!(all.get("lamp", "l-1").await?.value["room"], "hall");
/// let hall = all.match_of_text("lamp", "room", "hall")?;
/// assert_eq!(all.list("lamp", &ListOptions::default().matching("room", hall)).await?.len(), 4);
/// assert_eq!(all.children("l-1").await?[0].entity_id, "shade");
/// assert!(all.children_page("l-1", 1, 10).await?.is_empty(), "there is only one");
/// assert_eq!(all.ancestors("shade").await?[0].entity_id, "l-1");
/// assert_eq!(all.lookup_by_entity_id("l-2").await?.workflow, "lamp");
///
/// // What can be done.
/// let dusk = MoveTo { phase: "lit", source: Source::Component, note: "dusk" };
/// assert_eq!(all.foresee_transition("lamp", "l-1", dusk).await?.value["phase"], "lit");
/// all.transition("lamp", "l-1", dusk).await?;
/// all.transition_with("lamp", "l-2", dusk, &mut |fields| {
///     assert_eq!((fields.entity_id(), fields.phase()), ("l-2", "dark"));
///     let expect = |_| waypost_lifecycle::Error::FailReasonRequired;
///     fields.set("switched", 1_u32.into()).map_err(expect)
/// })
/// .await?;
/// assert_eq!(all.complete("lamp", "l-1", Source::Component).await?.phase, "worn");
/// assert_eq!(all.fail("lamp", "l-3", "it broke", Source::Operator).await?.phase, "failed");
/// assert_eq!(all.history("lamp", "l-1").await?[1].note, "dusk");
///
/// // What operators and rules may do.
/// all.assert_rule_writable("lamp", "room")?;
/// assert_eq!(all.field_type("lamp", "switched")?, FieldKind::U32);
/// let patch = json!({"room": "attic"}).as_object().cloned().unwrap_or_default();
/// assert_eq!(all.foresee_update("lamp", "l-2", &patch).await?.value["room"], "attic");
/// all.update_from_operator("lamp", "l-2", &patch).await?;
/// all.delete("lamp", "shade").await?;
///
/// // How it goes.
/// let watched = all.watch("lamp").await?;
/// println!("{:?}, from an index: {}", all.figures(), all.is_indexed("lamp")?);
/// # drop(watched);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct DynManager {
    pub(crate) core: Arc<Core>,
}

/// A move along the table.
///
/// ```
/// use waypost_lifecycle::{MoveTo, Source};
///
/// let by_hand = MoveTo { phase: "lit", source: Source::Operator, note: "a guest asked" };
/// let by_rule = MoveTo { source: Source::Rule, ..by_hand };
/// assert_ne!(by_hand, by_rule);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveTo<'m> {
    /// Where to.
    pub phase: &'m str,
    /// What causes it.
    pub source: Source,
    /// What history says about it; nothing, if it is empty.
    pub note: &'m str,
}

impl DynManager {
    /// Takes in a type that is described by data.
    ///
    /// ```
    /// use serde_json::json;
    /// use waypost_lifecycle::{Manager, MemoryBuckets};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
    /// let lamp = serde_json::from_value(json!({
    ///     "workflow": "lamp",
    ///     "bucket": "LAMPS",
    ///     "transitions": {"dark": ["lit"], "lit": ["dark"]},
    ///     "fields": [
    ///         {"name": "id", "tags": "id"},
    ///         {"name": "phase", "tags": "phase"},
    ///         {"name": "watts", "kind": "u32", "tags": "operator_writable"}
    ///     ]
    /// }))?;
    /// let lamps = manager.dynamic();
    /// lamps.register_described(lamp).await?;
    /// lamps.create("lamp", &json!({"id": "l-1", "phase": "dark", "watts": 40})).await?;
    /// let patch = json!({"watts": 60}).as_object().cloned().unwrap_or_default();
    /// lamps.update_from_operator("lamp", "l-1", &patch).await?;
    /// assert_eq!(lamps.get("lamp", "l-1").await?.value["watts"], 60);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When it is known already, has a mistake, or its bucket is not there.
    pub async fn register_described(&self, described: TypeDescription) -> Result<()> {
        self.core.register(described.claims()?).await.map(drop)
    }

    /// The registered types, by name.
    #[must_use]
    pub fn list_workflows(&self) -> Vec<WorkflowDef> {
        self.core.registrations().iter().map(|it| it.definition()).collect()
    }

    /// One of them.
    ///
    /// # Errors
    /// [`Error::WorkflowNotRegistered`].
    pub fn get_workflow_definition(&self, workflow: &str) -> Result<WorkflowDef> {
        self.core.registration(workflow).map(|it| it.definition())
    }

    /// How many entities are in each phase that occurs, phases nobody declared included.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn counts_by_phase(&self, workflow: &str) -> Result<BTreeMap<String, u64>> {
        self.core.counts(&*self.core.registration(workflow)?).await
    }

    /// Stores an entity that is not there yet.
    ///
    /// # Errors
    /// As [`Workflow::create`](crate::Workflow::create); [`Error::Decode`] if it is not of the type.
    pub async fn create(&self, workflow: &str, initial: &Value) -> Result<Revision> {
        let registration = self.core.registration(workflow)?;
        let held = registration.shape.decode(initial.to_string().as_bytes());
        let held = held.map_err(|source| Error::Decode {
            workflow: workflow.to_owned(),
            key: String::new(),
            source,
        })?;
        self.core.create(&registration, &*held).await
    }

    /// The entity.
    ///
    /// # Errors
    /// [`Error::EntityNotFound`] if there is none.
    pub async fn get(&self, workflow: &str, entity_id: &str) -> Result<Snapshot<Value>> {
        let registration = self.core.registration(workflow)?;
        let stored = self.core.load(&registration, entity_id).await?;
        shown(&registration, stored)
    }

    /// The entities that `options` want, by id.
    ///
    /// # Errors
    /// [`Error::UnknownMatchField`] if they ask for a field that is not there.
    pub async fn list(
        &self,
        workflow: &str,
        options: &ListOptions,
    ) -> Result<Vec<Snapshot<Value>>> {
        let registration = self.core.registration(workflow)?;
        let found = self.core.list(&registration, options).await?;
        found.into_iter().map(|it| shown(&registration, it)).collect()
    }

    /// What text in an address means as the value of a field, for [`ListOptions::matches`].
    ///
    /// # Errors
    /// [`Error::UnknownMatchField`], or [`Error::TypeMismatch`] if it means nothing.
    pub fn match_of_text(&self, workflow: &str, field: &str, text: &str) -> Result<FieldValue> {
        self.core.registration(workflow)?.match_of_text(field, text)
    }

    /// Moves an entity along its table.
    ///
    /// # Errors
    /// As [`Workflow::transition`](crate::Workflow::transition).
    pub async fn transition(
        &self,
        workflow: &str,
        entity_id: &str,
        to: MoveTo<'_>,
    ) -> Result<Snapshot<Value>> {
        let asked = Move { goal: Goal::Move(to.phase), source: to.source, note: to.note };
        self.go(workflow, entity_id, asked, &mut |_| Ok(())).await
    }

    /// Moves an entity along its table and changes its fields in the same write. Called by rules,
    /// which ask [`Self::assert_rule_writable`] first.
    ///
    /// # Errors
    /// As [`Workflow::transition_with`](crate::Workflow::transition_with).
    pub async fn transition_with(
        &self,
        workflow: &str,
        entity_id: &str,
        to: MoveTo<'_>,
        change: &mut (dyn FnMut(&mut Fields<'_>) -> Result<()> + Send),
    ) -> Result<Snapshot<Value>> {
        let asked = Move { goal: Goal::Move(to.phase), source: to.source, note: to.note };
        self.go(workflow, entity_id, asked, &mut |held| change(&mut Fields(held))).await
    }

    /// Ends an entity in the first terminal phase, by name, that is one step away.
    ///
    /// # Errors
    /// As [`Workflow::complete`](crate::Workflow::complete).
    pub async fn complete(
        &self,
        workflow: &str,
        entity_id: &str,
        source: Source,
    ) -> Result<Snapshot<Value>> {
        let asked = Move { goal: Goal::Complete, source, note: "" };
        self.go(workflow, entity_id, asked, &mut |_| Ok(())).await
    }

    /// Ends an entity in the phase `failed`.
    ///
    /// # Errors
    /// As [`Workflow::fail`](crate::Workflow::fail).
    pub async fn fail(
        &self,
        workflow: &str,
        entity_id: &str,
        reason: &str,
        source: Source,
    ) -> Result<Snapshot<Value>> {
        if reason.is_empty() {
            return Err(Error::FailReasonRequired);
        }
        let asked = Move { goal: Goal::Fail, source, note: reason };
        self.go(workflow, entity_id, asked, &mut |_| Ok(())).await
    }

    /// Writes fields that operators may write, all or none; null is what the type begins with.
    /// Nothing happens if there are none. Entities that have ended can be written, too.
    ///
    /// # Errors
    /// [`Error::UnknownField`], [`Error::FieldNotOperatorWritable`] or [`Error::TypeMismatch`]
    /// before anything is touched.
    pub async fn update_from_operator(
        &self,
        workflow: &str,
        entity_id: &str,
        patch: &Map<String, Value>,
    ) -> Result<()> {
        self.core.patch(workflow, entity_id, patch).await.map(drop)
    }

    /// How an entity would look after [`Self::transition`], while nothing is written.
    ///
    /// # Errors
    /// Those of the move.
    pub async fn foresee_transition(
        &self,
        workflow: &str,
        entity_id: &str,
        to: MoveTo<'_>,
    ) -> Result<Snapshot<Value>> {
        let registration = self.core.registration(workflow)?;
        let asked = Move { goal: Goal::Move(to.phase), source: to.source, note: to.note };
        let stored = self.core.foresee_transition(&registration, entity_id, asked).await?;
        shown(&registration, stored)
    }

    /// How an entity would look after [`Self::update_from_operator`], while nothing is written.
    ///
    /// # Errors
    /// Those of the update; also [`Error::EntityNotFound`] if there is nothing to write.
    pub async fn foresee_update(
        &self,
        workflow: &str,
        entity_id: &str,
        patch: &Map<String, Value>,
    ) -> Result<Snapshot<Value>> {
        let registration = self.core.registration(workflow)?;
        shown(&registration, self.core.foresee_patch(&registration, entity_id, patch).await?)
    }

    /// Whether rules may write the field: what operators may, and nothing else.
    ///
    /// # Errors
    /// [`Error::FieldNotOperatorWritable`], also if there is no such field.
    pub fn assert_rule_writable(&self, workflow: &str, field: &str) -> Result<()> {
        self.field_type(workflow, field).map(drop)
    }

    /// What a field holds that rules may write.
    ///
    /// # Errors
    /// As [`Self::assert_rule_writable`].
    pub fn field_type(&self, workflow: &str, field: &str) -> Result<FieldKind> {
        self.core.field_type(workflow, field)
    }

    /// How the entity got where it is, oldest first.
    ///
    /// # Errors
    /// [`Error::EntityNotFound`] if there has never been one.
    pub async fn history(&self, workflow: &str, entity_id: &str) -> Result<Vec<TransitionEvent>> {
        self.core.history(&*self.core.registration(workflow)?, entity_id).await
    }

    /// The entities of all types that belong to `parent`, by type, then by id. It need not exist.
    ///
    /// # Errors
    /// [`Error::InvalidEntityId`] if it is empty.
    pub async fn children(&self, parent: &str) -> Result<Vec<Snapshot<Value>>> {
        self.children_page(parent, 0, usize::MAX).await
    }

    /// Some of them: at most `limit`, from `offset` on.
    ///
    /// # Errors
    /// As [`Self::children`].
    pub async fn children_page(
        &self,
        parent: &str,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Snapshot<Value>>> {
        let children = self.core.children(parent, offset, limit).await?;
        children.into_iter().map(|(registration, it)| shown(&registration, it)).collect()
    }

    /// The parent of the entity, its parent, and so on; the root comes last. Ends early where one
    /// is missing, or has been before.
    ///
    /// # Errors
    /// [`Error::EntityNotFound`] if the entity itself is missing.
    pub async fn ancestors(&self, entity_id: &str) -> Result<Vec<Snapshot<Value>>> {
        let ancestors = self.core.ancestors(entity_id).await?;
        ancestors.into_iter().map(|(registration, it)| shown(&registration, it)).collect()
    }

    /// The entity of that id, whatever its type; the first by name, if several types have it.
    ///
    /// # Errors
    /// [`Error::EntityNotFound`] if no type has it.
    pub async fn lookup_by_entity_id(&self, entity_id: &str) -> Result<Snapshot<Value>> {
        let (registration, stored) = self.core.lookup(entity_id).await?;
        shown(&registration, stored)
    }

    /// The entities that are there, then what happens to them. Dropping the stream ends it.
    ///
    /// # Errors
    /// When the store cannot be watched.
    pub async fn watch(&self, workflow: &str) -> Result<Watch<WatchEvent<Value>>> {
        self.core.watch(&self.core.registration(workflow)?, shown).await
    }

    /// Removes an entity: for operators who clear up. It is fine if it is not there; a value of
    /// another type is left alone, one that nobody can read is not. Its history stays as long as the
    /// bucket keeps it, and it may be created again.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn delete(&self, workflow: &str, entity_id: &str) -> Result<()> {
        let registration = self.core.registration(workflow)?;
        let key = self.core.key(&registration, entity_id)?;
        let last = registration.index.revision(entity_id);
        let found =
            registration.bucket.get(&key).await.map_err(|it| registration.store_error(it))?;
        if found.is_some_and(|it| matches!(registration.open(&it), Ok(None))) {
            return Ok(());
        }
        let deleted = registration.bucket.delete(&key).await;
        deleted.map_err(|it| registration.store_error(it))?;
        if let Some(last) = last {
            registration.index.forgot(entity_id, last);
        }
        Ok(())
    }

    /// Whether lists of the type are answered from the index by now.
    ///
    /// # Errors
    /// [`Error::WorkflowNotRegistered`].
    pub fn is_indexed(&self, workflow: &str) -> Result<bool> {
        Ok(self.core.registration(workflow)?.index.ask(|_| ()).is_some())
    }

    /// What has happened so far.
    #[must_use]
    pub fn figures(&self) -> Figures {
        self.core.counters.figures()
    }

    async fn go(
        &self,
        workflow: &str,
        entity_id: &str,
        asked: Move<'_>,
        change: &mut (dyn FnMut(&mut dyn Held) -> Result<()> + Send),
    ) -> Result<Snapshot<Value>> {
        let registration = self.core.registration(workflow)?;
        let stored = self.core.transition(&registration, entity_id, asked, change).await?;
        shown(&registration, stored)
    }
}

pub(crate) fn shown(registration: &Registration, stored: Stored) -> Result<Snapshot<Value>> {
    let value = stored.held.to_value().map_err(|source| Error::Decode {
        workflow: registration.workflow.clone(),
        key: registration.shape.key(&stored.entity_id),
        source,
    })?;
    Ok(registration.snapshot(&*stored.held, &stored.entity_id, stored.revision, value))
}
