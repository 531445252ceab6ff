//! Transitions that are taken when their time has come.

use std::time::Duration;

use expect_test::expect;
use waypost_documents::document::Value;
use waypost_kernel::Timestamp;
use waypost_machines::entity::cascade::{Armed, Due, Entity, due, expire, limits::GRACE_MAX};

use crate::story::{Story, check, tell};

#[test]
fn what_is_scheduled_where_a_new_entity_comes_to_rest_is_armed() {
    check(
        "
        workflow order NEW
        NEW go -> OPEN
        OPEN remind -> LATE after 500
        OPEN close -> DONE manual
        OPEN drop -> DONE after 900 within 0
        OPEN never -> DONE after 900 disabled
        create {}
        ",
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow order takes the entity
              TRANSITION_MAKE [NEW] transition go leads to OPEN
              SCHEDULED_TRANSITION_ARM [OPEN] transition remind is scheduled {"transition":"remind","sourceState":"OPEN","scheduledTime":1500}
              SCHEDULED_TRANSITION_ARM [OPEN] transition drop is scheduled {"transition":"drop","sourceState":"OPEN","scheduledTime":1900}
              STATE_MACHINE_FINISH [OPEN] "COMPLETED_NO_AUTO_TRANSITIONS"
            => OPEN by loopback, order, as it was; armed remind at OPEN for 1500; armed drop at OPEN for 1900 within 0
        "#]],
    );
}

