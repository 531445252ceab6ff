//! How much the workflows of one model may be together: all of them are kept as one, and made ready
//! at once.

use waypost_documents::{document::Value, predicate::Operator};

use super::{Workflow, limits, stored};

/// What is too much, if something is.
pub(super) fn problems(workflows: &[Workflow]) -> Vec<String> {
    let n_patterns: usize = workflows.iter().map(n_patterns).sum();
    let n_bytes = stored(workflows).len();
    let checks = [
        (n_patterns, limits::PATTERNS_MAX, "regular expressions"),
        (n_bytes, limits::BYTES_MAX, "bytes"),
    ];
    let too_many = checks.iter().filter(|(found, max, _)| found > max);
    let problem = |(found, max, what): &(usize, usize, &str)| {
        format!("the workflows of a model have at most {max} {what} together, these have {found}")
    };
    too_many.map(problem).collect()
}

fn n_patterns(workflow: &Workflow) -> usize {
    let transitions = workflow.states.values().flat_map(|it| &it.transitions);
    let guards = transitions.filter_map(|it| it.guard()).chain(workflow.guard());
    guards.map(patterns_in).sum()
}

fn patterns_in(condition: &Value) -> usize {
    match condition {
        Value::List(values) => values.iter().map(patterns_in).sum(),
        Value::Object(members) => {
            let is_pattern = |(name, value): &(&String, &Value)| {
                ["operatorType", "operator", "operation"].contains(&name.as_str())
                    && value.as_text().and_then(Operator::named) == Some(Operator::MatchesPattern)
            };
            let own = members.iter().filter(is_pattern).count().min(1);
            own + members.values().map(patterns_in).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => 0,
    }
}
