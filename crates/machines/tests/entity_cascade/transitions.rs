//! What can be asked of an entity that exists, and how it goes on by itself.

use expect_test::expect;

use crate::story::check;

#[test]
fn a_transition_that_is_asked_for_is_taken_and_the_cascade_goes_on() {
    check(
        r#"
        workflow a NEW
        NEW submit -> SUBMITTED manual
        SUBMITTED check -> CHECKED
        take submit at NEW {"new":1}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition submit is asked for
              TRANSITION_MAKE [NEW] transition submit leads to SUBMITTED
              TRANSITION_MAKE [SUBMITTED] transition check leads to CHECKED
              STATE_MACHINE_FINISH [CHECKED] "COMPLETED_NO_AUTO_TRANSITIONS"
            => CHECKED by submit, -, as it was
        "#]],
    );
}

#[test]
fn a_transition_that_does_not_exist_is_not_found() {
    check(
        r#"
        workflow a NEW
        NEW submit -> DONE manual
        take Submit at NEW {}
        take submit at DONE {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition Submit is asked for
              TRANSITION_NOT_FOUND [NEW] workflow a has no transition Submit in state NEW
            => TRANSITION_NOT_FOUND workflow a has no transition Submit in state NEW
              STATE_MACHINE_START [DONE] transition submit is asked for
              TRANSITION_NOT_FOUND [DONE] workflow a has no transition submit in state DONE
            => TRANSITION_NOT_FOUND workflow a has no transition submit in state DONE
        "#]],
    );
}

#[test]
fn a_disabled_transition_is_as_good_as_missing() {
    check(
        r#"
        workflow a NEW
        NEW submit -> DONE manual disabled
        take submit at NEW {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition submit is asked for
              TRANSITION_NOT_FOUND [NEW] workflow a has no transition submit in state NEW
            => TRANSITION_NOT_FOUND workflow a has no transition submit in state NEW
        "#]],
    );
}

#[test]
fn an_automated_transition_can_be_asked_for() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE if ready=true
        take go at NEW {"ready":true}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition go is asked for
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by go, -, as it was
        "#]],
    );
}

