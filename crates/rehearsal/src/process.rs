//! Processes on stage, and those that follow them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use waypost_kernel::{Key, Kind, TaskId, TimerId, Timestamp, Version};
use waypost_machines::process::{
    Alarm, Audit, Command, Event, Graph, History, Phase, Process, Rest, Start, Stay, Variables,
    What,
};

use crate::{
    Action, Answer, Begin, Cast, Definitions, Happening, Outcome, Refused, Stage, Standing,
    limits::FOLLOWERS_MAX,
    live::{Fork, Live, WORKER},
    script::{AtStep, FailAt},
    stage::DAWN,
};

/// Processes in virtual time.
pub struct ProcessStage<'d> {
    definitions: &'d Definitions,
    cast: Cast,
    now: Timestamp,
    actors: Vec<Actor>,
    /// How often each stub had its turn.
    turns: BTreeMap<(Role, String), u32>,
    refused: Vec<Refused>,
}

/// One instance, and what is going to be done about it.
struct Actor {
    live: Live<Process>,
    graph: Arc<Graph>,
    plans: BTreeMap<Place, Plan>,
    n_fired: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Worker,
    Person,
    Signal,
}

/// Something that can be answered: a delivery of a task, or a visit of a person's step or a wait.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Task(TaskId, Version),
    Visit(u32),
}

/// What is going to be done about it; nothing if nobody will.
struct Plan {
    due_at: Option<Timestamp>,
    answer: Answer,
}

/// What happens next.
enum Next {
    Answered { actor: usize, place: Place },
    Rang { actor: usize, timer: TimerId },
}

impl<'d> ProcessStage<'d> {
    /// A stage on which nothing has happened yet.
    #[must_use]
    pub fn new(definitions: &'d Definitions, cast: Cast) -> Self {
        let (turns, refused) = (BTreeMap::new(), Vec::new());
        Self { definitions, cast, now: DAWN, actors: Vec::new(), turns, refused }
    }

    /// Starts an instance.
    ///
    /// # Errors
    /// When it is refused, or the definition is not there.
    pub fn start(&mut self, begin: &Begin) -> Result<(), Refused> {
        let variables = begin.variables.as_object().cloned().unwrap_or_default();
        let (business_key, at) = (begin.business_key.clone(), self.now);
        let start = Start { business_key, variables, parent: None, at };
        self.begin(&begin.definition, start)
    }

    /// Goes on from where a real instance stands, which runs by `graph`.
    pub fn fork(&mut self, real: Fork<Process>, graph: Arc<Graph>, now: Timestamp) {
        self.now = now;
        let live = Live::of(real);
        self.actors.push(Actor { live, graph, plans: BTreeMap::new(), n_fired: 0 });
        self.plan(self.actors.len() - 1);
    }

    /// The events of all instances, with the graphs they run by.
    pub fn events(&self) -> impl Iterator<Item = (&Graph, impl Iterator<Item = &Event>)> {
        self.actors.iter().map(|it| (&*it.graph, it.live.events.iter().map(|(_, event)| event)))
    }

    fn begin(&mut self, definition: &str, start: Start) -> Result<(), Refused> {
        let Some(graph) = self.definitions.graph(definition).map(Arc::clone) else {
            let detail = format!("there is no process {definition:?} among the definitions");
            return Err(Refused::new("DEFINITION_NOT_FOUND", detail));
        };
        let id = format!("rehearsal-{}", self.actors.len() + 1);
        let mut live =
            Live::<Process>::new(Key::new("rehearsal".into(), Kind::Process, id.as_str().into()));
        live.submit(&graph, Command::Start(start), self.now)?;
        self.actors.push(Actor { live, graph, plans: BTreeMap::new(), n_fired: 0 });
        self.plan(self.actors.len() - 1);
        Ok(())
    }

    fn submit(&mut self, index: usize, command: Command) -> Result<(), Refused> {
        let now = self.now;
        let Some(actor) = self.actors.get_mut(index) else {
            return Err(Refused::new("INSTANCE_NOT_FOUND", "there is no instance"));
        };
        actor.live.submit(&actor.graph, command, now)?;
        self.plan(index);
        Ok(())
    }

