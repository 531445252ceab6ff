//! What a locked model without a change level admits.

use waypost_machines::entity::model::{Fault, Problem, Refusal, Type, Types};

use crate::{document, model};

const SAMPLE: &str = r#"{"no":"A-1","total":12.50,"qty":1,"paid":false,"note":null,
    "lines":[{"sku":"x","tags":["a"]}],"buyer":{"name":"N","address":{"zip":"1"}},
    "codes":[7,"z"],"none":[],"grid":[[1]]}"#;

/// What is wrong with a document; empty if nothing is.
fn problems(text: &str) -> String {
    let (model, document) = (model(&[SAMPLE]), document(text));
    let problems = model.problems(&document);
    match model.admit(&document, None) {
        Ok(extended) => assert_eq!((extended, problems.is_empty()), (None, true)),
        Err(refusal) => {
            assert_eq!(refusal.to_string(), format!("validation failed: {problems}"));
            assert_eq!(refusal, Refusal::Invalid(problems.clone()));
        }
    }
    problems.to_string()
}

#[test]
fn nothing_is_required() {
    for text in [
        SAMPLE,
        "{}",
        r#"{"buyer":{}}"#,
        r#"{"lines":[{}]}"#,
        r#"{"lines":[]}"#,
        r#"{"grid":[]}"#,
        r#"{"grid":[[],[1,2,3]]}"#,
    ] {
        assert_eq!(problems(text), "", "{text}");
    }
}

#[test]
fn what_the_model_does_not_have_is_told_with_its_path() {
    assert_eq!(
        problems(r#"{"x":1,"buyer":{"y":{"z":1}},"lines":[{},{"w":null}]}"#),
        "x: unexpected field not present in model; \
         buyer.y: unexpected field not present in model; \
         lines[1].w: unexpected field not present in model"
    );
}

#[test]
fn kinds_must_agree() {
    assert_eq!(problems(r#"{"buyer":[1]}"#), "buyer: expected an object, found an array");
    assert_eq!(problems(r#"{"buyer":1}"#), "buyer: expected an object, found a scalar");
    assert_eq!(problems(r#"{"lines":{}}"#), "lines: expected an array, found an object");
    assert_eq!(problems(r#"{"lines":"x"}"#), "lines: expected an array, found a scalar");
    assert_eq!(problems(r#"{"lines":["x"]}"#), "lines[0]: expected an object, found a scalar");
    assert_eq!(problems(r#"{"no":{}}"#), "no: expected a scalar, found an object");
    assert_eq!(problems(r#"{"note":[]}"#), "note: expected a scalar, found an array");
    assert_eq!(problems(r#"{"grid":[[1],2]}"#), "grid[1]: expected an array, found a scalar");
    assert_eq!(problems("[]"), "expected an object, found an array");
}

#[test]
fn null_is_a_scalar_and_nothing_else() {
    assert_eq!(
        problems(r#"{"no":null,"total":null,"note":null,"codes":[null],"none":[null]}"#),
        ""
    );
    assert_eq!(problems(r#"{"buyer":null}"#), "buyer: expected an object, found null");
    assert_eq!(problems(r#"{"lines":null}"#), "lines: expected an array, found null");
    assert_eq!(problems(r#"{"lines":[null]}"#), "lines[0]: expected an object, found null");
    assert_eq!(problems("null"), "expected an object, found null");
}

#[test]
fn scalars_must_fit() {
    assert_eq!(problems(r#"{"total":1,"codes":["a",1.0,"b"],"paid":true}"#), "");
    assert_eq!(problems(r#"{"no":1}"#), "no: expected STRING, found INTEGER");
    assert_eq!(problems(r#"{"qty":"1"}"#), "qty: expected INTEGER, found STRING");
    assert_eq!(problems(r#"{"qty":2147483648}"#), "qty: expected INTEGER, found LONG");
    assert_eq!(problems(r#"{"total":2147483648}"#), "total: expected DOUBLE, found LONG");
    assert_eq!(problems(r#"{"paid":"true"}"#), "paid: expected BOOLEAN, found STRING");
    assert_eq!(problems(r#"{"note":1}"#), "note: expected NULL, found INTEGER");
    assert_eq!(problems(r#"{"none":[1]}"#), "none[0]: expected NULL, found INTEGER");
    assert_eq!(
        problems(r#"{"codes":[1,true,0.5]}"#),
        "codes[1]: expected [INTEGER, STRING], found BOOLEAN; \
         codes[2]: expected [INTEGER, STRING], found DOUBLE"
    );
}

#[test]
fn problems_are_told_to_programs_too() {
    let problems = model(&[SAMPLE]).problems(&document(r#"{"grid":[[1,true]]}"#));
    let fault = Fault::Type { expected: Types::of(Type::Integer), found: Type::Boolean };
    assert_eq!(problems.listed(), [Problem { path: "grid[0][1]".to_owned(), fault }]);
}

#[test]
fn scalars_seen_in_the_place_of_an_object_or_an_array_do_not_count() {
    for samples in [["1", r#"{"a":1}"#], ["1", "[1]"]] {
        assert!(!model(&samples).problems(&document("1")).is_empty(), "{samples:?}");
    }
}

#[test]
fn the_root_may_be_anything() {
    assert!(model(&["[1]"]).problems(&document("[2,3]")).is_empty());
    assert_eq!(
        model(&["[1]"]).problems(&document(r#"[1,"a"]"#)).to_string(),
        "[1]: expected INTEGER, found STRING"
    );
    assert_eq!(
        model(&[r#"[{"a":1}]"#]).problems(&document(r#"[{"b":1}]"#)).to_string(),
        "[0].b: unexpected field not present in model"
    );
    assert!(model(&["1"]).problems(&document("2")).is_empty());
}
