//! Events from outside that come before a step waits for them.

use expect_test::expect;

use crate::story::check;

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
            => RUNNING 0:DONE 1:READY(next_run_at +0ms, woken by paid#e2)
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
