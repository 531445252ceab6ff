//! The guide of the engine inside a program tells the truth: its code is that of the example, which is
//! run as it says.

use std::process::Command;

use e2e::{
    binary::{Ran, example},
    guide::{blocks, commands, seen},
};

const GUIDE: &str = include_str!("../../docs/guides/embedding.md");
const PROGRAM: &str = include_str!("../../crates/cli/examples/embedded_chain.rs");

#[test]
fn the_code_of_the_embedding_guide_is_that_of_the_example() {
    let shown = blocks(GUIDE, "rust,ignore");
    assert_eq!(shown.len(), 2);
    for block in shown {
        assert!(PROGRAM.contains(block), "{block}");
    }
}

#[test]
fn the_example_of_the_embedding_guide_takes_its_orders_to_their_end() {
    let folder = tempfile::tempdir().unwrap();
    let typed = "cargo run --quiet --package waypost --example embedded_chain --";
    let program = example("waypost", "embedded_chain").display().to_string();
    let script = commands(GUIDE);
    assert!(script.contains(typed), "{script}");
    // On the same file again: the first order is not met a second time.
    let script = script.replace(typed, &program).repeat(2);
    let output = Command::new("timeout")
        .args(["120", "bash", "-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    seen(&ran.out, &["validate", "paid", "every order has ended"]);
    assert_eq!(ran.out.matches("started ").count(), 2, "{}", ran.out);
    assert!(!ran.out.contains("from an earlier run"), "{}", ran.out);
}
