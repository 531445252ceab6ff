//! What is wrong with process definitions.

mod circle;
mod condition;
mod end;
mod flow;
mod join;
mod member;
mod name;
mod refused;
mod space;
mod table;
mod types;

use waypost_machines::process::{Graph, Source, expression::Coercion};

use self::{flow::Flow, space::Budget};
use crate::{
    chain::told,
    code,
    ledger::{At, Ledger, Note},
    lint::Subject,
    near::nearest,
    source::{down, pointer_of},
};

/// A definition that can be read, and where it stands.
struct Definition<'t> {
    source: &'t Source,
    subject: &'t Subject<'t>,
}

impl Definition<'_> {
    /// The pointer of a step.
    fn step(&self, index: usize) -> String {
        down(&self.subject.at("steps"), index)
    }

    /// A step, as a finding points at it: by its id.
    fn at(&self, index: usize) -> At {
        At::value(down(&self.step(index), "id"))
    }
}

pub(crate) fn check(subject: &Subject<'_>, ledger: &mut Ledger<'_>) {
    let source = match Source::parse(subject.own_text()) {
        Ok(source) => source,
        Err(problem) => return malformed(subject, &problem, ledger),
    };
    let definition = Definition { source: &source, subject };
    refused::check(&definition, ledger);
    member::check(&definition, ledger);
    name::check(&definition, ledger);
    let Ok(graph) = Graph::new(&source, 1, Coercion::default()) else {
        // What has no sound graph still has conditions that can be read.
        return condition::check_written(&definition, ledger);
    };
    let flow = Flow::new(&graph);
    let mut budget = Budget::default();
    condition::check(&definition, &flow, &mut budget, ledger);
    table::check(&definition, &graph, &mut budget, ledger);
    join::check(&definition, &flow, ledger);
    let circles = circle::check(&definition, &flow, ledger);
    end::check(&definition, &flow, &circles, ledger);
}

/// The engine tells the place as `steps[3].retryCount: …`.
fn malformed(subject: &Subject<'_>, problem: &str, ledger: &mut Ledger<'_>) {
    let is_place = |it: &&str| {
        !it.is_empty() && it.chars().all(|it| it.is_alphanumeric() || "_.[]-".contains(it))
    };
    let place = problem.split(": ").next().filter(is_place);
    let message = match place {
        Some(place) => problem.strip_prefix(place).unwrap_or(problem).trim_start_matches(": "),
        None => problem,
    };
    let at = pointer_of(&subject.pointer, place.unwrap_or_default());
    let is_unknown = message.starts_with("unknown field");
    let at = if is_unknown { At::name(at) } else { At::value(at) };
    ledger.add(Note::new(&code::P001, at, shortened(&told(message))));
}

/// The reader lists every member it knows; the one that was probably meant is enough.
fn shortened(message: &str) -> String {
    let Some((unknown, known)) = message.split_once(", expected one of ") else {
        return message.to_owned();
    };
    let name = unknown.split('`').nth(1).unwrap_or_default();
    match nearest(name, known.split('`').skip(1).step_by(2)) {
        Some(near) => format!("{unknown}; `{near}` is known"),
        None => unknown.to_owned(),
    }
}
