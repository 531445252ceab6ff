//! What one sample shows.

use crate::{model, shown};

fn check(sample: &str, expected: &str) {
    assert_eq!(shown(&model(&[sample])), expected, "{sample}");
}

#[test]
fn values_become_nodes() {
    check(r#""a""#, r#""STRING""#);
    check("true", r#""BOOLEAN""#);
    check("false", r#""BOOLEAN""#);
    check("null", r#""NULL""#);
    check("{}", "{}");
    check("[]", r#"["NULL"]"#);
    check("[null]", r#"["NULL"]"#);
    check(r#"{"b":{"c":1},"a":[true]}"#, r#"{"a":["BOOLEAN"],"b":{"c":"INTEGER"}}"#);
}

#[test]
fn elements_become_one() {
    check(r#"[1,"a",null,2147483648]"#, r#"["LONG|STRING"]"#);
    check(r#"[{"a":1},{"b":null},{"a":1.5}]"#, r#"[{"a":"DOUBLE","b":"NULL"}]"#);
    check("[[1],[],[true]]", r#"[["INTEGER|BOOLEAN"]]"#);
}

#[test]
fn texts_are_texts_whatever_they_look_like() {
    for text in ["2026-02-03", "12", "true", "16ab11f6-0c9f-5428-a4d3-e26692ded6f1", ""] {
        check(&format!("{text:?}"), r#""STRING""#);
    }
}

#[test]
fn whole_numbers_are_told_apart_by_their_bits() {
    for (number, expected) in [
        ("0", "INTEGER"),
        ("-0", "INTEGER"),
        ("-0.000e9", "INTEGER"),
        ("1.0", "INTEGER"),
        ("1e2", "INTEGER"),
        ("100", "INTEGER"),
        ("2147483647", "INTEGER"),
        ("2147483647.0", "INTEGER"),
        ("2.147483647e9", "INTEGER"),
        ("-2147483648", "INTEGER"),
        ("2147483648", "LONG"),
        ("2147483648.000", "LONG"),
        ("-2147483649", "LONG"),
        ("9223372036854775807", "LONG"),
        ("-9223372036854775808", "LONG"),
        ("-9223372036854775808.0", "LONG"),
        ("9223372036854775808", "BIG_INTEGER"),
        ("-9223372036854775809", "BIG_INTEGER"),
        ("170141183460469231731687303715884105727", "BIG_INTEGER"),
        ("-170141183460469231731687303715884105728", "BIG_INTEGER"),
        ("-17014118346046923173168730371588410572.8e1", "BIG_INTEGER"),
        ("1e38", "BIG_INTEGER"),
        ("170141183460469231731687303715884105728", "UNBOUND_INTEGER"),
        ("-170141183460469231731687303715884105729", "UNBOUND_INTEGER"),
        ("2e38", "UNBOUND_INTEGER"),
        ("1e39", "UNBOUND_INTEGER"),
        ("1e400", "UNBOUND_INTEGER"),
    ] {
        check(number, &format!("{expected:?}"));
    }
}

#[test]
fn fractions_are_told_apart_by_their_digits() {
    for (number, expected) in [
        ("12.50", "DOUBLE"),
        ("-0.1", "DOUBLE"),
        ("12345678901234.5", "DOUBLE"),
        ("123456789012345.6", "BIG_DECIMAL"),
        ("0.123456789012345", "DOUBLE"),
        ("0.1234567890123450", "DOUBLE"),
        ("0.1234567890123456", "BIG_DECIMAL"),
        ("1e-292", "DOUBLE"),
        ("1e-293", "UNBOUND_DECIMAL"),
        ("3.141592653589793238", "BIG_DECIMAL"),
        ("3.1415926535897932385", "UNBOUND_DECIMAL"),
        ("3.14159265358979323846", "UNBOUND_DECIMAL"),
        // Twenty digits before the point fit whatever they are, twenty-one if they are low enough.
        ("99999999999999999999.999999999999999999", "BIG_DECIMAL"),
        ("170141183460469231731.687303715884105727", "BIG_DECIMAL"),
        ("170141183460469231731.687303715884105728", "UNBOUND_DECIMAL"),
        ("-170141183460469231731.687303715884105728", "BIG_DECIMAL"),
        ("-170141183460469231731.687303715884105729", "UNBOUND_DECIMAL"),
        ("170141183460469231731.6", "BIG_DECIMAL"),
        ("170141183460469231731.7", "UNBOUND_DECIMAL"),
        ("1000000000000000000000.5", "UNBOUND_DECIMAL"),
    ] {
        check(number, &format!("{expected:?}"));
    }
}

#[test]
fn a_hostile_exponent_costs_nothing() {
    check("1e2147483647", r#""UNBOUND_INTEGER""#);
    check("-123456789e2147483647", r#""UNBOUND_INTEGER""#);
    check("1e-2147483648", r#""UNBOUND_DECIMAL""#);
    check("1.2345678901234567e-2147483632", r#""UNBOUND_DECIMAL""#);
    check("0e2147483647", r#""INTEGER""#);
}