#[test]
fn a_state_that_is_only_passed_arms_nothing() {
    check(
        "
        workflow order NEW
        NEW wait -> LATE after 500
        NEW go -> OPEN
        create {}
        ",
        &expect![[r#"
              STATE_MACHINE_START [] the entity is created
              WORKFLOW_FOUND [] workflow order takes the entity
              TRANSITION_MAKE [NEW] transition go leads to OPEN
              STATE_MACHINE_FINISH [OPEN] "COMPLETED_NO_AUTO_TRANSITIONS"
            => OPEN by loopback, order, as it was
        "#]],
    );
}

#[test]
fn nobody_can_ask_for_a_scheduled_transition() {
    check(
        "
        workflow order NEW
        NEW remind -> LATE after 500
        armed remind at NEW for 1500
        take remind at NEW {}
        ",
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition remind is asked for
              TRANSITION_NOT_FOUND [NEW] workflow order has no transition remind in state NEW
            => TRANSITION_NOT_FOUND workflow order has no transition remind in state NEW
        "#]],
    );
}

#[test]
fn a_write_that_leaves_the_entity_where_it_is_begins_anew() {
    check(
        "
        workflow order NEW
        NEW remind -> LATE after 500
        armed remind at NEW for 1100
        update at NEW {}
        ",
        &expect![[r#"
              STATE_MACHINE_START [NEW] the entity is updated
              SCHEDULED_TRANSITION_ARM [NEW] transition remind is scheduled {"transition":"remind","sourceState":"NEW","scheduledTime":1500}
              STATE_MACHINE_FINISH [NEW] "COMPLETED_NO_AUTO_TRANSITIONS"
            => NEW by loopback, -, as it was; armed remind at NEW for 1500
        "#]],
    );
}

#[test]
fn leaving_the_state_calls_off_what_was_armed_there() {
    check(
        "
        workflow order NEW
        NEW remind -> LATE after 500
        NEW pay -> PAID manual
        PAID ship -> SHIPPED after 100
        armed remind at NEW for 1100
        take pay at NEW {}
        ",
        &expect![[r#"
              STATE_MACHINE_START [NEW] transition pay is asked for
              TRANSITION_MAKE [NEW] transition pay leads to PAID
              SCHEDULED_TRANSITION_CANCEL [PAID] scheduled transition remind is called off {"transition":"remind","sourceState":"NEW"}
              SCHEDULED_TRANSITION_ARM [PAID] transition ship is scheduled {"transition":"ship","sourceState":"PAID","scheduledTime":1100}
              STATE_MACHINE_FINISH [PAID] "COMPLETED_NO_AUTO_TRANSITIONS"
            => PAID by pay, -, as it was; armed ship at PAID for 1100
        "#]],
    );
}

#[test]
fn what_the_workflow_no_longer_schedules_is_called_off_at_the_next_write() {
    check(
        "
        workflow order NEW
        NEW remind -> LATE manual
        armed remind at NEW for 1100
        update at NEW {}
        ",
        &expect![[r#"
              STATE_MACHINE_START [NEW] the entity is updated
              SCHEDULED_TRANSITION_CANCEL [NEW] scheduled transition remind is called off {"transition":"remind","sourceState":"NEW"}
              STATE_MACHINE_FINISH [NEW] "COMPLETED_NO_AUTO_TRANSITIONS"
            => NEW by loopback, -, as it was
        "#]],
    );
    check(
        "
        workflow order NEW
        armed remind at LOST for 1100
        update at LOST {}
        ",
        &expect![[r#"
              STATE_MACHINE_START [LOST] the entity is updated
              FORCE_SUCCESS [LOST] no workflow knows state LOST
              SCHEDULED_TRANSITION_CANCEL [LOST] scheduled transition remind is called off {"transition":"remind","sourceState":"LOST"}
              STATE_MACHINE_FINISH [LOST] "FORCE_SUCCESS"
            => LOST by loopback, -, as it was
        "#]],
    );
}

#[test]
fn when_its_time_has_come_it_is_taken_with_all_that_follows() {
    check(
        r#"
        workflow order NEW
        NEW remind -> LATE after 500 if a=1 do mail
        NEW drop -> DONE after 900
        LATE go -> OPEN
        OPEN again -> NEW after 700
        armed remind at NEW for 900
        armed drop at NEW for 1300
        remembers order
        previously pay
        answer mail {"a":2}
        fire remind at NEW {"a":1}
        "#,
        &expect![[r#"
            ask 0: processor mail, order, remind NEW -> LATE, in "NEW" with {"a":1}
              STATE_MACHINE_START [NEW] scheduled transition remind is due
              SCHEDULED_TRANSITION_FIRE [NEW] scheduled transition remind is taken {"transition":"remind","sourceState":"NEW","scheduledTime":900}
              PAUSE_FOR_PROCESSING [NEW] processors: mail
              STATE_PROCESS_RESULT [NEW] processor mail is done {"success":true,"mode":""}
              TRANSITION_MAKE [NEW] transition remind leads to LATE
              TRANSITION_MAKE [LATE] transition go leads to OPEN
              SCHEDULED_TRANSITION_CANCEL [OPEN] scheduled transition drop is called off {"transition":"drop","sourceState":"NEW"}
              SCHEDULED_TRANSITION_ARM [OPEN] transition again is scheduled {"transition":"again","sourceState":"OPEN","scheduledTime":1700}
              STATE_MACHINE_FINISH [OPEN] "COMPLETED_NO_AUTO_TRANSITIONS"
            => OPEN by remind, order, {"a":2}; armed again at OPEN for 1700
        "#]],
    );
}

#[test]
fn one_that_leads_back_is_armed_again() {
    check(
        "
        workflow order NEW
        NEW remind -> NEW after 500
        armed remind at NEW for 900
        fire remind at NEW {}
        ",
        &expect![[r#"
              STATE_MACHINE_START [NEW] scheduled transition remind is due
              SCHEDULED_TRANSITION_FIRE [NEW] scheduled transition remind is taken {"transition":"remind","sourceState":"NEW","scheduledTime":900}
              TRANSITION_MAKE [NEW] transition remind leads to NEW
              SCHEDULED_TRANSITION_ARM [NEW] transition remind is scheduled {"transition":"remind","sourceState":"NEW","scheduledTime":1500}
              STATE_MACHINE_FINISH [NEW] "COMPLETED_NO_AUTO_TRANSITIONS"
            => NEW by remind, -, as it was; armed remind at NEW for 1500
        "#]],
    );
}

#[test]
fn one_that_is_not_possible_then_is_not_tried_again() {
    check(
        "
        workflow order NEW
        NEW remind -> LATE after 500 if a=1
        NEW drop -> DONE after 900
        armed remind at NEW for 900
        armed drop at NEW for 1300
        remembers order
        previously pay
        fire remind at NEW {}
        ",
        &expect![[r#"
              STATE_MACHINE_START [NEW] scheduled transition remind is due
              TRANSITION_NOT_MATCH_CRITERION [NEW] transition remind is not possible: criterion did not match {"workflowName":"order","transition":"remind","criterion":"simple","reason":"criterion did not match"}
              STATE_MACHINE_FINISH [NEW] "COMPLETED_ALL_CRITERIA_REJECTED"
            => NEW by pay, order, as it was; armed drop at NEW for 1300
        "#]],
    );
}

#[test]
fn a_processor_that_fails_changes_nothing() {
    check(
        "
        workflow order NEW
        NEW remind -> LATE after 500 do mail
        armed remind at NEW for 900
        answer mail fails no-member nobody is there
        fire remind at NEW {}
        ",
        &expect![[r#"
            ask 0: processor mail, order, remind NEW -> LATE, in "NEW" with {}
              STATE_MACHINE_START [NEW] scheduled transition remind is due
              SCHEDULED_TRANSITION_FIRE [NEW] scheduled transition remind is taken {"transition":"remind","sourceState":"NEW","scheduledTime":900}
              PAUSE_FOR_PROCESSING [NEW] processors: mail
              STATE_PROCESS_RESULT [NEW] processor mail failed: nobody is there {"success":false,"mode":"","error":"nobody is there"}
              STATE_PROCESS_RESULT [NEW] transition remind of workflow order fails because of processor mail {"success":false}
            => NO_COMPUTE_MEMBER_FOR_TAG processor mail failed: nobody is there
        "#]],
    );
}

#[test]
fn only_what_is_scheduled_can_be_due() {
    let told = tell(
        "
        workflow order NEW
        NEW remind -> LATE manual
        NEW other -> LATE after 5 disabled
        fire remind at NEW {}
        fire other at NEW {}
        fire remind at LOST {}
        ",
    );
    let ends: Vec<&str> = told.lines().filter(|it| it.starts_with("=>")).collect();
    expect![[r#"
        => TRANSITION_NOT_FOUND workflow order schedules no remind in state NEW
        => TRANSITION_NOT_FOUND workflow order schedules no other in state NEW
        => WORKFLOW_FAILED no workflow knows state LOST"#]]
    .assert_eq(&ends.join("\n"));
}

#[test]
fn what_comes_late_is_taken_awaited_or_given_up() {
    let mut story = Story::default();
    story.tell_of("workflow order NEW");
    story.tell_of("NEW remind -> LATE after 500 within 50");
    let at = |millis: i64| Timestamp::from_millis(millis);
    let (value, grace) = (Value::Null, Duration::from_millis(100));
    let judge = |armed: &[Armed], state: &str, now: Timestamp| {
        let entity = entity(&value, state, armed);
        format!("{:?}", due(("NEW", "remind"), &entity, &story.workflows, (now, grace)))
    };
    let armed = [armed(Some(50))];
    let early = Timestamp::from_micros(at(900).as_micros() - 1);
    let just = Timestamp::from_micros(at(951).as_micros() - 1);
    assert_eq!(judge(&armed, "NEW", early), "Early");
    assert_eq!(judge(&armed, "NEW", at(900)), "Fire");
    assert_eq!(judge(&armed, "NEW", just), "Fire");
    let late = format!("{:?}", Due::Late { until: at(1_051) });
    assert_eq!(judge(&armed, "NEW", at(951)), late);
    assert_eq!(judge(&armed, "NEW", at(1_050)), late);
    assert_eq!(judge(&armed, "NEW", at(1_051)), format!("{:?}", Due::Expire(&armed[0])));
    assert_eq!(judge(&armed, "LATE", at(900)), "Void", "it has gone elsewhere");
    assert_eq!(judge(&[], "NEW", at(900)), "Void", "nothing is armed");
    let patient = [Armed { timeout_millis: None, ..armed[0].clone() }];
    assert_eq!(judge(&patient, "NEW", at(i64::from(u32::MAX))), "Fire");
    let long = [Armed { timeout_millis: Some(i64::MAX), ..armed[0].clone() }];
    assert_eq!(judge(&long, "NEW", at(i64::from(u32::MAX))), "Fire", "nothing overflows");
}

#[test]
fn what_the_workflow_does_not_schedule_is_void() {
    let (value, armed) = (Value::Null, [armed(None)]);
    for line in
        ["remind -> LATE manual", "remind -> LATE after 5 disabled", "other -> LATE after 5"]
    {
        let mut story = Story::default();
        story.tell_of("workflow order NEW");
        story.tell_of(&format!("NEW {line}"));
        let entity = entity(&value, "NEW", &armed);
        let now = (armed[0].scheduled_at, Duration::ZERO);
        assert_eq!(due(("NEW", "remind"), &entity, &story.workflows, now), Due::Void, "{line}");
    }
}

#[test]
fn tolerance_has_an_end() {
    let mut story = Story::default();
    story.tell_of("workflow order NEW");
    story.tell_of("NEW remind -> LATE after 500 within 0");
    let (value, armed) = (Value::Null, [armed(Some(0))]);
    let now = armed[0].scheduled_at + GRACE_MAX + Duration::from_millis(1);
    let entity = entity(&value, "NEW", &armed);
    let judged = due(("NEW", "remind"), &entity, &story.workflows, (now, Duration::MAX));
    assert_eq!(judged, Due::Expire(&armed[0]));
}

#[test]
fn what_is_given_up_leaves_the_rest_as_it_is() {
    let value = Value::Null;
    let other = Armed { transition: "drop".to_owned(), ..armed(None) };
    let all = [armed(Some(50)), other.clone()];
    let now = Timestamp::from_millis(2_000);
    let (left, event) = expire(&entity(&value, "NEW", &all), &all[0], now);
    assert_eq!(left, [other]);
    let told = format!("{} [{}] {}", event.kind.name(), event.state, event.details);
    expect!["SCHEDULED_TRANSITION_EXPIRE [NEW] scheduled transition remind is 1100 ms late, at most 50 are possible"].assert_eq(&told);
    expect![[r#"{"transition":"remind","sourceState":"NEW","scheduledTime":900}"#]]
        .assert_eq(&event.facts.unwrap().to_string());
}

#[test]
fn what_is_kept_of_an_armed_transition_stays_readable() {
    let kept = r#"{"transition":"remind","source_state":"NEW","scheduled_at":900000}"#;
    assert_eq!(serde_json::to_string(&armed(None)).unwrap(), kept);
    assert_eq!(serde_json::from_str::<Armed>(kept).unwrap(), armed(None));
    let timed =
        r#"{"transition":"remind","source_state":"NEW","scheduled_at":900000,"timeout_millis":0}"#;
    assert_eq!(serde_json::to_string(&armed(Some(0))).unwrap(), timed);
    assert_eq!(serde_json::from_str::<Armed>(timed).unwrap(), armed(Some(0)));
}

fn armed(timeout_millis: Option<i64>) -> Armed {
    Armed {
        transition: "remind".to_owned(),
        source_state: "NEW".to_owned(),
        scheduled_at: Timestamp::from_millis(900),
        timeout_millis,
    }
}

fn entity<'a>(value: &'a Value, state: &'a str, armed: &'a [Armed]) -> Entity<'a> {
    Entity {
        id: "e-1",
        value,
        state,
        workflow: None,
        previous_transition: "",
        armed,
        created_at: Timestamp::EPOCH,
        updated_at: Timestamp::EPOCH,
        transaction: "t-1",
    }
}
