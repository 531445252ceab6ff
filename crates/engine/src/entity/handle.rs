//! The entities of one tenant, as one caller works on them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio_util::task::TaskTracker;
use waypost_kernel::{DefinitionRef, InstanceId, Key, Kind, Store, Timestamp, Version};
use waypost_machines::entity::cascade::{Pace, limits};

use super::{
    Caller, Code, Compute, Entity, Fault, Refusal,
    model::{self, Model},
    models::is_name,
    registry::Registry,
    searches::Running,
    snapshot::Latest,
    transaction::{LayerId, Transaction},
};
use crate::{
    engine::Shared,
    lane::{Hot, Lanes},
    limits::{MODELS_MAX, SEARCH_KEPT, SEARCHES_KEPT_MAX, TRANSACTION_DELETIONS_MAX},
};

/// What all handles of an engine share for entities.
pub(crate) struct Home {
    pub(super) lanes: Lanes<Entity>,
    pub(super) models: Models,
    pub(super) transactions: Registry,
    pub(super) searches: Running,
    pub(super) latest: Latest,
    pub(super) compute: Arc<dyn Compute>,
    /// Timers that fire, and wait for compute members.
    pub(super) fires: TaskTracker,
    pub(super) rules: Rules,
    /// Since when nobody else has the store, if that is so.
    pub(super) alone_since: Option<Timestamp>,
}

/// What entities run by, besides their models.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How often a cascade may come to one state.
    pub state_visits_max: usize,
    /// Whether kinds of processors other than `EXTERNAL` are refused.
    pub strict_processor_types: bool,
    /// How long results of searches are kept.
    pub searches_kept: Duration,
    /// How many searches of a tenant are kept; the oldest that have ended make room for others.
    pub n_searches_kept: usize,
    /// How many entities are deleted in one transaction that does nothing else.
    pub n_deletions_max: usize,
    /// How members are asked again under the policy that does.
    pub pace: Pace,
    /// How long a scheduled transition that comes too late is neither taken nor given up.
    pub expiry_grace: Duration,
    /// Whether workflows are taken only for models that exist.
    pub strict_workflow_models: bool,
    /// Whether no other engine works on the store, so that whatever was under way before has come
    /// to nothing.
    pub has_store_alone: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            state_visits_max: limits::VISITS_MAX,
            strict_processor_types: true,
            searches_kept: SEARCH_KEPT,
            n_searches_kept: SEARCHES_KEPT_MAX,
            n_deletions_max: TRANSACTION_DELETIONS_MAX,
            pace: Pace::default(),
            expiry_grace: limits::GRACE,
            strict_workflow_models: false,
            has_store_alone: false,
        }
    }
}

impl Home {
    pub(crate) fn new(compute: Arc<dyn Compute>, rules: Rules, now: Timestamp) -> Self {
        let fires = TaskTracker::new();
        // Whoever waits wants to know that none is left; others may come later all the same.
        fires.close();
        Self {
            fires,
            lanes: Lanes::new(),
            models: Models::default(),
            transactions: Registry::default(),
            searches: Running::default(),
            latest: Latest::default(),
            compute,
            rules,
            alone_since: rules.has_store_alone.then_some(now),
        }
    }

    /// Waits until no timer waits for compute members any more.
    pub(crate) async fn fired(&self) {
        self.fires.wait().await;
    }
}

/// The entities of one caller's tenant. Cheap to clone.
#[derive(Clone)]
pub struct Entities {
    pub(super) shared: Arc<Shared>,
    pub(super) caller: Caller,
    /// The transaction that everything is part of, if it is not one of its own.
    pub(super) within: Option<(Arc<Transaction>, LayerId)>,
    /// Why whoever asks does so.
    pub(super) reason: Option<String>,
}

impl Entities {
    pub(crate) const fn new(shared: Arc<Shared>, caller: Caller) -> Self {
        Self { shared, caller, within: None, reason: None }
    }

    /// The same; what is written is kept with this reason.
    #[must_use]
    pub fn because(self, reason: Option<String>) -> Self {
        Self { reason, ..self }
    }

