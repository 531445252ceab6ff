//! The guide of entities tells the truth: what it says to type is typed, the node in Python is run,
//! and the one in Rust is a program that compiles.

use e2e::guide::{Reader, blocks, commands, seen};
use waypost_testkit::services;

const GUIDE: &str = include_str!("../../docs/guides/entity.md");
const NODE: &str = include_str!("../../crates/client/examples/stock_node.rs");

#[test]
fn every_command_of_the_entity_guide_does_what_it_says() {
    let packages = services::python_grpc().unwrap();
    let reader = Reader::new().having("crates/api/proto");
    let reader = reader.knowing("PYTHONPATH", &packages.display().to_string());
    let [program] = blocks(GUIDE, "python")[..] else { unreachable!("there is one in Python") };
    reader.writes("stock_node.py", program);
    let script = commands(GUIDE);
    assert!(script.matches("curl ").count() > 8, "{script}");
    let told = [
        "NO_COMPUTE_MEMBER_FOR_TAG",
        r#""state":"RESERVED""#,
        r#""reservation":"r-"#,
        r#"["SHIP"]"#,
        r#""data":{"items":500}"#,
        "TRANSITION_MAKE",
    ];
    seen(&reader.types(&script), &told);
}

#[test]
fn the_node_of_the_entity_guide_is_one_that_compiles() {
    let shown = blocks(GUIDE, "rust,ignore");
    let [program] = shown.as_slice() else { unreachable!("there is one node in Rust") };
    let (_, compiled) = NODE.split_once("\n\n").unwrap();
    assert_eq!(*program, compiled);
}
