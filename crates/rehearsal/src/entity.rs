//! An entity on stage: every command runs its workflow to where it comes to rest, as in the engine,
//! and compute nodes are stubs.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Map, Value};
use waypost_documents::document;
use waypost_kernel::Timestamp;
use waypost_machines::entity::{
    cascade::{
        self, Armed, Asked, AuditEvent, AuditKind, Call, Cause, Command, Due, Entity, Failure,
        Limits, Pace, Question, Ran, Replies, Reply, Retry, Run, Stop, Verdict, limits::GRACE,
    },
    criterion::Criterion,
    judge::judge,
};

use crate::{
    Action, Answer, Begin, Cast, Definitions, Happening, Refused, Stage, Standing, Stubs,
    limits::CALLS_MAX, stage::DAWN,
};

/// How long a compute node may take if nobody says otherwise, as in the server.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What an entity is called in a rehearsal.
const ID: &str = "00000000-0000-1000-8000-000000000001";

/// A real entity, as a store has it.
#[derive(Clone, Debug)]
pub struct ForkedEntity {
    /// Its id.
    pub id: String,
    /// The name of its model.
    pub model: String,
    /// Its value.
    pub value: document::Value,
    /// The state it is in.
    pub state: String,
    /// The workflow it was saved by.
    pub workflow: Option<String>,
    /// The transition that saved it last.
    pub transition: String,
    /// What is armed with it.
    pub armed: Vec<Armed>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was saved last.
    pub updated_at: Timestamp,
}

/// An entity in virtual time.
pub struct EntityStage<'d> {
    definitions: &'d Definitions,
    cast: Cast,
    now: Timestamp,
    entity: Option<Saved>,
    /// Only real ones have one of their own.
    id: Option<String>,
    model: String,
    states: Vec<String>,
    audit: Vec<(Timestamp, AuditEvent)>,
    turns: BTreeMap<String, u32>,
    /// What was refused of what time has brought about.
    refused: Vec<Refused>,
    n_fired: u32,
}

