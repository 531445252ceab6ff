//! What comes back to life with a step that is tried again: other branches and their holders.

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

// Whoever was at a task still is, until the lease is over.
#[test]
fn other_branches_come_back_to_life() {
    check(
        BRANCHES,
        r#"
        .. start {"n":1}
        claim A w1 30s
        claim B w2 60s
        fail 6 final
        claim A w9
        wait 5s
        retry b {"n":2}
        claim A w9
        done 4 {"a":1}
        claim B w3
        done 9
        user u
        "#,
        expect![[r#"
            .. start {"n":1}
            claim A w1 30s
              w1 has task 4 of a until +30s: {"n":1}
            claim B w2 60s
              w2 has task 6 of b until +60s: {"n":1}
            fail 6 final
              ~ a task is held: decided again
              #5 failed: boom
              failed, w1 has 4
              - task 6, 4
              => FAILED [a b u] because "boom"
            claim A w9
              = nothing is ready
            wait 5s
            retry b {"n":2}
              b tried again with {"n":2}
              b#8 on 2.1 waits for task 9
              + task 4 A (w1 has it until +30s), 9 B
              => WAITING [a u b]
                 {"n":2}
            claim A w9
              = nothing is ready
            done 4 {"a":1}
              #3 deeply merges {"a":1}
              #3 left
              j#10 reached on 2.0
              - task 4
              => WAITING [u b j]
                 {"n":2,"a":1}
            claim B w3
              w3 has task 9 of b until +35s: {"n":2}
            done 9
              #8 left
              j#11 reached on 2.1
              - task 9
              => WAITING [u j]
            user u
              #7 left
              j#12 reached on 2.2
              fork 2 joined
              e#13 passed
              completed
              => COMPLETED []
        "#]],
    );
}

#[test]
fn who_was_at_a_task_when_the_instance_failed_may_have_lost_it_since() {
    check(
        BRANCHES,
        r#"
        start {"n":1}
        claim A w1 30s
        fail 6 by=w
        wait 1h
        retry b {"n":2}
        claim A w9
        done 4
        lapse 4
        claim A w9
        done 4
        done 10
        "#,
        expect![[r#"
            start {"n":1}
              f#1 passed
              fork 2 of 3
              a#3 on 2.0 waits for task 4 with 1 retries
              b#5 on 2.1 waits for task 6
              u#7 on 2.2 waits for a person
              + task 4 A, 6 B
              => WAITING [a b u]
                 {"n":1}
            claim A w1 30s
              w1 has task 4 of a until +30s: {"n":1}
            fail 6 by=w
              ~ a task is held: decided again
              #5 failed: boom
              failed, w1 has 4
              - task 6, 4
              => FAILED [a b u] because "boom"
            wait 1h
            retry b {"n":2}
              b tried again with {"n":2}
              b#8 on 2.1 waits for task 9
              + task 4 A (w1 has it until +30s), 9 B
              => WAITING [a u b]
                 {"n":2}
            claim A w9
              = nothing is ready
            done 4
              = nothing changes: the lease on task 4 of acme/process/p-1 is not held
            lapse 4
              #3 lapsed, again as 10
              - task 4
              + task 10 A
              => WAITING [a u b]
            claim A w9
              w9 has task 10 of a until +3630s: {"n":1}
            done 4
              = nothing changes
            done 10
              #3 left
              j#11 reached on 2.0
              - task 10
              => WAITING [u b j]
        "#]],
    );
}

#[test]
fn who_was_at_a_task_still_is_after_a_retry_that_fails_at_once() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> d
        d decide
        if ok == true -> j
        j join -> e
        e end
        ",
        r#"
        start
        claim A w1 60s
        done 6 by=w
        retry d {"ok":false}
        retry d {"ok":true}
        claim A w9
        done 4
        "#,
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A, 6 B
              => ACTIVE [a b]
                 {}
            claim A w1 60s
              w1 has task 4 of a until +60s: {}
            done 6 by=w
              ~ a task is held: decided again
              #5 left
              d#7 on 2.1 failed: expression eval error: undefined variable "ok" (at 0 in `ok == true`)
              failed, w1 has 4
              - task 6, 4
              => FAILED [a d] because "expression eval error: undefined variable \"ok\" (at 0 in `ok == true`)"
            retry d {"ok":false}
              d tried again with {"ok":false}
              d#8 on 2.1 failed: no conditionalNextSteps branch matched (DecisionNoBranchMatched)
              failed, w1 has 4
              - task 4
              => FAILED [a d] because "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
                 {"ok":false}
            retry d {"ok":true}
              d tried again with {"ok":true}
              d#9 passed
              j#10 reached on 2.1
              + task 4 A (w1 has it until +60s)
              => ACTIVE [a j]
                 {"ok":true}
            claim A w9
              = nothing is ready
            done 4
              #3 left
              j#11 reached on 2.0
              fork 2 joined
              e#12 passed
              completed
              - task 4
              => COMPLETED []
        "#]],
    );
}

#[test]
fn a_decision_is_tried_again_on_its_branch() {
    check(
        "
        f fork a d join j
        a task A -> j
        d decide
        if ok == true -> j
        j join -> e
        e end
        ",
        r#"
        start
        retry d {"ok":true}
        done 4
        history
        "#,
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              d#5 on 2.1 failed: expression eval error: undefined variable "ok" (at 0 in `ok == true`)
              failed
              - task 4
              => FAILED [a d] because "expression eval error: undefined variable \"ok\" (at 0 in `ok == true`)"
                 {}
            retry d {"ok":true}
              d tried again with {"ok":true}
              d#6 passed
              j#7 reached on 2.1
              + task 4 A
              => ACTIVE [a j]
                 {"ok":true}
            done 4
              #3 left
              j#8 reached on 2.0
              fork 2 joined
              e#9 passed
              completed
              - task 4
              => COMPLETED []
            history
              f#1 1. COMPLETED +0s..+0s {}
              a#3 1. COMPLETED +0s..+0s {}
              d#5 1. FAILED +0s..+0s {} "expression eval error: undefined variable \"ok\" (at 0 in `ok == true`)"
              d#6 2. COMPLETED +0s..+0s {"ok":true}
              j#7 1. COMPLETED +0s..+0s {"ok":true}
              j#8 2. COMPLETED +0s..+0s {"ok":true}
              e#9 1. COMPLETED +0s..+0s {"ok":true}
        "#]],
    );
}

#[test]
fn branches_that_had_not_begun_when_the_instance_failed_begin_then() {
    check(
        "
        f fork d a u join j
        d decide
        if ok == true -> j
        a task A -> j
        u user -> j
        j join -> e
        e end
        ",
        r#"
        start
        retry d {"ok":true}
        done 7
        user u
        "#,
        expect![[r#"
            start
              f#1 passed
              fork 2 of 3
              d#3 on 2.0 failed: expression eval error: undefined variable "ok" (at 0 in `ok == true`)
              failed, u not begun, a not begun
              => FAILED [d] because "expression eval error: undefined variable \"ok\" (at 0 in `ok == true`)"
                 {}
            retry d {"ok":true}
              d tried again with {"ok":true}
              d#4 passed
              j#5 reached on 2.0
              a#6 on 2.1 waits for task 7
              u#8 on 2.2 waits for a person
              + task 7 A
              => WAITING [j a u]
                 {"ok":true}
            done 7
              #6 left
              j#9 reached on 2.1
              - task 7
              => WAITING [j u]
            user u
              #8 left
              j#10 reached on 2.2
              fork 2 joined
              e#11 passed
              completed
              => COMPLETED []
        "#]],
    );
}

#[test]
fn a_hold_that_was_lost_is_not_given_back() {
    check(
        BRANCHES,
        "
        .. start
        .. claim A w1 30s
        .. fail b by=w
        .. retry b
        .. wait 1h
        lapse a
        .. fail b by=w
        retry b
        claim A w9
        ",
        expect![[r#"
            .. start
            .. claim A w1 30s
            .. fail b by=w
            .. retry b
            .. wait 1h
            lapse a
              #3 lapsed, again as 10
              - task 4
              + task 10 A
              => WAITING [a u b]
            .. fail b by=w
            retry b
              b tried again with {}
              b#11 on 2.1 waits for task 12
              + task 10 A, 12 B
              => WAITING [a u b]
            claim A w9
              w9 has task 10 of a until +3630s: {}
        "#]],
    );
}

// What happens to the older of two paths at one step says nothing about the younger.
#[test]
fn an_older_visit_that_was_interrupted_does_not_speak_for_the_latest() {
    check(
        "
        a task A -> s
        after PT4S -> s
        s task S -> e
        interrupt PT10S -> t
        t task T -> e
        e end
        ",
        "
        .. start
        wait 4s
        ring
        wait 1s
        done a
        wait 9s
        ring
        fail t final
        retry s
        ",
        expect![[r#"
            .. start
            wait 4s
            ring
              timer 1.0 is due
              timer 1.0 fired
              s#3 waits for task 4
              + task 4 S
              + timer 3.0 at +14s
              => ACTIVE [a s]
            wait 1s
            done a
              #1 left
              s#5 waits for task 6
              - task 2
              + task 6 S
              - timer 1.0
              + timer 5.0 at +15s
              => ACTIVE [s]
            wait 9s
            ring
              timer 3.0 is due
              timer 3.0 fired
              #3 interrupted
              t#7 waits for task 8
              - task 4
              + task 8 T
              - timer 3.0
              => ACTIVE [s t]
            fail t final
              #7 failed: boom
              failed
              - task 8, 6
              => FAILED [s t] because "boom"
            retry s
              ! STEP_NOT_RETRYABLE step is not in a retryable state
        "#]],
    );
}

/// Two branches that come to one step, and one whose person can be too late.
const ONE_STEP: &str = "
    f fork a b u join j
    a task A -> c
    b task B -> c
    c task C -> j
    u user -> j
    interrupt PT5S -> x
    x user -> j
    j join -> e
    e end
";

#[test]
fn paths_that_failed_at_one_step_are_tried_again_one_by_one() {
    check(
        ONE_STEP,
        "
        .. start
        .. wait 5s
        .. ring
        .. done a
        .. done b
        .. fail 10 final
        .. retry u
        .. fail 12 final
        retry c
        .. done 15
        user x
        user u
        retry c
        done 20
        ",
        expect![[r#"
            .. start
            .. wait 5s
            .. ring
            .. done a
            .. done b
            .. fail 10 final
            .. retry u
            .. fail 12 final
            retry c
              c tried again with {}
              c#14 on 2.1 waits for task 15
              + task 15 C
              => WAITING [x c u]
            .. done 15
            user x
              #8 left
              j#17 reached on 2.2
              => WAITING [c u j]
            user u
              #13 left
              j#18 absorbed
              failed
              - timer 13.0
              => FAILED [c j] because "step \"c\" has failed and nothing else can go on"
            retry c
              c tried again with {}
              c#19 on 2.0 waits for task 20
              + task 20 C
              => ACTIVE [j c]
            done 20
              #19 left
              j#21 reached on 2.0
              fork 2 joined
              e#22 passed
              completed
              - task 20
              => COMPLETED []
        "#]],
    );
}
