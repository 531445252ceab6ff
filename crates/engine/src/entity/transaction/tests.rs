//! Layers that have read what others write.

use waypost_kernel::{Json, Tenant};

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
        },
        is_deleted: false,
        created_at: Timestamp::from_millis(1),
        updated_at: Timestamp::from_millis(1),
    };
    Draft::new(Version(1), Arc::new(entity), Vec::new(), None)
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
