//! Members of an import that nobody reads.

use crate::{
    code,
    ledger::{At, Ledger, Note},
    lint::Subject,
    near::nearest,
    source::{Node, down},
};

const ROOT: [&str; 6] =
    ["importMode", "workflows", "allowCycles", "entityName", "modelVersion", "$schema"];
const WORKFLOW: [&str; 7] =
    ["version", "name", "desc", "initialState", "active", "criterion", "states"];
const STATE: [&str; 1] = ["transitions"];
const TRANSITION: [&str; 7] =
    ["name", "next", "manual", "disabled", "criterion", "processors", "schedule"];
const SCHEDULE: [&str; 2] = ["delayMs", "timeoutMs"];
const PROCESSOR: [&str; 4] = ["type", "name", "executionMode", "config"];
const CONFIG: [&str; 5] =
    ["attachEntity", "calculationNodesTags", "responseTimeoutMs", "retryPolicy", "context"];

pub(super) fn check(subject: &Subject<'_>, ledger: &mut Ledger<'_>) {
    let mut look = |node: &Node, pointer: &str, known: &[&str]| {
        let unknown = node.members().iter().filter(|it| !known.contains(&it.name.as_str()));
        for member in unknown {
            if ledger.is_full() {
                return;
            }
            let message = match nearest(&member.name, known.iter().copied()) {
                Some(near) => format!("nobody reads {:?}; {near:?} is read", member.name),
                None => format!("nobody reads {:?}", member.name),
            };
            ledger.add(Note::new(&code::E010, At::name(down(pointer, &member.name)), message));
        }
    };
    look(subject.node, &subject.pointer, &ROOT);
    for (workflow, pointer) in elements(subject.node, &subject.pointer, "workflows") {
        look(workflow, &pointer, &WORKFLOW);
        let states = down(&pointer, "states");
        for state in workflow.find("/states").node.members() {
            let pointer = down(&states, &state.name);
            look(&state.node, &pointer, &STATE);
            for (transition, pointer) in elements(&state.node, &pointer, "transitions") {
                look(transition, &pointer, &TRANSITION);
                if let Some(schedule) = transition.member("schedule") {
                    look(&schedule.node, &down(&pointer, "schedule"), &SCHEDULE);
                }
                for (processor, pointer) in elements(transition, &pointer, "processors") {
                    look(processor, &pointer, &PROCESSOR);
                    if let Some(config) = processor.member("config") {
                        look(&config.node, &down(&pointer, "config"), &CONFIG);
                    }
                }
            }
        }
    }
}

fn elements<'t>(node: &'t Node, pointer: &str, name: &str) -> Vec<(&'t Node, String)> {
    let base = down(pointer, name);
    let elements = node.member(name).into_iter().flat_map(|it| it.node.elements());
    elements.enumerate().map(|(index, it)| (it, down(&base, index))).collect()
}
