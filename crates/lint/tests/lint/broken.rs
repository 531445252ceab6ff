//! Every code has a definition with that fault and no other, and good definitions have none.
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use expect_test::expect_file;
use waypost_lint::{ALL, Paint, Severity, lint, text};

/// Codes of what is too large, which no example is.
const LIMITS: [&str; 2] = ["G001", "P019"];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut files: Vec<PathBuf> =
        entries.map(|it| it.unwrap().path()).filter(|it| it.is_file()).collect();
    files.sort();
    files
}

pub(crate) fn name(file: &Path) -> String {
    file.file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn every_planted_fault_is_found_and_nothing_else() {
    let mut wrong = Vec::new();
    for file in files("examples/broken") {
        let source = fs::read_to_string(&file).unwrap();
        let name = name(&file);
        let report = lint(&source, None).unwrap();
        let shown = text(&name, &source, &report, Paint::Plain);
        let found: BTreeSet<&str> = report.findings.iter().map(|it| it.code.id).collect();
        if found != BTreeSet::from([name.split('-').next().unwrap()]) {
            wrong.push(format!("{name}\n{shown}"));
            continue;
        }
        let snapshot = format!("tests/snapshots/{}.txt", name.trim_end_matches(".json"));
        expect_file![Path::new(env!("CARGO_MANIFEST_DIR")).join(snapshot)].assert_eq(&shown);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_code_is_planted() {
    let planted: BTreeSet<String> = files("examples/broken")
        .iter()
        .map(|it| name(it).split('-').next().unwrap().to_owned())
        .chain(LIMITS.map(str::to_owned))
        .collect();
    let all: BTreeSet<String> = ALL.iter().map(|it| it.id.to_owned()).collect();
    assert_eq!(planted, all);
}

#[test]
fn every_code_is_explained() {
    let page = fs::read_to_string(root().join("docs/lint.md")).unwrap();
    let told: Vec<&str> =
        page.lines().filter_map(|it| it.strip_prefix("### ")?.split(' ').next()).collect();
    let all: Vec<&str> = ALL.iter().map(|it| it.id).collect();
    assert_eq!(told, all);
    for code in ALL {
        let head = format!("### {} {}: {}\n", code.id, code.severity, code.title);
        assert!(page.contains(&head), "{head}");
    }
}

#[test]
fn good_examples_have_no_faults() {
    let good = files("examples").into_iter();
    let is_definition =
        |it: &PathBuf| it.extension().is_some_and(|it| it == "json" || it == "toml");
    let mut n_looked_at = 0;
    for file in good.filter(is_definition) {
        let source = fs::read_to_string(&file).unwrap();
        let report = lint(&source, None).unwrap();
        let shown = text(&name(&file), &source, &report, Paint::Plain);
        let n_faults = report.count(Severity::Error) + report.count(Severity::Warning);
        assert_eq!(n_faults, 0, "{shown}");
        n_looked_at += 1;
    }
    assert!(n_looked_at > 4);
}
