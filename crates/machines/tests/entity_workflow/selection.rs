//! Which workflow an entity that exists runs by, and what it can be asked.

use waypost_machines::entity::workflow::{Workflow, available, choose};

use crate::list;

/// `first` and `second` share the state `SHARED`; `second` alone has `OWN`.
fn two() -> Vec<Workflow> {
    list(
        r#"{"name":"first","initialState":"SHARED","states":{"SHARED":{"transitions":[
            {"name":"manual","next":"SHARED","manual":true},
            {"name":"automated","next":"END"},
            {"name":"disabled","next":"SHARED","manual":true,"disabled":true}]},"END":{}}},
           {"name":"second","initialState":"SHARED","states":{"SHARED":{"transitions":[
            {"name":"other","next":"OWN","manual":true}]},"OWN":{},"CREATED":{}}}"#,
    )
}

fn chosen(workflows: &[Workflow], state: &str, remembered: Option<&str>) -> String {
    choose(workflows, state, remembered).map_or_else(|| "none".to_owned(), |it| it.name.clone())
}

#[test]
fn the_workflow_that_created_it_comes_first() {
    assert_eq!(chosen(&two(), "SHARED", Some("second")), "second");
    assert_eq!(chosen(&two(), "SHARED", Some("first")), "first");
    assert_eq!(chosen(&two(), "CREATED", Some("default")), "default");
}

#[test]
fn otherwise_it_is_the_first_active_one_that_knows_the_state() {
    assert_eq!(chosen(&two(), "SHARED", None), "first");
    assert_eq!(chosen(&two(), "SHARED", Some("gone")), "first");
    assert_eq!(chosen(&two(), "OWN", Some("first")), "second");
    assert_eq!(chosen(&two(), "CREATED", None), "second");
    let mut workflows = two();
    workflows[0].is_active = false;
    assert_eq!(chosen(&workflows, "SHARED", Some("first")), "second");
    assert_eq!(chosen(&workflows, "END", Some("first")), "none");
}

#[test]
fn the_built_in_one_is_the_last_resort() {
    assert_eq!(chosen(&two(), "DELETED", None), "default");
    assert_eq!(chosen(&[], "CREATED", None), "default");
    assert_eq!(chosen(&two(), "UNKNOWN", Some("first")), "none");
}

#[test]
fn what_can_be_asked_for_is_listed_in_order_without_what_is_disabled() {
    assert_eq!(available(&two(), "SHARED", None), ["manual", "automated"]);
    assert_eq!(available(&two(), "SHARED", Some("second")), ["other"]);
    assert_eq!(available(&[], "CREATED", Some("default")), ["UPDATE", "DELETE"]);
}

#[test]
fn nothing_is_listed_where_nothing_leads_on() {
    for state in ["END", "UNKNOWN", "DELETED"] {
        assert!(available(&two(), state, None).is_empty(), "{state}");
    }
}
