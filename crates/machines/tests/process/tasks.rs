//! Tasks for programs: who may report, retries, lost leases, and what a worker is told.

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
              + task 4 A
              + task 6 B
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
              - task 6
              - task 4
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
              + task 4 A
              + task 6 B
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
              - task 6
              - task 4
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
              + task 4 A
              + task 6 B
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
              + task 4 A
              + task 6 B
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

// The instance stays active; the step is not listed any more.
#[test]
fn a_task_without_a_next_step_is_where_the_path_stops() {
    check(
        "
        a task A
          after PT1H -> e
        e end
        ",
        "
        start
        done 2
        show
        ",
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              + timer 1.0 at +1h
              => ACTIVE [a]
                 {}
            done 2
              #1 left
              - task 2
              - timer 1.0
              => ACTIVE []
            show
              => ACTIVE []
                 {}
        "#]],
    );
}

#[test]
fn the_conditions_of_a_task_come_before_its_next_step() {
    check(
        "
        a task A -> e
          if n > 1 -> b
          if n == 1 -> c
        b task B -> e
        c task C -> e
        e end
        ",
        r#"
        start {"n":0}
        done 2 {"n":1}
        "#,
        expect![[r#"
            start {"n":0}
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {"n":0}
            done 2 {"n":1}
              #1 deeply merges {"n":1}
              #1 left
              c#3 waits for task 4
              - task 2
              + task 4 C
              => ACTIVE [c]
                 {"n":1}
        "#]],
    );
}

#[test]
fn the_first_condition_of_a_task_that_holds_decides() {
    check(
        "
        a task A
          if n > 0 -> b
          if n > 1 -> c
        b task B -> e
        c task C -> e
        e end
        ",
        r#"
        start
        done 2 {"n":2}
        "#,
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {}
            done 2 {"n":2}
              #1 deeply merges {"n":2}
              #1 left
              b#3 waits for task 4
              - task 2
              + task 4 B
              => ACTIVE [b]
                 {"n":2}
        "#]],
    );
}

// There is a next step, but the conditions come first.
#[test]
fn a_task_whose_conditions_all_fail_fails_the_instance_and_can_be_tried_again() {
    check(
        "
        a task A retries=3 -> e
          if n > 1 -> e
        e end
        ",
        r#"
        start {"n":0}
        claim A w1
        done 2 {"m":1}
        history
        retry a {"n":2}
        done 4
        history
        "#,
        expect![[r#"
            start {"n":0}
              a#1 waits for task 2 with 3 retries
              + task 2 A
              => ACTIVE [a]
                 {"n":0}
            claim A w1
              w1 has task 2 of a until +30s: {"n":0}
            done 2 {"m":1}
              #1 deeply merges {"m":1}
              #1 failed: no conditionalNextSteps branch matched (DecisionNoBranchMatched)
              failed
              - task 2
              => FAILED [a] because "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
                 {"n":0,"m":1}
            history
              a#1 1. FAILED +0s..+0s {"n":0} -> {"m":1} "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
            retry a {"n":2}
              a tried again with {"n":2}
              a#3 waits for task 4 with 3 retries
              + task 4 A
              => ACTIVE [a]
                 {"n":2,"m":1}
            done 4
              #3 left
              e#5 passed
              completed
              - task 4
              => COMPLETED []
            history
              a#1 1. FAILED +0s..+0s {"n":0} -> {"m":1} "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
              a#3 2. COMPLETED +0s..+0s {"n":2,"m":1}
              e#5 1. COMPLETED +0s..+0s {"n":2,"m":1}
        "#]],
    );
}

#[test]
fn a_condition_of_a_task_that_cannot_be_evaluated_fails_the_instance() {
    check(
        "
        a task A
          if missing > 1 -> e
        e end
        ",
        "
        start
        done 2
        ",
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {}
            done 2
              #1 failed: expression eval error: undefined variable "missing" (at 0 in `missing > 1`)
              failed
              - task 2
              => FAILED [a] because "expression eval error: undefined variable \"missing\" (at 0 in `missing > 1`)"
        "#]],
    );
}

#[test]
fn an_output_that_breaks_the_schema_fails_the_step_whatever_its_retries() {
    check(
        r#"
        a task A retries=5 -> e
          outputs {"properties":{"total":{"type":"number"}},"required":["total"]}
        e end
        "#,
        r#"
        start {"total":1}
        claim A w1
        done 2 {"total":"much","other":[1]}
        show
        history
        done 2 {"total":1}
        retry a
        done 4 {"total":2.0}
        "#,
        expect![[r#"
            start {"total":1}
              a#1 waits for task 2 with 5 retries
              + task 2 A
              => ACTIVE [a]
                 {"total":1}
            claim A w1
              w1 has task 2 of a until +30s: {"total":1}
            done 2 {"total":"much","other":[1]}
              #1 failed: schema violation: field "total" expected number, got string
              failed
              - task 2
              => FAILED [a] because "schema violation: field \"total\" expected number, got string"
            show
              => FAILED [a] because "schema violation: field \"total\" expected number, got string"
                 {"total":1}
            history
              a#1 1. FAILED +0s..+0s {"total":1} "schema violation: field \"total\" expected number, got string"
            done 2 {"total":1}
              = nothing changes
            retry a
              a tried again with {}
              a#3 waits for task 4 with 5 retries
              + task 4 A
              => ACTIVE [a]
            done 4 {"total":2.0}
              #3 deeply merges {"total":2}
              #3 left
              e#5 passed
              completed
              - task 4
              => COMPLETED []
                 {"total":2}
        "#]],
    );
}

#[test]
fn a_worker_who_does_not_hold_the_task_cannot_break_the_schema() {
    check(
        r#"
        a task A -> e
          outputs {"properties":{"total":{"type":"number"}},"required":["total"]}
        e end
        "#,
        "
        start
        claim A w1
        done 2 by=w2 {}
        show
        ",
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {}
            claim A w1
              w1 has task 2 of a until +30s: {}
            done 2 by=w2 {}
              = nothing changes: the lease on task 2 of acme/process/p-1 is not held
            show
              => ACTIVE [a]
                 {}
        "#]],
    );
}

#[test]
fn variables_do_not_become_too_deep() {
    check(
        SERIES,
        r#"
        start
        done 2 {"a":deep:100}
        done 2 {"a":deep:99}
        "#,
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            done 2 {"a":deep:100}
              ! FIELD_INVALID variables must have at most 100 levels
            done 2 {"a":deep:99}
              #1 deeply merges {"a":[[[… (205 characters)
              #1 left
              b#3 waits for task 4
              - task 2
              + task 4 B
              => ACTIVE [b]
                 {"a":[[[… (205 characters)
        "#]],
    );
}
