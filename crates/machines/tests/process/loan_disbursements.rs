//! What follows an application for a loan, through all the ends it has.

use expect_test::{Expect, expect};

use crate::{notation::deployed, story::tell};

const DISBURSEMENT: &str = include_str!("../../../../examples/loan-disbursement.json");

fn check(definition: &str, story: &str, expect: Expect) {
    expect.assert_eq(&tell(deployed(definition), story));
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
