//! What does not fit to what is known beside the text: to the model, and to who is there.

use waypost_documents::{
    document::Value,
    predicate::{Path, Step},
};
use waypost_machines::entity::{
    cascade::Terms,
    criterion::limits::DEPTH_MAX,
    explain::functions,
    model::{Schema, Type, Types},
};

use super::Placed;
use crate::{
    Surroundings, code,
    ledger::{At, Ledger, Note},
    near::nearest,
    source::down,
};

pub(super) fn check(placed: &Placed<'_>, surroundings: &Surroundings, ledger: &mut Ledger<'_>) {
    if let Some(model) = &surroundings.model {
        let mut look = |guard: Option<&Value>, pointer: &str| {
            if let Some(criterion) = guard {
                paths(model, (criterion, down(pointer, "criterion")), ledger);
            }
        };
        look(placed.workflow.guard(), &placed.pointer);
        for (state, index, transition) in placed.transitions() {
            look(transition.guard(), &placed.transition(state, index));
        }
    }
    members(placed, surroundings, ledger);
}

/// Looks at the conditions inside of groups, in their order.
fn paths(model: &Schema, criterion: (&Value, String), ledger: &mut Ledger<'_>) {
    let mut pending = vec![(criterion, 0)];
    while let Some(((condition, pointer), depth)) = pending.pop() {
        let text = |name: &str| condition.member(name).and_then(Value::as_text);
        if let Some(Value::List(inner)) = condition.member("conditions")
            && depth < DEPTH_MAX
        {
            let base = down(&pointer, "conditions");
            let each = inner.iter().enumerate().rev();
            pending.extend(each.map(|(index, it)| ((it, down(&base, index)), depth + 1)));
        }
        let written = text("jsonPath").filter(|_| matches!(text("type"), Some("simple" | "array")));
        let Some((written, Ok(path))) = written.map(|it| (it, Path::parse(it))) else { continue };
        if let Some(missing) = missing(model, path.steps()) {
            let message = format!("the model has no {written:?}: {missing}");
            ledger.add(Note::new(&code::E012, At::value(down(&pointer, "jsonPath")), message));
        }
    }
}

/// What the model does not have of a way through it.
fn missing(model: &Schema, steps: &[Step]) -> Option<String> {
    let mut at = model;
    for step in steps {
        let next = match (at, step) {
            // Nothing but null has been seen here: what else there can be is not known.
            (Schema::Leaf(types), _) if *types == Types::of(Type::Null) => return None,
            (Schema::Object(members), Step::Member(name) | Step::Either(name, _)) => {
                members.get(name)
            }
            (Schema::Array { element, .. }, Step::Element(_) | Step::Either(..) | Step::Each) => {
                Some(&**element)
            }
            (Schema::Leaf(_), _)
            | (Schema::Object(_), Step::Element(_) | Step::Each)
            | (Schema::Array { .. }, Step::Member(_)) => None,
        };
        match next {
            Some(next) => at = next,
            None => return Some(told(at, step)),
        }
    }
    None
}

fn told(at: &Schema, step: &Step) -> String {
    let found = match at {
        Schema::Leaf(_) => "a single value",
        Schema::Array { .. } => "a list",
        Schema::Object(_) => "an object",
    };
    match (step, at) {
        (Step::Member(name) | Step::Either(name, _), Schema::Object(members)) => {
            match nearest(name, members.keys().map(String::as_str)) {
                Some(near) => format!("there is no member {name:?}, but {near:?}"),
                None => format!("there is no member {name:?}"),
            }
        }
        (Step::Member(name) | Step::Either(name, _), Schema::Leaf(_) | Schema::Array { .. }) => {
            format!("{found} has no member {name:?}")
        }
        (Step::Element(_) | Step::Each, _) => format!("{found} has no elements"),
    }
}

/// Looks for work that nobody is there for.
fn members(placed: &Placed<'_>, surroundings: &Surroundings, ledger: &mut Ledger<'_>) {
    let is_unserved = |tags: &Vec<String>| surroundings.served.get(tags) == Some(&false);
    for (state, at, transition) in placed.transitions().filter(|(_, _, it)| !it.is_disabled) {
        let pointer = placed.transition(state, at);
        for (index, processor) in transition.processors.iter().enumerate() {
            let tags = Terms::from(&processor.config).tags;
            if is_unserved(&tags) {
                let place = down(&down(&down(&pointer, "processors"), index), "name");
                let message = unserved("processor", &processor.name, &tags);
                ledger.add(Note::new(&code::E013, At::value(place), message));
            }
        }
        for function in transition.guard().map(functions).unwrap_or_default() {
            if is_unserved(&function.tags) {
                let message = unserved("function", &function.name, &function.tags);
                let place = At::value(down(&pointer, "criterion"));
                ledger.add(Note::new(&code::E013, place, message));
            }
        }
    }
}

fn unserved(what: &str, name: &str, tags: &[String]) -> String {
    match tags {
        [] => format!("no member is there for {what} {name:?}"),
        tags => format!("no member is there for {what} {name:?} with tags {:?}", tags.join(",")),
    }
}
