//! Scenarios of all faces: what they come to, and that every kind of expectation can fail.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use serde_json::{Value, json};
use waypost_rehearsal::{
    Cast, Definitions, Played, Scenario,
    coverage::{Coverage, Kind},
    rehearse,
};

/// A review with a timer, a decision and a table; another process follows.
fn review() -> Value {
    json!([{
        "id": "review", "name": "Review", "autoStartNextWorkflow": true, "nextWorkflowId": "notify",
        "steps": [
            { "id": "check", "name": "Check", "type": "SERVICE_TASK", "jobType": "check",
              "retryCount": 1, "nextStep": "tier" },
            { "id": "tier", "name": "Tier", "type": "DECISION_TABLE", "hitPolicy": "F",
              "nextStep": "route", "decisionTable": { "rules": [
                { "when": { "n": "amount > 100" }, "outputs": { "tier": "HIGH" } },
                { "when": {}, "outputs": { "tier": "LOW" } } ] } },
            { "id": "route", "name": "Route", "type": "DECISION", "conditionalNextSteps": {
                "#tier == 'HIGH'": "look", "#tier == 'LOW'": "done" } },
            { "id": "look", "name": "Look", "type": "USER_TASK", "nextStep": "done",
              "boundaryEvents": [{ "type": "TIMER", "duration": "PT48H", "interrupting": true,
                                   "targetStepId": "ask" }] },
            { "id": "ask", "name": "Ask", "type": "WAIT", "nextStep": "done" },
            { "id": "done", "name": "Done", "type": "END" },
        ],
    }, {
        "id": "notify", "name": "Notify",
        "steps": [
            { "id": "mail", "name": "Mail", "type": "SERVICE_TASK", "jobType": "mail",
              "nextStep": "end" },
            { "id": "end", "name": "End", "type": "END" },
        ],
    }])
}

fn order() -> Value {
    json!({ "workflowType": "order", "workflowVersion": 1, "steps": [
        { "stepType": "VALIDATE" }, { "stepType": "PAY", "maxAttempts": 3 } ] })
}

fn claims() -> Value {
    json!({ "workflows": [{
        "version": "1", "name": "claims", "initialState": "NEW", "active": true, "states": {
            "NEW": { "transitions": [
                { "name": "submit", "next": "OPEN", "manual": true, "processors": [
                    { "name": "enrich", "type": "EXTERNAL", "config": { "attachEntity": true } }
                ] } ] },
            "OPEN": { "transitions": [
                { "name": "big", "next": "REVIEW", "manual": false, "criterion": {
                    "type": "function", "function": { "name": "is-big" } } },
                { "name": "small", "next": "PAID", "manual": false } ] },
            "REVIEW": { "transitions": [
                { "name": "pay", "next": "PAID", "manual": true } ] },
            "PAID": { "transitions": [] },
        } }] })
}

fn drone() -> Value {
    json!({ "types": [{ "workflow": "drone", "transitions": {
        "planning": ["flying"], "flying": ["landed"], "landed": [] } }] })
}

fn definitions() -> Definitions {
    let mut definitions = Definitions::default();
    for text in [review(), order(), claims(), drone()] {
        definitions.add(&text.to_string()).unwrap();
    }
    definitions
}

fn played(scenario: Value) -> Played {
    let definitions = definitions();
    let scenario: Scenario = serde_json::from_value(scenario).unwrap();
    assert_eq!(scenario.problem(&definitions), None);
    rehearse(&scenario, &definitions, &Cast::default(), &mut Coverage::of(&definitions))
}

fn passes(scenario: Value) {
    let played = played(scenario);
    assert!(played.mismatches.is_empty(), "{played:#?}");
}

/// The places at which a scenario is not as expected.
fn fails(scenario: Value) -> Vec<String> {
    played(scenario).mismatches.into_iter().map(|it| it.place).collect()
}

