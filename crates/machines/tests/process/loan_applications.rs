//! An application for a loan, through all the ends it has. Each of them starts what follows.

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use waypost_machines::process::{Command, Start};

use crate::{
    notation::deployed,
    story::{tell, variables},
    world::World,
};

const APPLICATION: &str = include_str!("../../../../examples/loan-application.json");

fn check(definition: &str, story: &str, expect: Expect) {
    expect.assert_eq(&tell(deployed(definition), story));
}

#[test]
fn an_application_with_an_ordinary_score_is_approved() {
    check(
        APPLICATION,
        r#"
        .. start key=APP-1 {"loanAmount":200000000}
        .. claim validate-application w1
        done 2 {"applicantId":"APP-1"}
        claim credit-score w1
        claim fraud-screen w2
        done 6 {"creditScore":720}
        done 8 {"fraudScore":0.12}
        claim approve-loan w1
        done 14 {"loanId":"LOAN-1"}
        ring
        "#,
        expect![[r#"
            .. start key=APP-1 {"loanAmount":200000000}
            .. claim validate-application w1
            done 2 {"applicantId":"APP-1"}
              #1 deeply merges {"applicantId":"APP-1"}
              #1 left
              parallel-risk-checks#3 passed
              fork 4 of 2
              credit-score-check#5 on 4.0 waits for task 6 with 3 retries
              fraud-screening#7 on 4.1 waits for task 8 with 3 retries
              - task 2
              + task 6 credit-score, 8 fraud-screen
              => ACTIVE [credit-score-check fraud-screening]
                 {"loanAmount":200000000,"applicantId":"APP-1"}
            claim credit-score w1
              w1 has task 6 of credit-score-check until +30s: {"loanAmount":200000000,"applicantId":"APP-1"}
            claim fraud-screen w2
              w2 has task 8 of fraud-screening until +30s: {"loanAmount":200000000,"applicantId":"APP-1"}
            done 6 {"creditScore":720}
              #5 deeply merges {"creditScore":720}
              #5 left
              merge-risk-results#9 reached on 4.0
              - task 6
              => ACTIVE [fraud-screening merge-risk-results]
                 {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720}
            done 8 {"fraudScore":0.12}
              #7 deeply merges {"fraudScore":0.12}
              #7 left
              merge-risk-results#10 reached on 4.1
              fork 4 joined
              classify-risk-tier#11 passed, sets {"riskTier":"STANDARD","decisionReason":"Standard credit profile","interestRatePct":9}
              route-application#12 passed
              auto-approve#13 waits for task 14 with 3 retries
              - task 8
              + task 14 approve-loan
              => ACTIVE [auto-approve]
                 {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12,"riskTier":"STANDARD","decisionReason":"Standard credit profile","interestRatePct":9}
            claim approve-loan w1
              w1 has task 14 of auto-approve until +30s: {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12,"riskTier":"STANDARD","decisionReason":"Standard credit profile","interestRatePct":9}
            done 14 {"loanId":"LOAN-1"}
              #13 deeply merges {"loanId":"LOAN-1"}
              #13 left
              end-approved#15 passed
              completed
              - task 14
              + timer next at +0s
              => COMPLETED []
                 {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12,"riskTier":"STANDARD","decisionReason":"Standard credit profile","interestRatePct":9,"loanId":"LOAN-1"}
            ring
              LOS::loan-disbursement-workflow is to start
              => COMPLETED []
        "#]],
    );
}

#[test]
fn an_application_with_a_very_good_score_is_approved() {
    check(
        APPLICATION,
        r#"
        start {"loanAmount":600000000}
        done 2
        done 6 {"creditScore":800}
        done 8 {"fraudScore":0.1}
        done 14
        ring
        "#,
        expect![[r#"
            start {"loanAmount":600000000}
              validate-application#1 waits for task 2 with 2 retries
              + task 2 validate-application
              => ACTIVE [validate-application]
                 {"loanAmount":600000000}
            done 2
              #1 left
              parallel-risk-checks#3 passed
              fork 4 of 2
              credit-score-check#5 on 4.0 waits for task 6 with 3 retries
              fraud-screening#7 on 4.1 waits for task 8 with 3 retries
              - task 2
              + task 6 credit-score, 8 fraud-screen
              => ACTIVE [credit-score-check fraud-screening]
            done 6 {"creditScore":800}
              #5 deeply merges {"creditScore":800}
              #5 left
              merge-risk-results#9 reached on 4.0
              - task 6
              => ACTIVE [fraud-screening merge-risk-results]
                 {"loanAmount":600000000,"creditScore":800}
            done 8 {"fraudScore":0.1}
              #7 deeply merges {"fraudScore":0.1}
              #7 left
              merge-risk-results#10 reached on 4.1
              fork 4 joined
              classify-risk-tier#11 passed, sets {"riskTier":"PREMIUM","decisionReason":"Excellent credit profile","interestRatePct":6.5}
              route-application#12 passed
              auto-approve#13 waits for task 14 with 3 retries
              - task 8
              + task 14 approve-loan
              => ACTIVE [auto-approve]
                 {"loanAmount":600000000,"creditScore":800,"fraudScore":0.1,"riskTier":"PREMIUM","decisionReason":"Excellent credit profile","interestRatePct":6.5}
            done 14
              #13 left
              end-approved#15 passed
              completed
              - task 14
              + timer next at +0s
              => COMPLETED []
            ring
              LOS::loan-disbursement-workflow is to start
              => COMPLETED []
        "#]],
    );
}

#[test]
fn an_application_with_a_low_score_is_rejected() {
    check(
        APPLICATION,
        r#"
        start
        done 2
        done 6 {"creditScore":499}
        done 8 {"fraudScore":0.1}
        "#,
        expect![[r#"
            start
              validate-application#1 waits for task 2 with 2 retries
              + task 2 validate-application
              => ACTIVE [validate-application]
                 {}
            done 2
              #1 left
              parallel-risk-checks#3 passed
              fork 4 of 2
              credit-score-check#5 on 4.0 waits for task 6 with 3 retries
              fraud-screening#7 on 4.1 waits for task 8 with 3 retries
              - task 2
              + task 6 credit-score, 8 fraud-screen
              => ACTIVE [credit-score-check fraud-screening]
            done 6 {"creditScore":499}
              #5 deeply merges {"creditScore":499}
              #5 left
              merge-risk-results#9 reached on 4.0
              - task 6
              => ACTIVE [fraud-screening merge-risk-results]
                 {"creditScore":499}
            done 8 {"fraudScore":0.1}
              #7 deeply merges {"fraudScore":0.1}
              #7 left
              merge-risk-results#10 reached on 4.1
              fork 4 joined
              classify-risk-tier#11 passed, sets {"riskTier":"HIGH","decisionReason":"Credit score below acceptable threshold","interestRatePct":0}
              route-application#12 passed
              end-rejected#13 passed
              completed
              - task 8
              + timer next at +0s
              => COMPLETED []
                 {"creditScore":499,"fraudScore":0.1,"riskTier":"HIGH","decisionReason":"Credit score below acceptable threshold","interestRatePct":0}
        "#]],
    );
}

#[test]
fn an_application_with_signs_of_fraud_is_rejected() {
    check(
        APPLICATION,
        r#"
        start
        done 2
        done 6 {"creditScore":800}
        done 8 {"fraudScore":0.81}
        "#,
        expect![[r#"
            start
              validate-application#1 waits for task 2 with 2 retries
              + task 2 validate-application
              => ACTIVE [validate-application]
                 {}
            done 2
              #1 left
              parallel-risk-checks#3 passed
              fork 4 of 2
              credit-score-check#5 on 4.0 waits for task 6 with 3 retries
              fraud-screening#7 on 4.1 waits for task 8 with 3 retries
              - task 2
              + task 6 credit-score, 8 fraud-screen
              => ACTIVE [credit-score-check fraud-screening]
            done 6 {"creditScore":800}
              #5 deeply merges {"creditScore":800}
              #5 left
              merge-risk-results#9 reached on 4.0
              - task 6
              => ACTIVE [fraud-screening merge-risk-results]
                 {"creditScore":800}
            done 8 {"fraudScore":0.81}
              #7 deeply merges {"fraudScore":0.81}
              #7 left
              merge-risk-results#10 reached on 4.1
              fork 4 joined
              classify-risk-tier#11 passed, sets {"riskTier":"HIGH","decisionReason":"Fraud signal above acceptable threshold","interestRatePct":0}
              route-application#12 passed
              end-rejected#13 passed
              completed
              - task 8
              + timer next at +0s
              => COMPLETED []
                 {"creditScore":800,"fraudScore":0.81,"riskTier":"HIGH","decisionReason":"Fraud signal above acceptable threshold","interestRatePct":0}
        "#]],
    );
}

#[test]
fn an_application_in_between_is_approved_by_a_person() {
    check(
        APPLICATION,
        r#"
        start
        done 2
        done 6 {"creditScore":600}
        done 8 {"fraudScore":0.1}
        user manual-review-task {"reviewDecision":"APPROVED"}
        done 16
        ring
        "#,
        expect![[r#"
            start
              validate-application#1 waits for task 2 with 2 retries
              + task 2 validate-application
              => ACTIVE [validate-application]
                 {}
            done 2
              #1 left
              parallel-risk-checks#3 passed
              fork 4 of 2
              credit-score-check#5 on 4.0 waits for task 6 with 3 retries
              fraud-screening#7 on 4.1 waits for task 8 with 3 retries
              - task 2
              + task 6 credit-score, 8 fraud-screen
              => ACTIVE [credit-score-check fraud-screening]
            done 6 {"creditScore":600}
              #5 deeply merges {"creditScore":600}
              #5 left
              merge-risk-results#9 reached on 4.0
              - task 6
              => ACTIVE [fraud-screening merge-risk-results]
                 {"creditScore":600}
            done 8 {"fraudScore":0.1}
              #7 deeply merges {"fraudScore":0.1}
              #7 left
              merge-risk-results#10 reached on 4.1
              fork 4 joined
              classify-risk-tier#11 passed, sets {"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
              route-application#12 passed
              manual-review-task#13 waits for a person
              - task 8
              + timer 13.0 at +48h
              => WAITING [manual-review-task]
                 {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
            user manual-review-task {"reviewDecision":"APPROVED"}
              #13 merges {"reviewDecision":"APPROVED"}
              #13 left
              process-review-decision#14 passed
              auto-approve#15 waits for task 16 with 3 retries
              + task 16 approve-loan
              - timer 13.0
              => ACTIVE [auto-approve]
                 {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5,"reviewDecision":"APPROVED"}
            done 16
              #15 left
              end-approved#17 passed
              completed
              - task 16
              + timer next at +0s
              => COMPLETED []
            ring
              LOS::loan-disbursement-workflow is to start
              => COMPLETED []
        "#]],
    );
}

#[test]
fn an_application_in_between_is_rejected_by_a_person() {
    check(
        APPLICATION,
        r#"
        start
        done 2
        done 6 {"creditScore":600}
        done 8 {"fraudScore":0.1}
        user manual-review-task {"reviewDecision":"REJECTED"}
        "#,
        expect![[r#"
            start
              validate-application#1 waits for task 2 with 2 retries
              + task 2 validate-application
              => ACTIVE [validate-application]
                 {}
            done 2
              #1 left
              parallel-risk-checks#3 passed
              fork 4 of 2
              credit-score-check#5 on 4.0 waits for task 6 with 3 retries
              fraud-screening#7 on 4.1 waits for task 8 with 3 retries
              - task 2
              + task 6 credit-score, 8 fraud-screen
              => ACTIVE [credit-score-check fraud-screening]
            done 6 {"creditScore":600}
              #5 deeply merges {"creditScore":600}
              #5 left
              merge-risk-results#9 reached on 4.0
              - task 6
              => ACTIVE [fraud-screening merge-risk-results]
                 {"creditScore":600}
            done 8 {"fraudScore":0.1}
              #7 deeply merges {"fraudScore":0.1}
              #7 left
              merge-risk-results#10 reached on 4.1
              fork 4 joined
              classify-risk-tier#11 passed, sets {"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
              route-application#12 passed
              manual-review-task#13 waits for a person
              - task 8
              + timer 13.0 at +48h
              => WAITING [manual-review-task]
                 {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
            user manual-review-task {"reviewDecision":"REJECTED"}
              #13 merges {"reviewDecision":"REJECTED"}
              #13 left
              process-review-decision#14 passed
              end-rejected#15 passed
              completed
              - timer 13.0
              + timer next at +0s
              => COMPLETED []
                 {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5,"reviewDecision":"REJECTED"}
        "#]],
    );
}

#[test]
fn an_application_nobody_looks_at_is_escalated() {
    check(
        APPLICATION,
        r#"
        .. start
        .. done 2
        done 6 {"creditScore":600}
        done 8 {"fraudScore":0.1}
        wait 48h
        ring
        claim escalate-review w1
        done 15
        user manual-review-task {"reviewDecision":"APPROVED"}
        history
        "#,
        expect![[r#"
            .. start
            .. done 2
            done 6 {"creditScore":600}
              #5 deeply merges {"creditScore":600}
              #5 left
              merge-risk-results#9 reached on 4.0
              - task 6
              => ACTIVE [fraud-screening merge-risk-results]
                 {"creditScore":600}
            done 8 {"fraudScore":0.1}
              #7 deeply merges {"fraudScore":0.1}
              #7 left
              merge-risk-results#10 reached on 4.1
              fork 4 joined
              classify-risk-tier#11 passed, sets {"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
              route-application#12 passed
              manual-review-task#13 waits for a person
              - task 8
              + timer 13.0 at +48h
              => WAITING [manual-review-task]
                 {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
            wait 48h
            ring
              timer 13.0 is due
              timer 13.0 fired
              escalate-review#14 waits for task 15
              + task 15 escalate-review
              => WAITING [manual-review-task escalate-review]
            claim escalate-review w1
              w1 has task 15 of escalate-review until +172830s: {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
            done 15
              #14 left
              end-escalated#16 passed
              completed
              - task 15
              - timer 13.0
              + timer next at +48h
              => COMPLETED []
            user manual-review-task {"reviewDecision":"APPROVED"}
              ! INSTANCE_ENDED instance is in a terminal state
            history
              validate-application#1 1. COMPLETED +0s..+0s {}
              parallel-risk-checks#3 1. COMPLETED +0s..+0s {}
              credit-score-check#5 1. COMPLETED +0s..+0s {} -> {"creditScore":600}
              fraud-screening#7 1. COMPLETED +0s..+0s {} -> {"fraudScore":0.1}
              merge-risk-results#9 1. COMPLETED +0s..+0s {"creditScore":600}
              merge-risk-results#10 2. COMPLETED +0s..+0s {"creditScore":600,"fraudScore":0.1}
              classify-risk-tier#11 1. COMPLETED +0s..+0s {"creditScore":600,"fraudScore":0.1} -> {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
              route-application#12 1. COMPLETED +0s..+0s {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
              manual-review-task#13 1. RUNNING +0s {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
              escalate-review#14 1. COMPLETED +48h..+48h {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
              end-escalated#16 1. COMPLETED +48h..+48h {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"Mid-range credit score, manual underwriting required","interestRatePct":12.5}
        "#]],
    );
}

/// What an application with that score and those signs of fraud comes to, and where it leads.
fn classified(score: u32, fraud: f64) -> (Value, String) {
    let mut world = World::new(deployed(APPLICATION));
    let (score, fraud) =
        (format!(r#"{{"creditScore":{score}}}"#), format!(r#"{{"fraudScore":{fraud}}}"#));
    world.submit(&Command::Start(Start::default())).unwrap();
    for (task, output) in [(2, "{}"), (6, &score), (8, &fraud)] {
        let output = variables(output);
        world.submit(&Command::Complete { task, worker: "w".into(), output }).unwrap();
    }
    let known = ["riskTier", "decisionReason", "interestRatePct"]
        .map(|it| world.state.variables.get(it).unwrap().clone());
    let end = world.history.visits().pop().unwrap().step.to_string();
    (known.into_iter().collect(), end)
}

#[test]
fn scores_and_signs_of_fraud_at_the_edges_fall_on_their_side() {
    let low = json!(["HIGH", "Credit score below acceptable threshold", 0]);
    let fraud = json!(["HIGH", "Fraud signal above acceptable threshold", 0]);
    let medium = json!(["MEDIUM", "Mid-range credit score, manual underwriting required", 12.5]);
    let premium = json!(["PREMIUM", "Excellent credit profile", 6.5]);
    let standard = json!(["STANDARD", "Standard credit profile", 9]);
    for (score, signs, known, step) in [
        (499, 0.0, &low, "end-rejected"),
        (499, 0.9, &low, "end-rejected"),
        (500, 0.0, &medium, "manual-review-task"),
        (500, 0.8, &medium, "manual-review-task"),
        (500, 0.81, &fraud, "end-rejected"),
        (600, 0.1, &medium, "manual-review-task"),
        (649, 0.0, &medium, "manual-review-task"),
        (650, 0.0, &standard, "auto-approve"),
        (720, 0.12, &standard, "auto-approve"),
        (749, 0.8, &standard, "auto-approve"),
        (750, 0.8, &premium, "auto-approve"),
        (750, 0.81, &fraud, "end-rejected"),
        (800, 0.1, &premium, "auto-approve"),
    ] {
        let expected = (known.clone(), step.to_owned());
        assert_eq!(classified(score, signs), expected, "{score} {signs}");
    }
}
