//! A definition as large as anybody wants it.

use serde_json::{Value, json};

/// Tasks, decisions, tables and gateways, one after the other, `n_steps` in all.
pub(crate) fn large(n_steps: usize) -> String {
    let mut steps: Vec<Value> = Vec::new();
    let mut part = 0;
    while steps.len() + 8 < n_steps {
        let id = |name: &str, part: usize| format!("{name}{part}");
        let step = |name: &str, kind: &str, mut members: Value| {
            members["id"] = id(name, part).into();
            members["name"] = name.into();
            members["type"] = kind.into();
            members
        };
        let rule = |when: &str, tier: u32| json!({"when": {"c": when}, "outputs": {"tier": tier}});
        let rules = json!({"rules": [rule("score < 500", 1), rule("score < 650", 2), rule("", 3)]});
        let ways = json!({"amount > 100": id("fork", part), "true": id("task", part + 1)});
        let to_join = |job: &str| json!({"jobType": job, "nextStep": id("join", part)});
        let branches = json!([id("left", part), id("right", part)]);
        steps.extend([
            step("task", "SERVICE_TASK", json!({"jobType": "a", "nextStep": id("table", part)})),
            step(
                "table",
                "DECISION_TABLE",
                json!({"hitPolicy": "F",
                "decisionTable": rules, "nextStep": id("set", part)}),
            ),
            step(
                "set",
                "TRANSFORMATION",
                json!({"transformations": {"fee": "${amount * 2}"},
                "nextStep": id("route", part)}),
            ),
            step("route", "DECISION", json!({"conditionalNextSteps": ways})),
            step(
                "fork",
                "PARALLEL_GATEWAY",
                json!({"parallelNextSteps": branches,
                "joinStep": id("join", part)}),
            ),
            step("left", "SERVICE_TASK", to_join("l")),
            step("right", "SERVICE_TASK", to_join("r")),
            step("join", "JOIN_GATEWAY", json!({"nextStep": id("task", part + 1)})),
        ]);
        part += 1;
    }
    steps.push(json!({"id": format!("task{part}"), "name": "end", "type": "END"}));
    json!({"id": "large", "name": "Large", "steps": steps}).to_string()
}
