//! Every code has a definition with that fault and no other, and good definitions have none.
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use expect_test::expect_file;
use waypost_lint::{ALL, Paint, Surroundings, lint, lint_within, model, text};

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

/// The definitions of a folder, beside which other things may lie.
pub(crate) fn definitions(folder: &str) -> Vec<PathBuf> {
    let is_definition =
        |it: &PathBuf| it.extension().is_some_and(|it| it == "json" || it == "toml");
    files(folder).into_iter().filter(is_definition).collect()
}

/// What is known beside a broken definition: some faults show only then.
fn surroundings(file: &Path, source: &str) -> Surroundings {
    let stem = file.file_stem().unwrap().to_str().unwrap();
    let beside = |kind: &str| {
        let file = file.with_file_name("beside").join(format!("{stem}.{kind}.json"));
        fs::read_to_string(file).ok()
    };
    let model = beside("model").map(|it| model(&it).unwrap());
    let known = Surroundings { model, ..Surroundings::default() };
    match beside("members") {
        Some(it) => known.with_members(source, &serde_json::from_str::<Vec<_>>(&it).unwrap()),
        None => known,
    }
}

#[test]
fn what_lies_beside_is_needed_to_see_the_fault() {
    for code in ["E012", "E013"] {
        let file = files("examples/broken").into_iter().find(|it| name(it).starts_with(code));
        let source = fs::read_to_string(file.unwrap()).unwrap();
        assert_eq!(lint(&source, None).unwrap().findings, []);
    }
}

#[test]
fn every_planted_fault_is_found_and_nothing_else() {
    let mut wrong = Vec::new();
    for file in files("examples/broken") {
        let source = fs::read_to_string(&file).unwrap();
        let name = name(&file);
        let report = lint_within(&source, None, &surroundings(&file, &source)).unwrap();
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
fn nothing_is_found_in_the_good_examples() {
    let good = definitions("examples");
    assert!(good.len() > 4);
    for file in good {
        let source = fs::read_to_string(&file).unwrap();
        let report = lint(&source, None).unwrap();
        let shown = text(&name(&file), &source, &report, Paint::Plain);
        assert!(report.findings.is_empty(), "{shown}");
    }
}
