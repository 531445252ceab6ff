//! What of a line of steps was come to: each step done, failed, and out of time once it waited.

use std::collections::BTreeSet;

use waypost_machines::chain::{Event, Plan};

use super::{Kind, Point, point};

pub(super) fn points(plan: &Plan) -> Vec<Point> {
    let of =
        |(index, name): (usize, &str)| [point(Kind::Step, name, index, name), failure(name, index)];
    plan.steps.iter().map(|it| it.step_type.as_str()).enumerate().flat_map(of).collect()
}

pub(super) fn hits(all: &[Point], events: &[&Event]) -> BTreeSet<Point> {
    let named = |kind: Kind, step: usize| {
        all.iter().find(move |it| it.kind == kind && it.place.1 == step).cloned()
    };
    let hit = |event: &&&Event| match event {
        Event::StepDone { step, .. } => named(Kind::Step, *step),
        Event::StepRetried { step, .. }
        | Event::StepLapsed { step, .. }
        | Event::StepDead { step, .. } => named(Kind::Failure, *step),
        Event::Started { .. }
        | Event::StepReady { .. }
        | Event::StepWaiting { .. }
        | Event::StepWoken { .. }
        | Event::SignalBuffered { .. }
        | Event::SignalsDiscarded { .. }
        | Event::ContextPatched { .. }
        | Event::Completed { .. }
        | Event::Failed { .. }
        | Event::Canceled { .. }
        | Event::Asked(_) => None,
    };
    events.iter().filter_map(|it| hit(&it)).collect()
}

fn failure(step: &str, index: usize) -> Point {
    point(Kind::Failure, step, index, format!("{step} fails"))
}
