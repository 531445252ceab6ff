//! Starting, steering and reading processes. Work is handed out in `work.rs`.

use std::sync::Arc;

use waypost_kernel::{
    Definition, InstanceId, Json, Key, Kind, Note, Query, RejectionCode as Code, Request, Tenant,
    Urgency, Version, digest,
};
use waypost_machines::process::{
    Command, Event, Graph, Phase, Process, Rest, Start, State, Stay, Variables, Work,
};

use super::{
    names,
    request::{ListProcesses, StartProcess},
    view::{InstanceView, Outline, UserTaskView},
};
use crate::{
    engine::Shared,
    error::Error,
    limits::{HOT_STATE_MAX, OFFSET_MAX, PAGE_MAX},
    metrics::Purpose,
    turn::{Also, Landed, Submission, read},
};

/// The processes of one tenant. Cheap to clone.
#[derive(Clone)]
pub struct Processes {
    pub(super) shared: Arc<Shared>,
    pub(super) tenant: Tenant,
    /// What whoever asks has said about it.
    note: Note,
}

impl Processes {
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

    /// The address of an instance that may exist. No store is asked about names nobody has given.
    pub(super) fn known(&self, id: &InstanceId) -> Result<Key, Error> {
        names::parent(id.as_str()).map(|_| self.key(id)).ok_or_else(unknown)
    }

    pub(super) fn key(&self, id: &InstanceId) -> Key {
        Key::new(self.tenant.clone(), Kind::Process, id.clone())
    }

    /// Starts an instance. All that needs nobody happens at once: it may have ended already.
    ///
    /// # Errors
    /// When the definition is not deployed, the variables are not as it wants them, or an instance
    /// is under way with the same business key.
    pub async fn start(&self, start: StartProcess) -> Result<InstanceView, Error> {
        let request = self.request(&start);
        let definition = self.definition(&start.definition, start.version).await?;
        let StartProcess { variables, business_key, .. } = start;
        let begin = Start { business_key, variables, parent: None, ..Start::default() };
        let landed = self.begin(&definition, begin, request, Also::default()).await?;
        match landed {
            (_, Landed { repeated: Some(existing), .. }) => self.show(&existing.id).await,
            (key, landed) => Ok(view(key, landed)),
        }
    }

    /// Starts an instance of `definition`, together with what else is to happen in that commit.
    pub(super) async fn begin(
        &self,
        definition: &Definition,
        start: Start,
        request: Option<Request>,
        also: Also,
    ) -> Result<(Key, Landed<Process>), Error> {
        let graph = self.shared.graphs.of(definition)?;
        let purpose = if start.parent.is_some() { Purpose::Follow } else { Purpose::Start };
        let at = self.shared.store.now();
        let key = self.key(&names::instance(at, self.shared.ids.chance()));
        let submission = Submission {
            key: &key,
            definition: &*graph,
            command: self.noted(Command::Start(Start { at, ..start })),
            request,
            urgency: Urgency::New,
            is_new: true,
            also,
        };
        let landed = self.shared.processes.submit(submission).await?;
        self.shared.metrics.process.count_turn(&graph, purpose, &landed);
        tell(&key, &graph, &landed);
        Ok((key, landed))
    }

    fn request(&self, start: &StartProcess) -> Option<Request> {
        let id = start.request.clone()?;
        let asked = (&start.definition, start.version, &start.business_key, &start.variables);
        let digest = digest(Json::of(&asked).as_str());
        Some(Request { tenant: self.tenant.clone(), id, digest })
    }

    /// Completes the task of a person at `step`.
    ///
    /// # Errors
    /// When there is none that is open.
    pub async fn complete_user_task(
        &self,
        id: &InstanceId,
        step: &str,
        output: Variables,
    ) -> Result<(), Error> {
        let command = self.noted(Command::CompleteUserTask { step: step.to_owned(), output });
        self.submit(&self.key(id), command, Urgency::Finish).await.map(drop)
    }

