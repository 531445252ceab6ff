//! How an entity begins: which workflow takes it, and in which state.

use expect_test::expect;

use crate::story::check;

#[test]
fn without_a_workflow_an_entity_is_created_by_the_built_in_one() {
    check(
        r#"
        create {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] no workflow of the model takes the entity, the built-in one is used
              TRANSITION_MAKE [NONE] transition NEW leads to CREATED
              STATE_MACHINE_FINISH [CREATED] "COMPLETED_NO_AUTO_TRANSITIONS"
              warning: no workflow of the model takes the entity, the built-in one is used
            => CREATED by loopback, , as it was
        "#]],
    );
}

#[test]
fn the_built_in_workflow_is_updated_and_deleted_and_then_over() {
    check(
        r#"
        remembers default
        take UPDATE at CREATED {}
        take DELETE at CREATED {}
        take UPDATE at DELETED {}
        update at DELETED {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [CREATED] transition UPDATE is asked for
              TRANSITION_MAKE [CREATED] transition UPDATE leads to CREATED
              STATE_MACHINE_FINISH [CREATED] "COMPLETED_NO_AUTO_TRANSITIONS"
            => CREATED by UPDATE, default, as it was
              STATE_MACHINE_START [CREATED] transition DELETE is asked for
              TRANSITION_MAKE [CREATED] transition DELETE leads to DELETED
              STATE_MACHINE_FINISH [DELETED] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DELETED by DELETE, default, as it was
              STATE_MACHINE_START [DELETED] transition UPDATE is asked for
              TRANSITION_NOT_FOUND [DELETED] workflow default has no transition UPDATE in state DELETED
            => TRANSITION_NOT_FOUND workflow default has no transition UPDATE in state DELETED
              STATE_MACHINE_START [DELETED] the entity is updated
              STATE_MACHINE_FINISH [DELETED] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DELETED by loopback, default, as it was
        "#]],
    );
}

#[test]
fn the_first_workflow_whose_criterion_holds_takes_the_entity() {
    check(
        r#"
        workflow a NEW_A if kind=1
        workflow b NEW_B if kind=2
        workflow c NEW_C
        create {"kind":2}
        create {"kind":3}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_SKIP [] workflow a is skipped: criterion did not match {"workflowName":"a","reason":"criterion did not match"}
              WORKFLOW_FOUND [] workflow b takes the entity
              STATE_MACHINE_FINISH [NEW_B] "COMPLETED_NO_AUTO_TRANSITIONS"
            => NEW_B by loopback, b, as it was
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_SKIP [] workflow a is skipped: criterion did not match {"workflowName":"a","reason":"criterion did not match"}
              WORKFLOW_SKIP [] workflow b is skipped: criterion did not match {"workflowName":"b","reason":"criterion did not match"}
              WORKFLOW_FOUND [] workflow c takes the entity
              STATE_MACHINE_FINISH [NEW_C] "COMPLETED_NO_AUTO_TRANSITIONS"
            => NEW_C by loopback, c, as it was
        "#]],
    );
}

#[test]
fn a_workflow_without_a_criterion_is_taken_at_once() {
    check(
        r#"
        workflow a NEW if null
        workflow b OTHER if f
        create {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              STATE_MACHINE_FINISH [NEW] "COMPLETED_NO_AUTO_TRANSITIONS"
            => NEW by loopback, a, as it was
        "#]],
    );
}

#[test]
fn a_workflow_that_is_not_active_is_not_looked_at() {
    check(
        r#"
        workflow a NEW inactive if !
        workflow b OTHER inactive
        create {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] no workflow of the model takes the entity, the built-in one is used
              TRANSITION_MAKE [NONE] transition NEW leads to CREATED
              STATE_MACHINE_FINISH [CREATED] "COMPLETED_NO_AUTO_TRANSITIONS"
              warning: no workflow of the model takes the entity, the built-in one is used
            => CREATED by loopback, , as it was
        "#]],
    );
}

#[test]
fn when_no_criterion_holds_the_built_in_workflow_is_used_and_stays() {
    check(
        r#"
        workflow a NEW if kind=1
        create {"kind":2}
        remembers default
        take UPDATE at CREATED {"kind":1}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_SKIP [] workflow a is skipped: criterion did not match {"workflowName":"a","reason":"criterion did not match"}
              WORKFLOW_FOUND [] no workflow of the model takes the entity, the built-in one is used
              TRANSITION_MAKE [NONE] transition NEW leads to CREATED
              STATE_MACHINE_FINISH [CREATED] "COMPLETED_NO_AUTO_TRANSITIONS"
              warning: no workflow of the model takes the entity, the built-in one is used
            => CREATED by loopback, , as it was
              STATE_MACHINE_START [CREATED] transition UPDATE is asked for
              TRANSITION_MAKE [CREATED] transition UPDATE leads to CREATED
              STATE_MACHINE_FINISH [CREATED] "COMPLETED_NO_AUTO_TRANSITIONS"
            => CREATED by UPDATE, default, as it was
        "#]],
    );
}

#[test]
fn a_criterion_that_cannot_be_evaluated_ends_the_selection() {
    check(
        r#"
        workflow a NEW if !
        workflow b OTHER
        create {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
            => WORKFLOW_FAILED criterion of workflow a cannot be evaluated: there is no type broken
        "#]],
    );
}

#[test]
fn a_member_may_select_the_workflow() {
    check(
        r#"
        workflow a NEW if f
        workflow b OTHER if f
        answer f no it is too small
        answer f yes
        create {"size":1}
        "#,
        &expect![[r#"
            ask 0: function f for Workflow, a, -, in "" with {"size":1}
            ask 1: function f for Workflow, b, -, in "" with {"size":1}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_SKIP [] workflow a is skipped: it is too small {"workflowName":"a","reason":"it is too small"}
              WORKFLOW_FOUND [] workflow b takes the entity
              STATE_MACHINE_FINISH [OTHER] "COMPLETED_NO_AUTO_TRANSITIONS"
            => OTHER by loopback, b, as it was
        "#]],
    );
}

#[test]
fn a_selection_sees_an_entity_without_state_and_without_past() {
    check(
        r#"
        workflow a NEW if .state=&.previousTransition=
        create {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              STATE_MACHINE_FINISH [NEW] "COMPLETED_NO_AUTO_TRANSITIONS"
            => NEW by loopback, a, as it was
        "#]],
    );
}

#[test]
fn a_new_entity_may_be_asked_for_a_transition_at_once() {
    check(
        r#"
        workflow a NEW
        NEW submit -> SUBMITTED manual
        SUBMITTED go -> DONE
        create submit {}
        create missing {}
        "#,
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              TRANSITION_MAKE [NEW] transition submit leads to SUBMITTED
              TRANSITION_MAKE [SUBMITTED] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by submit, a, as it was
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              TRANSITION_NOT_FOUND [NEW] workflow a has no transition missing in state NEW
            => TRANSITION_NOT_FOUND workflow a has no transition missing in state NEW
        "#]],
    );
}

#[test]
fn a_create_with_one_processor_tells_this_history() {
    check(
        r#"
        workflow a NEW
        NEW go -> DONE do p
        answer p {"done":true}
        create {}
        "#,
        &expect![[r#"
            ask 0: processor p, a, go NEW -> DONE, in "NEW" with {}
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow a takes the entity
              PAUSE_FOR_PROCESSING [NEW] processors: p
              STATE_PROCESS_RESULT [NEW] processor p is done {"success":true,"mode":""}
              TRANSITION_MAKE [NEW] transition go leads to DONE
              STATE_MACHINE_FINISH [DONE] "COMPLETED_NO_AUTO_TRANSITIONS"
            => DONE by loopback, a, {"done":true}
        "#]],
    );
}
