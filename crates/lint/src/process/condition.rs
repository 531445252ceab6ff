//! Conditions of decisions and of steps that choose where to go on, and other expressions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use waypost_machines::process::{
    Choice, Work,
    expression::{Assignment, Coercion, Compiled, ExpressionError, Limits},
};

use super::{
    Definition,
    flow::{Flow, has},
    space::{Budget, Domain, Space},
    types::{mismatch, never_boolean},
};
use crate::{
    code,
    ledger::{At, Ledger, Note},
    source::down,
};

/// Conditions that one is compared with. Nobody writes more for one step.
const SAME_MAX: usize = 100;

/// Texts of one variable that are tried.
const TEXTS_MAX: usize = 100;

/// What one condition came to, over all inputs.
#[derive(Clone, Default)]
struct Tally {
    /// Whether it held for some input, chosen or not.
    holds: bool,
    is_chosen: bool,
    /// An input for which it held, and the condition that was chosen instead.
    behind: Option<(Value, usize)>,
}

/// Conditions of a definition without a sound graph: only whether they can be read.
pub(super) fn check_written(definition: &Definition<'_>, ledger: &mut Ledger<'_>) {
    for (index, step) in definition.source.steps.iter().enumerate() {
        for condition in step.conditional_next_steps.keys() {
            if let Err(error) = Compiled::parse(condition, Limits::default()) {
                unread(&place(definition, index, condition), &error, ledger);
            }
        }
    }
}

pub(super) fn check(
    definition: &Definition<'_>,
    flow: &Flow<'_>,
    budget: &mut Budget,
    ledger: &mut Ledger<'_>,
) {
    let (answers, literals) = (answers(flow), literals(definition));
    for (index, step) in flow.graph.steps().iter().enumerate() {
        let offers_all = has(&answers, index);
        let choices = match &step.work {
            Work::Decide(choices) => choices,
            Work::Service { exit, .. } | Work::User { exit, .. } | Work::Wait { exit } => {
                &exit.choices
            }
            Work::Transform { assignments, .. } => {
                let base = down(&definition.step(index), "transformations");
                assigned(&base, assignments, &code::P030, ledger);
                continue;
            }
            Work::Table { .. } | Work::Fork { .. } | Work::Join { .. } | Work::End { .. } => {
                continue;
            }
        };
        let chosen = Chosen { step: index, choices, offers_all, literals: &literals };
        choose(definition, &chosen, budget, ledger);
    }
}

/// Conditions of one step.
struct Chosen<'g> {
    step: usize,
    choices: &'g [Choice],
    /// Whether they are what a person was asked: then the texts they name are all there are.
    offers_all: bool,
    literals: &'g Literals,
}

/// The texts that the definition itself sets variables to.
type Literals = BTreeMap<String, BTreeSet<String>>;

/// Steps at which the conditions are about what a person has just answered.
fn answers(flow: &Flow<'_>) -> Vec<bool> {
    let is_person = |it: usize| matches!(flow.step(it).map(|it| &it.work), Some(Work::User { .. }));
    let before = flow.reversed(|it| flow.all(it).collect());
    let each = before.iter().enumerate();
    each.map(|(index, it)| is_person(index) || !it.is_empty() && it.iter().all(|it| is_person(*it)))
        .collect()
}

fn place(definition: &Definition<'_>, step: usize, condition: &str) -> At {
    At::name(down(&down(&definition.step(step), "conditionalNextSteps"), condition))
}

fn unread(at: &At, error: &ExpressionError, ledger: &mut Ledger<'_>) {
    let span = error.span();
    let at = at.clone().part((span.start, span.end.max(span.start + 1)));
    ledger.add(Note::new(&code::P030, at, error.cause().to_string()));
}

/// Tells of assignments that cannot be read.
pub(super) fn assigned(
    base: &str,
    assignments: &[(String, Assignment)],
    code: &'static crate::Code,
    ledger: &mut Ledger<'_>,
) {
    for (name, assignment) in assignments {
        if let Assignment::Malformed(error) = assignment {
            let span = error.span();
            let at = At::value(down(base, name)).part((span.start, span.end.max(span.start + 1)));
            ledger.add(Note::new(code, at, error.cause().to_string()));
        }
    }
}

fn choose(
    definition: &Definition<'_>,
    chosen: &Chosen<'_>,
    budget: &mut Budget,
    ledger: &mut Ledger<'_>,
) {
    let before = ledger.len();
    let mut read = Vec::new();
    for choice in chosen.choices {
        let at = place(definition, chosen.step, &choice.source);
        match &choice.condition {
            Err(error) => unread(&at, error, ledger),
            Ok(compiled) => {
                of_types(&at, compiled, ledger);
                read.push(compiled);
            }
        }
    }
    // Where one of them fails the others are not what matters.
    if read.is_empty() || ledger.has_errors_since(before) {
        return;
    }
    let outcome = try_out(definition, (chosen, &read), budget);
    tell(definition, chosen, &outcome, ledger);
    if let Some(example) = outcome.gap {
        let id = definition.source.steps.get(chosen.step).map_or("", |it| it.id.as_str());
        let message = format!("no condition of {id:?} holds for {example}");
        let at = At::name(down(&definition.step(chosen.step), "conditionalNextSteps"));
        ledger.add(Note::new(&code::P036, at, message).example(example));
    }
}

