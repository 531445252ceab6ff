//! What several samples show together.

use waypost_machines::entity::model::Type;

use crate::{model, shown};

/// Both ways round, since the order does not matter.
fn check(one: &str, other: &str, expected: &str) {
    assert_eq!(shown(&model(&[one, other])), expected, "{one} and {other}");
    assert_eq!(shown(&model(&[other, one])), expected, "{other} and {one}");
}

/// A number of each numeric type, in their order.
const NUMBERS: [(&str, &str); 7] = [
    ("INTEGER", "1"),
    ("LONG", "2147483648"),
    ("BIG_INTEGER", "9223372036854775808"),
    ("UNBOUND_INTEGER", "1e400"),
    ("DOUBLE", "0.5"),
    ("BIG_DECIMAL", "123456789012345.6"),
    ("UNBOUND_DECIMAL", "1e-293"),
];

#[test]
fn numbers_of_two_types_become_what_holds_both() {
    let joined = [
        ["INTEGER", "LONG", "BIG_INTEGER", "UNBOUND_INTEGER", "DOUBLE", "BIG_DECIMAL"],
        ["LONG", "LONG", "BIG_INTEGER", "UNBOUND_INTEGER", "UNBOUND_DECIMAL", "BIG_DECIMAL"],
        [
            "BIG_INTEGER",
            "BIG_INTEGER",
            "BIG_INTEGER",
            "UNBOUND_INTEGER",
            "UNBOUND_DECIMAL",
            "UNBOUND_DECIMAL",
        ],
        [
            "UNBOUND_INTEGER",
            "UNBOUND_INTEGER",
            "UNBOUND_INTEGER",
            "UNBOUND_INTEGER",
            "UNBOUND_DECIMAL",
            "UNBOUND_DECIMAL",
        ],
        [
            "DOUBLE",
            "UNBOUND_DECIMAL",
            "UNBOUND_DECIMAL",
            "UNBOUND_DECIMAL",
            "DOUBLE",
            "UNBOUND_DECIMAL",
        ],
        [
            "BIG_DECIMAL",
            "BIG_DECIMAL",
            "UNBOUND_DECIMAL",
            "UNBOUND_DECIMAL",
            "UNBOUND_DECIMAL",
            "BIG_DECIMAL",
        ],
    ];
    for ((_, one), row) in NUMBERS.iter().zip(joined) {
        for ((_, other), expected) in NUMBERS.iter().zip(row) {
            check(one, other, &format!("{expected:?}"));
        }
    }
    for (_, number) in NUMBERS {
        check(number, "1e-293", r#""UNBOUND_DECIMAL""#);
    }
}

#[test]
fn a_type_fits_exactly_into_those_that_hold_all_its_values() {
    let wider = [
        ("INTEGER", "INTEGER LONG BIG_INTEGER UNBOUND_INTEGER DOUBLE BIG_DECIMAL UNBOUND_DECIMAL"),
        ("LONG", "LONG BIG_INTEGER UNBOUND_INTEGER BIG_DECIMAL UNBOUND_DECIMAL"),
        ("BIG_INTEGER", "BIG_INTEGER UNBOUND_INTEGER UNBOUND_DECIMAL"),
        ("UNBOUND_INTEGER", "UNBOUND_INTEGER UNBOUND_DECIMAL"),
        ("DOUBLE", "DOUBLE UNBOUND_DECIMAL"),
        ("BIG_DECIMAL", "BIG_DECIMAL UNBOUND_DECIMAL"),
        ("UNBOUND_DECIMAL", "UNBOUND_DECIMAL"),
        ("STRING", "STRING"),
        ("BOOLEAN", "BOOLEAN"),
        ("NULL", "NULL"),
    ];
    for (name, expected) in wider {
        let narrow = Type::named(name).unwrap();
        let wide: Vec<_> =
            Type::ALL.into_iter().filter(|it| narrow.fits(*it)).map(Type::name).collect();
        assert_eq!(wide.join(" "), expected, "{name}");
    }
}

#[test]
fn types_are_united_in_their_order() {
    check("true", r#""a""#, r#""STRING|BOOLEAN""#);
    check(r#"[true,"a"]"#, "[0.5,1]", r#"["DOUBLE|STRING|BOOLEAN"]"#);
}

#[test]
fn null_counts_only_while_nothing_else_was_seen() {
    check("null", "null", r#""NULL""#);
    check("null", "1", r#""INTEGER""#);
    check("null", r#"{"a":1}"#, r#"{"a":"INTEGER"}"#);
    check("null", "[1]", r#"["INTEGER"]"#);
    check("[]", "[1]", r#"["INTEGER"]"#);
    check("[]", r#"[{"a":1}]"#, r#"[{"a":"INTEGER"}]"#);
}

#[test]
fn members_are_united_at_every_depth() {
    check(
        r#"{"a":{"b":1},"c":[{"d":1}]}"#,
        r#"{"a":{"b":"x","e":{}},"c":[{"f":true}]}"#,
        r#"{"a":{"b":"INTEGER|STRING","e":{}},"c":[{"d":"INTEGER","f":"BOOLEAN"}]}"#,
    );
}

#[test]
fn an_object_outdoes_an_array_and_an_array_a_scalar() {
    check("1", r#"{"a":1}"#, r#"{"a":"INTEGER"}"#);
    check("1", "[true]", r#"["BOOLEAN","INTEGER"]"#);
    check("[1]", r#"{"a":1}"#, r#"{"a":"INTEGER"}"#);
    check("[[1]]", r#"[{"a":1},"x"]"#, r#"[{"a":"INTEGER"}]"#);
}

#[test]
fn lengths_of_arrays_are_not_kept() {
    assert_eq!(model(&["[1]"]), model(&["[1,2,3]"]));
}
