//! Looking up by keys: everything that matches is found.

use proptest::prelude::{Strategy, prop, prop_assert, prop_assert_eq, proptest};
use waypost_documents::{
    document::{Number, Value},
    lookup::{KEYS_MAX, keys, ranges},
    predicate::{Operator, Path, Predicate},
};

use super::{
    check::{criterion, subject, value},
    properties::{document, scalar},
};

fn path(text: &str) -> Path {
    Path::parse(text).unwrap()
}

/// Whether a document that has these keys is found by `predicate`; none if it cannot be looked up.
fn is_found(predicate: &Predicate, path: &Path, document: &Value) -> Option<bool> {
    let (_, ranges) = ranges(predicate, &[path])?;
    let keys = keys(path, document);
    Some(ranges.iter().any(|(from, to)| keys.iter().any(|key| from <= key && key < to)))
}

/// Which index is used for a condition, of `$.a` and `$.b`, and how many ranges there are.
fn used(condition: &str) -> Option<(usize, usize)> {
    let predicate = criterion(condition).predicate().unwrap();
    let (a, b) = (path("$.a"), path("$.b"));
    ranges(&predicate, &[&a, &b]).map(|(index, ranges)| (index, ranges.len()))
}

fn simple(path: &str, operator: &str, operand: &str) -> String {
    format!(
        r#"{{"type":"simple","jsonPath":"{path}","operatorType":"{operator}","value":{operand}}}"#
    )
}

fn group(operator: &str, conditions: &[String]) -> String {
    let conditions = conditions.join(",");
    format!(r#"{{"type":"group","operator":"{operator}","conditions":[{conditions}]}}"#)
}

proptest! {
    #[test]
    fn what_matches_is_found(
        document in document(),
        (_, operator) in prop::sample::select(&Operator::NAMES[..]),
        operand in scalar(),
        text in prop::sample::select(&["$.a", "$.b[*]", "$", "$.a.b", "type"][..]),
    ) {
        let path = path(text);
        if let Ok(predicate) = Predicate::compare(path.clone(), operator, &operand)
            && let Some(is_found) = is_found(&predicate, &path, &document)
        {
            prop_assert!(is_found || !predicate.matches(&subject(&document)));
        }
    }

    #[test]
    fn keys_of_numbers_sort_as_numbers(
        one in number(), another in number(),
    ) {
        let key = |it: &Number| keys(&path("$"), &Value::Number(it.clone())).remove(0);
        prop_assert_eq!(key(&one).cmp(&key(&another)), one.cmp(&another));
    }

    #[test]
    fn keys_of_texts_sort_as_texts(one in ".{0,20}", another in ".{0,20}") {
        let key = |it: &String| keys(&path("$"), &Value::Text(it.clone())).remove(0);
        prop_assert_eq!(key(&one).cmp(&key(&another)), one.cmp(&another));
    }
}

fn number() -> impl Strategy<Value = Number> {
    "-?(0|[1-9][0-9]{0,4})(\\.[0-9]{1,3})?(e[+-]?[0-9]{1,2})?"
        .prop_map(|it| Number::parse(&it).unwrap())
}

#[test]
fn what_cannot_match_is_passed_over() {
    let at = path("$.a");
    let finds = |operator: &str, operand: &str, document: &str| {
        let predicate = criterion(&simple("$.a", operator, operand)).predicate().unwrap();
        is_found(&predicate, &at, &value(document)).unwrap()
    };
    assert!(finds("EQUALS", "5", r#"{"a":5.0}"#));
    assert!(finds("EQUALS", r#""5""#, r#"{"a":5}"#));
    assert!(finds("EQUALS", "5", r#"{"a":["x",5]}"#));
    assert!(!finds("EQUALS", "5", r#"{"a":6}"#));
    assert!(!finds("EQUALS", "5", r#"{"b":5}"#));
    assert!(!finds("GREATER_THAN", "5", r#"{"a":-7}"#));
    assert!(!finds("LESS_THAN", "-5", r#"{"a":-4.5}"#));
    assert!(finds("BETWEEN", "[1,3]", r#"{"a":2}"#));
    assert!(!finds("BETWEEN", "[1,3]", r#"{"a":4}"#));
    assert!(finds("STARTS_WITH", r#""ab""#, r#"{"a":"abc"}"#));
    assert!(!finds("STARTS_WITH", r#""ab""#, r#"{"a":"b"}"#));
}

#[test]
fn the_index_that_finds_fewest_is_used() {
    let wide = simple("$.a", "GREATER_THAN", "1");
    let exact = simple("$.b", "EQUALS", r#""x""#);
    assert_eq!(used(&wide), Some((0, 3)));
    assert_eq!(used(&group("AND", &[wide.clone(), exact.clone()])), Some((1, 2)));
    let vague = simple("$.a", "CONTAINS", r#""x""#);
    assert_eq!(used(&group("AND", &[vague.clone(), wide.clone()])), Some((0, 3)));
    assert_eq!(used(&vague), None);
    assert_eq!(used(&group("OR", &[wide, exact])), None);
    assert_eq!(used(&simple("$.c", "EQUALS", "1")), None);
    assert_eq!(used(&simple("$.a", "IS_NULL", "null")), None);
}

#[test]
fn a_document_with_too_many_values_is_always_found() {
    let list = (0..=KEYS_MAX).map(|it| it.to_string()).collect::<Vec<_>>().join(",");
    let document = value(&format!(r#"{{"a":[{list}]}}"#));
    let predicate = criterion(&simple("$.a", "EQUALS", r#""nothing""#)).predicate().unwrap();
    assert_eq!(keys(&path("$.a"), &document).len(), 1);
    assert_eq!(is_found(&predicate, &path("$.a"), &document), Some(true));
}

#[test]
fn long_texts_are_told_apart_afterwards() {
    let long = "x".repeat(500);
    let document = value(&format!(r#"{{"a":"{long}y"}}"#));
    let predicate =
        criterion(&simple("$.a", "EQUALS", &format!(r#""{long}z""#))).predicate().unwrap();
    assert_eq!(is_found(&predicate, &path("$.a"), &document), Some(true));
    assert!(!predicate.matches(&subject(&document)));
}

#[test]
fn values_without_keys_do_not_hide_those_that_come_later() {
    let nulls = "null,".repeat(KEYS_MAX + 1);
    let objects = "{},".repeat(500) + &r#""a","#.repeat(600);
    let nested = format!("[{}],", "null,".repeat(KEYS_MAX) + "[{}]").repeat(3);
    let many = r#"["y","z"],"#.repeat(KEYS_MAX);
    for (before, at) in [
        (&nulls, "$.a"),
        (&objects, "$.a"),
        (&nested, "$.a"),
        (&many, "$.a"),
        (&nulls, "$.a[*]"),
        (&nested, "$.a[*]"),
    ] {
        let document = value(&format!(r#"{{"a":[{before}"x"]}}"#));
        let predicate = criterion(&simple(at, "EQUALS", r#""x""#)).predicate().unwrap();
        assert!(predicate.matches(&subject(&document)));
        assert_eq!(is_found(&predicate, &path(at), &document), Some(true), "{before}");
    }
}

#[test]
fn nulls_and_objects_need_no_keys() {
    let document =
        value(&format!(r#"{{"a":[{}{}"x"]}}"#, "null,".repeat(5_000), "{},".repeat(5_000)));
    assert_eq!(keys(&path("$.a"), &document).len(), 1);
    let predicate = criterion(&simple("$.a", "EQUALS", r#""y""#)).predicate().unwrap();
    assert_eq!(is_found(&predicate, &path("$.a"), &document), Some(false));
}
