//! The examples the format is explained with, where somebody is awaited: programs, people, signals,
//! timers and gateways.

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use waypost_machines::process::{Source, violations};

use crate::{notation::deployed, story::tell};

/// Tells a story of these steps.
fn check(steps: &str, story: &str, expect: Expect) {
    let text = format!(r#"{{"id":"LOS::example","name":"Example","steps":[{steps}]}}"#);
    expect.assert_eq(&tell(deployed(&text), story));
}

/// The skeleton of a definition, with one step.
const SKELETON: &str = r#"{
    "id": "my-namespace::my-workflow",
    "name": "Human-readable workflow name",
    "description": "Optional free-form description",
    "autoStartNextWorkflow": false,
    "nextWorkflowId": "",
    "steps": [ { "id": "end-workflow", "name": "End", "type": "END" } ],
    "metadata": { "owner": "us", "tags": [1, { "deep": null }] }
}"#;

#[test]
fn the_skeleton_is_a_definition_and_nothing_follows_it() {
    expect![[r#"
        start
          end-workflow#1 passed
          completed
          => COMPLETED []
             {}
        ring
          = no timer is due
    "#]]
    .assert_eq(&tell(deployed(SKELETON), "start\nring"));
    let written = serde_json::to_value(Source::parse(SKELETON).unwrap()).unwrap();
    let expected = json!({
        "id": "my-namespace::my-workflow",
        "name": "Human-readable workflow name",
        "description": "Optional free-form description",
        "steps": [{ "id": "end-workflow", "name": "End", "type": "END" }],
        "metadata": { "owner": "us", "tags": [1, { "deep": null }] },
    });
    assert_eq!(written, expected);
}

#[test]
fn ids_have_letters_digits_and_three_other_characters() {
    let found = |id: &str| {
        let mut whole: Value = serde_json::from_str(SKELETON).unwrap();
        whole["id"] = id.into();
        violations(&Source::parse(&whole.to_string()).unwrap())
    };
    for id in ["LOS::loan-registration-workflow", "greet-workflow"] {
        assert_eq!(found(id), Vec::<String>::new());
    }
    for id in ["my workflow", "order@v2"] {
        assert_eq!(found(id), [format!(r#"id "{id}" must match ^[A-Za-z0-9_:\-]+$"#)]);
    }
}

const SEND_NOTIFICATION: &str = r#"{
    "id": "send-notification",
    "name": "Send Email Notification",
    "type": "SERVICE_TASK",
    "jobType": "send-email",
    "retryCount": 3,
    "nextStep": "end-workflow"
},
{ "id": "end-workflow", "name": "End", "type": "END" }"#;

#[test]
fn a_notification_is_sent() {
    check(
        SEND_NOTIFICATION,
        r#"
        start {"email":"a@example.com"}
        claim send-email w1
        done 2 {"emailSent":true}
        "#,
        expect![[r#"
            start {"email":"a@example.com"}
              send-notification#1 waits for task 2 with 3 retries
              + task 2 send-email
              => ACTIVE [send-notification]
                 {"email":"a@example.com"}
            claim send-email w1
              w1 has task 2 of send-notification until +30s: {"email":"a@example.com"}
            done 2 {"emailSent":true}
              #1 deeply merges {"emailSent":true}
              #1 left
              end-workflow#3 passed
              completed
              - task 2
              => COMPLETED []
                 {"email":"a@example.com","emailSent":true}
        "#]],
    );
}

#[test]
fn a_notification_that_fails_four_times_has_failed() {
    check(
        SEND_NOTIFICATION,
        r#"
        start {"email":"a@example.com"}
        fail 2
        fail 3
        fail 4
        fail 5 'no server'
        "#,
        expect![[r#"
            start {"email":"a@example.com"}
              send-notification#1 waits for task 2 with 3 retries
              + task 2 send-email
              => ACTIVE [send-notification]
                 {"email":"a@example.com"}
            fail 2
              #1 retried as 3: boom
              - task 2
              + task 3 send-email
              => ACTIVE [send-notification]
            fail 3
              #1 retried as 4: boom
              - task 3
              + task 4 send-email
              => ACTIVE [send-notification]
            fail 4
              #1 retried as 5: boom
              - task 4
              + task 5 send-email
              => ACTIVE [send-notification]
            fail 5 'no server'
              #1 failed: no server
              failed
              - task 5
              => FAILED [send-notification] because "no server"
        "#]],
    );
}

const MANAGER_APPROVAL: &str = r#"{
    "id": "manager-approval",
    "name": "Manager Approval",
    "type": "USER_TASK",
    "nextStep": "process-decision",
    "boundaryEvents": [
        {
            "type": "TIMER",
            "duration": "PT24H",
            "interrupting": false,
            "targetStepId": "escalate-to-director"
        }
    ]
},
{ "id": "escalate-to-director", "name": "Escalate", "type": "SERVICE_TASK", "jobType": "escalate" },
{ "id": "process-decision", "name": "Decide", "type": "END" }"#;

#[test]
fn a_manager_who_is_late_is_escalated_and_may_still_approve() {
    check(
        MANAGER_APPROVAL,
        r#"
        start
        wait 24h
        ring
        user manager-approval {"approved":true}
        "#,
        expect![[r#"
            start
              manager-approval#1 waits for a person
              + timer 1.0 at +24h
              => WAITING [manager-approval]
                 {}
            wait 24h
            ring
              timer 1.0 is due
              timer 1.0 fired
              escalate-to-director#2 waits for task 3
              + task 3 escalate
              => WAITING [manager-approval escalate-to-director]
            user manager-approval {"approved":true}
              #1 merges {"approved":true}
              #1 left
              process-decision#4 passed
              completed
              - task 3
              - timer 1.0
              => COMPLETED []
                 {"approved":true}
        "#]],
    );
}

const WAIT_FOR_PAYMENT: &str = r#"{
    "id": "wait-for-payment",
    "name": "Wait for Payment Confirmation",
    "type": "WAIT",
    "nextStep": "verify-payment",
    "boundaryEvents": [
        {
            "type": "TIMER",
            "duration": "PT72H",
            "interrupting": false,
            "targetStepId": "payment-timeout-handler"
        }
    ]
},
{ "id": "payment-timeout-handler", "name": "Late", "type": "SERVICE_TASK", "jobType": "late" },
{ "id": "verify-payment", "name": "Verify", "type": "END" }"#;

#[test]
fn a_payment_is_awaited_even_after_it_is_late() {
    check(
        WAIT_FOR_PAYMENT,
        r#"
        start {"payment":{"due":10}}
        wait 71h
        ring
        wait 1h
        ring
        signal wait-for-payment {"payment":{"paid":10}}
        "#,
        expect![[r#"
            start {"payment":{"due":10}}
              wait-for-payment#1 waits for a signal
              + timer 1.0 at +72h
              => WAITING [wait-for-payment]
                 {"payment":{"due":10}}
            wait 71h
            ring
              = no timer is due
            wait 1h
            ring
              timer 1.0 is due
              timer 1.0 fired
              payment-timeout-handler#2 waits for task 3
              + task 3 late
              => WAITING [wait-for-payment payment-timeout-handler]
            signal wait-for-payment {"payment":{"paid":10}}
              #1 merges {"payment":{"paid":10}}
              #1 left
              verify-payment#4 passed
              completed
              - task 3
              - timer 1.0
              => COMPLETED []
                 {"payment":{"paid":10}}
        "#]],
    );
    check(
        WAIT_FOR_PAYMENT,
        "
        .. start
        signal wait-for-payment
        ",
        expect![[r#"
            .. start
            signal wait-for-payment
              #1 left
              verify-payment#2 passed
              completed
              - timer 1.0
              => COMPLETED []
        "#]],
    );
}

const PARALLEL_CHECKS: &str = r#"{
    "id": "parallel-checks",
    "name": "Run Checks in Parallel",
    "type": "PARALLEL_GATEWAY",
    "parallelNextSteps": ["credit-check", "identity-check", "fraud-check"],
    "joinStep": "merge-check-results"
},
{
    "id": "merge-check-results",
    "name": "Merge Check Results",
    "type": "JOIN_GATEWAY",
    "nextStep": "evaluate-checks"
},
{ "id": "credit-check", "name": "Credit", "type": "SERVICE_TASK", "jobType": "credit", "nextStep": "merge-check-results" },
{ "id": "identity-check", "name": "Identity", "type": "SERVICE_TASK", "jobType": "identity", "nextStep": "merge-check-results" },
{ "id": "fraud-check", "name": "Fraud", "type": "SERVICE_TASK", "jobType": "fraud", "nextStep": "merge-check-results" },
{ "id": "evaluate-checks", "name": "Evaluate", "type": "END" }"#;

#[test]
fn three_checks_run_side_by_side_and_meet() {
    check(
        PARALLEL_CHECKS,
        r#"
        start
        done fraud-check {"fraud":1}
        done credit-check {"credit":2}
        done identity-check {"identity":3}
        "#,
        expect![[r#"
            start
              parallel-checks#1 passed
              fork 2 of 3
              credit-check#3 on 2.0 waits for task 4
              identity-check#5 on 2.1 waits for task 6
              fraud-check#7 on 2.2 waits for task 8
              + task 4 credit, 6 identity, 8 fraud
              => ACTIVE [credit-check identity-check fraud-check]
                 {}
            done fraud-check {"fraud":1}
              #7 deeply merges {"fraud":1}
              #7 left
              merge-check-results#9 reached on 2.2
              - task 8
              => ACTIVE [credit-check identity-check merge-check-results]
                 {"fraud":1}
            done credit-check {"credit":2}
              #3 deeply merges {"credit":2}
              #3 left
              merge-check-results#10 reached on 2.0
              - task 4
              => ACTIVE [identity-check merge-check-results]
                 {"fraud":1,"credit":2}
            done identity-check {"identity":3}
              #5 deeply merges {"identity":3}
              #5 left
              merge-check-results#11 reached on 2.1
              fork 2 joined
              evaluate-checks#12 passed
              completed
              - task 6
              => COMPLETED []
                 {"fraud":1,"credit":2,"identity":3}
        "#]],
    );
}

const CHECKER_APPROVAL: &str = r#"{
    "id": "checker-approval",
    "name": "Checker Approval",
    "type": "USER_TASK",
    "nextStep": "finalize",
    "boundaryEvents": [
        {
            "type": "TIMER",
            "duration": "PT30S",
            "interrupting": false,
            "targetStepId": "escalate-task"
        }
    ]
},
{ "id": "finalize", "name": "Finalize", "type": "END" },
{ "id": "escalate-task", "name": "Escalate", "type": "SERVICE_TASK", "jobType": "escalate", "nextStep": "finalize" }"#;

#[test]
fn an_escalation_that_leads_to_an_end_ends_the_instance() {
    check(
        CHECKER_APPROVAL,
        "
        start
        wait 29s
        ring
        wait 1s
        ring
        done escalate-task
        user checker-approval
        ",
        expect![[r#"
            start
              checker-approval#1 waits for a person
              + timer 1.0 at +30s
              => WAITING [checker-approval]
                 {}
            wait 29s
            ring
              = no timer is due
            wait 1s
            ring
              timer 1.0 is due
              timer 1.0 fired
              escalate-task#2 waits for task 3
              + task 3 escalate
              => WAITING [checker-approval escalate-task]
            done escalate-task
              #2 left
              finalize#4 passed
              completed
              - task 3
              - timer 1.0
              => COMPLETED []
            user checker-approval
              ! INSTANCE_ENDED instance is in a terminal state
        "#]],
    );
}
