//! What is refused for its size alone.

use std::fmt::Write as _;

use waypost_machines::entity::model::{
    ChangeLevel, Refusal, Schema, TooLarge,
    limits::{NAME_BYTES_MAX, NODES_MAX, PATH_BYTES_MAX, PROBLEMS_MAX},
};

use crate::{document, model};

/// An object of members called by a letter and numbers.
fn object(letter: char, n_members: usize) -> String {
    let members = (0..n_members).fold(String::new(), |mut text, index| {
        let separator = if index == 0 { "" } else { "," };
        write!(text, r#"{separator}"{letter}{index}":1"#).unwrap();
        text
    });
    format!("{{{members}}}")
}

#[test]
fn a_schema_has_so_many_nodes_and_no_more() {
    let most = object('a', NODES_MAX - 1);
    let one_more = object('a', NODES_MAX);
    assert!(Schema::infer(&document(&most)).is_ok());
    let refused = Schema::infer(&document(&one_more)).unwrap_err();
    assert_eq!(refused, TooLarge::Nodes { n_nodes: NODES_MAX + 1 });
    assert_eq!(refused.to_string(), "the model would have 10001 nodes (at most 10000)");
}

#[test]
fn elements_of_an_array_are_one_node() {
    let many = format!("[{}1]", "1,".repeat(NODES_MAX));
    assert!(Schema::infer(&document(&many)).is_ok());
}

#[test]
fn merging_and_extending_are_limited_too() {
    let half = model(&[&object('a', NODES_MAX / 2)]);
    let other = object('b', NODES_MAX / 2);
    let n_nodes = NODES_MAX + 1;
    assert_eq!(half.clone().merge(model(&[&other])), Err(TooLarge::Nodes { n_nodes }));
    assert_eq!(
        half.admit(&document(&other), Some(ChangeLevel::Structural)),
        Err(Refusal::TooLarge(TooLarge::Nodes { n_nodes }))
    );
}

#[test]
fn names_have_a_length() {
    let named = |length: usize| format!(r#"[{{"{}":1}}]"#, "n".repeat(length));
    assert!(Schema::infer(&document(&named(NAME_BYTES_MAX))).is_ok());
    let refused = Schema::infer(&document(&named(NAME_BYTES_MAX + 1))).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "the field name beginning with {:?} is too long (at most 256 bytes)",
            "n".repeat(40)
        )
    );
}

#[test]
fn names_above_each_other_have_a_length_together() {
    let nested = |last: &str| {
        let name = "n".repeat(PATH_BYTES_MAX / 10);
        format!(r#"{}{{"{last}":1}}{}"#, format!("{{\"{name}\":[").repeat(10), "]}".repeat(10))
    };
    assert!(Schema::infer(&document(&nested(""))).is_ok());
    let refused = Schema::infer(&document(&nested("x"))).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the field names down to \"x\" are too long (at most 2000 bytes)"
    );
}

#[test]
fn beyond_so_many_problems_they_are_only_counted() {
    let wrong = format!("[{}true]", "true,".repeat(PROBLEMS_MAX + 4));
    let problems = model(&["[1]"]).problems(&document(&wrong));
    assert_eq!(problems.listed().len(), PROBLEMS_MAX);
    let text = problems.to_string();
    assert!(text.ends_with("[999]: expected INTEGER, found BOOLEAN; and 5 more"), "{text}");
}

#[test]
fn a_polymorphic_slot_behind_all_listed_problems_is_still_one() {
    let wrong = format!("[{}[]]", "true,".repeat(PROBLEMS_MAX));
    let refusal = model(&["[1]"]).admit(&document(&wrong), Some(ChangeLevel::ArrayLength));
    assert!(matches!(refusal, Err(Refusal::PolymorphicSlot(_))));
}
