//! Runs that save nothing. Whoever would have to be asked is taken to agree.

use waypost_kernel::Timestamp;

use super::Subject;
use crate::entity::cascade::{
    Asked, AuditKind, Call, Command, Failure, Ran, Replies, Reply, Run, Stop, run,
};

/// Questions of one run: a cascade that asks more of them is not followed to its end.
const CALLS_MAX: usize = 64;

/// What came of it.
#[derive(Default)]
pub(super) struct Tried {
    pub(super) leads_to: Vec<String>,
    pub(super) refused: Option<String>,
    /// The tags of a member that is needed and not there.
    pub(super) lacks: Option<String>,
}

pub(super) fn tried(subject: &mut Subject<'_, '_>, command: Command<'_>) -> Tried {
    let Subject { entity, workflows, limits, judge, serves, .. } = subject;
    // What would be armed at the end is not told, and nothing else asks for the time.
    let now = Timestamp::EPOCH;
    let attempt = Run { command, entity: *entity, workflows, limits: *limits, now };
    let mut replies = Replies::new();
    let mut asked: Vec<String> = Vec::new();
    for _ in 0..CALLS_MAX {
        let call = match run(attempt, &replies, *judge) {
            Ok(ran) => return ended(command, ran, &asked),
            Err(Stop::Failed(failure)) => {
                let Failure { text, .. } = *failure;
                return Tried { refused: Some(text), ..Tried::default() };
            }
            Err(Stop::Call(call)) => call,
        };
        if serves(&call.terms.tags) == Some(false) && !is_apart(&call) {
            let tags = call.terms.tags.join(",");
            let who = &call.asked;
            let refused = format!(
                "{who} needs a compute member with the tags {tags:?}, and none is connected"
            );
            return Tried { refused: Some(refused), lacks: Some(tags), ..Tried::default() };
        }
        asked.push(call.asked.to_string());
        replies.insert(call.key, agreed(&call));
    }
    let most = format!("it asks more than {CALLS_MAX} times, which is not followed here");
    Tried { leads_to: vec![most], ..Tried::default() }
}

/// A scheduled transition that is not possible is no failure: the entity stays where it is.
fn ended(command: Command<'_>, ran: Ran, asked: &[String]) -> Tried {
    let is_taken =
        |ran: &Ran| ran.audit.iter().any(|it| it.kind == AuditKind::ScheduledTransitionFire);
    if matches!(command, Command::Fire { .. }) && !is_taken(&ran) {
        let mut events = ran.audit.into_iter();
        let refused = events.find(|it| it.kind == AuditKind::TransitionNotMatchCriterion);
        let refused = refused.map(|it| it.details);
        return Tried { refused, ..Tried::default() };
    }
    Tried { leads_to: told(ran.state, asked), ..Tried::default() }
}

/// The state, and who must have agreed.
fn told(state: String, asked: &[String]) -> Vec<String> {
    match asked {
        [] => vec![state],
        asked => vec![state, format!("if {} agree", asked.join(", "))],
    }
}

fn agreed(call: &Call) -> Reply {
    let warnings = Vec::new();
    match &call.asked {
        Asked::Processor { .. } => Reply::Processed { value: None, warnings },
        Asked::Function { .. } => Reply::Matched { matches: true, reason: None, warnings },
    }
}

const fn is_apart(call: &Call) -> bool {
    matches!(call.asked, Asked::Processor { is_apart: true, .. })
}
