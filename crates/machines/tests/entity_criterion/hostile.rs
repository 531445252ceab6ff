//! Criteria that are meant to hurt.

use super::check::{compares, criterion, judge, problem, subject};
use waypost_documents::document::{Members, Value};

fn pattern(operator: &str, pattern: &str) -> String {
    let pattern = Value::Text(pattern.to_owned());
    format!(r#"{{"type":"simple","jsonPath":"v","operatorType":"{operator}","value":{pattern}}}"#)
}

fn document(text: String) -> Value {
    Value::Object(Members::from_iter([("v".to_owned(), Value::Text(text))]))
}

const LONG: &str = "value: a pattern has at most 1024 bytes, its repetitions written out";

#[test]
fn a_pattern_that_would_take_gigabytes_is_refused() {
    for hostile in [r"\pL{1000}", r"(\pL{10}){100}", r"(\pL{1,30}\PL{1,30}){17}"] {
        let problem = problem(&pattern("MATCHES_PATTERN", hostile));
        assert!(problem.contains("exceeds size limit"), "{hostile}: {problem}");
    }
}

#[test]
fn a_pattern_that_is_long_in_truth_is_refused() {
    for hostile in [
        "(aa){1000}",
        "(aa){0,1000}",
        "(aa){1000,}",
        "(a|b)*a(a|b){1000}(a|b){1000}",
        "((a{1000}){1000}){1000}",
        "(((((((a{999}){999}){999}){999}){999}){999}){999}){999}",
        "(((((a{9}){9}){9}){9}){9}){9}",
    ] {
        assert_eq!(problem(&pattern("MATCHES_PATTERN", hostile)), LONG, "{hostile}");
    }
    for hostile in ["a{1001}", "a{0,1001}", "a{99999999999999999999}"] {
        let expected = "value: not a pattern: something is repeated at most 1000 times";
        assert_eq!(problem(&pattern("MATCHES_PATTERN", hostile)), expected, "{hostile}");
    }
    for right in ["a{1000}", "a{0,1000}b*", "(a|b)*a(a|b){500}"] {
        assert!(!judge(&criterion(&pattern("MATCHES_PATTERN", right)), &subject(&Value::Null)));
    }
}

#[test]
fn a_long_pattern_is_refused() {
    for operator in ["LIKE", "MATCHES_PATTERN"] {
        assert!(!judge(&criterion(&pattern(operator, &"a".repeat(1_024))), &subject(&Value::Null)));
        assert_eq!(problem(&pattern(operator, &"a".repeat(1_025))), LONG);
    }
    assert!(problem(&pattern("MATCHES_PATTERN", &"(".repeat(1_000))).starts_with("value: not a"));
    let nested = "(".repeat(500) + &")".repeat(500);
    assert!(problem(&pattern("MATCHES_PATTERN", &nested)).starts_with("value: not a pattern"));
}

#[test]
fn patterns_that_others_go_back_and_forth_for_take_one_pass() {
    let text = document("a".repeat(100_000) + "!");
    for hostile in ["(a*)*", "(a+)+", "(a|aa)+", "(a|a)*b", "(.*)(.*)(.*)(.*)x"] {
        assert!(!judge(&criterion(&pattern("MATCHES_PATTERN", hostile)), &subject(&text)));
    }
    assert!(!judge(&criterion(&pattern("LIKE", &"%a".repeat(100))), &subject(&text)));
    assert!(judge(&criterion(&pattern("LIKE", &("%a".repeat(100) + "%!"))), &subject(&text)));
    let text = document("a".repeat(1_000_000));
    for part in ["a".repeat(1_000), "_a".repeat(500), "a_".repeat(500), "_".repeat(1_000)] {
        for (end, expected) in [("a%", true), ("b%", false)] {
            let shape = pattern("LIKE", &format!("%{part}{end}"));
            assert_eq!(judge(&criterion(&shape), &subject(&text)), expected, "{part} {end}");
        }
    }
}

#[test]
fn patterns_are_counted() {
    let group = |patterns: usize| {
        let patterns = vec![pattern("MATCHES_PATTERN", "a"); patterns].join(",");
        format!(r#"{{"type":"group","operator":"OR","conditions":[{patterns}]}}"#)
    };
    assert!(!judge(&criterion(&group(20)), &subject(&Value::Null)));
    assert_eq!(
        problem(&group(21)),
        "conditions[20].operatorType: a criterion has at most 20 patterns"
    );
}

#[test]
fn shapes_are_counted_by_themselves() {
    let group = |shapes: usize| {
        let patterns = vec![pattern("MATCHES_PATTERN", "a"); 20];
        let shapes = ["LIKE", "ICONTAINS", "INOT_CONTAINS"].iter().cycle().take(shapes);
        let shapes: Vec<_> = shapes.map(|it| pattern(it, "%a%")).collect();
        let conditions = [patterns, shapes].concat().join(",");
        format!(r#"{{"type":"group","operator":"OR","conditions":[{conditions}]}}"#)
    };
    assert!(!judge(&criterion(&group(1_000)), &subject(&Value::Null)));
    assert_eq!(
        problem(&group(1_001)),
        "conditions[1020].operatorType: a criterion has at most 1000 of LIKE, ICONTAINS and INOT_CONTAINS"
    );
}

#[test]
fn conditions_and_values_are_counted() {
    let group = |conditions: usize| {
        let conditions = vec![pattern("EQUALS", "a"); conditions].join(",");
        format!(r#"{{"type":"group","operator":"OR","conditions":[{conditions}]}}"#)
    };
    assert!(!judge(&criterion(&group(9_999)), &subject(&Value::Null)));
    assert_eq!(
        problem(&group(10_000)),
        "conditions[9999]: a criterion has at most 10000 conditions and values"
    );
    let array = |values: usize| {
        format!(r#"{{"type":"array","jsonPath":"v","values":[{}]}}"#, vec!["1"; values].join(","))
    };
    assert!(!judge(&criterion(&array(9_999)), &subject(&Value::Null)));
    assert_eq!(problem(&array(10_000)), "a criterion has at most 10000 conditions and values");
}

#[test]
fn a_deep_document_is_walked_through_to_its_end() {
    let deep = "[".repeat(64) + &"]".repeat(64);
    let found = "[".repeat(64) + "7" + &"]".repeat(64);
    let stars = "$".to_owned() + &"[*]".repeat(64);
    for path in ["$", &stars] {
        assert!(!compares(&deep, path, "EQUALS", "7"));
        assert!(compares(&found, path, "EQUALS", "7"));
    }
}
