//! Transformations: all see what was there before, and all or none are made.

use expect_test::expect;

use crate::story::check;

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
fn an_expression_may_give_a_text_or_a_number() {
    check(
        r#"
        x set -> e
        put same = "${name}"
        put full = "${first + ' ' + last}"
        put whole = "${1.0}"
        put half = "${0.50}"
        e end
        "#,
        r#"
        start {"name":"Ada","first":"Ada","last":"Lovelace"}
        "#,
        expect![[r#"
            start {"name":"Ada","first":"Ada","last":"Lovelace"}
              x#1 passed, sets {"same":"Ada","full":"Ada Lovelace","whole":1,"half":0.5}
              e#2 passed
              completed
              => COMPLETED []
                 {"name":"Ada","first":"Ada","last":"Lovelace","same":"Ada","full":"Ada Lovelace","whole":1,"half":0.5}
        "#]],
    );
}

#[test]
fn what_cannot_be_divided_fails_the_step() {
    check(
        r#"
        x set -> e
        put ok = 1
        put quotient = "${a / 0}"
        e end
        "#,
        r#"
        start {"a":1}
        retry x {"a":-1}
        "#,
        expect![[r#"
            start {"a":1}
              x#1 failed: transformation "quotient": expression eval: the result is not a number that JSON can hold (at 2 in `${a / 0}`)
              failed
              => FAILED [x] because "transformation \"quotient\": expression eval: the result is not a number that JSON can hold (at 2 in `${a / 0}`)"
                 {"a":1}
            retry x {"a":-1}
              x tried again with {"a":-1}
              x#2 failed: transformation "quotient": expression eval: the result is not a number that JSON can hold (at 2 in `${a / 0}`)
              failed
              => FAILED [x] because "transformation \"quotient\": expression eval: the result is not a number that JSON can hold (at 2 in `${a / 0}`)"
                 {"a":-1}
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
