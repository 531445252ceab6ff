//! What is known of an entity beside its document.

use super::check::{criterion, judge, knows, problem, subject, value};
use waypost_documents::predicate::Subject;

#[test]
fn every_field_has_its_value() {
    for (field, operand) in [
        ("state", r#""OPEN""#),
        ("previousTransition", r#""SUBMIT""#),
        ("transitionForLatestSave", r#""SUBMIT""#),
        ("transactionId", r#""8d9a1f70-6b5e-11ef-8000-000000000001""#),
        ("id", r#""7c1f0a52-6b5e-11ef-8000-000000000002""#),
        ("creationDate", r#""2024-09-05T10:30:15.25Z""#),
        ("lastUpdateTime", r#""2024-09-06T10:30:15Z""#),
    ] {
        assert!(knows(field, "EQUALS", operand), "{field}");
        assert!(!knows(field, "NOT_EQUAL", operand), "{field}");
        assert!(knows(field, "NOT_NULL", "null"), "{field}");
        assert!(!knows(field, "IS_NULL", "null"), "{field}");
    }
}

#[test]
fn texts_compare_like_any_text() {
    assert!(knows("state", "IEQUALS", r#""open""#));
    assert!(knows("state", "LIKE", r#""O%""#));
    assert!(knows("state", "NOT_CONTAINS", r#""x""#));
    assert!(knows("state", "BETWEEN", r#""O,P""#));
    assert!(knows("previousTransition", "MATCHES_PATTERN", r#""SUB.*""#));
    assert!(!knows("id", "STARTS_WITH", r#""8""#));
}

#[test]
fn before_the_first_save_the_transition_is_empty_text() {
    let document = value("{}");
    let created = Subject { previous_transition: "", ..subject(&document) };
    let asks = |operator: &str, operand: &str| {
        let condition = format!(
            r#"{{"type":"lifecycle","field":"previousTransition","operation":"{operator}","value":"{operand}"}}"#
        );
        judge(&criterion(&condition), &created)
    };
    assert!(asks("EQUALS", ""));
    assert!(asks("NOT_EQUAL", "SUBMIT"));
    assert!(!asks("EQUALS", "SUBMIT"));
    assert!(asks("NOT_NULL", ""));
}

#[test]
fn times_compare_by_the_calendar_and_not_by_their_text() {
    // The same instant elsewhere, and one whose text would sort the other way.
    assert!(knows("creationDate", "EQUALS", r#""2024-09-05T12:30:15.250+02:00""#));
    assert!(knows("creationDate", "GREATER_THAN", r#""2024-09-05T23:00:00+14:00""#));
    assert!(knows("creationDate", "LESS_THAN", r#""2024-09-05T10:30:15.250001Z""#));
    assert!(knows("creationDate", "LESS_THAN", r#""2024-09-05T10:30:15.250000001Z""#));
    assert!(knows("creationDate", "GREATER_OR_EQUAL", r#""2024-09-05T10:30:15.25""#));
    assert!(knows("creationDate", "NOT_EQUAL", r#""2024-09-05T10:30:15Z""#));
    assert!(!knows("creationDate", "NOT_EQUAL", r#""2024-09-05T10:30:15.25Z""#));
    assert!(knows("lastUpdateTime", "LESS_OR_EQUAL", r#""2024-09-06 10:30:15""#));
    assert!(!knows("lastUpdateTime", "LESS_THAN", r#""2024-09-06T10:30:15Z""#));
}

#[test]
fn a_coarse_time_is_its_first_instant() {
    for operand in ["2024", r#""2024""#, r#""2024-09""#, r#""2024-09-05""#, r#""2024-09-05T10:30""#]
    {
        assert!(knows("creationDate", "GREATER_THAN", operand), "{operand}");
        assert!(!knows("creationDate", "EQUALS", operand), "{operand}");
    }
    for operand in ["2025", r#""2024-10""#, r#""2024-09-06""#, r#""2024-09-05T10:31""#] {
        assert!(knows("creationDate", "LESS_THAN", operand), "{operand}");
    }
    let document = value("{}");
    let new_year = Subject { created_at: 1_704_067_200_000_000, ..subject(&document) };
    for operand in ["2024", r#""2024-01""#, r#""2024-01-01""#] {
        let condition = format!(
            r#"{{"type":"lifecycle","field":"creationDate","operatorType":"EQUALS","value":{operand}}}"#
        );
        assert!(judge(&criterion(&condition), &new_year), "{operand}");
    }
}

#[test]
fn a_span_of_time_has_two_ends() {
    assert!(knows("creationDate", "BETWEEN", r#""2024,2025""#));
    assert!(knows("creationDate", "BETWEEN", "[2024,2025]"));
    assert!(knows("creationDate", "BETWEEN", r#"["2024-09","2024-10"]"#));
    assert!(!knows("creationDate", "BETWEEN", r#"["2024-10","2024-11"]"#));
    let ends = r#"["2024-09-05T10:30:15.25Z","2025"]"#;
    assert!(!knows("creationDate", "BETWEEN", ends));
    assert!(knows("creationDate", "BETWEEN_INCLUSIVE", ends));
}

#[test]
fn a_time_is_not_text() {
    for operator in ["CONTAINS", "NOT_CONTAINS", "STARTS_WITH", "IEQUALS", "INOT_EQUAL", "LIKE"] {
        assert!(!knows("creationDate", operator, r#""2024""#), "{operator}");
    }
    assert!(!knows("creationDate", "MATCHES_PATTERN", r#"".*""#));
    assert!(!knows("creationDate", "EQUALS", "null"));
    assert!(knows("creationDate", "NOT_EQUAL", "null"));
}

#[test]
fn what_is_no_time_is_refused_for_times() {
    for operand in [r#""yesterday""#, "true", "20240905", r#""2024-13""#] {
        let condition = format!(
            r#"{{"type":"lifecycle","field":"lastUpdateTime","operatorType":"EQUALS","value":{operand}}}"#
        );
        assert_eq!(
            problem(&condition),
            "value: not a point in time: expected a year, a month, a date or RFC 3339",
            "{operand}"
        );
    }
}
