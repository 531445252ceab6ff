//! Where conditions look, and what many values or none mean.

use super::check::{compares, holds, value};
use waypost_documents::predicate::{Operator, Path, Predicate};

const ORDER: &str = r#"{
    "total": 12.5,
    "customer": {"name": "Ada", "a.b": 1, "it's": 2, "0": "zero", "vip": null},
    "codes": ["x", "y", "z"],
    "lines": [
        {"sku": "A1", "sizes": [1, 2]},
        {"sku": "B2", "sizes": [3]},
        {"note": "no sku", "sizes": []}
    ],
    "matrix": [[1, 2], [3, 4]],
    "none": [],
    "holes": [null, 7]
}"#;

#[test]
fn a_path_leads_to_its_value() {
    for (path, operand) in [
        ("$.total", "12.5"),
        ("$total", "12.5"),
        ("total", "12.5"),
        ("$['total']", "12.5"),
        ("$.customer.name", r#""Ada""#),
        ("customer['name']", r#""Ada""#),
        ("$['customer'][\"name\"]", r#""Ada""#),
        ("$.customer['a.b']", "1"),
        (r"$.customer['it\'s']", "2"),
        ("$.codes[1]", r#""y""#),
        ("$.codes.1", r#""y""#),
        ("$.lines[1].sku", r#""B2""#),
        ("$.lines.1.sku", r#""B2""#),
        ("$.matrix[1][0]", "3"),
        ("$.matrix.1.0", "3"),
        ("$.customer.0", r#""zero""#),
    ] {
        assert!(compares(ORDER, path, "EQUALS", operand), "{path}");
    }
}

#[test]
fn a_path_that_leads_nowhere_is_null() {
    for path in [
        "$.missing",
        "$.total.x",
        "$.customer.vip",
        "$.customer.vip.x",
        "$.codes[3]",
        "$.codes.3",
        "$.codes['1']",
        "$.customer[0]",
        "$.lines.sku",
        "$.Total",
    ] {
        assert!(compares(ORDER, path, "IS_NULL", "null"), "{path}");
        assert!(!compares(ORDER, path, "NOT_NULL", "null"), "{path}");
        assert!(!compares(ORDER, path, "EQUALS", "null"), "{path}");
        assert!(!compares(ORDER, path, "NOT_EQUAL", "null"), "{path}");
    }
}

#[test]
fn nothing_matches_null_but_the_question_for_null() {
    for (operator, _) in Operator::NAMES.iter().filter(|(it, _)| *it != "IS_NULL") {
        let operand = if operator.starts_with("BETWEEN") { r#""a,b""# } else { r#""a""# };
        for path in ["$.missing", "$.customer.vip"] {
            assert!(!compares(ORDER, path, operator, operand), "{path} {operator}");
        }
    }
}

#[test]
fn of_many_values_one_is_enough() {
    assert!(compares(ORDER, "$.lines[*].sku", "EQUALS", r#""B2""#));
    assert!(!compares(ORDER, "$.lines[*].sku", "EQUALS", r#""C3""#));
    // Also for what is negated: there is one that is not B2.
    assert!(compares(ORDER, "$.lines[*].sku", "NOT_EQUAL", r#""B2""#));
    assert!(compares(ORDER, "$.lines[*].sku", "NOT_STARTS_WITH", r#""B""#));
    assert!(!compares(ORDER, "$.lines[*].sku", "NOT_CONTAINS", r#""""#));
    assert!(compares(ORDER, "$.lines[*].sku", "NOT_NULL", "null"));
}

#[test]
fn elements_without_the_member_are_passed_over() {
    assert!(!compares(ORDER, "$.lines[*].sku", "IS_NULL", "null"));
    assert!(compares(r#"{"lines":[{"sku":null}]}"#, "$.lines[*].sku", "IS_NULL", "null"));
}

#[test]
fn of_no_values_nothing_holds() {
    for path in ["$.none[*]", "$.none[*].sku", "$.missing[*]", "$.total[*]", "$.customer[*]"] {
        for (operator, _) in &Operator::NAMES {
            let operand = if operator.starts_with("BETWEEN") { r#""a,b""# } else { r#""a""# };
            assert!(!compares(ORDER, path, operator, operand), "{path} {operator}");
        }
    }
    for operator in ["IS_NULL", "NOT_NULL", "NOT_EQUAL"] {
        assert!(!compares(ORDER, "$.none", operator, "1"), "{operator}");
        assert!(!compares(ORDER, "$.lines[*].nothing", operator, "1"), "{operator}");
    }
}

#[test]
fn a_plain_path_to_a_list_means_its_elements() {
    assert!(compares(ORDER, "$.codes", "EQUALS", r#""z""#));
    assert!(!compares(ORDER, "$.codes", "EQUALS", r#""w""#));
    assert!(compares(ORDER, "$.codes", "NOT_EQUAL", r#""z""#));
    assert!(compares(ORDER, "$.holes", "IS_NULL", "null"));
    assert!(compares(ORDER, "$.holes", "NOT_NULL", "null"));
    assert!(compares(ORDER, "$.holes", "GREATER_THAN", "6"));
}

#[test]
fn a_star_at_the_end_means_the_elements_and_not_their_number() {
    assert!(compares(ORDER, "$.codes[*]", "EQUALS", r#""z""#));
    assert!(!compares(ORDER, "$.codes[*]", "EQUALS", "3"));
}

#[test]
fn stars_inside_of_stars_become_one_list() {
    assert!(compares(ORDER, "$.lines[*].sizes[*]", "EQUALS", "3"));
    assert!(compares(ORDER, "$.lines[*].sizes", "EQUALS", "2"));
    assert!(!compares(ORDER, "$.lines[*].sizes[*]", "GREATER_THAN", "3"));
    assert!(compares(ORDER, "$.matrix[*][*]", "EQUALS", "4"));
    assert!(compares(ORDER, "$.matrix[*]", "EQUALS", "4"));
    assert!(compares(ORDER, "$.matrix", "EQUALS", "4"));
    assert!(compares(ORDER, "$.matrix[*][1]", "EQUALS", "4"));
    assert!(!compares(ORDER, "$.matrix[*][0]", "EQUALS", "4"));
    assert!(compares(r#"[[{"a":1}],[{"a":2}]]"#, "$[*][*].a", "EQUALS", "2"));
}

#[test]
fn an_object_is_there_and_nothing_more() {
    assert!(compares(ORDER, "$.customer", "NOT_NULL", "null"));
    assert!(compares(ORDER, "$", "NOT_NULL", "null"));
    assert!(!compares(ORDER, "$.customer", "NOT_EQUAL", "5"));
    assert!(!compares(ORDER, "$.customer", "CONTAINS", r#""Ada""#));
}

fn elements(path: &str, values: &str) -> bool {
    holds(&format!(r#"{{"type":"array","jsonPath":"{path}","values":{values}}}"#), ORDER)
}

#[test]
fn a_list_is_compared_position_by_position() {
    assert!(elements("$.codes", r#"["x","y","z"]"#));
    assert!(elements("$.codes", r#"["x","y"]"#), "more elements are fine");
    assert!(elements("$.codes", r#"[null,null,"z"]"#), "null stands for anything");
    assert!(!elements("$.codes", r#"["y"]"#));
    assert!(!elements("$.codes", r#"["x","y","z","w"]"#), "a position is missing");
    assert!(elements("$.codes", r#"["x",null,null,null]"#), "nobody asks about those");
    assert!(elements("$.holes", r#"[null,"7.0"]"#), "equality is that of EQUALS");
    assert!(!elements("$.holes", "[7]"), "null is equal to nothing");
}

#[test]
fn no_values_match_every_entity() {
    for path in ["$.codes", "$.total", "$.missing", "$.none[*]"] {
        assert!(elements(path, "[]"), "{path}");
        assert!(elements(path, "[null,null]"), "{path}");
    }
}

#[test]
fn what_is_not_a_list_has_no_positions() {
    assert!(!elements("$.total", "[12.5]"));
    assert!(!elements("$.customer", r#"["zero"]"#));
    assert!(!elements("$.missing", "[1]"));
}

#[test]
fn of_many_lists_one_must_fit_as_a_whole() {
    assert!(elements("$.matrix[*]", "[3,4]"));
    assert!(!elements("$.matrix[*]", "[1,4]"));
    assert!(elements("$.lines[*].sizes", "[3]"));
}

#[test]
fn searches_can_see_what_a_predicate_asks() {
    let path = Path::parse("$.a[*].b").unwrap();
    let predicate = Predicate::compare(path.clone(), Operator::Like, &value(r#""x%""#)).unwrap();
    let Predicate::Compare { path: asked, comparison } = predicate else {
        panic!("it compares");
    };
    assert_eq!((asked, comparison.operator()), (path, Operator::Like));
}
