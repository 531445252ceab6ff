//! What is written down about runs, for programs.

use expect_test::expect;
use waypost_documents::document::Value;
use waypost_kernel::Timestamp;
use waypost_machines::entity::{
    cascade::{AuditEvent, AuditKind, Command, Entity, Replies, run},
    workflow::{Workflow, built_in},
};

use crate::{judge::verdict, story::whole};

/// The last event of an update in `state`.
fn last_event(workflows: &[Workflow], state: &str) -> AuditEvent {
    let value = Value::parse("{}").unwrap();
    let entity = Entity {
        id: "e-1",
        value: &value,
        state,
        workflow: None,
        previous_transition: "",
        armed: &[],
        created_at: Timestamp::EPOCH,
        updated_at: Timestamp::EPOCH,
        transaction: "t-1",
    };
    let replies = Replies::new();
    let ran = run(whole(Command::Loopback, entity, workflows), &replies, &mut verdict).unwrap();
    ran.audit.last().unwrap().clone()
}

/// The built-in workflow, with a criterion that never holds on its automated transition.
fn guarded() -> Workflow {
    let mut workflow = built_in().clone();
    let never = r#"{"type":"simple","jsonPath":"$.a","value":1}"#;
    workflow.states.get_mut("NONE").unwrap().transitions[0].criterion = Value::parse(never).ok();
    workflow
}

#[test]
fn the_end_of_a_run_tells_why_it_went_no_further() {
    let mut told = String::new();
    for state in ["DELETED", "NONE", "LOST"] {
        let end = last_event(&[guarded()], state);
        assert_eq!((end.kind, end.state.as_str()), (AuditKind::Finish, state));
        told += &format!("{}\n  {}\n", end.details, end.facts.unwrap());
    }
    expect![[r#"
        the state has no automated transitions
          {"success":true,"stopReason":{"type":"COMPLETED_NO_AUTO_TRANSITIONS","description":"the state has no automated transitions"}}
        no criterion of an automated transition holds
          {"success":true,"stopReason":{"type":"COMPLETED_ALL_CRITERIA_REJECTED","description":"no criterion of an automated transition holds"}}
        no workflow knows the state
          {"success":true,"stopReason":{"type":"FORCE_SUCCESS","description":"no workflow knows the state"}}
    "#]].assert_eq(&told);
}

#[test]
fn events_have_these_names() {
    let names = [
        AuditKind::Start,
        AuditKind::Finish,
        AuditKind::WorkflowFound,
        AuditKind::WorkflowSkip,
        AuditKind::TransitionMake,
        AuditKind::TransitionNotFound,
        AuditKind::TransitionNotMatchCriterion,
        AuditKind::PauseForProcessing,
        AuditKind::StateProcessResult,
        AuditKind::Cancel,
        AuditKind::ForceSuccess,
    ]
    .map(AuditKind::name);
    expect![[r#"
        STATE_MACHINE_START
        STATE_MACHINE_FINISH
        WORKFLOW_FOUND
        WORKFLOW_SKIP
        TRANSITION_MAKE
        TRANSITION_NOT_FOUND
        TRANSITION_NOT_MATCH_CRITERION
        PAUSE_FOR_PROCESSING
        STATE_PROCESS_RESULT
        CANCEL
        FORCE_SUCCESS"#]]
    .assert_eq(&names.join("\n"));
}
