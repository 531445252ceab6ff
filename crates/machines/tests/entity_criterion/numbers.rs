//! Numbers are compared by their exact value, however they are spelled and however long they are.

use super::check::compares;

/// Whether a document with the number `stored` compares like that.
fn number(stored: &str, operator: &str, operand: &str) -> bool {
    compares(&format!(r#"{{"v":{stored}}}"#), "v", operator, operand)
}

#[test]
fn spelling_does_not_matter() {
    for operand in ["100", "1e2", "100.000", r#""100""#, r#""1E+2""#, r#""100.0""#] {
        assert!(number("100", "EQUALS", operand), "{operand}");
        assert!(number("1e2", "EQUALS", operand), "{operand}");
        assert!(!number("100", "NOT_EQUAL", operand), "{operand}");
    }
    assert!(number("-0", "EQUALS", "0"));
}

#[test]
fn no_digit_is_lost() {
    assert!(!number("9007199254740993", "EQUALS", "9007199254740992"));
    assert!(number("9007199254740993", "GREATER_THAN", "9007199254740992"));
    assert!(number("0.1", "LESS_THAN", "0.1000000000000000000000000000000000001"));
    assert!(number(
        "123456789012345678901234567890.5",
        "GREATER_THAN",
        "123456789012345678901234567890.4"
    ));
    assert!(number("1e400", "BETWEEN", "[9e399, 1.1e400]"));
}

#[test]
fn text_that_is_no_number_is_not_compared_with_numbers() {
    for operand in [r#""five""#, r#""5 ""#, r#""+5""#, r#""0x5""#, r#""NaN""#, r#""""#, "true"] {
        assert!(!number("5", "EQUALS", operand), "{operand}");
        assert!(number("5", "NOT_EQUAL", operand), "{operand}");
        assert!(!number("5", "GREATER_THAN", operand), "{operand}");
        assert!(!number("5", "LESS_OR_EQUAL", operand), "{operand}");
    }
    assert!(!number("5", "BETWEEN", r#"["a",9]"#));
    assert!(!number("5", "BETWEEN_INCLUSIVE", r#""1,z""#));
}

#[test]
fn stored_text_is_text_even_if_it_looks_like_a_number() {
    let document = r#"{"v":"10"}"#;
    assert!(compares(document, "v", "EQUALS", "10"));
    assert!(!compares(document, "v", "EQUALS", "10.0"));
    assert!(compares(document, "v", "LESS_THAN", "9"));
    assert!(!compares(document, "v", "BETWEEN", "[9,11]"));
}

#[test]
fn a_hostile_exponent_is_compared_like_any_other() {
    assert!(number("1e2147483647", "GREATER_THAN", "9e2147483646"));
    assert!(number("5", "LESS_THAN", "1e2147483647"));
    assert!(number("5", "GREATER_THAN", "-1e2147483647"));
    assert!(number("1e-2147483648", "GREATER_THAN", "0"));
    assert!(number("1", "BETWEEN", "[1e-2147483648,1e2147483647]"));
    assert!(number("1e2147483647", "EQUALS", r#""10e2147483646""#));
    // Beyond that it is no number but text, and no number is equal to it.
    assert!(!number("5", "LESS_THAN", r#""1e99999999999""#));
}
