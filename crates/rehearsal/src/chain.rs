//! A chain on stage.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;
use waypost_kernel::{Json, Key, Kind, Task, TaskId, Timestamp, Version};
use waypost_machines::chain::{
    Chain, Command, Event, Held, Outcome, Policy, Report, Signal, Start, StepStatus, TaskType,
};

use crate::{
    Action, Answer, Begin, Cast, Definitions, Happening, Refused, Stage, Standing,
    live::{Fork, Live, WORKER},
    script::{AtStep, FailAt},
    stage::DAWN,
};

/// A chain in virtual time.
pub struct ChainStage<'d> {
    definitions: &'d Definitions,
    policy: Policy,
    cast: Cast,
    now: Timestamp,
    live: Option<Live<Chain>>,
    plan: Option<Plan>,
    turns: BTreeMap<String, u32>,
    n_fired: u32,
    refused: Vec<Refused>,
}

/// What is going to be done, and what it is about.
struct Plan {
    /// The version at which it became possible.
    since: Version,
    worker: Option<(Timestamp, Answer)>,
    signal: Option<(Timestamp, Signal)>,
}

impl<'d> ChainStage<'d> {
    /// A stage on which nothing has happened yet.
    #[must_use]
    pub fn new(definitions: &'d Definitions, cast: Cast) -> Self {
        Self {
            definitions,
            policy: definitions.policy().clone(),
            cast,
            now: DAWN,
            live: None,
            plan: None,
            turns: BTreeMap::new(),
            n_fired: 0,
            refused: Vec::new(),
        }
    }

    /// Starts the chain.
    ///
    /// # Errors
    /// When it is refused, or the definition is not there.
    pub fn start(&mut self, begin: &Begin) -> Result<(), Refused> {
        let Some(plan) = self.definitions.plan(&begin.definition, begin.version) else {
            let detail = format!("there is no chain {:?} among the definitions", begin.definition);
            return Err(Refused::new("DEFINITION_NOT_FOUND", detail));
        };
        let start = Start {
            workflow_type: plan.workflow_type.clone(),
            workflow_version: plan.workflow_version,
            steps: plan.resolve(&self.policy),
            biz_key: begin.business_key.clone(),
            context: Some(Json::of(&begin.variables)),
        };
        let mut live = Live::new(Key::new("rehearsal".into(), Kind::Chain, "rehearsal-1".into()));
        live.submit(&self.policy, Command::Start(start), self.now)?;
        self.live = Some(live);
        self.plan();
        Ok(())
    }

    /// Goes on from where a real chain stands.
    pub fn fork(&mut self, real: Fork<Chain>, policy: Policy, now: Timestamp) {
        self.now = now;
        self.policy = policy;
        self.live = Some(Live::of(real));
        self.plan();
    }

    /// The chain's name and events.
    #[must_use]
    pub fn events(&self) -> Option<(&str, Vec<&Event>)> {
        let live = self.live.as_ref()?;
        let events = live.events.iter().map(|(_, event)| event).collect();
        Some((&live.state.workflow_type, events))
    }

    fn submit(&mut self, command: Command) -> Result<(), Refused> {
        let now = self.now;
        let Some(live) = &mut self.live else {
            return Err(Refused::new("INSTANCE_NOT_FOUND", "there is no chain"));
        };
        live.submit(&self.policy, command, now)?;
        self.plan();
        Ok(())
    }

    /// Looks at what became possible, and decides what will be done about it.
    fn plan(&mut self) {
        let Some(live) = &self.live else { return };
        let task = live.tasks.values().next();
        let since = task.map_or(live.version, |it| it.version);
        if self.plan.as_ref().is_some_and(|it| it.since == since) {
            return;
        }
        let signal = self.signal(live);
        // A wait that is answered in time is no work for anybody.
        let in_time = |task: &&Task| signal.as_ref().is_none_or(|(at, _)| task.ready_at < *at);
        let work = task.filter(in_time).map(|it| (it.queue.clone(), it.ready_at));
        let worker = work.and_then(|(queue, ready_at)| self.worker(&queue, ready_at));
        self.plan = Some(Plan { since, worker, signal });
    }

