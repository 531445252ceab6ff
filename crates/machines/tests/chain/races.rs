//! The race between the event and the time-out: exactly one of them wins.

use expect_test::expect;

use crate::story::check;

// The event wins.
#[test]
fn an_event_before_the_claim_beats_the_time_out() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 6s
        wake paid id=e1
        claim w1
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            wait 6s
            wake paid id=e1
              + task 0 VALIDATE at +6000ms
            claim w1
              c2 has task 0 READY_STEP until +36000ms
            report 0 completed
              - task 0
            => COMPLETED at +6000ms 0:DONE
        "#]],
    );
}

// The time-out wins; the event is not lost, the next wait gets it.
#[test]
fn an_event_after_the_claim_of_the_time_out_is_kept_for_the_next_wait() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        wake paid id=e1
        show
        report 0 waiting paid timeout=5s
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            wait 5s
            claim w1
              c2 has task 0 WAITING_TIMEOUT until +35000ms
            wake paid id=e1
              ~ the task is held: decided again
              ~ paid#e1 is kept
            show
              => RUNNING 0:WAITING(w1 c2 until +35000ms, for paid, deadline +5000ms)
                 kept: paid#e1
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            claim w1
              c3 has task 0 READY_STEP until +35000ms
            => RUNNING 0:READY(w1 c3 until +35000ms, next_run_at +5000ms, woken by paid#e1)
        "#]],
    );
}

#[test]
fn an_event_after_the_claim_of_the_time_out_is_refused_in_strict_mode() {
    check(
        "
        policy strict
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        wake paid id=e1
        ",
        expect![[r#"
            policy strict
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            wait 5s
            claim w1
              c2 has task 0 WAITING_TIMEOUT until +35000ms
            wake paid id=e1
              ! SIGNAL_NOT_AWAITED the chain is not waiting for "paid"
            => RUNNING 0:WAITING(w1 c2 until +35000ms, for paid, deadline +5000ms)
        "#]],
    );
}

#[test]
fn an_event_does_not_end_a_time_out_whose_worker_disappeared() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        wait 31s
        wake paid id=e1
        lapse
        claim w2
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            wait 5s
            claim w1
              c2 has task 0 WAITING_TIMEOUT until +35000ms
            wait 31s
            wake paid id=e1
              ~ the task is held: decided again
              ~ paid#e1 is kept
            lapse
              + task 0 VALIDATE at +36000ms
            claim w2
              c3 has task 0 WAITING_TIMEOUT until +66000ms
            => RUNNING 0:READY(w2 c3 until +66000ms, WAITING_TIMEOUT, attempts 1/10, lapses 1, next_run_at +36000ms, error "LEASE_EXPIRED")
               kept: paid#e1
        "#]],
    );
}

#[test]
fn a_time_out_that_was_given_back_can_still_be_beaten_by_the_event() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        release
        wake paid id=e1
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            wait 5s
            claim w1
              c2 has task 0 WAITING_TIMEOUT until +35000ms
            release
              task 0 is free
            wake paid id=e1
              + task 0 VALIDATE at +5000ms
            claim w1
              c3 has task 0 READY_STEP until +35000ms
            => RUNNING 0:READY(w1 c3 until +35000ms, next_run_at +5000ms, woken by paid#e1)
        "#]],
    );
}

#[test]
fn an_event_that_came_during_a_time_out_given_back_goes_before_a_later_one() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        wake paid id=e1
        release
        wake paid id=e2
        claim w1
        report 0 waiting paid
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            wait 5s
            claim w1
              c2 has task 0 WAITING_TIMEOUT until +35000ms
            wake paid id=e1
              ~ the task is held: decided again
              ~ paid#e1 is kept
            release
              task 0 is free
            wake paid id=e2
              ~ paid#e2 is kept
              + task 0 VALIDATE at +5000ms
            claim w1
              c3 has task 0 READY_STEP until +35000ms
            report 0 waiting paid
              + task 0 VALIDATE at +5000ms
            claim w1
              c4 has task 0 READY_STEP until +35000ms
            => RUNNING 0:READY(w1 c4 until +35000ms, next_run_at +5000ms, woken by paid#e2)
        "#]],
    );
}
