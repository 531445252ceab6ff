//! What rules may do to a field.

use serde_json::{Value, json};
use waypost_machines::lifecycle::{FieldKind, FieldValue, SetError, SetOperation};

fn done(operation: &Value, current: impl Into<FieldValue>) -> Result<FieldValue, SetError> {
    let current = current.into();
    let kind = current.kind().unwrap();
    SetOperation::parse(operation)?.apply(&kind, &current)
}

fn up() -> Value {
    json!({"op": "increment"})
}

fn down() -> Value {
    json!({"op": "decrement"})
}

#[test]
fn numbers_are_counted_by_one() {
    assert_eq!(done(&up(), 1_u32), Ok(2_u32.into()));
    assert_eq!(done(&down(), 1_i64), Ok(0_i64.into()));
    assert_eq!(done(&down(), 0_i64), Ok((-1_i64).into()));
    assert_eq!(done(&up(), 0.5_f64), Ok(1.5_f64.into()));
}

#[test]
fn an_unsigned_number_stays_at_zero() {
    assert_eq!(done(&down(), 0_u32), Ok(0_u32.into()));
    assert_eq!(done(&down(), 1_u8), Ok(0_u8.into()));
}

#[test]
fn counting_beyond_the_end_is_an_error() {
    assert_eq!(done(&up(), u8::MAX), Err(SetError::Overflow(FieldKind::U8)));
    assert_eq!(done(&down(), i8::MIN), Err(SetError::Overflow(FieldKind::I8)));
}

#[test]
fn a_number_with_a_fraction_is_counted_as_far_as_it_knows_its_last_digit() {
    let (single, double) = (16_777_216.0_f32, 9_007_199_254_740_992.0_f64);
    assert_eq!(done(&up(), single - 1.0), Ok(single.into()));
    assert_eq!(done(&down(), single), Ok((single - 1.0).into()));
    assert_eq!(done(&up(), double - 1.0), Ok(double.into()));
    for current in [single, single + 2.0, f32::MAX] {
        assert_eq!(done(&up(), current), Err(SetError::Overflow(FieldKind::F32)), "{current}");
        assert_eq!(done(&down(), -current), Err(SetError::Overflow(FieldKind::F32)), "{current}");
    }
    assert_eq!(done(&up(), double), Err(SetError::Overflow(FieldKind::F64)));
    assert_eq!(done(&down(), -double), Err(SetError::Overflow(FieldKind::F64)));
}

#[test]
fn only_numbers_can_be_counted() {
    assert_eq!(done(&up(), "1"), Err(SetError::NotANumber(FieldKind::Text)));
    assert_eq!(done(&down(), true), Err(SetError::NotANumber(FieldKind::Bool)));
}

#[test]
fn a_literal_fits_or_is_refused() {
    assert_eq!(done(&json!("b"), "a"), Ok("b".into()));
    assert_eq!(done(&json!({"op": "set", "value": "b"}), "a"), Ok("b".into()));
    assert_eq!(done(&json!(7), 1_u32), Ok(7_u32.into()));
    assert_eq!(done(&Value::Null, 1_u32), Ok(0_u32.into()));
    assert!(matches!(done(&json!(3.7), 1_u32), Err(SetError::Mismatch(_))));
    assert!(matches!(done(&json!("3"), 1_u32), Err(SetError::Mismatch(_))));
    assert!(matches!(done(&json!(-1), 1_u32), Err(SetError::Mismatch(_))));
}

#[test]
fn an_object_without_an_operation_is_a_value() {
    let nested = FieldValue::Nested(json!({}));
    assert_eq!(done(&json!({"op": 3}), nested).unwrap().to_json(), json!({"op": 3}));
}

#[test]
fn an_unknown_operation_is_told_what_there_is() {
    let error = done(&json!({"op": "double"}), 1_u32).unwrap_err();
    assert_eq!(error.to_string(), "\"double\" is not an operation: set, increment, decrement");
}
