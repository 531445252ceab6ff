//! Two loan definitions, the second of which follows the first, through all the ends they have.

use expect_test::{Expect, expect};
use waypost_machines::process::{Graph, Source, expression::Coercion};

use crate::story::tell;

const APPLICATION: &str = include_str!("loans/application.json");
const DISBURSEMENT: &str = include_str!("loans/disbursement.json");

fn check(definition: &str, story: &str, expect: Expect) {
    let source = Source::parse(definition).unwrap();
    let graph = Graph::new(&source, 1, Coercion::On).unwrap();
    expect.assert_eq(&tell(graph, story));
}

#[test]
fn an_application_with_an_ordinary_score_is_approved() {
    check(
        APPLICATION,
        r#"
        start key=APP-1 {"loanAmount":200000000}
        claim validate-application w1
        done 2 {"applicantId":"APP-1"}
        claim credit-score w1
        claim fraud-screen w2
        done 6 {"creditScore":720}
        done 8 {"fraudScore":0.12}
        claim approve-loan w1
        done 14 {"loanId":"LOAN-1"}
        ring
        history
        "#,
        expect![[r#"
            start key=APP-1 {"loanAmount":200000000}
              validate-application#1 waits for task 2 with 2 retries
              + task 2 validate-application
              => ACTIVE [validate-application]
                 {"loanAmount":200000000}
            claim validate-application w1
              w1 has task 2 of validate-application until +30s: {"loanAmount":200000000}
            done 2 {"applicantId":"APP-1"}
              #1 deeply merges {"applicantId":"APP-1"}
              #1 left
              parallel-risk-checks#3 passed
              fork 4 of 2
              credit-score-check#5 on 4.0 waits for task 6 with 3 retries
              fraud-screening#7 on 4.1 waits for task 8 with 3 retries
              - task 2
              + task 6 credit-score
              + task 8 fraud-screen
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
              classify-risk-tier#11 passed, sets {"riskTier":"STANDARD","decisionReason":"an ordinary score","interestRatePct":9}
              route-application#12 passed
              auto-approve#13 waits for task 14 with 3 retries
              - task 8
              + task 14 approve-loan
              => ACTIVE [auto-approve]
                 {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12,"riskTier":"STANDARD","decisionReason":"an ordinary score","interestRatePct":9}
            claim approve-loan w1
              w1 has task 14 of auto-approve until +30s: {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12,"riskTier":"STANDARD","decisionReason":"an ordinary score","interestRatePct":9}
            done 14 {"loanId":"LOAN-1"}
              #13 deeply merges {"loanId":"LOAN-1"}
              #13 left
              end-approved#15 passed
              completed
              - task 14
              + timer next at +0s
              => COMPLETED []
                 {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12,"riskTier":"STANDARD","decisionReason":"an ordinary score","interestRatePct":9,"loanId":"LOAN-1"}
            ring
              LOS::loan-disbursement-workflow is to start
              => COMPLETED []
            history
              validate-application#1 1. COMPLETED +0s..+0s {"loanAmount":200000000} -> {"applicantId":"APP-1"}
              parallel-risk-checks#3 1. COMPLETED +0s..+0s {"loanAmount":200000000,"applicantId":"APP-1"}
              credit-score-check#5 1. COMPLETED +0s..+0s {"loanAmount":200000000,"applicantId":"APP-1"} -> {"creditScore":720}
              fraud-screening#7 1. COMPLETED +0s..+0s {"loanAmount":200000000,"applicantId":"APP-1"} -> {"fraudScore":0.12}
              merge-risk-results#9 1. COMPLETED +0s..+0s {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720}
              merge-risk-results#10 2. COMPLETED +0s..+0s {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12}
              classify-risk-tier#11 1. COMPLETED +0s..+0s {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12} -> {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12,"riskTier":"STANDARD","decisionReason":"an ordinary score","interestRatePct":9}
              route-application#12 1. COMPLETED +0s..+0s {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12,"riskTier":"STANDARD","decisionReason":"an ordinary score","interestRatePct":9}
              auto-approve#13 1. COMPLETED +0s..+0s {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12,"riskTier":"STANDARD","decisionReason":"an ordinary score","interestRatePct":9} -> {"loanId":"LOAN-1"}
              end-approved#15 1. COMPLETED +0s..+0s {"loanAmount":200000000,"applicantId":"APP-1","creditScore":720,"fraudScore":0.12,"riskTier":"STANDARD","decisionReason":"an ordinary score","interestRatePct":9,"loanId":"LOAN-1"}
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
              + task 6 credit-score
              + task 8 fraud-screen
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
              classify-risk-tier#11 passed, sets {"riskTier":"PREMIUM","decisionReason":"a very good score","interestRatePct":6.5}
              route-application#12 passed
              auto-approve#13 waits for task 14 with 3 retries
              - task 8
              + task 14 approve-loan
              => ACTIVE [auto-approve]
                 {"loanAmount":600000000,"creditScore":800,"fraudScore":0.1,"riskTier":"PREMIUM","decisionReason":"a very good score","interestRatePct":6.5}
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
              + task 6 credit-score
              + task 8 fraud-screen
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
              classify-risk-tier#11 passed, sets {"riskTier":"HIGH","decisionReason":"score too low","interestRatePct":0}
              route-application#12 passed
              end-rejected#13 passed
              completed
              - task 8
              + timer next at +0s
              => COMPLETED []
                 {"creditScore":499,"fraudScore":0.1,"riskTier":"HIGH","decisionReason":"score too low","interestRatePct":0}
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
              + task 6 credit-score
              + task 8 fraud-screen
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
              classify-risk-tier#11 passed, sets {"riskTier":"HIGH","decisionReason":"signs of fraud","interestRatePct":0}
              route-application#12 passed
              end-rejected#13 passed
              completed
              - task 8
              + timer next at +0s
              => COMPLETED []
                 {"creditScore":800,"fraudScore":0.81,"riskTier":"HIGH","decisionReason":"signs of fraud","interestRatePct":0}
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
              + task 6 credit-score
              + task 8 fraud-screen
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
              classify-risk-tier#11 passed, sets {"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
              route-application#12 passed
              manual-review-task#13 waits for a person
              - task 8
              + timer 13.0 at +48h
              => WAITING [manual-review-task]
                 {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
            user manual-review-task {"reviewDecision":"APPROVED"}
              #13 merges {"reviewDecision":"APPROVED"}
              #13 left
              process-review-decision#14 passed
              auto-approve#15 waits for task 16 with 3 retries
              + task 16 approve-loan
              - timer 13.0
              => ACTIVE [auto-approve]
                 {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5,"reviewDecision":"APPROVED"}
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
              + task 6 credit-score
              + task 8 fraud-screen
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
              classify-risk-tier#11 passed, sets {"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
              route-application#12 passed
              manual-review-task#13 waits for a person
              - task 8
              + timer 13.0 at +48h
              => WAITING [manual-review-task]
                 {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
            user manual-review-task {"reviewDecision":"REJECTED"}
              #13 merges {"reviewDecision":"REJECTED"}
              #13 left
              process-review-decision#14 passed
              end-rejected#15 passed
              completed
              - timer 13.0
              + timer next at +0s
              => COMPLETED []
                 {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5,"reviewDecision":"REJECTED"}
        "#]],
    );
}

#[test]
fn an_application_nobody_looks_at_is_escalated() {
    check(
        APPLICATION,
        r#"
        start
        done 2
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
              + task 6 credit-score
              + task 8 fraud-screen
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
              classify-risk-tier#11 passed, sets {"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
              route-application#12 passed
              manual-review-task#13 waits for a person
              - task 8
              + timer 13.0 at +48h
              => WAITING [manual-review-task]
                 {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
            wait 48h
            ring
              timer 13.0 is due
              timer 13.0 fired
              escalate-review#14 waits for task 15
              + task 15 escalate-review
              => WAITING [manual-review-task escalate-review]
            claim escalate-review w1
              w1 has task 15 of escalate-review until +172830s: {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
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
              classify-risk-tier#11 1. COMPLETED +0s..+0s {"creditScore":600,"fraudScore":0.1} -> {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
              route-application#12 1. COMPLETED +0s..+0s {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
              manual-review-task#13 1. RUNNING +0s {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
              escalate-review#14 1. COMPLETED +48h..+48h {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
              end-escalated#16 1. COMPLETED +48h..+48h {"creditScore":600,"fraudScore":0.1,"riskTier":"MEDIUM","decisionReason":"somebody must look at it","interestRatePct":12.5}
        "#]],
    );
}

#[test]
fn a_loan_of_an_ordinary_amount_is_paid_out() {
    check(
        DISBURSEMENT,
        r#"
        start key=APP-1 {"loanAmount":200000000,"loanId":"LOAN-1"}
        done 4 {"disbursementId":"DISB-1"}
        done 6 {"transferRef":"TXN-1"}
        fail 8
        done 9
        ring
        history
        "#,
        expect![[r#"
            start key=APP-1 {"loanAmount":200000000,"loanId":"LOAN-1"}
              compute-disbursement#1 passed, sets {"disbursementFee":2000000,"netAmount":198000000,"requiresSeniorApproval":false}
              route-disbursement#2 passed
              prepare-disbursement#3 waits for task 4 with 3 retries
              + task 4 prepare-disbursement
              => ACTIVE [prepare-disbursement]
                 {"loanAmount":200000000,"loanId":"LOAN-1","disbursementFee":2000000,"netAmount":198000000,"requiresSeniorApproval":false}
            done 4 {"disbursementId":"DISB-1"}
              #3 deeply merges {"disbursementId":"DISB-1"}
              #3 left
              transfer-funds#5 waits for task 6 with 5 retries
              - task 4
              + task 6 transfer-funds
              => ACTIVE [transfer-funds]
                 {"loanAmount":200000000,"loanId":"LOAN-1","disbursementFee":2000000,"netAmount":198000000,"requiresSeniorApproval":false,"disbursementId":"DISB-1"}
            done 6 {"transferRef":"TXN-1"}
              #5 deeply merges {"transferRef":"TXN-1"}
              #5 left
              notify-customer#7 waits for task 8 with 2 retries
              - task 6
              + task 8 notify-disbursement
              => ACTIVE [notify-customer]
                 {"loanAmount":200000000,"loanId":"LOAN-1","disbursementFee":2000000,"netAmount":198000000,"requiresSeniorApproval":false,"disbursementId":"DISB-1","transferRef":"TXN-1"}
            fail 8
              #7 retried as 9: boom
              - task 8
              + task 9 notify-disbursement
              => ACTIVE [notify-customer]
            done 9
              #7 left
              end-disbursed#10 passed
              completed
              - task 9
              => COMPLETED []
            ring
              = no timer is due
            history
              compute-disbursement#1 1. COMPLETED +0s..+0s {"loanAmount":200000000,"loanId":"LOAN-1"} -> {"loanAmount":200000000,"loanId":"LOAN-1","disbursementFee":2000000,"netAmount":198000000,"requiresSeniorApproval":false}
              route-disbursement#2 1. COMPLETED +0s..+0s {"loanAmount":200000000,"loanId":"LOAN-1","disbursementFee":2000000,"netAmount":198000000,"requiresSeniorApproval":false}
              prepare-disbursement#3 1. COMPLETED +0s..+0s {"loanAmount":200000000,"loanId":"LOAN-1","disbursementFee":2000000,"netAmount":198000000,"requiresSeniorApproval":false} -> {"disbursementId":"DISB-1"}
              transfer-funds#5 1. COMPLETED +0s..+0s {"loanAmount":200000000,"loanId":"LOAN-1","disbursementFee":2000000,"netAmount":198000000,"requiresSeniorApproval":false,"disbursementId":"DISB-1"} -> {"transferRef":"TXN-1"}
              notify-customer#7 1. COMPLETED +0s..+0s {"loanAmount":200000000,"loanId":"LOAN-1","disbursementFee":2000000,"netAmount":198000000,"requiresSeniorApproval":false,"disbursementId":"DISB-1","transferRef":"TXN-1"}
              end-disbursed#10 1. COMPLETED +0s..+0s {"loanAmount":200000000,"loanId":"LOAN-1","disbursementFee":2000000,"netAmount":198000000,"requiresSeniorApproval":false,"disbursementId":"DISB-1","transferRef":"TXN-1"}
        "#]],
    );
}

#[test]
fn a_large_loan_is_paid_out_when_a_senior_approves() {
    check(
        DISBURSEMENT,
        r#"
        start {"loanAmount":500000001}
        user senior-approval-task {"seniorDecision":"APPROVED"}
        done 6
        done 8
        done 10
        "#,
        expect![[r#"
            start {"loanAmount":500000001}
              compute-disbursement#1 passed, sets {"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true}
              route-disbursement#2 passed
              senior-approval-task#3 waits for a person
              + timer 3.0 at +8h
              => WAITING [senior-approval-task]
                 {"loanAmount":500000001,"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true}
            user senior-approval-task {"seniorDecision":"APPROVED"}
              #3 merges {"seniorDecision":"APPROVED"}
              #3 left
              check-senior-decision#4 passed
              prepare-disbursement#5 waits for task 6 with 3 retries
              + task 6 prepare-disbursement
              - timer 3.0
              => ACTIVE [prepare-disbursement]
                 {"loanAmount":500000001,"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true,"seniorDecision":"APPROVED"}
            done 6
              #5 left
              transfer-funds#7 waits for task 8 with 5 retries
              - task 6
              + task 8 transfer-funds
              => ACTIVE [transfer-funds]
            done 8
              #7 left
              notify-customer#9 waits for task 10 with 2 retries
              - task 8
              + task 10 notify-disbursement
              => ACTIVE [notify-customer]
            done 10
              #9 left
              end-disbursed#11 passed
              completed
              - task 10
              => COMPLETED []
        "#]],
    );
}

#[test]
fn a_large_loan_is_not_paid_out_when_a_senior_rejects() {
    check(
        DISBURSEMENT,
        r#"
        start {"loanAmount":500000001}
        user senior-approval-task {"seniorDecision":"REJECTED"}
        "#,
        expect![[r#"
            start {"loanAmount":500000001}
              compute-disbursement#1 passed, sets {"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true}
              route-disbursement#2 passed
              senior-approval-task#3 waits for a person
              + timer 3.0 at +8h
              => WAITING [senior-approval-task]
                 {"loanAmount":500000001,"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true}
            user senior-approval-task {"seniorDecision":"REJECTED"}
              #3 merges {"seniorDecision":"REJECTED"}
              #3 left
              check-senior-decision#4 passed
              end-disbursement-rejected#5 passed
              completed
              - timer 3.0
              => COMPLETED []
                 {"loanAmount":500000001,"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true,"seniorDecision":"REJECTED"}
        "#]],
    );
}

#[test]
fn a_large_loan_is_not_paid_out_when_the_senior_is_late() {
    check(
        DISBURSEMENT,
        r#"
        start {"loanAmount":500000001}
        wait 8h
        ring
        done 5
        user senior-approval-task {"seniorDecision":"APPROVED"}
        "#,
        expect![[r#"
            start {"loanAmount":500000001}
              compute-disbursement#1 passed, sets {"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true}
              route-disbursement#2 passed
              senior-approval-task#3 waits for a person
              + timer 3.0 at +8h
              => WAITING [senior-approval-task]
                 {"loanAmount":500000001,"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true}
            wait 8h
            ring
              timer 3.0 is due
              timer 3.0 fired
              notify-approval-overdue#4 waits for task 5
              + task 5 notify-approval-overdue
              => WAITING [senior-approval-task notify-approval-overdue]
            done 5
              #4 left
              end-disbursement-timeout#6 passed
              completed
              - task 5
              - timer 3.0
              => COMPLETED []
            user senior-approval-task {"seniorDecision":"APPROVED"}
              ! INSTANCE_ENDED instance is in a terminal state
        "#]],
    );
}

#[test]
fn a_senior_who_answers_before_the_notice_is_done_decides() {
    check(
        DISBURSEMENT,
        r#"
        start {"loanAmount":500000001}
        wait 8h
        ring
        user senior-approval-task {"seniorDecision":"REJECTED"}
        done 5
        "#,
        expect![[r#"
            start {"loanAmount":500000001}
              compute-disbursement#1 passed, sets {"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true}
              route-disbursement#2 passed
              senior-approval-task#3 waits for a person
              + timer 3.0 at +8h
              => WAITING [senior-approval-task]
                 {"loanAmount":500000001,"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true}
            wait 8h
            ring
              timer 3.0 is due
              timer 3.0 fired
              notify-approval-overdue#4 waits for task 5
              + task 5 notify-approval-overdue
              => WAITING [senior-approval-task notify-approval-overdue]
            user senior-approval-task {"seniorDecision":"REJECTED"}
              #3 merges {"seniorDecision":"REJECTED"}
              #3 left
              check-senior-decision#6 passed
              end-disbursement-rejected#7 passed
              completed
              - task 5
              - timer 3.0
              => COMPLETED []
                 {"loanAmount":500000001,"disbursementFee":5000000.01,"netAmount":495000000.99,"requiresSeniorApproval":true,"seniorDecision":"REJECTED"}
            done 5
              = nothing changes
        "#]],
    );
}
