//! How far a locked model with a change level is extended.

use waypost_machines::entity::model::{ChangeLevel, Refusal, Schema};

use crate::{document, model, shown};

const SAMPLE: &str = r#"{"name":"N","total":0.5,"note":null,"tags":["a"],"none":[],
    "lines":[{"qty":1}],"grid":[[1]],"buyer":{"zip":"1"}}"#;

/// What becomes of the model at `level`: `same`, the extended schema, or the refusal.
fn admitted(schema: &Schema, text: &str, level: ChangeLevel) -> String {
    let before = shown(schema);
    let result = match schema.admit(&document(text), Some(level)) {
        Ok(None) => "same".to_owned(),
        Ok(Some(extended)) => shown(&extended),
        Err(refusal) => refusal.to_string(),
    };
    assert_eq!(shown(schema), before, "a decision leaves the schema as it was");
    result
}

/// Below `needed` the document is refused; from there on the model becomes `extended`, which is
/// written as the samples it could have been learned from.
fn check(text: &str, needed: ChangeLevel, extended: &[&str]) {
    let schema = model(&[SAMPLE]);
    let samples: Vec<_> = [SAMPLE].into_iter().chain(extended.iter().copied()).collect();
    for level in ChangeLevel::ALL {
        let result = admitted(&schema, text, level);
        if level < needed {
            assert!(result.starts_with("change level violation: "), "{text} at {level}: {result}");
        } else if extended.is_empty() {
            assert_eq!(result, "same", "{text} at {level}");
        } else {
            assert_eq!(result, shown(&model(&samples)), "{text} at {level}");
        }
    }
}

/// No level admits it.
fn check_polymorphic(text: &str, problem: &str) {
    for level in ChangeLevel::ALL {
        let result = admitted(&model(&[SAMPLE]), text, level);
        assert_eq!(result, format!("polymorphic slot: {problem}"), "{text} at {level}");
    }
}

#[test]
fn what_is_valid_changes_nothing_at_any_level() {
    for text in [
        SAMPLE,
        "{}",
        r#"{"tags":["a","b","c"]}"#,
        r#"{"total":1}"#,
        r#"{"name":null}"#,
        r#"{"tags":[null]}"#,
        r#"{"tags":[]}"#,
        r#"{"lines":[]}"#,
        r#"{"grid":[[],[null]]}"#,
    ] {
        check(text, ChangeLevel::ArrayLength, &[]);
    }
}

