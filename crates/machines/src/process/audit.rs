//! Who did what to an instance, told from its events alone: what is on record cannot disagree with
//! what happened.

use waypost_kernel::{Machine as _, Note, Timestamp, WorkerId};

use super::{Event, Process, Rest, State, StepId};

/// Something that was done to an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    pub at: Timestamp,
    pub what: What,
    pub by: By,
    /// The visit it was done to, unless it concerns the whole instance.
    pub visit: Option<u32>,
    pub step: Option<StepId>,
    /// The user who asked for it, if that is known.
    pub user: Option<String>,
    /// Why, in the words of whoever did it.
    pub detail: Option<String>,
}

/// Who does things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// A person or program that asked for it.
    Client,
    /// One that was at a task; unknown where that was not kept yet.
    Worker(Option<WorkerId>),
    /// Time, conditions, or an instance before this one.
    Engine,
}

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Started,
    TaskCompleted,
    /// A task failed and is offered again.
    TaskFailed,
    /// A worker was not heard of again.
    TaskLapsed,
    UserTaskCompleted,
    Signaled,
    TimerFired,
    StepFailed,
    StepRetried,
    Completed,
    Failed,
    Canceled,
}

impl What {
    /// The deed as clients see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Started => "INSTANCE_STARTED",
            Self::TaskCompleted => "JOB_COMPLETED",
            Self::TaskFailed => "JOB_FAILED",
            Self::TaskLapsed => "JOB_LEASE_EXPIRED",
            Self::UserTaskCompleted => "USER_TASK_COMPLETED",
            Self::Signaled => "SIGNAL_RECEIVED",
            Self::TimerFired => "TIMER_FIRED",
            Self::StepFailed => "STEP_FAILED",
            Self::StepRetried => "STEP_RETRIED",
            Self::Completed => "INSTANCE_COMPLETED",
            Self::Failed => "INSTANCE_FAILED",
            Self::Canceled => "INSTANCE_CANCELLED",
        }
    }
}

/// Follows the events of an instance.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    state: State,
    deeds: Vec<Deed>,
}

impl Audit {
    /// Takes note of the next event, which was committed at `at`.
    pub fn follow(&mut self, at: Timestamp, event: &Event) {
        if let Some((what, by)) = self.deed(event) {
            let visit = visit(event);
            let step = visit.and_then(|it| self.step_of(it)).or_else(|| step(event));
            let detail = detail(event).filter(|it| !it.is_empty()).map(str::to_owned);
            self.deeds.push(Deed { at, what, by, visit, step, user: None, detail });
        }
        if let Event::Asked(note) = event {
            self.attribute(note);
        }
        Process::evolve(&mut self.state, event);
    }

    /// A note is about the latest thing somebody asked for: it comes in the same commit.
    fn attribute(&mut self, note: &Note) {
        if let Some(deed) = self.deeds.iter_mut().rfind(|it| it.by == By::Client) {
            deed.user.clone_from(&note.by);
            deed.detail = deed.detail.take().or_else(|| note.reason.clone());
        }
    }

    /// What was done, in its order.
    #[must_use]
    pub fn deeds(&self) -> &[Deed] {
        &self.deeds
    }

    /// The instance after everything that was followed.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    fn deed(&self, event: &Event) -> Option<(What, By)> {
        Some(match event {
            Event::Started { parent: None, .. } => (What::Started, By::Client),
            Event::Started { parent: Some(_), .. } => (What::Started, By::Engine),
            Event::Left { visit, by } => self.left(*visit, by.as_ref())?,
            Event::Retried { by, .. } => (What::TaskFailed, By::Worker(by.clone())),
            Event::StepFailed { visit, by, .. } => {
                (What::StepFailed, self.left(*visit, by.as_ref()).map_or(By::Engine, |(_, by)| by))
            }
            Event::Stumbled { .. } => (What::StepFailed, By::Engine),
            Event::Lapsed { .. } => (What::TaskLapsed, By::Engine),
            Event::Fired { .. } => (What::TimerFired, By::Engine),
            Event::Resumed { .. } => (What::StepRetried, By::Client),
            Event::Completed { .. } => (What::Completed, By::Engine),
            Event::Failed { .. } => (What::Failed, By::Engine),
            Event::Canceled { .. } => (What::Canceled, By::Client),
            // What follows from the deeds by itself.
            Event::Entered(_)
            | Event::Passed { .. }
            | Event::Forked { .. }
            | Event::Arrived { .. }
            | Event::Joined { .. }
            | Event::Forgotten { .. }
            | Event::Merged { .. }
            | Event::Interrupted { .. }
            | Event::Asked(_) => return None,
        })
    }

    /// Who can bring a rest to its end, and what that is called.
    fn left(&self, visit: u32, by: Option<&WorkerId>) -> Option<(What, By)> {
        let stay = self.state.stays.iter().find(|it| it.visit == visit)?;
        match stay.rest {
            Rest::Task { .. } => Some((What::TaskCompleted, By::Worker(by.cloned()))),
            Rest::User => Some((What::UserTaskCompleted, By::Client)),
            Rest::Signal => Some((What::Signaled, By::Client)),
            Rest::Join { .. } | Rest::Failed => None,
        }
    }

    fn step_of(&self, visit: u32) -> Option<StepId> {
        let stay = self.state.stays.iter().find(|it| it.visit == visit)?;
        Some(StepId::clone(&stay.step))
    }
}

const fn visit(event: &Event) -> Option<u32> {
    match event {
        Event::Left { visit, .. }
        | Event::Retried { visit, .. }
        | Event::StepFailed { visit, .. }
        | Event::Stumbled { visit, .. }
        | Event::Lapsed { visit, .. }
        | Event::Fired { visit, .. } => Some(*visit),
        Event::Started { .. }
        | Event::Resumed { .. }
        | Event::Completed { .. }
        | Event::Failed { .. }
        | Event::Canceled { .. }
        | Event::Entered(_)
        | Event::Passed { .. }
        | Event::Forked { .. }
        | Event::Arrived { .. }
        | Event::Joined { .. }
        | Event::Forgotten { .. }
        | Event::Merged { .. }
        | Event::Interrupted { .. }
        | Event::Asked(_) => None,
    }
}

/// The step an event names itself.
fn step(event: &Event) -> Option<StepId> {
    if let Event::Stumbled { step, .. } | Event::Resumed { step, .. } = event {
        return Some(StepId::clone(step));
    }
    None
}

fn detail(event: &Event) -> Option<&str> {
    if let Event::Retried { error: text, .. }
    | Event::StepFailed { reason: text, .. }
    | Event::Stumbled { reason: text, .. }
    | Event::Failed { reason: text, .. }
    | Event::Canceled { reason: text, .. } = event
    {
        return Some(text);
    }
    None
}
