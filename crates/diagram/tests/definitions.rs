//! What becomes of definitions: which nodes and edges, which groups, which marks.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use expect_test::{Expect, expect};
use waypost_diagram::{
    of,
    picture::{Mark, Picture},
};
use waypost_kernel::Timestamp;
use waypost_machines::{
    chain,
    entity::workflow::read_stored,
    process::{self, Source},
};

/// A picture in lines: nodes, then edges, then groups.
fn show(picture: &Picture) -> String {
    let mut shown = String::new();
    for it in &picture.nodes {
        let kind = it.kind.as_str();
        shown.push_str(format!("{kind} {} {} {}", it.id, it.label, it.detail).trim_end());
        shown.push('\n');
    }
    for it in &picture.edges {
        let label = it.label.replace('\n', " / ");
        let line = format!("{} -> {} {} {label}", it.from, it.to, it.style.as_str());
        shown.push_str(line.trim_end());
        shown.push('\n');
    }
    for it in &picture.groups {
        shown.push_str(&format!("[{}] {}\n", it.label, it.members.join(" ")));
    }
    shown
}

fn check_process(steps: &str, expected: Expect) {
    let text = format!(r#"{{"id": "p", "steps": [{steps}]}}"#);
    expected.assert_eq(&show(&of::process::picture(&Source::parse(&text).unwrap())));
}

#[test]
fn every_type_of_step_has_its_kind() {
    check_process(
        r#"{"id": "a", "type": "SERVICE_TASK", "jobType": "q", "retryCount": 1, "nextStep": "b"},
           {"id": "b", "type": "USER_TASK", "jobType": "form", "nextStep": "c"},
           {"id": "c", "type": "WAIT", "nextStep": "d"},
           {"id": "d", "type": "TRANSFORMATION", "transformations": {"x": 1, "y": 2},
            "nextStep": "e"},
           {"id": "e", "type": "DECISION_TABLE", "hitPolicy": "C+", "nextStep": "f",
            "decisionTable": {"rules": [{}, {}]}},
           {"id": "f", "type": "DECISION", "conditionalNextSteps": {"x > 1": "g"}},
           {"id": "g", "type": "END", "name": "Done"}"#,
        expect![[r#"
            start (start)
            task a a q · 1 retry
            person b b form
            wait c c until a signal comes
            assignment d d sets x, y
            table e e 2 rules · the sum counts
            decision f f
            end g Done
            (start) -> a normal
            a -> b normal
            b -> c normal
            c -> d normal
            d -> e normal
            e -> f normal
            f -> g normal x > 1
        "#]],
    );
}

#[test]
fn conditions_that_lead_to_one_step_are_one_edge() {
    check_process(
        r#"{"id": "a", "type": "SERVICE_TASK", "jobType": "q", "nextStep": "c",
            "conditionalNextSteps": {"x == 1": "b", "x == 2": "c", "x == 3": "b"}},
           {"id": "b", "type": "END"}, {"id": "c", "type": "END"}"#,
        expect![[r#"
            start (start)
            task a a q
            end b b
            end c c
            (start) -> a normal
            a -> b normal x == 1 / or x == 3
            a -> c normal x == 2
            a -> c normal otherwise
        "#]],
    );
}

#[test]
fn timers_say_when_and_whether_they_interrupt() {
    check_process(
        r#"{"id": "a", "type": "USER_TASK", "nextStep": "b", "boundaryEvents": [
                {"type": "TIMER", "duration": "P1DT12H", "interrupting": true, "targetStepId": "b"},
                {"type": "TIMER", "duration": "PT90M", "interrupting": false, "targetStepId": "b"},
                {"type": "TIMER", "duration": "soon", "interrupting": false, "targetStepId": "b"}]},
           {"id": "b", "type": "END"}"#,
        expect![[r#"
            start (start)
            person a a
            end b b
            (start) -> a normal
            a -> b normal
            a -> b interrupting after 1d 12h
            a -> b timer after 90min
            a -> b timer after soon
        "#]],
    );
}

#[test]
fn a_definition_that_is_not_sound_is_drawn_with_what_is_missing() {
    check_process(
        r#"{"id": "a", "type": "CONJURING", "nextStep": "b"},
           {"id": "c", "type": "DECISION", "conditionalNextSteps": {"x": "b", "y": "d"}}"#,
        expect![[r#"
            start (start)
            missing a a no such type: CONJURING
            decision c c
            missing b b is not there
            missing d d is not there
            (start) -> a normal
            a -> b normal
            c -> b normal x
            c -> d normal y
        "#]],
    );
    check_process("", expect![""]);
}

#[test]
fn what_lies_between_a_gateway_and_its_join_is_a_group() {
    check_process(
        r#"{"id": "f", "name": "Outer", "type": "PARALLEL_GATEWAY", "parallelNextSteps": ["a", "g"],
            "joinStep": "j"},
           {"id": "a", "type": "SERVICE_TASK", "jobType": "q", "nextStep": "j",
            "conditionalNextSteps": {"again": "f", "gone": "z"}},
           {"id": "g", "name": "Inner", "type": "PARALLEL_GATEWAY", "parallelNextSteps": ["b", "c"],
            "joinStep": "k"},
           {"id": "b", "type": "SERVICE_TASK", "jobType": "q", "nextStep": "k"},
           {"id": "c", "type": "SERVICE_TASK", "jobType": "q", "nextStep": "k"},
           {"id": "k", "type": "JOIN_GATEWAY", "nextStep": "j"},
           {"id": "j", "type": "JOIN_GATEWAY", "nextStep": "z"},
           {"id": "z", "type": "END"}"#,
        expect![[r#"
            start (start)
            gateway f Outer
            task a a q
            gateway g Inner
            task b b q
            task c c q
            join k k
            join j j
            end z z
            (start) -> f normal
            f -> a normal
            f -> g normal
            a -> f normal again
            a -> z normal gone
            a -> j normal otherwise
            g -> b normal
            g -> c normal
            b -> k normal
            c -> k normal
            k -> j normal
            j -> z normal
            [Outer] a g b c k
            [Inner] b c
        "#]],
    );
}

#[test]
fn an_end_says_which_definition_follows() {
    let text = r#"{"id": "p", "autoStartNextWorkflow": true, "nextWorkflowId": "q", "steps": [
        {"id": "a", "type": "END"}, {"id": "b", "type": "END", "autoStartNextWorkflow": false}]}"#;
    let picture = of::process::picture(&Source::parse(text).unwrap());
    let details: Vec<&str> = picture.nodes.iter().map(|it| it.detail.as_str()).collect();
    assert_eq!(details, ["", "then q", ""]);
}

#[test]
fn an_instance_of_a_process_marks_where_it_is_and_was() {
    let state: process::State = serde_json::from_str(
        r#"{"phase": "RUNNING", "visits": {"a": {"count": 2, "failed": true}, "b": {"count": 1}},
            "stays": [
                {"visit": 3, "step": "b", "since": 0, "rest": "user"},
                {"visit": 4, "step": "b", "since": 0, "rest": "signal"},
                {"visit": 2, "step": "a", "since": 0, "rest": "failed"}]}"#,
    )
    .unwrap();
    let marks = of::process::marks(&state);
    let failed = Mark { visits: 2, is_failed: true, ..Mark::default() };
    let here = Mark { visits: 1, here: 2, ..Mark::default() };
    assert_eq!(marks.into_iter().collect::<Vec<_>>(), [("a".into(), failed), ("b".into(), here)]);
}

#[test]
fn a_chain_that_was_started_marks_its_steps() {
    let state: chain::State = serde_json::from_str(
        r#"{"status": "RUNNING", "workflow_type": "loan", "current": 1, "steps": [
            {"step_type": "A", "status": "DONE", "attempts": 1, "max_attempts": 3},
            {"step_type": "B", "status": "WAITING", "max_attempts": 1, "deadline_at": 7},
            {"step_type": "C", "status": "DEAD", "attempts": 1, "max_attempts": 1}]}"#,
    )
    .unwrap();
    let at = |it: Timestamp| format!("at {}", it.as_micros());
    let picture = of::chain::started(&state, &at);
    let mark = |id: &str| picture.marks.get(id).cloned().unwrap();
    assert_eq!(mark("0"), Mark { visits: 2, ..Mark::default() });
    assert_eq!(mark("1"), Mark { here: 1, due: Some("at 7".into()), ..Mark::default() });
    assert_eq!(mark("2"), Mark { visits: 1, is_failed: true, ..Mark::default() });
    expect![[r#"
        start (start)
        task 0 A 3 attempts
        task 1 B 1 attempt
        task 2 C 1 attempt
        end (end) Completed
        (start) -> 0 normal
        0 -> 1 normal
        1 -> 2 normal
        2 -> (end) normal
    "#]]
    .assert_eq(&show(&picture));
}

#[test]
fn a_chain_without_steps_is_an_empty_picture() {
    let picture = of::chain::started(&chain::State::default(), &|_| String::new());
    assert!(picture.nodes.is_empty() && picture.edges.is_empty());
}

#[test]
fn transitions_say_what_they_ask_and_whom_they_run() {
    let workflows = read_stored(
        r#"[{"name": "w", "initialState": "A", "states": {
            "A": {"transitions": [
                {"name": "go", "next": "B", "processors": [{"name": "p"}], "criterion":
                    {"type": "simple", "jsonPath": "$.n", "operatorType": "STARTS_WITH",
                     "value": "x"}},
                {"name": "odd", "next": "C", "manual": true, "criterion": {"type": "new"}},
                {"name": "late", "next": "B", "schedule": {"delayMs": 129605004}},
                {"name": "off", "next": "B", "disabled": true}]},
            "B": {"transitions": [{"name": "off", "next": "A", "disabled": true}]}}}]"#,
    )
    .unwrap();
    expect![[r#"
        start (start)
        state A A
        terminal B B
        missing C C is not there
        (start) -> A normal
        A -> B automatic go / if n starts with "x" / runs p
        A -> C manual odd / if …
        A -> B timer late / after 1d 12h 5s 4ms
    "#]]
    .assert_eq(&show(&of::entity::picture(&workflows[0])));
}
