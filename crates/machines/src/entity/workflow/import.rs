//! Takes workflows in: reads the request, checks it, and merges it with what the model has.

use std::{collections::BTreeSet, fmt};

use indexmap::IndexMap;
use waypost_documents::document::Value;

use super::{
    Malformed, Rules, Workflow, bounds, limits,
    read::{Object, Place, workflow},
    validate,
};

/// Why an import changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request is not of the expected shape.
    Malformed(Malformed),
    /// What it holds breaks rules: all that were found.
    Invalid(Vec<String>),
}

/// The workflows of a model after the import `body`, given those it has.
///
/// # Errors
/// When the body is not of the expected shape, or breaks a rule.
pub fn import(
    existing: &[Workflow],
    body: &Value,
    rules: &Rules<'_>,
) -> Result<Vec<Workflow>, Refusal> {
    let request = Object::of(body, &Place::Root)?;
    let mode = request.text("importMode")?;
    let mode = Mode::named(&mode)?;
    let mut incoming = request.list("workflows", workflow)?;
    for workflow in &mut incoming {
        workflow.is_active = true;
    }
    let mut problems = mode.problem(&incoming).map_or_else(Vec::new, |it| vec![it]);
    problems.extend(validate::problems(&incoming, rules));
    let merged = mode.merge(existing, incoming);
    if !request.flag("allowCycles")? {
        problems.extend(merged.iter().filter_map(validate::loop_problem));
    }
    problems.extend(bounds::problems(&merged));
    if problems.is_empty() { Ok(merged) } else { Err(Refusal::Invalid(problems)) }
}

/// What becomes of the workflows that the model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Those of the same name are replaced where they stand; new ones follow.
    Merge,
    /// All of them go.
    Replace,
    /// Those of the same name are replaced, at the end; all others are no longer active.
    Activate,
}

impl Mode {
    fn named(name: &str) -> Result<Self, Malformed> {
        match name.to_ascii_uppercase().as_str() {
            "" | "MERGE" => Ok(Self::Merge),
            "REPLACE" => Ok(Self::Replace),
            "ACTIVATE" => Ok(Self::Activate),
            _ => {
                let found = validate::shown(name);
                let problem = format!("expected MERGE, REPLACE or ACTIVATE, found {found}");
                Err(Malformed { place: "importMode".to_owned(), problem })
            }
        }
    }

    /// Nobody means to take away all behavior of a model by sending nothing.
    fn problem(self, incoming: &[Workflow]) -> Option<String> {
        let name = match self {
            Self::Merge => return None,
            Self::Replace => "REPLACE",
            Self::Activate => "ACTIVATE",
        };
        incoming.is_empty().then(|| format!("{name} needs at least one workflow"))
    }

    fn merge(self, existing: &[Workflow], incoming: Vec<Workflow>) -> Vec<Workflow> {
        match self {
            Self::Merge => {
                let named = |it: Workflow| (it.name.clone(), it);
                let mut merged: IndexMap<_, _> = existing.iter().cloned().map(named).collect();
                merged.extend(incoming.into_iter().map(named));
                merged.into_values().collect()
            }
            Self::Replace => incoming,
            Self::Activate => {
                let names: BTreeSet<&str> = incoming.iter().map(|it| it.name.as_str()).collect();
                let others = existing.iter().filter(|it| !names.contains(it.name.as_str()));
                let retired = others.map(|it| Workflow { is_active: false, ..it.clone() });
                retired.collect::<Vec<_>>().into_iter().chain(incoming).collect()
            }
        }
    }
}

impl From<Malformed> for Refusal {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(malformed) => malformed.fmt(out),
            Self::Invalid(problems) => {
                let shown = problems.get(..limits::PROBLEMS_SHOWN_MAX).unwrap_or(problems);
                out.write_str(&shown.join("; "))?;
                match problems.len() - shown.len() {
                    0 => Ok(()),
                    n_more => write!(out, "; and {n_more} more"),
                }
            }
        }
    }
}

impl std::error::Error for Refusal {}
