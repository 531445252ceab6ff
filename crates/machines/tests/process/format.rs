//! The examples the format is explained with: what they decide, classify and compute.

use serde_json::{Value, json};
use waypost_machines::process::{Command, Event, Graph, Phase, Start};

use crate::{
    notation::{deployed, graph},
    story::variables,
    world::World,
};

/// Starts an instance; gives the last step it passed, and its variables.
fn ended(graph: Graph, known: &str) -> (String, Value) {
    let mut world = World::new(graph);
    let start = Start { variables: variables(known), ..Start::default() };
    let landed = world.submit(&Command::Start(start)).unwrap();
    assert_eq!(world.state.phase, Phase::Completed, "{known}: {:?}", world.state.reason);
    let passed = landed.decided.events.iter().rev().find_map(|event| {
        let Event::Passed { step, .. } = event else { return None };
        Some(step.to_string())
    });
    (passed.unwrap(), Value::Object((*world.state.variables).clone()))
}

/// Steps as the format shows them, and plain ends of these names.
fn with_ends(steps: &str, ends: &[&str]) -> Graph {
    let ends = ends.iter().map(|it| format!(r#",{{"id":"{it}","name":"{it}","type":"END"}}"#));
    let ends: String = ends.collect();
    deployed(&format!(r#"{{"id":"greet-workflow","name":"Greet","steps":[{steps}{ends}]}}"#))
}

const CHECK_CREDIT_SCORE: &str = r##"{
    "id": "check-credit-score",
    "name": "Check Credit Score",
    "type": "DECISION",
    "conditionalNextSteps": {
        "#creditScore >= 700": "approve-loan",
        "#creditScore >= 500 && #creditScore < 700": "manual-review",
        "#creditScore < 500": "reject-loan"
    }
}"##;

#[test]
fn a_credit_score_leads_one_of_three_ways() {
    for (score, expected) in [
        (700, "approve-loan"),
        (699, "manual-review"),
        (500, "manual-review"),
        (499, "reject-loan"),
        (850, "approve-loan"),
    ] {
        let ends = ["approve-loan", "manual-review", "reject-loan"];
        let known = json!({ "creditScore": score }).to_string();
        let (passed, _) = ended(with_ends(CHECK_CREDIT_SCORE, &ends), &known);
        assert_eq!(passed, expected, "{score}");
    }
}

#[test]
fn a_last_branch_may_catch_all() {
    for last in ["#status != 'PENDING'", "true"] {
        let text =
            format!("d decide\nif #status == 'APPROVED' -> yes\nif {last} -> no\nyes end\nno end");
        for (status, expected) in [("APPROVED", "yes"), ("REJECTED", "no"), ("", "no")] {
            let known = json!({ "status": status }).to_string();
            assert_eq!(ended(graph(&text), &known).0, expected, "{last} {status}");
        }
    }
}

const CLASSIFY_TIER: &str = r#"{
    "id": "classify-tier",
    "name": "Classify Tier",
    "type": "DECISION_TABLE",
    "hitPolicy": "F",
    "nextStep": "route-by-tier",
    "decisionTable": {
        "rules": [
            {
                "when": { "creditScore": "creditScore >= 750", "amount": "amount >= 50000000" },
                "outputs": { "tier": "GOLD", "feePercent": 0.5 }
            },
            {
                "when": { "creditScore": "creditScore >= 700" },
                "outputs": { "tier": "SILVER", "feePercent": 0.7 }
            },
            {
                "when": {},
                "outputs": { "tier": "BRONZE", "feePercent": 1.0 }
            }
        ]
    }
},
{ "id": "route-by-tier", "name": "Route", "type": "DECISION",
  "conditionalNextSteps": {
    "tier == \"GOLD\"": "gold-end",
    "tier == \"SILVER\"": "silver-end",
    "tier == \"BRONZE\"": "bronze-end"
} }"#;

#[test]
fn a_table_classifies_and_a_decision_routes() {
    for (score, amount, end, tier, fee) in [
        (750, 50_000_000, "gold-end", "GOLD", json!(0.5)),
        (750, 49_999_999, "silver-end", "SILVER", json!(0.7)),
        (700, 50_000_000, "silver-end", "SILVER", json!(0.7)),
        (699, 90_000_000, "bronze-end", "BRONZE", json!(1)),
    ] {
        let known = json!({ "creditScore": score, "amount": amount }).to_string();
        let graph = with_ends(CLASSIFY_TIER, &["gold-end", "silver-end", "bronze-end"]);
        let (passed, variables) = ended(graph, &known);
        assert_eq!((passed.as_str(), &variables["tier"]), (end, &json!(tier)), "{known}");
        assert_eq!(variables["feePercent"], fee, "{known}");
    }
}

/// The ways of an application.
const WAYS: [&str; 6] = [
    "priority-gold-path",
    "gold-path",
    "silver-path",
    "standard-path",
    "manual-review-path",
    "reject-path",
];

const BY_CONDITIONS: &str = r#"{
    "id": "route-loan-application",
    "name": "Route Loan Application",
    "type": "DECISION",
    "conditionalNextSteps": {
        "creditScore >= 750 && loanAmount >= 50000000 && segment == 'PRIORITY'": "priority-gold-path",
        "creditScore >= 750 && loanAmount >= 50000000": "gold-path",
        "creditScore >= 700 && loanAmount >= 20000000": "silver-path",
        "creditScore >= 650": "standard-path",
        "creditScore < 650 && creditScore >= 500": "manual-review-path",
        "creditScore < 500": "reject-path"
    }
}"#;

const BY_TABLE: &str = r#"{
    "id": "classify-application",
    "name": "Classify Application",
    "type": "DECISION_TABLE",
    "hitPolicy": "F",
    "nextStep": "route-by-tier",
    "decisionTable": {
        "rules": [
            {
                "when": { "credit": "creditScore >= 750", "amount": "loanAmount >= 50000000", "segment": "segment == 'PRIORITY'" },
                "outputs": { "tier": "PRIORITY_GOLD" }
            },
            {
                "when": { "credit": "creditScore >= 750", "amount": "loanAmount >= 50000000" },
                "outputs": { "tier": "GOLD" }
            },
            {
                "when": { "credit": "creditScore >= 700", "amount": "loanAmount >= 20000000" },
                "outputs": { "tier": "SILVER" }
            },
            {
                "when": { "credit": "creditScore >= 650" },
                "outputs": { "tier": "STANDARD" }
            },
            {
                "when": { "credit": "creditScore >= 500" },
                "outputs": { "tier": "MANUAL_REVIEW" }
            },
            {
                "when": {},
                "outputs": { "tier": "REJECT" }
            }
        ]
    }
},
{
    "id": "route-by-tier",
    "name": "Route by Tier",
    "type": "DECISION",
    "conditionalNextSteps": {
        "tier == 'PRIORITY_GOLD'": "priority-gold-path",
        "tier == 'GOLD'": "gold-path",
        "tier == 'SILVER'": "silver-path",
        "tier == 'STANDARD'": "standard-path",
        "tier == 'MANUAL_REVIEW'": "manual-review-path",
        "tier == 'REJECT'": "reject-path"
    }
}"#;

