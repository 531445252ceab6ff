//! Schemas as they are stored. These texts are in the stores of users.

use waypost_documents::document::Value;
use waypost_machines::entity::model::{Lock, Schema};

use crate::{document, model, shown};

#[test]
fn a_schema_is_stored_in_the_shape_of_its_documents() {
    let schema = model(&[
        r#"{"no":"A-1","total":12.50,"note":null,"codes":[7,"z",true],"none":[],"empty":{}}"#,
        r#"{"lines":[{"sku":"x"}],"grid":[[1],"x",false],"big":[1e400,"<"]}"#,
    ]);
    let stored = concat!(
        r#"{"big":["UNBOUND_INTEGER|STRING"],"codes":["INTEGER|STRING|BOOLEAN"],"empty":{},"#,
        r#""grid":[["INTEGER","STRING|BOOLEAN"]],"#,
        r#""lines":[{"sku":"STRING"}],"no":"STRING","none":["NULL"],"note":"NULL","#,
        r#""total":"DOUBLE"}"#,
    );
    assert_eq!(shown(&schema), stored);
    assert_eq!(serde_json::from_str::<Schema>(stored).unwrap(), schema);
}

#[test]
fn every_type_is_read_by_the_name_it_was_stored_by() {
    for name in [
        "INTEGER",
        "LONG",
        "BIG_INTEGER",
        "UNBOUND_INTEGER",
        "DOUBLE",
        "BIG_DECIMAL",
        "UNBOUND_DECIMAL",
        "STRING",
        "BOOLEAN",
        "NULL",
    ] {
        let stored = format!("{name:?}");
        assert_eq!(shown(&serde_json::from_str(&stored).unwrap()), stored);
    }
}

#[test]
fn what_is_not_a_schema_is_refused() {
    for stored in ["1", "null", "[]", r#""""#, r#""TEXT""#, r#""INTEGER|""#, r#"["NULL","x"]"#] {
        assert!(serde_json::from_str::<Schema>(stored).is_err(), "{stored}");
    }
}

#[test]
fn the_deepest_schema_can_be_read_again() {
    for (open, close) in [("{\"a\":", "}"), ("[", "]")] {
        let deep = open.repeat(Value::DEPTH_MAX) + "1" + &close.repeat(Value::DEPTH_MAX);
        let schema = Schema::infer(&document(&deep)).unwrap();
        assert_eq!(serde_json::from_str::<Schema>(&shown(&schema)).unwrap(), schema);
    }
}

#[test]
fn locks_are_stored_by_name() {
    for (lock, name) in [(Lock::Unlocked, "UNLOCKED"), (Lock::Locked, "LOCKED")] {
        assert_eq!(serde_json::to_string(&lock).unwrap(), format!("{name:?}"));
        assert_eq!(lock.to_string(), name);
    }
}