    /// Looks at what became open, and decides what will be done about it.
    fn plan(&mut self, index: usize) {
        let now = self.now;
        let Some(actor) = self.actors.get_mut(index) else { return };
        let open = actor.open();
        actor.plans.retain(|place, _| open.iter().any(|(it, ..)| it == place));
        for (place, role, names) in open {
            if actor.plans.contains_key(&place) {
                continue;
            }
            let stubs = match role {
                Role::Worker => &self.cast.workers,
                Role::Person => &self.cast.people,
                Role::Signal => &self.cast.signals,
            };
            let Some(name) = names.into_iter().find(|it| stubs.0.contains_key(it)) else {
                actor.plans.insert(place, Plan { due_at: None, answer: Answer::Never });
                continue;
            };
            let turn = self.turns.entry((role, name.clone())).or_default();
            let outcome = stubs.outcome(&name, *turn).cloned();
            *turn += 1;
            if let Some(outcome) = outcome {
                actor.plans.insert(place, Plan::of(outcome, now));
            }
        }
    }

    fn next(&self) -> Option<(Timestamp, Next)> {
        let due = |(index, actor): (usize, &'_ Actor)| {
            let planned = actor.plans.iter().filter_map(move |(place, plan)| {
                let next = Next::Answered { actor: index, place: place.clone() };
                Some(((plan.due_at?, 0, index), next))
            });
            let armed = actor.live.timers.values().map(move |timer| {
                let next = Next::Rang { actor: index, timer: timer.id.clone() };
                ((timer.due_at, 1, index), next)
            });
            planned.chain(armed).min_by_key(|(order, _)| *order)
        };
        // Who answers at the very moment a timer is due was in time.
        let next = self.actors.iter().enumerate().filter_map(due).min_by_key(|(order, _)| *order);
        next.map(|((due_at, ..), next)| (due_at, next))
    }

    fn answer(&mut self, index: usize, place: &Place) -> Result<(), Refused> {
        let now = self.now;
        let Some(actor) = self.actors.get_mut(index) else { return Ok(()) };
        let Some(plan) = actor.plans.get_mut(place) else { return Ok(()) };
        // Whatever comes of it, it is not done twice.
        plan.due_at = None;
        let answer = plan.answer.clone();
        let command = match place {
            Place::Task(task, _) => actor.report(task, answer, now)?,
            Place::Visit(visit) => actor.move_on(*visit, answer)?,
        };
        self.submit(index, command)
    }

    fn ring(&mut self, index: usize, timer: &TimerId) -> Result<(), Refused> {
        let Some(actor) = self.actors.get_mut(index) else { return Ok(()) };
        let Some(timer) = actor.live.timers.remove(timer) else { return Ok(()) };
        match timer.command.read() {
            Ok(Alarm::Boundary { visit, timer }) => {
                let is_running = actor.live.state.phase == Phase::Running;
                actor.n_fired += u32::from(is_running);
                self.submit(index, Command::Fire { visit, timer })
            }
            Ok(Alarm::Next { definition }) => self.follow(index, &definition),
            Err(error) => Err(Refused::new("DEFECT", format!("a timer cannot be read: {error}"))),
        }
    }

    /// Starts what follows, as the engine does.
    fn follow(&mut self, index: usize, definition: &str) -> Result<(), Refused> {
        let Some(before) = self.actors.get(index).map(|it| &it.live) else { return Ok(()) };
        if self.actors.len() > FOLLOWERS_MAX {
            let detail = format!("more than {FOLLOWERS_MAX} processes follow one another");
            return Err(Refused::new("TOO_MANY_FOLLOWERS", detail));
        }
        let start = Start {
            business_key: before.state.business_key.clone(),
            variables: (*before.state.variables).clone(),
            parent: Some(before.key.id.clone()),
            at: self.now,
        };
        self.begin(definition, start)
    }

    /// The latest instance that is at `step`, or else the latest.
    fn at(&self, step: &str) -> usize {
        let is_there = |it: &Actor| it.live.state.current_steps().contains(&step);
        let latest = self.actors.len().saturating_sub(1);
        self.actors.iter().rposition(is_there).unwrap_or(latest)
    }
}

