//! Definitions the stories run by.

use serde_json::{Value, json};

use crate::world::World;

/// The text of a sample.
pub(crate) fn sample(name: &str) -> String {
    let (name_of_it, steps) = match name {
        "line" => ("Line", vec![task("a", "end"), end()]),
        "line2" => ("Line, changed", vec![task("a", "b"), task("b", "end"), end()]),
        "person" => (
            "Person",
            vec![
                json!({"id": "ask", "name": "Ask", "type": "USER_TASK", "nextStep": "a"}),
                task("a", "end"),
                end(),
            ],
        ),
        "pause" => (
            "Pause",
            vec![
                json!({"id": "hold", "name": "Hold", "type": "WAIT", "nextStep": "a"}),
                task("a", "end"),
                end(),
            ],
        ),
        "fork" => ("Fork", fork()),
        "crossroads" => ("Crossroads", crossroads()),
        "dead-ends" => ("Dead ends", dead_ends()),
        "choice" => (
            "Choice",
            vec![
                json!({"id": "c", "name": "C", "type": "DECISION", "conditionalNextSteps":
                    {"amount > 100": "t", "amount > 10": "end"}}),
                json!({"id": "t", "name": "T", "type": "TRANSFORMATION", "nextStep": "end",
                    "transformations": {"doubled": "${amount * 2}", "word": "large"}}),
                end(),
            ],
        ),
        "timed" => (
            "Timed",
            vec![
                json!({"id": "a", "name": "A", "type": "SERVICE_TASK", "jobType": "a",
                    "nextStep": "end", "boundaryEvents": [{"type": "TIMER", "duration": "PT1H",
                    "interrupting": true, "targetStepId": "end"}]}),
                end(),
            ],
        ),
        "strict" => ("Strict", strict()),
        "parent" | "child" => (name, vec![task("a", "end"), end()]),
        other => panic!("no sample {other}"),
    };
    let id = if name == "line2" { "line" } else { name };
    let mut definition = json!({"id": id, "name": name_of_it, "steps": steps});
    if name == "parent" {
        definition["autoStartNextWorkflow"] = json!(true);
        definition["nextWorkflowId"] = json!("child");
    }
    if name == "strict" {
        definition["input_schema"] =
            json!({"properties": {"amount": {"type": "number"}}, "required": ["amount"]});
    }
    definition.to_string()
}

fn task(id: &str, next: &str) -> Value {
    json!({"id": id, "name": id.to_uppercase(), "type": "SERVICE_TASK", "jobType": id,
        "retryCount": 1, "nextStep": next})
}

fn end() -> Value {
    json!({"id": "end", "name": "End", "type": "END"})
}

fn fork() -> Vec<Value> {
    vec![
        json!({"id": "f", "name": "F", "type": "PARALLEL_GATEWAY",
            "parallelNextSteps": ["a", "b"], "joinStep": "j"}),
        task("a", "j"),
        task("b", "j"),
        json!({"id": "j", "name": "J", "type": "JOIN_GATEWAY", "nextStep": "end"}),
        end(),
    ]
}

/// A person beside two programs, one of which ends it all.
fn crossroads() -> Vec<Value> {
    vec![
        json!({"id": "f", "name": "F", "type": "PARALLEL_GATEWAY",
            "parallelNextSteps": ["ask", "a", "b"], "joinStep": "j"}),
        json!({"id": "ask", "name": "Ask", "type": "USER_TASK", "jobType": "form-7",
            "nextStep": "j"}),
        json!({"id": "a", "name": "A", "type": "SERVICE_TASK", "jobType": "a", "nextStep": "end"}),
        json!({"id": "b", "name": "B", "type": "SERVICE_TASK", "jobType": "b", "nextStep": "j"}),
        json!({"id": "j", "name": "J", "type": "JOIN_GATEWAY", "nextStep": "end"}),
        end(),
    ]
}

/// A program, a person and a signal, each with a way out that needs `go`.
fn dead_ends() -> Vec<Value> {
    let step = |id: &str, kind: &str, next: &str| {
        json!({"id": id, "name": id, "type": kind, "jobType": id, "nextStep": next,
            "conditionalNextSteps": {"go > 1": next}})
    };
    vec![
        step("a", "SERVICE_TASK", "ask"),
        step("ask", "USER_TASK", "hold"),
        step("hold", "WAIT", "end"),
        end(),
    ]
}

fn strict() -> Vec<Value> {
    let mut step = task("a", "end");
    step["outputs_schema"] = json!({"properties": {"score": {"type": "integer"},
        "name": {"type": "string"}}, "required": ["score", "name"]});
    vec![step, end()]
}

impl World {
    /// A world with these samples uploaded.
    pub(crate) async fn with(self, samples: &[&str]) -> Self {
        for name in samples {
            let response = self.post("/v1/definitions", &sample(name)).await;
            assert_eq!(response.status(), 201, "{name}");
        }
        self
    }

    /// Starts an instance of a sample; says its id.
    pub(crate) async fn start(&self, definition: &str, variables: Value) -> String {
        let body = json!({"definitionId": definition, "variables": variables});
        let response = self.post("/v1/instances", &body.to_string()).await;
        assert_eq!(response.status(), 201);
        text_of(&response.json().await.unwrap(), "id")
    }

    /// The ids of the jobs a worker gets.
    pub(crate) async fn poll(&self, worker: &str, kind: &str) -> Vec<String> {
        let body = json!({"workerId": worker, "jobTypes": [kind], "maxJobs": 100});
        let response = self.post("/v1/jobs/poll", &body.to_string()).await;
        assert_eq!(response.status(), 200);
        let answer: Value = response.json().await.unwrap();
        answer["jobs"].as_array().unwrap().iter().map(|it| text_of(it, "id")).collect()
    }

    /// One member of an instance.
    pub(crate) async fn look(&self, id: &str, member: &str) -> Value {
        let answer: Value = self.get(&format!("/v1/instances/{id}")).await.json().await.unwrap();
        answer[member].clone()
    }
}

pub(crate) fn text_of(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_else(|| panic!("no {member} in {value}")).to_owned()
}
