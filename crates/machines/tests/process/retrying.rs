//! Trying a failed step again: what is asked first, and what it starts with.

use expect_test::expect;

use crate::story::check;

/// Two branches with tasks, and one with a person.
const BRANCHES: &str = "
    f fork a b u join j
    a task A retries=1 -> j
    b task B -> j
    u user -> j
    j join -> e
    e end
";

// Another visit, another task, all its retries, and the variables as they are now.
#[test]
fn a_failed_step_is_tried_again_with_other_variables() {
    check(
        "
        a task A retries=1 -> e
        e end
        ",
        r#"
        start {"n":1,"o":{"x":1}}
        claim A w1
        fail 2
        fail 3 final
        wait 5s
        retry a {"n":2,"o":{"y":2}}
        claim A w1
        done 5
        history
        "#,
        expect![[r#"
            start {"n":1,"o":{"x":1}}
              a#1 waits for task 2 with 1 retries
              + task 2 A
              => ACTIVE [a]
                 {"n":1,"o":{"x":1}}
            claim A w1
              w1 has task 2 of a until +30s: {"n":1,"o":{"x":1}}
            fail 2
              #1 retried as 3: boom
              - task 2
              + task 3 A
              => ACTIVE [a]
            fail 3 final
              #1 failed: boom
              failed
              - task 3
              => FAILED [a] because "boom"
            wait 5s
            retry a {"n":2,"o":{"y":2}}
              a tried again with {"n":2,"o":{"y":2}}
              a#4 waits for task 5 with 1 retries
              + task 5 A
              => ACTIVE [a]
                 {"n":2,"o":{"y":2}}
            claim A w1
              w1 has task 5 of a until +35s: {"n":2,"o":{"y":2}}
            done 5
              #4 left
              e#6 passed
              completed
              - task 5
              => COMPLETED []
            history
              a#1 1. FAILED +0s..+0s {"n":1,"o":{"x":1}} "boom"
              a#4 2. COMPLETED +5s..+5s {"n":2,"o":{"y":2}}
              e#6 1. COMPLETED +5s..+5s {"n":2,"o":{"y":2}}
        "#]],
    );
}

#[test]
fn only_an_instance_that_has_failed_is_tried_again() {
    check(
        BRANCHES,
        "
        start
        retry a
        retry nothing
        cancel
        retry a
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 3
              a#3 on 2.0 waits for task 4 with 1 retries
              b#5 on 2.1 waits for task 6
              u#7 on 2.2 waits for a person
              + task 4 A, 6 B
              => WAITING [a b u]
                 {}
            retry a
              ! INSTANCE_NOT_FAILED instance is not FAILED; manual retry only applies to FAILED instances
            retry nothing
              ! INSTANCE_NOT_FAILED instance is not FAILED; manual retry only applies to FAILED instances
            cancel
              canceled: ""
              - task 4, 6
              => CANCELLED [a b u] because ""
            retry a
              ! INSTANCE_NOT_FAILED instance is not FAILED; manual retry only applies to FAILED instances
        "#]],
    );
}

#[test]
fn only_a_step_that_has_failed_is_tried_again() {
    check(
        BRANCHES,
        "
        start
        fail 6 by=w
        retry a
        retry u
        retry e
        retry nothing
        retry j
        retry b
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 3
              a#3 on 2.0 waits for task 4 with 1 retries
              b#5 on 2.1 waits for task 6
              u#7 on 2.2 waits for a person
              + task 4 A, 6 B
              => WAITING [a b u]
                 {}
            fail 6 by=w
              #5 failed: boom
              failed
              - task 6, 4
              => FAILED [a b u] because "boom"
            retry a
              ! STEP_NOT_RETRYABLE step is not in a retryable state
            retry u
              ! STEP_NOT_RETRYABLE step is not in a retryable state
            retry e
              ! STEP_NOT_RETRYABLE step is not in a retryable state
            retry nothing
              ! STEP_NOT_RETRYABLE step is not in a retryable state
            retry j
              ! STEP_NOT_RETRYABLE step is not in a retryable state
            retry b
              b tried again with {}
              b#8 on 2.1 waits for task 9
              + task 4 A, 9 B
              => WAITING [a u b]
        "#]],
    );
}

#[test]
fn the_status_is_looked_at_before_the_step() {
    check(
        BRANCHES,
        "
        start
        retry nothing
        fail 6 by=w
        retry nothing
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 3
              a#3 on 2.0 waits for task 4 with 1 retries
              b#5 on 2.1 waits for task 6
              u#7 on 2.2 waits for a person
              + task 4 A, 6 B
              => WAITING [a b u]
                 {}
            retry nothing
              ! INSTANCE_NOT_FAILED instance is not FAILED; manual retry only applies to FAILED instances
            fail 6 by=w
              #5 failed: boom
              failed
              - task 6, 4
              => FAILED [a b u] because "boom"
            retry nothing
              ! STEP_NOT_RETRYABLE step is not in a retryable state
        "#]],
    );
}

#[test]
fn the_patch_must_fit() {
    check(
        "
        a task A -> e
        e end
        ",
        r#"
        start
        fail 2
        retry a {"a":deep:100}
        show
        "#,
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {}
            fail 2
              #1 failed: boom
              failed
              - task 2
              => FAILED [a] because "boom"
            retry a {"a":deep:100}
              ! FIELD_INVALID variables must have at most 100 levels
            show
              => FAILED [a] because "boom"
                 {}
        "#]],
    );
}

#[test]
fn a_retry_that_fails_again_has_failed_again() {
    check(
        "
        d decide
        if ok == true -> e
        e end
        ",
        r#"
        start
        wait 1s
        retry d {"ok":false}
        wait 1s
        retry d {"ok":true}
        history
        "#,
        expect![[r#"
            start
              d#1 failed: expression eval error: undefined variable "ok" (at 0 in `ok == true`)
              failed
              => FAILED [d] because "expression eval error: undefined variable \"ok\" (at 0 in `ok == true`)"
                 {}
            wait 1s
            retry d {"ok":false}
              d tried again with {"ok":false}
              d#2 failed: no conditionalNextSteps branch matched (DecisionNoBranchMatched)
              failed
              => FAILED [d] because "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
                 {"ok":false}
            wait 1s
            retry d {"ok":true}
              d tried again with {"ok":true}
              d#3 passed
              e#4 passed
              completed
              => COMPLETED []
                 {"ok":true}
            history
              d#1 1. FAILED +0s..+0s {} "expression eval error: undefined variable \"ok\" (at 0 in `ok == true`)"
              d#2 2. FAILED +1s..+1s {"ok":false} "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
              d#3 3. COMPLETED +2s..+2s {"ok":true}
              e#4 1. COMPLETED +2s..+2s {"ok":true}
        "#]],
    );
}

#[test]
fn a_step_that_a_timer_has_ended_can_be_tried_again_if_the_instance_fails() {
    check(
        "
        u user -> e
        interrupt PT5S -> t
        t task T -> e
        e end
        ",
        "
        start
        wait 5s
        ring
        fail t final
        retry u
        user u
        history
        ",
        expect![[r#"
            start
              u#1 waits for a person
              + timer 1.0 at +5s
              => WAITING [u]
                 {}
            wait 5s
            ring
              timer 1.0 is due
              timer 1.0 fired
              #1 interrupted
              t#2 waits for task 3
              + task 3 T
              - timer 1.0
              => ACTIVE [t]
            fail t final
              #2 failed: boom
              failed
              - task 3
              => FAILED [t] because "boom"
            retry u
              u tried again with {}
              u#4 waits for a person
              + timer 4.0 at +10s
              => WAITING [t u]
            user u
              #4 left
              e#5 passed
              completed
              - timer 4.0
              => COMPLETED []
            history
              u#1 1. FAILED +0s..+5s {} "interrupted by boundary timer"
              t#2 1. FAILED +5s..+5s {} "boom"
              u#4 2. COMPLETED +5s..+5s {} -> {}
              e#5 1. COMPLETED +5s..+5s {}
        "#]],
    );
}

#[test]
fn a_step_that_was_left_and_came_again_is_as_its_latest_visit() {
    check(
        "
        a task A -> d
        d decide
        if n == 1 -> a
        if n == 2 -> e
        e end
        ",
        r#"
        start {"n":1}
        done 2
        done 5 {"n":3}
        retry a
        retry d {"n":1}
        "#,
        expect![[r#"
            start {"n":1}
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {"n":1}
            done 2
              #1 left
              d#3 passed
              a#4 waits for task 5
              - task 2
              + task 5 A
              => ACTIVE [a]
            done 5 {"n":3}
              #4 deeply merges {"n":3}
              #4 left
              d#6 failed: no conditionalNextSteps branch matched (DecisionNoBranchMatched)
              failed
              - task 5
              => FAILED [d] because "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
                 {"n":3}
            retry a
              ! STEP_NOT_RETRYABLE step is not in a retryable state
            retry d {"n":1}
              d tried again with {"n":1}
              d#7 passed
              a#8 waits for task 9
              + task 9 A
              => ACTIVE [a]
                 {"n":1}
        "#]],
    );
}

#[test]
fn an_instance_that_was_tried_again_can_be_canceled() {
    check(
        BRANCHES,
        "
        start
        fail 6 by=w final
        retry b
        cancel 'enough'
        retry b
        history
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 3
              a#3 on 2.0 waits for task 4 with 1 retries
              b#5 on 2.1 waits for task 6
              u#7 on 2.2 waits for a person
              + task 4 A, 6 B
              => WAITING [a b u]
                 {}
            fail 6 by=w final
              #5 failed: boom
              failed
              - task 6, 4
              => FAILED [a b u] because "boom"
            retry b
              b tried again with {}
              b#8 on 2.1 waits for task 9
              + task 4 A, 9 B
              => WAITING [a u b]
            cancel 'enough'
              canceled: "enough"
              - task 4, 9
              => CANCELLED [a u b] because "enough"
            retry b
              ! INSTANCE_NOT_FAILED instance is not FAILED; manual retry only applies to FAILED instances
            history
              f#1 1. COMPLETED +0s..+0s {}
              a#3 1. RUNNING +0s {}
              b#5 1. FAILED +0s..+0s {} "boom"
              u#7 1. RUNNING +0s {}
              b#8 2. RUNNING +0s {}
        "#]],
    );
}
