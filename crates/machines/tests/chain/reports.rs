//! Reports that come twice.

use expect_test::expect;

use crate::story::check;

#[test]
fn a_repeated_report_that_the_step_is_done_is_answered_as_before() {
    check(
        r#"
        start VALIDATE SHIP
        claim w1
        report 0 completed patch={"valid":true} send=validated
        report 0 completed patch={"valid":true} send=validated
        "#,
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed patch={"valid":true} send=validated
              > validated null 01980000-0000-7000-8000-000000000000 of +0ms with instanceId:o-1 stepSeq:0 stepType:VALIDATE
              - task 0
              + task 1 SHIP at +0ms
            report 0 completed patch={"valid":true} send=validated
              = nothing changes
            => RUNNING 0:DONE 1:READY(next_run_at +0ms)
               context: {"valid":true}
        "#]],
    );
}

#[test]
fn a_repeated_report_that_the_last_step_is_done_is_answered_as_before() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
            report 0 completed
              = nothing changes
            => COMPLETED at +0ms 0:DONE
        "#]],
    );
}

#[test]
fn a_repeated_report_of_waiting_is_answered_as_before() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 1s
        report 0 waiting paid timeout=5s
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            wait 1s
            report 0 waiting paid timeout=5s
              = nothing changes
            => RUNNING 0:WAITING(for paid, deadline +5000ms)
        "#]],
    );
}

#[test]
fn a_repeated_report_of_waiting_is_answered_as_before_also_when_the_event_was_there_already() {
    check(
        "
        start VALIDATE
        wake paid
        claim w1
        report 0 waiting paid
        report 0 waiting paid
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid
              ~ paid is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              + task 0 VALIDATE at +0ms
            report 0 waiting paid
              = nothing changes
            => RUNNING 0:READY(next_run_at +0ms, woken by paid)
        "#]],
    );
}

#[test]
fn a_repeated_report_to_retry_costs_one_attempt() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 retry
        wait 1s
        report 0 retry
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry
              + task 0 VALIDATE at +1000ms
            wait 1s
            report 0 retry
              = nothing changes
            => RUNNING 0:READY(attempts 1/10, next_run_at +1000ms, error "boom")
        "#]],
    );
}

#[test]
fn a_repeated_report_to_retry_is_answered_as_before_also_when_it_was_the_last() {
    check(
        "
        start VALIDATE:1
        claim w1
        report 0 retry
        report 0 retry
        report 0 dead
        ",
        expect![[r#"
            start VALIDATE:1
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry
              - task 0
            report 0 retry
              = nothing changes
            report 0 dead
              ! LEASE_LOST the chain is FAILED
            => FAILED at +0ms 0:DEAD(attempts 1/1, error "boom")
        "#]],
    );
}

#[test]
fn a_repeated_report_of_death_is_answered_as_before() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 dead
        report 0 dead
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 dead
              - task 0
            report 0 dead
              = nothing changes
            => FAILED at +0ms 0:DEAD(attempts 1/10, error "boom")
        "#]],
    );
}

#[test]
fn a_repeated_report_is_answered_as_before_also_when_others_are_at_work_again() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 0 completed
        claim w2
        report 0 completed by=c1
        report 1 completed by=c2
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            claim w2
              c2 has task 1 READY_STEP until +30000ms
            report 0 completed by=c1
              = nothing changes
            report 1 completed by=c2
              - task 1
            => COMPLETED at +0ms 0:DONE 1:DONE
        "#]],
    );
}

#[test]
fn another_outcome_of_the_same_claim_is_no_repeat() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 retry
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry
              + task 0 VALIDATE at +1000ms
            report 0 completed
              ! LEASE_LOST by the store's judgment
            => RUNNING 0:READY(attempts 1/10, next_run_at +1000ms, error "boom")
        "#]],
    );
}

#[test]
fn only_the_latest_report_is_remembered() {
    check(
        "
        start VALIDATE SHIP PACK
        claim w1
        report 0 completed
        claim w1
        report 1 completed
        report 0 completed by=c1
        report 1 completed by=c2
        ",
        expect![[r#"
            start VALIDATE SHIP PACK
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            claim w1
              c2 has task 1 READY_STEP until +30000ms
            report 1 completed
              - task 1
              + task 2 PACK at +0ms
            report 0 completed by=c1
              ! LEASE_LOST step 0 is not the one the chain is at
            report 1 completed by=c2
              = nothing changes
            => RUNNING 0:DONE 1:DONE 2:READY(next_run_at +0ms)
        "#]],
    );
}