fn of_types(at: &At, compiled: &Compiled, ledger: &mut Ledger<'_>) {
    if let Some(found) = never_boolean(compiled) {
        let message = format!("the condition comes to {found}");
        ledger.add(Note::new(&code::P031, at.clone(), message));
    } else if let Some(it) = mismatch(compiled) {
        let message = format!("{} {} {}", it.left, it.operator, it.right);
        ledger.add(Note::new(&code::P034, at.clone().part(it.span), message));
    }
}

/// What the conditions of one step came to, and an input for which none of them holds.
struct Outcome {
    tallies: Vec<Tally>,
    gap: Option<Value>,
    is_complete: bool,
}

fn try_out(
    definition: &Definition<'_>,
    (chosen, read): (&Chosen<'_>, &[&Compiled]),
    budget: &mut Budget,
) -> Outcome {
    let tallies = vec![Tally::default(); read.len()];
    let mut outcome = Outcome { tallies, gap: None, is_complete: false };
    if !budget.allows(read.len()) {
        return outcome;
    }
    let domain = |name: &str| Domain {
        is_whole: is_whole(definition, name),
        texts: chosen.literals.get(name).cloned().unwrap_or_default(),
        offers_all: chosen.offers_all,
    };
    let inputs = Space::of(read.iter().copied()).inputs(&domain);
    outcome.is_complete = inputs.are_complete();
    for input in inputs.iter() {
        if !budget.take(read.len()) {
            outcome.is_complete = false;
            break;
        }
        let held = |it: &&Compiled| it.evaluate(&input.variables, Coercion::default()).ok();
        let held: Vec<Option<Value>> = read.iter().map(held).collect();
        let first = held.iter().position(|it| *it != Some(Value::Bool(false)));
        let example = || Value::Object(input.variables.clone());
        match first {
            None if input.is_natural => drop(outcome.gap.get_or_insert_with(example)),
            Some(first) if held.get(first) == Some(&Some(Value::Bool(true))) => {
                count(&mut outcome.tallies, &held, first, &example);
            }
            None | Some(_) => {}
        }
    }
    outcome
}

fn count(tallies: &mut [Tally], held: &[Option<Value>], first: usize, example: &dyn Fn() -> Value) {
    for (index, (tally, held)) in tallies.iter_mut().zip(held).enumerate() {
        let holds = *held == Some(Value::Bool(true));
        tally.holds |= holds;
        tally.is_chosen |= index == first;
        if holds && index > first && tally.behind.is_none() {
            tally.behind = Some((example(), first));
        }
    }
}

fn tell(
    definition: &Definition<'_>,
    chosen: &Chosen<'_>,
    outcome: &Outcome,
    ledger: &mut Ledger<'_>,
) {
    let Chosen { step, choices, .. } = *chosen;
    let are_complete = outcome.is_complete;
    let at = |index: usize| {
        place(definition, step, choices.get(index).map_or("", |it| it.source.as_str()))
    };
    for (index, (tally, choice)) in outcome.tallies.iter().zip(choices).enumerate() {
        let same = || choices.iter().take(index.min(SAME_MAX)).position(|it| is_same(it, choice));
        let written = choice.source.trim();
        if tally.is_chosen {
            continue;
        }
        if let Some(first) = same() {
            let message = format!("{written:?} was asked before");
            let note = Note::new(&code::P033, at(index), message);
            ledger.add(note.related(at(first), "this asks the same, and holds first"));
        } else if let Some((example, first)) = tally.behind.clone().filter(|_| are_complete) {
            let message = format!("{written:?} never decides; for {example} another holds first");
            let note = Note::new(&code::P033, at(index), message).example(example);
            ledger.add(note.related(at(first), "this holds first"));
        } else if are_complete && !tally.holds {
            let message = format!("{written:?} never holds");
            ledger.add(Note::new(&code::P032, at(index), message));
        }
    }
}

fn is_same(one: &Choice, other: &Choice) -> bool {
    match (&one.condition, &other.condition) {
        (Ok(one), Ok(other)) => one.expression().is_same_as(other.expression()),
        (Ok(_) | Err(_), _) => false,
    }
}

fn literals(definition: &Definition<'_>) -> Literals {
    let mut literals = Literals::new();
    let steps = definition.source.steps.iter();
    let rules = steps.clone().filter_map(|it| it.decision_table.as_ref()).flat_map(|it| &it.rules);
    let set = rules.flat_map(|it| &it.outputs);
    for (name, value) in set.chain(steps.flat_map(|it| &it.transformations)) {
        if let Assignment::Literal(Value::String(text)) =
            Assignment::parse(value, Limits::default())
        {
            let texts = literals.entry(name.clone()).or_default();
            if texts.len() < TEXTS_MAX {
                texts.insert(text);
            }
        }
    }
    literals
}

/// Whether the definition says that a variable is a whole number.
pub(super) fn is_whole(definition: &Definition<'_>, name: &str) -> bool {
    let property = definition.source.input_schema.as_ref().and_then(|it| it.properties.get(name));
    property.is_some_and(|it| it.value_type == "integer")
}