fn overdue(expect: Value) -> Value {
    json!({
        "name": "nobody looks, so that somebody is asked",
        "start": { "process": "review", "businessKey": "r-1", "variables": { "amount": 500 } },
        "workers": {
            "check": [{ "fail": "no answer" }, { "complete": { "ok": true }, "after": "1h" }],
            "mail": "complete",
        },
        "signals": { "ask": { "complete": { "answer": 42 }, "after": "30m" } },
        "expect": expect,
    })
}

#[test]
fn two_days_pass_in_no_time() {
    passes(overdue(json!({
        "status": "COMPLETED",
        "at": [],
        "variables": { "tier": "HIGH", "answer": 42.0 },
        "exactly": { "amount": 500, "ok": true, "tier": "HIGH", "answer": 42 },
        "visited": ["check", "look", "ask"],
        "path": ["check", "tier", "route", "look", "ask", "done"],
        "notVisited": "mail",
        "visits": { "check": 1, "mail": 0 },
        "history": ["JOB_FAILED check", "TIMER_FIRED", "SIGNAL_RECEIVED ask"],
        "elapsed": "49h30m",
        "timersFired": 1,
        "followed": true,
        "next": { "status": "COMPLETED", "path": ["mail", "end"], "variables": { "answer": 42 } },
    })));
}

#[test]
fn every_kind_of_expectation_can_fail() {
    for (expect, place) in [
        (json!({ "status": "FAILED" }), "expect.status"),
        (json!({ "at": "look" }), "expect.at"),
        (json!({ "variables": { "answer": 41 } }), "expect.variables.answer"),
        (json!({ "variables": { "missing": 1 } }), "expect.variables.missing"),
        (
            json!({ "exactly": { "amount": 500, "ok": true, "tier": "HIGH" } }),
            "expect.exactly.answer",
        ),
        (json!({ "reason": "boom" }), "expect.reason"),
        (json!({ "visited": ["ask", "look"] }), "expect.visited"),
        (json!({ "path": ["check", "done"] }), "expect.path"),
        (json!({ "notVisited": ["mail", "ask"] }), "expect.notVisited"),
        (json!({ "visits": { "check": 2 } }), "expect.visits.check"),
        (json!({ "history": ["TIMER_FIRED look", "JOB_FAILED"] }), "expect.history"),
        (json!({ "elapsed": "49h" }), "expect.elapsed"),
        (json!({ "timersFired": 0 }), "expect.timersFired"),
        (json!({ "rejected": "SCHEMA_VIOLATED" }), "expect.rejected"),
        (json!({ "followed": false }), "expect.followed"),
        (json!({ "next": { "status": "FAILED" } }), "expect.next.status"),
        (json!({ "next": { "next": {} } }), "expect.next.next"),
    ] {
        assert_eq!(fails(overdue(expect)), [place]);
    }
}

#[test]
fn a_person_answers_before_the_timer() {
    let scenario = |after: &str, expect: Value| {
        json!({
            "name": "somebody looks",
            "start": { "process": "review", "variables": { "amount": 500 } },
            "workers": { "check": "complete", "mail": "never" },
            "people": { "look": { "complete": { "seen": true }, "after": after } },
            "expect": expect,
        })
    };
    passes(scenario(
        "47h",
        json!({ "status": "COMPLETED", "notVisited": "ask", "timersFired": 0 }),
    ));
    // Who answers at the very moment was in time.
    passes(scenario("48h", json!({ "status": "COMPLETED", "elapsed": "48h" })));
    passes(scenario("49h", json!({ "status": "WAITING", "at": "ask", "timersFired": 1 })));
    let late = played(scenario("49h", json!({})));
    assert_eq!(late.standings[0].unattended, ["no signal comes for \"ask\""]);
}

