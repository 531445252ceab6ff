//! Members that steps of a type do not look at.

use waypost_machines::process::{StepSource, StepType};

use super::Definition;
use crate::{
    code,
    ledger::{At, Ledger, Note},
    source::down,
};

pub(super) fn check(definition: &Definition<'_>, ledger: &mut Ledger<'_>) {
    for (index, step) in definition.source.steps.iter().enumerate() {
        let Some(step_type) = StepType::of(&step.step_type) else { continue };
        for member in idle(step, step_type) {
            let at = At::name(down(&definition.step(index), member));
            let message = match (member, step.conditional_next_steps.is_empty()) {
                ("nextStep", false) => {
                    "conditionalNextSteps decide alone; nextStep is never taken".to_owned()
                }
                _ => format!("{member} has no effect on a {}", step.step_type),
            };
            ledger.add(Note::new(&code::P005, at, message));
        }
    }
}

/// What is written and not looked at. What a deployment refuses is told elsewhere.
fn idle(step: &StepSource, step_type: StepType) -> Vec<&'static str> {
    let rests = matches!(step_type, StepType::ServiceTask | StepType::UserTask | StepType::Wait);
    let chooses = rests || step_type == StepType::Decision;
    let goes_on = rests && step.conditional_next_steps.is_empty()
        || matches!(
            step_type,
            StepType::DecisionTable | StepType::Transformation | StepType::JoinGateway
        );
    let is = |wanted: StepType| step_type == wanted;
    let written = [
        ("nextStep", !step.next_step.is_empty(), goes_on),
        ("conditionalNextSteps", !step.conditional_next_steps.is_empty(), chooses),
        ("parallelNextSteps", !step.parallel_next_steps.is_empty(), is(StepType::ParallelGateway)),
        ("joinStep", !step.join_step.is_empty(), is(StepType::ParallelGateway)),
        ("transformations", !step.transformations.is_empty(), is(StepType::Transformation)),
        ("jobType", !step.job_type.is_empty(), is(StepType::ServiceTask) || is(StepType::UserTask)),
        ("retryCount", step.retry_count != 0, is(StepType::ServiceTask)),
        ("hitPolicy", !step.hit_policy.is_empty(), is(StepType::DecisionTable)),
        ("boundaryEvents", !step.boundary_events.is_empty(), rests),
        ("autoStartNextWorkflow", step.auto_start_next_workflow.is_some(), is(StepType::End)),
    ];
    // On a table most of these are refused.
    let is_told = |name: &str| is(StepType::DecisionTable) && name != "autoStartNextWorkflow";
    let idle = written
        .into_iter()
        .filter(|(name, is_there, counts)| *is_there && !*counts && !is_told(name));
    idle.map(|(name, ..)| name).collect()
}
