//! Definitions of chains: read when a chain starts, and never again.

use serde::{Deserialize, Serialize};

use super::{Policy, limits};

/// A named and versioned line of steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plan {
    pub workflow_type: String,
    pub workflow_version: i32,
    pub steps: Vec<PlannedStep>,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlannedStep {
    pub step_type: String,
    /// The policy's if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
}

impl Plan {
    /// Everything that is wrong with it, each with its place.
    #[must_use]
    pub fn violations(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut note = |place: String, problem: Option<String>| {
            found.extend(problem.map(|problem| (place, problem)));
        };
        note("workflowType".into(), name_problem(&self.workflow_type));
        let no_version = (self.workflow_version < 1).then(|| "must be at least 1".to_owned());
        note("workflowVersion".into(), no_version);
        note("steps".into(), length_problem(self.steps.len()));
        for (index, step) in self.steps.iter().enumerate().take(limits::STEPS_MAX) {
            note(format!("steps[{index}].stepType"), name_problem(&step.step_type));
        }
        found
    }

    /// The steps with their ceilings of attempts, as a chain started now would have them.
    #[must_use]
    pub fn resolve(&self, policy: &Policy) -> Vec<(String, u32)> {
        let attempts = |step: &PlannedStep| {
            step.max_attempts
                .unwrap_or_else(|| policy.max_attempts(&self.workflow_type, &step.step_type))
        };
        self.steps.iter().map(|step| (step.step_type.clone(), attempts(step))).collect()
    }
}

/// What is wrong with a number of steps, if anything is.
pub(super) fn length_problem(steps: usize) -> Option<String> {
    match steps {
        0 => Some("must have at least one step".into()),
        1..=limits::STEPS_MAX => None,
        _ => Some(format!("must have at most {} steps, has {steps}", limits::STEPS_MAX)),
    }
}

/// What is wrong with a name, if anything is.
pub(super) fn name_problem(name: &str) -> Option<String> {
    if name.trim().is_empty() {
        return Some("must not be blank".into());
    }
    if name.chars().any(char::is_control) {
        return Some("must not contain control characters".into());
    }
    let length = name.chars().count();
    let most = limits::NAME_MAX;
    (length > most).then(|| format!("must have at most {most} characters, has {length}"))
}
