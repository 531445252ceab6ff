//! Definitions in a few words, for stories; what comes out is the text a user would have deployed.

use serde_json::{Map, Value, json};
use waypost_machines::process::{Graph, Source, expression::Coercion};

/// The graph of a definition in the notation of the stories.
///
/// | Line | Meaning |
/// | --- | --- |
/// | `a task QUEUE retries=2 -> b` | SERVICE_TASK; without `-> b` the path stops |
/// | `a user -> b` · `a wait -> b` · `a join -> b` · `a end` | |
/// | `a end last` | an end that nothing follows |
/// | `a decide` · `a set -> b` · `a table F -> b` | followed by their lines |
/// | `a fork b c join j` | PARALLEL_GATEWAY |
/// | `if n > 1 -> b` | a condition of the step above |
/// | `put n = "${n + 1}"` | an assignment of the step above |
/// | `rule n > 1 ; m > 1 => {"x":1}` | a rule of the table above |
/// | `after PT5S -> b` · `interrupt PT5S -> b` | a timer of the step above |
/// | `outputs {…}` · `input {…}` · `next other` | schemas, and what follows |
pub(crate) fn graph(text: &str) -> Graph {
    Graph::new(&source(text), 1, Coercion::On).unwrap()
}

/// The graph of a definition as its user has written it.
pub(crate) fn deployed(text: &str) -> Graph {
    Graph::new(&Source::parse(text).unwrap(), 1, Coercion::On).unwrap()
}

pub(crate) fn source(text: &str) -> Source {
    Source::parse(&definition(text).to_string()).unwrap()
}

pub(crate) fn definition(text: &str) -> Value {
    let mut whole = json!({ "id": "order", "name": "Order" });
    let mut steps: Vec<Value> = Vec::new();
    for line in text.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let (first, rest) = line.split_once(' ').unwrap();
        match first {
            "input" => put(&mut whole, "input_schema", parsed(rest)),
            "next" => {
                put(&mut whole, "autoStartNextWorkflow", true.into());
                put(&mut whole, "nextWorkflowId", rest.into());
            }
            "if" | "put" | "rule" | "after" | "interrupt" | "outputs" => {
                detail(steps.last_mut().unwrap(), first, rest);
            }
            id => steps.push(step(id, rest)),
        }
    }
    put(&mut whole, "steps", steps.into());
    whole
}

fn step(id: &str, rest: &str) -> Value {
    let (rest, next) = match rest.split_once("->") {
        Some((rest, next)) => (rest.trim(), Some(next.trim())),
        None => (rest, None),
    };
    let mut words = rest.split(' ');
    let (type_, members) = match words.next().unwrap() {
        "task" => ("SERVICE_TASK", task(words)),
        "user" => ("USER_TASK", json!({})),
        "wait" => ("WAIT", json!({})),
        "decide" => ("DECISION", json!({})),
        "set" => ("TRANSFORMATION", json!({})),
        "table" => {
            let policy = words.next().unwrap();
            ("DECISION_TABLE", json!({ "hitPolicy": policy, "decisionTable": { "rules": [] } }))
        }
        "fork" => {
            let words: Vec<&str> = words.collect();
            let (join, branches) = words.split_last().unwrap();
            let branches: Vec<&&str> = branches.iter().filter(|it| **it != "join").collect();
            ("PARALLEL_GATEWAY", json!({ "parallelNextSteps": branches, "joinStep": join }))
        }
        "join" => ("JOIN_GATEWAY", json!({})),
        "end" => match words.next() {
            Some("last") => ("END", json!({ "autoStartNextWorkflow": false })),
            Some(_) | None => ("END", json!({})),
        },
        other => panic!("{other} is not a step"),
    };
    let mut step = json!({ "id": id, "name": id.to_uppercase(), "type": type_ });
    for (name, value) in members.as_object().unwrap() {
        put(&mut step, name, value.clone());
    }
    if let Some(next) = next {
        put(&mut step, "nextStep", next.into());
    }
    step
}

fn task<'a>(mut words: impl Iterator<Item = &'a str>) -> Value {
    let queue = words.next().unwrap();
    let retries = words.next().map_or("0", |it| it.strip_prefix("retries=").unwrap());
    json!({ "jobType": queue, "retryCount": retries.parse::<u32>().unwrap() })
}

fn detail(step: &mut Value, kind: &str, rest: &str) {
    match kind {
        "if" => {
            let (condition, target) = rest.rsplit_once(" -> ").unwrap();
            let choices = member(step, "conditionalNextSteps", json!({}));
            put(choices, condition, target.into());
        }
        "put" => {
            let (name, value) = rest.split_once(" = ").unwrap();
            put(member(step, "transformations", json!({})), name, parsed(value));
        }
        "rule" => {
            let rules = member(step, "decisionTable", json!({}));
            member(rules, "rules", json!([])).as_array_mut().unwrap().push(rule(rest));
        }
        "after" | "interrupt" => {
            let (duration, target) = rest.split_once(" -> ").unwrap();
            let timer = json!({
                "type": "TIMER", "duration": duration, "targetStepId": target,
                "interrupting": kind == "interrupt",
            });
            member(step, "boundaryEvents", json!([])).as_array_mut().unwrap().push(timer);
        }
        "outputs" => put(step, "outputs_schema", parsed(rest)),
        other => panic!("{other} is not a detail"),
    }
}

fn rule(text: &str) -> Value {
    let (when, outputs) = text.split_once("=>").unwrap_or((text, "{}"));
    let cells = when.split(';').map(str::trim).enumerate();
    let cells: Map<String, Value> =
        cells.map(|(index, it)| (format!("c{index}"), it.into())).collect();
    json!({ "when": cells, "outputs": parsed(outputs) })
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text.trim()).unwrap()
}

fn put(object: &mut Value, name: &str, value: Value) {
    object.as_object_mut().unwrap().insert(name.to_owned(), value);
}

fn member<'a>(object: &'a mut Value, name: &str, empty: Value) -> &'a mut Value {
    object.as_object_mut().unwrap().entry(name).or_insert(empty)
}
