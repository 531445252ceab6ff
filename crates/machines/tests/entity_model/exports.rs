//! Models as they are shown, byte by byte.

use waypost_machines::entity::model::{Lock, Schema, json_schema, simple_view};

use crate::model;

const ORDER: &str = r#"{"no":"A-1","total":12.50,"paid":false,
    "lines":[{"sku":"x","qty":2,"tags":["a"]},{"sku":"y","qty":3,"dims":{"w":1}}],
    "buyer":{"name":"N","addr":{"zip":"1"}},"codes":[7,"z"],"note":null}"#;

fn check_view(samples: &[&str], expected: &str) {
    let view = simple_view(&model(samples), Lock::Unlocked);
    assert_eq!(view, format!(r#"{{"currentState":"UNLOCKED","model":{expected}}}"#));
}

fn check_schema(samples: &[&str], expected: &str) {
    let schema = json_schema(&model(samples), Lock::Locked);
    assert_eq!(schema, format!(r#"{{"currentState":"LOCKED","model":{expected}}}"#));
}

#[test]
fn the_simple_view_lists_members_by_path() {
    check_view(
        &[ORDER],
        concat!(
            r##"{"$":{"#.buyer":"OBJECT","#.lines":"OBJECT",".codes[*]":"[INTEGER, STRING]","##,
            r##"".no":"STRING",".note":"NULL",".paid":"BOOLEAN",".total":"DOUBLE"},"##,
            r##""$.buyer":{"#.addr":"OBJECT",".name":"STRING"},"$.buyer.addr":{".zip":"STRING"},"##,
            r##""$.lines[*]":{"#":"ARRAY_ELEMENT","#.dims":"OBJECT",".qty":"INTEGER","##,
            r##"".sku":"STRING",".tags[*]":"STRING"},"$.lines[*].dims":{".w":"INTEGER"}}"##,
        ),
    );
}

#[test]
fn the_json_schema_says_what_may_be_and_requires_nothing() {
    check_schema(
        &[ORDER],
        concat!(
            r#"{"properties":{"buyer":{"properties":{"addr":{"properties":{"zip":{"type":"string"}},"#,
            r#""type":"object"},"name":{"type":"string"}},"type":"object"},"#,
            r#""codes":{"items":{"oneOf":[{"type":"integer"},{"type":"string"}]},"type":"array"},"#,
            r#""lines":{"items":{"properties":{"dims":{"properties":{"w":{"type":"integer"}},"#,
            r#""type":"object"},"qty":{"type":"integer"},"sku":{"type":"string"},"#,
            r#""tags":{"items":{"type":"string"},"type":"array"}},"type":"object"},"type":"array"},"#,
            r#""no":{"type":"string"},"note":{"type":"null"},"paid":{"type":"boolean"},"#,
            r#""total":{"type":"number"}},"type":"object"}"#,
        ),
    );
}

#[test]
fn all_whole_numbers_are_integers_and_all_others_numbers() {
    for (sample, expected) in [
        ("1", "integer"),
        ("2147483648", "integer"),
        ("9223372036854775808", "integer"),
        ("1e400", "integer"),
        ("0.5", "number"),
        ("123456789012345.6", "number"),
        ("1e-293", "number"),
    ] {
        check_schema(&[sample], &format!(r#"{{"type":"{expected}"}}"#));
    }
}

#[test]
fn several_types_are_in_their_order() {
    let mixed = r#"[true,"a",0.5]"#;
    check_schema(
        &[mixed],
        concat!(
            r#"{"items":{"oneOf":[{"type":"number"},{"type":"string"},{"type":"boolean"}]},"#,
            r#""type":"array"}"#
        ),
    );
    check_view(
        &[r#"{"a":[true,"a",0.5],"b":"x"}"#, r#"{"b":false}"#],
        r#"{"$":{".a[*]":"[DOUBLE, STRING, BOOLEAN]",".b":"[STRING, BOOLEAN]"}}"#,
    );
}

#[test]
fn what_is_empty_is_shown_empty() {
    check_view(&["{}"], r#"{"$":{}}"#);
    check_view(&[r#"{"a":{}}"#], r##"{"$":{"#.a":"OBJECT"},"$.a":{}}"##);
    check_view(&[r#"{"a":[{}]}"#], r##"{"$":{"#.a":"OBJECT"},"$.a[*]":{"#":"ARRAY_ELEMENT"}}"##);
    check_view(&[r#"{"a":[]}"#], r#"{"$":{".a[*]":"NULL"}}"#);
    check_schema(&["{}"], r#"{"properties":{},"type":"object"}"#);
    check_schema(&["[]"], r#"{"items":{"type":"null"},"type":"array"}"#);
}

#[test]
fn arrays_of_arrays_show_no_types_but_those_of_scalars_beside_them() {
    check_view(&[r#"{"a":[[1]]}"#], r#"{"$":{".a[*]":"NULL"}}"#);
    check_view(&[r#"{"a":[[{"b":1}]]}"#], r#"{"$":{".a[*]":"NULL"}}"#);
    check_view(&[r#"{"a":[[1],"x"]}"#], r#"{"$":{".a[*]":"STRING"}}"#);
    check_schema(
        &["[[1],2]"],
        r#"{"items":{"items":{"type":"integer"},"type":"array"},"type":"array"}"#,
    );
}

#[test]
fn a_root_that_is_no_object_has_no_view() {
    for sample in ["1", "null", "[1]", r#"[{"a":1}]"#] {
        check_view(&[sample], "{}");
    }
}

#[test]
fn members_are_in_the_order_of_their_bytes() {
    check_view(
        &[r#"{"b":1,"é":1,"B":1,"a b":1,"a":1,"":1}"#],
        concat!(
            r#"{"$":{".":"INTEGER",".B":"INTEGER",".a":"INTEGER",".a b":"INTEGER","#,
            r#"".b":"INTEGER",".é":"INTEGER"}}"#
        ),
    );
}

#[test]
fn names_are_written_so_that_a_web_page_can_hold_them() {
    check_schema(
        &[r#"{"<a>&\"\\\n\u0001\u2028":1}"#],
        concat!(
            r#"{"properties":{"\u003ca\u003e\u0026\"\\\n\u0001\u2028":{"type":"integer"}},"#,
            r#""type":"object"}"#
        ),
    );
}

#[test]
fn names_with_dots_lose_nothing() {
    check_view(
        &[r#"{"a":{"b":{"x":1}},"a.b":{"y":1}}"#],
        concat!(
            r##"{"$":{"#.a":"OBJECT","#.a.b":"OBJECT"},"$.a":{"#.b":"OBJECT"},"##,
            r##""$.a.b":{".x":"INTEGER",".y":"INTEGER"}}"##
        ),
    );
}

#[test]
fn a_schema_of_no_types_allows_anything_and_says_so() {
    let schema = Schema::Leaf([].into_iter().collect());
    assert_eq!(json_schema(&schema, Lock::Locked), r#"{"currentState":"LOCKED","model":{}}"#);
}
