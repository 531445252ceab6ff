//! A chain from its start to its end, when all goes well.

use expect_test::expect;

use crate::story::check;

// T1, T2.
#[test]
fn the_first_step_is_ready_and_the_others_are_pending() {
    check(
        r#"start VALIDATE PACK SHIP key=o-17 context={"total":9.90}"#,
        expect![[r#"
            start VALIDATE PACK SHIP key=o-17 context={"total":9.90}
              + task 0 VALIDATE at +0ms
            => RUNNING 0:READY(next_run_at +0ms) 1:PENDING 2:PENDING
               context: {"total":9.90}
        "#]],
    );
}

// T4: running is nothing but a lease; attempts stay.
#[test]
fn a_claim_takes_the_ready_step_and_costs_no_attempt() {
    check(
        "
        start VALIDATE
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            => RUNNING 0:READY(w1 c1 until +30000ms, next_run_at +0ms)
        "#]],
    );
}

#[test]
fn a_held_task_is_not_claimed_twice() {
    check(
        "
        start VALIDATE
        claim w1
        claim w2
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            claim w2
              = nothing is ready
            => RUNNING 0:READY(w1 c1 until +30000ms, next_run_at +0ms)
        "#]],
    );
}

// T3, T6.
#[test]
fn what_is_done_makes_the_next_step_ready_in_the_same_commit() {
    check(
        "
        start VALIDATE SHIP
        wait 5s
        claim w1
        wait 1s
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            wait 5s
            claim w1
              c1 has task 0 READY_STEP until +35000ms
            wait 1s
            report 0 completed
              - task 0
              + task 1 SHIP at +6000ms
            => RUNNING 0:DONE 1:READY(next_run_at +6000ms)
        "#]],
    );
}

#[test]
fn the_last_step_that_is_done_completes_the_chain() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 0 completed
        wait 2s
        claim w2
        wait 3s
        report 1 completed
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            wait 2s
            claim w2
              c2 has task 1 READY_STEP until +32000ms
            wait 3s
            report 1 completed
              - task 1
            => COMPLETED at +5000ms 0:DONE 1:DONE
        "#]],
    );
}

#[test]
fn a_step_is_ready_exactly_at_its_time_and_not_before() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 retry backoff=1s
        wait 999999us
        claim w1
        wait 1us
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=1s
              + task 0 VALIDATE at +1000ms
            wait 999999us
            claim w1
              = nothing is ready
            wait 1us
            claim w1
              c2 has task 0 READY_STEP until +31000ms
            => RUNNING 0:READY(w1 c2 until +31000ms, attempts 1/10, next_run_at +1000ms, error "boom")
        "#]],
    );
}

#[test]
fn a_type_may_come_more_than_once_in_a_plan() {
    check(
        "
        start SHIP SHIP type=parcels
        claim w1
        report 0 completed
        claim w1
        report 1 completed
        ",
        expect![[r#"
            start SHIP SHIP type=parcels
              + task 0 SHIP of parcels at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP of parcels at +0ms
            claim w1
              c2 has task 1 READY_STEP until +30000ms
            report 1 completed
              - task 1
            => COMPLETED at +0ms 0:DONE 1:DONE
        "#]],
    );
}

// T13, of a step that is done while its chain goes on.
#[test]
fn a_step_that_is_done_never_changes_again() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 0 completed
        show
        report 0 retry
        report 0 dead
        report 0 waiting paid
        wait 31s
        lapse
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            show
              => RUNNING 0:DONE 1:READY(next_run_at +0ms)
            report 0 retry
              ! LEASE_LOST step 0 is not the one the chain is at
            report 0 dead
              ! LEASE_LOST step 0 is not the one the chain is at
            report 0 waiting paid
              ! LEASE_LOST step 0 is not the one the chain is at
            wait 31s
            lapse
              = nothing changes
            => RUNNING 0:DONE 1:READY(next_run_at +0ms)
        "#]],
    );
}

#[test]
fn a_worker_without_the_definition_can_run_the_chain_by_its_plan_alone() {
    check(
        "
        start A B C D
        claim w1
        report 0 completed
        claim w2
        report 1 completed
        claim w3
        report 2 completed
        claim w4
        report 3 completed
        ",
        expect![[r#"
            start A B C D
              + task 0 A at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 B at +0ms
            claim w2
              c2 has task 1 READY_STEP until +30000ms
            report 1 completed
              - task 1
              + task 2 C at +0ms
            claim w3
              c3 has task 2 READY_STEP until +30000ms
            report 2 completed
              - task 2
              + task 3 D at +0ms
            claim w4
              c4 has task 3 READY_STEP until +30000ms
            report 3 completed
              - task 3
            => COMPLETED at +0ms 0:DONE 1:DONE 2:DONE 3:DONE
        "#]],
    );
}
