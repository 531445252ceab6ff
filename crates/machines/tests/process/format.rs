//! The examples the format is explained with: what they decide, classify and compute.

use serde_json::{Value, json};
use waypost_machines::process::{
    Command, Event, Graph, Phase, Source, Start, expression::Coercion,
};

use crate::{notation::graph, story::variables, world::World};

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

#[test]
fn a_credit_score_leads_one_of_three_ways() {
    let text = "
        c decide
        if #creditScore >= 700 -> approve
        if #creditScore >= 500 && #creditScore < 700 -> review
        if #creditScore < 500 -> reject
        approve end
        review end
        reject end
    ";
    for (score, expected) in
        [(700, "approve"), (699, "review"), (500, "review"), (499, "reject"), (850, "approve")]
    {
        let known = json!({ "creditScore": score }).to_string();
        assert_eq!(ended(graph(text), &known).0, expected, "{score}");
    }
}

#[test]
fn a_table_classifies_and_a_decision_routes() {
    let text = r#"
        c table F -> r
        rule creditScore >= 750 ; amount >= 50000000 => {"tier":"GOLD","feePercent":0.5}
        rule creditScore >= 700 => {"tier":"SILVER","feePercent":0.7}
        rule => {"tier":"BRONZE","feePercent":1.0}
        r decide
        if tier == "GOLD" -> gold
        if tier == "SILVER" -> silver
        if tier == "BRONZE" -> bronze
        gold end
        silver end
        bronze end
    "#;
    for (score, amount, end, fee) in [
        (750, 50_000_000, "gold", json!(0.5)),
        (750, 49_999_999, "silver", json!(0.7)),
        (700, 50_000_000, "silver", json!(0.7)),
        (699, 90_000_000, "bronze", json!(1)),
    ] {
        let known = json!({ "creditScore": score, "amount": amount }).to_string();
        let (passed, variables) = ended(graph(text), &known);
        assert_eq!((passed.as_str(), &variables["feePercent"]), (end, &fee), "{known}");
    }
}

/// The ways of an application, and how they end.
const WAYS: &str = "
    priority-gold-path end
    gold-path end
    silver-path end
    standard-path end
    manual-review-path end
    reject-path end
";

const BY_CONDITIONS: &str = "
    r decide
    if creditScore >= 750 && loanAmount >= 50000000 && segment == 'PRIORITY' -> priority-gold-path
    if creditScore >= 750 && loanAmount >= 50000000 -> gold-path
    if creditScore >= 700 && loanAmount >= 20000000 -> silver-path
    if creditScore >= 650 -> standard-path
    if creditScore < 650 && creditScore >= 500 -> manual-review-path
    if creditScore < 500 -> reject-path
";

const BY_TABLE: &str = r#"
    c table F -> r
    rule creditScore >= 750 ; loanAmount >= 50000000 ; segment == 'PRIORITY' => {"tier":"PRIORITY"}
    rule creditScore >= 750 ; loanAmount >= 50000000 => {"tier":"GOLD"}
    rule creditScore >= 700 ; loanAmount >= 20000000 => {"tier":"SILVER"}
    rule creditScore >= 650 => {"tier":"STANDARD"}
    rule creditScore >= 500 => {"tier":"MANUAL"}
    rule => {"tier":"REJECT"}
    r decide
    if tier == 'PRIORITY' -> priority-gold-path
    if tier == 'GOLD' -> gold-path
    if tier == 'SILVER' -> silver-path
    if tier == 'STANDARD' -> standard-path
    if tier == 'MANUAL' -> manual-review-path
    if tier == 'REJECT' -> reject-path
"#;

#[test]
fn a_table_and_a_row_of_conditions_lead_the_same_ways() {
    let expected = |score: i64, amount: i64, segment: &str| match (score, amount, segment) {
        (750.., 50_000_000.., "PRIORITY") => "priority-gold-path",
        (750.., 50_000_000.., _) => "gold-path",
        (700.., 20_000_000.., _) => "silver-path",
        (650.., _, _) => "standard-path",
        (500..650, _, _) => "manual-review-path",
        _ => "reject-path",
    };
    for score in [0, 499, 500, 649, 650, 699, 700, 749, 750, 850] {
        for amount in [0, 19_999_999, 20_000_000, 49_999_999, 50_000_000] {
            for segment in ["PRIORITY", "RETAIL"] {
                let known =
                    json!({ "creditScore": score, "loanAmount": amount, "segment": segment });
                for form in [BY_CONDITIONS, BY_TABLE] {
                    let (passed, _) = ended(graph(&format!("{form}{WAYS}")), &known.to_string());
                    assert_eq!(passed, expected(score, amount, segment), "{known}");
                }
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
    let graph = Graph::new(&Source::parse(text).unwrap(), 1, Coercion::On).unwrap();
    assert_eq!(ended(graph, r#"{"n":1}"#).1["x"], json!(2));
}

#[test]
fn a_fee_is_computed_from_what_is_known_and_from_literals() {
    let text = r#"
        f set -> e
        put processingFee = 50
        put currency = "USD"
        put totalWithFee = "${loanAmount + 50}"
        put isHighValue = "${loanAmount > 100000}"
        e end
    "#;
    for (amount, is_high) in [(100_000, false), (100_001, true)] {
        let known = json!({ "loanAmount": amount });
        let expected = json!({
            "loanAmount": amount, "processingFee": 50, "currency": "USD",
            "totalWithFee": amount + 50, "isHighValue": is_high,
        });
        assert_eq!(ended(graph(text), &known.to_string()).1, expected);
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
