//! The guide of entities tells the truth: what it says to type is typed, the node in Python is run,
//! and the one in Rust is a program that compiles.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{fs, path::Path, process::Command};

use e2e::binary::{Ran, Running};
use tempfile::TempDir;
use waypost_testkit::services;

const GUIDE: &str = include_str!("../../docs/guides/entity.md");
const NODE: &str = include_str!("../../crates/client/examples/stock_node.rs");

/// The blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    GUIDE.split(&fence).skip(1).map(|it| it.split("```").next().unwrap()).collect()
}

#[test]
fn every_command_of_the_entity_guide_does_what_it_says() {
    let packages = services::python_grpc().unwrap();
    let folder = TempDir::new().unwrap();
    let server =
        Running::serve(folder.path(), &["--store", "sqlite:w.db", "--grpc", "127.0.0.1:0"]);
    let (http, grpc) = (server.url.trim_start_matches("http://"), server.grpc.as_deref().unwrap());
    let placed = |text: &str| text.replace("localhost:8080", http).replace("localhost:9090", grpc);
    let protocols = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/api/proto");
    std::os::unix::fs::symlink(protocols, folder.path().join("proto")).unwrap();
    let [program] = blocks("python")[..] else { unreachable!("there is one node in Python") };
    fs::write(folder.path().join("stock_node.py"), placed(program)).unwrap();
    let script = placed(&blocks("sh").join("\n"));
    assert!(script.matches("curl ").count() > 8, "{script}");
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PYTHONPATH", packages)
        .env("no_proxy", "127.0.0.1")
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    for told in [
        "NO_COMPUTE_MEMBER_FOR_TAG",
        r#""state":"RESERVED""#,
        r#""reservation":"r-"#,
        r#"["SHIP"]"#,
        r#""data":{"items":500}"#,
        "TRANSITION_MAKE",
    ] {
        assert!(ran.out.contains(told), "{told} is not in\n{}", ran.out);
    }
}

#[test]
fn the_node_of_the_entity_guide_is_one_that_compiles() {
    let shown = blocks("rust,ignore");
    let [program] = shown.as_slice() else { unreachable!("there is one node in Rust") };
    let (_, compiled) = NODE.split_once("\n\n").unwrap();
    assert_eq!(*program, compiled);
}
