//! Workflows that would never come to rest.

use crate::{list, plain, problems, take};

/// A workflow of edges `A>B`; `A>B?` has a criterion, `A>B!` is manual, `A>B-` is disabled, `A>B~` has a null,
/// `A>B@` is scheduled and `A>B@?` has a criterion besides.
fn graph(edges: &str) -> String {
    let mut states = std::collections::BTreeMap::<&str, Vec<String>>::new();
    for (index, edge) in edges.split_whitespace().enumerate() {
        let (from, to) = edge.split_once('>').unwrap();
        let next = to.trim_end_matches(['?', '!', '-', '~', '@']);
        let more = match to.strip_prefix(next).unwrap() {
            "" => "",
            "?" => r#","criterion":{"type":"simple"}"#,
            "!" => r#","manual":true"#,
            "-" => r#","disabled":true"#,
            "~" => r#","criterion":null"#,
            "@" => r#","schedule":{"delayMs":1}"#,
            "@?" => r#","schedule":{"delayMs":1},"criterion":{"type":"simple"}"#,
            other => panic!("what is {other}?"),
        };
        states.entry(next).or_default();
        let transition = format!(r#"{{"name":"t{index}","next":"{next}"{more}}}"#);
        states.entry(from).or_default().push(transition);
    }
    let state = |(name, it): (&&str, &Vec<String>)| {
        format!(r#""{name}":{{"transitions":[{}]}}"#, it.join(","))
    };
    let states: Vec<_> = states.iter().map(state).collect();
    format!(r#"{{"name":"w","initialState":"A","states":{{{}}}}}"#, states.join(","))
}

#[track_caller]
fn check_loops(edges: &str, circle: &str) {
    let expected =
        format!("workflow \"w\": automated transitions without criterion loop: {circle}");
    assert_eq!(problems(&graph(edges)), expected);
}

#[test]
fn two_states_that_lead_to_each_other_are_refused() {
    check_loops("A>B B>A", "A -> B -> A");
}

#[test]
fn a_state_that_leads_to_itself_is_refused() {
    check_loops("A>A", "A -> A");
    check_loops("A>A~", "A -> A");
}

#[test]
fn the_way_into_the_circle_is_not_part_of_it() {
    check_loops("A>B B>C C>D D>B", "B -> C -> D -> B");
}

#[test]
fn what_is_guarded_manual_or_disabled_is_no_loop() {
    for edges in ["A>B B>A?", "A>B B>A!", "A>B B>A-", "A>A?", "A>A!", "A>A-", "A>B A>C B>C"] {
        list(&graph(edges));
    }
}

#[test]
fn a_loop_that_can_never_be_entered_is_refused_all_the_same() {
    check_loops("A>B A>A", "A -> A");
    check_loops("A>B X>Y Y>X", "X -> Y -> X");
    check_loops("A>B B>C A>C A>A", "A -> A");
}

#[test]
fn of_several_loops_the_first_by_name_is_told() {
    check_loops("Z>Z Y>X X>Y A>M", "X -> Y -> X");
    check_loops("A>C A>B C>A B>A", "A -> C -> A");
}

#[test]
fn what_was_there_before_is_checked_with_the_rest() {
    let mut existing = list(&graph("A>B B>A?"));
    existing[0].is_active = false;
    existing[0].states.get_mut("B").unwrap().transitions[0].criterion = None;
    let refusal = take(&existing, &format!(r#"{{"workflows":[{}]}}"#, plain("a"))).unwrap_err();
    assert!(refusal.to_string().ends_with("A -> B -> A"), "{refusal}");
}

#[test]
fn a_very_long_way_is_checked_without_a_stack() {
    let name = |index: usize| format!("S{index:06}");
    let edge = |index: usize| format!("{}>{}", name(index), name(index + 1));
    let line = (0..20_000).map(edge).collect::<Vec<_>>().join(" ");
    list(&graph(&format!("A>{} {line}", name(0))));
    let problem = problems(&graph(&format!("A>{} {line} {}>A", name(0), name(20_000))));
    assert!(problem.ends_with("S000018 -> ... -> A"), "{problem}");
}

#[test]
fn time_that_goes_by_does_not_break_a_circle() {
    check_loops("A>B@ B>A", "A -> B -> A");
    check_loops("A>A@", "A -> A");
    assert_eq!(list(&graph("A>B@ B>A?")).len(), 1);
    assert_eq!(list(&graph("A>B@? B>A")).len(), 1);
}

#[test]
fn whoever_wants_circles_may_have_them_and_nothing_else() {
    let body = |workflow: &str| format!(r#"{{"allowCycles":true,"workflows":[{workflow}]}}"#);
    assert_eq!(take(&[], &body(&graph("A>B@ B>A"))).unwrap().len(), 1);
    let broken = graph("A>B@ B>A").replace(r#""initialState":"A""#, r#""initialState":"X""#);
    assert!(take(&[], &body(&broken)).is_err());
    let existing = take(&[], &body(&graph("A>A"))).unwrap();
    assert!(take(&existing, r#"{"workflows":[]}"#).is_err(), "it is asked for in each import");
}