    /// A worker's turn is over once it has answered: an event may come first.
    fn worker(&self, queue: &str, ready_at: Timestamp) -> Option<(Timestamp, Answer)> {
        let n_before = self.turns.get(queue).copied().unwrap_or_default();
        let outcome = self.cast.workers.outcome(queue, n_before)?;
        let at = ready_at.max(self.now) + outcome.after;
        match &outcome.answer {
            Answer::Never => None,
            Answer::Vanish(lease) => {
                Some((at + *lease + Duration::from_micros(1), outcome.answer.clone()))
            }
            Answer::Complete(_)
            | Answer::Fail(_)
            | Answer::Fatal(_)
            | Answer::Wait { .. }
            | Answer::Judge(_) => Some((at, outcome.answer.clone())),
        }
    }

    /// The event that will come for a step that waits.
    fn signal(&self, live: &Live<Chain>) -> Option<(Timestamp, Signal)> {
        let step = live.state.current_step().filter(|_| live.state.is_running())?;
        let event_type = step.waiting_event_type.clone()?;
        let is_waiting = step.status == StepStatus::Waiting;
        let outcome = self.cast.signals.outcome(&event_type, 0).filter(|_| is_waiting)?;
        let Answer::Complete(payload) = &outcome.answer else { return None };
        let at = self.now + outcome.after;
        let payload = (!payload.is_empty()).then(|| Json::of(payload));
        Some((at, Signal { event_type, event_id: None, payload, received_at: at }))
    }

    fn report(&mut self, answer: Answer) -> Result<(), Refused> {
        let now = self.now;
        let nothing = || Refused::unfit("nothing can be done about the chain now");
        let Some(live) = &mut self.live else { return Err(nothing()) };
        let step = live.state.current;
        let task = TaskId::from(step.to_string());
        if !live.tasks.contains_key(&task) {
            return Err(nothing());
        }
        let claimed_as = live.state.current_step().map(waypost_machines::chain::Step::claimed_as);
        self.n_fired += u32::from(claimed_as == Some(TaskType::WaitingTimeout));
        let (outcome, patch) = match answer {
            Answer::Complete(patch) => {
                (Outcome::Completed, (!patch.is_empty()).then(|| Json::of(&patch)))
            }
            Answer::Fail(error) => (Outcome::Retry { backoff: None, error }, None),
            Answer::Fatal(error) => (Outcome::Dead { error }, None),
            Answer::Wait { event: event_type, timeout } => {
                (Outcome::Waiting { event_type, timeout, discard_buffered: false }, None)
            }
            Answer::Vanish(_) => {
                let token = live.claim(&task, now - Duration::from_micros(1));
                return self.submit(Command::Lapse { step, token });
            }
            Answer::Judge(_) | Answer::Never => {
                let why = "a worker of a chain can complete, fail, fatal, wait or vanish";
                return Err(Refused::unfit(why));
            }
        };
        let held = Held { token: live.claim(&task, now), worker: WORKER.into() };
        let report = Report { step, held, outcome, patch, outbound: Vec::new() };
        self.submit(Command::Report(report))
    }

    fn count_turn(&mut self) {
        let queue = self.live.as_ref().and_then(|it| it.tasks.values().next());
        if let Some(queue) = queue.map(|it| it.queue.clone()) {
            *self.turns.entry(queue).or_default() += 1;
        }
    }

    fn by_hand(&mut self, step: &str, answer: Answer) -> Result<(), Refused> {
        if self.is_at(step) {
            return self.report(answer);
        }
        Err(Refused::unfit(format!("the chain is not at {step:?}")))
    }

    fn next(&self) -> Option<Timestamp> {
        let plan = self.plan.as_ref()?;
        let worker = plan.worker.as_ref().map(|(at, _)| *at);
        let signal = plan.signal.as_ref().map(|(at, _)| *at);
        worker.into_iter().chain(signal).min()
    }
}

