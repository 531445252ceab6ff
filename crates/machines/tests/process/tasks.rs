//! Tasks for programs: who may report, retries, lost leases, and what a worker is told.

use expect_test::expect;

use crate::story::check;

/// Two tasks in a row.
const SERIES: &str = "
    a task A retries=2 -> b
    b task B -> e
    e end
";

#[test]
fn a_process_goes_from_task_to_task_to_its_end() {
    check(
        SERIES,
        r#"
        start {"n":1}
        claim A w1
        wait 1s
        done 2 {"m":2}
        claim B w1
        wait 1s
        done 4
        history
        "#,
        expect![[""]],
    );
}

// The last instant of a lease belongs to it.
#[test]
fn the_holder_may_report_as_long_as_the_lease_is_good() {
    check(
        SERIES,
        "
        start
        claim A w1 30s
        wait 30s
        done 2
        ",
        expect![[""]],
    );
}

#[test]
fn a_report_about_a_task_nobody_has_taken_counts() {
    check(
        SERIES,
        r#"
        start
        done 2 by=anybody {"x":1}
        "#,
        expect![[""]],
    );
}

#[test]
fn a_failure_of_a_task_nobody_has_taken_counts() {
    check(
        SERIES,
        "
        start
        fail 2 by=anybody
        ",
        expect![[""]],
    );
}

#[test]
fn another_worker_cannot_report() {
    check(
        SERIES,
        r#"
        start
        claim A w1
        done 2 by=w2 {"x":1}
        fail 2 by=w2 final
        show
        "#,
        expect![[""]],
    );
}

// Even if nobody has taken the task back yet.
#[test]
fn a_report_after_the_lease_is_over_has_no_effect() {
    check(
        SERIES,
        r#"
        start
        claim A w1 30s
        wait 30s
        wait 1us
        done 2 {"x":1}
        fail 2 final
        show
        "#,
        expect![[""]],
    );
}

#[test]
fn a_report_counts_once() {
    check(
        SERIES,
        r#"
        start
        claim A w1
        done 2 {"x":1}
        done 2 {"x":2}
        fail 2 final
        show
        "#,
        expect![[""]],
    );
}

#[test]
fn a_report_about_a_task_that_was_replaced_has_no_effect() {
    check(
        SERIES,
        r#"
        start
        claim A w1
        fail 2
        done 2 {"x":1}
        fail 2
        show
        "#,
        expect![[""]],
    );
}

#[test]
fn a_report_to_an_instance_that_has_ended_has_no_effect() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> e
        j join -> e
        e end
        ",
        r#"
        start
        claim A w1
        claim B w2
        done 6
        done 4 {"x":1}
        fail 4 final
        show
        "#,
        expect![[""]],
    );
}

#[test]
fn a_report_to_an_instance_that_has_failed_has_no_effect() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> j
        j join -> e
        e end
        ",
        r#"
        start
        claim A w1
        claim B w2
        fail 6 final
        done 4 {"x":1}
        fail 4
        done 6
        show
        "#,
        expect![[""]],
    );
}

#[test]
fn a_report_to_an_instance_that_was_canceled_has_no_effect() {
    check(
        SERIES,
        r#"
        start
        claim A w1
        cancel 'no longer wanted'
        done 2 {"x":1}
        fail 2
        show
        "#,
        expect![[""]],
    );
}

#[test]
fn a_task_that_never_was_is_not_found() {
    check(
        SERIES,
        "
        start
        done 3
        done 0
        fail 4000000000
        ",
        expect![[""]],
    );
}

// The variables another branch has changed since are not told.
#[test]
fn a_retry_is_another_task_with_one_retry_less_and_what_was_known() {
    check(
        "
        f fork a b join j
        a task A retries=2 -> j
        b task B -> j
        j join -> e
        e end
        ",
        r#"
        start {"n":1}
        claim A w1
        done 6 {"n":2}
        fail 4 'no answer'
        claim A w1
        wait 5s
        fail 7 'no answer'
        claim A w2
        fail 8 'gave up'
        history
        "#,
        expect![[""]],
    );
}

