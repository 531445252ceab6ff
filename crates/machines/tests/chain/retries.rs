//! Retries, their ceiling and their delay; and giving up.

use expect_test::expect;

use crate::story::check;

// T8.
#[test]
fn a_retry_waits_as_long_as_the_worker_says() {
    check(
        "
        start VALIDATE
        claim w1
        wait 2s
        report 0 retry backoff=5s error='no answer'
        claim w1
        wait 5s
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            wait 2s
            report 0 retry backoff=5s error='no answer'
              + task 0 VALIDATE at +7000ms
            claim w1
              = nothing is ready
            wait 5s
            claim w1
              c2 has task 0 READY_STEP until +37000ms
            => RUNNING 0:READY(w1 c2 until +37000ms, attempts 1/10, next_run_at +7000ms, error "no answer")
        "#]],
    );
}

#[test]
fn the_policy_chooses_the_delay_and_doubles_it() {
    check(
        "
        policy base=1s max=5s
        start VALIDATE
        claim w1
        report 0 retry
        wait 1s
        claim w1
        report 0 retry
        wait 2s
        claim w1
        report 0 retry
        wait 4s
        claim w1
        report 0 retry
        wait 5s
        claim w1
        report 0 retry
        ",
        expect![[r#"
            policy base=1s max=5s
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry
              + task 0 VALIDATE at +1000ms
            wait 1s
            claim w1
              c2 has task 0 READY_STEP until +31000ms
            report 0 retry
              + task 0 VALIDATE at +3000ms
            wait 2s
            claim w1
              c3 has task 0 READY_STEP until +33000ms
            report 0 retry
              + task 0 VALIDATE at +7000ms
            wait 4s
            claim w1
              c4 has task 0 READY_STEP until +37000ms
            report 0 retry
              + task 0 VALIDATE at +12000ms
            wait 5s
            claim w1
              c5 has task 0 READY_STEP until +42000ms
            report 0 retry
              + task 0 VALIDATE at +17000ms
            => RUNNING 0:READY(attempts 5/10, next_run_at +17000ms, error "boom")
        "#]],
    );
}

// The delay is of attempt attempts + 1, and a lost lease is an attempt.
#[test]
fn lost_leases_make_the_delay_of_the_policy_longer() {
    check(
        "
        start VALIDATE
        claim w1
        wait 31s
        lapse
        claim w1
        report 0 retry
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
            report 0 retry
              + task 0 VALIDATE at +33000ms
            => RUNNING 0:READY(attempts 2/10, lapses 1, next_run_at +33000ms, error "boom")
        "#]],
    );
}

#[test]
fn a_retry_without_a_delay_is_ready_at_once() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 retry backoff=0s
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=0s
              + task 0 VALIDATE at +0ms
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            => RUNNING 0:READY(w1 c2 until +30000ms, attempts 1/10, next_run_at +0ms, error "boom")
        "#]],
    );
}

// T9, with the arithmetic of the specification: 2 + 1 >= 3.
#[test]
fn the_third_of_three_attempts_is_the_last() {
    check(
        "
        start VALIDATE:3 SHIP
        claim w1
        report 0 retry backoff=0s error=first
        show
        claim w1
        report 0 retry backoff=0s error=second
        show
        claim w1
        wait 1s
        report 0 retry backoff=0s error=third
        ",
        expect![[r#"
            start VALIDATE:3 SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=0s error=first
              + task 0 VALIDATE at +0ms
            show
              => RUNNING 0:READY(attempts 1/3, next_run_at +0ms, error "first") 1:PENDING
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=0s error=second
              + task 0 VALIDATE at +0ms
            show
              => RUNNING 0:READY(attempts 2/3, next_run_at +0ms, error "second") 1:PENDING
            claim w1
              c3 has task 0 READY_STEP until +30000ms
            wait 1s
            report 0 retry backoff=0s error=third
              - task 0
            => FAILED at +1000ms 0:DEAD(attempts 3/3, error "third") 1:PENDING
        "#]],
    );
}

#[test]
fn the_first_of_one_attempt_is_the_last() {
    check(
        "
        start VALIDATE:1
        claim w1
        report 0 retry
        ",
        expect![[r#"
            start VALIDATE:1
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry
              - task 0
            => FAILED at +0ms 0:DEAD(attempts 1/1, error "boom")
        "#]],
    );
}

#[test]
fn no_attempt_means_that_the_first_retry_is_fatal() {
    check(
        "
        start VALIDATE:0
        claim w1
        report 0 retry
        ",
        expect![[r#"
            start VALIDATE:0
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry
              - task 0
            => FAILED at +0ms 0:DEAD(attempts 1/0, error "boom")
        "#]],
    );
}

// T10.
#[test]
fn a_dead_step_fails_the_chain_whatever_is_left_of_its_attempts() {
    check(
        "
        start VALIDATE SHIP PACK
        claim w1
        report 0 completed
        claim w1
        wait 1s
        report 1 dead error='no such address'
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
            wait 1s
            report 1 dead error='no such address'
              - task 1
            => FAILED at +1000ms 0:DONE 1:DEAD(attempts 1/10, error "no such address") 2:PENDING
        "#]],
    );
}

// T13, of a step that is dead.
#[test]
fn a_step_that_is_dead_never_changes_again() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 dead
        report 0 completed
        wake paid
        wait 31s
        lapse
        claim w1
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 dead
              - task 0
            report 0 completed
              ! LEASE_LOST the chain is FAILED
            wake paid
              ! INSTANCE_ENDED the chain is FAILED
            wait 31s
            lapse
              = nothing changes
            claim w1
              = nothing is ready
            => FAILED at +0ms 0:DEAD(attempts 1/10, error "boom")
        "#]],
    );
}

#[test]
fn an_error_is_cut_after_4096_characters_and_never_inside_one() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 retry error=4097*é
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry error=4097*é
              + task 0 VALIDATE at +1000ms
            => RUNNING 0:READY(attempts 1/10, next_run_at +1000ms, error "éééééééé… (4096 characters)")
        "#]],
    );
}

#[test]
fn the_error_of_a_dead_step_is_cut_as_well() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 dead error=5000*日本
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 dead error=5000*日本
              - task 0
            => FAILED at +0ms 0:DEAD(attempts 1/10, error "日本日本日本日本… (4096 characters)")
        "#]],
    );
}

