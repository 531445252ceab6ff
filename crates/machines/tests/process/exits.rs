//! Where a task leads: conditions, no step at all, and outputs that break their schema.

use expect_test::expect;

use crate::story::check;

/// Two tasks in a row.
const SERIES: &str = "
    a task A retries=2 -> b
    b task B -> e
    e end
";

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
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              + timer 1.0 at +1h
              => ACTIVE [a]
                 {}
            done 2
              #1 left
              - task 2
              - timer 1.0
              => ACTIVE []
            show
              => ACTIVE []
                 {}
        "#]],
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
        expect![[r#"
            start {"n":0}
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {"n":0}
            done 2 {"n":1}
              #1 deeply merges {"n":1}
              #1 left
              c#3 waits for task 4
              - task 2
              + task 4 C
              => ACTIVE [c]
                 {"n":1}
        "#]],
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
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {}
            done 2 {"n":2}
              #1 deeply merges {"n":2}
              #1 left
              b#3 waits for task 4
              - task 2
              + task 4 B
              => ACTIVE [b]
                 {"n":2}
        "#]],
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
        expect![[r#"
            start {"n":0}
              a#1 waits for task 2 with 3 retries
              + task 2 A
              => ACTIVE [a]
                 {"n":0}
            claim A w1
              w1 has task 2 of a until +30s: {"n":0}
            done 2 {"m":1}
              #1 deeply merges {"m":1}
              #1 failed: no conditionalNextSteps branch matched (DecisionNoBranchMatched)
              failed
              - task 2
              => FAILED [a] because "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
                 {"n":0,"m":1}
            history
              a#1 1. FAILED +0s..+0s {"n":0} -> {"m":1} "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
            retry a {"n":2}
              a tried again with {"n":2}
              a#3 waits for task 4 with 3 retries
              + task 4 A
              => ACTIVE [a]
                 {"n":2,"m":1}
            done 4
              #3 left
              e#5 passed
              completed
              - task 4
              => COMPLETED []
            history
              a#1 1. FAILED +0s..+0s {"n":0} -> {"m":1} "no conditionalNextSteps branch matched (DecisionNoBranchMatched)"
              a#3 2. COMPLETED +0s..+0s {"n":2,"m":1}
              e#5 1. COMPLETED +0s..+0s {"n":2,"m":1}
        "#]],
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
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {}
            done 2
              #1 failed: expression eval error: undefined variable "missing" (at 0 in `missing > 1`)
              failed
              - task 2
              => FAILED [a] because "expression eval error: undefined variable \"missing\" (at 0 in `missing > 1`)"
        "#]],
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
        expect![[r#"
            start {"total":1}
              a#1 waits for task 2 with 5 retries
              + task 2 A
              => ACTIVE [a]
                 {"total":1}
            claim A w1
              w1 has task 2 of a until +30s: {"total":1}
            done 2 {"total":"much","other":[1]}
              #1 failed: schema violation: field "total" expected number, got string
              failed
              - task 2
              => FAILED [a] because "schema violation: field \"total\" expected number, got string"
            show
              => FAILED [a] because "schema violation: field \"total\" expected number, got string"
                 {"total":1}
            history
              a#1 1. FAILED +0s..+0s {"total":1} "schema violation: field \"total\" expected number, got string"
            done 2 {"total":1}
              = nothing changes
            retry a
              a tried again with {}
              a#3 waits for task 4 with 5 retries
              + task 4 A
              => ACTIVE [a]
            done 4 {"total":2.0}
              #3 deeply merges {"total":2}
              #3 left
              e#5 passed
              completed
              - task 4
              => COMPLETED []
                 {"total":2}
        "#]],
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
        expect![[r#"
            start
              a#1 waits for task 2
              + task 2 A
              => ACTIVE [a]
                 {}
            claim A w1
              w1 has task 2 of a until +30s: {}
            done 2 by=w2 {}
              = nothing changes: the lease on task 2 of acme/process/p-1 is not held
            show
              => ACTIVE [a]
                 {}
        "#]],
    );
}

#[test]
fn variables_do_not_become_too_deep() {
    check(
        SERIES,
        r#"
        start
        done 2 {"a":deep:100}
        done 2 {"a":deep:99}
        "#,
        expect![[r#"
            start
              a#1 waits for task 2 with 2 retries
              + task 2 A
              => ACTIVE [a]
                 {}
            done 2 {"a":deep:100}
              ! FIELD_INVALID variables must have at most 100 levels
            done 2 {"a":deep:99}
              #1 deeply merges {"a":[[[… (205 characters)
              #1 left
              b#3 waits for task 4
              - task 2
              + task 4 B
              => ACTIVE [b]
                 {"a":[[[… (205 characters)
        "#]],
    );
}
