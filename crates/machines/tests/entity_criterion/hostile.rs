//! Criteria that are meant to hurt.

use super::check::{compares, criterion, judge, problem, subject};
use waypost_kernel::document::{Members, Value};

fn pattern(operator: &str, pattern: &str) -> String {
    let pattern = Value::Text(pattern.to_owned());
    format!(r#"{{"type":"simple","jsonPath":"v","operatorType":"{operator}","value":{pattern}}}"#)
}

fn document(text: String) -> Value {
    Value::Object(Members::from_iter([("v".to_owned(), Value::Text(text))]))
}

#[test]
fn a_pattern_that_would_take_gigabytes_is_refused() {
    for hostile in
        ["a{1000}{1000}{1000}", r"\pL{5000}", r"(\w{100}){100}", "((((a{9}){9}){9}){9}){9}"]
    {
        let problem = problem(&pattern("MATCHES_PATTERN", hostile));
        assert!(problem.contains("exceeds size limit"), "{hostile}: {problem}");
    }
}

#[test]
fn a_long_pattern_is_refused() {
    for operator in ["LIKE", "MATCHES_PATTERN"] {
        assert!(!judge(&criterion(&pattern(operator, &"a".repeat(4_096))), &subject(&Value::Null)));
        assert_eq!(
            problem(&pattern(operator, &"a".repeat(4_097))),
            "value: a pattern has at most 4096 bytes"
        );
    }
    assert!(problem(&pattern("MATCHES_PATTERN", &"(".repeat(4_000))).starts_with("value: not a"));
    let nested = "(".repeat(2_000) + &")".repeat(2_000);
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
}

#[test]
fn patterns_are_counted() {
    let group = |patterns: usize| {
        let patterns = vec![pattern("MATCHES_PATTERN", "a"); patterns].join(",");
        format!(r#"{{"type":"group","operator":"OR","conditions":[{patterns}]}}"#)
    };
    assert!(!judge(&criterion(&group(50)), &subject(&Value::Null)));
    assert_eq!(
        problem(&group(51)),
        "conditions[50].operatorType: a criterion has at most 50 patterns"
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
