//! What happened to an instance, as its events tell it: step by step, or deed by deed.

use std::sync::Arc;

use waypost_kernel::{
    Cursor, InstanceId, Key, Kind, RejectionCode as Code, Scope, StoreError, Timestamp, Version,
};
use waypost_machines::process::{Audit, Event, History, Process, Trail};

use super::{
    handle::{Processes, unknown},
    view::{AuditView, HistoryView, InstanceView, Outline, PastView},
};
use crate::{
    error::Error,
    limits::PAGE_MAX,
    moment::{Moment, is_after, not_then, then},
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

    /// An instance as it is or was, with how it came there.
    ///
    /// # Errors
    /// When it does not exist, or did not then.
    pub async fn past(&self, id: &InstanceId, moment: Option<Moment>) -> Result<PastView, Error> {
        let key = self.known(id)?;
        let (mut history, mut trail) = (History::default(), Trail::default());
        let mut see = |at, event: &Event| {
            history.follow(at, event);
            trail.follow(at, event);
        };
        let (version, at) = self.follow_until(&key, moment, &mut see).await?;
        let is_there = match moment {
            Some(Moment::Version(wanted)) => version.0 == wanted,
            Some(Moment::Time(_)) | None => version != Version::ABSENT,
        };
        if let Some(moment) = moment.filter(|_| !is_there) {
            self.show(id).await?;
            return Err(Error::rejected(Code::InstanceNotFound, not_then(moment)));
        }
        let state = Arc::new(history.state().clone());
        let now = match moment {
            Some(Moment::Time(then)) => then.min(self.shared.store.now()),
            Some(Moment::Version(_)) => at,
            None => self.shared.store.now(),
        };
        let graph = self.graph(&state).await?;
        let view = InstanceView { key, version: version.0, state };
        let outline = Outline { view, graph, now };
        Ok(PastView { outline, visits: history.visits(), trail })
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
        mut see: impl FnMut(Timestamp, &Event) + Send,
    ) -> Result<(), Error> {
        self.follow_until(key, None, &mut see).await.map(drop)
    }

    /// Shows `see` the events of an instance up to a moment, oldest first; says which commit was
    /// the last, and when it was.
    async fn follow_until(
        &self,
        key: &Key,
        moment: Option<Moment>,
        see: &mut (dyn FnMut(Timestamp, &Event) + Send),
    ) -> Result<(Version, Timestamp), Error> {
        let (mut after, mut at) = (Version::ABSENT, Timestamp::default());
        loop {
            let records = self.shared.store.history(key, after, PAGE_MAX).await?;
            for record in &records {
                if moment.is_some_and(|it| is_after(it, record.version, record.at)) {
                    return Ok((after, at));
                }
                let events: Vec<Event> = record.events.read().map_err(|error| {
                    StoreError::Corrupt(format!("the events of {key}: {error}"))
                })?;
                events.iter().for_each(|event| see(record.at, event));
                (after, at) = (record.version, record.at);
            }
            if records.len() < PAGE_MAX as usize {
                break;
            }
        }
        if after == Version::ABSENT { Err(unknown()) } else { Ok((after, at)) }
    }
}
