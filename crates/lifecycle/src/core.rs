//! What all handles share: the registered types, the settings, the counters.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use bytes::Bytes;
use waypost_kernel::Timestamp;

use crate::{
    BucketError, Buckets, Error, Result, Revision,
    bucket::{check_bucket, check_key},
    drift::Drift,
    figures::{Counters, count},
    held::Held,
    ids::is_federated,
    index::Index,
    registration::{Claims, Registration},
};

/// How the library behaves.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) attempts: u32,
    /// The most that is waited before trying again; how much is left to chance.
    pub(crate) delay: Duration,
    pub(crate) create_depth: Option<u8>,
    pub(crate) ids: Ids,
    pub(crate) keeps_trail: bool,
    pub(crate) keeps_index: bool,
}

/// Which ids are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ids {
    /// Whatever can be a key.
    Lenient,
    /// Six parts between dots.
    Strict,
}

pub(crate) struct Core {
    buckets: Arc<dyn Buckets>,
    registrations: RwLock<BTreeMap<String, Arc<Registration>>>,
    pub(crate) settings: Settings,
    pub(crate) drift: Drift,
    pub(crate) counters: Arc<Counters>,
}

/// A value as it was found.
pub(crate) struct Stored {
    pub(crate) entity_id: String,
    pub(crate) held: Box<dyn Held>,
    /// As it was read, with what the library keeps beside it.
    pub(crate) text: Bytes,
    pub(crate) revision: Revision,
    pub(crate) at: Timestamp,
}

impl Core {
    pub(crate) fn new(buckets: Arc<dyn Buckets>, settings: Settings) -> Self {
        let (registrations, drift) = (RwLock::default(), Drift::default());
        Self { buckets, registrations, settings, drift, counters: Arc::default() }
    }

    /// Takes a type in, or leaves nothing behind.
    pub(crate) async fn register(&self, claims: Claims) -> Result<Arc<Registration>> {
        claims.check()?;
        self.check_vacant(&claims.workflow)?;
        for phase in claims.disagreements() {
            let workflow = claims.workflow.as_str();
            tracing::warn!(workflow, phase, "type and table disagree on whether this is terminal");
        }
        let bucket = self.open(&claims.bucket).await.map_err(|source| Error::Store {
            bucket: format!("{} of workflow {:?}", claims.bucket, claims.workflow),
            source,
        })?;
        let Claims { workflow, bucket: bucket_name, table, shape } = claims;
        let index = Index::new();
        let mark = format!("{{\"workflow\":{}", serde_json::Value::from(workflow.as_str()));
        let registration =
            Arc::new(Registration { workflow, mark, bucket_name, table, shape, bucket, index });
        {
            let mut registrations =
                self.registrations.write().unwrap_or_else(PoisonError::into_inner);
            // Somebody may have been quicker while the bucket was opened.
            if registrations.contains_key(&registration.workflow) {
                let workflow = registration.workflow.clone();
                return Err(Error::WorkflowAlreadyRegistered { workflow });
            }
            registrations.insert(registration.workflow.clone(), Arc::clone(&registration));
        }
        if self.settings.keeps_index && !registration.bucket.forgets() {
            Index::follow(&registration, Arc::clone(&self.counters));
        }
        let (workflow, bucket) = (&registration.workflow, &registration.bucket_name);
        tracing::info!(workflow, bucket, phases = registration.table.phases().len(), "registered");
        Ok(registration)
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn crate::Bucket>, BucketError> {
        check_bucket(name)?;
        match (self.buckets.open(name).await, self.settings.create_depth) {
            (Err(BucketError::Missing(_)), Some(depth)) => self.buckets.create(name, depth).await,
            (opened, _) => opened,
        }
    }

    fn check_vacant(&self, workflow: &str) -> Result<()> {
        match self.registration(workflow) {
            Ok(_) => Err(Error::WorkflowAlreadyRegistered { workflow: workflow.to_owned() }),
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn registration(&self, workflow: &str) -> Result<Arc<Registration>> {
        let registrations = self.registrations.read().unwrap_or_else(PoisonError::into_inner);
        let found = registrations.get(workflow).cloned();
        found.ok_or_else(|| Error::WorkflowNotRegistered { workflow: workflow.to_owned() })
    }

    /// All types, by name.
    pub(crate) fn registrations(&self) -> Vec<Arc<Registration>> {
        let registrations = self.registrations.read().unwrap_or_else(PoisonError::into_inner);
        registrations.values().cloned().collect()
    }

    /// The key of an entity, if its id can be one.
    pub(crate) fn key(&self, registration: &Registration, entity_id: &str) -> Result<String> {
        let invalid = |reason| Error::InvalidEntityId { entity_id: entity_id.to_owned(), reason };
        if entity_id.is_empty() {
            return Err(invalid("it is empty"));
        }
        if self.settings.ids == Ids::Strict && !is_federated(entity_id) {
            return Err(invalid("it does not have six parts between dots"));
        }
        let key = registration.shape.key(entity_id);
        match check_key(&key) {
            Ok(()) => Ok(key),
            Err(_) => Err(invalid("a key cannot have these characters")),
        }
    }

    /// Tells, once, of a phase that is not in the table.
    pub(crate) fn notice(&self, registration: &Registration, entity_id: &str, phase: &str) {
        let workflow = registration.workflow.as_str();
        if !registration.table.declares(phase) && self.drift.is_news(workflow, entity_id, phase) {
            count(&self.counters.drifted);
            let declared = registration.table.phases();
            tracing::warn!(workflow, entity_id, phase, ?declared, "the phase is not declared");
        }
    }
}

impl Counters {
    /// Tells of a value that cannot be read and is passed over.
    pub(crate) fn pass_over(&self, registration: &Registration, error: &Error, at: Revision) {
        count(&self.skipped);
        let workflow = registration.workflow.as_str();
        tracing::warn!(workflow, revision = at.0, %error, "passed over a stored value");
    }
}
