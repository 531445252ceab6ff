//! Leases: held, lost, recovered, fenced off.

use expect_test::expect;

use crate::story::check;

#[test]
fn a_lease_is_good_at_its_last_instant() {
    check(
        "
        start VALIDATE
        claim w1 lease=30s
        wait 30s
        lapse
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1 lease=30s
              c1 has task 0 READY_STEP until +30000ms
            wait 30s
            lapse
              = nothing changes: the lease on task 0 of acme/chain/o-1 has not lapsed
            report 0 completed
              - task 0
            => COMPLETED at +30000ms 0:DONE
        "#]],
    );
}

#[test]
fn a_lease_is_lost_an_instant_after_its_last() {
    check(
        "
        start VALIDATE
        claim w1 lease=30s
        wait 30s
        wait 1us
        report 0 completed
        lapse
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1 lease=30s
              c1 has task 0 READY_STEP until +30000ms
            wait 30s
            wait 1us
            report 0 completed
              ! LEASE_LOST by the store's judgment
            lapse
              + task 0 VALIDATE at +30000001us
            => RUNNING 0:READY(attempts 1/10, lapses 1, next_run_at +30000001us, error "LEASE_EXPIRED")
        "#]],
    );
}

// T11: no backoff, and the policy is not asked.
#[test]
fn a_lost_lease_costs_an_attempt_and_the_step_is_ready_at_once() {
    check(
        "
        start VALIDATE:3
        claim w1
        wait 45s
        lapse
        claim w2
        ",
        expect![[r#"
            start VALIDATE:3
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 45s
            lapse
              + task 0 VALIDATE at +45000ms
            claim w2
              c2 has task 0 READY_STEP until +75000ms
            => RUNNING 0:READY(w2 c2 until +75000ms, attempts 1/3, lapses 1, next_run_at +45000ms, error "LEASE_EXPIRED")
        "#]],
    );
}

// The rule of the specification: recovery knows no ceiling.
#[test]
fn lost_leases_alone_never_exhaust_the_attempts() {
    check(
        "
        start VALIDATE:2
        repeat 5 claim w1; wait 31s; lapse
        ",
        expect![[r#"
            start VALIDATE:2
              + task 0 VALIDATE at +0ms
            repeat 5 claim w1; wait 31s; lapse
              c5 has task 0 READY_STEP until +154000ms
              + task 0 VALIDATE at +155000ms
            => RUNNING 0:READY(attempts 5/2, lapses 5, next_run_at +155000ms, error "LEASE_EXPIRED")
        "#]],
    );
}

// A later retry finds the budget spent.
#[test]
fn a_retry_after_too_many_lost_leases_is_fatal() {
    check(
        "
        start VALIDATE:2
        repeat 2 claim w1; wait 31s; lapse
        claim w1
        report 0 retry error='no answer'
        ",
        expect![[r#"
            start VALIDATE:2
              + task 0 VALIDATE at +0ms
            repeat 2 claim w1; wait 31s; lapse
              c2 has task 0 READY_STEP until +61000ms
              + task 0 VALIDATE at +62000ms
            claim w1
              c3 has task 0 READY_STEP until +92000ms
            report 0 retry error='no answer'
              - task 0
            => FAILED at +62000ms 0:DEAD(attempts 3/2, lapses 2, error "no answer")
        "#]],
    );
}

#[test]
fn the_hundredth_lost_lease_ends_a_step_that_kills_its_workers() {
    check(
        "
        start VALIDATE SHIP
        repeat 99 claim w1; wait 31s; lapse
        show
        claim w1
        wait 31s
        lapse
        claim w1
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            repeat 99 claim w1; wait 31s; lapse
              c99 has task 0 READY_STEP until +3068000ms
              + task 0 VALIDATE at +3069000ms
            show
              => RUNNING 0:READY(attempts 99/10, lapses 99, next_run_at +3069000ms, error "LEASE_EXPIRED") 1:PENDING
            claim w1
              c100 has task 0 READY_STEP until +3099000ms
            wait 31s
            lapse
              - task 0
            claim w1
              = nothing is ready
            => FAILED at +3100000ms 0:DEAD(attempts 100/10, lapses 100, error "LEASE_EXHAUSTED") 1:PENDING
        "#]],
    );
}

#[test]
fn lost_leases_exhaust_the_attempts_where_the_operator_says_so() {
    check(
        "
        policy lapse-by-attempts
        start VALIDATE:2 SHIP
        claim w1
        wait 31s
        lapse
        claim w1
        wait 31s
        lapse
        ",
        expect![[r#"
            policy lapse-by-attempts
            start VALIDATE:2 SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 31s
            lapse
              + task 0 VALIDATE at +31000ms
            claim w1
              c2 has task 0 READY_STEP until +61000ms
            wait 31s
            lapse
              - task 0
            => FAILED at +62000ms 0:DEAD(attempts 2/2, lapses 2, error "LEASE_EXPIRED") 1:PENDING
        "#]],
    );
}

#[test]
fn one_lost_lease_is_enough_where_one_attempt_is_allowed_and_lost_leases_count() {
    check(
        "
        policy lapse-by-attempts
        start VALIDATE:1
        claim w1
        wait 31s
        lapse
        ",
        expect![[r#"
            policy lapse-by-attempts
            start VALIDATE:1
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 31s
            lapse
              - task 0
            => FAILED at +31000ms 0:DEAD(attempts 1/1, lapses 1, error "LEASE_EXPIRED")
        "#]],
    );
}

#[test]
fn no_lost_lease_is_allowed_where_no_attempt_is_and_lost_leases_count() {
    check(
        "
        policy lapse-by-attempts
        start VALIDATE:0
        claim w1
        wait 31s
        lapse
        ",
        expect![[r#"
            policy lapse-by-attempts
            start VALIDATE:0
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 31s
            lapse
              - task 0
            => FAILED at +31000ms 0:DEAD(attempts 1/0, lapses 1, error "LEASE_EXPIRED")
        "#]],
    );
}

// The lease names the claim, not the worker.
#[test]
fn an_older_claim_of_the_same_worker_is_fenced_off() {
    check(
        "
        start VALIDATE
        claim w1
        wait 31s
        lapse
        claim w1
        report 0 completed by=c1
        report 0 dead by=c1
        report 0 completed by=c2
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 31s
            lapse
              + task 0 VALIDATE at +31000ms
            claim w1
              c2 has task 0 READY_STEP until +61000ms
            report 0 completed by=c1
              ! LEASE_LOST by the store's judgment
            report 0 dead by=c1
              ! LEASE_LOST by the store's judgment
            report 0 completed by=c2
              - task 0
            => COMPLETED at +31000ms 0:DONE(attempts 1/10, lapses 1)
        "#]],
    );
}

#[test]
fn a_token_in_the_hands_of_another_worker_is_worth_nothing() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed as=w2
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed as=w2
              ! LEASE_LOST by the store's judgment
            => RUNNING 0:READY(w1 c1 until +30000ms, next_run_at +0ms)
        "#]],
    );
}

#[test]
fn who_never_claimed_cannot_report() {
    check(
        "
        start VALIDATE
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            report 0 completed
              ! LEASE_LOST by the store's judgment
            => RUNNING 0:READY(next_run_at +0ms)
        "#]],
    );
}

#[test]
fn a_report_about_a_later_step_is_refused() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 1 completed
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 1 completed
              ! LEASE_LOST step 1 is not the one the chain is at
            => RUNNING 0:READY(w1 c1 until +30000ms, next_run_at +0ms) 1:PENDING
        "#]],
    );
}

#[test]
fn a_step_lapses_once_for_each_lost_lease() {
    check(
        "
        start VALIDATE
        claim w1
        wait 31s
        lapse
        lapse
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 31s
            lapse
              + task 0 VALIDATE at +31000ms
            lapse
              = nothing changes: the lease on task 0 of acme/chain/o-1 has not lapsed
            => RUNNING 0:READY(attempts 1/10, lapses 1, next_run_at +31000ms, error "LEASE_EXPIRED")
        "#]],
    );
}

#[test]
fn an_older_lapse_says_nothing_about_a_newer_lease() {
    check(
        "
        start VALIDATE
        claim w1
        wait 31s
        lapse
        claim w2
        wait 31s
        lapse by=c1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 31s
            lapse
              + task 0 VALIDATE at +31000ms
            claim w2
              c2 has task 0 READY_STEP until +61000ms
            wait 31s
            lapse by=c1
              = nothing changes: the lease on task 0 of acme/chain/o-1 has not lapsed
            => RUNNING 0:READY(w2 c2 until +61000ms, attempts 1/10, lapses 1, next_run_at +31000ms, error "LEASE_EXPIRED")
        "#]],
    );
}

#[test]
fn a_lapse_of_a_step_the_chain_has_left_changes_nothing() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 0 completed
        wait 31s
        lapse by=c1
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            wait 31s
            lapse by=c1
              = nothing changes
            => RUNNING 0:DONE 1:READY(next_run_at +0ms)
        "#]],
    );
}

#[test]
fn a_lease_that_was_given_back_costs_nothing() {
    check(
        "
        start VALIDATE
        claim w1
        release
        report 0 completed
        claim w2
        report 0 completed by=c1
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            release
              task 0 is free
            report 0 completed
              ! LEASE_LOST by the store's judgment
            claim w2
              c2 has task 0 READY_STEP until +30000ms
            report 0 completed by=c1
              ! LEASE_LOST by the store's judgment
            report 0 completed
              - task 0
            => COMPLETED at +0ms 0:DONE
        "#]],
    );
}
