//! Criteria that somebody outside must judge.

use super::check::{criterion, problem, subject, value};
use waypost_machines::entity::criterion::{Criterion, Function};

fn function(json: &str) -> Function {
    let Criterion::Function(function) = criterion(json) else {
        panic!("{json} is no function");
    };
    function
}

#[test]
fn a_function_says_whom_to_ask_and_how() {
    let written = function(
        r#"{"type":"function","function":{"name":"is-eligible","config":{
            "calculationNodesTags":" rules, eu ,,","attachEntity":false,
            "responseTimeoutMs":5000,"retryPolicy":"FIXED","context":"v2"}}}"#,
    );
    let expected = Function {
        name: "is-eligible".to_owned(),
        tags: vec!["rules".to_owned(), "eu".to_owned()],
        attach_entity: false,
        timeout_ms: Some(5000),
        retry_policy: "FIXED".to_owned(),
        context: "v2".to_owned(),
    };
    assert_eq!(written, expected);
}

#[test]
fn what_a_function_does_not_say_has_a_default() {
    let expected = Function {
        name: "f".to_owned(),
        tags: vec![],
        attach_entity: true,
        timeout_ms: None,
        retry_policy: String::new(),
        context: String::new(),
    };
    for config in [
        "",
        r#","config":null"#,
        r#","config":{}"#,
        r#","config":{"responseTimeoutMs":0}"#,
        r#","config":{"responseTimeoutMs":-5}"#,
        r#","config":{"attachEntity":null,"context":null,"calculationNodesTags":""}"#,
    ] {
        let json = format!(r#"{{"type":"function","function":{{"name":"f"{config}}}}}"#);
        assert_eq!(function(&json), expected, "{config}");
    }
}

#[test]
fn what_a_function_says_must_be_right() {
    for (function, expected) in [
        ("", "function: expected an object, found nothing"),
        (r#","function":"f""#, "function: expected an object, found text"),
        (r#","function":{}"#, "function.name: expected a name"),
        (r#","function":{"name":""}"#, "function.name: expected a name"),
        (r#","function":{"name":5}"#, "function.name: expected text, found a number"),
        (
            r#","function":{"name":"f","config":[]}"#,
            "function.config: expected an object, found a list",
        ),
        (
            r#","function":{"name":"f","config":{"attachEntity":"yes"}}"#,
            "function.config.attachEntity: expected true or false, found text",
        ),
        (
            r#","function":{"name":"f","config":{"responseTimeoutMs":1.5}}"#,
            "function.config.responseTimeoutMs: expected a whole number of milliseconds",
        ),
        (
            r#","function":{"name":"f","config":{"calculationNodesTags":["a"]}}"#,
            "function.config.calculationNodesTags: expected text, found a list",
        ),
    ] {
        assert_eq!(problem(&format!(r#"{{"type":"function"{function}}}"#)), expected);
    }
}

/// What comes out, and who was asked, if functions called `yes` say yes and those called `no` no.
fn asked(operator: &str, conditions: &str) -> (Result<bool, String>, Vec<String>) {
    let conditions = conditions.split(' ').map(|it| match it {
        "TRUE" => r#"{"type":"group","operator":"AND"}"#.to_owned(),
        "FALSE" => r#"{"type":"group","operator":"OR"}"#.to_owned(),
        name => format!(r#"{{"type":"function","function":{{"name":"{name}"}}}}"#),
    });
    let conditions = conditions.collect::<Vec<_>>().join(",");
    let criterion = criterion(&format!(
        r#"{{"type":"group","operator":"{operator}","conditions":[{conditions}]}}"#
    ));
    let document = value("{}");
    let mut names = Vec::new();
    let result = criterion.evaluate(&subject(&document), &mut |function| {
        names.push(function.name.clone());
        match function.name.as_str() {
            "yes" => Ok(true),
            "no" => Ok(false),
            name => Err(format!("nobody knows {name}")),
        }
    });
    (result, names)
}

#[test]
fn nobody_is_asked_what_does_not_matter() {
    assert_eq!(asked("AND", "FALSE yes"), (Ok(false), vec![]));
    assert_eq!(asked("OR", "TRUE no"), (Ok(true), vec![]));
    assert_eq!(asked("AND", "no yes"), (Ok(false), vec!["no".to_owned()]));
    assert_eq!(asked("OR", "yes no"), (Ok(true), vec!["yes".to_owned()]));
}

#[test]
fn questions_are_asked_in_their_order() {
    let both = vec!["yes".to_owned(), "no".to_owned()];
    assert_eq!(asked("AND", "TRUE yes no FALSE"), (Ok(false), both));
    let both = vec!["no".to_owned(), "yes".to_owned()];
    assert_eq!(asked("OR", "FALSE no yes TRUE"), (Ok(true), both));
    // The cheap condition comes too late to spare the question.
    assert_eq!(asked("AND", "yes FALSE"), (Ok(false), vec!["yes".to_owned()]));
}

#[test]
fn a_question_that_fails_is_not_a_no() {
    let failed = Err("nobody knows ghost".to_owned());
    assert_eq!(asked("AND", "ghost yes"), (failed.clone(), vec!["ghost".to_owned()]));
    assert_eq!(asked("OR", "ghost yes"), (failed, vec!["ghost".to_owned()]));
}

#[test]
fn a_criterion_with_a_function_anywhere_is_no_predicate() {
    let leaf = r#"{"type":"simple","jsonPath":"a","operatorType":"IS_NULL"}"#;
    let function = r#"{"type":"function","function":{"name":"f"}}"#;
    let group = |inner: &str| {
        format!(r#"{{"type":"group","operator":"OR","conditions":[{leaf},{inner}]}}"#)
    };
    assert!(criterion(leaf).predicate().is_some());
    assert!(criterion(&group(&group(leaf))).predicate().is_some());
    assert!(criterion(function).predicate().is_none());
    assert!(criterion(&group(&group(function))).predicate().is_none());
}