#[test]
fn a_table_and_a_row_of_conditions_lead_the_same_ways() {
    let expected = |score: i64, amount: i64, segment: &str| match (score, amount, segment) {
        (750.., 50_000_000.., "PRIORITY") => ("priority-gold-path", "PRIORITY_GOLD"),
        (750.., 50_000_000.., _) => ("gold-path", "GOLD"),
        (700.., 20_000_000.., _) => ("silver-path", "SILVER"),
        (650.., _, _) => ("standard-path", "STANDARD"),
        (500..650, _, _) => ("manual-review-path", "MANUAL_REVIEW"),
        _ => ("reject-path", "REJECT"),
    };
    for score in [0, 499, 500, 649, 650, 699, 700, 749, 750, 850] {
        for amount in [0, 19_999_999, 20_000_000, 49_999_999, 50_000_000] {
            for segment in ["PRIORITY", "RETAIL"] {
                let known =
                    json!({ "creditScore": score, "loanAmount": amount, "segment": segment });
                let (way, tier) = expected(score, amount, segment);
                let (passed, _) = ended(with_ends(BY_CONDITIONS, &WAYS), &known.to_string());
                assert_eq!(passed, way, "{known}");
                let (passed, variables) = ended(with_ends(BY_TABLE, &WAYS), &known.to_string());
                assert_eq!((passed.as_str(), &variables["tier"]), (way, &json!(tier)), "{known}");
            }
        }
    }
}

