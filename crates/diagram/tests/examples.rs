//! Every example of the repository, and definitions that are less sound, as every renderer draws
//! them. `UPDATE_EXPECT=1` writes what is drawn; whoever reviews it looks at it.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{fs, path::PathBuf};

use expect_test::expect_file;
use waypost_diagram::{
    Letters, Theme, dot, mermaid, of,
    picture::{Mark, Picture},
    placed, svg, text, told,
};
use waypost_machines::{
    chain::Plan,
    entity::workflow::{Workflow, built_in, read_stored},
    process::Source,
};

/// Compares a picture, drawn in every way, with what was drawn before.
fn check(name: &str, picture: &Picture) {
    let drawn = [
        ("svg", svg(picture, Theme::Auto).unwrap()),
        ("mmd", mermaid(picture)),
        ("dot", dot(picture)),
        ("txt", text(picture, Letters::Unicode).unwrap()),
        ("ascii.txt", text(picture, Letters::Ascii).unwrap()),
    ];
    for (kind, drawn) in drawn {
        expect_file![format!("snapshots/{name}.{kind}")].assert_eq(&drawn);
    }
}

fn example(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    fs::read_to_string(root.join(name)).unwrap()
}

fn process(name: &str) -> Picture {
    of::process::picture(&Source::parse(&example(name)).unwrap())
}

fn plan(name: &str) -> Plan {
    serde_json::from_str(&example(name)).unwrap()
}

fn orders() -> Workflow {
    read_stored(
        r#"[{"name": "orders", "initialState": "NEW", "states": {
            "NEW": {"transitions": [
                {"name": "validate", "next": "VALID", "processors": [{"name": "check-stock"}]},
                {"name": "cancel", "next": "CANCELED", "manual": true}]},
            "VALID": {"transitions": [
                {"name": "approve at once", "next": "APPROVED", "criterion":
                    {"type": "simple", "jsonPath": "$.amount", "operatorType": "LESS_THAN",
                     "value": 1000}},
                {"name": "review", "next": "REVIEW", "criterion":
                    {"type": "group", "operator": "AND", "conditions": [
                        {"type": "lifecycle", "field": "state", "operatorType": "IS_NULL"},
                        {"type": "group", "operator": "OR", "conditions": [
                            {"type": "function", "function": {"name": "is-risky"}},
                            {"type": "array", "jsonPath": "$.tags", "values": ["a"]}]}]}}]},
            "REVIEW": {"transitions": [
                {"name": "approve", "next": "APPROVED", "manual": true},
                {"name": "send back", "next": "NEW", "manual": true},
                {"name": "note", "next": "REVIEW", "manual": true},
                {"name": "forget", "next": "NEW", "disabled": true},
                {"name": "reject", "next": "CANCELED", "manual": true}]},
            "APPROVED": {"transitions": [
                {"name": "ship", "next": "SHIPPED", "processors": [
                    {"name": "book-carrier"}, {"name": "notify"}]}]},
            "SHIPPED": {}, "CANCELED": {}}}]"#,
    )
    .unwrap()
    .remove(0)
}

/// A loan application whose score cannot be fetched, beside a review that takes long.
fn live() -> Picture {
    let mut picture = process("loan-application.json");
    let visited = Mark { visits: 1, ..Mark::default() };
    let marks = [
        ("validate-application", visited.clone()),
        ("parallel-risk-checks", visited.clone()),
        ("credit-score-check", Mark { visits: 3, is_failed: true, ..Mark::default() }),
        ("merge-risk-results", Mark { here: 1, ..visited }),
        (
            "manual-review-task",
            Mark { here: 2, visits: 12, due: Some("Nov 18, 09:00".into()), is_failed: false },
        ),
    ];
    picture.marks = marks.into_iter().map(|(id, mark)| (id.to_owned(), mark)).collect();
    picture
}

#[test]
fn processes_look_like_this() {
    check("loan-application", &process("loan-application.json"));
    check("loan-disbursement", &process("loan-disbursement.json"));
}

/// Gateways in gateways, a loop on a branch, and a way back to before the gateway.
#[test]
fn a_process_with_everything_in_it_looks_like_this() {
    let source = Source::parse(include_str!("claims.json")).unwrap();
    check("claims", &of::process::picture(&source));
}

#[test]
fn every_example_is_drawn() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = fs::read_dir(root).unwrap().map(|it| it.unwrap().path());
    let mut names: Vec<String> = files
        .filter(|it| it.extension().is_some_and(|it| it == "json"))
        .map(|it| it.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let drawn = [
        "claims.json",
        "loan-application.json",
        "loan-disbursement.json",
        "loan.json",
        "order-workflow.json",
        "order.json",
    ];
    assert_eq!(names, drawn);
}

#[test]
fn chains_look_like_this() {
    check("loan", &of::chain::picture(&plan("loan.json")));
    check("order", &of::chain::picture(&plan("order.json")));
}

#[test]
fn entities_look_like_this() {
    check("orders", &of::entity::picture(&orders()));
    for (name, file) in
        [("order-workflow", "order-workflow.json"), ("claims-workflow", "claims.json")]
    {
        let import: serde_json::Value = serde_json::from_str(&example(file)).unwrap();
        let workflows = read_stored(&import["workflows"].to_string()).unwrap();
        check(name, &of::entity::picture(&workflows[0]));
    }
    check("built-in", &of::entity::picture(built_in()));
}

#[test]
fn lifecycles_look_like_this() {
    let phases = of::lifecycle::Phases {
        title: "a payment",
        initial: Some("INITIATED"),
        phases: vec![
            ("INITIATED", vec!["PENDING", "FAILED"]),
            ("PENDING", vec!["SUSPENDED", "COMPLETED", "FAILED"]),
            ("SUSPENDED", vec!["PENDING", "FAILED"]),
            ("COMPLETED", vec![]),
            ("FAILED", vec!["INITIATED", "BURIED"]),
        ],
    };
    check("payment", &of::lifecycle::picture(&phases));
}

#[test]
fn an_instance_looks_like_this() {
    check("live", &live());
}

#[test]
fn marks_move_nothing() {
    let places = |picture: &Picture| {
        let drawn = svg(picture, Theme::Light).unwrap();
        let lines = drawn.lines().filter(|it| it.starts_with("<rect class=\"shape\""));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(places(&live()), places(&process("loan-application.json")));
    assert!(places(&live()).len() > 5);
}

#[test]
fn what_is_placed_is_where_it_is_drawn() {
    let picture = process("loan-application.json");
    let layout = placed(&picture).unwrap();
    let drawn = svg(&picture, Theme::Light).unwrap();
    assert_eq!((layout.nodes.len(), layout.edges.len()), (15, picture.edges.len()));
    assert!(drawn.contains(&format!("viewBox=\"0 0 {} {}\"", layout.width, layout.height)));
    let place = layout.nodes[1];
    let rect = format!("x=\"{}\" y=\"{}\" width=\"{}\"", place.x, place.y, place.width);
    assert!(drawn.contains(&rect));
}

#[test]
fn a_picture_can_be_told() {
    let told = told(&live());
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "Beginning (start) leads to Validate Application Data.");
    assert_eq!(lines[3], "Credit Score Check (task), ✗ failed, ×3 leads to Merge Risk Results.");
    assert_eq!(
        lines[8],
        "Manual Review by Underwriter (person), ● 2 here, ×12, due Nov 18, 09:00 leads to \
         Process Review Decision; Escalate Overdue Review (after 48h)."
    );
}