#[test]
fn an_operator_steps_in() {
    let scenario = |deeds: Value, expect: Value| {
        json!({
            "name": "by hand",
            "start": { "process": "review", "variables": { "amount": 500 } },
            "workers": { "check": [{ "fatal": "broken" }, "complete"], "mail": "complete" },
            "do": deeds, "expect": expect,
        })
    };
    passes(scenario(
        json!([
            { "expect": { "status": "FAILED", "reason": "broken" } },
            { "retry": "look", "rejected": "STEP_NOT_RETRYABLE" },
            { "retry": { "step": "check", "variables": { "amount": 50 } } },
        ]),
        json!({ "status": "COMPLETED", "notVisited": "look", "variables": { "tier": "LOW" } }),
    ));
    passes(scenario(
        json!([
            { "retry": "check" },
            { "until": "look" },
            { "advance": "47h", "expect": { "status": "WAITING", "timersFired": 0 } },
            { "signal": "ask", "rejected": "SIGNAL_NOT_AWAITED" },
            { "advance": "1h", "expect": { "at": "ask", "timersFired": 1 } },
            { "cancel": "enough" },
            { "cancel": "enough", "rejected": "INSTANCE_ENDED" },
        ]),
        json!({ "status": "CANCELLED", "reason": "enough", "followed": false }),
    ));
    passes(scenario(
        json!([
            { "retry": "check" },
            { "complete": { "step": "look", "variables": { "by": "hand" } } },
        ]),
        json!({ "status": "COMPLETED", "variables": { "by": "hand" } }),
    ));
}

#[test]
fn deeds_that_come_to_something_else_are_told() {
    let scenario = |deed: Value| {
        json!({
            "name": "by hand",
            "start": { "process": "review", "variables": { "amount": 500 } },
            "workers": { "check": "complete" },
            "do": [deed],
        })
    };
    assert_eq!(fails(scenario(json!({ "until": "nowhere" }))), ["do[0]"]);
    assert_eq!(fails(scenario(json!({ "signal": "ask" }))), ["do[0]"]);
    assert_eq!(fails(scenario(json!({ "cancel": "x", "rejected": "Y" }))), ["do[0]"]);
    assert_eq!(fails(scenario(json!({ "signal": "ask", "rejected": "Y" }))), ["do[0]"]);
    let look = json!({ "advance": "1h", "expect": { "at": "ask" } });
    assert_eq!(fails(scenario(look)), ["do[0].expect.at"]);
}

#[test]
fn refusals_nobody_expects_are_told() {
    let start = |key: &str, expect: Value| {
        json!({
            "name": "a business key that is none",
            "start": { "process": "review", "businessKey": key },
            "expect": expect,
        })
    };
    passes(start("a\u{7}b", json!({ "rejected": "FIELD_INVALID" })));
    assert_eq!(fails(start("a\u{7}b", json!({}))), ["expect.rejected", "expect"]);
    let unfit = json!({
        "name": "a worker cannot judge", "start": { "process": "review" },
        "workers": { "check": true },
    });
    assert_eq!(fails(unfit), ["expect.rejected"]);
}

#[test]
fn what_goes_in_circles_is_stopped() {
    let circle = json!({ "id": "circle", "name": "C", "steps": [
        { "id": "a", "name": "A", "type": "SERVICE_TASK", "jobType": "a", "nextStep": "b" },
        { "id": "b", "name": "B", "type": "DECISION", "conditionalNextSteps": { "false": "c", "true": "a" } },
        { "id": "c", "name": "C", "type": "END" },
    ] });
    let mut definitions = Definitions::default();
    definitions.add(&circle.to_string()).unwrap();
    let scenario: Scenario = serde_json::from_value(json!({
        "name": "circle", "start": { "process": "circle" }, "workers": { "a": "complete" },
    }))
    .unwrap();
    let coverage = &mut Coverage::of(&definitions);
    let played = rehearse(&scenario, &definitions, &Cast::default(), coverage);
    assert_eq!(played.mismatches[0].actual, "still moving after 10000 commands");
}

#[test]
fn a_worker_that_vanishes_is_missed_after_its_lease() {
    passes(json!({
        "name": "gone",
        "start": { "process": "review", "variables": { "amount": 1 } },
        "workers": { "check": [{ "vanish": "30s" }, "complete"], "mail": "complete" },
        "expect": { "status": "COMPLETED", "history": ["JOB_LEASE_EXPIRED check", "JOB_COMPLETED"] },
    }));
}

