//! Why an entity is in the state it is in, and where it can go from there.

mod conditions;
mod tries;

use std::collections::BTreeSet;

use waypost_kernel::Timestamp;

use super::{
    cascade::{Command, Entity, Judge, Limits, Terms},
    workflow::{State, Transition, Workflow, choose},
};
use crate::explanation::{Cause, Condition, Explanation, Next, Outcome, Wait};

pub use self::conditions::functions;

/// An entity, and all that is known about it.
pub struct Subject<'a, 'j> {
    pub entity: Entity<'a>,
    /// The workflows of its model.
    pub workflows: &'a [Workflow],
    pub limits: Limits,
    /// When it came to its state, if that is known.
    pub since: Option<Timestamp>,
    /// Decides criteria.
    pub judge: &'a mut Judge<'j>,
    /// Whether a compute member is there that has these tags, if that is known.
    pub serves: &'a dyn Fn(&[String]) -> Option<bool>,
}

/// What one transition would come to.
struct Way {
    name: String,
    by: By,
    conditions: Vec<Condition>,
    next: Next,
    /// The tags somebody must have who is not there.
    lacks: Option<String>,
}

/// What makes an entity take a transition.
#[derive(Clone, Copy)]
enum By {
    Request,
    Write,
    /// The time, as soon as a write arms it.
    Schedule,
    /// The time, and when that has come.
    Timer(Timestamp),
}

/// Why the entity is where it is.
#[must_use]
pub fn explain(subject: &mut Subject<'_, '_>) -> Explanation {
    let Entity { state, workflow: remembered, .. } = subject.entity;
    let status = state.to_owned();
    let Some(workflow) = choose(subject.workflows, state, remembered) else {
        let stuck = format!("no active workflow of the model knows the state {state:?}");
        let summary = format!("Nothing can move it any more: {stuck}.");
        return Explanation { status, summary, stuck: Some(stuck), ..Explanation::default() };
    };
    let transitions = workflow.states.get(state).map(open).unwrap_or_default();
    let ways: Vec<Way> = transitions.into_iter().map(|it| way(subject, it)).collect();
    let since = subject.since;
    let waits: Vec<Wait> = ways.iter().map(|it| Wait { since, ..wait(state, it) }).collect();
    let stuck = match ways.is_empty() {
        true => Some(format!("state {state:?} of workflow {:?} has no way out", workflow.name)),
        false => None,
    };
    let summary = match (&stuck, waits.iter().min_by_key(|it| rank(it.cause))) {
        (Some(why), _) => format!("It has come to its end: {why}."),
        (None, Some(wait)) => format!("It waits in {state:?} for {}.", wait.what),
        (None, None) => "It is at rest.".to_owned(),
    };
    let mut next: Vec<Next> = ways.iter().map(|it| it.next.clone()).collect();
    next.push(updated(subject));
    let conditions = ways.into_iter().flat_map(|it| it.conditions).collect();
    Explanation { status, summary, waits, conditions, next, stuck }.cut()
}

/// All sets of tags that a workflow of the model asks for somewhere.
#[must_use]
pub fn tags(workflows: &[Workflow]) -> BTreeSet<Vec<String>> {
    let transitions = workflows.iter().flat_map(|it| it.states.values()).flat_map(open);
    let of = |transition: &Transition| {
        let processors = transition.processors.iter().map(|it| Terms::from(&it.config).tags);
        let asked = transition.guard().map(functions).unwrap_or_default();
        processors.chain(asked.into_iter().map(|it| it.tags)).collect::<Vec<_>>()
    };
    transitions.flat_map(of).collect()
}

fn open(state: &State) -> Vec<&Transition> {
    state.transitions.iter().filter(|it| !it.is_disabled).collect()
}

/// What is missing comes before what could be different, and that before what could be asked for.
const fn rank(cause: Cause) -> u8 {
    match cause {
        Cause::Member => 0,
        Cause::Data => 1,
        Cause::Worker
        | Cause::Lease
        | Cause::Backoff
        | Cause::Person
        | Cause::Signal
        | Cause::Timer
        | Cause::Join
        | Cause::Operator
        | Cause::Program => 2,
    }
}

fn way(subject: &mut Subject<'_, '_>, transition: &Transition) -> Way {
    let conditions = conditions::of_transition(&subject.entity, transition);
    let (name, by) = (transition.name.clone(), by(&subject.entity, transition));
    let command = match by {
        By::Request | By::Write => Command::Take { transition: &name },
        By::Schedule | By::Timer(_) => Command::Fire { transition: &name },
    };
    let tried = tries::tried(subject, command);
    let who = match by {
        By::Request => "whoever asks for it",
        By::Write => "any write of the entity, or whoever asks for it",
        By::Schedule => "its timer, once a write of the entity has armed it",
        By::Timer(_) => "its timer, and nobody else",
    };
    let what = format!("transition {name:?}");
    let next = Next { what, by: who.to_owned(), leads_to: tried.leads_to, refused: tried.refused };
    Way { name, by, conditions, next, lacks: tried.lacks }
}

fn by(entity: &Entity<'_>, transition: &Transition) -> By {
    let armed = || entity.armed.iter().find(|it| it.is(entity.state, &transition.name));
    match (transition.is_scheduled(), transition.is_manual) {
        (true, _) => armed().map_or(By::Schedule, |it| By::Timer(it.scheduled_at)),
        (false, true) => By::Request,
        (false, false) => By::Write,
    }
}

fn updated(subject: &mut Subject<'_, '_>) -> Next {
    let tried = tries::tried(subject, Command::Loopback);
    let (what, by) = ("write the entity as it is".to_owned(), "whoever writes it".to_owned());
    Next { what, by, leads_to: tried.leads_to, refused: tried.refused }
}

fn wait(state: &str, way: &Way) -> Wait {
    let (name, mut until) = (&way.name, None);
    let (cause, what) = match (way.by, &way.lacks, &way.next.refused) {
        // What would come of it now says little about then.
        (By::Timer(at), _, _) => {
            until = Some(at);
            (Cause::Timer, format!("the time at which transition {name:?} is tried"))
        }
        (By::Schedule, _, _) => {
            let what = format!("a write, which schedules transition {name:?} again");
            (Cause::Person, what)
        }
        (_, Some(tags), _) => {
            let what = format!(
                "a compute member with the tags {tags:?}, which transition {name:?} needs and \
                 none is connected"
            );
            (Cause::Member, what)
        }
        (_, None, Some(refused)) => {
            let what = format!("another value: transition {name:?} {}", why(way, refused));
            (Cause::Data, what)
        }
        (By::Request, None, None) => {
            (Cause::Person, format!("somebody to ask for transition {name:?}"))
        }
        (By::Write, None, None) => {
            let what = format!("a write, upon which transition {name:?} is taken");
            (Cause::Person, what)
        }
    };
    Wait { at: state.to_owned(), cause, what, since: None, until }
}

/// Which condition stands in the way, and the value that makes it so.
fn why(way: &Way, refused: &str) -> String {
    let is_false = |it: &&Condition| it.outcome == Outcome::False;
    let Some(condition) = way.conditions.iter().find(is_false) else {
        return format!("is refused: {refused}");
    };
    let values = condition.values.iter().map(|(name, value)| format!("{name} is {value}"));
    let values = values.collect::<Vec<_>>().join(", ");
    format!("needs {}, and {values}", condition.text)
}
