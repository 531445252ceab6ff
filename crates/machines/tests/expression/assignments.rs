//! Values that are expressions, and values that are not.

use serde_json::{Value, json};
use waypost_machines::process::expression::{Assignment, Coercion, Limits, is_now, type_of};

use crate::check::variables_of;

fn assigned(value: &Value) -> Result<Value, String> {
    let variables = variables_of(r#"{"a":1,"b":2,"list":[1,{"x":2.0}]}"#);
    Assignment::parse(value, Limits::default())
        .evaluate(&variables, Coercion::On, "2026-05-03T10:00:00Z")
        .map_err(|error| error.to_string())
}

#[test]
fn only_a_text_from_brace_to_brace_is_an_expression() {
    for (value, expected) in [
        (json!("${a}"), json!(1)),
        (json!("${a + b}"), json!(3)),
        (json!("${a} + ${b}"), json!(3)),
        (json!("${list}"), json!([1, {"x": 2}])),
        (json!("Hello ${a}"), json!("Hello ${a}")),
        (json!("${a} "), json!("${a} ")),
        (json!(" ${a}"), json!(" ${a}")),
        (json!("a + b"), json!("a + b")),
        (json!(["${a}"]), json!(["${a}"])),
        (json!({"x": "${a}"}), json!({"x": "${a}"})),
        (json!(1.0), json!(1.0)),
        (json!(null), json!(null)),
    ] {
        assert_eq!(assigned(&value), Ok(expected), "{value}");
    }
}

#[test]
fn a_malformed_expression_fails_when_it_is_evaluated() {
    for value in ["${a} ${b}", "${}", "${a +}", "${'}", "${now() }}"] {
        let assignment = Assignment::parse(&json!(value), Limits::default());
        assert!(matches!(assignment, Assignment::Malformed(_)), "{value}");
        let error = assigned(&json!(value)).unwrap_err();
        assert!(error.contains(value), "{error}");
    }
}

#[test]
fn the_time_is_asked_for_in_one_form_only() {
    for source in ["${now()}", "${ now() }", "${\tnow()}", "${now()   }"] {
        assert!(is_now(source), "{source}");
        assert_eq!(assigned(&json!(source)), Ok(json!("2026-05-03T10:00:00Z")));
    }
    for source in ["now()", "${now( )}", "${Now()}", "${now}", "${now() + 1}", " ${now()}", ""] {
        assert!(!is_now(source), "{source}");
    }
    let error = assigned(&json!("${now() + 1}")).unwrap_err();
    assert!(error.contains(r#"undefined variable "now""#), "{error}");
}

#[test]
fn types_have_names() {
    for (value, name) in [
        (json!(null), "nil"),
        (json!(true), "bool"),
        (json!(1.5), "number"),
        (json!("x"), "string"),
        (json!([]), "array"),
        (json!({}), "object"),
    ] {
        assert_eq!(type_of(&value), name);
    }
}