#[test]
fn chains_retry_wait_and_die() {
    let scenario = |pay: Value, signals: Value, expect: Value| {
        json!({
            "name": "order", "start": { "chain": "order", "bizKey": "o-1", "context": { "n": 1 } },
            "workers": { "VALIDATE": { "complete": { "valid": true } }, "PAY": pay },
            "signals": signals, "expect": expect,
        })
    };
    let wait = json!([{ "wait": "PAID", "timeout": "1h" }, "complete"]);
    passes(scenario(
        wait.clone(),
        json!({ "PAID": { "complete": { "sum": 9 }, "after": "20m" } }),
        json!({ "status": "COMPLETED", "elapsed": "20m", "timersFired": 0,
                "variables": { "n": 1, "valid": true }, "path": ["VALIDATE", "PAY"],
                "history": ["STEP_WAITING PAY", "STEP_WOKEN PAY", "COMPLETED"] }),
    ));
    passes(scenario(
        json!([{ "wait": "PAID", "timeout": "1h" }, { "fatal": "not paid" }]),
        json!({}),
        json!({ "status": "FAILED", "elapsed": "1h", "timersFired": 1, "reason": "not paid" }),
    ));
    passes(scenario(
        json!({ "fail": "down" }),
        json!({}),
        // One second, then two, and the third attempt is the last.
        json!({ "status": "FAILED", "elapsed": "3s", "reason": "down" }),
    ));
    assert_eq!(fails(scenario(wait, json!({}), json!({ "elapsed": "20m" }))), ["expect.elapsed"]);
}

#[test]
fn chains_are_signaled_and_canceled_by_hand() {
    passes(json!({
        "name": "order", "start": { "chain": "order" },
        "workers": { "VALIDATE": "complete", "PAY": [{ "wait": "PAID", "timeout": "1h" }, "complete"] },
        "do": [
            { "advance": "10m", "expect": { "status": "RUNNING", "at": "PAY" } },
            { "signal": { "event": "PAID", "id": "e-1", "payload": { "sum": 9 } } },
        ],
        "expect": { "status": "COMPLETED", "elapsed": "10m" },
    }));
    passes(json!({
        "name": "order", "start": { "chain": "order" },
        "do": [
            { "until": "VALIDATE", "expect": { "at": "VALIDATE" } },
            { "fail": { "step": "PAY" }, "rejected": "TASK_NOT_FOUND" },
            { "fail": { "step": "VALIDATE", "error": "no", "fatal": true } },
            { "signal": "PAID", "rejected": "INSTANCE_ENDED" },
        ],
        "expect": { "status": "FAILED", "reason": "no" },
    }));
}

#[test]
fn who_waits_for_a_step_is_there_before_it_is_over() {
    passes(json!({
        "name": "order", "start": { "chain": "order" },
        "workers": { "VALIDATE": "complete", "PAY": "complete" },
        "do": [{ "until": "PAY", "expect": { "status": "RUNNING", "at": "PAY" } }],
        "expect": { "status": "COMPLETED", "elapsed": "0s" },
    }));
}

#[test]
fn entities_run_their_workflows() {
    let scenario = |big: Value, deeds: Value, expect: Value| {
        json!({
            "name": "claim", "start": { "entity": "claim", "document": { "sum": 10 } },
            "processors": { "enrich": [{ "fail": "busy" }, { "complete": { "rate": 1.5 } }] },
            "criteria": { "is-big": big }, "do": deeds, "expect": expect,
        })
    };
    passes(scenario(
        json!(true),
        json!([
            { "transition": "submit", "rejected": "WORKFLOW_FAILED", "expect": { "state": "NEW" } },
            { "transition": "submit", "expect": { "state": "REVIEW" } },
            { "transition": "submit", "rejected": "TRANSITION_NOT_FOUND" },
            { "transition": "pay" },
        ]),
        json!({ "state": "PAID", "path": ["NEW", "OPEN", "REVIEW", "PAID"],
                "document": { "sum": 10, "rate": 1.5 } }),
    ));
    passes(scenario(
        json!(false),
        json!([
            { "transition": "submit", "rejected": "WORKFLOW_FAILED" },
            { "transition": "submit" },
            { "update": { "sum": 11 } },
        ]),
        json!({ "state": "PAID", "path": ["NEW", "OPEN", "PAID"], "exactly": { "sum": 11 } }),
    ));
    let nobody = json!({
        "name": "claim", "start": { "entity": "claim", "transition": "submit" },
        "expect": { "rejected": "NO_COMPUTE_MEMBER_FOR_TAG" },
    });
    passes(nobody);
}

