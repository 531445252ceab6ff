//! Lint, without a server and before deployments; and its guide.

use std::{fs, path::Path, process::Command};

use e2e::binary::{Ran, Running, run, waypost};
use expect_test::expect;
use serde_json::Value;
use tempfile::TempDir;

use crate::world::{World, told_in};

const GUIDE: &str = include_str!("../../../docs/guides/lint.md");

fn example(name: &str) -> String {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    fs::read_to_string(examples.join(name)).unwrap()
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn findings_are_shown_like_a_compiler_shows_them() {
    let folder = folder(&[("c.json", &example("broken/C004-no-attempts.json"))]);
    expect![[r#"
        warning[C004]: "PAY" has no attempt to fail
         --> c.json:7:22
          |
        7 |       "maxAttempts": 0
          |                      ^
          = help: 0 means the same as 1: the first failure is final; write 1 if that is meant, or more

        1 file: 0 errors, 1 warning, 0 hints
    "#]]
    .assert_eq(&told_in(folder.path(), &["lint", "c.json"]));
}

#[test]
fn exit_codes_say_what_was_found() {
    let files = [
        ("good.json", example("order.json")),
        ("warned.json", example("broken/C004-no-attempts.json")),
        ("wrong.json", example("broken/P010-join-never-fills.json")),
        ("unreadable.json", "{".to_owned()),
        ("other.json", "{\"a\": 1}".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let folder = folder(&files);
    let code = |args: &[&str]| run(folder.path(), &[&["lint"], args].concat()).code;
    assert_eq!(code(&["good.json"]), Some(0));
    assert_eq!(code(&["warned.json"]), Some(0));
    assert_eq!(code(&["warned.json", "--strict"]), Some(1));
    assert_eq!(code(&["wrong.json"]), Some(1));
    assert_eq!(code(&["unreadable.json", "wrong.json"]), Some(2));
    assert_eq!(code(&["other.json"]), Some(2));
    assert_eq!(code(&["other.json", "--kind", "chain"]), Some(1));
    assert_eq!(code(&["nowhere.json"]), Some(2));
    assert_eq!(code(&["good.json", "--kind", "graph"]), Some(2));
}

#[test]
fn a_folder_stands_for_the_definitions_in_it() {
    let good = example("order.json");
    let folder = folder(&[
        ("all/order.json", &good),
        ("all/deep/c.json", &example("broken/C004-no-attempts.json")),
        ("all/lifecycles.toml", &example("lifecycles.toml")),
        ("all/package.json", "{\"name\": \"not a definition\"}"),
        ("all/notes.txt", "{"),
        ("empty/package.json", "{}"),
    ]);
    let ran = run(folder.path(), &["lint", "all", "--json"]);
    let shown: Value = serde_json::from_str(&ran.out).unwrap();
    let files: Vec<&str> =
        shown.as_array().unwrap().iter().map(|it| it["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["all/deep/c.json", "all/lifecycles.toml", "all/order.json"]);
    assert_eq!(shown[0]["findings"][0]["code"], "C004");
    let ran = run(folder.path(), &["lint", "empty"]);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(2), "error: there are no definitions in these folders\n")
    );
    let ran = run(folder.path(), &["lint", "all", "--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "C004");
}

#[test]
fn workflows_are_held_against_a_model_and_members() {
    let folder = folder(&[
        ("w.json", &example("broken/E012-path-not-in-the-model.json")),
        ("sample.json", &example("broken/beside/E012-path-not-in-the-model.model.json")),
        ("p.json", &example("broken/E013-tags-nobody-has.json")),
        ("bad.json", "{"),
    ]);
    let ran = |args: &[&str]| run(folder.path(), &[&["lint", "--strict"], args].concat());
    assert_eq!(ran(&["w.json"]).code, Some(0));
    let found = ran(&["w.json", "--model", "sample.json"]);
    assert_eq!(found.code, Some(1));
    assert!(found.out.contains("warning[E012]"), "{}", found.out);
    assert_eq!(ran(&["p.json"]).code, Some(0));
    assert_eq!(ran(&["p.json", "--member", "fast, pricing", "--member", "x"]).code, Some(0));
    let found = ran(&["p.json", "--member", "fast"]);
    assert!(found.out.contains("warning[E013]"), "{}", found.out);
    let found = ran(&["w.json", "--model", "bad.json"]);
    assert_eq!(found.code, Some(2), "{}", found.err);
    assert!(found.err.starts_with("error: bad.json: "), "{}", found.err);
}

#[test]
fn pictures_of_broken_definitions_are_refused_with_the_place() {
    let folder = folder(&[("a.json", "{\n  \"id\": ]"), ("b.json", "{\"workflowType\": 1}")]);
    let told = |file: &str| {
        let ran = run(folder.path(), &["diagram", file]);
        assert_eq!(ran.code, Some(2));
        ran.err
    };
    assert_eq!(told("a.json"), "error: a.json:2:9: is not JSON: expected a value\n");
    assert!(told("b.json").starts_with("error: b.json:1:18: "), "{}", told("b.json"));
}

#[test]
fn what_is_unreadable_is_told_with_its_place() {
    let folder = folder(&[("a.json", "{\n  \"id\": ]"), ("b.json", "[1]")]);
    expect![[r#"
        2 files: 0 errors, 0 warnings, 0 hints
        error: a.json:2:9: is not JSON: expected a value
          b.json:1:2: cannot tell what kind of definition this is: a process has id, name and steps, an import for entities has workflows, a lifecycle file has types, a chain has workflowType and steps
        [exit 2]
    "#]]
    .assert_eq(&told_in(folder.path(), &["lint", "a.json", "b.json"]));
}

#[test]
fn schemas_are_printed() {
    let folder = folder(&[]);
    expect![[r#"
        process
        entity
        lifecycle
        lifecycle-rules
        chain
        decision-table
        scenario
    "#]]
    .assert_eq(&told_in(folder.path(), &["schema"]));
    let ran = run(folder.path(), &["schema", "chain"]);
    let schema: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(schema["$id"], "urn:waypost:schema:chain");
    expect![[r#"
        error: there is no schema "graph"
          there are process, entity, lifecycle, lifecycle-rules, chain, decision-table, scenario
        [exit 2]
    "#]]
    .assert_eq(&told_in(folder.path(), &["schema", "graph"]));
}

#[test]
fn deployments_warn_and_strict_ones_refuse() {
    let world = World::new();
    let text = example("broken/C004-no-attempts.json");
    fs::write(world.folder.path().join("c.json"), text).unwrap();
    expect![[r#"
        $ waypost deploy c.json --strict
        warning[C004]: c.json:7:22: "PAY" has no attempt to fail
        error: c.json: 0 errors, 1 warning, 0 hints
          nothing was deployed; `waypost lint` shows more, and without --strict warnings do not matter
        [exit 1]
        $ waypost list definitions
        no definitions
        $ waypost deploy c.json
        chain order version 1: deployed
        warning[C004]: c.json:7:22: "PAY" has no attempt to fail
    "#]]
    .assert_eq(&world.session(&[
        "deploy c.json --strict",
        "list definitions",
        "deploy c.json",
    ]));
}

#[test]
fn every_command_of_the_lint_guide_does_what_it_says() {
    let blocks = |language: &str| -> Vec<&str> {
        let fence = format!("```{language}\n");
        GUIDE.split(&fence).skip(1).map(|it| it.split("```").next().unwrap()).collect()
    };
    let folder = TempDir::new().unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let address = server.url.trim_start_matches("http://");
    let script = blocks("sh").join("\n").replace("localhost:8080", address);
    assert!(script.matches("waypost ").count() > 7, "{script}");
    let path = std::env::var("PATH").unwrap();
    let program = waypost().parent().unwrap().display();
    let output = Command::new("timeout")
        .args(["120", "bash", "-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", format!("{program}:{path}"))
        .env("WAYPOST_SERVER", &server.url)
        .env("no_proxy", "127.0.0.1")
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    let shown = blocks("text");
    let [finding] = shown.as_slice() else { unreachable!("one finding is shown") };
    for told in [
        finding,
        "1 file: 0 errors, 1 warning, 0 hints",
        "not good enough",
        "refused",
        "process SHOP::rate version 1: deployed",
        r#""code":"T003""#,
        "waypost-lint: 1 warning",
        "decision-table",
    ] {
        assert!(ran.out.contains(told), "{told} is not in\n{}\n{}", ran.out, ran.err);
    }
}
