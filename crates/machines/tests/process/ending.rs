//! How instances end, and what becomes of what is open.

use expect_test::expect;
use serde_json::{Value, json};

use crate::{
    notation::{definition, deployed},
    story::{check, tell},
};

/// All that can be open: a free task, a held task, a person, a signal and timers.
const EVERYTHING: &str = "
    f fork a b u w x join j
    a task A -> j
    b task B -> j
      after PT1H -> j
    u user -> j
      after PT2H -> j
    w wait -> j
      interrupt PT3H -> j
    x task X -> e
    j join -> e
    e end
";

#[test]
fn a_cancel_takes_everything_away() {
    check(
        EVERYTHING,
        r#"
        .. start key=k {"n":1}
        claim B w1
        wait 1s
        cancel 'no longer wanted'
        claim A w2
        done 4
        done 6
        fail 6
        user u
        signal w
        wait 4h
        ring
        cancel 'again'
        retry a
        show
        history
        "#,
        expect![[r#"
            .. start key=k {"n":1}
            claim B w1
              w1 has task 6 of b until +30s: {"n":1}
            wait 1s
            cancel 'no longer wanted'
              canceled: "no longer wanted"
              - task 4, 6, 10
              - timer 5.0, 7.0, 8.0
              => CANCELLED [a b u w x] because "no longer wanted"
            claim A w2
              = nothing is ready
            done 4
              = nothing changes
            done 6
              = nothing changes
            fail 6
              = nothing changes
            user u
              ! INSTANCE_ENDED instance is in a terminal state
            signal w
              ! INSTANCE_ENDED instance is in a terminal state
            wait 4h
            ring
              = no timer is due
            cancel 'again'
              ! INSTANCE_ENDED instance is in a terminal state
            retry a
              ! INSTANCE_NOT_FAILED instance is not FAILED; manual retry only applies to FAILED instances
            show
              => CANCELLED [a b u w x] because "no longer wanted"
                 {"n":1}
            history
              f#1 1. COMPLETED +0s..+0s {"n":1}
              a#3 1. RUNNING +0s {"n":1}
              b#5 1. RUNNING +0s {"n":1}
              u#7 1. RUNNING +0s {"n":1}
              w#8 1. RUNNING +0s {"n":1}
              x#9 1. RUNNING +0s {"n":1}
        "#]],
    );
}

#[test]
fn a_cancel_needs_no_reason() {
    check(
        EVERYTHING,
        "
        start
        cancel
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 5
              a#3 on 2.0 waits for task 4
              b#5 on 2.1 waits for task 6
              u#7 on 2.2 waits for a person
              w#8 on 2.3 waits for a signal
              x#9 on 2.4 waits for task 10
              + task 4 A, 6 B, 10 X
              + timer 5.0 at +1h, 7.0 at +2h, 8.0 at +3h
              => WAITING [a b u w x]
                 {}
            cancel
              canceled: ""
              - task 4, 6, 10
              - timer 5.0, 7.0, 8.0
              => CANCELLED [a b u w x] because ""
        "#]],
    );
}

// What was under way stays so in the history.
#[test]
fn the_end_takes_everything_away() {
    check(
        EVERYTHING,
        r#"
        .. start {"n":1}
        claim B w1
        wait 1s
        done 10 {"n":2}
        claim A w2
        done 4
        done 6
        user u
        signal w
        wait 4h
        ring
        cancel
        retry a
        history
        "#,
        expect![[r#"
            .. start {"n":1}
            claim B w1
              w1 has task 6 of b until +30s: {"n":1}
            wait 1s
            done 10 {"n":2}
              #9 deeply merges {"n":2}
              #9 left
              e#11 passed
              completed
              - task 10, 4, 6
              - timer 5.0, 7.0, 8.0
              => COMPLETED []
                 {"n":2}
            claim A w2
              = nothing is ready
            done 4
              = nothing changes
            done 6
              = nothing changes
            user u
              ! INSTANCE_ENDED instance is in a terminal state
            signal w
              ! INSTANCE_ENDED instance is in a terminal state
            wait 4h
            ring
              = no timer is due
            cancel
              ! INSTANCE_ENDED instance is in a terminal state
            retry a
              ! INSTANCE_NOT_FAILED instance is not FAILED; manual retry only applies to FAILED instances
            history
              f#1 1. COMPLETED +0s..+0s {"n":1}
              a#3 1. RUNNING +0s {"n":1}
              b#5 1. RUNNING +0s {"n":1}
              u#7 1. RUNNING +0s {"n":1}
              w#8 1. RUNNING +0s {"n":1}
              x#9 1. COMPLETED +0s..+1s {"n":1} -> {"n":2}
              e#11 1. COMPLETED +1s..+1s {"n":2}
        "#]],
    );
}

#[test]
fn a_failure_keeps_everything_out_of_reach() {
    check(
        EVERYTHING,
        r#"
        .. start {"n":1}
        .. claim B w1
        wait 1s
        fail 10 final
        claim A w2
        done 4
        done 6
        user u
        signal w
        wait 90m
        ring
        cancel
        retry x
        claim A w2
        signal w
        user u
        done 6
        "#,
        expect![[r#"
            .. start {"n":1}
            .. claim B w1
            wait 1s
            fail 10 final
              ~ a task is held: decided again
              #9 failed: boom
              failed, w1 has 6
              - task 10, 4, 6
              => FAILED [a b u w x] because "boom"
            claim A w2
              = nothing is ready
            done 4
              = nothing changes
            done 6
              = nothing changes
            user u
              ! INSTANCE_ENDED instance is in a terminal state
            signal w
              ! INSTANCE_ENDED instance is in a terminal state
            wait 90m
            ring
              timer 5.0 is due
              = nothing changes
              => FAILED [a b u w x] because "boom"
            cancel
              ! INSTANCE_ENDED instance is in a terminal state
            retry x
              x tried again with {}
              x#11 on 2.4 waits for task 12
              + task 4 A, 6 B (w1 has it until +30s), 12 X
              => WAITING [a b u w x]
            claim A w2
              w2 has task 4 of a until +5431s: {"n":1}
            signal w
              #8 left
              j#13 reached on 2.3
              - timer 8.0
              => WAITING [a b u x j]
            user u
              #7 left
              j#14 reached on 2.2
              - timer 7.0
              => ACTIVE [a b x j]
            done 6
              = nothing changes: the lease on task 6 of acme/process/p-1 is not held
        "#]],
    );
}

#[test]
fn an_instance_that_has_nothing_to_wait_for_ends_at_once() {
    check(
        "
        e end
        ",
        r#"
        start {"n":1}
        history
        "#,
        expect![[r#"
            start {"n":1}
              e#1 passed
              completed
              => COMPLETED []
                 {"n":1}
            history
              e#1 1. COMPLETED +0s..+0s {"n":1}
        "#]],
    );
}

#[test]
fn the_next_definition_is_to_start_when_an_instance_completes() {
    check(
        "
        next delivery
        a task A -> e
        e end
        ",
        r#"
        start key=k {"n":1}
        done 2 {"m":2}
        ring
        ring
        "#,
        expect![[r#"
            start key=k {"n":1}
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {"n":1}
            done 2 {"m":2}
              #1 deeply merges {"m":2}
              #1 left
              e#3 passed
              completed
              - task 2
              + timer next at +0s
              => COMPLETED []
                 {"n":1,"m":2}
            ring
              delivery is to start
              => COMPLETED []
            ring
              = no timer is due
        "#]],
    );
}

#[test]
fn the_next_definition_starts_once_even_if_the_end_is_reached_at_once() {
    check(
        "
        next delivery
        e end
        ",
        "
        start
        ring
        ",
        expect![[r#"
            start
              e#1 passed
              completed
              + timer next at +0s
              => COMPLETED []
                 {}
            ring
              delivery is to start
              => COMPLETED []
        "#]],
    );
}

#[test]
fn what_is_held_when_an_instance_fails_does_not_lapse() {
    check(
        EVERYTHING,
        r#"
        .. start {"n":1}
        .. claim B w1
        .. fail 10 final
        wait 90m
        lapse 6
        "#,
        expect![[r#"
            .. start {"n":1}
            .. claim B w1
            .. fail 10 final
            wait 90m
            lapse 6
              = nothing changes
        "#]],
    );
}

#[test]
fn an_end_may_say_that_nothing_follows_it() {
    check(
        "
        next delivery
        a wait -> e
        if ok == true -> e
        if ok == false -> refused
        e end
        refused end last
        ",
        r#"
        start
        signal a {"ok":false}
        ring
        "#,
        expect![[r#"
            start
              a#1 waits for a signal
              => WAITING [a]
                 {}
            signal a {"ok":false}
              #1 merges {"ok":false}
              #1 left
              refused#2 passed
              completed
              => COMPLETED []
                 {"ok":false}
            ring
              = no timer is due
        "#]],
    );
}

#[test]
fn nothing_starts_after_a_failure_or_a_cancel() {
    check(
        "
        next delivery
        a task A -> e
        e end
        ",
        "
        start
        fail 2
        ring
        retry a
        cancel
        ring
        ",
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {}
            fail 2
              #1 failed: boom
              failed
              - task 2
              => FAILED [a] because "boom"
            ring
              = no timer is due
            retry a
              a tried again with {}
              a#3 waits for task 4
              + task 4 A
              => ACTIVE [a]
            cancel
              canceled: ""
              - task 4
              => CANCELLED [a] because ""
            ring
              = no timer is due
        "#]],
    );
}

// `null` says that it is absent.
#[test]
fn a_next_definition_that_is_only_named_does_not_start() {
    for asked in [Value::Null, json!(false)] {
        let mut whole = definition("a task A -> e\ne end");
        whole["nextWorkflowId"] = "delivery".into();
        whole["autoStartNextWorkflow"] = asked;
        let told = tell(deployed(&whole.to_string()), "start\ndone 2\nring");
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {}
            done 2
              #1 left
              e#3 passed
              completed
              - task 2
              => COMPLETED []
            ring
              = no timer is due
        "#]]
        .assert_eq(&told);
    }
}
