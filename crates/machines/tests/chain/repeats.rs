//! Events from outside that come more than once.

use expect_test::expect;

use crate::story::check;

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