/// The entity as it was saved last.
struct Saved {
    value: document::Value,
    state: String,
    workflow: Option<String>,
    transition: String,
    armed: Vec<Armed>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'d> EntityStage<'d> {
    /// A stage on which nothing has happened yet.
    #[must_use]
    pub const fn new(definitions: &'d Definitions, cast: Cast) -> Self {
        Self {
            definitions,
            cast,
            now: DAWN,
            entity: None,
            id: None,
            model: String::new(),
            states: Vec::new(),
            audit: Vec::new(),
            turns: BTreeMap::new(),
            refused: Vec::new(),
            n_fired: 0,
        }
    }

    /// Creates the entity.
    ///
    /// # Errors
    /// When its workflow fails.
    pub fn start(&mut self, begin: &Begin) -> Result<(), Refused> {
        self.model.clone_from(&begin.definition);
        let value = document(&begin.variables)?;
        self.run(Command::Create { transition: begin.transition.as_deref() }, Some(value))
    }

    /// Goes on from a real entity.
    pub fn fork(&mut self, real: ForkedEntity, now: Timestamp) {
        let ForkedEntity { id, model, value, state, workflow, transition, armed, .. } = real;
        let (created_at, updated_at) = (real.created_at, real.updated_at);
        self.states = vec![state.clone()];
        let saved = Saved { value, state, workflow, transition, armed, created_at, updated_at };
        self.entity = Some(saved);
        (self.id, self.model, self.now) = (Some(id), model, now);
    }

    /// What was written down, with the workflow it is about.
    #[must_use]
    pub fn audit(&self) -> (Option<&str>, Vec<&AuditEvent>) {
        let workflow = self.entity.as_ref().and_then(|it| it.workflow.as_deref());
        (workflow, self.audit.iter().map(|(_, event)| event).collect())
    }

    /// The states it came to.
    #[must_use]
    pub fn states(&self) -> &[String] {
        &self.states
    }

    fn run(&mut self, command: Command<'_>, new: Option<document::Value>) -> Result<(), Refused> {
        let mut replies = Replies::new();
        let began_at = self.now;
        for _ in 0..=CALLS_MAX {
            match self.decide(command, new.as_ref(), (&replies, began_at)) {
                Ok(ran) => {
                    self.save(ran, new);
                    return Ok(());
                }
                Err(Stop::Failed(failure)) => return Err(self.failed(*failure)),
                Err(Stop::Call(call)) => {
                    let reply = self.ask(&call);
                    replies.insert(call.key, reply);
                }
            }
        }
        let detail = format!("a run asks compute members at most {CALLS_MAX} times");
        Err(Refused::new("WORKFLOW_FAILED", detail))
    }

    fn decide(
        &self,
        command: Command<'_>,
        new: Option<&document::Value>,
        (replies, began_at): (&Replies, Timestamp),
    ) -> Result<Ran, Stop> {
        let entity = self.entity(new, began_at);
        let (workflows, limits, now) = (self.definitions.workflows(), Limits::default(), self.now);
        let mut judge = |question: Question<'_>| verdict(&question);
        cascade::run(Run { command, entity, workflows, limits, now }, replies, &mut judge)
    }

    /// The entity as the machine sees it, with its new value if there is one.
    fn entity<'a>(&'a self, new: Option<&'a document::Value>, began_at: Timestamp) -> Entity<'a> {
        let saved = self.entity.as_ref();
        Entity {
            id: self.id.as_deref().unwrap_or(ID),
            value: new.or(saved.map(|it| &it.value)).unwrap_or(&document::Value::Null),
            state: saved.map_or("", |it| &it.state),
            workflow: saved.and_then(|it| it.workflow.as_deref()),
            previous_transition: saved.map_or("", |it| &it.transition),
            armed: saved.map_or(&[], |it| &it.armed),
            created_at: saved.map_or(began_at, |it| it.created_at),
            updated_at: saved.map_or(began_at, |it| it.updated_at),
            transaction: ID,
        }
    }

    /// Does what is due, or gives it up. What fails is told, and not tried again: nothing would be
    /// another then.
    fn fire(&mut self, armed: &Armed) {
        let entity = self.entity(None, self.now);
        let which = (armed.source_state.as_str(), armed.transition.as_str());
        let workflows = self.definitions.workflows();
        let due = cascade::due(which, &entity, workflows, (self.now, GRACE));
        match due {
            Due::Fire => {
                let command = Command::Fire { transition: &armed.transition };
                if let Err(refused) = self.run(command, None) {
                    self.refused.push(refused);
                    self.disarm(armed);
                }
            }
            Due::Late { .. } | Due::Expire(_) => {
                let (_, event) = cascade::expire(&entity, armed, self.now);
                self.audit.push((self.now, event));
                self.disarm(armed);
            }
            Due::Void | Due::Early => self.disarm(armed),
        }
    }

    fn disarm(&mut self, armed: &Armed) {
        if let Some(saved) = &mut self.entity {
            saved.armed.retain(|it| it != armed);
        }
    }

    /// What comes next of itself.
    fn next(&self) -> Option<&Armed> {
        self.entity.as_ref()?.armed.iter().min_by_key(|it| it.scheduled_at)
    }

    fn save(&mut self, ran: Ran, new: Option<document::Value>) {
        let mut states = states(&ran.audit, &ran.state);
        if self.entity.is_some() && states.first() == self.states.last() {
            states.remove(0);
        }
        self.states.extend(states);
        let has_fired = |it: &AuditEvent| it.kind == AuditKind::ScheduledTransitionFire;
        self.n_fired += u32::from(ran.audit.iter().any(has_fired));
        let now = self.now;
        self.audit.extend(ran.audit.into_iter().map(|it| (now, it)));
        let before = self.entity.take();
        let created_at = before.as_ref().map_or(now, |it| it.created_at);
        let value = ran.value.or(new).or(before.map(|it| it.value)).unwrap_or_default();
        self.entity = Some(Saved {
            value,
            state: ran.state,
            workflow: ran.workflow,
            transition: ran.transition_for_latest_save,
            armed: ran.armed,
            created_at,
            updated_at: now,
        });
    }

    fn failed(&mut self, failure: Failure) -> Refused {
        let now = self.now;
        self.audit.extend(failure.audit.into_iter().map(|it| (now, it)));
        Refused::new(failure.kind.code(), failure.text)
    }

    /// Asks a stub as often as the call's policy says.
    fn ask(&mut self, call: &Call) -> Reply {
        let policy = Retry::named(&call.terms.retry_policy).unwrap_or(Retry::Once);
        let mut n_attempts = 1;
        loop {
            let reply = self.ask_once(call);
            let Reply::Failed { cause, .. } = &reply else { return reply };
            let Some(apart) = policy.wait(n_attempts, *cause, Pace::default()) else {
                return reply;
            };
            self.now = self.now + apart;
            n_attempts += 1;
        }
    }

    fn ask_once(&mut self, call: &Call) -> Reply {
        let (name, stubs): (&str, &Stubs) = match &call.asked {
            Asked::Processor { name, .. } => (name, &self.cast.processors),
            Asked::Function { name, .. } => (name, &self.cast.criteria),
        };
        let turn = self.turns.entry(name.to_owned()).or_default();
        let outcome = stubs.outcome(name, *turn);
        *turn += 1;
        let Some(outcome) = outcome else {
            let message = format!("nobody in the scenario answers for {name:?}");
            return failed(Cause::NoMember, message);
        };
        let timeout = call.terms.timeout.unwrap_or(TIMEOUT);
        if outcome.after > timeout || outcome.answer == Answer::Never {
            self.now = self.now + timeout;
            return failed(Cause::TimedOut, "it did not answer in time".to_owned());
        }
        self.now = self.now + outcome.after;
        match outcome.answer.clone() {
            Answer::Complete(members) => {
                Reply::Processed { value: changed(&call.value, members), warnings: Vec::new() }
            }
            Answer::Judge(matches) => {
                Reply::Matched { matches, reason: None, warnings: Vec::new() }
            }
            Answer::Fail(message) => failed(Cause::Refused { is_retryable: true }, message),
            Answer::Fatal(message) => failed(Cause::Refused { is_retryable: false }, message),
            Answer::Vanish(_) => {
                failed(Cause::Disconnected, "it went away before it answered".to_owned())
            }
            Answer::Wait { .. } | Answer::Never => {
                let why = "a compute node can complete, fail, fatal, hold or vanish".to_owned();
                failed(Cause::Refused { is_retryable: false }, why)
            }
        }
    }
}

impl Stage for EntityStage<'_> {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn due(&self) -> Option<Timestamp> {
        self.next().map(|it| it.scheduled_at)
    }

    fn happen(&mut self) {
        let Some(armed) = self.next().cloned() else { return };
        self.now = self.now.max(armed.scheduled_at);
        self.fire(&armed);
    }

    fn wait(&mut self, until: Timestamp) {
        self.now = self.now.max(until);
    }

    fn act(&mut self, action: &Action) -> Result<(), Refused> {
        if self.entity.is_none() {
            return Err(Refused::new("ENTITY_NOT_FOUND", "there is no entity"));
        }
        match action {
            Action::Transition(name) => self.run(Command::Take { transition: name }, None),
            Action::Update(value) => {
                let value = document(value)?;
                self.run(Command::Loopback, Some(value))
            }
            Action::Look
            | Action::Advance(_)
            | Action::Until(_)
            | Action::Complete(_)
            | Action::Fail(_)
            | Action::Signal(_)
            | Action::Retry(_)
            | Action::Cancel(_)
            | Action::Move(_) => Err(Refused::unfit("an entity has nothing like that")),
        }
    }

    fn is_at(&self, state: &str) -> bool {
        self.entity.as_ref().is_some_and(|it| it.state == state)
    }

    fn standings(&self) -> Vec<Standing> {
        let standing = |saved: &Saved| Standing {
            definition: self.model.clone(),
            status: saved.state.clone(),
            at: vec![saved.state.clone()],
            variables: serde_json::from_str(&saved.value.to_string()).unwrap_or_default(),
            reason: None,
            visits: self.states.clone(),
            history: self.audit.iter().map(happening).collect(),
            elapsed: self.now.since(saved.created_at),
            n_fired: self.n_fired,
            unattended: Vec::new(),
        };
        self.entity.as_ref().map(standing).into_iter().collect()
    }

    fn refused(&mut self) -> Vec<Refused> {
        std::mem::take(&mut self.refused)
    }
}