// Sorted by their names, the second cell would come first, and fail.
#[test]
fn cells_are_looked_at_in_the_order_they_are_written() {
    let text = r#"{"id":"o","name":"O","steps":[
        {"id":"t","name":"T","type":"DECISION_TABLE","hitPolicy":"F","nextStep":"e",
         "decisionTable":{"rules":[
            {"when":{"z":"n > 1","a":"len(n) > 1"},"outputs":{"x":1}},
            {"outputs":{"x":2}}]}},
        {"id":"e","name":"E","type":"END"}]}"#;
    assert_eq!(ended(deployed(text), r#"{"n":1}"#).1["x"], json!(2));
}

#[test]
fn a_fee_is_computed_from_what_is_known_and_from_literals() {
    let step = r#"{
        "id": "compute-fee",
        "name": "Compute Processing Fee",
        "type": "TRANSFORMATION",
        "transformations": {
            "processingFee": 50,
            "currency": "USD",
            "totalWithFee": "${loanAmount + 50}",
            "isHighValue": "${loanAmount > 100000}"
        },
        "nextStep": "notify-applicant"
    }"#;
    for (amount, is_high) in [(100_000, false), (100_001, true)] {
        let known = json!({ "loanAmount": amount });
        let expected = json!({
            "loanAmount": amount, "processingFee": 50, "currency": "USD",
            "totalWithFee": amount + 50, "isHighValue": is_high,
        });
        let graph = with_ends(step, &["notify-applicant"]);
        assert_eq!(ended(graph, &known.to_string()).1, expected);
    }
}

#[test]
fn totals_averages_and_flags_are_computed() {
    let text = r#"
        s set -> e
        put totalWithFee = "${loanAmount + processingFee}"
        put discountedPrice = "${unitPrice * quantity - discount}"
        put averageScore = "${totalScore / reviewCount}"
        put isEligible = "${creditScore >= 600 && !blacklisted}"
        put isHighValue = "${loanAmount > 100000}"
        e end
    "#;
    let known = json!({
        "loanAmount": 250_000, "processingFee": 75.5, "unitPrice": 2.5, "quantity": 4,
        "discount": 1, "totalScore": 9, "reviewCount": 2, "creditScore": 600, "blacklisted": false,
    });
    let (_, variables) = ended(graph(text), &known.to_string());
    let computed = ["totalWithFee", "discountedPrice", "averageScore", "isEligible", "isHighValue"]
        .map(|it| variables[it].clone());
    assert_eq!(computed, [json!(250_075.5), json!(9), json!(4.5), json!(true), json!(true)]);
}

#[test]
fn roles_lengths_and_amounts_lead_the_way() {
    let roles = "
        r decide
        if contains(user.roles, 'ADMIN') -> admin-path
        if contains(user.roles, 'REVIEWER') -> review-path
        admin-path end
        review-path end
    ";
    let lengths = "
        l decide
        if len(attachments) > 0 -> process-attachments
        if len(attachments) == 0 -> skip-attachments
        process-attachments end
        skip-attachments end
    ";
    let both = "
        b decide
        if contains(user.roles, 'LOAN_OFFICER') && loanAmount <= 50000 -> fast-track-approve
        if creditScore >= 700 -> standard-approve
        if creditScore < 700 -> manual-review
        fast-track-approve end
        standard-approve end
        manual-review end
    ";
    let loan = |role: &str, amount: u32, score: u32| {
        let user = json!({ "roles": [role] });
        json!({ "user": user, "loanAmount": amount, "creditScore": score })
    };
    for (text, known, expected) in [
        (roles, json!({"user": {"roles": ["REVIEWER", "ADMIN"]}}), "admin-path"),
        (roles, json!({"user": {"roles": ["REVIEWER"]}}), "review-path"),
        (lengths, json!({"attachments": ["a"]}), "process-attachments"),
        (lengths, json!({"attachments": []}), "skip-attachments"),
        (both, loan("LOAN_OFFICER", 50_000, 0), "fast-track-approve"),
        (both, loan("LOAN_OFFICER", 50_001, 700), "standard-approve"),
        (both, loan("CLERK", 1, 699), "manual-review"),
    ] {
        assert_eq!(ended(graph(text), &known.to_string()).0, expected, "{known}");
    }
}
