//! Deploying, starting, steering and reading chains. Work is handed out in `work.rs`.

use std::sync::Arc;

use waypost_kernel::{
    Commit, Conflict, Cursor, Definition, DefinitionQuery, DefinitionRef, EventRecord, InstanceId,
    Json, Key, Kind, Note, Query, RejectionCode as Code, Request, Scope, StoreError, Tenant,
    Urgency, Version, digest,
};
use waypost_machines::chain::{Chain, Command, Event, Plan, Signal, Start};

use super::{
    request::{Deployed, ListRequest, SignalOutcome, StartRequest, Started},
    view::ChainView,
};
use crate::{
    engine::Shared,
    error::Error,
    limits::{OFFSET_MAX, PAGE_MAX},
    metrics::Metrics,
    turn::{Also, Submission, read},
    watch::Watch,
};

/// The chains of one tenant. Cheap to clone.
#[derive(Clone)]
pub struct Chains {
    pub(super) shared: Arc<Shared>,
    pub(super) tenant: Tenant,
    /// What whoever asks has said about it.
    note: Note,
}

impl Chains {
    pub(crate) fn new(shared: Arc<Shared>, tenant: Tenant) -> Self {
        Self { shared, tenant, note: Note::default() }
    }

    /// The same; what is asked for is kept with this note. For people: what workers report names
    /// them already.
    #[must_use]
    pub fn noting(&self, note: Note) -> Self {
        Self { note, ..self.clone() }
    }

    fn noted(&self, command: Command) -> Command {
        match self.note.is_empty() {
            true => command,
            false => Command::Asked { note: self.note.clone(), command: Box::new(command) },
        }
    }

    pub(super) fn key(&self, id: &InstanceId) -> Key {
        Key::new(self.tenant.clone(), Kind::Chain, id.clone())
    }

    /// Deploys a definition. The same one again changes nothing.
    ///
    /// # Errors
    /// When it breaks a rule, or its name and version stands for another one.
    pub async fn deploy(&self, plan: Plan) -> Result<Deployed, Error> {
        let violations = plan.violations();
        if !violations.is_empty() {
            return Err(Error::Invalid { violations });
        }
        let definition = Definition {
            tenant: self.tenant.clone(),
            kind: Kind::Chain,
            which: DefinitionRef {
                name: plan.workflow_type.clone(),
                version: plan.workflow_version,
            },
            body: Json::of(&plan),
            created_at: self.shared.store.now(),
        };
        let definitions = vec![definition.clone()];
        let commit = Commit { definitions, urgency: Urgency::New, ..Commit::default() };
        match self.shared.store.commit(commit).await {
            Ok(_) => Ok(Deployed { definition, existed: false }),
            Err(StoreError::Conflict(Conflict::Definition(..))) => self.deployed(&plan).await,
            Err(error) => Err(error.into()),
        }
    }

    async fn deployed(&self, plan: &Plan) -> Result<Deployed, Error> {
        let (name, version) = (&plan.workflow_type, plan.workflow_version);
        let definition = self.definition(name, Some(version)).await?;
        if definition.body.read::<Plan>().is_ok_and(|it| it == *plan) {
            return Ok(Deployed { definition, existed: true });
        }
        let detail = format!("version {version} of {name:?} has other steps; deploy a new version");
        Err(Error::rejected(Code::DefinitionConflict, detail))
    }

    /// A definition; the one with the highest version if none is given.
    ///
    /// # Errors
    /// When there is none.
    pub async fn definition(&self, name: &str, version: Option<i32>) -> Result<Definition, Error> {
        let query = DefinitionQuery {
            tenant: self.tenant.clone(),
            kind: Kind::Chain,
            name: Some(name.to_owned()),
            version,
            keyword: None,
            latest_only: false,
            offset: 0,
            limit: 1,
        };
        let found = self.shared.store.definitions(&query).await?.pop();
        found.ok_or_else(|| {
            let which = version.map_or(String::new(), |it| format!("version {it} of "));
            Error::rejected(Code::DefinitionNotFound, format!("{which}{name:?} is not deployed"))
        })
    }

