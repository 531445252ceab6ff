//! How text and JSON become values, and which of them are equal.

use serde_json::{Value, json};
use waypost_machines::lifecycle::{FieldKind, FieldValue};

fn kind(name: &str) -> FieldKind {
    name.parse().unwrap()
}

#[test]
fn text_becomes_a_value_of_the_field() {
    for (name, text, value) in [
        ("string", "3", FieldValue::from("3")),
        ("string", "", FieldValue::from("")),
        ("bool", "true", true.into()),
        ("u32", "3", 3_u32.into()),
        ("i8", "-128", (-128_i8).into()),
        ("u64", "18446744073709551615", u64::MAX.into()),
        ("f64", "1e3", 1000.0_f64.into()),
        ("f64", "3", 3.0_f64.into()),
        ("f32", "0.5", 0.5_f32.into()),
        ("u32?", "", FieldValue::Unset),
        ("u32?", "7", 7_u32.into()),
        ("timestamp", "2026-05-28T20:26:40Z", FieldValue::Timestamp("2026-05-28T20:26:40Z".into())),
    ] {
        assert_eq!(kind(name).of_text(text), Ok(value), "{name} {text}");
    }
}

#[test]
fn text_that_means_nothing_is_refused() {
    for (name, text) in [
        ("bool", "yes"),
        ("bool", ""),
        ("u8", "256"),
        ("u8", "-1"),
        ("i8", "128"),
        ("i32", "3.0"),
        ("f64", "inf"),
        ("f64", "NaN"),
        ("f32", "1e300"),
        ("timestamp", "yesterday"),
        ("nested", "{}"),
        ("u8?", "x"),
    ] {
        let refused = kind(name).of_text(text).unwrap_err();
        assert_eq!(refused.expected, kind(name), "{text}");
        assert!(refused.to_string().contains("cannot assign"), "{refused}");
    }
}

#[test]
fn json_becomes_a_value_of_the_field_without_loss() {
    let text = json!("2026-05-28T20:26:40Z");
    for (name, json, value) in [
        ("string", json!("a"), FieldValue::from("a")),
        ("bool", json!(true), true.into()),
        ("u32", json!(3), 3_u32.into()),
        ("u32", json!(3.0), 3_u32.into()),
        ("i64", json!(-3), (-3_i64).into()),
        ("f64", json!(3), 3.0_f64.into()),
        ("f32", json!(0.1), 0.1_f32.into()),
        ("u32?", Value::Null, FieldValue::Unset),
        ("u32", Value::Null, 0_u32.into()),
        ("string", Value::Null, FieldValue::from("")),
        ("nested", json!({"a": [1]}), FieldValue::Nested(json!({"a": [1]}))),
        ("timestamp", text, FieldValue::Timestamp("2026-05-28T20:26:40Z".into())),
    ] {
        assert_eq!(kind(name).of_json(&json), Ok(value), "{name} {json}");
    }
    for (name, json) in [
        ("string", json!(3)),
        ("u32", json!("3")),
        ("u32", json!(3.5)),
        ("u32", json!(-1)),
        ("u8", json!(256)),
        ("i64", json!(u64::MAX)),
        ("bool", json!(1)),
        ("f64", json!("1")),
        ("f64", json!(9_007_199_254_740_993_i64)),
        ("timestamp", json!("soon")),
        ("string", json!(["a"])),
        ("u32?", json!({})),
    ] {
        assert!(kind(name).of_json(&json).is_err(), "{name} {json}");
    }
}

#[test]
fn values_are_equal_only_within_their_kind() {
    assert_ne!(FieldValue::from(3_u32), FieldValue::from(3_i64));
    assert_ne!(FieldValue::from("3"), FieldValue::from(3_u8));
    assert_ne!(FieldValue::from("a"), FieldValue::from("A"));
    let at = |text: &str| FieldValue::Timestamp(text.to_owned());
    assert_eq!(at("2026-05-28T20:26:40Z"), at("2026-05-28T22:26:40+02:00"));
    assert_ne!(at("2026-05-28T20:26:40Z"), at("2026-05-28T20:26:41Z"));
    assert!(kind("u32?").accepts(&FieldValue::Unset) && kind("u32?").accepts(&3_u32.into()));
    assert!(!kind("u32").accepts(&FieldValue::Unset) && !kind("u32").accepts(&3_i64.into()));
}

#[test]
fn a_value_goes_to_json_and_back() {
    for (name, json) in [
        ("string", json!("a")),
        ("u64", json!(u64::MAX)),
        ("i8", json!(-5)),
        ("f64", json!(2.5)),
        ("bool", json!(false)),
        ("u32?", Value::Null),
        ("nested", json!([1, {"a": null}])),
    ] {
        assert_eq!(kind(name).of_json(&json).unwrap().to_json(), json, "{name}");
    }
}

#[test]
fn a_kind_is_its_name() {
    for name in ["string", "u32", "f64?", "timestamp", "nested"] {
        assert_eq!(kind(name).to_string(), name);
        assert_eq!(serde_json::from_value::<FieldKind>(json!(name)).unwrap(), kind(name));
    }
    let mistake = "int".parse::<FieldKind>().unwrap_err();
    assert!(mistake.contains("\"int\"") && mistake.contains("u32"), "{mistake}");
}

#[test]
fn an_integer_that_a_field_would_round_is_refused() {
    let (text, json) = ("16777217", json!(16_777_217));
    assert!(kind("f32").of_text(text).is_err() && kind("f32").of_json(&json).is_err());
    assert!(kind("f32").of_json(&json!(-16_777_217)).is_err());
    assert_eq!(kind("f32").of_json(&json!(16_777_216)), Ok(16_777_216.0_f32.into()));
    assert_eq!(kind("f32").of_text("-16777216"), Ok((-16_777_216.0_f32).into()));
    assert_eq!(kind("f64").of_text(text), Ok(16_777_217.0_f64.into()));
    // Who writes a fraction does not expect to find each digit again.
    assert_eq!(kind("f32").of_text("0.1"), Ok(0.1_f32.into()));
}
