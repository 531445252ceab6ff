//! What is shown of workflows, byte for byte.

use expect_test::expect;
use waypost_machines::entity::workflow::{built_in, export, read_stored, stored};

use crate::{list, plain};

/// Everything that can be set, in an order of its own.
const FULL: &str = r#"{
  "version": "1", "name": "order-lifecycle", "desc": "free text", "initialState": "NEW",
  "active": true, "criterion": null,
  "states": {
    "SUBMITTED": {},
    "NEW": { "transitions": [
      { "name": "SUBMIT", "next": "SUBMITTED", "manual": true, "disabled": false, "criterion": null,
        "processors": [
          { "type": "EXTERNAL", "name": "reserve-stock", "executionMode": "SYNC",
            "config": { "attachEntity": true, "calculationNodesTags": "stock,eu",
              "responseTimeoutMs": 15000, "retryPolicy": "", "context": "warehouse=7" } } ] },
      { "name": "ALONE", "next": "NEW", "manual": false, "disabled": true,
        "criterion": { "type" : "simple", "value": 1.50, "jsonPath": "$.a" }, "processors": [] } ] }
  } }"#;

#[test]
fn a_workflow_is_shown_without_what_is_not_set() {
    expect![[r#"{"entityName":"order","modelVersion":1,"workflows":[{"version":"1","name":"order-lifecycle","desc":"free text","initialState":"NEW","active":true,"criterion":null,"states":{"NEW":{"transitions":[{"name":"SUBMIT","next":"SUBMITTED","manual":true,"criterion":null,"processors":[{"type":"EXTERNAL","name":"reserve-stock","executionMode":"SYNC","config":{"attachEntity":true,"calculationNodesTags":"stock,eu","responseTimeoutMs":15000,"context":"warehouse=7"}}]},{"name":"ALONE","next":"NEW","manual":false,"disabled":true,"criterion":{"type":"simple","value":1.50,"jsonPath":"$.a"}}]},"SUBMITTED":{}}}]}"#]].assert_eq(&export("order", 1, &list(FULL)).unwrap().to_string());
}

#[test]
fn what_can_be_left_out_is_left_out() {
    let bare = r#"{"name":"w","desc":"","initialState":"A","states":{"A":{"transitions":[]},"B":{
        "transitions":[{"name":"t","next":"A","disabled":false,"processors":[{"name":"p","config":
        {"attachEntity":false,"calculationNodesTags":"","responseTimeoutMs":0,"retryPolicy":"",
        "context":""}}]}]}}}"#;
    expect![[r#"{"entityName":"order","modelVersion":-1,"workflows":[{"version":"","name":"w","initialState":"A","active":true,"states":{"A":{},"B":{"transitions":[{"name":"t","next":"A","manual":false,"processors":[{"type":"EXTERNAL","name":"p","config":{}}]}]}}}]}"#]].assert_eq(&export("order", -1, &list(bare)).unwrap().to_string());
}

#[test]
fn a_criterion_is_shown_as_it_was_written() {
    let criterion = r#"{"value":1.50e+3,"type":"simple","b":[1.0,{"z":1,"a":null}]}"#;
    let spaced = criterion.replace(':', " : ").replace(',', " ,\n");
    let workflow = plain("w").replacen('{', &format!(r#"{{"criterion":{spaced},"#), 1);
    let shown = export("order", 1, &list(&workflow)).unwrap().to_string();
    assert!(shown.contains(&format!(r#""criterion":{criterion},"#)), "{shown}");
}

#[test]
fn a_null_that_was_written_is_shown_and_one_that_was_not_is_not() {
    let shown = |it: &str| export("order", 1, &list(it)).unwrap().to_string();
    assert!(!shown(&plain("w")).contains("criterion"));
    let null = plain("w").replacen('{', r#"{"criterion":null,"#, 1);
    assert!(shown(&null).contains(r#""criterion":null"#));
}

#[test]
fn states_are_sorted_and_everything_else_stays_in_its_order() {
    let workflow = r#"{"name":"w","initialState":"b","states":{"b":{"transitions":[
        {"name":"z","next":"a","processors":[{"name":"2"},{"name":"1"}]},{"name":"y","next":"a"}]},
        "é":{},"a":{},"B":{}}}"#;
    let shown = export("order", 1, &list(workflow)).unwrap().to_string();
    let at = |text: &str| shown.find(text).unwrap();
    assert!(
        at("\"B\":") < at("\"a\":") && at("\"a\":") < at("\"b\":") && at("\"b\":") < at("\"é\":")
    );
    assert!(at("\"z\"") < at("\"y\"") && at("\"2\"") < at("\"1\""));
}

#[test]
fn a_model_without_workflows_shows_nothing() {
    assert_eq!(export("order", 1, &[]), None);
}

#[test]
fn what_is_stored_is_read_back_with_what_is_not_active() {
    let mut workflows = list(&[FULL, &plain("b")].join(","));
    workflows[1].is_active = false;
    let text = stored(&workflows);
    assert_eq!(read_stored(&text).unwrap(), workflows);
    assert_eq!(stored(&read_stored(&text).unwrap()), text);
    assert_eq!(read_stored("[]").unwrap(), []);
    assert_eq!(stored(&[]), "[]");
}

/// A stored list of today must be readable for ever.
#[test]
fn the_stored_form_is_this_one() {
    expect![[r#"[{"version":"1","name":"order-lifecycle","desc":"free text","initialState":"NEW","active":true,"criterion":null,"states":{"NEW":{"transitions":[{"name":"SUBMIT","next":"SUBMITTED","manual":true,"criterion":null,"processors":[{"type":"EXTERNAL","name":"reserve-stock","executionMode":"SYNC","config":{"attachEntity":true,"calculationNodesTags":"stock,eu","responseTimeoutMs":15000,"context":"warehouse=7"}}]},{"name":"ALONE","next":"NEW","manual":false,"disabled":true,"criterion":{"type":"simple","value":1.50,"jsonPath":"$.a"}}]},"SUBMITTED":{}}}]"#]].assert_eq(&stored(&list(FULL)));
}

#[test]
fn a_stored_list_that_is_none_is_told_with_the_place() {
    let problem = |text: &str| read_stored(text).unwrap_err().to_string();
    assert_eq!(problem("{}"), "expected an array, found an object");
    assert_eq!(problem("[1]"), "[0]: expected an object, found a number");
    assert_eq!(problem(r#"[{"name":1}]"#), "[0].name: expected text, found a number");
    assert!(problem("[").contains("line 1 column 2"));
}

#[test]
fn the_built_in_workflow_is_this_one() {
    expect![[r#"[{"version":"1","name":"default","initialState":"NONE","active":true,"states":{"CREATED":{"transitions":[{"name":"UPDATE","next":"CREATED","manual":true},{"name":"DELETE","next":"DELETED","manual":true}]},"DELETED":{},"NONE":{"transitions":[{"name":"NEW","next":"CREATED","manual":false}]}}}]"#]].assert_eq(&stored(&[built_in().clone()]));
}

#[test]
fn a_lateness_of_nothing_is_another_than_none() {
    for schedule in [r#"{"delayMs":5}"#, r#"{"delayMs":5,"timeoutMs":0}"#] {
        let workflow = format!(
            r#"{{"version":"","name":"w","initialState":"A","active":true,"states":{{"A":{{"transitions":[{{"name":"t","next":"B","manual":false,"schedule":{schedule}}}]}},"B":{{}}}}}}"#
        );
        assert_eq!(stored(&list(&workflow)), format!("[{workflow}]"));
        let shown = export("order", 1, &list(&workflow)).unwrap().to_string();
        assert!(shown.contains(&format!(r#""schedule":{schedule}}}"#)), "{shown}");
    }
}