impl Stage for ProcessStage<'_> {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn due(&self) -> Option<Timestamp> {
        self.next().map(|(due_at, _)| due_at.max(self.now))
    }

    fn happen(&mut self) {
        let Some((due_at, next)) = self.next() else { return };
        self.now = self.now.max(due_at);
        let outcome = match next {
            Next::Answered { actor, place } => self.answer(actor, &place),
            Next::Rang { actor, timer } => self.ring(actor, &timer),
        };
        self.refused.extend(outcome.err());
    }

    fn wait(&mut self, until: Timestamp) {
        self.now = self.now.max(until);
    }

    fn act(&mut self, action: &Action) -> Result<(), Refused> {
        let latest = self.actors.len().saturating_sub(1);
        match action {
            Action::Complete(AtStep { step, variables }) => {
                let index = self.at(step);
                let answer = Answer::Complete(variables.clone());
                let command = self.by_hand(index, step, answer)?;
                self.submit(index, command)
            }
            Action::Fail(FailAt { step, error, fatal }) => {
                let index = self.at(step);
                let answer = match fatal {
                    true => Answer::Fatal(error.clone()),
                    false => Answer::Fail(error.clone()),
                };
                let command = self.by_hand(index, step, answer)?;
                self.submit(index, command)
            }
            Action::Signal(signal) => {
                let (step, output) = (signal.name.clone(), signal.variables.clone());
                self.submit(self.at(&signal.name), Command::Signal { step, output })
            }
            Action::Retry(AtStep { step, variables }) => {
                let (step, patch) = (step.clone(), variables.clone());
                self.submit(latest, Command::Retry { step, patch })
            }
            Action::Cancel(reason) => {
                self.submit(latest, Command::Cancel { reason: Some(reason.clone()) })
            }
            Action::Look
            | Action::Advance(_)
            | Action::Until(_)
            | Action::Transition(_)
            | Action::Update(_)
            | Action::Move(_) => Err(Refused::unfit("a process has nothing like that")),
        }
    }

    fn is_at(&self, step: &str) -> bool {
        self.actors.iter().any(|it| it.live.state.current_steps().contains(&step))
    }

    fn standings(&self) -> Vec<Standing> {
        self.actors.iter().map(|it| it.standing(self.now)).collect()
    }

    fn refused(&mut self) -> Vec<Refused> {
        std::mem::take(&mut self.refused)
    }
}

impl ProcessStage<'_> {
    /// What somebody does at a step, whatever the stubs would do.
    fn by_hand(&mut self, index: usize, step: &str, answer: Answer) -> Result<Command, Refused> {
        let now = self.now;
        let nothing = || Refused::unfit(format!("nothing is open at step {step:?}"));
        let actor = self.actors.get_mut(index).ok_or_else(nothing)?;
        let stays = actor.live.state.stays.iter();
        let stay = stays
            .filter(|it| *it.step == *step)
            .find(|it| matches!(it.rest, Rest::Task { .. } | Rest::User | Rest::Signal));
        let (visit, task) = match stay.ok_or_else(nothing)? {
            Stay { rest: Rest::Task { number, .. }, visit, .. } => (*visit, Some(*number)),
            Stay { visit, .. } => (*visit, None),
        };
        match task {
            Some(number) => actor.report(&TaskId::from(number.to_string()), answer, now),
            None => actor.move_on(visit, answer),
        }
    }
}

impl Plan {
    fn of(outcome: Outcome, now: Timestamp) -> Self {
        let Outcome { answer, after, .. } = outcome;
        let due_at = match &answer {
            Answer::Never => None,
            // Nobody notices before the lease is over.
            Answer::Vanish(lease) => Some(now + after + *lease + Duration::from_micros(1)),
            Answer::Complete(_)
            | Answer::Fail(_)
            | Answer::Fatal(_)
            | Answer::Wait { .. }
            | Answer::Judge(_) => Some(now + after),
        };
        Self { due_at, answer }
    }
}

