//! Events from outside, and the waits they end.

use expect_test::expect;

use crate::story::check;

// T12.
#[test]
fn the_awaited_event_makes_the_step_ready_again() {
    check(
        r#"
        start VALIDATE SHIP
        claim w1
        report 0 waiting paid
        show
        wait 3s
        wake paid id=e1 payload={"by":"card"}
        claim w1
        report 0 completed
        "#,
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            show
              => RUNNING 0:WAITING(for paid) 1:PENDING
            wait 3s
            wake paid id=e1 payload={"by":"card"}
              + task 0 VALIDATE at +3000ms
            claim w1
              c2 has task 0 READY_STEP until +33000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +3000ms
            => RUNNING 0:DONE 1:READY(next_run_at +3000ms)
        "#]],
    );
}

#[test]
fn a_woken_step_costs_no_attempt_and_may_wait_again() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid
        wake paid id=e1
        claim w1
        report 0 waiting packed
        show
        wake packed id=e2
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            wake paid id=e1
              + task 0 VALIDATE at +0ms
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 waiting packed
              - task 0
            show
              => RUNNING 0:WAITING(for packed)
            wake packed id=e2
              + task 0 VALIDATE at +0ms
            claim w1
              c3 has task 0 READY_STEP until +30000ms
            => RUNNING 0:READY(w1 c3 until +30000ms, next_run_at +0ms, woken by packed#e2)
        "#]],
    );
}

#[test]
fn event_types_are_compared_to_the_letter() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid
        wake Paid
        wake paid2
        wake ' paid'
        wake paid
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            wake Paid
              ~ Paid is kept
            wake paid2
              ~ paid2 is kept
            wake ' paid'
              ~  paid is kept
            wake paid
              + task 0 VALIDATE at +0ms
            => RUNNING 0:READY(next_run_at +0ms, woken by paid)
               kept: Paid, paid2,  paid
        "#]],
    );
}

#[test]
fn the_event_that_ended_a_wait_is_known_until_the_next_wait() {
    check(
        r#"
        start VALIDATE
        claim w1
        report 0 waiting paid
        wake paid id=e1 payload={"by":"card"}
        claim w1
        report 0 retry backoff=0s
        show
        claim w1
        wait 31s
        lapse
        show
        claim w1
        report 0 waiting packed
        "#,
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            wake paid id=e1 payload={"by":"card"}
              + task 0 VALIDATE at +0ms
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=0s
              + task 0 VALIDATE at +0ms
            show
              => RUNNING 0:READY(attempts 1/10, next_run_at +0ms, error "boom", woken by paid#e1 {"by":"card"})
            claim w1
              c3 has task 0 READY_STEP until +30000ms
            wait 31s
            lapse
              + task 0 VALIDATE at +31000ms
            show
              => RUNNING 0:READY(attempts 2/10, lapses 1, next_run_at +31000ms, error "LEASE_EXPIRED", woken by paid#e1 {"by":"card"})
            claim w1
              c4 has task 0 READY_STEP until +61000ms
            report 0 waiting packed
              - task 0
            => RUNNING 0:WAITING(attempts 2/10, lapses 1, for packed)
        "#]],
    );
}

#[test]
fn a_payload_of_null_is_a_payload() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid
        wake paid payload=null
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            wake paid payload=null
              + task 0 VALIDATE at +0ms
            => RUNNING 0:READY(next_run_at +0ms, woken by paid null)
        "#]],
    );
}

#[test]
fn events_nobody_waits_for_are_refused_in_strict_mode() {
    check(
        "
        policy strict
        start VALIDATE
        wake paid id=e1
        claim w1
        wake paid id=e1
        report 0 waiting paid
        wake packed id=e1
        wake paid id=e1
        wake paid id=e1
        wake paid id=e2
        ",
        expect![[r#"
            policy strict
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              ! SIGNAL_NOT_AWAITED the chain is not waiting for "paid"
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wake paid id=e1
              ! SIGNAL_NOT_AWAITED the chain is not waiting for "paid"
            report 0 waiting paid
              - task 0
            wake packed id=e1
              ! SIGNAL_NOT_AWAITED the chain is not waiting for "packed"
            wake paid id=e1
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              = nothing changes
            wake paid id=e2
              ! SIGNAL_NOT_AWAITED the chain is not waiting for "paid"
            => RUNNING 0:READY(next_run_at +0ms, woken by paid#e1)
        "#]],
    );
}

#[test]
fn who_signals_or_cancels_can_say_why_unless_nothing_happens() {
    check(
        "
        start VALIDATE
        ann because=they-called wake paid id=e1
        ann because=again wake paid id=e1
        ann because=they-left cancel
        ann because=to-be-sure cancel
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            ann because=they-called wake paid id=e1
              ~ paid#e1 is kept
              ~ asked by Some("ann"): Some("they-called")
            ann because=again wake paid id=e1
              = nothing changes
            ann because=they-left cancel
              ~ asked by Some("ann"): Some("they-left")
              - task 0
            ann because=to-be-sure cancel
              = nothing changes
            => CANCELED at +0ms 0:READY(next_run_at +0ms)
        "#]],
    );
}
