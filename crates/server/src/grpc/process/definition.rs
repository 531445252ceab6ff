//! Definitions as the protocol carries them, from and to the text that is stored.

use std::collections::{BTreeMap, HashMap};

use prost_types::{Struct, Value as Wire};
use serde_json::{Map, Value, json};
use tonic::Status;
use waypost_api::grpc::workflow::{
    BoundaryEvent, BoundaryEventType, DecisionTable, DecisionTableRule, StepType,
    WorkflowDefinition, WorkflowStep,
};
use waypost_engine::process::{self, BoundarySource, Source, StepSource, TableSource};
use waypost_kernel::Definition;

use super::convert;
use crate::grpc::values::{self, Misfit, from_struct, items, to_struct, to_wire};

/// The text of a definition.
pub(super) fn to_text(definition: WorkflowDefinition) -> Result<String, Misfit> {
    text(definition).map_err(|it| it.within("definition"))
}

fn text(definition: WorkflowDefinition) -> Result<String, Misfit> {
    let steps = items(definition.steps, step).map_err(|it| it.within(".steps"))?;
    let mut members = given([
        ("id", definition.id.into()),
        ("name", definition.name.into()),
        ("description", definition.description.into()),
        ("autoStartNextWorkflow", definition.auto_start_next_workflow.into()),
        ("nextWorkflowId", definition.next_workflow_id.into()),
        ("steps", steps.into()),
    ]);
    let optional = [("metadata", definition.metadata), ("input_schema", definition.input_schema)];
    add_structs(&mut members, optional)?;
    Ok(Value::Object(members).to_string())
}

/// Members that say something.
fn given<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    let is_given = |(_, value): &(&str, Value)| match value {
        Value::String(it) => !it.is_empty(),
        Value::Array(it) => !it.is_empty(),
        Value::Object(it) => !it.is_empty(),
        Value::Bool(it) => *it,
        Value::Number(it) => it.as_i64() != Some(0),
        Value::Null => false,
    };
    let members = members.into_iter().filter(is_given);
    members.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn add_structs<const N: usize>(
    members: &mut Map<String, Value>,
    structs: [(&str, Option<Struct>); N],
) -> Result<(), Misfit> {
    for (name, value) in structs {
        if value.is_some() {
            let value = from_struct(&format!(".{name}"), value)?;
            members.insert(name.to_owned(), Value::Object(value));
        }
    }
    Ok(())
}

fn step(step: WorkflowStep) -> Result<Value, Misfit> {
    let step_type = type_name(step.r#type)?;
    let events = items(step.boundary_events, boundary);
    let events = events.map_err(|it| it.within(".boundary_events"))?;
    let mut members = given([
        ("id", step.id.into()),
        ("name", step.name.into()),
        ("type", step_type.into()),
        ("description", step.description.into()),
        ("nextStep", step.next_step.into()),
        ("parallelNextSteps", step.parallel_next_steps.into()),
        ("joinStep", step.join_step.into()),
        ("conditionalNextSteps", sorted(step.conditional_next_steps)),
        ("transformations", values("transformations", step.transformations)?),
        ("jobType", step.job_type.into()),
        ("delegateClass", step.delegate_class.into()),
        ("retryCount", step.retry_count.into()),
        ("hitPolicy", step.hit_policy.into()),
        ("boundaryEvents", events.into()),
    ]);
    if let Some(starts_next) = step.auto_start_next_workflow {
        members.insert("autoStartNextWorkflow".to_owned(), starts_next.into());
    }
    if let Some(table) = step.decision_table {
        let rules = items(table.rules, rule).map_err(|it| it.within(".decision_table.rules"))?;
        members.insert("decisionTable".to_owned(), json!({ "rules": rules }));
    }
    add_structs(&mut members, [("outputs_schema", step.outputs_schema)])?;
    Ok(Value::Object(members))
}

/// A map has no order on the wire; sorted, it has the same one each time.
fn sorted(map: HashMap<String, String>) -> Value {
    let sorted: BTreeMap<String, String> = map.into_iter().collect();
    let members = sorted.into_iter().map(|(name, text)| (name, Value::String(text)));
    Value::Object(members.collect())
}

fn values(field: &str, map: HashMap<String, Wire>) -> Result<Value, Misfit> {
    let sorted: BTreeMap<String, Wire> = map.into_iter().collect();
    let members = values::members(sorted).map_err(|it| it.within(format_args!(".{field}")))?;
    Ok(Value::Object(members))
}

fn type_name(number: i32) -> Result<&'static str, Misfit> {
    let step_type = StepType::try_from(number)
        .map_err(|_| Misfit::new(format!("no step type has number {number}")).within(".type"))?;
    let known = process::StepType::ALL.iter().find(|it| convert::step_type(**it) == step_type);
    Ok(known.map_or("", |it| it.as_str()))
}