fn verdict(question: &Question<'_>) -> Verdict {
    match Criterion::parse(question.criterion) {
        Ok(criterion) => judge(&criterion, question),
        Err(error) => Verdict::Broken(error.to_string()),
    }
}

fn failed(cause: Cause, message: String) -> Reply {
    Reply::Failed { cause, message, warnings: Vec::new() }
}

fn document(value: &Value) -> Result<document::Value, Refused> {
    document::Value::parse(&value.to_string())
        .map_err(|error| Refused::new("FIELD_INVALID", error.to_string()))
}

/// The value a processor was given, with the members it sets; nothing if it sets none.
fn changed(value: &document::Value, members: Map<String, Value>) -> Option<document::Value> {
    let document::Value::Object(before) = value else { return None };
    let mut after = before.clone();
    for (name, value) in &members {
        after.insert(name.clone(), document(value).ok()?);
    }
    (!members.is_empty()).then_some(document::Value::Object(after))
}

/// The states a run came to: what is noted next after a transition is noted where it led.
fn states(audit: &[AuditEvent], last: &str) -> Vec<String> {
    let mut states: Vec<String> = Vec::new();
    let placed = audit.iter().filter(|it| !it.state.is_empty());
    states.extend(placed.clone().next().map(|it| it.state.clone()));
    let following = placed.clone().skip(1).map(|it| it.state.as_str()).chain([last]);
    for (event, next) in placed.zip(following) {
        if event.kind == AuditKind::TransitionMake {
            states.push(next.to_owned());
        }
    }
    states
}

fn happening((at, event): &(Timestamp, AuditEvent)) -> Happening {
    let state = Some(event.state.clone()).filter(|it| !it.is_empty());
    Happening {
        at: *at,
        what: event.kind.name().to_owned(),
        step: state,
        detail: Some(event.details.clone()),
    }
}