/// Plays scenarios of claims that somebody is reminded of after two days.
fn remind(scenario: Value) -> Played {
    let mut definitions = Definitions::default();
    let reminder = json!({ "workflows": [{
        "version": "1", "name": "reminder", "initialState": "NEW", "active": true, "states": {
            "NEW": { "transitions": [
                { "name": "remind", "next": "LATE", "manual": false,
                  "schedule": { "delayMs": 172_800_000 }, "processors": [
                    { "name": "mail", "type": "EXTERNAL", "config": {} } ] },
                { "name": "pay", "next": "PAID", "manual": true } ] },
            "LATE": { "transitions": [
                { "name": "drop", "next": "DONE", "manual": false,
                  "schedule": { "delayMs": 3_600_000, "timeoutMs": 60_000 } } ] },
            "PAID": {}, "DONE": {},
        } }] });
    definitions.add(&reminder.to_string()).unwrap();
    let scenario: Scenario = serde_json::from_value(scenario).unwrap();
    rehearse(&scenario, &definitions, &Cast::default(), &mut Coverage::of(&definitions))
}

#[test]
fn entities_are_taken_on_by_time() {
    let scenario = |mail: Value, deeds: Value, expect: Value| {
        let played = remind(json!({
            "name": "claim", "start": { "entity": "claim", "document": { "sum": 10 } },
            "processors": { "mail": mail }, "do": deeds, "expect": expect,
        }));
        assert!(played.mismatches.is_empty(), "{played:#?}");
    };
    scenario(
        json!("complete"),
        json!([
            { "advance": "47h", "expect": { "state": "NEW" } },
            { "update": { "sum": 11 } },
            { "advance": "47h", "expect": { "state": "NEW" } },
            { "advance": "1h", "expect": { "state": "LATE" } },
        ]),
        json!({ "state": "DONE", "path": ["NEW", "LATE", "DONE"], "elapsed": "96h",
                "timersFired": 2 }),
    );
    scenario(
        json!("complete"),
        json!([{ "advance": "47h" }, { "transition": "pay" }]),
        json!({ "state": "PAID", "path": ["NEW", "PAID"], "elapsed": "47h", "timersFired": 0 }),
    );
    scenario(
        json!({ "fatal": "no address" }),
        json!([{ "advance": "49h" }]),
        json!({ "state": "NEW", "rejected": "WORKFLOW_FAILED", "timersFired": 0 }),
    );
    scenario(
        json!("complete"),
        json!([{ "until": "DONE" }]),
        json!({ "state": "DONE", "elapsed": "49h" }),
    );
}

#[test]
fn lifecycles_move_along_their_table() {
    passes(json!({
        "name": "mission", "start": { "lifecycle": "drone", "phase": "planning" },
        "do": [
            { "move": "landed", "rejected": "INVALID_TRANSITION" },
            { "move": "flyin", "rejected": "UNKNOWN_PHASE" },
            { "move": "flying" },
            { "move": "landed" },
            { "move": "flying", "rejected": "TERMINAL_PHASE" },
        ],
        "expect": { "phase": "landed", "path": ["planning", "flying", "landed"] },
    }));
}

