//! Timers at steps: more paths, other paths, and those that come too late.

use expect_test::expect;

use crate::story::check;

#[test]
fn a_timer_that_does_not_interrupt_opens_another_path() {
    check(
        "
        a task A -> e
        after PT5S -> t
        t task T
        e end
        ",
        r#"
        start {"n":1}
        claim A w1
        wait 5s
        ring
        done 2
        history
        "#,
        expect![[r#"
            start {"n":1}
              a#1 waits for task 2
              + task 2 A
              + timer 1.0 at +5s
              => ACTIVE [a]
                 {"n":1}
            claim A w1
              w1 has task 2 of a until +30s: {"n":1}
            wait 5s
            ring
              timer 1.0 is due
              timer 1.0 fired
              t#3 waits for task 4
              + task 4 T
              => ACTIVE [a t]
            done 2
              #1 left
              e#5 passed
              completed
              - task 2
              - task 4
              - timer 1.0
              => COMPLETED []
            history
              a#1 1. COMPLETED +0s..+5s {"n":1}
              t#3 1. RUNNING +5s {"n":1}
              e#5 1. COMPLETED +5s..+5s {"n":1}
        "#]],
    );
}

// Nobody has failed but the step, and the status is what the new step says.
#[test]
fn a_timer_that_interrupts_takes_the_step_away() {
    check(
        "
        u user -> e
        interrupt PT5S -> t
        t task T -> e
        e end
        ",
        "
        start
        wait 5s
        ring
        user u
        done t
        history
        ",
        expect![[r#"
            start
              u#1 waits for a person
              + timer 1.0 at +5s
              => WAITING [u]
                 {}
            wait 5s
            ring
              timer 1.0 is due
              timer 1.0 fired
              #1 interrupted
              t#2 waits for task 3
              + task 3 T
              - timer 1.0
              => ACTIVE [t]
            user u
              ! TASK_NOT_FOUND user task not found
            done t
              #2 left
              e#4 passed
              completed
              - task 3
              => COMPLETED []
            history
              u#1 1. FAILED +0s..+5s {} "interrupted by boundary timer"
              t#2 1. COMPLETED +5s..+5s {}
              e#4 1. COMPLETED +5s..+5s {}
        "#]],
    );
}

#[test]
fn a_timer_that_interrupts_takes_a_held_task_away() {
    check(
        "
        a task A retries=2 -> e
        interrupt PT5S -> t
        t task T -> e
        e end
        ",
        r#"
        start
        claim A w1
        wait 5s
        ring
        done 2 {"x":1}
        fail 2
        show
        "#,
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              + timer 1.0 at +5s
              => ACTIVE [a]
                 {}
            claim A w1
              w1 has task 2 of a until +30s: {}
            wait 5s
            ring
              timer 1.0 is due
              timer 1.0 fired
              #1 interrupted
              t#3 waits for task 4
              - task 2
              + task 4 T
              - timer 1.0
              => ACTIVE [t]
            done 2 {"x":1}
              = nothing changes
            fail 2
              = nothing changes
            show
              => ACTIVE [t]
                 {}
        "#]],
    );
}

#[test]
fn a_timer_that_interrupts_takes_a_wait_away() {
    check(
        "
        w wait -> e
        interrupt PT5S -> u
        u user -> e
        e end
        ",
        "
        start
        wait 5s
        ring
        signal w
        ",
        expect![[r#"
            start
              w#1 waits for a signal
              + timer 1.0 at +5s
              => WAITING [w]
                 {}
            wait 5s
            ring
              timer 1.0 is due
              timer 1.0 fired
              #1 interrupted
              u#2 waits for a person
              - timer 1.0
              => WAITING [u]
            signal w
              ! SIGNAL_NOT_AWAITED wait step is not currently parked on the instance
        "#]],
    );
}

#[test]
fn a_timer_waits_until_it_is_due() {
    check(
        "
        a task A -> e
        after PT5S -> t
        t task T
        e end
        ",
        "
        start
        wait 4s
        ring
        wait 1s
        ring
        ring
        ",
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              + timer 1.0 at +5s
              => ACTIVE [a]
                 {}
            wait 4s
            ring
              = no timer is due
            wait 1s
            ring
              timer 1.0 is due
              timer 1.0 fired
              t#3 waits for task 4
              + task 4 T
              => ACTIVE [a t]
            ring
              = no timer is due
        "#]],
    );
}

#[test]
fn timers_of_one_step_are_independent() {
    check(
        "
        w wait -> e
        after PT1S -> a
        after PT3S -> b
        interrupt PT2S -> c
        a task A
        b task B
        c task C
        e end
        ",
        "
        start
        wait 1s
        ring
        wait 1s
        ring
        wait 1s
        ring
        show
        ",
        expect![[r#"
            start
              w#1 waits for a signal
              + timer 1.0 at +1s
              + timer 1.1 at +3s
              + timer 1.2 at +2s
              => WAITING [w]
                 {}
            wait 1s
            ring
              timer 1.0 is due
              timer 1.0 fired
              a#2 waits for task 3
              + task 3 A
              => WAITING [w a]
            wait 1s
            ring
              timer 1.2 is due
              timer 1.2 fired
              #1 interrupted
              c#4 waits for task 5
              + task 5 C
              - timer 1.0
              - timer 1.1
              - timer 1.2
              => ACTIVE [a c]
            wait 1s
            ring
              = no timer is due
            show
              => ACTIVE [a c]
                 {}
        "#]],
    );
}

#[test]
fn timers_that_are_overdue_fire_one_after_the_other() {
    check(
        "
        w wait -> e
        after PT3S -> b
        after PT1S -> a
        a task A
        b task B
        e end
        ",
        "
        start
        wait 1h
        ring
        ",
        expect![[r#"
            start
              w#1 waits for a signal
              + timer 1.0 at +3s
              + timer 1.1 at +1s
              => WAITING [w]
                 {}
            wait 1h
            ring
              timer 1.1 is due
              timer 1.1 fired
              a#2 waits for task 3
              + task 3 A
              timer 1.0 is due
              timer 1.0 fired
              b#4 waits for task 5
              + task 5 B
              => WAITING [w a b]
        "#]],
    );
}

#[test]
fn a_report_that_comes_before_the_timer_wins() {
    check(
        "
        a task A -> b
        interrupt PT5S -> t
        b task B -> e
        t task T -> e
        e end
        ",
        "
        start
        wait 5s
        done 2
        ring
        show
        ",
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              + timer 1.0 at +5s
              => ACTIVE [a]
                 {}
            wait 5s
            done 2
              #1 left
              b#3 waits for task 4
              - task 2
              + task 4 B
              - timer 1.0
              => ACTIVE [b]
            ring
              = no timer is due
            show
              => ACTIVE [b]
                 {}
        "#]],
    );
}

#[test]
fn a_retry_and_a_lapse_let_the_timer_run_on() {
    check(
        "
        a task A retries=1 -> e
        interrupt PT30S -> t
        t task T -> e
        e end
        ",
        "
        start
        claim A w1 10s
        wait 11s
        lapse 2
        claim A w1
        fail 3
        wait 19s
        ring
        ",
        expect![[r#"
            start
              a#1 waits for task 2 with 1 retries
              + task 2 A
              + timer 1.0 at +30s
              => ACTIVE [a]
                 {}
            claim A w1 10s
              w1 has task 2 of a until +10s: {}
            wait 11s
            lapse 2
              #1 lapsed, again as 3
              - task 2
              + task 3 A
              => ACTIVE [a]
            claim A w1
              w1 has task 3 of a until +41s: {}
            fail 3
              #1 retried as 4: boom
              - task 3
              + task 4 A
              => ACTIVE [a]
            wait 19s
            ring
              timer 1.0 is due
              timer 1.0 fired
              #1 interrupted
              t#5 waits for task 6
              - task 4
              + task 6 T
              - timer 1.0
              => ACTIVE [t]
        "#]],
    );
}

#[test]
fn coming_back_to_a_step_arms_its_timer_anew() {
    check(
        "
        a task A -> a
        after PT5S -> e
        e end
        ",
        "
        start
        wait 4s
        done 2
        wait 4s
        ring
        wait 1s
        ring
        ",
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              + timer 1.0 at +5s
              => ACTIVE [a]
                 {}
            wait 4s
            done 2
              #1 left
              a#3 waits for task 4
              - task 2
              + task 4 A
              - timer 1.0
              + timer 3.0 at +9s
              => ACTIVE [a]
            wait 4s
            ring
              = no timer is due
            wait 1s
            ring
              timer 3.0 is due
              timer 3.0 fired
              e#5 passed
              completed
              - task 4
              - timer 3.0
              => COMPLETED []
        "#]],
    );
}

#[test]
fn trying_a_step_again_arms_its_timer_anew() {
    check(
        "
        a task A -> e
        after PT5S -> t
        t task T
        e end
        ",
        "
        start
        wait 4s
        fail 2 final
        wait 4s
        ring
        retry a
        wait 4s
        ring
        wait 1s
        ring
        ",
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              + timer 1.0 at +5s
              => ACTIVE [a]
                 {}
            wait 4s
            fail 2 final
              #1 failed: boom
              failed
              - task 2
              - timer 1.0
              => FAILED [a] because "boom"
            wait 4s
            ring
              = no timer is due
            retry a
              a tried again with {}
              a#3 waits for task 4
              + task 4 A
              + timer 3.0 at +13s
              => ACTIVE [a]
            wait 4s
            ring
              = no timer is due
            wait 1s
            ring
              timer 3.0 is due
              timer 3.0 fired
              t#5 waits for task 6
              + task 6 T
              => ACTIVE [a t]
        "#]],
    );
}

#[test]
fn a_timer_that_falls_due_while_the_instance_has_failed_is_gone() {
    check(
        "
        f fork a w join j
        a task A -> j
        w wait -> j
        after PT5S -> t
        after PT20S -> t
        t task T
        j join -> e
        e end
        ",
        "
        start
        fail 4 final
        wait 10s
        ring
        retry a
        ring
        wait 10s
        ring
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              a#3 on 2.0 waits for task 4
              w#5 on 2.1 waits for a signal
              + task 4 A
              + timer 5.0 at +5s
              + timer 5.1 at +20s
              => WAITING [a w]
                 {}
            fail 4 final
              #3 failed: boom
              failed
              - task 4
              => FAILED [a w] because "boom"
            wait 10s
            ring
              timer 5.0 is due
              = nothing changes
              => FAILED [a w] because "boom"
            retry a
              a tried again with {}
              a#6 on 2.0 waits for task 7
              + task 7 A
              => WAITING [w a]
            ring
              = no timer is due
            wait 10s
            ring
              timer 5.1 is due
              timer 5.1 fired
              t#8 on 2.1 waits for task 9
              + task 9 T
              => WAITING [w a t]
        "#]],
    );
}

#[test]
fn a_timer_may_end_the_instance() {
    check(
        "
        w wait -> e
        after PT5S -> e
        e end
        ",
        "
        start
        wait 5s
        ring
        history
        ",
        expect![[r#"
            start
              w#1 waits for a signal
              + timer 1.0 at +5s
              => WAITING [w]
                 {}
            wait 5s
            ring
              timer 1.0 is due
              timer 1.0 fired
              e#2 passed
              completed
              - timer 1.0
              => COMPLETED []
            history
              w#1 1. RUNNING +0s {}
              e#2 1. COMPLETED +5s..+5s {}
        "#]],
    );
}

#[test]
fn a_timer_may_lead_to_a_failure() {
    check(
        "
        w wait -> e
        after PT5S -> d
        after PT9S -> e
        d decide
        if missing -> e
        e end
        ",
        r#"
        start
        wait 5s
        ring
        history
        retry d {"missing":true}
        "#,
        expect![[r#"
            start
              w#1 waits for a signal
              + timer 1.0 at +5s
              + timer 1.1 at +9s
              => WAITING [w]
                 {}
            wait 5s
            ring
              timer 1.0 is due
              timer 1.0 fired
              d#2 failed: expression eval error: undefined variable "missing" (at 0 in `missing`)
              failed
              => FAILED [w d] because "expression eval error: undefined variable \"missing\" (at 0 in `missing`)"
            history
              w#1 1. RUNNING +0s {}
              d#2 1. FAILED +5s..+5s {} "expression eval error: undefined variable \"missing\" (at 0 in `missing`)"
            retry d {"missing":true}
              d tried again with {"missing":true}
              d#3 passed
              e#4 passed
              completed
              - timer 1.0
              - timer 1.1
              => COMPLETED []
                 {"missing":true}
        "#]],
    );
}

#[test]
fn steps_that_do_not_rest_have_no_timers() {
    check(
        "
        d decide
        if true -> e
        after PT5S -> e
        e end
        ",
        "
        start
        ",
        expect![[r#"
            start
              d#1 passed
              e#2 passed
              completed
              => COMPLETED []
                 {}
        "#]],
    );
}

#[test]
fn a_timer_may_lead_back_to_its_own_step() {
    check(
        "
        w wait -> e
        interrupt PT5S -> w
        e end
        ",
        "
        start
        wait 5s
        ring
        wait 5s
        ring
        signal w
        history
        ",
        expect![[r#"
            start
              w#1 waits for a signal
              + timer 1.0 at +5s
              => WAITING [w]
                 {}
            wait 5s
            ring
              timer 1.0 is due
              timer 1.0 fired
              #1 interrupted
              w#2 waits for a signal
              - timer 1.0
              + timer 2.0 at +10s
              => WAITING [w]
            wait 5s
            ring
              timer 2.0 is due
              timer 2.0 fired
              #2 interrupted
              w#3 waits for a signal
              - timer 2.0
              + timer 3.0 at +15s
              => WAITING [w]
            signal w
              #3 left
              e#4 passed
              completed
              - timer 3.0
              => COMPLETED []
            history
              w#1 1. FAILED +0s..+5s {} "interrupted by boundary timer"
              w#2 2. FAILED +5s..+10s {} "interrupted by boundary timer"
              w#3 3. COMPLETED +10s..+10s {}
              e#4 1. COMPLETED +10s..+10s {}
        "#]],
    );
}
