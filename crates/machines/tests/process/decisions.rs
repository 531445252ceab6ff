//! Decisions: what needs nobody happens at once, or fails the instance.

use expect_test::expect;
use serde_json::json;
use waypost_machines::process::{Command, Phase, Start, VisitStatus};

use crate::{
    notation::deployed,
    story::{check, variables},
    validation::changed,
    world::World,
};

/// Two ways to go on.
const FORK_IN_THE_ROAD: &str = "
    d decide
      if n > 10 -> big
      if n > 1 -> small
    big task BIG -> e
    small task SMALL -> e
    e end
";

#[test]
fn the_first_condition_that_holds_decides() {
    check(
        FORK_IN_THE_ROAD,
        r#"
        start {"n":11}
        "#,
        expect![[r#"
            start {"n":11}
              d#1 passed
              big#2 waits for task 3
              + task 3 BIG
              => ACTIVE [big]
                 {"n":11}
        "#]],
    );
}

#[test]
fn conditions_that_do_not_hold_are_passed_over() {
    check(
        FORK_IN_THE_ROAD,
        r#"
        start {"n":2}
        "#,
        expect![[r#"
            start {"n":2}
              d#1 passed
              small#2 waits for task 3
              + task 3 SMALL
              => ACTIVE [small]
                 {"n":2}
        "#]],
    );
}

#[test]
fn conditions_after_the_one_that_holds_are_not_looked_at() {
    check(
        "
        d decide
        if n > 1 -> e
        if missing > 1 -> e
        e end
        ",
        r#"
        start {"n":2}
        "#,
        expect![[r#"
            start {"n":2}
              d#1 passed
              e#2 passed
              completed
              => COMPLETED []
                 {"n":2}
        "#]],
    );
}

// A short one first would be the order of some stores.
#[test]
fn conditions_are_looked_at_in_the_order_in_which_they_are_written() {
    check(
        "
        d decide
        if n > 1 && n > 1 && n > 1 -> long
        if n -> e
        long task LONG -> e
        e end
        ",
        r#"
        start {"n":2}
        "#,
        expect![[r#"
            start {"n":2}
              d#1 passed
              long#2 waits for task 3
              + task 3 LONG
              => ACTIVE [long]
                 {"n":2}
        "#]],
    );
}

#[test]
fn a_decision_without_a_way_fails() {
    check(
        FORK_IN_THE_ROAD,
        r#"
        start {"n":0}
        history
        "#,
        expect![[r#"
            start {"n":0}
              d#1 failed: no conditionalNextSteps branch matched (DecisionNoBranchMatched)
              failed
              => FAILED [d] because "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
                 {"n":0}
            history
              d#1 1. FAILED +0s..+0s {"n":0} "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
        "#]],
    );
}

#[test]
fn a_decision_that_cannot_be_evaluated_fails() {
    check(
        FORK_IN_THE_ROAD,
        "
        start
        ",
        expect![[r#"
            start
              d#1 failed: expression eval error: undefined variable "n" (at 0 in `n > 10`)
              failed
              => FAILED [d] because "expression eval error: undefined variable \"n\" (at 0 in `n > 10`)"
                 {}
        "#]],
    );
}

#[test]
fn a_decision_that_cannot_be_read_fails_when_it_is_reached() {
    check(
        "
        d decide
        if n == 1 -> e
        if ((( -> e
        e end
        ",
        r#"
        start {"n":2}
        "#,
        expect![[r#"
            start {"n":2}
              d#1 failed: expression eval error: expected an operand, found the end (at 3 in `(((`)
              failed
              => FAILED [d] because "expression eval error: expected an operand, found the end (at 3 in `(((`)"
                 {"n":2}
        "#]],
    );
}

#[test]
fn a_decision_about_something_else_than_truth_fails() {
    check(
        "
        d decide
        if n -> e
        e end
        ",
        r#"
        start {"n":1}
        retry d {"n":"true"}
        retry d {"n":null}
        retry d {"n":[]}
        retry d {"n":{}}
        retry d {"n":true}
        "#,
        expect![[r#"
            start {"n":1}
              d#1 failed: expression "n": result is number, not bool
              failed
              => FAILED [d] because "expression \"n\": result is number, not bool"
                 {"n":1}
            retry d {"n":"true"}
              d tried again with {"n":"true"}
              d#2 failed: expression "n": result is string, not bool
              failed
              => FAILED [d] because "expression \"n\": result is string, not bool"
                 {"n":"true"}
            retry d {"n":null}
              d tried again with {"n":null}
              d#3 failed: expression "n": result is null, not bool
              failed
              => FAILED [d] because "expression \"n\": result is null, not bool"
                 {"n":null}
            retry d {"n":[]}
              d tried again with {"n":[]}
              d#4 failed: expression "n": result is array, not bool
              failed
              => FAILED [d] because "expression \"n\": result is array, not bool"
                 {"n":[]}
            retry d {"n":{}}
              d tried again with {"n":{}}
              d#5 failed: expression "n": result is object, not bool
              failed
              => FAILED [d] because "expression \"n\": result is object, not bool"
                 {"n":{}}
            retry d {"n":true}
              d tried again with {"n":true}
              d#6 passed
              e#7 passed
              completed
              => COMPLETED []
                 {"n":true}
        "#]],
    );
}

#[test]
fn a_decision_may_use_a_number_that_json_does_not_have() {
    check(
        "
        d decide
        if a / b > 5 -> e
        e end
        ",
        r#"
        start {"a":1,"b":0}
        "#,
        expect![[r#"
            start {"a":1,"b":0}
              d#1 passed
              e#2 passed
              completed
              => COMPLETED []
                 {"a":1,"b":0}
        "#]],
    );
}

#[test]
fn steps_in_a_circle_come_to_an_end() {
    check(
        "
        one decide
        if true -> two
        two decide
        if n == 0 -> one
        if n == 1 -> e
        e end
        ",
        r#"
        start {"n":0}
        retry one {"n":1}
        "#,
        expect![[r#"
            start {"n":0}
              10003 events, the last ones:
              two#10000 passed
              one#10001 failed: more than 10000 automatic steps in one turn
              failed
              => FAILED [one] because "more than 10000 automatic steps in one turn"
                 {"n":0}
            retry one {"n":1}
              one tried again with {"n":1}
              one#10002 passed
              two#10003 passed
              e#10004 passed
              completed
              => COMPLETED []
                 {"n":1}
        "#]],
    );
}

// Two for each round of the loop, and one more.
#[test]
fn ten_thousand_steps_are_not_too_many() {
    check(
        r#"
        x set -> d
        put n = "${n + 1}"
        d decide
        if n < 4999 -> x
        if n >= 4999 -> w
        w wait -> e
        e end
        "#,
        r#"
        start {"n":0}
        "#,
        expect![[r#"
            start {"n":0}
              10000 events, the last ones:
              x#9997 passed, sets {"n":4999}
              d#9998 passed
              w#9999 waits for a signal
              => WAITING [w]
                 {"n":4999}
        "#]],
    );
}

/// Why an instance fails that has only this condition to go on by.
fn failure_of(condition: &str, known: &str) -> String {
    let only = json!({ condition: "e" });
    let whole = changed("d decide\ne end", "/steps/0/conditionalNextSteps", only);
    let mut world = World::new(deployed(&whole.to_string()));
    let start = Start { variables: variables(known), ..Start::default() };
    world.submit(&Command::Start(start)).unwrap();
    assert_eq!(world.state.phase, Phase::Failed, "{condition}");
    let visit = world.history.visits().pop().unwrap();
    assert_eq!((visit.status, &visit.reason), (VisitStatus::Failed, &world.state.reason));
    world.state.reason.unwrap()
}

#[test]
fn what_is_computed_or_written_down_is_not_a_decision() {
    for (condition, known, found) in [
        ("n + 1", r#"{"n":1}"#, "number"),
        (r#""true""#, "{}", "string"),
        (r#""yes""#, "{}", "string"),
        ("'true'", "{}", "string"),
        ("0", "{}", "number"),
        ("1", "{}", "number"),
        ("creditScore", r#"{"creditScore":1}"#, "number"),
        ("creditScore", r#"{"creditScore":"true"}"#, "string"),
    ] {
        let expected = format!(r#"expression "{condition}": result is {found}, not bool"#);
        assert_eq!(failure_of(condition, known), expected);
    }
}

// The definition was accepted all the same.
#[test]
fn a_quote_that_is_not_closed_fails_when_it_is_reached() {
    let failure = failure_of("status == 'APPROVED", r#"{"status":"APPROVED"}"#);
    assert!(failure.starts_with("expression eval error: "), "{failure}");
    assert!(failure.contains("does not end"), "{failure}");
}
