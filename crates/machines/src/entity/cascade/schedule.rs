//! Scheduled transitions: what is armed where an entity comes to rest, and what is to be done when
//! the time of one has come.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use waypost_documents::document::{Number, Value};
use waypost_kernel::Timestamp;

use super::{AuditEvent, AuditKind, Entity, audit::text, course::Course, limits::GRACE_MAX};
use crate::entity::workflow::{Schedule, Transition, Workflow, choose, object};

/// A transition that will be taken when its time has come. It is kept with the entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Armed {
    pub transition: String,
    /// The state that it leaves: in any other one it means nothing.
    pub source_state: String,
    /// When it is due: a whole millisecond.
    pub scheduled_at: Timestamp,
    /// How late it may be taken; however late, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_millis: Option<i64>,
}

/// What is to be done about a timer that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due<'a> {
    /// The entity is elsewhere by now, or its workflow is another: nothing is to come of it.
    Void,
    /// The entity has been written since, and its time is yet to come.
    Early,
    /// To take the transition.
    Fire,
    /// To wait until then: it comes too late, and will be given up.
    Late { until: Timestamp },
    /// To give it up.
    Expire(&'a Armed),
}

impl Armed {
    /// Whether it is this transition out of this state.
    #[must_use]
    pub fn is(&self, source_state: &str, transition: &str) -> bool {
        self.source_state == source_state && self.transition == transition
    }

    fn of(transition: &Transition, schedule: Schedule, state: &str, now: Timestamp) -> Self {
        // What is told in milliseconds is exactly when it is due, and never too early.
        let now = now.as_micros().saturating_add(999).div_euclid(1_000);
        Self {
            transition: transition.name.clone(),
            source_state: state.to_owned(),
            scheduled_at: Timestamp::from_millis(now.saturating_add(schedule.delay_millis)),
            timeout_millis: schedule.timeout_millis,
        }
    }

    fn facts(&self, is_timed: bool) -> Value {
        let mut facts = object([
            ("transition", text(&self.transition)),
            ("sourceState", text(&self.source_state)),
        ]);
        if let (Value::Object(members), true) = (&mut facts, is_timed) {
            let millis = self.scheduled_at.as_micros().div_euclid(1_000);
            let at = Value::Number(Number::from(millis));
            members.insert("scheduledTime".to_owned(), at);
        }
        facts
    }
}

/// What is to be done at `now` about the timer of `transition` out of `source_state`. What comes
/// later than it may, but by no more than `grace`, is neither taken nor given up yet.
#[must_use]
pub fn due<'a>(
    (source_state, transition): (&str, &str),
    entity: &Entity<'a>,
    workflows: &[Workflow],
    (now, grace): (Timestamp, Duration),
) -> Due<'a> {
    let found = entity.armed.iter().find(|it| it.is(source_state, transition));
    let Some(armed) = found.filter(|_| entity.state == source_state) else { return Due::Void };
    let workflow = choose(workflows, entity.state, entity.workflow);
    if workflow.and_then(|it| it.scheduled(source_state, transition)).is_none() {
        return Due::Void;
    }
    if now < armed.scheduled_at {
        return Due::Early;
    }
    let Some(timeout) = armed.timeout_millis else { return Due::Fire };
    let timeout = Duration::from_millis(u64::try_from(timeout).unwrap_or(0));
    // Clients count in milliseconds, and so does this: the one it is due in is not late.
    let millis = |it: Duration| it.as_millis();
    let late = now.since(armed.scheduled_at);
    let grace = grace.min(GRACE_MAX);
    if millis(late) <= millis(timeout) {
        Due::Fire
    } else if millis(late) <= millis(timeout + grace) {
        Due::Late { until: armed.scheduled_at + timeout + grace + Duration::from_millis(1) }
    } else {
        Due::Expire(armed)
    }
}

/// What is armed once `armed` has been given up, and what is written down about it.
#[must_use]
pub fn expire(entity: &Entity<'_>, armed: &Armed, now: Timestamp) -> (Vec<Armed>, AuditEvent) {
    let left = entity.armed.iter().filter(|it| *it != armed).cloned().collect();
    let late = now.since(armed.scheduled_at).as_millis();
    let most = armed.timeout_millis.unwrap_or_default();
    let details = format!(
        "scheduled transition {} is {late} ms late, at most {most} are possible",
        armed.transition
    );
    let event = AuditEvent {
        kind: AuditKind::ScheduledTransitionExpire,
        state: entity.state.to_owned(),
        details,
        facts: Some(armed.facts(true)),
    };
    (left, event)
}

/// What is armed where the entity has come to rest, which it is from now on. Whatever else was
/// armed is called off, except for what was `fired`.
pub(super) fn rearm(
    course: &mut Course<'_, '_>,
    workflow: Option<&Workflow>,
    fired: Option<&str>,
) -> Vec<Armed> {
    let (state, now, before) = (course.state, course.run.now, course.run.entity);
    let transitions = workflow.and_then(|it| it.states.get(state)).map(|it| &it.transitions);
    let scheduled = transitions.into_iter().flatten().filter(|it| it.is_scheduled());
    let armed: Vec<Armed> =
        scheduled.filter_map(|it| Some(Armed::of(it, it.schedule?, state, now))).collect();
    for gone in before.armed {
        let Armed { transition, source_state, .. } = gone;
        let has_fired = gone.source_state == before.state && fired == Some(transition);
        if !has_fired && !armed.iter().any(|it| it.is(source_state, transition)) {
            let details = format!("scheduled transition {transition} is called off");
            course.note_with(
                AuditKind::ScheduledTransitionCancel,
                details,
                Some(gone.facts(false)),
            );
        }
    }
    for new in &armed {
        let details = format!("transition {} is scheduled", new.transition);
        course.note_with(AuditKind::ScheduledTransitionArm, details, Some(new.facts(true)));
    }
    armed
}

/// What stays armed when `transition` was due and is not possible. Nothing else has happened, so
/// nothing begins anew.
pub(super) fn without(entity: &Entity<'_>, transition: &str) -> Vec<Armed> {
    let others = entity.armed.iter().filter(|it| !it.is(entity.state, transition));
    others.cloned().collect()
}

/// What is written down when `transition` is about to be taken because its time has come.
pub(super) fn fired(course: &mut Course<'_, '_>, transition: &Transition) {
    let entity = course.run.entity;
    let armed = entity.armed.iter().find(|it| it.is(entity.state, &transition.name));
    let facts = armed.map(|it| it.facts(true));
    let details = format!("scheduled transition {} is taken", transition.name);
    course.note_with(AuditKind::ScheduledTransitionFire, details, facts);
}
