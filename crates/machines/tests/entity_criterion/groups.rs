//! Groups, and how conditions are spelled.

use super::check::{criterion, holds, problem, value};
use waypost_documents::document::Value;
use waypost_machines::entity::criterion::Criterion;

const YES: &str = r#"{"type":"simple","jsonPath":"$.a","operatorType":"EQUALS","value":1}"#;
const NO: &str = r#"{"type":"simple","jsonPath":"$.a","operatorType":"EQUALS","value":2}"#;

fn group(operator: &str, conditions: &[&str]) -> bool {
    let conditions = conditions.join(",");
    let condition =
        format!(r#"{{"type":"group","operator":"{operator}","conditions":[{conditions}]}}"#);
    holds(&condition, r#"{"a":1}"#)
}

#[test]
fn and_needs_all_and_or_needs_one() {
    for (conditions, all, any) in [
        (&[][..], true, false),
        (&[YES], true, true),
        (&[NO], false, false),
        (&[YES, NO], false, true),
        (&[NO, YES], false, true),
        (&[NO, NO], false, false),
        (&[YES, YES], true, true),
    ] {
        assert_eq!(group("AND", conditions), all, "{conditions:?}");
        assert_eq!(group("OR", conditions), any, "{conditions:?}");
    }
}

#[test]
fn a_group_without_conditions_is_an_empty_one() {
    for conditions in ["", r#","conditions":null"#, r#","conditions":[]"#] {
        assert!(holds(&format!(r#"{{"type":"group","operator":"AND"{conditions}}}"#), "{}"));
        assert!(!holds(&format!(r#"{{"type":"group","operator":"OR"{conditions}}}"#), "{}"));
    }
}

#[test]
fn groups_hold_groups() {
    let or = format!(r#"{{"type":"group","operator":"OR","conditions":[{NO},{YES}]}}"#);
    assert!(group("AND", &[&or, YES]));
    assert!(!group("AND", &[&or, NO]));
}

#[test]
fn only_and_and_or_make_groups() {
    for operator in [r#""NOT""#, r#""and""#, r#""""#, "null", r#""XOR""#] {
        let condition = format!(r#"{{"type":"group","operator":{operator},"conditions":[]}}"#);
        assert_eq!(problem(&condition), "operator: expected AND or OR", "{operator}");
    }
}

#[test]
fn the_operator_of_a_comparison_has_three_names() {
    for names in [
        r#""operatorType":"EQUALS""#,
        r#""operator":"EQUALS""#,
        r#""operation":"EQUALS""#,
        r#""operation":"NOT_EQUAL","operator":"NOT_EQUAL","operatorType":"EQUALS""#,
        r#""operation":"NOT_EQUAL","operator":"EQUALS""#,
        r#""operatorType":"","operator":null,"operation":"EQUALS""#,
    ] {
        let simple = format!(r#"{{"type":"simple","jsonPath":"$.a",{names},"value":1}}"#);
        assert!(holds(&simple, r#"{"a":1}"#), "{names}");
        assert!(!holds(&simple, r#"{"a":2}"#), "{names}");
        let lifecycle = format!(r#"{{"type":"lifecycle","field":"state",{names},"value":"OPEN"}}"#);
        assert!(holds(&lifecycle, "{}"), "{names}");
    }
}

#[test]
fn members_that_nobody_knows_are_ignored() {
    let condition = r#"{"x":{"type":7},"type":"simple","jsonPath":"a","operatorType":"IS_NULL","conditions":5}"#;
    assert!(holds(condition, "{}"));
    let function =
        r#"{"type":"function","note":1,"function":{"name":"f","x":[],"config":{"y":0}}}"#;
    assert!(criterion(function).predicate().is_none());
}

#[test]
fn null_tests_need_no_value() {
    assert!(holds(r#"{"type":"simple","jsonPath":"a","operatorType":"IS_NULL"}"#, "{}"));
    assert!(holds(r#"{"type":"simple","jsonPath":"a","operatorType":"NOT_NULL"}"#, r#"{"a":0}"#));
}

/// A condition that lies inside of so many groups.
fn nested(groups: usize) -> Value {
    let open = r#"{"type":"group","operator":"AND","conditions":["#;
    value(&format!("{}{YES}{}", open.repeat(groups), "]}".repeat(groups)))
}

#[test]
fn fifty_groups_deep_is_deep_enough() {
    assert!(Criterion::parse(&nested(50)).is_ok());
    let error = Criterion::parse(&nested(51)).unwrap_err();
    assert_eq!(error.detail, "conditions lie at most 50 groups deep");
    assert_eq!(error.place, vec!["conditions[0]"; 51].join("."));
}