#[test]
fn a_transition_whose_criterion_does_not_hold_is_refused_with_the_reason() {
    check(
        r#"
        workflow a NEW
        NEW submit -> DONE manual if a=1
        NEW ask -> DONE manual if f
        take submit at NEW {"a":2}
        answer f no the credit is used up
        take ask at NEW {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition submit is asked for
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition submit is not possible: criterion did not match {"workflowName":"a","transition":"submit","criterion":"simple","reason":"criterion did not match"}
            => WORKFLOW_FAILED transition submit is not possible in state NEW: criterion did not match
            ask 0: function f for Transition, a, ask NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [NEW] transition ask is asked for
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition ask is not possible: the credit is used up {"workflowName":"a","transition":"ask","criterion":"f","reason":"the credit is used up"}
            => WORKFLOW_FAILED transition ask is not possible in state NEW: the credit is used up
        "#]],
    );
}

#[test]
fn the_criterion_sees_the_new_value_and_the_state_that_is_left() {
    check(
        r#"
        workflow a NEW
        NEW submit -> DONE manual if a=1&.state=NEW
        take submit at NEW {"a":1}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition submit is asked for
              TRANSITION_MAKE [NEW] transition submit leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by submit, -, as it was
        "#]],
    );
}

#[test]
fn the_previous_transition_is_that_of_the_version_being_replaced() {
    check(
        r#"
        workflow a NEW
        NEW again -> NEW manual if .previousTransition=before
        previously before
        take again at NEW {}
        previously again
        take again at NEW {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition again is asked for
              TRANSITION_MAKE [NEW] transition again leads to NEW
              STATE_MACHINE_FINISH [NEW] "COMPLETED_NO_AUTO_TRANSITIONS"
            => NEW by again, -, as it was
              STATE_MACHINE_START [NEW] transition again is asked for
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition again is not possible: criterion did not match {"workflowName":"a","transition":"again","criterion":"lifecycle","reason":"criterion did not match"}
            => WORKFLOW_FAILED transition again is not possible in state NEW: criterion did not match
        "#]],
    );
}

#[test]
fn a_state_that_no_workflow_knows_cannot_be_left() {
    check(
        r#"
        workflow a NEW
        take submit at LOST {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [LOST] transition submit is asked for
            => WORKFLOW_FAILED no workflow knows state LOST
        "#]],
    );
}

#[test]
fn an_update_in_a_state_that_no_workflow_knows_changes_only_the_value() {
    check(
        r#"
        workflow a NEW
        remembers a
        update at LOST {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [LOST] the entity is updated
              FORCE_SUCCESS [LOST] no workflow knows state LOST
              STATE_MACHINE_FINISH [LOST] "FORCE_SUCCESS"
            => LOST by loopback, a, as it was
        "#]],
    );
}

#[test]
fn an_update_goes_on_from_where_the_entity_is() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE if ready=true
        update at NEW {"ready":true}
        update at NEW {"ready":false}
        update at DONE {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] the entity is updated
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by loopback, -, as it was
              STATE_MACHINE_START [NEW] the entity is updated
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition go is not possible: criterion did not match {"workflowName":"a","transition":"go","criterion":"simple","reason":"criterion did not match"}
              STATE_MACHINE_FINISH [NEW] "COMPLETED_ALL_CRITERIA_REJECTED"
            => NEW by loopback, -, as it was
              STATE_MACHINE_START [DONE] the entity is updated
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by loopback, -, as it was
        "#]],
    );
}

#[test]
fn selection_is_not_made_again_for_an_entity_that_exists() {
    check(
        r#"
        workflow a NEW if !
        NEW submit -> DONE manual
        take submit at NEW {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition submit is asked for
              TRANSITION_MAKE [NEW] transition submit leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by submit, -, as it was
        "#]],
    );
}

#[test]
fn an_entity_stays_with_the_workflow_that_created_it() {
    check(
        r#"
        workflow a NEW
        NEW go -> A manual
        workflow b NEW
        NEW go -> B manual
        remembers b
        take go at NEW {}
        remembers gone
        take go at NEW {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition go is asked for
              TRANSITION_MAKE [NEW] transition go leads to B
              STATE_MACHINE_FINISH [B] "COMPLETED_NO_AUTO_TRANSITIONS"
            => B by go, b, as it was
              STATE_MACHINE_START [NEW] transition go is asked for
              TRANSITION_MAKE [NEW] transition go leads to A
              STATE_MACHINE_FINISH [A] "COMPLETED_NO_AUTO_TRANSITIONS"
            => A by go, gone, as it was
        "#]],
    );
}

#[test]
fn the_first_transition_that_is_possible_wins() {
    check(
        r#"
        workflow a NEW
        NEW never -> A disabled
        NEW asked -> B manual
        NEW guarded -> C if a=1
        NEW free -> D
        NEW behind -> E if f
        create {"a":2}
        create {"a":1}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition guarded is not possible: criterion did not match {"workflowName":"a","transition":"guarded","criterion":"simple","reason":"criterion did not match"}
              TRANSITION_MAKE [NEW] transition free leads to D
              STATE_MACHINE_FINISH [D] "COMPLETED_NO_AUTO_TRANSITIONS"
            => D by loopback, a, as it was
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              TRANSITION_MAKE [NEW] transition guarded leads to C
              STATE_MACHINE_FINISH [C] "COMPLETED_NO_AUTO_TRANSITIONS"
            => C by loopback, a, as it was
        "#]],
    );
}

#[test]
fn an_entity_passes_several_states_and_is_saved_once() {
    check(
        r#"
        workflow a ONE
        ONE first -> TWO do p
        TWO second -> THREE if p=1 do q
        answer p {"p":1}
        answer q {"p":1,"q":2}
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, first ONE -> TWO, in "ONE" with {}
            ask 1: processor q, a, second TWO -> THREE, in "TWO" with {"p":1}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [ONE] processors: p
              STATE_PROCESS_RESULT [ONE] processor p is done {"success":true,"mode":""}
              TRANSITION_MAKE [ONE] transition first leads to TWO
              PAUSE_FOR_PROCESSING [TWO] processors: q
              STATE_PROCESS_RESULT [TWO] processor q is done {"success":true,"mode":""}
              TRANSITION_MAKE [TWO] transition second leads to THREE
              STATE_MACHINE_FINISH [THREE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => THREE by loopback, a, {"p":1,"q":2}
        "#]],
    );
}

#[test]
fn a_state_that_the_workflow_does_not_define_is_a_place_to_rest() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE nowhere
        take go at NEW {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition go is asked for
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by go, -, as it was
        "#]],
    );
}