#[test]
fn an_empty_error_is_kept_as_it_is() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 dead error=
        ",
        expect![[r#"
            start VALIDATE
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 dead error=
              - task 0
            => FAILED at +0ms 0:DEAD(attempts 1/10, error "")
        "#]],
    );
}

#[test]
fn success_clears_the_error_and_keeps_the_attempts() {
    check(
        "
        start VALIDATE SHIP
        claim w1
        report 0 retry backoff=0s
        claim w1
        report 0 completed
        ",
        expect![[r#"
            start VALIDATE SHIP
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=0s
              + task 0 VALIDATE at +0ms
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            => RUNNING 0:DONE(attempts 1/10) 1:READY(next_run_at +0ms)
        "#]],
    );
}

#[test]
fn waiting_clears_the_error_and_keeps_the_attempts() {
    check(
        "
        start VALIDATE:3
        claim w1
        report 0 retry backoff=0s
        claim w1
        report 0 waiting paid
        show
        wake paid
        show
        claim w1
        report 0 retry backoff=0s
        claim w1
        report 0 retry backoff=0s
        ",
        expect![[r#"
            start VALIDATE:3
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=0s
              + task 0 VALIDATE at +0ms
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 waiting paid
              - task 0
            show
              => RUNNING 0:WAITING(attempts 1/3, for paid)
            wake paid
              + task 0 VALIDATE at +0ms
            show
              => RUNNING 0:READY(attempts 1/3, next_run_at +0ms, woken by paid)
            claim w1
              c3 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=0s
              + task 0 VALIDATE at +0ms
            claim w1
              c4 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=0s
              - task 0
            => FAILED at +0ms 0:DEAD(attempts 3/3, error "boom", woken by paid)
        "#]],
    );
}

#[test]
fn each_step_counts_its_own_attempts() {
    check(
        "
        start VALIDATE:2 SHIP:2
        claim w1
        report 0 retry backoff=0s
        claim w1
        report 0 completed
        claim w1
        report 1 retry backoff=0s
        ",
        expect![[r#"
            start VALIDATE:2 SHIP:2
              + task 0 VALIDATE at +0ms
            claim w1
              c1 has task 0 READY_STEP until +30000ms
            report 0 retry backoff=0s
              + task 0 VALIDATE at +0ms
            claim w1
              c2 has task 0 READY_STEP until +30000ms
            report 0 completed
              - task 0
              + task 1 SHIP at +0ms
            claim w1
              c3 has task 1 READY_STEP until +30000ms
            report 1 retry backoff=0s
              + task 1 SHIP at +0ms
            => RUNNING 0:DONE(attempts 1/2) 1:READY(attempts 1/2, next_run_at +0ms, error "boom")
        "#]],
    );
}

#[test]
fn a_retry_ends_what_a_step_was_waiting_for() {
    check(
        "
        start VALIDATE
        claim w1
        report 0 waiting paid timeout=5s
        wait 5s
        claim w1
        report 0 retry backoff=0s
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
            report 0 retry backoff=0s
              + task 0 VALIDATE at +5000ms
            => RUNNING 0:READY(attempts 1/10, next_run_at +5000ms, error "boom")
        "#]],
    );
}
