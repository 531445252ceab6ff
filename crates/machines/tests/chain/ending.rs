//! The end of a chain: canceled, completed or failed, and what comes after it.

use expect_test::expect;

use crate::story::check;

#[test]
fn a_ready_step_is_canceled() {
    check(
        "
        start VALIDATE SHIP
        wait 1s
        cancel 'out of stock'
        claim w1
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            wait 1s
            cancel 'out of stock'
              - task 0
            claim w1
              = nothing is ready
            => CANCELED at +1000ms 0:READY(next_run_at +0ms) 1:PENDING
               canceled: out of stock
        "#]],
    );
}

// The worker is not interrupted; it learns of it when it reports.
#[test]
fn a_running_step_is_canceled_under_its_worker() {
    check(
        r#"
        start VALIDATE SHIP
        claim w1
        wait 1s
        cancel 'out of stock'
        report 0 completed send=validated patch={"a":1}
        report 0 waiting paid
        report 0 retry
        report 0 dead
        "#,
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 1s
            cancel 'out of stock'
              ~ the task is held: decided again
              - task 0
            report 0 completed send=validated patch={"a":1}
              ! INSTANCE_CANCELED the chain was canceled meanwhile
            report 0 waiting paid
              ! INSTANCE_CANCELED the chain was canceled meanwhile
            report 0 retry
              ! INSTANCE_CANCELED the chain was canceled meanwhile
            report 0 dead
              ! INSTANCE_CANCELED the chain was canceled meanwhile
            => CANCELED at +1000ms 0:READY(next_run_at +0ms) 1:PENDING
               canceled: out of stock
               canceled while w1 c1 until +30000ms
        "#]],
    );
}

#[test]
fn a_step_between_two_tries_is_canceled() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 retry backoff=60s
        cancel
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=60s
              + task 0 VALIDATE at +60000ms
            cancel
              - task 0
            => CANCELED at +0ms 0:READY(attempts 1/10, next_run_at +60000ms, error "boom")
        "#]],
    );
}

#[test]
fn a_waiting_step_is_canceled() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid
        wake packed id=e1
        cancel
        wake paid
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            wake packed id=e1
              ~ packed#e1 is kept
            cancel
              - task 0
            wake paid
              ! INSTANCE_ENDED the chain is CANCELED
            => CANCELED at +0ms 0:WAITING(for paid)
        "#]],
    );
}

#[test]
fn a_waiting_step_with_a_deadline_is_canceled() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        cancel
        wait 6s
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            cancel
              - task 0
            wait 6s
            claim w1
              = nothing is ready
            => CANCELED at +0ms 0:WAITING(for paid, deadline +5000ms)
        "#]],
    );
}

#[test]
fn a_step_whose_time_out_is_handled_is_canceled_under_its_worker() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w2
        cancel
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            wait 5s
            claim w2
              c2 has task 0 WAITING_TIMEOUT until +35000ms
            cancel
              ~ the task is held: decided again
              - task 0
            report 0 completed
              ! INSTANCE_CANCELED the chain was canceled meanwhile
            => CANCELED at +5000ms 0:WAITING(for paid, deadline +5000ms)
               canceled while w2 c2 until +35000ms
        "#]],
    );
}

#[test]
fn a_step_whose_worker_disappeared_is_canceled_and_not_recovered() {
    check(
        "
        start VALIDATE
        claim w1
        wait 31s
        cancel
        lapse
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 31s
            cancel
              ~ the task is held: decided again
              - task 0
            lapse
              = nothing changes
            => CANCELED at +31000ms 0:READY(next_run_at +0ms)
               canceled while w1 c1 until +30000ms
        "#]],
    );
}

#[test]
fn a_step_that_was_woken_is_canceled() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid
        wake paid
        cancel
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            wake paid
              + task 0 VALIDATE at +0ms
            cancel
              - task 0
            => CANCELED at +0ms 0:READY(next_run_at +0ms, woken by paid)
        "#]],
    );
}

#[test]
fn a_chain_is_canceled_at_its_last_step() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 0 completed
        cancel
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            cancel
              - task 1
            => CANCELED at +0ms 0:DONE 1:READY(next_run_at +0ms)
        "#]],
    );
}

#[test]
fn a_chain_is_canceled_once() {
    check(
        "
        start VALIDATE
        cancel first
        wait 1s
        cancel second
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            cancel first
              - task 0
            wait 1s
            cancel second
              = nothing changes
            => CANCELED at +0ms 0:READY(next_run_at +0ms)
               canceled: first
        "#]],
    );
}

#[test]
fn what_has_ended_cannot_be_canceled_any_more() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed
        cancel
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
            cancel
              = nothing changes
            => COMPLETED at +0ms 0:DONE
        "#]],
    );
}

#[test]
fn what_has_failed_cannot_be_canceled_any_more() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 dead
        cancel
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 dead
              - task 0
            cancel
              = nothing changes
            => FAILED at +0ms 0:DEAD(attempts 1/10, error "boom")
        "#]],
    );
}

#[test]
fn the_reason_is_cut_as_errors_are() {
    check(
        "
        start VALIDATE
        cancel 5000*é
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            cancel 5000*é
              - task 0
            => CANCELED at +0ms 0:READY(next_run_at +0ms)
               canceled: éééééééé… (4096 characters)
        "#]],
    );
}

#[test]
fn a_report_that_landed_before_the_cancellation_is_answered_as_before() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 0 completed
        cancel
        report 0 completed
        report 0 retry
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            cancel
              - task 1
            report 0 completed
              = nothing changes
            report 0 retry
              ! INSTANCE_CANCELED the chain was canceled meanwhile
            => CANCELED at +0ms 0:DONE 1:READY(next_run_at +0ms)
        "#]],
    );
}

#[test]
fn a_late_report_finds_the_chain_completed() {
    check(
        "
        start VALIDATE
        claim w1
        wait 31s
        lapse
        claim w2
        report 0 completed
        report 0 completed by=c1
        report 0 retry by=c1
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
            report 0 completed
              - task 0
            report 0 completed by=c1
              ! LEASE_LOST the chain is COMPLETED
            report 0 retry by=c1
              ! LEASE_LOST the chain is COMPLETED
            => COMPLETED at +31000ms 0:DONE(attempts 1/10, lapses 1)
        "#]],
    );
}

#[test]
fn a_late_report_finds_the_chain_failed() {
    check(
        "
        start VALIDATE
        claim w1
        wait 31s
        lapse
        claim w2
        report 0 dead error='no hope'
        report 0 completed by=c1
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
            report 0 dead error='no hope'
              - task 0
            report 0 completed by=c1
              ! LEASE_LOST the chain is FAILED
            => FAILED at +31000ms 0:DEAD(attempts 2/10, lapses 1, error "no hope")
        "#]],
    );
}

#[test]
fn nothing_happens_to_a_chain_that_has_ended() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 completed
        wake paid
        wait 31s
        lapse
        cancel
        start VALIDATE
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
            wake paid
              ! INSTANCE_ENDED the chain is COMPLETED
            wait 31s
            lapse
              = nothing changes
            cancel
              = nothing changes
            start VALIDATE
              ! INSTANCE_EXISTS the chain has started already
            claim w1
              = nothing is ready
            => COMPLETED at +0ms 0:DONE
        "#]],
    );
}
