//! What arms timers anew and what does not, and where they may lead.

use expect_test::expect;

use crate::story::check;

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
              + timer 5.0 at +5s, 5.1 at +20s
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
              + timer 1.0 at +5s, 1.1 at +9s
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
              - timer 1.0, 1.1
              => COMPLETED []
                 {"missing":true}
        "#]],
    );
}

/// A timer at every step that one goes through, and at one where one waits.
const ALL_TIMED: &str = "
    d decide
    if true -> x
    after PT1S -> late
    x set -> f
    put n = 1
    after PT2S -> late
    f fork a b join j
    after PT3S -> late
    a task A -> j
    b task B -> j
    j join -> w
    after PT4S -> late
    w wait -> e
    after PT9S -> late
    late task LATE
    e end
    after PT5S -> late
";

#[test]
fn steps_that_do_not_rest_have_no_timers() {
    check(
        ALL_TIMED,
        "
        start
        done a
        wait 8s
        ring
        done b
        wait 8s
        ring
        signal w
        wait 8s
        ring
        ",
        expect![[r#"
            start
              d#1 passed
              x#2 passed, sets {"n":1}
              f#3 passed
              fork 4 of 2
              a#5 on 4.0 waits for task 6
              b#7 on 4.1 waits for task 8
              + task 6 A, 8 B
              => ACTIVE [a b]
                 {"n":1}
            done a
              #5 left
              j#9 reached on 4.0
              - task 6
              => ACTIVE [b j]
            wait 8s
            ring
              = no timer is due
            done b
              #7 left
              j#10 reached on 4.1
              fork 4 joined
              w#11 waits for a signal
              - task 8
              + timer 11.0 at +17s
              => WAITING [w]
            wait 8s
            ring
              = no timer is due
            signal w
              #11 left
              e#12 passed
              completed
              - timer 11.0
              => COMPLETED []
            wait 8s
            ring
              = no timer is due
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
              w#3 3. COMPLETED +10s..+10s {} -> {}
              e#4 1. COMPLETED +10s..+10s {}
        "#]],
    );
}

// The step that failed is still listed, but rests no longer.
#[test]
fn a_step_that_has_failed_has_no_timers_even_if_another_is_tried_again() {
    check(
        "
        u user -> e
        interrupt PT5S -> t
        t task T -> e
        after PT5S -> x
        x task X
        e end
        ",
        "
        .. start
        .. wait 5s
        .. ring
        fail t final
        .. retry u
        fire 2.0
        show
        ",
        expect![[r#"
            .. start
            .. wait 5s
            .. ring
            fail t final
              #2 failed: boom
              failed
              - task 3
              - timer 2.0
              => FAILED [t] because "boom"
            .. retry u
            fire 2.0
              = nothing changes
            show
              => WAITING [t u]
                 {}
        "#]],
    );
}
