//! Criteria and searches share one judge: what the one lets through, the other finds.

use serde_json::{Value, json};

use crate::world::{World, world};

/// Operators with what they compare, each of which some of the documents keep and some do not.
const OPERATORS: [(&str, &str, &str); 26] = [
    ("$.n", "EQUALS", "5"),
    ("$.n", "NOT_EQUAL", "5.0"),
    ("$.n", "GREATER_THAN", "5"),
    ("$.n", "LESS_THAN", "10.5"),
    ("$.n", "GREATER_OR_EQUAL", "10.5"),
    ("$.n", "LESS_OR_EQUAL", "5"),
    ("$.n", "BETWEEN", "[4.9,10.5]"),
    ("$.n", "BETWEEN_INCLUSIVE", "[5,10.5]"),
    ("$.s", "IS_NULL", "null"),
    ("$.s", "NOT_NULL", "null"),
    ("$.s", "CONTAINS", r#""ph""#),
    ("$.s", "NOT_CONTAINS", r#""ph""#),
    ("$.s", "STARTS_WITH", r#""Al""#),
    ("$.s", "NOT_STARTS_WITH", r#""Al""#),
    ("$.s", "ENDS_WITH", r#""ta""#),
    ("$.s", "NOT_ENDS_WITH", r#""ta""#),
    ("$.s", "LIKE", r#""%e_a""#),
    ("$.s", "MATCHES_PATTERN", r#""A[lp]+ha""#),
    ("$.s", "IEQUALS", r#""ALPHA""#),
    ("$.s", "INOT_EQUAL", r#""ALPHA""#),
    ("$.s", "ICONTAINS", r#""PH""#),
    ("$.s", "INOT_CONTAINS", r#""PH""#),
    ("$.s", "ISTARTS_WITH", r#""AL""#),
    ("$.s", "INOT_STARTS_WITH", r#""AL""#),
    ("$.s", "IENDS_WITH", r#""TA""#),
    ("$.s", "INOT_ENDS_WITH", r#""TA""#),
];

const DOCUMENTS: &str =
    r#"[{"n":5,"s":"Alpha"},{"n":10.50,"s":"beta"},{"n":null,"s":null},{"n":7},{"s":"Al"}]"#;

/// A model whose entities go from `NO` to `YES` if that is so.
async fn guarded(world: &World, model: usize, criterion: &Value) {
    let go = json!([{"name": "GO", "next": "YES", "criterion": criterion}]);
    let states = json!({"NO": {"transitions": go}, "YES": {}});
    let import = json!({"workflows": [{"name": "w", "initialState": "NO", "states": states}]});
    world
        .prepare(&[
            &format!(r#"POST /api/model/import/JSON/SAMPLE_DATA/m{model}/1 {{"n":1.5,"s":"x"}}"#),
            &format!("PUT /api/model/m{model}/1/lock"),
            &format!("POST /api/model/m{model}/1/workflow/import {import}"),
            &format!("POST /api/entity/JSON/m{model}/1 {DOCUMENTS}"),
        ])
        .await;
}

async fn found(world: &World, model: usize, condition: &Value) -> Vec<String> {
    let line = format!("POST /api/search/direct/m{model}/1 {condition}");
    let lines = world.say(&line, &[]).await.text;
    let ids = lines.lines().map(|it| {
        let entity: Value = serde_json::from_str(it).unwrap();
        entity["meta"]["id"].as_str().unwrap().to_owned()
    });
    ids.collect()
}

#[tokio::test]
pub(crate) async fn what_guards_a_transition_is_judged_like_a_search() {
    let world = world().await;
    let is_yes =
        json!({"type": "lifecycle", "field": "state", "operatorType": "EQUALS", "value": "YES"});
    for (model, (path, operator, value)) in OPERATORS.into_iter().enumerate() {
        let mut condition = json!({"type": "simple", "jsonPath": path, "operatorType": operator});
        if value != "null" {
            condition["value"] = serde_json::from_str(value).unwrap();
        }
        guarded(&world, model, &condition).await;
        let let_through = found(&world, model, &is_yes).await;
        assert_eq!(let_through, found(&world, model, &condition).await, "{operator}");
        assert!((1..=4).contains(&let_through.len()), "{operator}: {let_through:?}");
    }
}