    /// The same, inside a transaction that waits for a compute member: reads see what it has
    /// written, writes land with it.
    ///
    /// # Errors
    /// When there is no such transaction any more, or it is another tenant's.
    pub fn within(&self, transaction: &str, layer: u32) -> Result<Self, Refusal> {
        let found = self.home().transactions.find(transaction);
        let Some(found) = found else {
            let detail = format!("transaction {transaction} is over");
            return Err(Refusal::new(Code::TransactionNotFound, detail));
        };
        if found.caller.tenant != self.caller.tenant {
            return Err(Refusal::new(Code::Forbidden, "the transaction is another tenant's"));
        }
        Ok(Self { within: Some((found, LayerId(layer))), ..self.clone() })
    }

    /// The same for somebody else, outside of any transaction.
    #[must_use]
    pub fn acting_as(&self, caller: Caller) -> Self {
        Self { shared: Arc::clone(&self.shared), caller, within: None, reason: None }
    }

    /// Who asks.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// What time it is, by the clock that gives entities theirs.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.store().now()
    }

    pub(super) fn home(&self) -> &Home {
        &self.shared.entities
    }

    pub(super) fn store(&self) -> &dyn Store {
        &*self.shared.store
    }

    pub(super) fn key(&self, id: &InstanceId) -> Key {
        Key::new(self.caller.tenant.clone(), Kind::Entity, id.clone())
    }

    pub(super) fn model_key(&self, which: &DefinitionRef) -> Key {
        model::key(&self.caller.tenant, which)
    }

    /// The model as it is stored; one of which nothing is known if it is not.
    pub(super) async fn stored_model(&self, which: &DefinitionRef) -> Result<Model, Fault> {
        // Some stores have no way to write such a name down, not even to look for it.
        if !is_name(&which.name) {
            return Ok(Model::absent());
        }
        let key = self.model_key(which);
        let found = self.store().load(std::slice::from_ref(&key)).await?.pop().flatten();
        let Some(record) = found else { return Ok(Model::absent()) };
        // What was made ready once is not made ready again.
        if let Some(known) = self.home().models.get(&key).filter(|it| it.version == record.version)
        {
            return Ok(known);
        }
        let model = Model::read(&record)?;
        self.home().models.keep(key, model.clone());
        Ok(model)
    }

    /// The model as it was when it was last looked at, which the commit will find out about.
    pub(super) async fn known_model(&self, which: &DefinitionRef) -> Result<Model, Fault> {
        match self.home().models.get(&self.model_key(which)) {
            Some(model) => Ok(model),
            None => self.stored_model(which).await,
        }
    }

    /// The entity as it is stored.
    pub(super) async fn stored(&self, id: &InstanceId) -> Result<Option<Arc<Entity>>, Fault> {
        let key = self.key(id);
        let record = self.store().load(std::slice::from_ref(&key)).await?.pop().flatten();
        let Some(record) = record else { return Ok(None) };
        self.home().latest.note(record.updated_at);
        Ok(Some(Arc::new(Entity::read(record)?)))
    }

    /// The entity as it was when it was last looked at, which the commit will find out about.
    pub(super) async fn known(&self, id: &InstanceId) -> Result<Option<Arc<Entity>>, Fault> {
        match self.home().lanes.peek(&self.key(id), Version::ABSENT) {
            Some(Hot { state, .. }) => Ok(Some(state)),
            None => self.stored(id).await,
        }
    }
}

/// Models at hand.
#[derive(Default)]
pub(super) struct Models(Mutex<HashMap<Key, Model>>);

impl Models {
    fn get(&self, key: &Key) -> Option<Model> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Keeps a model, unless a newer one is at hand.
    pub(super) fn keep(&self, key: Key, model: Model) {
        let mut models = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if models.len() >= MODELS_MAX && !models.contains_key(&key) {
            models.clear();
        }
        if models.get(&key).is_none_or(|it| it.version < model.version) {
            models.insert(key, model);
        }
    }

    pub(super) fn forget(&self, key: &Key) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}