impl Actor {
    /// What can be answered: with who would answer it, and the names a stub may have, the most
    /// special one first.
    fn open(&self) -> Vec<(Place, Role, Vec<String>)> {
        let state = &self.live.state;
        if state.phase != Phase::Running {
            return Vec::new();
        }
        let place = |stay: &Stay| {
            let step = stay.step.to_string();
            match &stay.rest {
                Rest::Task { number, .. } => {
                    let task = self.live.tasks.get(&TaskId::from(number.to_string()))?;
                    let place = Place::Task(task.at.id.clone(), task.version);
                    Some((place, Role::Worker, vec![step, task.queue.clone()]))
                }
                Rest::User => Some((Place::Visit(stay.visit), Role::Person, vec![step])),
                Rest::Signal => Some((Place::Visit(stay.visit), Role::Signal, vec![step])),
                Rest::Join { .. } | Rest::Failed => None,
            }
        };
        state.stays.iter().filter_map(place).collect()
    }

    fn report(
        &mut self,
        task: &TaskId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<Command, Refused> {
        let number = task.as_str().parse().unwrap_or_default();
        let worker = WORKER.into();
        match answer {
            Answer::Complete(output) => {
                self.live.claim(task, now);
                Ok(Command::Complete { task: number, worker, output })
            }
            Answer::Fail(error) => {
                self.live.claim(task, now);
                let error = Some(error);
                Ok(Command::Fail { task: number, worker, error, retryable: true })
            }
            Answer::Fatal(error) => {
                self.live.claim(task, now);
                let error = Some(error);
                Ok(Command::Fail { task: number, worker, error, retryable: false })
            }
            Answer::Vanish(_) => {
                let token = self.live.claim(task, now - Duration::from_micros(1));
                Ok(Command::Lapse { task: number, token })
            }
            Answer::Wait { .. } | Answer::Judge(_) | Answer::Never => {
                Err(Refused::unfit("a worker of a process can complete, fail, fatal or vanish"))
            }
        }
    }

    fn move_on(&self, visit: u32, answer: Answer) -> Result<Command, Refused> {
        let Answer::Complete(output) = answer else {
            return Err(Refused::unfit("people and signals can only complete"));
        };
        let stay = self.live.state.stays.iter().find(|it| it.visit == visit);
        let Some(stay) = stay else { return Err(Refused::unfit("it is over")) };
        let step = stay.step.to_string();
        match stay.rest {
            Rest::Signal => Ok(Command::Signal { step, output }),
            Rest::User | Rest::Task { .. } | Rest::Join { .. } | Rest::Failed => {
                Ok(Command::CompleteUserTask { step, output })
            }
        }
    }

    fn standing(&self, now: Timestamp) -> Standing {
        let state = &self.live.state;
        let (mut history, mut audit) = (History::default(), Audit::default());
        for (at, event) in &self.live.events {
            history.follow(*at, event);
            audit.follow(*at, event);
        }
        let is_mute =
            |(_, plan): &(&Place, &Plan)| plan.due_at.is_none() && plan.answer == Answer::Never;
        let mute = self.plans.iter().filter(is_mute).map(|(place, _)| place);
        Standing {
            definition: self.graph.which.name.clone(),
            status: state.status().as_str().to_owned(),
            at: state.current_steps().into_iter().map(str::to_owned).collect(),
            variables: Variables::clone(&state.variables).into(),
            reason: state.reason.clone(),
            visits: history.visits().iter().map(|it| it.step.to_string()).collect(),
            history: audit.deeds().iter().map(happening).collect(),
            elapsed: state.ended_at.unwrap_or(now).since(state.started_at),
            n_fired: self.n_fired,
            unattended: mute.filter_map(|it| self.unattended(it)).collect(),
        }
    }

    fn unattended(&self, place: &Place) -> Option<String> {
        match place {
            Place::Task(task, _) => {
                let queue = &self.live.tasks.get(task)?.queue;
                Some(format!("nobody works on jobs of type {queue:?}"))
            }
            Place::Visit(visit) => {
                let stay = self.live.state.stays.iter().find(|it| it.visit == *visit)?;
                let step = &stay.step;
                match stay.rest {
                    Rest::User => Some(format!("nobody does the task {step:?}")),
                    Rest::Signal => Some(format!("no signal comes for {step:?}")),
                    Rest::Task { .. } | Rest::Join { .. } | Rest::Failed => None,
                }
            }
        }
    }
}

fn happening(deed: &waypost_machines::process::Deed) -> Happening {
    Happening {
        at: deed.at,
        what: What::as_str(deed.what).to_owned(),
        step: deed.step.as_ref().map(ToString::to_string),
        detail: deed.detail.clone(),
    }
}