impl Stage for ChainStage<'_> {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn due(&self) -> Option<Timestamp> {
        self.next().map(|it| it.max(self.now))
    }

    fn happen(&mut self) {
        let Some(due_at) = self.next() else { return };
        let Some(plan) = &mut self.plan else { return };
        self.now = self.now.max(due_at);
        let outcome = match plan.signal.take_if(|(at, _)| *at <= due_at) {
            Some((_, signal)) => self.submit(Command::Wake(signal)),
            None => match plan.worker.take() {
                Some((_, answer)) => {
                    self.count_turn();
                    self.report(answer)
                }
                None => Ok(()),
            },
        };
        self.refused.extend(outcome.err());
    }

    fn wait(&mut self, until: Timestamp) {
        self.now = self.now.max(until);
    }

    fn act(&mut self, action: &Action) -> Result<(), Refused> {
        match action {
            Action::Complete(AtStep { step, variables }) => {
                self.by_hand(step, Answer::Complete(variables.clone()))
            }
            Action::Fail(FailAt { step, error, fatal: true }) => {
                self.by_hand(step, Answer::Fatal(error.clone()))
            }
            Action::Fail(FailAt { step, error, fatal: false }) => {
                self.by_hand(step, Answer::Fail(error.clone()))
            }
            Action::Signal(signal) => {
                let payload = &signal.variables;
                self.submit(Command::Wake(Signal {
                    event_type: signal.name.clone(),
                    event_id: signal.id.clone(),
                    payload: (!payload.is_empty()).then(|| Json::of(payload)),
                    received_at: self.now,
                }))
            }
            Action::Cancel(reason) => self.submit(Command::Cancel { reason: Some(reason.clone()) }),
            Action::Look
            | Action::Advance(_)
            | Action::Until(_)
            | Action::Retry(_)
            | Action::Transition(_)
            | Action::Update(_)
            | Action::Move(_) => Err(Refused::unfit("a chain has nothing like that")),
        }
    }

    fn is_at(&self, step: &str) -> bool {
        let state = self.live.as_ref().map(|it| &it.state).filter(|it| it.is_running());
        state.and_then(|it| it.current_step()).is_some_and(|it| it.step_type == step)
    }

    fn standings(&self) -> Vec<Standing> {
        self.live.iter().map(|it| self.standing(it)).collect()
    }

    fn refused(&mut self) -> Vec<Refused> {
        std::mem::take(&mut self.refused)
    }
}

impl ChainStage<'_> {
    fn standing(&self, live: &Live<Chain>) -> Standing {
        let state = &live.state;
        let current = state.current_step().filter(|_| state.is_running());
        let ended_at = state.completed_at.or(state.failed_at).or(state.canceled_at);
        let died = || state.steps.iter().rev().find_map(|it| it.last_error.clone());
        let reason = state.cancel_reason.clone().or_else(died);
        let step = |index: usize| state.steps.get(index).map(|it| it.step_type.clone());
        let visits = live.events.iter().filter_map(|(_, event)| {
            let Event::StepReady { step: index, .. } = event else { return None };
            step(*index)
        });
        let context = state.context.as_ref().and_then(|it| it.read::<Value>().ok());
        Standing {
            definition: state.workflow_type.clone(),
            status: state.status.as_str().to_owned(),
            at: current.map(|it| it.step_type.clone()).into_iter().collect(),
            variables: context.unwrap_or_default(),
            reason,
            visits: visits.collect(),
            history: live.events.iter().map(|it| happening(live, it)).collect(),
            elapsed: ended_at.unwrap_or(self.now).since(state.started_at),
            n_fired: self.n_fired,
            unattended: self.unattended(live).into_iter().collect(),
        }
    }

    fn unattended(&self, live: &Live<Chain>) -> Option<String> {
        let step = live.state.current_step().filter(|_| live.state.is_running())?;
        let is_planned = self.next().is_some();
        match &step.waiting_event_type {
            _ if is_planned => None,
            Some(event) if step.status == StepStatus::Waiting => {
                Some(format!("no event {event:?} comes"))
            }
            Some(_) | None => Some(format!("nobody works on steps of type {:?}", step.step_type)),
        }
    }
}

/// The stored form of an event names it, and the step it is about.
fn happening(live: &Live<Chain>, (at, event): &(Timestamp, Event)) -> Happening {
    let told = Json::of(event).read::<Value>().unwrap_or_default();
    let (name, members) = match told.as_object().and_then(|it| it.iter().next()) {
        Some((name, members)) => (name.clone(), Some(members)),
        None => (told.as_str().unwrap_or_default().to_owned(), None),
    };
    let member = |name: &str| members.and_then(|it| it.get(name));
    let index = member("step").and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok());
    let step = index.and_then(|it| live.state.steps.get(it)).map(|it| it.step_type.clone());
    let detail = member("error").or_else(|| member("event_type")).or_else(|| member("reason"));
    Happening {
        at: *at,
        what: name.to_uppercase(),
        step,
        detail: detail.and_then(Value::as_str).map(str::to_owned),
    }
}
