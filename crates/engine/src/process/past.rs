//! What happened to an instance, as its events tell it: step by step, or deed by deed.

use std::sync::Arc;

use waypost_kernel::{
    Cursor, InstanceId, Key, Kind, RejectionCode as Code, Scope, StoreError, Timestamp, Version,
};
use waypost_machines::process::{Audit, Event, History, Process};

use super::{
    handle::{Processes, unknown},
    view::{AuditView, HistoryView, InstanceView},
};
use crate::{
    error::Error,
    limits::PAGE_MAX,
    moment::{Moment, not_then, then},
    watch::Watch,
};

impl Processes {
    /// What happened to an instance, visit by visit.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn history(&self, id: &InstanceId) -> Result<HistoryView, Error> {
        let key = self.known(id)?;
        let mut history = History::default();
        self.follow(&key, |at, event| history.follow(at, event)).await?;
        let graph = self.graph(history.state()).await?;
        Ok(HistoryView { key, graph, visits: history.visits() })
    }

    /// Who did what to an instance, in the order in which it was done.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn audit(&self, id: &InstanceId) -> Result<AuditView, Error> {
        let key = self.known(id)?;
        let mut audit = Audit::default();
        self.follow(&key, |at, event| audit.follow(at, event)).await?;
        let graph = self.graph(audit.state()).await?;
        Ok(AuditView { key, graph, deeds: audit.deeds().to_vec() })
    }

    /// An instance as it was.
    ///
    /// # Errors
    /// When it does not exist, or did not then.
    pub async fn show_at(&self, id: &InstanceId, moment: Moment) -> Result<InstanceView, Error> {
        let key = self.known(id)?;
        match then::<Process>(&*self.shared.store, &key, moment).await? {
            Some(it) => Ok(InstanceView { key, version: it.version.0, state: Arc::new(it.state) }),
            None => {
                self.show(id).await?;
                Err(Error::rejected(Code::InstanceNotFound, not_then(moment)))
            }
        }
    }

    /// The place after everything that has happened so far, to follow processes from.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn head(&self) -> Result<Cursor, Error> {
        Ok(self.shared.store.head(&self.scope()).await?)
    }

    /// Follows all processes from `cursor` on.
    #[must_use]
    pub fn watch(&self, cursor: Cursor) -> Watch {
        Watch::new(Arc::clone(&self.shared.store), self.scope(), cursor)
    }

    fn scope(&self) -> Scope {
        Scope { tenant: self.tenant.clone(), kind: Kind::Process, instance: None }
    }

    /// Shows `see` every event of an instance, oldest first.
    pub(super) async fn follow(
        &self,
        key: &Key,
        mut see: impl FnMut(Timestamp, &Event),
    ) -> Result<(), Error> {
        let mut after = Version::ABSENT;
        loop {
            let records = self.shared.store.history(key, after, PAGE_MAX).await?;
            for record in &records {
                let events: Vec<Event> = record.events.read().map_err(|error| {
                    StoreError::Corrupt(format!("the events of {key}: {error}"))
                })?;
                events.iter().for_each(|event| see(record.at, event));
                after = record.version;
            }
            if records.len() < PAGE_MAX as usize {
                break;
            }
        }
        if after == Version::ABSENT { Err(unknown()) } else { Ok(()) }
    }
}
