//! Decisions and transformations: what needs nobody happens at once, or fails the instance.

use expect_test::expect;

use crate::story::check;

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
fn all_assignments_see_what_was_there_before() {
    check(
        r#"
        x set -> e
        put a = "${b}"
        put b = "${a}"
        put c = "${a + b}"
        e end
        "#,
        r#"
        start {"a":1,"b":2}
        history
        "#,
        expect![[r#"
            start {"a":1,"b":2}
              x#1 passed, sets {"a":2,"b":1,"c":3}
              e#2 passed
              completed
              => COMPLETED []
                 {"a":2,"b":1,"c":3}
            history
              x#1 1. COMPLETED +0s..+0s {"a":1,"b":2} -> {"a":2,"b":1,"c":3}
              e#2 1. COMPLETED +0s..+0s {"a":2,"b":1,"c":3}
        "#]],
    );
}

#[test]
fn an_assignment_does_not_see_another_of_the_same_step() {
    check(
        r#"
        x set -> e
        put fresh = 1
        put sum = "${fresh + 1}"
        e end
        "#,
        r#"
        start {"a":1}
        show
        "#,
        expect![[r#"
            start {"a":1}
              x#1 failed: transformation "sum": expression eval: undefined variable "fresh" (at 2 in `${fresh + 1}`)
              failed
              => FAILED [x] because "transformation \"sum\": expression eval: undefined variable \"fresh\" (at 2 in `${fresh + 1}`)"
                 {"a":1}
            show
              => FAILED [x] because "transformation \"sum\": expression eval: undefined variable \"fresh\" (at 2 in `${fresh + 1}`)"
                 {"a":1}
        "#]],
    );
}

#[test]
fn literals_are_taken_as_they_are() {
    check(
        r#"
        x set -> e
        put number = 1.50
        put whole = 2.0
        put nothing = null
        put list = ["${a}", 1]
        put object = {"a":"${a}"}
        put greeting = "Hello ${a}"
        put typed = "${a}"
        e end
        "#,
        r#"
        start {"a":{"x":[1]}}
        "#,
        expect![[r#"
            start {"a":{"x":[1]}}
              x#1 passed, sets {"number":1.5,"whole":2,"nothing":null,"list":["${a}",1],"object":{"a":"${a}"},"greeting":"Hello ${a}","typed":{"x":[1]}}
              e#2 passed
              completed
              => COMPLETED []
                 {"a":{"x":[1]},"number":1.5,"whole":2,"nothing":null,"list":["${a}",1],"object":{"a":"${a}"},"greeting":"Hello ${a}","typed":{"x":[1]}}
        "#]],
    );
}

#[test]
fn assignments_replace_what_is_at_the_top() {
    check(
        r#"
        x set -> e
        put a = {"y":2}
        e end
        "#,
        r#"
        start {"a":{"x":1},"b":1}
        "#,
        expect![[r#"
            start {"a":{"x":1},"b":1}
              x#1 passed, sets {"a":{"y":2}}
              e#2 passed
              completed
              => COMPLETED []
                 {"a":{"y":2},"b":1}
        "#]],
    );
}

#[test]
fn the_time_is_the_time_of_the_turn() {
    check(
        r#"
        x set -> e
        put at = "${now()}"
        put spaced = "${ now() }"
        e end
        "#,
        "
        start
        ",
        expect![[r#"
            start
              x#1 passed, sets {"at":"2026-05-03T10:00:00Z","spaced":"2026-05-03T10:00:00Z"}
              e#2 passed
              completed
              => COMPLETED []
                 {"at":"2026-05-03T10:00:00Z","spaced":"2026-05-03T10:00:00Z"}
        "#]],
    );
}

#[test]
fn a_text_that_begins_and_ends_like_an_expression_is_one() {
    check(
        r#"
        x set -> e
        put both = "${a} ${b}"
        e end
        "#,
        r#"
        start {"a":1,"b":2}
        show
        "#,
        expect![[r#"
            start {"a":1,"b":2}
              x#1 failed: transformation "both": expression eval: expected the end, found `${` (at 5 in `${a} ${b}`)
              failed
              => FAILED [x] because "transformation \"both\": expression eval: expected the end, found `${` (at 5 in `${a} ${b}`)"
                 {"a":1,"b":2}
            show
              => FAILED [x] because "transformation \"both\": expression eval: expected the end, found `${` (at 5 in `${a} ${b}`)"
                 {"a":1,"b":2}
        "#]],
    );
}

#[test]
fn a_number_that_json_does_not_have_fails_the_step() {
    check(
        r#"
        x set -> e
        put ok = 1
        put ratio = "${a / b}"
        e end
        "#,
        r#"
        start {"a":1,"b":0}
        retry x {"a":0}
        retry x {"b":2}
        "#,
        expect![[r#"
            start {"a":1,"b":0}
              x#1 failed: transformation "ratio": expression eval: the result is not a number that JSON can hold (at 2 in `${a / b}`)
              failed
              => FAILED [x] because "transformation \"ratio\": expression eval: the result is not a number that JSON can hold (at 2 in `${a / b}`)"
                 {"a":1,"b":0}
            retry x {"a":0}
              x tried again with {"a":0}
              x#2 failed: transformation "ratio": expression eval: the result is not a number that JSON can hold (at 2 in `${a / b}`)
              failed
              => FAILED [x] because "transformation \"ratio\": expression eval: the result is not a number that JSON can hold (at 2 in `${a / b}`)"
                 {"a":0,"b":0}
            retry x {"b":2}
              x tried again with {"b":2}
              x#3 passed, sets {"ok":1,"ratio":0}
              e#4 passed
              completed
              => COMPLETED []
                 {"a":0,"b":2,"ok":1,"ratio":0}
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

#[test]
fn what_is_set_must_fit() {
    check(
        r#"
        x set -> e
        put a = "${[a, a]}"
        e end
        "#,
        r#"
        start {"a":deep:99}
        "#,
        expect![[r#"
            start {"a":deep:99}
              x#1 failed: variables must have at most 100 levels
              failed
              => FAILED [x] because "variables must have at most 100 levels"
                 {"a":[[[… (205 characters)
        "#]],
    );
}