#[test]
fn a_failure_that_is_final_spends_no_retries() {
    check(
        SERIES,
        "
        start
        claim A w1
        fail 2 final
        history
        ",
        expect![[""]],
    );
}

#[test]
fn a_failure_without_a_message_has_a_reason_all_the_same() {
    check(
        SERIES,
        "
        start
        fail 2 silent
        fail 3 ' '
        fail 4 silent
        ",
        expect![[""]],
    );
}

#[test]
fn a_lapse_is_another_task_and_costs_no_retry() {
    check(
        SERIES,
        r#"
        start {"n":1}
        claim A w1 30s
        wait 30s
        lapse 2
        wait 1us
        lapse 2
        lapse 2
        done 2 {"x":1}
        claim A w2
        fail 3
        show
        "#,
        expect![[""]],
    );
}

#[test]
fn a_lapse_after_the_report_comes_too_late() {
    check(
        SERIES,
        "
        start
        claim A w1 30s
        done 2
        wait 31s
        lapse 2
        ",
        expect![[""]],
    );
}

#[test]
fn a_lapsed_task_tells_what_it_told_before() {
    check(
        "
        f fork a b join j
        a task A -> j
        b task B -> j
        j join -> e
        e end
        ",
        r#"
        start {"n":1}
        claim A w1 5s
        done 6 {"n":2,"b":true}
        wait 6s
        lapse 4
        claim A w2
        "#,
        expect![[""]],
    );
}

// The instance stays active; the step is not listed any more.
#[test]
fn a_task_without_a_next_step_is_where_the_path_stops() {
    check(
        "
        a task A
          after PT1H -> e
        e end
        ",
        "
        start
        done 2
        show
        ",
        expect![[""]],
    );
}

#[test]
fn the_conditions_of_a_task_come_before_its_next_step() {
    check(
        "
        a task A -> e
          if n > 1 -> b
          if n == 1 -> c
        b task B -> e
        c task C -> e
        e end
        ",
        r#"
        start {"n":0}
        done 2 {"n":1}
        "#,
        expect![[""]],
    );
}

#[test]
fn the_first_condition_of_a_task_that_holds_decides() {
    check(
        "
        a task A
          if n > 0 -> b
          if n > 1 -> c
        b task B -> e
        c task C -> e
        e end
        ",
        r#"
        start
        done 2 {"n":2}
        "#,
        expect![[""]],
    );
}

// There is a next step, but the conditions come first.
#[test]
fn a_task_whose_conditions_all_fail_fails_the_instance_and_can_be_tried_again() {
    check(
        "
        a task A retries=3 -> e
          if n > 1 -> e
        e end
        ",
        r#"
        start {"n":0}
        claim A w1
        done 2 {"m":1}
        history
        retry a {"n":2}
        done 4
        history
        "#,
        expect![[""]],
    );
}

#[test]
fn a_condition_of_a_task_that_cannot_be_evaluated_fails_the_instance() {
    check(
        "
        a task A
          if missing > 1 -> e
        e end
        ",
        "
        start
        done 2
        ",
        expect![[""]],
    );
}

#[test]
fn an_output_that_breaks_the_schema_fails_the_step_whatever_its_retries() {
    check(
        r#"
        a task A retries=5 -> e
          outputs {"properties":{"total":{"type":"number"}},"required":["total"]}
        e end
        "#,
        r#"
        start {"total":1}
        claim A w1
        done 2 {"total":"much","other":[1]}
        show
        history
        done 2 {"total":1}
        retry a
        done 4 {"total":2.0}
        "#,
        expect![[""]],
    );
}

#[test]
fn a_worker_who_does_not_hold_the_task_cannot_break_the_schema() {
    check(
        r#"
        a task A -> e
          outputs {"properties":{"total":{"type":"number"}},"required":["total"]}
        e end
        "#,
        "
        start
        claim A w1
        done 2 by=w2 {}
        show
        ",
        expect![[""]],
    );
}

#[test]
fn variables_do_not_become_too_deep() {
    check(
        SERIES,
        r#"
        start
        done 2 {"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}
        show
        "#,
        expect![[""]],
    );
}