#[test]
fn other_elements_need_array_elements() {
    for text in [r#"{"tags":["b",1]}"#, r#"{"none":[true]}"#, r#"{"grid":[[1],["a"]]}"#] {
        check(text, ChangeLevel::ArrayElements, &[text]);
    }
    check(r#"{"tags":[1,null]}"#, ChangeLevel::ArrayElements, &[r#"{"tags":[1]}"#]);
}

#[test]
fn null_for_an_element_needs_array_elements() {
    for text in [r#"{"lines":[null]}"#, r#"{"lines":[null,{"qty":2}]}"#, r#"{"grid":[null]}"#] {
        check(text, ChangeLevel::ArrayElements, &[]);
    }
}

#[test]
fn other_types_need_type() {
    for text in [
        r#"{"name":1}"#,
        r#"{"total":2147483648}"#,
        r#"{"note":"n"}"#,
        r#"{"lines":[{"qty":0.5}]}"#,
        r#"{"buyer":{"zip":true}}"#,
    ] {
        check(text, ChangeLevel::Type, &[text]);
    }
}

#[test]
fn null_for_an_object_or_an_array_needs_type() {
    for text in [r#"{"buyer":null}"#, r#"{"lines":null}"#, "null"] {
        check(text, ChangeLevel::Type, &[]);
    }
}

#[test]
fn new_members_need_structural() {
    for text in [
        r#"{"new":1}"#,
        r#"{"new":{"a":[{"b":[]}]}}"#,
        r#"{"buyer":{"new":null}}"#,
        r#"{"lines":[{"qty":1},{"new":"x"}]}"#,
    ] {
        check(text, ChangeLevel::Structural, &[text]);
    }
}

#[test]
fn the_widest_difference_counts() {
    check(
        r#"{"tags":[1],"name":true,"new":1}"#,
        ChangeLevel::Structural,
        &[r#"{"tags":[1],"name":true,"new":1}"#],
    );
    assert_eq!(
        admitted(
            &model(&[SAMPLE]),
            r#"{"tags":[1],"name":true,"new":1}"#,
            ChangeLevel::ArrayElements
        ),
        "change level violation: name: expected STRING, found BOOLEAN; \
         new: unexpected field not present in model (the model is at ARRAY_ELEMENTS)"
    );
}

#[test]
fn kinds_never_change() {
    check_polymorphic(r#"{"name":{}}"#, "name: expected a scalar, found an object");
    check_polymorphic(r#"{"name":[]}"#, "name: expected a scalar, found an array");
    check_polymorphic(r#"{"buyer":1}"#, "buyer: expected an object, found a scalar");
    check_polymorphic(r#"{"buyer":[]}"#, "buyer: expected an object, found an array");
    check_polymorphic(r#"{"lines":{}}"#, "lines: expected an array, found an object");
    check_polymorphic(r#"{"lines":"x"}"#, "lines: expected an array, found a scalar");
    check_polymorphic("[]", "expected an object, found an array");
}

#[test]
fn kinds_do_not_even_change_from_null() {
    check_polymorphic(r#"{"note":{"a":1}}"#, "note: expected a scalar, found an object");
    check_polymorphic(r#"{"note":[]}"#, "note: expected a scalar, found an array");
    check_polymorphic(r#"{"none":[{"a":1}]}"#, "none[0]: expected a scalar, found an object");
    check_polymorphic(r#"{"none":[[1]]}"#, "none[0]: expected a scalar, found an array");
}

#[test]
fn scalars_do_not_come_to_lie_among_objects() {
    check_polymorphic(r#"{"lines":[{"qty":1},2]}"#, "lines[1]: expected an object, found a scalar");
    let schema = model(&[SAMPLE]);
    for text in [
        r#"{"new":[1,{"a":1}]}"#,
        r#"{"new":[[1],{"a":1}]}"#,
        r#"{"new":[1,[1]]}"#,
        r#"{"new":[{"a":1},{"a":{}}]}"#,
    ] {
        let refusal = schema.admit(&document(text), Some(ChangeLevel::Structural)).unwrap_err();
        assert!(matches!(refusal, Refusal::PolymorphicSlot(_)), "{text}: {refusal}");
    }
    for text in [r#"{"new":[null,{"a":1}]}"#, r#"{"new":[{"a":null},{"a":[1]}]}"#] {
        assert_ne!(admitted(&schema, text, ChangeLevel::Structural), "same", "{text}");
    }
}

#[test]
fn a_polymorphic_slot_is_told_before_other_violations() {
    let result = admitted(&model(&[SAMPLE]), r#"{"new":1,"name":[]}"#, ChangeLevel::ArrayLength);
    assert_eq!(
        result,
        "polymorphic slot: new: unexpected field not present in model; \
         name: expected a scalar, found an array"
    );
}

#[test]
fn what_was_admitted_once_is_the_same_from_then_on() {
    let schema = model(&[SAMPLE]);
    let new = document(r#"{"new":[{"a":1}],"tags":[1]}"#);
    let extended = schema.admit(&new, Some(ChangeLevel::Structural)).unwrap().unwrap();
    assert_eq!(extended.admit(&new, Some(ChangeLevel::ArrayLength)), Ok(None));
    assert_eq!(extended.admit(&new, None), Ok(None));
}

#[test]
fn levels_have_their_names_and_their_order() {
    let names = ["ARRAY_LENGTH", "ARRAY_ELEMENTS", "TYPE", "STRUCTURAL"];
    assert!(ChangeLevel::ALL.is_sorted());
    for (level, name) in ChangeLevel::ALL.into_iter().zip(names) {
        assert_eq!(ChangeLevel::named(name), Some(level));
        assert_eq!(serde_json::to_string(&level).unwrap(), format!("{name:?}"));
    }
    assert_eq!(ChangeLevel::named("structural"), None);
}
