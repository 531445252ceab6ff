//! Definitions: uploaded, versioned, read, listed, refused.

use serde_json::{Value, json};

use super::samples::sample;
use crate::world::world;

#[tokio::test]
async fn definitions_are_versioned_and_read() {
    world().await.play("definitions_are_versioned_and_read").await;
}

#[tokio::test]
async fn definitions_are_listed() {
    world().await.play("definitions_are_listed").await;
}

#[tokio::test]
async fn definitions_that_are_wrong_are_refused_with_everything_that_is() {
    world().await.play("definitions_that_are_wrong").await;
}

#[tokio::test]
async fn uploads_at_the_same_time_get_versions_of_their_own() {
    let world = world().await;
    let upload = async |number: usize| {
        let text = sample("line").replace(r#""name":"Line""#, &format!(r#""name":"{number}""#));
        let answer: Value = world.post("/v1/definitions", &text).await.json().await.unwrap();
        answer["version"].as_u64().unwrap()
    };
    let (a, b, c, d) = tokio::join!(upload(1), upload(2), upload(3), upload(4));
    let mut versions = [a, b, c, d];
    versions.sort_unstable();
    assert_eq!(versions, [1, 2, 3, 4]);
}

#[tokio::test]
async fn a_definition_with_too_many_steps_is_refused_with_the_limit() {
    let world = world().await;
    let step = |it: usize| {
        json!({"id": format!("s{it}"), "name": "S", "type": "WAIT",
            "nextStep": format!("s{}", it + 1)})
    };
    let steps = |n_steps: usize| {
        let mut steps: Vec<_> = (1..n_steps).map(step).collect();
        steps.push(json!({"id": format!("s{n_steps}"), "name": "E", "type": "END"}));
        json!({"id": "long", "name": "Long", "steps": steps}).to_string()
    };
    let response = world.post("/v1/definitions", &steps(5_000)).await;
    assert_eq!(response.status(), 400);
    let answer: Value = response.json().await.unwrap();
    let expected = "validation error: validation errors:\n  steps must have at most 2000 entries, \
                    got 5000";
    assert_eq!(answer["reason"], expected);
    assert_eq!(world.post("/v1/definitions", &steps(2_000)).await.status(), 201);
}

#[tokio::test]
async fn hostile_expressions_fail_their_instance_and_nothing_else() {
    let world = world().await;
    let hostile = [
        "(".repeat(50_000),
        format!("{}true{}", "(".repeat(5_000), ")".repeat(5_000)),
        format!("{}true", "!".repeat(20_000)),
        "1..9223372036854775807".to_owned(),
        "all(1..1000000000, # > 0)".to_owned(),
        format!("{} == 1", "text + ".repeat(5_000)),
        "9 ** 9 ** 9 ** 9 == 1".to_owned(),
        "repeat(text, 1000000000) == text".to_owned(),
        "\u{0}".to_owned(),
    ];
    // Patterns are matched in linear time, so that this one does no harm.
    let harmless = format!("text matches \"{}\"", "(a+)+".repeat(20));
    let all = hostile.into_iter().map(|it| (it, "FAILED")).chain([(harmless, "COMPLETED")]);
    for (number, (expression, expected)) in all.enumerate() {
        let shown: String = expression.chars().take(30).collect();
        let id = format!("h{number}");
        let definition = json!({"id": id, "name": "H", "steps": [
            {"id": "d", "name": "D", "type": "DECISION", "conditionalNextSteps":
                {expression: "e"}},
            {"id": "e", "name": "E", "type": "END"}]});
        let upload = world.post("/v1/definitions", &definition.to_string()).await;
        assert_eq!(upload.status(), 201, "{shown}");
        let instance = world.start(&id, json!({"text": "a".repeat(30)})).await;
        assert_eq!(world.look(&instance, "status").await, expected, "{shown}");
        let reason = world.look(&instance, "failureReason").await;
        let reason = reason.as_str().unwrap_or_default();
        assert_eq!(reason.is_empty(), expected == "COMPLETED", "{shown}: {reason}");
        assert!(reason.len() < 20_000, "{shown}");
    }
    assert_eq!(world.get("/healthz").await.status(), 200);
}

#[tokio::test]
async fn metadata_come_back_as_they_were_written() {
    let world = world().await;
    let metadata = r#""metadata":{"z":1.50,"a":123456789012345678901234567890,"n":{"k":[null]}}"#;
    let steps = r#""steps":[{"id":"e","name":"E","type":"END"}]"#;
    let text = format!(r#"{{"id":"m","name":"M",{metadata},{steps}}}"#);
    assert_eq!(world.post("/v1/definitions", &text).await.status(), 201);
    for path in ["/v1/definitions/m", "/v1/definitions/m/versions/1"] {
        let read = world.get(path).await.text().await.unwrap();
        assert!(read.contains(metadata), "{path}: {read}");
    }
}
