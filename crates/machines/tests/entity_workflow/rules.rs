//! The rules of an import. Every one is broken here once.

use expect_test::expect;
use waypost_machines::entity::workflow::import;

use crate::{LENIENT, STRICT, document, list, plain, problems, take};

/// A workflow `w` of states A and B, with these transitions of A.
fn with(transitions: &str) -> String {
    format!(
        r#"{{"name":"w","initialState":"A","states":{{"A":{{"transitions":[{transitions}]}},"B":{{}}}}}}"#
    )
}

fn processor(members: &str) -> String {
    with(&format!(r#"{{"name":"t","next":"B","processors":[{{{members}}}]}}"#))
}

#[test]
fn the_initial_state_must_be_one_of_the_states() {
    expect![[r#"workflow "w": initialState "X" is not one of its states"#]]
        .assert_eq(&problems(r#"{"name":"w","initialState":"X","states":{"A":{}}}"#));
    expect![[r#"workflow "w": its initialState is empty"#]]
        .assert_eq(&problems(r#"{"name":"w","states":{"A":{}}}"#));
    expect![[r#"workflow "w": initialState "A" is not one of its states"#]]
        .assert_eq(&problems(r#"{"name":"w","initialState":"A"}"#));
}

#[test]
fn the_next_state_must_be_one_of_the_states() {
    expect![[r#"
        workflow "w", state "A", transition "t": next "X" is not one of the states
        workflow "w", state "A", transition "u": next "" is not one of the states"#]]
    .assert_eq(&problems(&with(r#"{"name":"t","next":"X"},{"name":"u"}"#)));
}

#[test]
fn a_schedule_has_a_delay_and_excludes_manual() {
    let scheduled = |members: &str| with(&format!(r#"{{"name":"t","next":"B",{members}}}"#));
    let all = [
        r#""schedule":{}"#,
        r#""schedule":{"delayMs":-1,"timeoutMs":-1}"#,
        r#""schedule":{"delayMs":3162240000001,"timeoutMs":9223372036854775807}"#,
        r#""schedule":{"delayMs":1},"manual":true"#,
    ];
    let told = all.map(|it| problems(&scheduled(it))).join("\n");
    expect![[r#"
        workflow "w", state "A", transition "t": schedule.delayMs must be from 1 to 3162240000000, is 0
        workflow "w", state "A", transition "t": schedule.delayMs must be from 1 to 3162240000000, is -1
        workflow "w", state "A", transition "t": schedule.timeoutMs must be from 0 to 3162240000000, is -1
        workflow "w", state "A", transition "t": schedule.delayMs must be from 1 to 3162240000000, is 3162240000001
        workflow "w", state "A", transition "t": schedule.timeoutMs must be from 0 to 3162240000000, is 9223372036854775807
        workflow "w", state "A", transition "t": it is manual, and cannot have a schedule, too"#]].assert_eq(&told);
    for fine in [
        r#""schedule":{"delayMs":1,"timeoutMs":0}"#,
        r#""schedule":{"delayMs":3162240000000}"#,
        r#""schedule":{"delayMs":1},"disabled":true"#,
    ] {
        assert_eq!(list(&scheduled(fine)).len(), 1, "{fine}");
    }
}

#[test]
fn the_only_kind_of_processor_is_external() {
    expect![[r#"workflow "w", state "A", transition "t", processor "p": expected type EXTERNAL, found "externalized""#]].assert_eq(&problems(&processor(r#""type":"externalized","name":"p""#)));
    for fine in [r#""name":"p""#, r#""type":"","name":"p""#, r#""type":"EXTERNAL","name":"p""#] {
        list(&processor(fine));
    }
}

#[test]
fn other_kinds_of_processors_are_taken_when_told_so() {
    let body = format!(r#"{{"workflows":[{}]}}"#, processor(r#""type":"calculator","name":"p""#));
    import(&[], &document(&body), &LENIENT).unwrap();
    import(&[], &document(&body), &STRICT).unwrap_err();
}

#[test]
fn two_workflows_of_one_request_have_different_names() {
    expect![[r#"workflow "a": there is another workflow of this name"#]]
        .assert_eq(&problems(&[plain("a"), plain("b"), plain("a")].join(",")));
}

#[test]
fn a_workflow_has_a_name() {
    expect!["workflows[1]: its name is empty"]
        .assert_eq(&problems(&[plain("a"), plain("")].join(",")));
}

#[test]
fn transitions_of_one_state_have_different_names() {
    let twice = r#"{"name":"t","next":"B"},{"name":"t","next":"B"},{"next":"B"},{"next":"B"}"#;
    expect![[r#"
        workflow "w", state "A", transition "t": there is another transition of this name
        workflow "w", state "A", transitions[2]: its name is empty
        workflow "w", state "A", transitions[3]: its name is empty"#]]
    .assert_eq(&problems(&with(twice)));
    list(&with(r#"{"name":"t","next":"B"},{"name":"T","next":"B"}"#));
}

#[test]
fn processors_and_states_have_names() {
    expect![[r#"workflow "w", state "A", transition "t", processors[0]: its name is empty"#]]
        .assert_eq(&problems(&processor("")));
    expect![[r#"workflow "w", state "": its name is empty"#]]
        .assert_eq(&problems(r#"{"name":"w","initialState":"A","states":{"A":{},"":{}}}"#));
}

#[test]
fn criteria_must_be_some() {
    expect![[r#"
        workflow "w": its criterion is not one: type is missing
        workflow "w", state "A", transition "t": its criterion is not one: type is missing"#]].assert_eq(&problems(
        r#"{"name":"w","criterion":{},"initialState":"A","states":{"A":{"transitions":[
            {"name":"t","next":"A","criterion":"x"},{"name":"u","next":"A","criterion":{"type":"simple"}}]}}}"#,
    ));
}

#[test]
fn names_have_at_most_256_bytes() {
    let name = |length| "n".repeat(length);
    list(&plain(&name(256)));
    expect![[r#"workflow "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"...: its name has 257 bytes, at most 256 are possible"#]].assert_eq(&problems(&plain(&name(257))));
    let (long, most) = ("é".repeat(129), "é".repeat(128));
    let body = |name: &str| {
        format!(
            r#"{{"name":"w","initialState":"{name}","states":{{"{name}":{{"transitions":[{{"name":"{name}",
            "manual":true,"next":"{name}","processors":[{{"name":"{name}"}}]}}]}}}}}}"#
        )
    };
    list(&body(&most));
    assert_eq!(problems(&body(&long)).matches("has 258 bytes, at most 256").count(), 3);
}

#[test]
fn what_the_engine_does_not_know_is_taken_in_all_the_same() {
    list(&processor(
        r#""name":"p","executionMode":"LATER","config":{"retryPolicy":"MAYBE","responseTimeoutMs":-5}"#,
    ));
    list(&with(r#"{"name":"t","next":"B"},{"name":"never","next":"B"}"#));
    list(r#"{"name":"w","initialState":"A","states":{"A":{},"UNREACHABLE":{}}}"#);
}

#[test]
fn all_problems_are_told_at_once() {
    expect![[r#"
        workflow "w": initialState "X" is not one of its states
        workflow "w": its criterion is not one: type is missing
        workflow "w", state "A", transition "t", processors[0]: its name is empty
        workflow "w", state "A", transition "t", processors[0]: expected type EXTERNAL, found "x"
        workflow "w", state "A", transition "t": there is another transition of this name
        workflow "w", state "A", transition "t": next "Y" is not one of the states
        workflows[1]: its name is empty
        workflow "w": automated transitions without criterion loop: A -> A"#]]
    .assert_eq(&problems(
        r#"{"name":"w","initialState":"X","criterion":1,"states":{"A":{"transitions":[
            {"name":"t","next":"A","processors":[{"type":"x"}]},{"name":"t","next":"Y"}]}}},
            {"initialState":"A","states":{"A":{}}}"#,
    ));
}

#[test]
fn a_refusal_stays_readable() {
    let many = vec![plain(""); 30].join(",");
    let body = format!(r#"{{"workflows":[{many}]}}"#);
    let refusal = take(&[], &body).unwrap_err().to_string();
    assert_eq!(refusal.matches("its name is empty").count(), 20);
    assert!(refusal.ends_with("; and 10 more"), "{refusal}");
}

#[test]
fn only_what_comes_in_is_checked() {
    let mut existing = list(&plain("a"));
    existing[0].initial_state = "X".to_owned();
    let merged = take(&existing, &format!(r#"{{"workflows":[{}]}}"#, plain("b"))).unwrap();
    assert_eq!(merged.len(), 2);
}
