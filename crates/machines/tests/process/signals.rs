//! Signals: awaited, not awaited, and where they lead.

use expect_test::expect;

use crate::story::check;

/// A person, then a signal, then a program.
const SERIES: &str = "
    u user -> w
    w wait -> a
    a task A -> e
    e end
";

#[test]
fn a_signal_to_a_step_that_is_not_in_the_definition_is_not_awaited() {
    check(
        SERIES,
        "
        start
        signal x
        cancel
        signal x
        ",
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            signal x
              ! SIGNAL_NOT_AWAITED wait step is not currently parked on the instance
            cancel
              canceled: ""
              => CANCELLED [u] because ""
            signal x
              ! SIGNAL_NOT_AWAITED wait step is not currently parked on the instance
        "#]],
    );
}

#[test]
fn a_step_of_another_type_takes_no_signal() {
    check(
        SERIES,
        "
        start
        signal u
        cancel
        signal u
        ",
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            signal u
              ! STEP_TYPE_MISMATCH step type does not match the endpoint
            cancel
              canceled: ""
              => CANCELLED [u] because ""
            signal u
              ! STEP_TYPE_MISMATCH step type does not match the endpoint
        "#]],
    );
}

#[test]
fn an_instance_that_has_ended_takes_no_signal() {
    check(
        SERIES,
        "
        start
        user u
        cancel
        signal w
        ",
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            user u
              #1 left
              w#2 waits for a signal
              => WAITING [w]
            cancel
              canceled: ""
              => CANCELLED [w] because ""
            signal w
              ! INSTANCE_ENDED instance is in a terminal state
        "#]],
    );
}

#[test]
fn signals_are_not_kept() {
    check(
        SERIES,
        r#"
        start
        signal w {"n":1}
        user u
        show
        signal w {"n":2}
        signal w {"n":3}
        "#,
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            signal w {"n":1}
              ! SIGNAL_NOT_AWAITED wait step is not currently parked on the instance
            user u
              #1 left
              w#2 waits for a signal
              => WAITING [w]
            show
              => WAITING [w]
                 {}
            signal w {"n":2}
              #2 merges {"n":2}
              #2 left
              a#3 waits for task 4
              + task 4 A
              => ACTIVE [a]
                 {"n":2}
            signal w {"n":3}
              ! SIGNAL_NOT_AWAITED wait step is not currently parked on the instance
        "#]],
    );
}

#[test]
fn two_paths_may_wait_at_one_step_which_is_listed_once() {
    check(
        "
        w wait -> e
          after PT1S -> w
        e end
        ",
        "
        start
        wait 1s
        ring
        show
        history
        ",
        expect![[r#"
            start
              w#1 waits for a signal
              + timer 1.0 at +1s
              => WAITING [w]
                 {}
            wait 1s
            ring
              timer 1.0 is due
              timer 1.0 fired
              w#2 waits for a signal
              + timer 2.0 at +2s
              => WAITING [w]
            show
              => WAITING [w]
                 {}
            history
              w#1 1. RUNNING +0s {}
              w#2 2. RUNNING +1s {}
        "#]],
    );
}

#[test]
fn conditions_decide_where_people_and_signals_lead() {
    check(
        "
        u user -> e
          if ok == true -> w
          if ok == false -> e
        w wait -> e
          if n > 1 -> u
          if n <= 1 -> e
        e end
        ",
        r#"
        start
        user u {"ok":true}
        signal w {"n":2}
        user u {"ok":true}
        signal w {"n":1}
        "#,
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            user u {"ok":true}
              #1 merges {"ok":true}
              #1 left
              w#2 waits for a signal
              => WAITING [w]
                 {"ok":true}
            signal w {"n":2}
              #2 merges {"n":2}
              #2 left
              u#3 waits for a person
              => WAITING [u]
                 {"ok":true,"n":2}
            user u {"ok":true}
              #3 merges {"ok":true}
              #3 left
              w#4 waits for a signal
              => WAITING [w]
            signal w {"n":1}
              #4 merges {"n":1}
              #4 left
              e#5 passed
              completed
              => COMPLETED []
                 {"ok":true,"n":1}
        "#]],
    );
}

// It is listed because it failed there: only trying it again helps.
#[test]
fn a_step_that_is_listed_but_has_failed_takes_no_signal() {
    check(
        "
        u user -> e
        interrupt PT5S -> w
        w wait -> e
        if ok == true -> e
        e end
        ",
        r#"
        .. start
        .. wait 5s
        .. ring
        .. signal w {"ok":false}
        retry u
        signal w {"ok":true}
        show
        "#,
        expect![[r#"
            .. start
            .. wait 5s
            .. ring
            .. signal w {"ok":false}
            retry u
              u tried again with {}
              u#3 waits for a person
              + timer 3.0 at +10s
              => WAITING [w u]
            signal w {"ok":true}
              ! SIGNAL_NOT_AWAITED wait step is not currently parked on the instance
            show
              => WAITING [w u]
                 {"ok":false}
        "#]],
    );
}
