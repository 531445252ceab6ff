//! What is not a criterion, and what is said about it.

use super::check::{problem, value};
use waypost_documents::predicate::{Field, Operator};
use waypost_machines::entity::criterion::{Criterion, Mistake};

const TYPES: &str = "type: expected simple, lifecycle, group, array or function";

const OPERATORS: &str = "expected one of EQUALS, NOT_EQUAL, GREATER_THAN, LESS_THAN, \
    GREATER_OR_EQUAL, LESS_OR_EQUAL, CONTAINS, NOT_CONTAINS, STARTS_WITH, NOT_STARTS_WITH, \
    ENDS_WITH, NOT_ENDS_WITH, LIKE, IS_NULL, NOT_NULL, BETWEEN, BETWEEN_INCLUSIVE, \
    MATCHES_PATTERN, IEQUALS, INOT_EQUAL, ICONTAINS, INOT_CONTAINS, ISTARTS_WITH, \
    INOT_STARTS_WITH, IENDS_WITH, INOT_ENDS_WITH";

fn simple(members: &str) -> String {
    format!(r#"{{"type":"simple",{members}}}"#)
}

#[test]
fn a_condition_is_an_object_with_a_type() {
    assert_eq!(problem("{}"), TYPES);
    assert_eq!(problem(r#"{"type":null}"#), TYPES);
    assert_eq!(problem(r#"{"type":"Simple"}"#), TYPES);
    assert_eq!(problem(r#"{"type":5}"#), "type: expected text, found a number");
    for (condition, found) in [
        ("null", "nothing"),
        ("true", "a boolean"),
        ("5", "a number"),
        (r#""x""#, "text"),
        ("[]", "a list"),
    ] {
        let expected = format!("expected a condition, which is an object, found {found}");
        assert_eq!(problem(condition), expected);
    }
}

#[test]
fn an_unknown_operator_is_answered_with_all_that_are_known() {
    for operator in ["IN_SET", "IS_CHANGED", "IS_UNCHANGED", "REGEXP", "equals", " EQUALS"] {
        let condition = simple(&format!(r#""jsonPath":"a","operatorType":"{operator}""#));
        assert_eq!(problem(&condition), format!("operatorType: {OPERATORS}"));
        let condition = simple(&format!(r#""jsonPath":"a","operation":"{operator}""#));
        assert_eq!(problem(&condition), format!("operation: {OPERATORS}"));
    }
    assert_eq!(problem(&simple(r#""jsonPath":"a""#)), format!("operatorType: {OPERATORS}"));
    assert_eq!(
        problem(&simple(r#""jsonPath":"a","operator":[]"#)),
        "operator: expected text, found a list"
    );
}

#[test]
fn names_of_operators_and_fields_are_read_as_they_are_written() {
    for (name, operator) in Operator::NAMES {
        assert_eq!((Operator::named(name), operator.to_string().as_str()), (Some(operator), name));
    }
    for (name, field) in Field::NAMES {
        assert_eq!(Field::named(name), Some(field));
    }
}

#[test]
fn an_unknown_field_is_answered_with_all_that_are_known() {
    for field in ["", r#""field":null,"#, r#""field":"creationdate","#, r#""field":"","#] {
        assert_eq!(
            problem(&format!(r#"{{"type":"lifecycle",{field}"operatorType":"IS_NULL"}}"#)),
            "field: expected one of state, creationDate, lastUpdateTime, previousTransition, \
             transitionForLatestSave, transactionId, id"
        );
    }
}

#[test]
fn a_path_must_be_one() {
    let asks = |path: &str| simple(&format!(r#"{path}"operatorType":"IS_NULL""#));
    assert_eq!(problem(&asks("")), "jsonPath: expected a path");
    assert_eq!(problem(&asks(r#""jsonPath":5,"#)), "jsonPath: expected text, found a number");
    assert_eq!(problem(&asks(r#""jsonPath":"","#)), "jsonPath: expected a name at character 1");
    assert_eq!(problem(&asks(r#""jsonPath":"$..a","#)), "jsonPath: expected a name at character 3");
    assert_eq!(
        problem(r#"{"type":"array","jsonPath":"a[","values":[]}"#),
        "jsonPath: expected *, a place in the list or a name in quotes at character 3"
    );
}

#[test]
fn an_operator_must_be_able_to_use_its_value() {
    for (operator, value, expected) in [
        ("EQUALS", "[]", "EQUALS compares with text, a number or a boolean, not with a list"),
        (
            "NOT_EQUAL",
            "{}",
            "NOT_EQUAL compares with text, a number or a boolean, not with an object",
        ),
        ("LESS_THAN", "null", "LESS_THAN compares with text, a number or a boolean, not with null"),
        ("ICONTAINS", "null", "ICONTAINS compares with text, a number or a boolean, not with null"),
        ("LIKE", "[]", "LIKE compares with text, a number or a boolean, not with a list"),
        ("BETWEEN", "5", r#"BETWEEN needs two bounds: [low, high] or "low,high""#),
        ("BETWEEN", "null", r#"BETWEEN needs two bounds: [low, high] or "low,high""#),
        ("BETWEEN", "[1]", r#"BETWEEN needs two bounds: [low, high] or "low,high""#),
        ("BETWEEN", "[1,2,3]", r#"BETWEEN needs two bounds: [low, high] or "low,high""#),
        ("BETWEEN", r#""1""#, r#"BETWEEN needs two bounds: [low, high] or "low,high""#),
        (
            "BETWEEN_INCLUSIVE",
            r#""1,2,3""#,
            r#"BETWEEN_INCLUSIVE needs two bounds: [low, high] or "low,high""#,
        ),
        ("BETWEEN", "[1,null]", "BETWEEN compares with text, a number or a boolean, not with null"),
        ("MATCHES_PATTERN", r#""(a""#, "not a pattern: unclosed group"),
        ("MATCHES_PATTERN", r#""a)(b""#, "not a pattern: unopened group"),
        ("MATCHES_PATTERN", r#""(?x) a""#, "not a pattern: unrecognized flag"),
        ("MATCHES_PATTERN", r#""a**""#, "not a pattern: a repetition cannot be repeated"),
        (
            "MATCHES_PATTERN",
            r#""(?=a)""#,
            "not a pattern: look-around, including look-ahead and look-behind, is not supported",
        ),
    ] {
        let members = format!(r#""jsonPath":"a","operatorType":"{operator}","value":{value}"#);
        assert_eq!(problem(&simple(&members)), format!("value: {expected}"), "{operator} {value}");
    }
}

#[test]
fn values_of_a_list_must_be_comparable() {
    assert_eq!(
        problem(r#"{"type":"array","jsonPath":"a","values":[1,[2]]}"#),
        "values[1]: EQUALS compares with text, a number or a boolean, not with a list"
    );
    assert_eq!(
        problem(r#"{"type":"array","jsonPath":"a"}"#),
        "values: expected a list, found nothing"
    );
    assert_eq!(
        problem(r#"{"type":"array","jsonPath":"a","values":"x"}"#),
        "values: expected a list, found text"
    );
}

#[test]
fn the_place_leads_through_all_groups() {
    let broken = simple(r#""jsonPath":"a","operatorType":"EQUAL""#);
    let right = simple(r#""jsonPath":"a","operatorType":"IS_NULL""#);
    let inner =
        format!(r#"{{"type":"group","operator":"OR","conditions":[{right},{right},{broken}]}}"#);
    let outer = format!(r#"{{"type":"group","operator":"AND","conditions":[{right},{inner}]}}"#);
    assert_eq!(problem(&outer), format!("conditions[1].conditions[2].operatorType: {OPERATORS}"));
    assert_eq!(
        problem(r#"{"type":"group","operator":"AND","conditions":[{"type":"simple"},5]}"#),
        "conditions[0].jsonPath: expected a path"
    );
    assert_eq!(
        problem(r#"{"type":"group","operator":"AND","conditions":[5]}"#),
        "conditions[0]: expected a condition, which is an object, found a number"
    );
    assert_eq!(
        problem(r#"{"type":"group","operator":"AND","conditions":{}}"#),
        "conditions: expected a list, found an object"
    );
}

#[test]
fn mistakes_are_told_apart() {
    for (condition, mistake) in [
        (r#"{"type":"x"}"#.to_owned(), Mistake::Condition),
        (simple(r#""jsonPath":"a","operatorType":"X""#), Mistake::Condition),
        (simple(r#""jsonPath":"a..b","operatorType":"IS_NULL""#), Mistake::Field),
        (r#"{"type":"lifecycle","field":"x"}"#.to_owned(), Mistake::Field),
        (simple(r#""jsonPath":"a","operatorType":"EQUALS","value":[]"#), Mistake::Operand),
        (
            simple(
                r#""jsonPath":"a","operatorType":"MATCHES_PATTERN","value":"("}"#
                    .trim_end_matches('}'),
            ),
            Mistake::Condition,
        ),
    ] {
        assert_eq!(
            Criterion::parse(&value(&condition)).unwrap_err().mistake,
            mistake,
            "{condition}"
        );
    }
}
