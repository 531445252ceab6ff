//! Every operator with every kind of stored value.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::check::compares;

/// What may be stored in `v`.
const STORED: [(&str, &str); 9] = [
    ("number", r#"{"v":5}"#),
    ("text", r#"{"v":"abc"}"#),
    ("digits", r#"{"v":"5"}"#),
    ("bool", r#"{"v":true}"#),
    ("null", r#"{"v":null}"#),
    ("absent", "{}"),
    ("list", r#"{"v":[5,"abc",null]}"#),
    ("empty", r#"{"v":[]}"#),
    ("object", r#"{"v":{"abc":5}}"#),
];

/// Shows for each operator and operand for which kinds of stored values it holds.
fn check(rows: &[(&str, &str)], expected: &Expect) {
    let mut table = String::new();
    for (operator, operand) in rows {
        let holds = STORED.iter().filter(|(_, it)| compares(it, "$.v", operator, operand));
        let names: Vec<_> = holds.map(|(name, _)| *name).collect();
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(" ") };
        writeln!(table, "{operator} {operand}: {names}").unwrap();
    }
    expected.assert_eq(&table);
}

#[test]
fn whether_something_is_null_is_told_of_every_kind() {
    check(
        &[("IS_NULL", "null"), ("NOT_NULL", "null"), ("IS_NULL", "[{}]")],
        &expect![[r#"
        IS_NULL null: null absent list
        NOT_NULL null: number text digits bool list object
        IS_NULL [{}]: null absent list
    "#]],
    );
}

#[test]
fn equality_is_that_of_the_stored_kind() {
    let operands = ["5", "5.0", r#""5""#, r#""5e0""#, r#""abc""#, "true", r#""true""#, "null"];
    let rows = operands.map(|it| [("EQUALS", it), ("NOT_EQUAL", it)]);
    check(
        rows.as_flattened(),
        &expect![[r#"
        EQUALS 5: number digits list
        NOT_EQUAL 5: text bool list
        EQUALS 5.0: number list
        NOT_EQUAL 5.0: text digits bool list
        EQUALS "5": number digits list
        NOT_EQUAL "5": text bool list
        EQUALS "5e0": number list
        NOT_EQUAL "5e0": text digits bool list
        EQUALS "abc": text list
        NOT_EQUAL "abc": number digits bool list
        EQUALS true: bool
        NOT_EQUAL true: number text digits list
        EQUALS "true": bool
        NOT_EQUAL "true": number text digits list
        EQUALS null: nothing
        NOT_EQUAL null: number text digits bool list
    "#]],
    );
}

#[test]
fn order_is_that_of_the_stored_kind() {
    let operands = ["4", "5", r#""5""#, "6", r#""abc""#, "false", "true"];
    let operators = ["GREATER_THAN", "GREATER_OR_EQUAL", "LESS_THAN", "LESS_OR_EQUAL"];
    let rows = operators.map(|operator| operands.map(|it| (operator, it)));
    check(
        rows.as_flattened(),
        &expect![[r#"
        GREATER_THAN 4: number text digits list
        GREATER_THAN 5: text list
        GREATER_THAN "5": text list
        GREATER_THAN 6: text list
        GREATER_THAN "abc": nothing
        GREATER_THAN false: bool
        GREATER_THAN true: nothing
        GREATER_OR_EQUAL 4: number text digits list
        GREATER_OR_EQUAL 5: number text digits list
        GREATER_OR_EQUAL "5": number text digits list
        GREATER_OR_EQUAL 6: text list
        GREATER_OR_EQUAL "abc": text list
        GREATER_OR_EQUAL false: bool
        GREATER_OR_EQUAL true: bool
        LESS_THAN 4: nothing
        LESS_THAN 5: nothing
        LESS_THAN "5": nothing
        LESS_THAN 6: number digits list
        LESS_THAN "abc": digits
        LESS_THAN false: text digits list
        LESS_THAN true: text digits list
        LESS_OR_EQUAL 4: nothing
        LESS_OR_EQUAL 5: number digits list
        LESS_OR_EQUAL "5": number digits list
        LESS_OR_EQUAL 6: number digits list
        LESS_OR_EQUAL "abc": text digits list
        LESS_OR_EQUAL false: text digits list
        LESS_OR_EQUAL true: text digits bool list
    "#]],
    );
}

#[test]
fn bounds_are_left_out_by_between_and_taken_in_by_between_inclusive() {
    let operands = [
        "[4,6]",
        "[5,6]",
        "[4,5]",
        "[5,5]",
        "[6,4]",
        r#""4,6""#,
        r#"" 5 , 6 ""#,
        r#"["4","5"]"#,
        r#"["abc","abd"]"#,
        r#""abb,abd""#,
        "[false,true]",
    ];
    let rows = operands.map(|it| [("BETWEEN", it), ("BETWEEN_INCLUSIVE", it)]);
    check(
        rows.as_flattened(),
        &expect![[r#"
        BETWEEN [4,6]: number digits list
        BETWEEN_INCLUSIVE [4,6]: number digits list
        BETWEEN [5,6]: nothing
        BETWEEN_INCLUSIVE [5,6]: number digits list
        BETWEEN [4,5]: nothing
        BETWEEN_INCLUSIVE [4,5]: number digits list
        BETWEEN [5,5]: nothing
        BETWEEN_INCLUSIVE [5,5]: number digits list
        BETWEEN [6,4]: nothing
        BETWEEN_INCLUSIVE [6,4]: nothing
        BETWEEN "4,6": number digits list
        BETWEEN_INCLUSIVE "4,6": number digits list
        BETWEEN " 5 , 6 ": nothing
        BETWEEN_INCLUSIVE " 5 , 6 ": number digits list
        BETWEEN ["4","5"]: nothing
        BETWEEN_INCLUSIVE ["4","5"]: number digits list
        BETWEEN ["abc","abd"]: nothing
        BETWEEN_INCLUSIVE ["abc","abd"]: text list
        BETWEEN "abb,abd": text list
        BETWEEN_INCLUSIVE "abb,abd": text list
        BETWEEN [false,true]: nothing
        BETWEEN_INCLUSIVE [false,true]: bool
    "#]],
    );
}

#[test]
fn operators_for_text_ignore_whatever_is_not_text() {
    let rows = [
        ("CONTAINS", r#""b""#),
        ("CONTAINS", "5"),
        ("CONTAINS", r#""B""#),
        ("CONTAINS", r#""""#),
        ("NOT_CONTAINS", r#""b""#),
        ("NOT_CONTAINS", r#""B""#),
        ("STARTS_WITH", r#""ab""#),
        ("STARTS_WITH", r#""AB""#),
        ("STARTS_WITH", "5"),
        ("NOT_STARTS_WITH", r#""ab""#),
        ("NOT_STARTS_WITH", r#""b""#),
        ("ENDS_WITH", r#""bc""#),
        ("ENDS_WITH", r#""BC""#),
        ("ENDS_WITH", r#""b""#),
        ("NOT_ENDS_WITH", r#""bc""#),
        ("NOT_ENDS_WITH", r#""b""#),
        ("LIKE", r#""a_c""#),
        ("LIKE", r#""%""#),
        ("LIKE", "5"),
        ("MATCHES_PATTERN", r#""[a-c]+""#),
        ("MATCHES_PATTERN", r#"".*""#),
        ("MATCHES_PATTERN", "5"),
    ];
    check(
        &rows,
        &expect![[r#"
        CONTAINS "b": text list
        CONTAINS 5: digits
        CONTAINS "B": nothing
        CONTAINS "": text digits list
        NOT_CONTAINS "b": digits
        NOT_CONTAINS "B": text digits list
        STARTS_WITH "ab": text list
        STARTS_WITH "AB": nothing
        STARTS_WITH 5: digits
        NOT_STARTS_WITH "ab": digits
        NOT_STARTS_WITH "b": text digits list
        ENDS_WITH "bc": text list
        ENDS_WITH "BC": nothing
        ENDS_WITH "b": nothing
        NOT_ENDS_WITH "bc": digits
        NOT_ENDS_WITH "b": text digits list
        LIKE "a_c": text list
        LIKE "%": text digits list
        LIKE 5: digits
        MATCHES_PATTERN "[a-c]+": text list
        MATCHES_PATTERN ".*": text digits list
        MATCHES_PATTERN 5: digits
    "#]],
    );
}

#[test]
fn operators_that_ignore_case_are_operators_for_text() {
    let rows = [
        ("IEQUALS", r#""ABC""#),
        ("IEQUALS", "5"),
        ("IEQUALS", "true"),
        ("INOT_EQUAL", r#""ABC""#),
        ("INOT_EQUAL", r#""x""#),
        ("ICONTAINS", r#""B""#),
        ("ICONTAINS", r#""x""#),
        ("INOT_CONTAINS", r#""B""#),
        ("INOT_CONTAINS", r#""x""#),
        ("ISTARTS_WITH", r#""AB""#),
        ("ISTARTS_WITH", r#""B""#),
        ("INOT_STARTS_WITH", r#""AB""#),
        ("INOT_STARTS_WITH", r#""B""#),
        ("IENDS_WITH", r#""BC""#),
        ("IENDS_WITH", r#""B""#),
        ("INOT_ENDS_WITH", r#""BC""#),
        ("INOT_ENDS_WITH", r#""B""#),
    ];
    check(
        &rows,
        &expect![[r#"
        IEQUALS "ABC": text list
        IEQUALS 5: digits
        IEQUALS true: nothing
        INOT_EQUAL "ABC": digits
        INOT_EQUAL "x": text digits list
        ICONTAINS "B": text list
        ICONTAINS "x": nothing
        INOT_CONTAINS "B": digits
        INOT_CONTAINS "x": text digits list
        ISTARTS_WITH "AB": text list
        ISTARTS_WITH "B": nothing
        INOT_STARTS_WITH "AB": digits
        INOT_STARTS_WITH "B": text digits list
        IENDS_WITH "BC": text list
        IENDS_WITH "B": nothing
        INOT_ENDS_WITH "BC": digits
        INOT_ENDS_WITH "B": text digits list
    "#]],
    );
}
