//! People: who is awaited where, and every way to come at the wrong time.

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
fn a_person_and_a_signal_move_a_process_on() {
    check(
        SERIES,
        r#"
        start {"n":1}
        wait 1s
        user u {"n":2}
        wait 1s
        signal w {"m":{"x":1}}
        wait 1s
        done 4
        history
        "#,
        expect![[r#"
            start {"n":1}
              u#1 waits for a person
              => WAITING [u]
                 {"n":1}
            wait 1s
            user u {"n":2}
              #1 merges {"n":2}
              #1 left
              w#2 waits for a signal
              => WAITING [w]
                 {"n":2}
            wait 1s
            signal w {"m":{"x":1}}
              #2 merges {"m":{"x":1}}
              #2 left
              a#3 waits for task 4
              + task 4 A
              => ACTIVE [a]
                 {"n":2,"m":{"x":1}}
            wait 1s
            done 4
              #3 left
              e#5 passed
              completed
              - task 4
              => COMPLETED []
            history
              u#1 1. COMPLETED +0s..+1s {"n":1} -> {"n":2}
              w#2 1. COMPLETED +1s..+2s {"n":2} -> {"n":2,"m":{"x":1}}
              a#3 1. COMPLETED +2s..+3s {"n":2,"m":{"x":1}}
              e#5 1. COMPLETED +3s..+3s {"n":2,"m":{"x":1}}
        "#]],
    );
}

#[test]
fn nothing_needs_to_come_with_a_signal() {
    check(
        SERIES,
        r#"
        start {"n":1}
        user u
        signal w {}
        history
        "#,
        expect![[r#"
            start {"n":1}
              u#1 waits for a person
              => WAITING [u]
                 {"n":1}
            user u
              #1 left
              w#2 waits for a signal
              => WAITING [w]
            signal w {}
              #2 left
              a#3 waits for task 4
              + task 4 A
              => ACTIVE [a]
            history
              u#1 1. COMPLETED +0s..+0s {"n":1} -> {"n":1}
              w#2 1. COMPLETED +0s..+0s {"n":1} -> {"n":1}
              a#3 1. RUNNING +0s {"n":1}
        "#]],
    );
}

#[test]
fn what_a_person_or_a_signal_brings_replaces_what_was_there() {
    check(
        "
        u user -> w
        w wait -> e
        e end
        ",
        r#"
        start {"a":{"x":1,"y":2}}
        user u {"a":{"y":3}}
        signal w {"a":{"z":4}}
        "#,
        expect![[r#"
            start {"a":{"x":1,"y":2}}
              u#1 waits for a person
              => WAITING [u]
                 {"a":{"x":1,"y":2}}
            user u {"a":{"y":3}}
              #1 merges {"a":{"y":3}}
              #1 left
              w#2 waits for a signal
              => WAITING [w]
                 {"a":{"y":3}}
            signal w {"a":{"z":4}}
              #2 merges {"a":{"z":4}}
              #2 left
              e#3 passed
              completed
              => COMPLETED []
                 {"a":{"z":4}}
        "#]],
    );
}

#[test]
fn an_instance_that_does_not_exist_is_not_found() {
    check(
        SERIES,
        "
        user u
        signal w
        retry u
        cancel 'why'
        done 1
        fail 1
        ",
        expect![[r#"
            user u
              ! INSTANCE_NOT_FOUND workflow instance not found
            signal w
              ! INSTANCE_NOT_FOUND workflow instance not found
            retry u
              ! INSTANCE_NOT_FOUND workflow instance not found
            cancel 'why'
              ! INSTANCE_NOT_FOUND workflow instance not found
            done 1
              ! INSTANCE_NOT_FOUND workflow instance not found
            fail 1
              ! INSTANCE_NOT_FOUND workflow instance not found
        "#]],
    );
}

#[test]
fn a_user_task_that_is_not_in_the_definition_is_not_found() {
    check(
        SERIES,
        "
        start
        user x
        ",
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            user x
              ! TASK_NOT_FOUND user task not found
        "#]],
    );
}

// The type is looked at before the status.
#[test]
fn a_step_of_another_type_is_no_user_task() {
    check(
        SERIES,
        "
        start
        user w
        user e
        cancel
        user w
        ",
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            user w
              ! STEP_TYPE_MISMATCH step type does not match the endpoint
            user e
              ! STEP_TYPE_MISMATCH step type does not match the endpoint
            cancel
              canceled: ""
              => CANCELLED [u] because ""
            user w
              ! STEP_TYPE_MISMATCH step type does not match the endpoint
        "#]],
    );
}

#[test]
fn a_user_task_of_an_instance_that_has_ended_cannot_be_completed() {
    check(
        SERIES,
        "
        start
        cancel
        user u
        user x
        ",
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            cancel
              canceled: ""
              => CANCELLED [u] because ""
            user u
              ! INSTANCE_ENDED instance is in a terminal state
            user x
              ! TASK_NOT_FOUND user task not found
        "#]],
    );
}

#[test]
fn a_user_task_is_completed_once() {
    check(
        SERIES,
        r#"
        start
        user u {"n":1}
        user u {"n":2}
        "#,
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            user u {"n":1}
              #1 merges {"n":1}
              #1 left
              w#2 waits for a signal
              => WAITING [w]
                 {"n":1}
            user u {"n":2}
              ! TASK_NOT_FOUND user task not found
        "#]],
    );
}

#[test]
fn a_user_task_that_is_not_reached_yet_is_not_found() {
    check(
        "
        w wait -> u
        u user -> e
        e end
        ",
        "
        start
        user u
        ",
        expect![[r#"
            start
              w#1 waits for a signal
              => WAITING [w]
                 {}
            user u
              ! TASK_NOT_FOUND user task not found
        "#]],
    );
}

#[test]
fn a_user_task_of_an_instance_that_has_failed_stays_open_but_cannot_be_completed() {
    check(
        "
        f fork u a join j
        u user -> j
        a task A -> j
        j join -> e
        e end
        ",
        "
        start
        fail 5 final
        user u
        retry a
        user u
        done 7
        ",
        expect![[r#"
            start
              f#1 passed
              fork 2 of 2
              u#3 on 2.0 waits for a person
              a#4 on 2.1 waits for task 5
              + task 5 A
              => WAITING [u a]
                 {}
            fail 5 final
              #4 failed: boom
              failed
              - task 5
              => FAILED [u a] because "boom"
            user u
              ! INSTANCE_ENDED instance is in a terminal state
            retry a
              a tried again with {}
              a#6 on 2.1 waits for task 7
              + task 7 A
              => WAITING [u a]
            user u
              #3 left
              j#8 reached on 2.0
              => ACTIVE [a j]
            done 7
              #6 left
              j#9 reached on 2.1
              fork 2 joined
              e#10 passed
              completed
              - task 7
              => COMPLETED []
        "#]],
    );
}

#[test]
fn a_person_whose_answer_leads_nowhere_fails_the_instance_and_may_answer_again() {
    check(
        "
        u user
          if ok == true -> e
        e end
        ",
        r#"
        start
        user u {"ok":"perhaps"}
        history
        user u {"ok":true}
        retry u
        user u {"ok":true}
        "#,
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            user u {"ok":"perhaps"}
              #1 merges {"ok":"perhaps"}
              #1 failed: no conditionalNextSteps branch matched (DecisionNoBranchMatched)
              failed
              => FAILED [u] because "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
                 {"ok":"perhaps"}
            history
              u#1 1. FAILED +0s..+0s {} -> {"ok":"perhaps"} "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
            user u {"ok":true}
              ! INSTANCE_ENDED instance is in a terminal state
            retry u
              u tried again with {}
              u#2 waits for a person
              => WAITING [u]
            user u {"ok":true}
              #2 merges {"ok":true}
              #2 left
              e#3 passed
              completed
              => COMPLETED []
                 {"ok":true}
        "#]],
    );
}

#[test]
fn a_user_task_without_a_next_step_is_where_the_path_stops() {
    check(
        "
        u user
          after PT1H -> e
        e end
        ",
        r#"
        start
        user u {"n":1}
        wait 2h
        ring
        "#,
        expect![[r#"
            start
              u#1 waits for a person
              + timer 1.0 at +1h
              => WAITING [u]
                 {}
            user u {"n":1}
              #1 merges {"n":1}
              #1 left
              - timer 1.0
              => ACTIVE []
                 {"n":1}
            wait 2h
            ring
              = no timer is due
        "#]],
    );
}

#[test]
fn variables_must_fit() {
    check(
        "
        u user -> w
        w wait -> e
        e end
        ",
        r#"
        start {"a":1}
        user u {"a":deep:100}
        user u {"a":long:1048569}
        user u {"b":long:1048565}
        show
        "#,
        expect![[r#"
            start {"a":1}
              u#1 waits for a person
              => WAITING [u]
                 {"a":1}
            user u {"a":deep:100}
              ! FIELD_INVALID variables must have at most 100 levels
            user u {"a":long:1048569}
              ! FIELD_INVALID variables must have at most 1048576 bytes, have 1048577
            user u {"b":long:1048565}
              ! FIELD_INVALID variables must have at most 1048576 bytes, have 1048579
            show
              => WAITING [u]
                 {"a":1}
        "#]],
    );
}

#[test]
fn a_second_start_is_refused() {
    check(
        SERIES,
        "
        start
        start
        ",
        expect![[r#"
            start
              u#1 waits for a person
              => WAITING [u]
                 {}
            start
              ! INSTANCE_EXISTS the instance has started already
        "#]],
    );
}
