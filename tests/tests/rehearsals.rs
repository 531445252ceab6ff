//! `waypost test`: the scenarios of the examples, what is said about failures, and about files that
//! are none.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::Stdio,
};

use e2e::binary::{Ran, Running, command, run, waypost};
use expect_test::{Expect, expect};
use serde_json::Value;
use tempfile::TempDir;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// A definition with a decision, a timer and a task that may fail.
const DEFINITION: &str = r#"
definitions:
  - id: review
    name: Review
    steps:
      - {id: check, name: Check, type: SERVICE_TASK, jobType: check, nextStep: route}
      - id: route
        name: Route
        type: DECISION
        conditionalNextSteps: {"amount > 100": look, "amount <= 100": done}
      - id: look
        name: Look
        type: USER_TASK
        nextStep: done
        boundaryEvents: [{type: TIMER, duration: PT48H, interrupting: true, targetStepId: done}]
      - {id: done, name: Done, type: END}
"#;

/// What `waypost test` with these arguments says about scenarios of the definition.
fn told(scenarios: &str, args: &[&str]) -> Ran {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("a.scenarios.yaml"), format!("{DEFINITION}{scenarios}"))
        .unwrap();
    run(folder.path(), &[&["test"], args].concat())
}

fn check(scenarios: &str, args: &[&str], expect: Expect) {
    let Ran { code, out, err } = told(scenarios, args);
    let exit = code.filter(|it| *it != 0).map(|it| format!("[exit {it}]\n")).unwrap_or_default();
    expect.assert_eq(&format!("{out}{err}{exit}"));
}

const GOOD: &str = r#"
workers: {check: complete}
scenarios:
  - name: a small amount is fine
    start: {process: review, variables: {amount: 7}}
    expect: {status: COMPLETED, path: [check, route, done]}
"#;