    /// Completes the task of a person that has this name.
    ///
    /// # Errors
    /// When there is none that is open.
    pub async fn complete_user_task_named(
        &self,
        task: &str,
        output: Variables,
    ) -> Result<(), Error> {
        let unknown = || Error::rejected(Code::TaskNotFound, "user task not found");
        let (id, visit) = names::parent(task).ok_or_else(unknown)?;
        let view = match self.show(&id).await {
            Err(Error::Rejected(_)) => return Err(unknown()),
            shown => shown?,
        };
        let is_it = |it: &&Stay| it.visit == visit && it.rest == Rest::User;
        let stay = view.state.stays.iter().find(is_it).ok_or_else(unknown)?;
        self.complete_user_task(&id, &stay.step, output).await
    }

    /// Tells an instance that what `step` waits for has happened.
    ///
    /// # Errors
    /// When the instance does not wait there.
    pub async fn signal(
        &self,
        id: &InstanceId,
        step: &str,
        output: Variables,
    ) -> Result<(), Error> {
        let command = self.noted(Command::Signal { step: step.to_owned(), output });
        self.submit(&self.key(id), command, Urgency::News).await.map(drop)
    }

    /// Has a failed step tried again, with changed variables.
    ///
    /// # Errors
    /// When the instance or the step has not failed.
    pub async fn retry(
        &self,
        id: &InstanceId,
        step: &str,
        patch: Variables,
    ) -> Result<InstanceView, Error> {
        let key = self.key(id);
        let command = self.noted(Command::Retry { step: step.to_owned(), patch });
        let landed = self.submit(&key, command, Urgency::News).await?;
        Ok(view(key, landed))
    }

    /// Cancels an instance.
    ///
    /// # Errors
    /// When it does not exist or has ended.
    pub async fn cancel(
        &self,
        id: &InstanceId,
        reason: Option<String>,
    ) -> Result<InstanceView, Error> {
        let key = self.key(id);
        let command = self.noted(Command::Cancel { reason });
        let landed = self.submit(&key, command, Urgency::News).await?;
        Ok(view(key, landed))
    }

