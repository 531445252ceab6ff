//! Layers that have read what others write.

use waypost_documents::document::Value;
use waypost_kernel::{Json, Tenant};
use waypost_machines::entity::model::Schema;

use super::*;
use crate::entity::{ChangeKind, Save};

fn begun() -> Transaction {
    let caller = Caller { tenant: Tenant::from("acme"), user: "ann".to_owned(), roles: Vec::new() };
    Transaction::new("t-1".to_owned(), caller, Timestamp::from_millis(1))
}

fn draft(id: &str, state: &str) -> Draft {
    let entity = Entity {
        id: id.into(),
        model: DefinitionRef { name: "order".into(), version: 1 },
        version: Version(1),
        value: Json::parse("{}").unwrap(),
        state: state.to_owned(),
        save: Save {
            workflow: None,
            transition: "loopback".to_owned(),
            transaction: "t-1".to_owned(),
            user: "ann".to_owned(),
            change: ChangeKind::Updated,
            armed: Vec::new(),
        },
        is_deleted: false,
        created_at: Timestamp::from_millis(1),
        updated_at: Timestamp::from_millis(1),
    };
    Draft::new(Base { version: Version(1), armed: Vec::new() }, Arc::new(entity), Vec::new(), None)
}

/// Reads the entity and writes it, as a callback in `layer` does.
fn change(transaction: &Transaction, layer: LayerId, id: &str, state: &str) {
    transaction.draft(layer, &id.into()).unwrap();
    transaction.write(layer, draft(id, state)).unwrap();
}

#[test]
fn what_a_layer_has_read_by_one_on_top_of_it_is_not_overwritten() {
    let transaction = begun();
    let call = transaction.open(Transaction::BOTTOM).unwrap();
    let nested = transaction.open(call).unwrap();
    change(&transaction, nested, "e-1", "PAID");
    transaction.merge(nested).unwrap();

    let sibling = transaction.open(Transaction::BOTTOM).unwrap();
    change(&transaction, sibling, "e-1", "SHIPPED");
    transaction.merge(sibling).unwrap();

    assert_eq!(transaction.merge(call).unwrap_err().code, Code::Conflict);
    let left = transaction.draft(Transaction::BOTTOM, &"e-1".into()).unwrap().unwrap();
    assert_eq!(left.entity.state, "SHIPPED");
}

#[test]
fn a_layer_that_could_not_be_merged_takes_nothing_with_it() {
    let transaction = begun();
    let call = transaction.open(Transaction::BOTTOM).unwrap();
    let one = transaction.open(call).unwrap();
    let another = transaction.open(call).unwrap();
    change(&transaction, one, "e-1", "PAID");
    change(&transaction, another, "e-1", "SHIPPED");
    transaction.merge(one).unwrap();
    assert_eq!(transaction.merge(another).unwrap_err().code, Code::Conflict);
    transaction.discard(another);
    transaction.merge(call).unwrap();
    let left = transaction.draft(Transaction::BOTTOM, &"e-1".into()).unwrap().unwrap();
    assert_eq!(left.entity.state, "PAID");
}

#[test]
fn a_layer_may_write_again_what_one_on_top_of_it_has_left() {
    let transaction = begun();
    let call = transaction.open(Transaction::BOTTOM).unwrap();
    let nested = transaction.open(call).unwrap();
    change(&transaction, nested, "e-1", "PAID");
    transaction.merge(nested).unwrap();
    change(&transaction, call, "e-1", "SHIPPED");
    transaction.merge(call).unwrap();
    let left = transaction.draft(Transaction::BOTTOM, &"e-1".into()).unwrap().unwrap();
    assert_eq!(left.entity.state, "SHIPPED");
}

#[test]
fn what_an_entity_is_looked_up_by_counts_as_well() {
    let transaction = begun();
    let write = |n_keys: usize| {
        let term = Term { path: "$.a".repeat(100), key: vec![b't'; 129] };
        let terms = Some(vec![term; n_keys]);
        transaction.write(Transaction::BOTTOM, Draft { terms, ..draft("e-1", "NEW") })
    };
    let most = TRANSACTION_BYTES_MAX / (300 + 129);
    write(most - 1).unwrap();
    assert_eq!(write(1_000).unwrap_err().code, Code::TransactionTooLarge);
}

fn order() -> DefinitionRef {
    DefinitionRef { name: "order".into(), version: 1 }
}

/// Learns from a sample what others on top of the same layer do not know of.
fn learn(transaction: &Transaction, layer: LayerId, sample: &str) {
    let sample = Value::parse(sample).unwrap();
    let schema = Some(Arc::new(Schema::infer(&sample).unwrap()));
    transaction.extend(layer, order(), Model { schema, ..Model::absent() }).unwrap();
}

#[test]
fn what_layers_side_by_side_have_learned_is_all_known_beneath() {
    let transaction = begun();
    let one = transaction.open(Transaction::BOTTOM).unwrap();
    let another = transaction.open(Transaction::BOTTOM).unwrap();
    learn(&transaction, one, r#"{"n":1,"left":"x","both":null}"#);
    learn(&transaction, another, r#"{"n":1,"right":[true],"both":{"deep":2}}"#);
    transaction.merge(one).unwrap();
    transaction.merge(another).unwrap();
    let left = transaction.model(Transaction::BOTTOM, &order()).unwrap().unwrap();
    let all = r#"{"n":1,"left":"x","right":[true],"both":{"deep":2}}"#;
    let all = Schema::infer(&Value::parse(all).unwrap()).unwrap();
    assert_eq!(*left.schema.unwrap(), all);
}

#[test]
fn layers_that_have_learned_contrary_things_do_not_both_land() {
    for (one_sample, other_sample) in
        [(r#"{"at":"x"}"#, r#"{"at":{"x":1}}"#), (r#"{"at":[1]}"#, r#"{"at":[{"x":1}]}"#)]
    {
        let transaction = begun();
        let one = transaction.open(Transaction::BOTTOM).unwrap();
        let another = transaction.open(Transaction::BOTTOM).unwrap();
        learn(&transaction, one, one_sample);
        learn(&transaction, another, other_sample);
        transaction.merge(one).unwrap();
        assert_eq!(transaction.merge(another).unwrap_err().code, Code::Conflict);
        let left = transaction.model(Transaction::BOTTOM, &order()).unwrap().unwrap();
        let known = Schema::infer(&Value::parse(one_sample).unwrap()).unwrap();
        assert_eq!(*left.schema.unwrap(), known);
    }
}
