//! Writes workflows as documents. What is not set is left out, so the same workflow is always
//! written in the same way.

use waypost_documents::document::{Members, Number, Value};

use super::{Config, Processor, Schedule, State, Transition, Workflow};

/// What the model shows of its workflows; nothing if it has none.
#[must_use]
pub fn export(model: &str, version: i32, workflows: &[Workflow]) -> Option<Value> {
    let shown = || {
        object([
            ("entityName", text(model)),
            ("modelVersion", Value::Number(Number::from(i64::from(version)))),
            ("workflows", list(workflows, workflow)),
        ])
    };
    (!workflows.is_empty()).then(shown)
}

/// The list as one text, to be read with [`super::read_stored`].
#[must_use]
pub fn stored(workflows: &[Workflow]) -> String {
    list(workflows, workflow).to_string()
}

/// An object of these members, in this order.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn workflow(workflow: &Workflow) -> Value {
    let mut out = Members::new();
    put(&mut out, "version", text(&workflow.version));
    put(&mut out, "name", text(&workflow.name));
    put_some(&mut out, "desc", non_empty(&workflow.description));
    put(&mut out, "initialState", text(&workflow.initial_state));
    put(&mut out, "active", Value::Bool(workflow.is_active));
    put_some(&mut out, "criterion", workflow.criterion.clone());
    let states = workflow.states.iter().map(|(name, it)| (name.clone(), state(it))).collect();
    put(&mut out, "states", Value::Object(states));
    Value::Object(out)
}

fn state(state: &State) -> Value {
    let mut out = Members::new();
    put_some(&mut out, "transitions", non_empty_list(&state.transitions, transition));
    Value::Object(out)
}

fn transition(transition: &Transition) -> Value {
    let mut out = Members::new();
    put(&mut out, "name", text(&transition.name));
    put(&mut out, "next", text(&transition.next));
    put(&mut out, "manual", Value::Bool(transition.is_manual));
    put_some(&mut out, "disabled", flag(transition.is_disabled));
    put_some(&mut out, "schedule", transition.schedule.map(schedule));
    put_some(&mut out, "criterion", transition.criterion.clone());
    put_some(&mut out, "processors", non_empty_list(&transition.processors, processor));
    Value::Object(out)
}

fn schedule(schedule: Schedule) -> Value {
    let Schedule { delay_millis, timeout_millis } = schedule;
    let number = |it: i64| Value::Number(Number::from(it));
    let mut out = Members::new();
    put(&mut out, "delayMs", number(delay_millis));
    // None and 0 are opposites: however late, and not at all.
    put_some(&mut out, "timeoutMs", timeout_millis.map(number));
    Value::Object(out)
}

fn processor(processor: &Processor) -> Value {
    let mut out = Members::new();
    put(&mut out, "type", text(&processor.kind));
    put(&mut out, "name", text(&processor.name));
    put_some(&mut out, "executionMode", non_empty(&processor.mode));
    put(&mut out, "config", config(&processor.config));
    Value::Object(out)
}

fn config(config: &Config) -> Value {
    let timeout = || Value::Number(Number::from(config.timeout_millis));
    let mut out = Members::new();
    put_some(&mut out, "attachEntity", flag(config.attach_entity));
    put_some(&mut out, "calculationNodesTags", non_empty(&config.tags));
    put_some(&mut out, "responseTimeoutMs", (config.timeout_millis != 0).then(timeout));
    put_some(&mut out, "retryPolicy", non_empty(&config.retry_policy));
    put_some(&mut out, "context", non_empty(&config.context));
    Value::Object(out)
}

fn put(out: &mut Members, name: &str, value: Value) {
    out.insert(name.to_owned(), value);
}

fn put_some(out: &mut Members, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        put(out, name, value);
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn non_empty(it: &str) -> Option<Value> {
    (!it.is_empty()).then(|| text(it))
}

fn flag(flag: bool) -> Option<Value> {
    flag.then_some(Value::Bool(true))
}

fn list<T>(elements: &[T], write: impl Fn(&T) -> Value) -> Value {
    Value::List(elements.iter().map(write).collect())
}

fn non_empty_list<T>(elements: &[T], write: impl Fn(&T) -> Value) -> Option<Value> {
    (!elements.is_empty()).then(|| list(elements, write))
}
