//! What is wrong with chain definitions.

use std::collections::BTreeMap;

use waypost_machines::chain::Plan;

use crate::{
    code,
    ledger::{At, Ledger, Note},
    lint::Subject,
    source::{down, pointer_of},
};

pub(crate) fn check(subject: &Subject<'_>, ledger: &mut Ledger<'_>) {
    let plan = match read(subject.own_text()) {
        Ok(plan) => plan,
        Err((place, problem)) => {
            let at = At::value(pointer_of(&subject.pointer, &place));
            return ledger.add(Note::new(&code::C001, at, problem));
        }
    };
    for (place, problem) in plan.violations() {
        let at = At::value(pointer_of(&subject.pointer, &place));
        ledger.add(Note::new(&code::C002, at, format!("{place} {problem}")));
    }
    repeats(subject, &plan, ledger);
    for (index, step) in plan.steps.iter().enumerate() {
        if step.max_attempts == Some(0) {
            let at = down(&down(&subject.at("steps"), index), "maxAttempts");
            let message = format!("{:?} has no attempt to fail", step.step_type);
            ledger.add(Note::new(&code::C004, At::value(at), message));
        }
    }
}

fn repeats(subject: &Subject<'_>, plan: &Plan, ledger: &mut Ledger<'_>) {
    let mut seen: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for (index, step) in plan.steps.iter().enumerate() {
        let name = step.step_type.as_str();
        let at = |index| At::value(down(&down(&subject.at("steps"), index), "stepType"));
        match seen.get(&name.to_lowercase()) {
            Some((first, same)) if *same == name => ledger.add(
                Note::new(&code::C003, at(index), format!("{name:?} is done twice"))
                    .related(at(*first), "here first"),
            ),
            Some((first, other)) => ledger.add(
                Note::new(&code::C005, at(index), format!("{name:?} is not {other:?}"))
                    .related(at(*first), "written so here"),
            ),
            None => drop(seen.insert(name.to_lowercase(), (index, name))),
        }
    }
}

/// Where it cannot be read, and why.
fn read(text: &str) -> Result<Plan, (String, String)> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| (error.path().to_string(), told(&error.inner().to_string())))
}

/// A problem without its place, which is shown anyway.
pub(crate) fn told(problem: &str) -> String {
    problem.split(" at line ").next().unwrap_or(problem).to_owned()
}
