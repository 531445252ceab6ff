//! The Python package for workers, as its own tests see it: they run against the server that was
//! just built. Its guide tells the truth, too.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{fs, path::PathBuf, process::Command, sync::OnceLock};

use e2e::binary::{Ran, Running, waypost};
use tempfile::TempDir;
use waypost_testkit::services;

/// Five minutes, and the rest.
const README: &str = include_str!("../../sdks/python/README.md");
const GUIDE: &str = include_str!("../../docs/guides/workers-python.md");

/// The blocks of a language.
fn blocks(document: &'static str, language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    document.split(&fence).skip(1).map(|it| it.split("```").next().unwrap()).collect()
}

fn package() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../sdks/python")
}

/// Where Python finds the package, and what its compute nodes speak with. That is fetched if it is
/// missing, and by one of these tests only.
fn places() -> &'static str {
    static PLACES: OnceLock<String> = OnceLock::new();
    PLACES.get_or_init(|| {
        let speaking = services::python_grpc().unwrap();
        format!("{}:{}", package().join("src").display(), speaking.display())
    })
}

#[test]
fn the_tests_of_the_python_package_pass() {
    let output = Command::new("python3")
        .args(["-m", "unittest", "discover", "--start-directory", "tests"])
        .current_dir(package())
        .env("PYTHONPATH", places())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("WAYPOST_BIN", waypost())
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    assert!(!ran.err.contains("skipped"), "{}", ran.err);
}

/// Writes down the programs of a document beside a server of their own, and types its commands;
/// says what is to be seen then. What waits for something that does not come is cut off.
fn typed(document: &'static str) -> String {
    let folder = TempDir::new().unwrap();
    let server =
        Running::serve(folder.path(), &["--store", "sqlite:w.db", "--grpc", "127.0.0.1:0"]);
    let (http, grpc) = (server.url.trim_start_matches("http://"), server.grpc.as_deref().unwrap());
    let placed = |text: &str| text.replace("localhost:8080", http).replace("localhost:9090", grpc);
    for program in blocks(document, "python") {
        let name = program.lines().next().unwrap().trim_start_matches("# ");
        fs::write(folder.path().join(name), placed(program)).unwrap();
    }
    let script = placed(&blocks(document, "sh").join("\n"));
    let output = Command::new("timeout")
        .args(["120", "bash", "-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PYTHONPATH", places())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("no_proxy", "127.0.0.1")
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    ran.out
}

#[test]
fn the_first_five_minutes_with_the_python_package_end_well() {
    let out = typed(README);
    assert!(out.contains("the order is COMPLETED, total 1350"), "{out}");
}

#[test]
fn every_program_of_the_python_guide_does_what_it_says() {
    let out = typed(GUIDE);
    for told in ["did 0 jobs", "the chain is COMPLETED", r#""reservation":"r-"#, "RESERVED"] {
        assert!(out.contains(told), "{told} is not in\n{out}");
    }
}
