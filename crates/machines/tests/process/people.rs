//! People and signals: who is awaited where, and every way to come at the wrong time.

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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
    );
}

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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        expect![[""]],
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
        user u {"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}
        show
        "#,
        expect![[""]],
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
        expect![[""]],
    );
}
