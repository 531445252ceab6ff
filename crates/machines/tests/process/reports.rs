//! Reports about tasks: whose count, and whose come too late.

use expect_test::expect;

use crate::story::check;

/// Two tasks in a row.
const SERIES: &str = "
    a task A retries=2 -> b
    b task B -> e
    e end
";

#[test]
fn a_process_goes_from_task_to_task_to_its_end() {
    check(
        SERIES,
        r#"
        start {"n":1}
        claim A w1
        wait 1s
        done 2 {"m":2}
        claim B w1
        wait 1s
        done 4
        history
        "#,
        expect![[r#"
            start {"n":1}
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {"n":1}
            claim A w1
              w1 has task 2 of a until +30s: {"n":1}
            wait 1s
            done 2 {"m":2}
              #1 deeply merges {"m":2}
              #1 left
              b#3 waits for task 4
              - task 2
              + task 4 B
              => ACTIVE [b]
                 {"n":1,"m":2}
            claim B w1
              w1 has task 4 of b until +31s: {"n":1,"m":2}
            wait 1s
            done 4
              #3 left
              e#5 passed
              completed
              - task 4
              => COMPLETED []
            history
              a#1 1. COMPLETED +0s..+1s {"n":1} -> {"m":2}
              b#3 1. COMPLETED +1s..+2s {"n":1,"m":2}
              e#5 1. COMPLETED +2s..+2s {"n":1,"m":2}
        "#]],
    );
}

// The last instant of a lease belongs to it.
#[test]
fn the_holder_may_report_as_long_as_the_lease_is_good() {
    check(
        SERIES,
        "
        start
        claim A w1 30s
        wait 30s
        done 2
        ",
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            claim A w1 30s
              w1 has task 2 of a until +30s: {}
            wait 30s
            done 2
              #1 left
              b#3 waits for task 4
              - task 2
              + task 4 B
              => ACTIVE [b]
        "#]],
    );
}

#[test]
fn a_report_about_a_task_nobody_has_taken_counts() {
    check(
        SERIES,
        r#"
        start
        done 2 by=anybody {"x":1}
        "#,
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            done 2 by=anybody {"x":1}
              #1 deeply merges {"x":1}
              #1 left
              b#3 waits for task 4
              - task 2
              + task 4 B
              => ACTIVE [b]
                 {"x":1}
        "#]],
    );
}

#[test]
fn a_failure_of_a_task_nobody_has_taken_counts() {
    check(
        SERIES,
        "
        start
        fail 2 by=anybody
        ",
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            fail 2 by=anybody
              #1 retried as 3: boom
              - task 2
              + task 3 A
              => ACTIVE [a]
        "#]],
    );
}

#[test]
fn another_worker_cannot_report() {
    check(
        SERIES,
        r#"
        start
        claim A w1
        done 2 by=w2 {"x":1}
        fail 2 by=w2 final
        show
        "#,
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            claim A w1
              w1 has task 2 of a until +30s: {}
            done 2 by=w2 {"x":1}
              = nothing changes: the lease on task 2 of acme/process/p-1 is not held
            fail 2 by=w2 final
              = nothing changes: the lease on task 2 of acme/process/p-1 is not held
            show
              => ACTIVE [a]
                 {}
        "#]],
    );
}

// Even if nobody has taken the task back yet.
#[test]
fn a_report_after_the_lease_is_over_has_no_effect() {
    check(
        SERIES,
        r#"
        start
        claim A w1 30s
        wait 30s
        wait 1us
        done 2 {"x":1}
        fail 2 final
        show
        "#,
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            claim A w1 30s
              w1 has task 2 of a until +30s: {}
            wait 30s
            wait 1us
            done 2 {"x":1}
              = nothing changes: the lease on task 2 of acme/process/p-1 is not held
            fail 2 final
              = nothing changes: the lease on task 2 of acme/process/p-1 is not held
            show
              => ACTIVE [a]
                 {}
        "#]],
    );
}

#[test]
fn a_report_counts_once() {
    check(
        SERIES,
        r#"
        start
        claim A w1
        done 2 {"x":1}
        done 2 {"x":2}
        fail 2 final
        show
        "#,
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            claim A w1
              w1 has task 2 of a until +30s: {}
            done 2 {"x":1}
              #1 deeply merges {"x":1}
              #1 left
              b#3 waits for task 4
              - task 2
              + task 4 B
              => ACTIVE [b]
                 {"x":1}
            done 2 {"x":2}
              = nothing changes
            fail 2 final
              = nothing changes
            show
              => ACTIVE [b]
                 {"x":1}
        "#]],
    );
}

#[test]
fn a_report_about_a_task_that_was_replaced_has_no_effect() {
    check(
        SERIES,
        r#"
        start
        claim A w1
        fail 2
        done 2 {"x":1}
        fail 2
        show
        "#,
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            claim A w1
              w1 has task 2 of a until +30s: {}
            fail 2
              #1 retried as 3: boom
              - task 2
              + task 3 A
              => ACTIVE [a]
            done 2 {"x":1}
              = nothing changes
            fail 2
              = nothing changes
            show
              => ACTIVE [a]
                 {}
        "#]],
    );
}

#[test]
fn a_report_to_an_instance_that_has_ended_has_no_effect() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> e
        j join -> e
        e end
        ",
        r#"
        start
        claim A w1
        claim B w2
        done 6
        done 4 {"x":1}
        fail 4 final
        show
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
            claim A w1
              w1 has task 4 of a until +30s: {}
            claim B w2
              w2 has task 6 of b until +30s: {}
            done 6
              #5 left
              e#7 passed
              completed
              - task 6, 4
              => COMPLETED []
            done 4 {"x":1}
              = nothing changes
            fail 4 final
              = nothing changes
            show
              => COMPLETED []
                 {}
        "#]],
    );
}

#[test]
fn a_report_to_an_instance_that_has_failed_has_no_effect() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> j
        j join -> e
        e end
        ",
        r#"
        start
        claim A w1
        claim B w2
        fail 6 final
        done 4 {"x":1}
        fail 4
        done 6
        show
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
            claim A w1
              w1 has task 4 of a until +30s: {}
            claim B w2
              w2 has task 6 of b until +30s: {}
            fail 6 final
              ~ a task is held: decided again
              #5 failed: boom
              failed, w1 has 4
              - task 6, 4
              => FAILED [a b] because "boom"
            done 4 {"x":1}
              = nothing changes
            fail 4
              = nothing changes
            done 6
              = nothing changes
            show
              => FAILED [a b] because "boom"
                 {}
        "#]],
    );
}

#[test]
fn a_report_to_an_instance_that_was_canceled_has_no_effect() {
    check(
        SERIES,
        r#"
        start
        claim A w1
        cancel 'no longer wanted'
        done 2 {"x":1}
        fail 2
        show
        "#,
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            claim A w1
              w1 has task 2 of a until +30s: {}
            cancel 'no longer wanted'
              canceled: "no longer wanted"
              - task 2
              => CANCELLED [a] because "no longer wanted"
            done 2 {"x":1}
              = nothing changes
            fail 2
              = nothing changes
            show
              => CANCELLED [a] because "no longer wanted"
                 {}
        "#]],
    );
}

#[test]
fn a_task_that_never_was_is_not_found() {
    check(
        SERIES,
        "
        start
        done 3
        done 0
        fail 4000000000
        ",
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            done 3
              ! TASK_NOT_FOUND job not found
            done 0
              ! TASK_NOT_FOUND job not found
            fail 4000000000
              ! TASK_NOT_FOUND job not found
        "#]],
    );
}
