//! The routes of models and entities, and how refusals arrive.

use serde_json::json;
use waypost_client::{
    Client, Entities, Error,
    api::{Document, entity::http::ModelKey},
    entity::{Created, EntityQuery, ModelView, Sample, SearchQuery, When},
};

use crate::world::World;

fn order() -> ModelKey {
    ModelKey { name: "order".into(), version: 1 }
}

fn document(text: &str) -> Document {
    Document::parse(text).unwrap()
}

fn workflows() -> Document {
    Document::of(&json!({ "workflows": [{
        "version": "1", "name": "order", "initialState": "NEW", "states": {
            "NEW": { "transitions": [{ "name": "SHIP", "next": "SHIPPED", "manual": true }] },
            "SHIPPED": {},
        },
    }] }))
    .unwrap()
}

/// A model that takes orders.
async fn opened(world: &World) -> Entities {
    let entities = world.client.entity();
    let sample = document(r#"{"items": 3, "price": 12.50}"#);
    entities.import_sample(&order(), Sample::Json(&sample)).await.unwrap();
    entities.import_workflows(&order(), &workflows()).await.unwrap();
    assert!(entities.lock(&order()).await.unwrap().success);
    entities
}

async fn created(entities: &Entities, value: &str) -> (String, String) {
    let mut parts = entities.create(&order(), &document(value)).await.unwrap();
    let Some(Created::Done(mut it)) = parts.pop() else { unreachable!("it is created") };
    (it.entity_ids.pop().unwrap(), it.transaction_id)
}

#[tokio::test]
async fn an_entity_is_created_moved_found_and_deleted() {
    let world = World::new(&["A"]).await;
    let entities = opened(&world).await;
    assert_eq!(entities.models().await.unwrap()[0].current_state, "LOCKED");
    let view = entities.export_model(&order(), ModelView::Simple).await.unwrap();
    assert!(view.model.as_str().contains("$"), "{view:?}");
    assert!(entities.export_workflows(&order()).await.unwrap().as_str().contains("SHIPPED"));

    let (id, first) = created(&entities, r#"{"items": 3, "price": 12.50}"#).await;
    let entity = entities.show(&id, &When::default()).await.unwrap();
    assert_eq!((entity.meta.state.as_str(), entity.meta.model_key), ("NEW", Some(order())));
    assert!(entity.value.as_str().contains("12.50"), "{:?}", entity.value);
    assert_eq!(entities.transitions(&id, &When::default()).await.unwrap(), ["SHIP"]);

    let value = document(r#"{"items": 4}"#);
    entities.take(&id, "SHIP", &value, Some(&first)).await.unwrap();
    let error = entities.take(&id, "SHIP", &value, Some(&first)).await.unwrap_err();
    assert_eq!(error.code(), Some("ENTITY_MODIFIED"));
    let counts = entities.count_states(&order(), None).await.unwrap();
    assert_eq!((counts[0].state.as_str(), counts[0].count), ("SHIPPED", 1));
    let query = EntityQuery { page_size: Some(1), ..EntityQuery::default() };
    assert_eq!(entities.list(&order(), &query).await.unwrap()[0].meta.id, id);
    let condition = document(
        r#"{"type": "simple", "jsonPath": "$.items", "operatorType": "EQUALS", "value": 4}"#,
    );
    let found = entities.search(&order(), &condition, &SearchQuery::default()).await.unwrap();
    assert_eq!(found.len(), 1);

    assert_eq!(entities.delete(&id).await.unwrap().id, id);
    let changes = entities.changes(&id, None).await.unwrap();
    let kinds: Vec<_> = changes.iter().map(|it| it.change_type.as_str()).collect();
    assert_eq!(kinds, ["DELETED", "UPDATED", "CREATED"]);
    let past = When { at: Some(changes[2].time_of_change), transaction_id: None, version: None };
    assert_eq!(entities.show(&id, &past).await.unwrap().meta.state, "NEW");
    let by =
        When { at: None, transaction_id: Some(changes[1].transaction_id.clone()), version: None };
    assert_eq!(entities.show(&id, &by).await.unwrap().meta.state, "SHIPPED");
    let early = SearchQuery { at: past.at, limit: Some(1) };
    assert_eq!(entities.search(&order(), &condition, &early).await.unwrap().len(), 0);
}

#[tokio::test]
async fn refusals_of_entities_carry_what_the_server_said() {
    let world = World::new(&["A"]).await;
    let entities = world.client.entity();
    let error = entities.lock(&order()).await.unwrap_err();
    assert_eq!(error.code(), Some("MODEL_NOT_FOUND"));
    let problem = error.problem().unwrap();
    assert_eq!((problem.status, problem.instance.as_str()), (404, "/api/model/order/1/lock"));
    assert!(!problem.detail.contains("MODEL_NOT_FOUND"), "the code is told once: {problem}");
    assert!(!error.is_retryable());

    let entities = opened(&world).await;
    let unanswered = Document::of(&json!({ "importMode": "REPLACE", "workflows": [{
        "version": "1", "name": "order", "initialState": "NEW", "states": {
            "NEW": { "transitions": [{ "name": "GO", "next": "GONE", "processors": [{
                "type": "EXTERNAL", "name": "go", "executionMode": "SYNC",
                "config": { "calculationNodesTags": "nobody" },
            }] }] },
            "GONE": {},
        },
    }] }));
    entities.import_workflows(&order(), &unanswered.unwrap()).await.unwrap();
    let error = entities.create(&order(), &document("{\"items\": 1}")).await.unwrap_err();
    assert_eq!(error.code(), Some("NO_COMPUTE_MEMBER_FOR_TAG"));
    assert!(error.is_retryable());
    let elsewhere = world.client.entity().below("/elsewhere").models().await;
    assert_eq!(elsewhere.unwrap_err().code(), Some("ROUTE_NOT_FOUND"));
}

#[tokio::test]
async fn names_of_models_and_entities_are_part_of_the_path_and_nothing_more() {
    let world = World::new(&["A"]).await;
    let entities = opened(&world).await;
    let (id, _) = created(&entities, "{\"items\": 1}").await;
    for name in ["order/1", "../order", "order?x=y", "%2e"] {
        let other = ModelKey { name: name.into(), version: 1 };
        let error = entities.list(&other, &EntityQuery::default()).await.unwrap_err();
        assert_eq!(error.code(), Some("MODEL_NOT_FOUND"), "{name}: {error}");
    }
    let error = entities.delete("order/1").await.unwrap_err();
    assert_eq!(error.code(), Some("BAD_REQUEST"));
    assert!(entities.show(&id, &When::default()).await.is_ok());
}

#[test]
fn what_one_signs_in_with_is_never_shown() {
    let entities = Client::new("http://127.0.0.1:1").unwrap().entity();
    let signed_in = entities.clone().signed_in("s3cret").unwrap();
    assert!(!format!("{signed_in:?}").contains("s3cret"));
    let error = entities.signed_in("s3cret\n").unwrap_err();
    assert!(matches!(error, Error::Authorization { .. }), "{error}");
    assert!(!error.to_string().contains("s3cret"));
}
