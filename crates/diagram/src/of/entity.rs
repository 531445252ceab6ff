//! Entities: states, and the transitions between them with what they ask and whom they run.

use waypost_machines::entity::{
    told,
    workflow::{Schedule, State, Transition, Workflow},
};

use super::{add_missing, begin, edge, node};
use crate::picture::{Edge, Kind, Picture, Style};

/// The picture of a workflow. Transitions that are disabled are as if they were not there.
#[must_use]
pub fn picture(workflow: &Workflow) -> Picture {
    let mut picture = Picture { title: workflow.name.clone(), ..Picture::default() };
    for (name, state) in &workflow.states {
        let ways: Vec<Edge> = live(state).map(|it| way(name, it)).collect();
        let kind = if ways.is_empty() { Kind::Terminal } else { Kind::State };
        picture.nodes.push(node(name, name, String::new(), kind));
        picture.edges.extend(ways);
    }
    begin(&mut picture, &workflow.initial_state);
    add_missing(&mut picture);
    picture
}

fn live(state: &State) -> impl Iterator<Item = &Transition> {
    state.transitions.iter().filter(|it| !it.is_disabled)
}

fn way(from: &str, transition: &Transition) -> Edge {
    let mut lines = vec![transition.name.clone()];
    lines.extend(transition.schedule.map(|it| format!("after {}", span(it))));
    lines.extend(transition.guard().map(|it| format!("if {}", told::shown(it))));
    lines.extend(transition.processors.iter().map(|it| format!("runs {}", it.name)));
    let style = match (transition.schedule, transition.is_manual) {
        (Some(_), _) => Style::Timer,
        (None, true) => Style::Manual,
        (None, false) => Style::Automatic,
    };
    edge(from, &transition.next, lines.join("\n"), style)
}

/// How long it takes, as `1d 12h`.
fn span(schedule: Schedule) -> String {
    let units = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1)];
    let mut left = schedule.delay_millis;
    let mut shown = Vec::new();
    for (unit, millis) in units {
        if left >= millis {
            shown.push(format!("{}{unit}", left / millis));
            left %= millis;
        }
    }
    shown.join(" ")
}