fn rule(rule: DecisionTableRule) -> Result<Value, Misfit> {
    Ok(json!({ "when": sorted(rule.when), "outputs": values("outputs", rule.outputs)? }))
}

fn boundary(event: BoundaryEvent) -> Result<Value, Misfit> {
    let number = event.r#type;
    let event_type = match BoundaryEventType::try_from(number) {
        Ok(BoundaryEventType::Timer) => "TIMER",
        Ok(BoundaryEventType::Unspecified) => "",
        Err(_) => {
            let text = format!("no boundary event type has number {number}");
            return Err(Misfit::new(text).within(".type"));
        }
    };
    Ok(json!({
        "type": event_type,
        "duration": event.duration,
        "interrupting": event.interrupting,
        "targetStepId": event.target_step_id,
    }))
}

/// A stored definition, all of it.
pub(super) fn from_stored(definition: &Definition) -> Result<WorkflowDefinition, Status> {
    let broken = |problem: String| Status::internal(format!("internal error: {problem}"));
    let source = Source::parse(definition.body.as_str()).map_err(broken)?;
    let metadata = source.metadata.as_ref().map(|it| it.read::<Map<String, Value>>());
    let metadata = metadata.transpose().map_err(|error| broken(error.to_string()))?;
    Ok(WorkflowDefinition {
        id: source.id,
        version: definition.which.version,
        name: source.name,
        description: source.description,
        auto_start_next_workflow: source.auto_start_next_workflow,
        next_workflow_id: source.next_workflow_id,
        steps: source.steps.into_iter().map(from_step).collect(),
        metadata: metadata.as_ref().map(to_struct),
        input_schema: source.input_schema.as_ref().and_then(as_struct),
    })
}

fn as_struct(value: &impl serde::Serialize) -> Option<Struct> {
    let value = serde_json::to_value(value).ok()?;
    value.as_object().map(to_struct)
}

fn from_step(step: StepSource) -> WorkflowStep {
    let step_type = process::StepType::of(&step.step_type);
    let wire = |(name, value): (String, Value)| (name, to_wire(&value));
    WorkflowStep {
        id: step.id,
        name: step.name,
        r#type: step_type.map_or(StepType::Unspecified, convert::step_type).into(),
        description: step.description,
        next_step: step.next_step,
        parallel_next_steps: step.parallel_next_steps,
        join_step: step.join_step,
        conditional_next_steps: step.conditional_next_steps.into_iter().collect(),
        transformations: step.transformations.into_iter().map(wire).collect(),
        job_type: step.job_type,
        delegate_class: step.delegate_class,
        retry_count: i32::try_from(step.retry_count).unwrap_or(i32::MAX),
        boundary_events: step.boundary_events.into_iter().map(from_boundary).collect(),
        decision_table: step.decision_table.map(from_table),
        hit_policy: step.hit_policy,
        outputs_schema: step.outputs_schema.as_ref().and_then(as_struct),
        auto_start_next_workflow: step.auto_start_next_workflow,
    }
}

fn from_table(table: TableSource) -> DecisionTable {
    let wire = |(name, value): (String, Value)| (name, to_wire(&value));
    let rules = table.rules.into_iter().map(|rule| DecisionTableRule {
        when: rule.when.into_iter().map(|(name, it)| (name, it.unwrap_or_default())).collect(),
        outputs: rule.outputs.into_iter().map(wire).collect(),
        then: String::new(),
    });
    DecisionTable { rules: rules.collect(), default_next_step: String::new() }
}

fn from_boundary(event: BoundarySource) -> BoundaryEvent {
    BoundaryEvent {
        r#type: BoundaryEventType::Timer.into(),
        duration: event.duration,
        interrupting: event.interrupting,
        target_step_id: event.target_step_id,
    }
}