    /// One instance.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn show(&self, id: &InstanceId) -> Result<InstanceView, Error> {
        let key = self.known(id)?;
        let hot = self.shared.processes.load(&key).await?.ok_or_else(unknown)?;
        Ok(InstanceView { key, version: hot.version.0, state: hot.state })
    }

    /// One instance, what it runs by, and what time it is.
    ///
    /// # Errors
    /// When it does not exist.
    pub async fn outline(&self, id: &InstanceId) -> Result<Outline, Error> {
        let view = self.show(id).await?;
        let graph = self.graph(&view.state).await?;
        Ok(Outline { view, graph, now: self.shared.store.now() })
    }

    /// Instances that match, newest first.
    ///
    /// # Errors
    /// When the store cannot be read, or the page is out of bounds.
    pub async fn list(&self, request: &ListProcesses) -> Result<Vec<InstanceView>, Error> {
        if request.offset > OFFSET_MAX {
            let detail = format!("page goes beyond {OFFSET_MAX} items; use before instead");
            return Err(Error::rejected(Code::FieldInvalid, detail));
        }
        let records = self.shared.store.search(&self.query(request)).await?;
        let view = |it: waypost_kernel::Record| {
            let hot = read::<Process>(&it.key, it.version, &it.state)?;
            Ok(InstanceView { key: it.key, version: hot.version.0, state: hot.state })
        };
        records.into_iter().map(view).collect()
    }

    /// How many instances match, on all pages.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn count_all(&self, request: &ListProcesses) -> Result<u64, Error> {
        Ok(self.shared.store.count(&self.query(request)).await?)
    }

    fn query(&self, request: &ListProcesses) -> Query {
        Query {
            tenant: self.tenant.clone(),
            kind: Kind::Process,
            definition: request.definition.clone(),
            version: request.version,
            status: request.status.clone(),
            business_key: request.business_key.clone(),
            awaits: None,
            step: request.step.clone(),
            from: request.from,
            until: request.until,
            before: request.before.clone(),
            offset: request.offset,
            limit: request.limit.min(PAGE_MAX + 1),
        }
    }

    /// Tasks that wait for a person, newest instance first: those of up to `limit` instances
    /// older than `before`, and where to go on.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn user_tasks(
        &self,
        request: &ListProcesses,
    ) -> Result<(Vec<UserTaskView>, Option<InstanceId>), Error> {
        let query = Query { awaits: Some(Rest::USER.to_owned()), ..self.query(request) };
        let records = self.shared.store.search(&query).await?;
        let is_full = records.len() >= query.limit as usize;
        let next = records.last().filter(|_| is_full).map(|it| it.key.id.clone());
        let mut tasks = Vec::new();
        for record in records {
            let state = read::<Process>(&record.key, record.version, &record.state)?.state;
            let graph = self.graph(&state).await?;
            let wanted = |step: &str| request.step.as_deref().is_none_or(|it| it == step);
            let open = state.stays.iter().filter(|it| it.rest == Rest::User && wanted(&it.step));
            tasks.extend(open.filter_map(|stay| {
                let step = graph.step(&stay.step)?;
                let Work::User { form, .. } = &step.work else { return None };
                Some(UserTaskView {
                    id: names::child(&record.key.id, stay.visit),
                    instance: record.key.clone(),
                    definition: state.definition.name.clone(),
                    business_key: state.business_key.clone(),
                    step: Arc::clone(&stay.step),
                    label: step.label.clone(),
                    form: form.clone(),
                    since: stay.since,
                    variables: Arc::clone(&state.variables),
                })
            }));
        }
        Ok((tasks, next))
    }

    /// Decides and commits a command to an instance that exists.
    pub(super) async fn submit(
        &self,
        key: &Key,
        command: Command,
        urgency: Urgency,
    ) -> Result<Landed<Process>, Error> {
        self.submit_with(key, command, (urgency, Also::default())).await
    }

    pub(super) async fn submit_with(
        &self,
        key: &Key,
        command: Command,
        (urgency, also): (Urgency, Also),
    ) -> Result<Landed<Process>, Error> {
        let graph = self.graph_of(key).await?;
        let purpose = Purpose::of(&command);
        let (definition, request, is_new) = (&*graph, None, false);
        let submission = Submission { key, definition, command, request, urgency, is_new, also };
        let landed = self.shared.processes.submit(submission).await?;
        self.shared.metrics.process.count_turn(&graph, purpose, &landed);
        tell(key, &graph, &landed);
        Ok(landed)
    }

    /// What an instance runs by. That never changes, so it does not matter how old the state is.
    async fn graph_of(&self, key: &Key) -> Result<Arc<Graph>, Error> {
        self.known(&key.id)?;
        let lanes = &self.shared.processes.lanes;
        if let Some(hot) = lanes.peek(key, Version::ABSENT) {
            return self.graph(&hot.state).await;
        }
        let loaded = self.shared.store.load(std::slice::from_ref(key)).await?.pop().flatten();
        let record = loaded.ok_or_else(unknown)?;
        let hot = read::<Process>(key, record.version, &record.state)?;
        let state = Arc::clone(&hot.state);
        if record.state.as_str().len() <= HOT_STATE_MAX {
            lanes.keep(key, hot);
        }
        self.graph(&state).await
    }

    pub(super) async fn graph(&self, state: &State) -> Result<Arc<Graph>, Error> {
        let which = &state.definition;
        if let Some(graph) = self.shared.graphs.get(&self.tenant, which) {
            return Ok(graph);
        }
        let definition = self.definition(&which.name, Some(which.version)).await?;
        self.shared.graphs.of(&definition)
    }
}

fn view(key: Key, landed: Landed<Process>) -> InstanceView {
    debug_assert_ne!(landed.state.phase, Phase::Absent);
    InstanceView { key, version: landed.version.0, state: landed.state }
}

/// A failure is what somebody may have to look after, and the log is where they look first.
fn tell(key: &Key, graph: &Graph, landed: &Landed<Process>) {
    let happened = landed.events.iter().rfind(|it| !matches!(it, Event::Asked(_)));
    if let Some(Event::Failed { reason, .. }) = happened {
        let (instance, id, name) = (&key.id, &graph.which.name, &graph.label);
        tracing::info!(%instance, definition = id, name, reason, "an instance has failed");
    }
}

pub(super) fn unknown() -> Error {
    Error::rejected(Code::InstanceNotFound, "workflow instance not found")
}
