//! Tasks that are offered again, after a failure or a lost lease, and what they tell.

use expect_test::expect;

use crate::story::check;

/// Two tasks in a row.
const SERIES: &str = "
    a task A retries=2 -> b
    b task B -> e
    e end
";

// The variables another branch has changed since are not told.
#[test]
fn a_retry_is_another_task_with_one_retry_less_and_what_was_known() {
    check(
        "
        f fork a b join j
        a task A retries=2 -> j
        b task B -> j
        j join -> e
        e end
        ",
        r#"
        start {"n":1}
        claim A w1
        done 6 {"n":2}
        fail 4 'no answer'
        claim A w1
        wait 5s
        fail 8 'no answer'
        claim A w2
        fail 9 'gave up'
        history
        "#,
        expect![[r#"
            start {"n":1}
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4 with 2 retries
              b#5 on 2.1 waits for task 6
              + task 4 A, 6 B
              => ACTIVE [a b]
                 {"n":1}
            claim A w1
              w1 has task 4 of a until +30s: {"n":1}
            done 6 {"n":2}
              #5 deeply merges {"n":2}
              #5 left
              j#7 reached on 2.1
              - task 6
              => ACTIVE [a j]
                 {"n":2}
            fail 4 'no answer'
              #3 retried as 8: no answer
              - task 4
              + task 8 A
              => ACTIVE [a j]
            claim A w1
              w1 has task 8 of a until +30s: {"n":1}
            wait 5s
            fail 8 'no answer'
              #3 retried as 9: no answer
              - task 8
              + task 9 A
              => ACTIVE [a j]
            claim A w2
              w2 has task 9 of a until +35s: {"n":1}
            fail 9 'gave up'
              #3 failed: gave up
              failed
              - task 9
              => FAILED [a j] because "gave up"
            history
              f#1 1. COMPLETED +0s..+0s {"n":1}
              a#3 1. FAILED +0s..+5s {"n":1} "gave up"
              b#5 1. COMPLETED +0s..+0s {"n":1} -> {"n":2}
              j#7 1. COMPLETED +0s..+0s {"n":2}
        "#]],
    );
}

#[test]
fn a_failure_that_is_final_spends_no_retries() {
    check(
        SERIES,
        "
        start
        claim A w1
        fail 2 final
        history
        ",
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            claim A w1
              w1 has task 2 of a until +30s: {}
            fail 2 final
              #1 failed: boom
              failed
              - task 2
              => FAILED [a] because "boom"
            history
              a#1 1. FAILED +0s..+0s {} "boom"
        "#]],
    );
}

#[test]
fn a_failure_without_a_message_has_a_reason_all_the_same() {
    check(
        SERIES,
        "
        start
        fail 2 silent
        fail 3 ' '
        fail 4 silent
        ",
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            fail 2 silent
              #1 retried as 3: job failed
              - task 2
              + task 3 A
              => ACTIVE [a]
            fail 3 ' '
              #1 retried as 4: job failed
              - task 3
              + task 4 A
              => ACTIVE [a]
            fail 4 silent
              #1 failed: job failed
              failed
              - task 4
              => FAILED [a] because "job failed"
        "#]],
    );
}

#[test]
fn a_lapse_is_another_task_and_costs_no_retry() {
    check(
        SERIES,
        r#"
        start {"n":1}
        claim A w1 30s
        wait 30s
        lapse 2
        wait 1us
        lapse 2
        lapse 2
        done 2 {"x":1}
        claim A w2
        fail 3
        show
        "#,
        expect![[r#"
            start {"n":1}
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {"n":1}
            claim A w1 30s
              w1 has task 2 of a until +30s: {"n":1}
            wait 30s
            lapse 2
              = nothing changes: the lease on task 2 of acme/process/p-1 has not lapsed
            wait 1us
            lapse 2
              #1 lapsed, again as 3
              - task 2
              + task 3 A
              => ACTIVE [a]
            lapse 2
              = nothing changes
            done 2 {"x":1}
              = nothing changes
            claim A w2
              w2 has task 3 of a until +60000001us: {"n":1}
            fail 3
              #1 retried as 4: boom
              - task 3
              + task 4 A
              => ACTIVE [a]
            show
              => ACTIVE [a]
                 {"n":1}
        "#]],
    );
}

#[test]
fn a_lapse_after_the_report_comes_too_late() {
    check(
        SERIES,
        "
        start
        claim A w1 30s
        done 2
        wait 31s
        lapse 2
        ",
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            claim A w1 30s
              w1 has task 2 of a until +30s: {}
            done 2
              #1 left
              b#3 waits for task 4
              - task 2
              + task 4 B
              => ACTIVE [b]
            wait 31s
            lapse 2
              = nothing changes
        "#]],
    );
}

#[test]
fn a_lapsed_task_tells_what_it_told_before() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> j
        j join -> e
        e end
        ",
        r#"
        start {"n":1}
        claim A w1 5s
        done 6 {"n":2,"b":true}
        wait 6s
        lapse 4
        claim A w2
        "#,
        expect![[r#"
            start {"n":1}
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              + task 4 A, 6 B
              => ACTIVE [a b]
                 {"n":1}
            claim A w1 5s
              w1 has task 4 of a until +5s: {"n":1}
            done 6 {"n":2,"b":true}
              #5 deeply merges {"n":2,"b":true}
              #5 left
              j#7 reached on 2.1
              - task 6
              => ACTIVE [a j]
                 {"n":2,"b":true}
            wait 6s
            lapse 4
              #3 lapsed, again as 8
              - task 4
              + task 8 A
              => ACTIVE [a j]
            claim A w2
              w2 has task 8 of a until +36s: {"n":1}
        "#]],
    );
}

// The holder that comes late spends nothing of what the next one has.
#[test]
fn a_failure_after_the_lapse_comes_too_late() {
    check(
        SERIES,
        "
        .. start
        .. claim A w1 5s
        wait 6s
        fail 2
        lapse 2
        fail 2
        fail 2 final
        claim A w2
        fail 2
        show
        fail 3
        fail 4
        fail 5
        ",
        expect![[r#"
            .. start
            .. claim A w1 5s
            wait 6s
            fail 2
              = nothing changes: the lease on task 2 of acme/process/p-1 is not held
            lapse 2
              #1 lapsed, again as 3
              - task 2
              + task 3 A
              => ACTIVE [a]
            fail 2
              = nothing changes
            fail 2 final
              = nothing changes
            claim A w2
              w2 has task 3 of a until +36s: {}
            fail 2
              = nothing changes
            show
              => ACTIVE [a]
                 {}
            fail 3
              #1 retried as 4: boom
              - task 3
              + task 4 A
              => ACTIVE [a]
            fail 4
              #1 retried as 5: boom
              - task 4
              + task 5 A
              => ACTIVE [a]
            fail 5
              #1 failed: boom
              failed
              - task 5
              => FAILED [a] because "boom"
        "#]],
    );
}
