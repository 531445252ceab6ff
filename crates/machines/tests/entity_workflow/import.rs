//! What a request may look like, and what becomes of the workflows that are there.

use expect_test::expect;
use waypost_machines::entity::workflow::{Refusal, Workflow};

use crate::{list, plain, take};

/// Names in order; those that are not active in parentheses; versions behind them.
fn show(workflows: &[Workflow]) -> String {
    let show = |it: &Workflow| match it.is_active {
        true => format!("{}{}", it.name, it.version),
        false => format!("({}{})", it.name, it.version),
    };
    workflows.iter().map(show).collect::<Vec<_>>().join(" ")
}

/// Imports `names`, each with version 2, into a, b and c, of which b is not active.
fn merged(mode: &str, names: &[&str]) -> String {
    let mut existing = list(&["a", "b", "c"].map(plain).join(","));
    existing[1].is_active = false;
    let new = |name: &&str| {
        format!(r#"{{"version":"2","name":"{name}","initialState":"A","states":{{"A":{{}}}}}}"#)
    };
    let incoming: Vec<_> = names.iter().map(new).collect();
    let body = format!(r#"{{"importMode":{mode},"workflows":[{}]}}"#, incoming.join(","));
    match take(&existing, &body) {
        Ok(after) => show(&after),
        Err(refusal) => refusal.to_string(),
    }
}

#[test]
fn merge_replaces_in_place_and_appends_what_is_new() {
    assert_eq!(merged(r#""MERGE""#, &["d", "b"]), "a b2 c d2");
    assert_eq!(merged(r#""MERGE""#, &["c"]), "a (b) c2");
}

#[test]
fn replace_leaves_nothing_of_what_was_there() {
    assert_eq!(merged(r#""REPLACE""#, &["d", "b"]), "d2 b2");
}

#[test]
fn activate_retires_all_others_and_moves_what_it_replaces_to_the_end() {
    assert_eq!(merged(r#""ACTIVATE""#, &["d", "a"]), "(b) (c) d2 a2");
}

#[test]
fn the_mode_is_merge_unless_another_is_named_in_whatever_case() {
    for merge in ["null", r#""""#, r#""merge""#, r#""Merge""#] {
        assert_eq!(merged(merge, &["c"]), "a (b) c2", "{merge}");
    }
    assert_eq!(merged(r#""replace""#, &["c"]), "c2");
    assert_eq!(merged(r#""aCtIvAtE""#, &["c"]), "(a) (b) c2");
    assert_eq!(show(&take(&[], &format!(r#"{{"workflows":[{}]}}"#, plain("a"))).unwrap()), "a");
}

#[test]
fn a_mode_that_does_not_exist_is_refused_by_its_name() {
    assert_eq!(
        merged(r#""FOO""#, &["c"]),
        r#"importMode: expected MERGE, REPLACE or ACTIVATE, found "FOO""#
    );
    assert!(matches!(take(&[], r#"{"importMode":"FOO"}"#), Err(Refusal::Malformed(_))));
}

#[test]
fn to_import_nothing_is_a_merge_without_effect_and_otherwise_refused() {
    assert_eq!(merged(r#""MERGE""#, &[]), "a (b) c");
    assert_eq!(merged(r#""REPLACE""#, &[]), "REPLACE needs at least one workflow");
    assert_eq!(merged(r#""ACTIVATE""#, &[]), "ACTIVATE needs at least one workflow");
    for nothing in ["", r#","workflows":null"#, r#","workflows":[]"#] {
        let merge = format!(r#"{{"importMode":"MERGE"{nothing}}}"#);
        assert_eq!(show(&take(&list(&plain("a")), &merge).unwrap()), "a", "{nothing}");
        let replace = format!(r#"{{"importMode":"REPLACE"{nothing}}}"#);
        assert!(matches!(take(&[], &replace), Err(Refusal::Invalid(_))), "{nothing}");
    }
}

#[test]
fn whatever_is_imported_is_active() {
    let inactive = r#"{"name":"a","active":false,"initialState":"A","states":{"A":{}}}"#;
    assert_eq!(show(&list(inactive)), "a");
}

#[test]
fn members_nobody_knows_are_ignored_at_every_level() {
    let body = r#"{"x":1,"workflows":[{"x":1,"name":"a","initialState":"A","states":{"A":{"x":1,
        "transitions":[{"x":1,"name":"t","next":"A","manual":true,"processors":[{"x":1,"name":"p",
        "config":{"x":1}}]}]}}}]}"#;
    assert_eq!(show(&take(&[], body).unwrap()), "a");
}

#[test]
fn a_schedule_that_a_function_decides_is_refused_rather_than_ignored() {
    let body = r#"{"workflows":[{"name":"a","initialState":"A","states":{"A":{"transitions":[
        {"name":"t","next":"B","schedule":{"delayMs":1,"function":{"name":"f"}}}]},"B":{}}}]}"#;
    let refused = take(&[], body).unwrap_err().to_string();
    let place = "workflows[0].states.A.transitions[0].schedule.function";
    assert_eq!(refused, format!("{place}: a function cannot say when yet; delayMs can"));
}

#[test]
fn a_schedule_is_an_object_of_whole_numbers() {
    let scheduled = |schedule: &str| {
        let body = format!(
            r#"{{"workflows":[{{"name":"a","initialState":"A","states":{{"A":{{"transitions":[
            {{"name":"t","next":"B","schedule":{schedule}}}]}},"B":{{}}}}}}]}}"#
        );
        let place = "workflows[0].states.A.transitions[0].";
        match take(&[], &body) {
            Ok(taken) => format!("{:?}", taken[0].states["A"].transitions[0].schedule),
            Err(refused) => refused.to_string().replace(place, ""),
        }
    };
    let told = ["1", r#"{"delayMs":"1"}"#, r#"{"delayMs":1.5}"#, "null", r#"{"delayMs":1,"x":2}"#];
    let told = told.map(scheduled).join("\n");
    expect![[r#"
        schedule: expected an object, found a number
        schedule.delayMs: expected a whole number, found text
        schedule.delayMs: expected a whole number of 64 bits, found 1.5
        None
        Some(Schedule { delay_millis: 1, timeout_millis: None })"#]]
    .assert_eq(&told);
}

#[test]
fn null_counts_as_absent() {
    let body = r#"{"importMode":null,"workflows":[{"version":null,"name":"a","desc":null,
        "initialState":"A","active":null,"criterion":null,"states":{"B":null,"A":{"transitions":
        [{"name":"t","next":"A","manual":true,"disabled":null,"criterion":null,"processors":null},
        {"name":"u","next":"A","manual":true,"processors":[{"type":null,"name":"p",
        "executionMode":null,"config":null}]}]}}}]}"#;
    let absent = r#"{"name":"a","initialState":"A","criterion":null,"states":{"B":{},"A":
        {"transitions":[{"name":"t","next":"A","manual":true,"criterion":null},
        {"name":"u","next":"A","manual":true,"processors":[{"name":"p"}]}]}}}"#;
    assert_eq!(take(&[], body).unwrap(), list(absent));
}

/// Why these bodies are malformed, a line for each.
fn malformed(bodies: &[String]) -> String {
    let line = |body: &String| match take(&[], body).unwrap_err() {
        Refusal::Malformed(malformed) => format!("{malformed}\n"),
        Refusal::Invalid(problems) => format!("invalid: {problems:?}\n"),
    };
    bodies.iter().map(line).collect()
}

#[test]
fn a_member_of_the_wrong_type_is_refused_with_its_place() {
    let workflow = |members: &str| format!(r#"{{"workflows":[{{{members}}}]}}"#);
    let told = malformed(&[
        "[]".to_owned(),
        r#"{"importMode":1}"#.to_owned(),
        r#"{"workflows":{}}"#.to_owned(),
        r#"{"workflows":[null]}"#.to_owned(),
        r#"{"workflows":[{},"a"]}"#.to_owned(),
        workflow(r#""version":1"#),
        workflow(r#""name":[]"#),
        workflow(r#""desc":{}"#),
        workflow(r#""initialState":true"#),
        workflow(r#""active":"yes""#),
        workflow(r#""states":[]"#),
        workflow(r#""states":{"A":[]}"#),
        workflow(r#""states":{"A":{"transitions":{}}}"#),
    ]);
    expect![[r#"
        expected an object, found an array
        importMode: expected text, found a number
        workflows: expected an array, found an object
        workflows[0]: expected an object, found null
        workflows[1]: expected an object, found text
        workflows[0].version: expected text, found a number
        workflows[0].name: expected text, found an array
        workflows[0].desc: expected text, found an object
        workflows[0].initialState: expected text, found true
        workflows[0].active: expected true or false, found text
        workflows[0].states: expected an object, found an array
        workflows[0].states.A: expected an object, found an array
        workflows[0].states.A.transitions: expected an array, found an object
    "#]]
    .assert_eq(&told);
}

#[test]
fn transitions_and_processors_are_refused_with_their_place() {
    let transition = |members: &str| {
        format!(r#"{{"workflows":[{{"states":{{"A":{{"transitions":[{{}},{{{members}}}]}}}}}}]}}"#)
    };
    let processor = |members: &str| transition(&format!(r#""processors":[{{{members}}}]"#));
    let config = |members: &str| processor(&format!(r#""config":{{{members}}}"#));
    let told = malformed(&[
        transition(r#""name":1"#),
        transition(r#""next":false"#),
        transition(r#""manual":0"#),
        transition(r#""disabled":"no""#),
        transition(r#""processors":"p""#),
        processor(r#""type":1"#),
        processor(r#""name":1"#),
        processor(r#""executionMode":[]"#),
        processor(r#""config":"""#),
        config(r#""attachEntity":1"#),
        config(r#""calculationNodesTags":["a"]"#),
        config(r#""responseTimeoutMs":"5""#),
        config(r#""responseTimeoutMs":1.5"#),
        config(r#""responseTimeoutMs":9223372036854775808"#),
        config(r#""retryPolicy":3"#),
        config(r#""context":{}"#),
    ]);
    let told = told.replace("workflows[0].states.A.transitions[1]", "..");
    expect![[r#"
        ...name: expected text, found a number
        ...next: expected text, found false
        ...manual: expected true or false, found a number
        ...disabled: expected true or false, found text
        ...processors: expected an array, found text
        ...processors[0].type: expected text, found a number
        ...processors[0].name: expected text, found a number
        ...processors[0].executionMode: expected text, found an array
        ...processors[0].config: expected an object, found text
        ...processors[0].config.attachEntity: expected true or false, found a number
        ...processors[0].config.calculationNodesTags: expected text, found an array
        ...processors[0].config.responseTimeoutMs: expected a whole number, found text
        ...processors[0].config.responseTimeoutMs: expected a whole number of 64 bits, found 1.5
        ...processors[0].config.responseTimeoutMs: expected a whole number of 64 bits, found 9223372036854775808
        ...processors[0].config.retryPolicy: expected text, found a number
        ...processors[0].config.context: expected text, found an object
    "#]].assert_eq(&told);
}

#[test]
fn a_place_is_told_without_repeating_what_is_endless() {
    let (name, number) = ("n".repeat(100_000), "9".repeat(100_000));
    let body = format!(
        r#"{{"workflows":[{{"states":{{"{name}":{{"transitions":[{{"processors":[{{"config":
        {{"responseTimeoutMs":{number}}}}}]}}]}}}}}}]}}"#
    );
    let refusal = take(&[], &body).unwrap_err().to_string();
    assert!(refusal.len() < 300 && refusal.contains("responseTimeoutMs: expected"), "{refusal}");
}

/// A workflow with so many guarded ways out, and a description of so many bytes.
fn large(name: &str, n_patterns: usize, n_bytes: usize) -> String {
    let way = |index| {
        format!(
            r#"{{"name":"t{index}","next":"A","manual":true,"criterion":{{"type":"group",
                "operator":"AND","conditions":[{{"type":"simple","jsonPath":"$.n",
                "operatorType":"MATCHES_PATTERN","value":"a+"}}]}}}}"#
        )
    };
    let ways: Vec<_> = (0..n_patterns).map(way).collect();
    let description = "x".repeat(n_bytes);
    format!(
        r#"{{"name":"{name}","desc":"{description}","initialState":"A",
            "states":{{"A":{{"transitions":[{}]}}}}}}"#,
        ways.join(",")
    )
}

#[test]
fn all_workflows_of_a_model_together_have_their_limits() {
    let import = |existing: &[Workflow], workflow: &str| {
        take(existing, &format!(r#"{{"workflows":[{workflow}]}}"#)).map_err(|it| it.to_string())
    };
    let half = import(&[], &large("a", 60, 0)).unwrap();
    expect![
        "the workflows of a model have at most 100 regular expressions together, these have 101"
    ]
    .assert_eq(&import(&half, &large("b", 41, 0)).unwrap_err());
    assert_eq!(import(&half, &large("b", 40, 0)).unwrap().len(), 2);
    // What replaces the others does not add to them.
    assert_eq!(import(&half, &large("a", 100, 0)).unwrap().len(), 1);
    let half = import(&[], &large("a", 0, 6 << 20)).unwrap();
    let refused = import(&half, &large("b", 0, 5 << 20)).unwrap_err();
    let expected = "the workflows of a model have at most 10485760 bytes together";
    assert!(refused.starts_with(expected), "{refused}");
}
