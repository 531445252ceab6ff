//! Criteria that members decide.

use expect_test::expect;

use crate::story::check;

#[test]
fn a_function_that_says_yes_lets_the_entity_pass() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE if f
        answer f yes
        create {"size":1}
        "#,
        &expect![[r#"
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {"size":1}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by loopback, a, as it was
        "#]],
    );
}

#[test]
fn a_function_that_says_no_keeps_it_where_it_is() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE if f
        answer f no
        create {}
        "#,
        &expect![[r#"
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition go is not possible: criterion did not match {"workflowName":"a","transition":"go","criterion":"f","reason":"criterion did not match"}
              STATE_MACHINE_FINISH [NEW] "COMPLETED_ALL_CRITERIA_REJECTED"
            => NEW by loopback, a, as it was
        "#]],
    );
}

#[test]
fn a_function_that_fails_is_an_error_and_not_a_no() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE if f
        NEW else -> OTHER
        answer f fails refused division by zero
        create {}
        answer f fails timeout no answer in 30000 ms
        create {}
        answer f fails no-member nobody has the tags rules
        create {}
        answer f fails disconnected the member went away
        create {}
        answer f fails not-sent the stream is closed
        create {}
        "#,
        &expect![[r#"
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
            => WORKFLOW_FAILED criteria f failed: division by zero
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
            => WORKFLOW_FAILED criteria f failed: no answer in 30000 ms
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
            => NO_COMPUTE_MEMBER_FOR_TAG criteria f failed: nobody has the tags rules
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
            => COMPUTE_MEMBER_DISCONNECTED criteria f failed: the member went away
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
            => COMPUTE_MEMBER_DISCONNECTED criteria f failed: the stream is closed
        "#]],
    );
}

#[test]
fn a_cheap_condition_before_a_function_spares_the_call() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE if a=1&f
        create {"a":2}
        answer f yes
        create {"a":1}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition go is not possible: criterion did not match {"workflowName":"a","transition":"go","criterion":"group","reason":"criterion did not match"}
              STATE_MACHINE_FINISH [NEW] "COMPLETED_ALL_CRITERIA_REJECTED"
            => NEW by loopback, a, as it was
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {"a":1}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by loopback, a, as it was
        "#]],
    );
}

#[test]
fn several_functions_of_one_criterion_are_asked_one_after_the_other() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE if f&g&h
        answer f yes
        answer g no not today
        create {}
        "#,
        &expect![[r#"
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
            ask 1: function g for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition go is not possible: not today {"workflowName":"a","transition":"go","criterion":"group","reason":"not today"}
              STATE_MACHINE_FINISH [NEW] "COMPLETED_ALL_CRITERIA_REJECTED"
            => NEW by loopback, a, as it was
        "#]],
    );
}

#[test]
fn a_criterion_sees_what_processors_have_made() {
    check(
        r#"
        workflow a NEW
        NEW go -> NEXT do p
        NEXT on -> DONE if f&p=1
        answer p {"p":1}
        answer f yes
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> NEXT, in "NEW" with {}
            ask 1: function f for Transition, a, on NEXT -> DONE, in "NEXT" with {"p":1}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p is done {"success":true,"mode":""}
              TRANSITION_MAKE [NEW] transition go leads to NEXT
              TRANSITION_MAKE [NEXT] transition on leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by loopback, a, {"p":1}
        "#]],
    );
}

#[test]
fn a_criterion_that_cannot_be_evaluated_fails_the_run() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE if !
        NEW submit -> DONE manual if !
        create {}
        take submit at NEW {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
            => WORKFLOW_FAILED criterion of transition go of workflow a cannot be evaluated: there is no type broken
              STATE_MACHINE_START [NEW] transition submit is asked for
            => WORKFLOW_FAILED criterion of transition submit of workflow a cannot be evaluated: there is no type broken
        "#]],
    );
}

#[test]
fn warnings_of_functions_are_kept_under_their_name() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE if f:SOMETIMES
        warns this is slow
        answer f yes
        create {}
        "#,
        &expect![[r#"
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
              warning: criteria f: there is no retry policy "SOMETIMES", it is asked once
              warning: criteria f: this is slow
            => DONE by loopback, a, as it was
        "#]],
    );
}

#[test]
fn a_function_that_is_answered_as_a_processor_is_an_error() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE if f
        answer f {"a":1}
        create {}
        "#,
        &expect![[r#"
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
            => WORKFLOW_FAILED criteria f was answered as if it were a processor
        "#]],
    );
}

#[test]
fn of_several_functions_that_say_no_the_last_has_the_reason() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE manual if f|g|h
        answer f no too small
        answer g no too late
        answer h no
        take go at NEW {}
        "#,
        &expect![[r#"
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
            ask 1: function g for Transition, a, go NEW -> DONE, in "NEW" with {}
            ask 2: function h for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [NEW] transition go is asked for
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition go is not possible: too late {"workflowName":"a","transition":"go","criterion":"group","reason":"too late"}
            => WORKFLOW_FAILED transition go is not possible in state NEW: too late
        "#]],
    );
}

#[test]
fn the_reason_of_a_yes_is_not_that_of_a_no() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE manual if f&a=1
        answer f yes it is large enough
        take go at NEW {}
        "#,
        &expect![[r#"
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [NEW] transition go is asked for
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition go is not possible: criterion did not match {"workflowName":"a","transition":"go","criterion":"group","reason":"criterion did not match"}
            => WORKFLOW_FAILED transition go is not possible in state NEW: criterion did not match
        "#]],
    );
}

#[test]
fn a_reason_without_words_is_none() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE manual if f
        answer f silently says no
        take go at NEW {}
        "#,
        &expect![[r#"
            ask 0: function f for Transition, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [NEW] transition go is asked for
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition go is not possible: criterion did not match {"workflowName":"a","transition":"go","criterion":"f","reason":"criterion did not match"}
            => WORKFLOW_FAILED transition go is not possible in state NEW: criterion did not match
        "#]],
    );
}
