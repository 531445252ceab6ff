//! The compute node of `docs/guides/entity.md`: reserves stock until it is told to stop.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use waypost_client::{
    compute::{Functions, Node, NodeOptions, Question, Refused},
    worker::stop_on_signal,
};

fn order(question: &Question) -> Result<Map<String, Value>, Refused> {
    let entity = question.payload.as_ref();
    let entity = entity.ok_or_else(|| Refused::fatal("no order was sent along"))?;
    Ok(entity.data.read()?)
}

async fn reserve(question: Arc<Question>) -> Result<Map<String, Value>, Refused> {
    let mut order = order(&question)?;
    order.insert("reservation".into(), json!(format!("r-{}", question.entity_id)));
    Ok(order)
}

async fn is_small(question: Arc<Question>) -> Result<bool, Refused> {
    let items = order(&question)?.get("items").and_then(Value::as_u64);
    Ok(items.is_some_and(|it| it < 100))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let functions =
        Functions::new().processor("reserve", reserve)?.criterion("is-small", is_small)?;
    let url = std::env::var("WAYPOST_GRPC_URL").unwrap_or("http://localhost:9090".to_owned());
    let options = NodeOptions { url, tags: vec!["stock".into()], ..NodeOptions::default() };
    Node::new(functions, options).run(stop_on_signal()?).await;
    Ok(())
}
