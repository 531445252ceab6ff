//! Decision tables: which rules match, and what they come to.

use serde_json::Value;
use waypost_machines::process::{Command, Phase, Start, Visit, VisitStatus};

use crate::{
    notation::{definition, deployed, graph},
    story::variables,
    world::World,
};

/// What a table sets, or why its step fails.
fn evaluated(policy: &str, rules: &str, known: &str) -> Result<String, String> {
    let world = World::new(graph(&format!("t table {policy} -> e\n{rules}\ne end")));
    evaluated_in(world, known)
}

fn evaluated_in(mut world: World, known: &str) -> Result<String, String> {
    let start = Start { variables: variables(known), ..Start::default() };
    world.submit(&Command::Start(start)).unwrap();
    let state = &world.state;
    let Visit { status, output, reason, .. } = world.history.visits().into_iter().next().unwrap();
    assert_eq!(reason, state.reason, "the table and the instance fail for one reason");
    if let Some(reason) = reason {
        assert_eq!((state.phase, status, output), (Phase::Failed, VisitStatus::Failed, None));
        assert_eq!(*state.variables, variables(known), "a table that fails changes nothing");
        return Err(reason);
    }
    assert_eq!((state.phase, status), (Phase::Completed, VisitStatus::Completed));
    assert_eq!(output.as_ref(), Some(&state.variables), "history tells what is known afterwards");
    Ok(Value::Object((*state.variables).clone()).to_string())
}

fn check(rules: &str, known: &str, rows: &[(&str, Result<&str, &str>)]) {
    for (policy, expected) in rows {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(evaluated(policy, rules, known), expected, "{policy}");
    }
}

const TWO_MATCH: &str = r#"
    rule s >= 700 => {"fee":10,"tag":"a"}
    rule s >= 750 => {"fee":"${n * 20}","tag":"b"}
    rule s < 500 => {"fee":1}
"#;

const NUMBERS_MATCH: &str = r#"
    rule s >= 700 => {"fee":10}
    rule s >= 750 => {"fee":"${n * 20}"}
    rule s < 500 => {"fee":1}
"#;

