//! The Python package for workers, as its own tests see it: they run against the server that was
//! just built. Its guide tells the truth, too.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{path::PathBuf, process::Command, sync::OnceLock};

use e2e::{
    binary::{Ran, waypost},
    guide::{Reader, blocks, commands, seen},
};
use waypost_testkit::services;

/// Five minutes, and the rest.
const README: &str = include_str!("../../sdks/python/README.md");
const GUIDE: &str = include_str!("../../docs/guides/workers-python.md");

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

#[test]
fn the_types_of_the_python_package_are_right() {
    let checker = services::python_types().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let output = Command::new("python3")
        .args(["-m", "mypy", "--cache-dir"])
        .arg(cache.path())
        .current_dir(package())
        .env("PYTHONPATH", checker)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    // The folders it looks at are named in the package's settings.
    assert!(ran.out.contains("no issues found in "), "{}", ran.out);
}

/// Writes down the programs of a document and types its commands; says what is to be seen then.
fn typed(document: &'static str) -> String {
    let reader =
        Reader::new().knowing("PYTHONPATH", places()).knowing("PYTHONDONTWRITEBYTECODE", "1");
    for program in blocks(document, "python") {
        let name = program.lines().next().unwrap().trim_start_matches("# ");
        reader.writes(name, program);
    }
    reader.types(&commands(document))
}

#[test]
fn the_first_five_minutes_with_the_python_package_end_well() {
    seen(&typed(README), &["the order is COMPLETED, total 1350"]);
}

#[test]
fn every_program_of_the_python_guide_does_what_it_says() {
    let told = ["did 0 jobs", "the chain is COMPLETED", r#""reservation":"r-"#, "RESERVED"];
    seen(&typed(GUIDE), &told);
}
