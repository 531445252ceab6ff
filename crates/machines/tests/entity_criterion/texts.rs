//! Shapes, patterns and case.

use super::check::{compares, value};
use waypost_documents::document::Value;

/// Whether the text `stored` compares like that with the text `operand`.
fn text(stored: &str, operator: &str, operand: &str) -> bool {
    let quoted = |text: &str| Value::Text(text.to_owned()).to_string();
    compares(&format!(r#"{{"v":{}}}"#, quoted(stored)), "v", operator, &quoted(operand))
}

#[test]
fn like_describes_the_whole_text() {
    assert!(text("order-17", "LIKE", "order-%"));
    assert!(text("order-17", "LIKE", "_rder-1_"));
    assert!(!text("my order-17", "LIKE", "order-%"));
    assert!(!text("order-17 ", "LIKE", "order-__"));
    assert!(!text("ORDER-17", "LIKE", "order-%"));
    // The signs of other languages of patterns mean nothing here.
    assert!(text("a.b*c", "LIKE", "a.b*c"));
    assert!(!text("axbbc", "LIKE", "a.b*c"));
}

#[test]
fn like_has_a_backslash_for_its_own_signs() {
    assert!(text("50%", "LIKE", r"50\%"));
    assert!(!text("50 €", "LIKE", r"50\%"));
    assert!(text("a_b", "LIKE", r"a\_b"));
    assert!(!text("a-b", "LIKE", r"a\_b"));
    assert!(text(r"a\b", "LIKE", r"a\\b"));
}

#[test]
fn like_does_not_reach_over_lines() {
    assert!(!text("a\nb", "LIKE", "a%"));
    assert!(!text("a\nb", "LIKE", "a_b"));
    assert!(text("a\nb", "LIKE", "a\n_"));
}

#[test]
fn patterns_describe_the_whole_text() {
    assert!(text("abc", "MATCHES_PATTERN", "a.c"));
    assert!(!text("xabc", "MATCHES_PATTERN", "a.c"));
    assert!(!text("abcx", "MATCHES_PATTERN", "a.c"));
    // Both sides of a choice, and the longer one if the shorter one comes first.
    assert!(text("ab", "MATCHES_PATTERN", "a|ab"));
    assert!(!text("ax", "MATCHES_PATTERN", "a|b"));
    assert!(!text("xb", "MATCHES_PATTERN", "a|b"));
    assert!(!text("a\n", "MATCHES_PATTERN", "a"));
    assert!(!text("a\nb", "MATCHES_PATTERN", "(?m)^a$"));
    assert!(text("ABC", "MATCHES_PATTERN", "(?i)abc"));
    assert!(text("", "MATCHES_PATTERN", ""));
}

#[test]
fn patterns_that_people_write_are_not_too_large() {
    assert!(text("ada@example.org", "MATCHES_PATTERN", r"[\w.+-]+@[\w-]+\.[\w.-]+"));
    assert!(text("Lovelace", "MATCHES_PATTERN", r"\w{1,50}"));
    assert!(text("Łódź", "MATCHES_PATTERN", r"\p{Lu}\p{Ll}{0,20}( \p{Lu}\p{Ll}{0,20})*"));
}

#[test]
fn patterns_are_those_of_re2() {
    assert!(text("42", "MATCHES_PATTERN", r"\d+"));
    assert!(!text("٤٢", "MATCHES_PATTERN", r"\d+"));
    assert!(!text("é", "MATCHES_PATTERN", r"\w"));
    assert!(text("a.b", "MATCHES_PATTERN", r"\Qa.b\E"));
    assert!(!text("axb", "MATCHES_PATTERN", r"\Qa.b\E"));
    assert!(text("&", "MATCHES_PATTERN", "[a&&b]"));
    assert!(text("# a", "MATCHES_PATTERN", "# a"));
}

#[test]
fn case_is_ignored_in_every_script() {
    assert!(text("GRÜSSE, ΟΔΟΣ", "IEQUALS", "grüsse, οδος"));
    assert!(!text("GRÜSSE", "EQUALS", "grüsse"));
    assert!(text("Ärger", "ISTARTS_WITH", "äR"));
    assert!(text("ΟΔΟΣ 5", "ICONTAINS", "οδος"));
    assert!(text("ΣΟΦΙΑΣ", "IENDS_WITH", "ας"));
    assert!(!text("ΣΟΦΙΑΣ", "INOT_ENDS_WITH", "ας"));
    assert!(!text("résumé", "IEQUALS", "resume"));
}

#[test]
fn order_of_text_is_that_of_its_characters() {
    assert!(text("b", "GREATER_THAN", "a"));
    assert!(text("a", "GREATER_THAN", "Z"));
    assert!(text("ab", "GREATER_THAN", "a"));
    assert!(text("é", "GREATER_THAN", "z"));
    assert!(text("m", "BETWEEN", "a,z"));
    assert!(!text("a", "BETWEEN", "a,z"));
    assert!(text("a", "BETWEEN_INCLUSIVE", "a,z"));
}

#[test]
fn empty_text_is_not_null() {
    assert_eq!(value(r#""""#), Value::Text(String::new()));
    assert!(text("", "EQUALS", ""));
    assert!(text("", "NOT_EQUAL", "a"));
    assert!(text("", "NOT_NULL", ""));
    assert!(!text("", "IS_NULL", ""));
}