#[test]
fn what_cannot_be_played_is_told_before() {
    for (scenario, problem) in [
        (
            json!({ "name": "x", "start": { "process": "revew" } }),
            "there is no process \"revew\" among the definitions",
        ),
        (
            json!({ "name": "x", "start": { "chain": "order" }, "do": [{ "move": "a" }] }),
            "do[0]: a chain has no move",
        ),
    ] {
        let scenario: Scenario = serde_json::from_value(scenario).unwrap();
        assert_eq!(scenario.problem(&definitions()).as_deref(), Some(problem));
    }
}

#[test]
fn coverage_counts_exits_rules_timers_and_failures() {
    let definitions = definitions();
    let mut coverage = Coverage::of(&definitions);
    let count = |coverage: &Coverage, name: &str| {
        let (_, covered) = coverage.definitions().find(|(it, _)| *it == name).unwrap();
        Kind::ALL.map(|kind| covered.count(kind))
    };
    assert_eq!(count(&coverage, "review"), [(0, 6), (0, 2), (0, 2), (0, 1), (0, 1), (0, 0)]);
    let scenario: Scenario = serde_json::from_value(overdue(json!({}))).unwrap();
    rehearse(&scenario, &definitions, &Cast::default(), &mut coverage);
    assert_eq!(count(&coverage, "review"), [(6, 6), (1, 2), (1, 2), (1, 1), (1, 1), (0, 0)]);
    assert_eq!(count(&coverage, "notify"), [(2, 2), (0, 0), (0, 0), (0, 0), (0, 1), (0, 0)]);
    let (_, covered) = coverage.definitions().find(|(it, _)| *it == "review").unwrap();
    let missed: Vec<&str> = covered.missed().map(|it| it.label.as_str()).collect();
    assert_eq!(missed, ["tier: rule 2 (otherwise)", "route: #tier == 'LOW' → done"]);
    let moves = json!({ "name": "m", "start": { "lifecycle": "drone", "phase": "planning" },
                        "do": [{ "move": "flying" }] });
    let claim = json!({ "name": "c", "start": { "entity": "claim", "transition": "submit" },
                        "processors": { "enrich": "complete" }, "criteria": { "is-big": true } });
    let chain = json!({ "name": "o", "start": { "chain": "order" },
                        "workers": { "VALIDATE": [{ "fail": "x" }, "complete"] } });
    for scenario in [moves, claim, chain] {
        let scenario: Scenario = serde_json::from_value(scenario).unwrap();
        rehearse(&scenario, &definitions, &Cast::default(), &mut coverage);
    }
    assert_eq!(count(&coverage, "drone")[5], (1, 2));
    assert_eq!(count(&coverage, "claims")[5], (2, 4));
    assert_eq!(count(&coverage, "order"), [(1, 2), (0, 0), (0, 0), (0, 0), (1, 2), (0, 0)]);
}

/// The aim is a thousand in a second; the bound leaves room for a machine that has other things to
/// do.
#[test]
#[expect(clippy::disallowed_methods, reason = "how long it takes is what is asked")]
fn a_thousand_scenarios_take_no_time() {
    let mut definitions = Definitions::default();
    definitions.add(include_str!("../../../examples/loan-application.json")).unwrap();
    definitions.add(include_str!("../../../examples/loan-disbursement.json")).unwrap();
    let scenario: Scenario = serde_json::from_value(json!({
        "name": "a review that is overdue",
        "start": { "process": "LOS::loan-application-full", "variables": { "loanAmount": 1000 } },
        "workers": {
            "validate-application": "complete",
            "credit-score": { "complete": { "creditScore": 600 } },
            "fraud-screen": { "complete": { "fraudScore": 0.1 } },
            "escalate-review": "complete",
        },
        "expect": { "status": "COMPLETED", "elapsed": "48h" },
    }))
    .unwrap();
    let mut coverage = Coverage::of(&definitions);
    let began = std::time::Instant::now();
    for _ in 0..1_000 {
        let played = rehearse(&scenario, &definitions, &Cast::default(), &mut coverage);
        assert!(played.mismatches.is_empty(), "{:?}", played.mismatches);
    }
    let took = began.elapsed();
    assert!(took < std::time::Duration::from_secs(20), "it took {took:?}");
}
