//! Events from outside: awaited, early, repeated, too many.

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
            => RUNNING 0:DONE(woken by paid#e1 {"by":"card"}) 1:READY(next_run_at +3000ms)
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

// Kept by default.
#[test]
fn an_event_that_comes_early_is_not_lost() {
    check(
        "
        start VALIDATE
        wake paid id=e1 payload=1.10
        show
        wait 1s
        claim w1
        report 0 waiting paid timeout=5s
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=e1 payload=1.10
              ~ paid#e1 1.10 is kept
            show
              => RUNNING 0:READY(next_run_at +0ms)
                 kept: paid#e1 1.10
            wait 1s
            claim w1
              c1 has task 0 READY_STEP until +31000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +1000ms
            claim w1
              c2 has task 0 READY_STEP until +31000ms
            => RUNNING 0:READY(w1 c2 until +31000ms, next_run_at +1000ms, woken by paid#e1 1.10)
        "#]],
    );
}

#[test]
fn an_event_that_comes_during_the_run_is_not_lost() {
    check(
        "
        start VALIDATE
        claim w1
        wake paid id=e1
        report 0 waiting paid
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wake paid id=e1
              ~ paid#e1 is kept
            report 0 waiting paid
              + task 0 VALIDATE at +0ms
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            => RUNNING 0:READY(w1 c2 until +30000ms, next_run_at +0ms, woken by paid#e1)
        "#]],
    );
}

#[test]
fn an_event_that_comes_for_a_later_step_is_not_lost() {
    check(
        "
        start VALIDATE SHIP
        wake paid id=e1
        claim w1
        report 0 completed
        claim w1
        report 1 waiting paid
        claim w1
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              ~ paid#e1 is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            claim w1
              c2 has task 1 READY_STEP until +30000ms
            report 1 waiting paid
              + task 1 SHIP at +0ms
            claim w1
              c3 has task 1 READY_STEP until +30000ms
            => RUNNING 0:DONE 1:READY(w1 c3 until +30000ms, next_run_at +0ms, woken by paid#e1)
        "#]],
    );
}

// Only the step the chain is at is looked at.
#[test]
fn an_event_for_a_wait_that_is_over_is_kept_for_the_next() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 0 waiting paid
        wake paid id=e1
        claim w1
        report 0 completed
        wake paid id=e2
        claim w1
        report 1 waiting paid
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            wake paid id=e1
              + task 0 VALIDATE at +0ms
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            wake paid id=e2
              ~ paid#e2 is kept
            claim w1
              c3 has task 1 READY_STEP until +30000ms
            report 1 waiting paid
              + task 1 SHIP at +0ms
            => RUNNING 0:DONE(woken by paid#e1) 1:READY(next_run_at +0ms, woken by paid#e2)
        "#]],
    );
}

#[test]
fn one_event_serves_one_wait() {
    check(
        "
        start VALIDATE
        wake paid id=e1
        claim w1
        report 0 waiting paid
        claim w1
        report 0 waiting paid
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              ~ paid#e1 is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              + task 0 VALIDATE at +0ms
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            claim w1
              = nothing is ready
            => RUNNING 0:WAITING(for paid)
        "#]],
    );
}

#[test]
fn early_events_are_served_in_their_order() {
    check(
        "
        start VALIDATE
        wake paid id=e1
        wake packed id=e2
        wake paid id=e3
        wake paid
        claim w1
        report 0 waiting paid
        show
        claim w1
        report 0 waiting paid
        show
        claim w1
        report 0 waiting packed
        show
        claim w1
        report 0 waiting paid
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              ~ paid#e1 is kept
            wake packed id=e2
              ~ packed#e2 is kept
            wake paid id=e3
              ~ paid#e3 is kept
            wake paid
              ~ paid is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              + task 0 VALIDATE at +0ms
            show
              => RUNNING 0:READY(next_run_at +0ms, woken by paid#e1)
                 kept: packed#e2, paid#e3, paid
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              + task 0 VALIDATE at +0ms
            show
              => RUNNING 0:READY(next_run_at +0ms, woken by paid#e3)
                 kept: packed#e2, paid
            claim w1
              c3 has task 0 READY_STEP until +30000ms
            report 0 waiting packed
              + task 0 VALIDATE at +0ms
            show
              => RUNNING 0:READY(next_run_at +0ms, woken by packed#e2)
                 kept: paid
            claim w1
              c4 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              + task 0 VALIDATE at +0ms
            => RUNNING 0:READY(next_run_at +0ms, woken by paid)
        "#]],
    );
}

#[test]
fn events_without_an_id_are_never_repeats() {
    check(
        "
        start VALIDATE
        wake paid
        wake paid
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid
              ~ paid is kept
            wake paid
              ~ paid is kept
            => RUNNING 0:READY(next_run_at +0ms)
               kept: paid, paid
        "#]],
    );
}

#[test]
fn a_repeat_of_an_early_event_is_recognized() {
    check(
        "
        start VALIDATE
        wake paid id=e1
        wake paid id=e1
        wake packed id=e1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              ~ paid#e1 is kept
            wake paid id=e1
              = nothing changes
            wake packed id=e1
              = nothing changes
            => RUNNING 0:READY(next_run_at +0ms)
               kept: paid#e1
        "#]],
    );
}

#[test]
fn a_repeat_of_an_event_that_was_served_is_recognized() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid
        wake paid id=e1
        wake paid id=e1
        claim w1
        report 0 waiting paid
        wake paid id=e1
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
            wake paid id=e1
              = nothing changes
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            wake paid id=e1
              = nothing changes
            => RUNNING 0:WAITING(for paid)
        "#]],
    );
}

#[test]
fn a_repeat_of_an_early_event_that_was_served_is_recognized() {
    check(
        "
        start VALIDATE
        wake paid id=e1
        claim w1
        report 0 waiting paid
        wake paid id=e1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              ~ paid#e1 is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              = nothing changes
            => RUNNING 0:READY(next_run_at +0ms, woken by paid#e1)
        "#]],
    );
}

#[test]
fn a_repeat_of_an_event_that_was_dropped_is_recognized() {
    check(
        "
        start VALIDATE
        wake paid id=e1
        claim w1
        report 0 waiting paid fresh
        wake paid id=e1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              ~ paid#e1 is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid fresh
              ~ paid counts afresh
              - task 0
            wake paid id=e1
              = nothing changes
            => RUNNING 0:WAITING(for paid)
        "#]],
    );
}

#[test]
fn a_fresh_wait_does_not_count_what_came_before() {
    check(
        "
        start VALIDATE
        wake paid id=e1
        wake packed id=e2
        wake paid id=e3
        claim w1
        report 0 waiting paid fresh
        wake paid id=e4
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              ~ paid#e1 is kept
            wake packed id=e2
              ~ packed#e2 is kept
            wake paid id=e3
              ~ paid#e3 is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid fresh
              ~ paid counts afresh
              - task 0
            wake paid id=e4
              + task 0 VALIDATE at +0ms
            => RUNNING 0:READY(next_run_at +0ms, woken by paid#e4)
               kept: packed#e2
        "#]],
    );
}

#[test]
fn a_fresh_wait_without_early_events_is_an_ordinary_wait() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s fresh
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s fresh
              ~ paid counts afresh
              + task 0 VALIDATE at +5000ms
            => RUNNING 0:WAITING(for paid, deadline +5000ms)
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
fn what_is_left_dies_with_the_chain() {
    check(
        "
        start VALIDATE
        wake paid id=e1
        claim w1
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              ~ paid#e1 is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
            => COMPLETED at +0ms 0:DONE
        "#]],
    );
}

#[test]
fn what_is_left_dies_with_a_chain_that_fails() {
    check(
        "
        start VALIDATE
        wake paid id=e1
        claim w1
        report 0 dead
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=e1
              ~ paid#e1 is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 dead
              - task 0
            => FAILED at +0ms 0:DEAD(attempts 1/10, error "boom")
        "#]],
    );
}

#[test]
fn an_id_is_forgotten_after_a_thousand_others() {
    check(
        "
        start VALIDATE
        wake paid id=first
        claim w1
        report 0 waiting paid
        repeat 999 claim w1; report 0 waiting paid; wake paid id=e%
        wake paid id=first
        claim w1
        report 0 waiting packed
        wake packed id=last
        wake paid id=first
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake paid id=first
              ~ paid#first is kept
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              + task 0 VALIDATE at +0ms
            repeat 999 claim w1; report 0 waiting paid; wake paid id=e%
              c1000 has task 0 READY_STEP until +30000ms
              - task 0
              + task 0 VALIDATE at +0ms
            wake paid id=first
              = nothing changes
            claim w1
              c1001 has task 0 READY_STEP until +30000ms
            report 0 waiting packed
              - task 0
            wake packed id=last
              + task 0 VALIDATE at +0ms
            wake paid id=first
              ~ paid#first is kept
            => RUNNING 0:READY(next_run_at +0ms, woken by packed#last)
               kept: paid#first
        "#]],
    );
}

#[test]
fn an_event_that_is_still_kept_is_not_forgotten() {
    check(
        "
        start VALIDATE
        wake packed id=first
        repeat 1001 claim w1; report 0 waiting paid; wake paid id=e%
        wake packed id=first
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            wake packed id=first
              ~ packed#first is kept
            repeat 1001 claim w1; report 0 waiting paid; wake paid id=e%
              c1001 has task 0 READY_STEP until +30000ms
              - task 0
              + task 0 VALIDATE at +0ms
            wake packed id=first
              = nothing changes
            => RUNNING 0:READY(next_run_at +0ms, woken by paid#e1001)
               kept: packed#first
        "#]],
    );
}
