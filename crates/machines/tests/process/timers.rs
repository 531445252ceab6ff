//! Timers at steps: more paths, other paths, and those that come too late.

use expect_test::expect;

use crate::{
    notation::graph,
    story::{check, tell},
};

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
              - task 2, 4
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
              + timer 1.0 at +1s, 1.1 at +3s, 1.2 at +2s
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
              - timer 1.0, 1.1, 1.2
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
              + timer 1.0 at +3s, 1.1 at +1s
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
fn a_timer_that_was_seen_due_and_is_gone_has_no_effect() {
    check(
        "
        a task A -> u
        interrupt PT5S -> t
        u user -> e
        t task T -> e
        e end
        ",
        "
        start
        wait 5s
        done a
        fire 1.0
        fire 1.7
        fire 9.0
        user u
        fire 1.0
        ",
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              + timer 1.0 at +5s
              => ACTIVE [a]
                 {}
            wait 5s
            done a
              #1 left
              u#3 waits for a person
              - task 2
              - timer 1.0
              => WAITING [u]
            fire 1.0
              = nothing changes
            fire 1.7
              = nothing changes
            fire 9.0
              = nothing changes
            user u
              #3 left
              e#4 passed
              completed
              => COMPLETED []
            fire 1.0
              = nothing changes
        "#]],
    );
}

#[test]
fn a_person_and_a_signal_may_come_after_a_timer_that_does_not_interrupt() {
    for (rests, comes) in [("user", "user"), ("wait", "signal")] {
        let text = format!("a {rests} -> b\nafter PT5S -> t\nb task B -> e\nt task T\ne end");
        let story = format!(
            ".. start {{\"n\":1}}\nwait 5s\nring\n.. {comes} a {{\"n\":2}}\nshow\nclaim B w1\nhistory"
        );
        let told = tell(graph(&text), &story).replace(&format!(".. {comes} a"), ".. it comes");
        expect![[r#"
            .. start {"n":1}
            wait 5s
            ring
              timer 1.0 is due
              timer 1.0 fired
              t#2 waits for task 3
              + task 3 T
              => WAITING [a t]
            .. it comes {"n":2}
            show
              => ACTIVE [t b]
                 {"n":2}
            claim B w1
              w1 has task 5 of b until +35s: {"n":2}
            history
              a#1 1. COMPLETED +0s..+5s {"n":1} -> {"n":2}
              t#2 1. RUNNING +5s {"n":1}
              b#4 1. RUNNING +5s {"n":2}
        "#]]
        .assert_eq(&told);
    }
}

#[test]
fn an_escalation_without_a_way_on_leaves_the_instance_under_way() {
    check(
        "
        u user -> e
        interrupt PT5S -> t
        t task T
        e end
        ",
        "
        .. start
        wait 5s
        .. ring
        done t
        ",
        expect![[r#"
            .. start
            wait 5s
            .. ring
            done t
              #2 left
              - task 3
              => ACTIVE []
        "#]],
    );
    check(
        "
        u user -> e
        after PT5S -> t
        t task T
        e end
        ",
        "
        .. start
        wait 5s
        .. ring
        done t
        ",
        expect![[r#"
            .. start
            wait 5s
            .. ring
            done t
              #2 left
              - task 3
              => WAITING [u]
        "#]],
    );
}