#[test]
fn every_example_has_scenarios_and_they_pass() {
    let ran = run(&examples(), &["test", ".", "--json", "--coverage"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let outcome: Value = serde_json::from_str(&ran.out).unwrap();
    let played = outcome["scenarios"].as_array().unwrap();
    let files: Vec<&str> = played.iter().map(|it| it["file"].as_str().unwrap()).collect();
    for entry in std::fs::read_dir(examples()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() || name.contains(".scenarios.") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let own = format!("{stem}.scenarios.yaml");
        assert!(files.iter().any(|it| it.ends_with(&own)), "{name} has no {own}");
    }
    // What is not covered is known, so that nobody forgets a branch.
    let missed = outcome["coverage"].as_array().unwrap().iter().flat_map(|it| {
        let name = it["definition"].as_str().unwrap();
        it["missed"].as_array().unwrap().iter().map(move |it| format!("{name}: {}", it["what"]))
    });
    let missed: Vec<String> = missed.collect();
    expect![[r#""#]].assert_eq(&missed.join("\n"));
}

#[test]
fn what_passes_is_listed() {
    check(
        GOOD,
        &[],
        expect![[r#"
            ok a.scenarios.yaml:20 a small amount is fine
            1 of 1 scenarios passed
        "#]],
    );
}

#[test]
fn what_fails_is_told_with_the_path_it_took() {
    let scenarios = r#"
workers: {check: [{fail: no answer}, complete]}
scenarios:
  - name: a large amount is looked at
    start: {process: review, variables: {amount: 700}}
    workers: {check: complete}
    expect: {status: COMPLETED, elapsed: 24h, notVisited: look}
  - name: a task may fail
    start: {process: review, variables: {amount: 7}}
    expect: {status: COMPLETED}
"#;
    check(
        scenarios,
        &[],
        expect![[r#"
            FAIL a.scenarios.yaml:20 a large amount is looked at
              expect.notVisited
                expected  never at look
                actual    [check, route, look, done]
              expect.elapsed
                expected  1d
                actual    2d
              path of review
                0s        INSTANCE_STARTED
                0s        JOB_COMPLETED check
                2d        TIMER_FIRED look
                2d        INSTANCE_COMPLETED
                it is COMPLETED
            FAIL a.scenarios.yaml:24 a task may fail
              expect.status
                expected  COMPLETED
                actual    FAILED
              path of review
                0s        INSTANCE_STARTED
                0s        STEP_FAILED check: no answer
                0s        INSTANCE_FAILED: no answer
                it is FAILED at check
            0 of 2 scenarios passed
            error: 2 of 2 scenarios failed
            [exit 1]
        "#]],
    );
}

#[test]
fn coverage_names_what_no_scenario_came_to() {
    check(
        GOOD,
        &["--coverage"],
        expect![[r#"
            ok a.scenarios.yaml:20 a small amount is fine
            DEFINITION  STEPS  EXITS  RULES  TIMERS  FAILURES  TRANSITIONS
            review      3/4    1/2    -      0/1     0/1       -
            not covered: review: failure check fails
            not covered: review: exit route: amount > 100 → look
            not covered: review: step look
            not covered: review: timer look: after 2d → done
            1 of 1 scenarios passed
        "#]],
    );
}

#[test]
fn a_filter_picks_by_name() {
    check(
        GOOD,
        &["--filter", "small"],
        expect![[r#"
            ok a.scenarios.yaml:20 a small amount is fine
            1 of 1 scenarios passed
        "#]],
    );
    check(
        GOOD,
        &["--filter", "large"],
        expect![[r#"
        error: no scenario has "large" in its name
        [exit 2]
    "#]],
    );
}

#[test]
fn malformed_files_are_told_with_line_and_what_was_expected() {
    let scenario = |member: &str| {
        format!("scenarios:\n  - name: x\n    start: {{process: review}}\n    {member}\n")
    };
    let told = |text: &str| {
        let Ran { code, out, err } = told(text, &[]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        err
    };
    let mut all = String::new();
    for text in [
        scenario("expct: {status: COMPLETED}"),
        scenario("expect: {statsu: COMPLETED}"),
        scenario("workers: {check: [{complet: {}}]}"),
        scenario("workers: {check: done}"),
        scenario("workers: {check: {fail: a, fatal: b}}"),
        scenario("expect: {elapsed: soon}"),
        scenario("expect: {timersFired: many}"),
        scenario("do: [{advance: 1h, cancel: x}]"),
        scenario("do: [{move: x}]"),
        scenario("name: y"),
        scenario("expect: {status: COMPLETED"),
        "scenarios:\n  - name: x\n    start: {process: revew}\n".to_owned(),
        "scenarios:\n  - start: {process: review}\n".to_owned(),
        "scenario: []\n".to_owned(),
        "".to_owned(),
    ] {
        all.push_str(&told(&text));
    }
    expect![[r#"
        error: a.scenarios.yaml:20: there is no member "expct"; did you mean "expect"?
        error: a.scenarios.yaml:20: there is no member "statsu"; did you mean "state"?
        error: a.scenarios.yaml:20: there is no member "complet"; did you mean "complete"?
        error: a.scenarios.yaml:20: "done" is no outcome; expected complete, never, true, false, or an object such as {fail: why}
        error: a.scenarios.yaml:20: an outcome has exactly one of complete, fail, fatal, wait, vanish, holds and never
        error: a.scenarios.yaml:20: "soon" is no length of time; expected one such as 90s, 1h30m, 48h or 2d
        error: a.scenarios.yaml:20: expected a whole number
        error: a.scenarios.yaml:20: a deed has exactly one of advance, until, complete, fail, signal, retry, cancel, transition, update and move; or only expect
        error: a.scenarios.yaml:18: "x": do[0]: a process has no move
        error: a.scenarios.yaml:20: there are two members "name"
        error: a.scenarios.yaml:20: unclosed bracket '{'
        error: a.scenarios.yaml:18: "x": there is no process "revew" among the definitions
        error: a.scenarios.yaml:18: missing field `name`
        error: a.scenarios.yaml:17: there is no member "scenario"; did you mean "scenarios"?
        error: a.scenarios.yaml:2: missing field `scenarios`
    "#]].assert_eq(&all);
}

#[test]
fn files_that_are_not_there_are_told() {
    let folder = TempDir::new().unwrap();
    let told = |args: &[&str]| {
        let ran = run(folder.path(), &[&["test"], args].concat());
        assert_eq!(ran.code, Some(2));
        ran.err
    };
    expect![[r#"
        error: no scenarios found
          files with scenarios end with .scenarios.yaml, .scenarios.yml or .scenarios.json
    "#]]
    .assert_eq(&told(&[]));
    expect![[r#"
        error: b.yaml: No such file or directory (os error 2)
    "#]]
    .assert_eq(&told(&["b.yaml"]));
    std::fs::write(
        folder.path().join("c.scenarios.yaml"),
        "definitions: [d.json]\nscenarios: []\n",
    )
    .unwrap();
    expect![[r#"
        error: c.scenarios.yaml:1: ./d.json: No such file or directory (os error 2)
    "#]]
    .assert_eq(&told(&[]));
    std::fs::write(folder.path().join("d.json"), "{\"id\": \"x\", \"steps\": []}").unwrap();
    expect![[r#"
        error: d.json:1:1: name is required (named in c.scenarios.yaml:1)
    "#]]
    .assert_eq(&told(&[]));
}

#[test]
fn junit_is_written_for_those_who_collect_it() {
    let folder = TempDir::new().unwrap();
    let scenarios = GOOD.replace("COMPLETED", "\"<FAILED>\"");
    let text = format!("{DEFINITION}{GOOD}{}", scenarios.split_once("scenarios:").unwrap().1);
    std::fs::write(folder.path().join("a.scenarios.json"), text).unwrap();
    let ran = run(folder.path(), &["test", "--junit", "out.xml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let xml = std::fs::read_to_string(folder.path().join("out.xml")).unwrap();
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="2" failures="1">
          <testsuite name="a.scenarios.json" tests="2" failures="1">
            <testcase classname="a.scenarios.json" name="a small amount is fine" file="a.scenarios.json" line="20"/>
            <testcase classname="a.scenarios.json" name="a small amount is fine" file="a.scenarios.json" line="24">
              <failure message="expect.status">  expect.status
            expected  &lt;FAILED&gt;
            actual    COMPLETED
          path of review
            0s        INSTANCE_STARTED
            0s        JOB_COMPLETED check
            0s        INSTANCE_COMPLETED
            it is COMPLETED</failure>
            </testcase>
          </testsuite>
        </testsuites>
    "#]].assert_eq(&xml);
    let ran = run(folder.path(), &["test", "--junit", "no/such/folder.xml"]);
    assert_eq!(ran.code, Some(1));
}

#[test]
fn watching_plays_again_when_a_file_changes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.scenarios.yaml");
    std::fs::write(&path, format!("{DEFINITION}{GOOD}")).unwrap();
    let mut child = command(folder.path());
    let mut child = child.args(["test", "--watch"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|it| it == "watching for changes"));
    std::fs::write(&path, format!("{DEFINITION}{}", GOOD.replace("COMPLETED", "FAILED"))).unwrap();
    assert!(lines.any(|it| it == "error: 1 of 1 scenarios failed"));
    std::fs::write(&path, "nothing: at all").unwrap();
    assert!(lines.any(|it| it.contains("there is no member \"nothing\"")));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_thousand_scenarios_take_no_time() {
    let one = "  - name: a small amount is fine\n    start: {process: review, variables: {amount: 7}}\n    expect: {status: COMPLETED}\n";
    let many = format!("workers: {{check: complete}}\nscenarios:\n{}", one.repeat(1_000));
    let ran = told(&many, &[]);
    assert!(ran.out.ends_with("1000 of 1000 scenarios passed\n"), "{}", ran.err);
}

const GUIDE: &str = include_str!("../../docs/guides/testing-definitions.md");

#[test]
fn every_command_of_the_guide_does_what_it_says() {
    let blocks = GUIDE.split("```sh\n").skip(1).map(|it| it.split("```").next().unwrap());
    let script = blocks.collect::<Vec<_>>().join("\n");
    assert!(script.matches("waypost ").count() >= 8, "{script}");
    let folder = TempDir::new().unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let program = waypost().parent().unwrap().display();
    let output = std::process::Command::new("timeout")
        .args(["120", "bash", "-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", format!("{program}:{}", std::env::var("PATH").unwrap()))
        .env("WAYPOST_SERVER", &server.url)
        .env("NO_COLOR", "1")
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    for told in [
        "2 of 2 scenarios passed",
        "not covered: SHOP::refund: failure pay fails",
        "3 of 3 scenarios passed",
        "the process would be ACTIVE at check",
        "dry run: nothing has changed",
        "USER_TASK_COMPLETED approve",
        "it would be COMPLETED",
        "what if: nothing has changed",
        "waits for the report of a worker",
    ] {
        assert!(ran.out.contains(told), "{told} is not in\n{}", ran.out);
    }
    let covered = ran.out.rsplit_once("3 of 3 scenarios").unwrap().0;
    let covered = covered.rsplit_once("2 of 2 scenarios").unwrap().1;
    assert!(!covered.contains("not covered"), "{covered}");
}