    /// Definitions by name, newest version first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn definitions(&self, offset: u32, limit: u32) -> Result<Vec<Definition>, Error> {
        let query = DefinitionQuery {
            tenant: self.tenant.clone(),
            kind: Kind::Chain,
            name: None,
            version: None,
            keyword: None,
            latest_only: false,
            offset,
            limit: limit.min(PAGE_MAX + 1),
        };
        Ok(self.shared.store.definitions(&query).await?)
    }

    /// Starts a chain, or finds the one that the same request has started before.
    ///
    /// # Errors
    /// When the type is not deployed, or a chain of it runs under the same business key.
    pub async fn start(&self, start: StartRequest) -> Result<Started, Error> {
        let request = self.request(&start);
        let StartRequest { workflow_type, workflow_version, biz_key, context, .. } = start;
        let definition = self.definition(&workflow_type, workflow_version).await?;
        let plan: Plan = definition
            .body
            .read()
            .map_err(|error| StoreError::Corrupt(format!("definition {workflow_type}: {error}")))?;
        let command = self.noted(Command::Start(Start {
            workflow_type: plan.workflow_type.clone(),
            workflow_version: plan.workflow_version,
            steps: plan.resolve(&self.shared.policy),
            biz_key,
            context,
        }));
        let key = self.key(&self.shared.ids.instance(self.shared.store.now()));
        let submission = Submission { is_new: true, request, ..self.submission(&key, command) };
        let landed = self.shared.chains.submit(submission).await?;
        if let Some(existing) = &landed.repeated {
            return Ok(Started { chain: self.show(&existing.id).await?, repeated: true });
        }
        self.shared.metrics.starts.inc();
        let chain = ChainView::new(key, landed.version.0, landed.state, &[]);
        Ok(Started { chain, repeated: false })
    }

    fn request(&self, start: &StartRequest) -> Option<Request> {
        let id = start.request.clone()?;
        let asked = (&start.workflow_type, start.workflow_version, &start.biz_key, &start.context);
        let digest = digest(Json::of(&asked).as_str());
        Some(Request { tenant: self.tenant.clone(), id, digest })
    }

    /// Tells a chain of an event.
    ///
    /// # Errors
    /// When the chain does not exist or has ended.
    pub async fn signal(
        &self,
        id: &InstanceId,
        event_type: String,
        event_id: Option<String>,
        payload: Option<Json>,
    ) -> Result<SignalOutcome, Error> {
        let received_at = self.shared.store.now();
        let signal = Signal { event_type, event_id, payload, received_at };
        let (key, command) = (self.key(id), self.noted(Command::Wake(signal)));
        let landed = self.shared.chains.submit(self.submission(&key, command)).await?;
        let woke = |event: &Event| matches!(event, Event::StepWoken { .. });
        let outcome = match landed.events.as_slice() {
            [] => SignalOutcome::Duplicate,
            events if events.iter().any(woke) => SignalOutcome::Woken,
            _ => SignalOutcome::Buffered,
        };
        Metrics::count(&self.shared.metrics.signals, outcome.as_str());
        Ok(outcome)
    }

    /// Cancels a chain. One that has ended stays as it is.
    ///
    /// # Errors
    /// When the chain does not exist.
    pub async fn cancel(
        &self,
        id: &InstanceId,
        reason: Option<String>,
    ) -> Result<ChainView, Error> {
        let key = self.key(id);
        let command = self.noted(Command::Cancel { reason });
        let landed = self.shared.chains.submit(self.submission(&key, command)).await?;
        Ok(ChainView::new(key, landed.version.0, landed.state, &[]))
    }

    /// One chain.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn show(&self, id: &InstanceId) -> Result<ChainView, Error> {
        let key = self.key(id);
        let Some(hot) = self.shared.chains.load(&key).await? else {
            let detail = format!("there is no chain {id}");
            return Err(Error::rejected(Code::InstanceNotFound, detail));
        };
        let tasks = self.shared.store.tasks(std::slice::from_ref(&key)).await?;
        Ok(ChainView::new(key, hot.version.0, hot.state, &tasks))
    }

    /// Chains that match, newest first, without who is at work on them.
    ///
    /// # Errors
    /// When the store cannot be read, or the page is out of bounds.
    pub async fn list(&self, request: ListRequest) -> Result<Vec<ChainView>, Error> {
        if request.offset > OFFSET_MAX {
            let detail = format!("page goes beyond {OFFSET_MAX} items; use after instead");
            return Err(Error::rejected(Code::FieldInvalid, detail));
        }
        let query = Query {
            tenant: self.tenant.clone(),
            kind: Kind::Chain,
            definition: request.workflow_type,
            version: request.workflow_version,
            status: request.status.map(|it| it.as_str().to_owned()),
            business_key: request.biz_key,
            awaits: request.awaits,
            step: None,
            from: request.from,
            until: request.until,
            before: request.before,
            offset: request.offset,
            limit: request.limit.min(PAGE_MAX + 1),
        };
        let records = self.shared.store.search(&query).await?;
        records
            .into_iter()
            .map(|it| {
                let hot = read::<Chain>(&it.key, it.version, &it.state)?;
                Ok(ChainView::new(it.key, hot.version.0, hot.state, &[]))
            })
            .collect()
    }

    /// What happened to a chain after its version `after`, oldest first.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn history(
        &self,
        id: &InstanceId,
        after: Version,
        limit: u32,
    ) -> Result<Vec<EventRecord>, Error> {
        let events =
            self.shared.store.history(&self.key(id), after, limit.min(PAGE_MAX + 1)).await?;
        if events.is_empty() {
            self.show(id).await?;
        }
        Ok(events)
    }

    /// The place after everything that has happened so far, to follow chains from.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn head(&self) -> Result<Cursor, Error> {
        Ok(self.shared.store.head(&self.scope(None)).await?)
    }

    fn scope(&self, instance: Option<InstanceId>) -> Scope {
        Scope { tenant: self.tenant.clone(), kind: Kind::Chain, instance }
    }

    /// Follows one chain, or all of them, from `cursor` on.
    #[must_use]
    pub fn watch(&self, instance: Option<InstanceId>, cursor: Cursor) -> Watch {
        Watch::new(Arc::clone(&self.shared.store), self.scope(instance), cursor)
    }

    pub(super) fn submission<'a>(
        &'a self,
        key: &'a Key,
        command: Command,
    ) -> Submission<'a, Chain> {
        Submission {
            key,
            definition: &self.shared.policy,
            command,
            request: None,
            urgency: Urgency::News,
            is_new: false,
            also: Also::default(),
        }
    }
}
