//! What an error says, and where it points to.

use waypost_machines::process::expression::{Cause, Coercion, Span};

use crate::check::evaluate;

fn failure(source: &str, variables: &str) -> (Span, Cause, String) {
    let error = evaluate(source, variables, Coercion::On).unwrap_err();
    assert_eq!(error.expression(), source);
    (error.span(), error.cause().clone(), error.to_string())
}

#[test]
fn an_error_points_to_its_place() {
    for (source, start, end) in [
        ("1 + missing", 4, 11),
        ("1 + (a > b)", 5, 10),
        ("a.x.y + 1", 0, 5),
        ("1 + foo(2)", 4, 7),
        ("1 + ${ a", 4, 6),
        ("a == 'x", 5, 7),
        ("a ==", 4, 4),
        ("'é' + @", 7, 8),
        ("map([1], # + 'x')", 9, 16),
        ("1 + 'a\\d'", 6, 8),
    ] {
        let (span, _, text) = failure(source, r#"{"a":{},"b":1}"#);
        assert_eq!(span, Span { start, end }, "{source}: {text}");
    }
}

#[test]
fn an_error_is_one_line_with_source_and_cause() {
    let text = |source, variables| failure(source, variables).2;
    assert_eq!(text("1 +\nx", ""), r#"undefined variable "x" (at 4 in `1 + x`)"#);
    assert_eq!(text("${a", ""), "unterminated '${' in expression (at 0 in `${a`)");
    assert_eq!(
        text("a > 5", r#"{"a":"a\nb"}"#),
        r#"cannot coerce value "a b" to number (at 0 in `a > 5`)"#
    );
    assert_eq!(
        text("a && true", r#"{"a":"abc"}"#),
        r#"cannot coerce value "abc" to bool (at 0 in `a && true`)"#
    );
    assert_eq!(text("1 +", ""), "expected an operand, found the end (at 3 in `1 +`)");
}

#[test]
fn a_long_source_is_cut_in_the_text_and_kept_in_the_error() {
    let source = format!("'{}' + 1", "x".repeat(5_000));
    let (_, _, text) = failure(&source, "");
    assert!(text.chars().count() < 300, "{text}");
}

#[test]
fn a_cause_can_be_told_from_others() {
    assert_eq!(failure("x", "").1, Cause::UndefinedVariable("x".into()));
    assert_eq!(failure("${", "").1, Cause::Unterminated);
    assert_eq!(failure("1 / 0", "").1, Cause::NotANumber);
    let coercion = Cause::Coercion { value: "y".into(), to: "number" };
    assert_eq!(failure("a - 1", r#"{"a":"y"}"#).1, coercion);
}
