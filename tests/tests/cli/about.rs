//! What the program says about itself.

use e2e::binary::run;
use expect_test::expect;
use serde_json::Value;
use tempfile::TempDir;

use crate::world::told_in;

#[test]
fn help_names_the_verbs_and_the_exit_codes() {
    let folder = TempDir::new().unwrap();
    expect![[r#"
        A durable state-machine engine: serve it, try it, and talk to it

        Usage: waypost [OPTIONS] <COMMAND>

        Commands:
          serve          Serve, in production
          dev            Try it: serve a temporary store with examples and workers running
          migrate        Show or apply changes of the store's schema
          doctor         Check store, clock, ports and limits, and say what to do
          bench          Measure what this machine can do
          deploy         Deploy definitions from JSON files
          diagram        Draw a definition, or where an instance is in its own
          start          Start an instance
          list           List instances, tasks of people, definitions, or models
          show           Show an instance, a model, or its workflows
          history        Show what happened to an instance
          explain        Explain why an instance is where it is, and what can move it
          diff           Show what is different between two moments of an instance
          signal         Tell an instance of an event, or take it through a transition
          complete       Complete the task of a person
          retry          Try a failed step again
          cancel         Cancel an instance
          watch          Follow what happens, as it happens
          model          Have a model of entities learn, and lock it
          search         Find entities that match a condition
          delete         Delete an entity or a model
          explain-error  Explain an error code
          completions    Print a completion script for a shell
          version        Print the version
          help           Print this message or the help of the given subcommand(s)

        Options:
              --json     Answer in JSON: one document, or one per line for streams
          -h, --help     Print help
          -V, --version  Print version

        Exit codes:
          0  done
          1  failed
          2  wrong usage or configuration
          3  not found
          4  conflict: it does not fit where things stand
          5  unavailable: the server or the store cannot be reached or used
    "#]]
    .assert_eq(&told_in(folder.path(), &["--help"]));
}

#[test]
fn error_codes_are_explained_offline() {
    let folder = TempDir::new().unwrap();
    let page = told_in(folder.path(), &["explain-error", "lease-lost"]);
    assert!(page.starts_with("# LEASE_LOST\n"), "{page}");
    let codes = run(folder.path(), &["explain-error"]).out;
    assert!(codes.lines().any(|it| it == "DUPLICATE_BIZ_KEY"), "{codes}");
    expect![[r#"
        error: there is no error code LEASE_FOUND
          `waypost explain-error` lists those there are
        [exit 3]
    "#]]
    .assert_eq(&told_in(folder.path(), &["explain-error", "LEASE_FOUND"]));
}

#[test]
fn the_version_is_for_people_and_for_machines() {
    let folder = TempDir::new().unwrap();
    let people = run(folder.path(), &["version"]).out;
    let machines: Value =
        serde_json::from_str(&run(folder.path(), &["version", "--json"]).out).unwrap();
    let version = machines.get("version").and_then(Value::as_str).unwrap();
    assert!(people.starts_with(&format!("waypost {version} (")), "{people}");
}

#[test]
fn shells_can_complete() {
    let folder = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(folder.path(), &["completions", shell]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.out.contains("explain-error"), "{shell}");
    }
}
