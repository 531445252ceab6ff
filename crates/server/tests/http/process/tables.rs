//! Decision tables by themselves.

use serde_json::{Value, json};

use crate::world::{World, world};

/// Rule 2 never decides, and nothing is said about scores from 700 on.
const RISK: &str = r#"{"id":"risk","name":"Risk","steps":[
    {"id":"tier","name":"Risk tier","type":"DECISION_TABLE","hitPolicy":"F","nextStep":"end",
     "decisionTable":{"rules":[
        {"when":{"score":"score < 500"},"outputs":{"tier":"HIGH"}},
        {"when":{"score":"score < 400"},"outputs":{"tier":"HIGHER"}},
        {"when":{"score":"score < 700"},"outputs":{"tier":"LOW"}}]}},
    {"id":"end","name":"End","type":"END"}]}"#;

const TABLE: &str = "/v1/definitions/risk/versions/1/tables/tier";

async fn with_risk() -> World {
    let world = world().await;
    assert_eq!(world.post("/v1/definitions", RISK).await.status(), 201);
    world
}

async fn get(world: &World, path: &str) -> Value {
    world.get(path).await.json().await.unwrap()
}

#[tokio::test]
async fn tables_are_listed_with_where_they_are() {
    let world = with_risk().await;
    let table = json!({
        "definitionId": "risk", "definitionName": "Risk", "definitionVersion": 1,
        "stepId": "tier", "stepName": "Risk tier",
    });
    assert_eq!(get(&world, "/v1/tables").await, json!({ "items": [table], "total": 1 }));
}

#[tokio::test]
async fn a_table_tells_what_is_wrong_with_it_by_rule_and_with_an_example() {
    let world = with_risk().await;
    let table = get(&world, TABLE).await;
    assert_eq!(table["hitPolicy"], "F");
    assert_eq!(table["rules"][0]["when"], json!({ "score": "score < 500" }));
    let findings = table["findings"].as_array().unwrap();
    let find = |code: &str| findings.iter().find(|it| it["code"] == code).unwrap();
    assert_eq!(find("T003")["rule"], 1);
    assert!(find("T003")["example"]["score"].as_f64().unwrap() < 400.0);
    assert_eq!(find("T006")["rule"], Value::Null);
    assert!(find("T006")["example"]["score"].as_f64().unwrap() >= 700.0);
}

#[tokio::test]
async fn hits_are_counted_by_what_instances_knew() {
    let world = with_risk().await;
    for score in [1, 2, 600, 900] {
        let body = format!(r#"{{"variables":{{"score":{score}}}}}"#);
        world.post("/v1/definitions/risk/instances", &body).await;
    }
    let hits = |table: &Value| {
        let rules = table["rules"].as_array().unwrap().iter();
        rules.map(|it| it["hits"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let table = get(&world, &format!("{TABLE}?instances=200")).await;
    assert_eq!(hits(&table), [2, 0, 1]);
    assert_eq!(table["counted"], json!({ "instances": 4, "visits": 4 }));
    // The newest first: one that matched nothing, and one of the third rule.
    assert_eq!(hits(&get(&world, &format!("{TABLE}?instances=2")).await), [0, 0, 1]);
    assert_eq!(get(&world, TABLE).await["counted"]["instances"], 0);
    assert_eq!(world.get(&format!("{TABLE}?instances=201")).await.status(), 400);
}

#[tokio::test]
async fn a_table_is_tried_without_anything_coming_of_it() {
    let world = with_risk().await;
    let attempt = async |body: &str| -> Value {
        world.post(&format!("{TABLE}/try"), body).await.json().await.unwrap()
    };
    let low = attempt(r#"{"variables":{"score":300}}"#).await;
    let matches = json!([{ "matches": true }, { "matches": true }, { "matches": true }]);
    assert_eq!(low, json!({ "rules": matches, "outputs": { "tier": "HIGH" } }));
    let none = attempt(r#"{"variables":{"score":900}}"#).await;
    assert_eq!(none["failure"], "DecisionTableNoRuleMatched: step \"tier\"");
    assert_eq!(none["outputs"], Value::Null);
    let wrong = attempt(r#"{"variables":{"score":[]}}"#).await;
    assert!(wrong["rules"][0]["failure"].as_str().unwrap().contains("ruleIndex=0"), "{wrong}");
    assert_eq!(get(&world, "/v1/instances").await["total"], 0);
}

#[tokio::test]
async fn what_is_no_table_is_not_found() {
    let world = with_risk().await;
    for path in [
        "/v1/definitions/risk/versions/1/tables/end",
        "/v1/definitions/risk/versions/1/tables/nothing",
        "/v1/definitions/risk/versions/2/tables/tier",
        "/v1/definitions/other/versions/1/tables/tier",
    ] {
        assert_eq!(world.get(path).await.status(), 404, "{path}");
        assert_eq!(world.post(&format!("{path}/try"), "{}").await.status(), 404, "{path}");
    }
    assert_eq!(world.post(&format!("{TABLE}/try"), "").await.status(), 400);
}