#[test]
fn every_policy_makes_something_else_of_the_same_rules() {
    let not_numeric = Err(concat!(
        r#"DecisionTableAggregatorTypeError: step "t", column="tag": value "a" (type string) "#,
        "at index 0 is not numeric"
    ));
    let listed = Ok(r#"{"s":760,"n":2,"fee":[10,40],"tag":["a","b"]}"#);
    check(
        TWO_MATCH,
        r#"{"s":760,"n":2}"#,
        &[
            ("U", Err(r#"DecisionTableUniqueViolation: step "t", matching rule indices [0 1]"#)),
            ("F", Ok(r#"{"s":760,"n":2,"fee":10,"tag":"a"}"#)),
            (
                "A",
                Err(concat!(
                    r#"DecisionTableAnyConflict: step "t", column="fee" values=[10, 40] "#,
                    "(ruleIndex 0 vs 1)"
                )),
            ),
            ("R", listed),
            ("C", listed),
            ("C+", not_numeric),
            ("C>", not_numeric),
            ("C<", not_numeric),
            ("C#", Ok(r#"{"s":760,"n":2,"fee":2,"tag":2}"#)),
        ],
    );
    check(
        NUMBERS_MATCH,
        r#"{"s":760,"n":2}"#,
        &[
            ("C+", Ok(r#"{"s":760,"n":2,"fee":50}"#)),
            ("C>", Ok(r#"{"s":760,"n":2,"fee":40}"#)),
            ("C<", Ok(r#"{"s":760,"n":2,"fee":10}"#)),
        ],
    );
}

const POLICIES: [&str; 9] = ["U", "F", "A", "R", "C", "C+", "C#", "C>", "C<"];

#[test]
fn a_single_match_is_a_list_where_lists_are_made() {
    let listed = Ok(r#"{"s":1,"n":2,"fee":[1]}"#);
    let plain = Ok(r#"{"s":1,"n":2,"fee":1}"#);
    let rows = POLICIES.map(|it| (it, if it == "R" || it == "C" { listed } else { plain }));
    check(TWO_MATCH, r#"{"s":1,"n":2}"#, &rows);
}

#[test]
fn no_match_fails_whatever_the_policy() {
    let failure = Err(r#"DecisionTableNoRuleMatched: step "t""#);
    check(TWO_MATCH, r#"{"s":600,"n":2}"#, &POLICIES.map(|it| (it, failure)));
}

#[test]
fn a_broken_cell_fails_whatever_the_policy() {
    let rules = r#"
        rule true => {"x":1}
        rule false ; missing > 1 => {"x":2}
        rule true ; missing > 1 => {"x":3}
    "#;
    let failure = Err(concat!(
        r#"DecisionTableCellError: ruleIndex=2 column="c1" expr="missing > 1" "#,
        r#"err=undefined variable "missing" (at 0 in `missing > 1`)"#
    ));
    check(rules, "{}", &POLICIES.map(|it| (it, failure)));
}

#[test]
fn a_cell_is_true_or_false() {
    for (value, found) in [
        ("1", "number"),
        (r#""true""#, "string"),
        ("null", "null"),
        ("[]", "array"),
        ("{}", "object"),
    ] {
        let failure = format!(
            r#"DecisionTableCellError: ruleIndex=0 column="c0" expr="n" result={found} not bool"#
        );
        let known = format!(r#"{{"n":{value}}}"#);
        assert_eq!(evaluated("F", r#"rule n => {"x":1}"#, &known), Err(failure));
    }
    let broken = evaluated("F", r#"rule n > => {"x":1}"#, r#"{"n":1}"#).unwrap_err();
    let start = r#"DecisionTableCellError: ruleIndex=0 column="c0" expr="n >" err="#;
    assert!(broken.starts_with(start), "{broken}");
}

#[test]
fn a_rule_stops_at_its_first_cell_that_is_false() {
    let rules = r#"
        rule n > 1 ; missing > 1 => {"x":1}
        rule => {"x":2}
    "#;
    check(rules, r#"{"n":1}"#, &[("F", Ok(r#"{"n":1,"x":2}"#))]);
}

#[test]
fn a_cell_that_says_nothing_matches_everything() {
    for when in [r#""when":{},"#, "", r#""when":{"a":null,"b":"","c":"  "},"#, r#""when":null,"#] {
        let text = format!(
            r#"{{"id":"o","name":"O","steps":[
                {{"id":"t","name":"T","type":"DECISION_TABLE","nextStep":"e",
                  "decisionTable":{{"rules":[{{{when}"outputs":{{"x":1}}}}]}}}},
                {{"id":"e","name":"E","type":"END"}}]}}"#
        );
        let set = evaluated_in(World::new(deployed(&text)), "{}");
        assert_eq!(set, Ok(r#"{"x":1}"#.to_owned()), "{when}");
    }
}

#[test]
fn an_output_that_cannot_be_evaluated_fails() {
    let rules = r#"
        rule => {"ok":1}
        rule => {"k":"${missing + 1}"}
    "#;
    let failure = Err(concat!(
        r#"DecisionTableOutputError: ruleIndex=1 output="k" expr="${missing + 1}" "#,
        r#"err=undefined variable "missing" (at 2 in `${missing + 1}`)"#
    ));
    check(rules, "{}", &[("C", failure), ("R", failure), ("A", failure)]);
    // Rules that do not contribute are not asked.
    check(rules, "{}", &[("F", Ok(r#"{"ok":1}"#))]);
    let broken = evaluated("U", r#"rule => {"k":"${a} ${b}"}"#, r#"{"a":1,"b":2}"#).unwrap_err();
    let start = r#"DecisionTableOutputError: ruleIndex=0 output="k" expr="${a} ${b}" err="#;
    assert!(broken.starts_with(start), "{broken}");
    let endless = evaluated("U", r#"rule => {"k":"${1 / a}"}"#, r#"{"a":0}"#).unwrap_err();
    assert!(endless.starts_with("DecisionTableOutputError: ruleIndex=0"), "{endless}");
}

#[test]
fn outputs_see_what_was_there_before() {
    let rules = r#"
        rule a == 1 => {"a":"${b}","b":"${a}"}
        rule b == 1 => {"a":0}
    "#;
    check(rules, r#"{"a":1,"b":2}"#, &[("U", Ok(r#"{"a":2,"b":1}"#))]);
    check(r#"rule => {"at":"${now()}"}"#, "{}", &[("U", Ok(r#"{"at":"2026-05-03T10:00:00Z"}"#))]);
}

#[test]
fn what_a_table_sets_replaces_what_was_there() {
    let rules = r#"rule => {"a":{"y":2}}"#;
    check(rules, r#"{"a":{"x":1}}"#, &[("U", Ok(r#"{"a":{"y":2}}"#))]);
}

#[test]
fn any_compares_what_values_say() {
    let agree = r#"
        rule => {"x":[{"a":1,"b":2.0}]}
        rule => {"x":[{"b":2,"a":1.0}]}
    "#;
    check(agree, "{}", &[("A", Ok(r#"{"x":[{"a":1,"b":2}]}"#))]);
    let omitted_later = r#"
        rule => {"x":1,"y":2}
        rule false => {"x":9}
        rule => {"x":1}
    "#;
    let conflict = |values: &str, rules: &str| {
        format!(
            r#"DecisionTableAnyConflict: step "t", column="y" values=[{values}] (ruleIndex {rules})"#
        )
    };
    let expected = Err(conflict("2, nothing", "0 vs 2"));
    assert_eq!(evaluated("A", omitted_later, "{}"), expected);
    let omitted_first = r#"
        rule => {"x":1}
        rule => {"x":1,"y":2}
    "#;
    let expected = Err(conflict("nothing, 2", "0 vs 1"));
    assert_eq!(evaluated("A", omitted_first, "{}"), expected);
    check(
        r#"rule => {"y":true}
             rule => {"y":1}"#,
        "{}",
        &[("A", Err(&conflict("true, 1", "0 vs 1")))],
    );
}

#[test]
fn a_rule_that_omits_a_column_says_null() {
    let rules = r#"
        rule => {"x":1}
        rule => {"y":2}
        rule => {"x":3}
    "#;
    let expected = Ok(r#"{"x":[1,null,3],"y":[null,2,null]}"#);
    check(rules, "{}", &[("R", expected), ("C", expected), ("C#", Ok(r#"{"x":3,"y":3}"#))]);
    let failure = Err(concat!(
        r#"DecisionTableAggregatorTypeError: step "t", column="x": value null (type null) "#,
        "at index 1 is not numeric"
    ));
    check(rules, "{}", &[("C+", failure), ("C>", failure), ("C<", failure)]);
}

#[test]
fn only_numbers_are_added_and_compared() {
    for (value, shown) in [
        (r#""5""#, r#""5" (type string)"#),
        ("true", "true (type boolean)"),
        ("[1]", "[1] (type array)"),
        ("{}", "{} (type object)"),
    ] {
        let rules = format!("rule => {{\"x\":1}}\nrule => {{\"x\":{value}}}");
        let failure = format!(
            "DecisionTableAggregatorTypeError: step \"t\", column=\"x\": value {shown} at index 1 \
             is not numeric"
        );
        for policy in ["C+", "C>", "C<"] {
            assert_eq!(evaluated(policy, &rules, "{}"), Err(failure.clone()));
        }
    }
}

#[test]
fn sums_are_exact_as_long_as_they_can_be() {
    let sum = |one: &str, other: &str| {
        evaluated("C+", &format!("rule => {{\"x\":{one}}}\nrule => {{\"x\":{other}}}"), "{}")
    };
    assert_eq!(sum("9007199254740993", "1"), Ok(r#"{"x":9007199254740994}"#.to_owned()));
    assert_eq!(sum("0.5", "1.5"), Ok(r#"{"x":2}"#.to_owned()));
    let largest = sum("9223372036854775807", "9223372036854775807");
    assert_eq!(largest, Ok(r#"{"x":1.8446744073709552e+19}"#.to_owned()));
    let failure = sum("1.7e308", "1.7e308").unwrap_err();
    assert!(failure.starts_with("DecisionTableAggregatorTypeError: step \"t\""), "{failure}");
}

#[test]
fn rules_without_outputs_change_nothing() {
    let rows = POLICIES.map(|it| (it, Ok(r#"{"n":1}"#)));
    check("rule n == 1", r#"{"n":1}"#, &rows);
    for policy in POLICIES {
        for rule in [r#"{"when":{"n":"n == 1"}}"#, r#"{"outputs":null}"#, "{}"] {
            let text = format!(
                r#"{{"id":"o","name":"O","steps":[
                    {{"id":"t","name":"T","type":"DECISION_TABLE","hitPolicy":"{policy}",
                      "nextStep":"e","decisionTable":{{"rules":[{rule}]}}}},
                    {{"id":"e","name":"E","type":"END"}}]}}"#
            );
            let left = evaluated_in(World::new(deployed(&text)), r#"{"n":1}"#);
            assert_eq!(left, Ok(r#"{"n":1}"#.to_owned()), "{policy} {rule}");
        }
    }
}

#[test]
fn outputs_that_are_no_expressions_are_taken_as_they_are() {
    let rules = r#"rule => {"text":"Hello ${n}","list":["${n}",1],"object":{"a":"${n}"},"none":null,"typed":"${n}"}"#;
    let taken =
        r#""text":"Hello ${n}","list":["${n}",1],"object":{"a":"${n}"},"none":null,"typed":1"#;
    let expected = format!(r#"{{"n":1,{taken}}}"#);
    check(rules, r#"{"n":1}"#, &[("U", Ok(&expected)), ("F", Ok(&expected)), ("A", Ok(&expected))]);
}

#[test]
fn cells_may_be_written_in_every_way() {
    for cell in [
        "n >= 1",
        "#n >= 1",
        "${n} < 5",
        "${n < 5}",
        "contains(r,'A')",
        "contains(#r, 'A') && ${n} == 1",
        r#""A" in r"#,
        "'B' not in r",
        "len(r) == 1",
        "!(n > 1) || missing.here == 1",
        "s.t == 'x'",
    ] {
        let rules = format!("rule {cell} => {{\"x\":1}}\nrule => {{\"x\":2}}");
        let known = r#"{"n":1,"r":["A"],"s":{"t":"x"},"missing":{}}"#;
        let expected = r#"{"n":1,"r":["A"],"s":{"t":"x"},"missing":{},"x":1}"#;
        check(&rules, known, &[("F", Ok(expected))]);
    }
}

#[test]
fn a_table_without_a_policy_wants_one_match() {
    let mut written = definition("t table F -> e\nrule => {\"x\":1}\nrule => {\"x\":2}\ne end");
    let step = written.pointer_mut("/steps/0").and_then(Value::as_object_mut).unwrap();
    step.remove("hitPolicy").unwrap();
    let expected = r#"DecisionTableUniqueViolation: step "t", matching rule indices [0 1]"#;
    let failed = evaluated_in(World::new(deployed(&written.to_string())), "{}");
    assert_eq!(failed, Err(expected.to_owned()));
}
