//! Waits with a deadline.

use expect_test::expect;

use crate::story::check;

// T5: the step stays as it is while its time-out is handled; that it runs is the lease's to say.
#[test]
fn a_wait_past_its_deadline_is_handed_out_as_a_time_out() {
    check(
        "
        start VALIDATE
        claim w1
        wait 1s
        report 0 waiting paid timeout=5s
        show
        wait 5s
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 1s
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +6000ms
            show
              => RUNNING 0:WAITING(for paid, deadline +6000ms)
            wait 5s
            claim w1
              c2 has task 0 WAITING_TIMEOUT until +36000ms
            => RUNNING 0:WAITING(w1 c2 until +36000ms, for paid, deadline +6000ms)
        "#]],
    );
}

#[test]
fn a_wait_times_out_exactly_at_its_deadline_and_not_before() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 4999999us
        claim w1
        wait 1us
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +5000ms
            wait 4999999us
            claim w1
              = nothing is ready
            wait 1us
            claim w1
              c2 has task 0 WAITING_TIMEOUT until +35000ms
            => RUNNING 0:WAITING(w1 c2 until +35000ms, for paid, deadline +5000ms)
        "#]],
    );
}

#[test]
fn no_time_at_all_is_a_deadline_too() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=0s
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=0s
              + task 0 VALIDATE at +0ms
            claim w1
              c2 has task 0 WAITING_TIMEOUT until +30000ms
            => RUNNING 0:WAITING(w1 c2 until +30000ms, for paid, deadline +0ms)
        "#]],
    );
}

#[test]
fn a_wait_without_a_deadline_lasts_for_ever() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid
        wait 1000000000s
        claim w1
        wake paid
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            wait 1000000000s
            claim w1
              = nothing is ready
            wake paid
              + task 0 VALIDATE at +1000000000000ms
            => RUNNING 0:READY(next_run_at +1000000000000ms, woken by paid)
        "#]],
    );
}

#[test]
fn a_deadline_beyond_the_calendar_is_the_end_of_the_calendar() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=18446744073709551615s
        wake paid
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=18446744073709551615s
              + task 0 VALIDATE at +9221592036854775807us
            wake paid
              + task 0 VALIDATE at +0ms
            => RUNNING 0:READY(next_run_at +0ms, woken by paid)
        "#]],
    );
}

#[test]
fn overdue_waits_just_go_on_where_time_outs_are_switched_off() {
    check(
        "
        policy untimed
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 6s
        claim w1
        show
        wake paid
        claim w1
        ",
        expect![[r#"
            policy untimed
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 waiting paid timeout=5s
              - task 0
            wait 6s
            claim w1
              = nothing is ready
            show
              => RUNNING 0:WAITING(for paid, deadline +5000ms)
            wake paid
              + task 0 VALIDATE at +6000ms
            claim w1
              c2 has task 0 READY_STEP until +36000ms
            => RUNNING 0:READY(w1 c2 until +36000ms, next_run_at +6000ms, woken by paid)
        "#]],
    );
}

#[test]
fn a_step_that_timed_out_may_complete() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
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
            wait 5s
            claim w1
              c2 has task 0 WAITING_TIMEOUT until +35000ms
            report 0 completed
              - task 0
            => COMPLETED at +5000ms 0:DONE
        "#]],
    );
}

#[test]
fn a_step_that_timed_out_may_wait_for_something_else() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        report 0 waiting refunded timeout=7s
        wake paid
        wake refunded
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
            report 0 waiting refunded timeout=7s
              + task 0 VALIDATE at +12000ms
            wake paid
              ~ paid is kept
            wake refunded
              + task 0 VALIDATE at +5000ms
            => RUNNING 0:READY(next_run_at +5000ms, woken by refunded)
               kept: paid
        "#]],
    );
}

#[test]
fn a_step_that_timed_out_may_give_up() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        report 0 dead error='never paid'
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
            report 0 dead error='never paid'
              - task 0
            => FAILED at +5000ms 0:DEAD(attempts 1/10, error "never paid")
        "#]],
    );
}

#[test]
fn a_time_out_whose_worker_disappears_stays_a_time_out() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        wait 31s
        lapse
        show
        claim w2
        wait 31s
        lapse
        claim w3
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
            lapse
              + task 0 VALIDATE at +36000ms
            show
              => RUNNING 0:READY(WAITING_TIMEOUT, attempts 1/10, lapses 1, next_run_at +36000ms, error "LEASE_EXPIRED")
            claim w2
              c3 has task 0 WAITING_TIMEOUT until +66000ms
            wait 31s
            lapse
              + task 0 VALIDATE at +67000ms
            claim w3
              c4 has task 0 WAITING_TIMEOUT until +97000ms
            => RUNNING 0:READY(w3 c4 until +97000ms, WAITING_TIMEOUT, attempts 2/10, lapses 2, next_run_at +67000ms, error "LEASE_EXPIRED")
        "#]],
    );
}

#[test]
fn a_retry_after_a_time_out_is_an_ordinary_run_again() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        wait 31s
        lapse
        claim w1
        report 0 retry backoff=0s
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
            wait 31s
            lapse
              + task 0 VALIDATE at +36000ms
            claim w1
              c3 has task 0 WAITING_TIMEOUT until +66000ms
            report 0 retry backoff=0s
              + task 0 VALIDATE at +36000ms
            claim w1
              c4 has task 0 READY_STEP until +66000ms
            => RUNNING 0:READY(w1 c4 until +66000ms, attempts 2/10, lapses 1, next_run_at +36000ms, error "boom")
        "#]],
    );
}

#[test]
fn a_new_wait_after_a_time_out_is_an_ordinary_wait_again() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        wait 31s
        lapse
        claim w1
        report 0 waiting paid timeout=5s
        wake paid
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
            wait 31s
            lapse
              + task 0 VALIDATE at +36000ms
            claim w1
              c3 has task 0 WAITING_TIMEOUT until +66000ms
            report 0 waiting paid timeout=5s
              + task 0 VALIDATE at +41000ms
            wake paid
              + task 0 VALIDATE at +36000ms
            claim w1
              c4 has task 0 READY_STEP until +66000ms
            => RUNNING 0:READY(w1 c4 until +66000ms, attempts 1/10, lapses 1, next_run_at +36000ms, woken by paid)
        "#]],
    );
}
