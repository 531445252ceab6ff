//! What the program says when the server, or its own caller, is wrong.

use expect_test::expect;

use crate::world::{World, masked, told};

#[test]
fn refusals_say_what_why_and_what_to_do() {
    let world = World::with_order();
    let none = "0198a2b4-7c3d-7e00-8000-0123456789ab";
    let other = r#"{"workflowType":"order","workflowVersion":1,"steps":[{"stepType":"SHIP"}]}"#;
    std::fs::write(world.folder.path().join("other.json"), other).unwrap();
    let empty = r#"{"workflowType":" ","workflowVersion":0,"steps":[]}"#;
    std::fs::write(world.folder.path().join("empty.json"), empty).unwrap();
    expect![[r#"
        $ waypost show chain ID
        error: there is no chain ID (INSTANCE_NOT_FOUND)
          `waypost list chains` shows those there are
        [exit 3]
        $ waypost history chain ID
        error: there is no chain ID (INSTANCE_NOT_FOUND)
          `waypost list chains` shows those there are
        [exit 3]
        $ waypost signal chain ID PAID
        error: there is no such chain (INSTANCE_NOT_FOUND)
          `waypost list chains` shows those there are
        [exit 3]
        $ waypost cancel chain ID
        error: there is no such chain (INSTANCE_NOT_FOUND)
          `waypost list chains` shows those there are
        [exit 3]
        $ waypost watch chain ID
        error: there is no chain ID (INSTANCE_NOT_FOUND)
          `waypost list chains` shows those there are
        [exit 3]
        $ waypost start chain unknown
        error: "unknown" is not deployed (DEFINITION_NOT_FOUND)
          deploy it with `waypost deploy FILE`; `waypost list definitions` shows those there are
        [exit 3]
        $ waypost start chain order --version 7
        error: version 7 of "order" is not deployed (DEFINITION_NOT_FOUND)
          deploy it with `waypost deploy FILE`; `waypost list definitions` shows those there are
        [exit 3]
        $ waypost start chain order --biz-key o-1 --json
        {"instanceId":"ID","version":1,"workflowType":"order","workflowVersion":1,"bizKey":"o-1","status":"RUNNING","currentStepSeq":0,"currentStepType":"VALIDATE","context":null,"startedAt":"AT","completedAt":null,"failedAt":null,"canceledAt":null,"cancelReason":null}
        $ waypost start chain order --biz-key o-1
        error: instance ID of that type runs under the same business key (DUPLICATE_BIZ_KEY)
          `waypost show chain ID` shows the one that runs
        [exit 4]
        $ waypost deploy other.json
        error: other.json: version 1 of "order" has other steps; deploy a new version (DEFINITION_CONFLICT)
          definitions never change: raise workflowVersion and deploy again
        [exit 4]
        $ waypost deploy empty.json
        error: empty.json: workflowType must not be blank; workflowVersion must be at least 1; steps must have at least one step (DEFINITION_INVALID)
          `waypost explain-error DEFINITION_INVALID` says more
        [exit 1]
    "#]].assert_eq(&world.session(&[
        &format!("show chain {none}"),
        &format!("history chain {none}"),
        &format!("signal chain {none} PAID"),
        &format!("cancel chain {none}"),
        &format!("watch chain {none}"),
        "start chain unknown",
        "start chain order --version 7",
        "start chain order --biz-key o-1 --json",
        "start chain order --biz-key o-1",
        "deploy other.json",
        "deploy empty.json",
    ]));
}

#[test]
fn an_ended_chain_takes_no_events() {
    let world = World::with_order();
    let id = world.start();
    world.json(&["cancel", "chain", &id]);
    expect![[r#"
        $ waypost signal chain ID PAID
        error: the chain is CANCELED (INSTANCE_ENDED)
          `waypost explain-error INSTANCE_ENDED` says more
        [exit 4]
    "#]]
    .assert_eq(&world.session(&[&format!("signal chain {id} PAID")]));
}

#[test]
fn wrong_usage_never_reaches_the_server() {
    let world = World::new();
    std::fs::write(world.folder.path().join("broken.json"), "{\"workflowType\": ").unwrap();
    std::fs::write(world.folder.path().join("foreign.json"), "{\"nodes\": []}").unwrap();
    expect![[r#"
        $ waypost start chain order --context '{'
        error: --context is not a JSON document: EOF while parsing an object at line 1 column 1
          give JSON such as '{"total": 12}', or @FILE to read it from a file
        [exit 2]
        $ waypost start chain order --context @nowhere.json
        error: nowhere.json cannot be read: No such file or directory (os error 2)
        [exit 2]
        $ waypost deploy nowhere.json
        error: nowhere.json cannot be read: No such file or directory (os error 2)
        [exit 2]
        $ waypost deploy broken.json
        error: broken.json: is not JSON: EOF while parsing a value at line 1 column 17
        [exit 2]
        $ waypost deploy foreign.json
        error: foreign.json: is not recognized as a definition
          a chain definition has workflowType, workflowVersion and steps; one of a process has id, name and steps; an import for entities has workflows
        [exit 2]
    "#]]
    .assert_eq(&world.session(&[
        "start chain order --context '{'",
        "start chain order --context @nowhere.json",
        "deploy nowhere.json",
        "deploy broken.json",
        "deploy foreign.json",
    ]));
    assert_eq!(world.run(&["list", "chains", "--limit", "5000"]).code, Some(2));
    let ran = world.run(&["list", "chains", "--status", "sleeping"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("[possible values: running, completed, failed, canceled]"), "{ran:?}");
}

#[test]
fn machines_get_failures_as_one_line_of_json() {
    let world = World::new();
    let ran = world.run(&["start", "chain", "unknown", "--json"]);
    assert_eq!(ran.code, Some(3));
    assert_eq!(ran.out, "");
    expect![[r#"
        {"error":"\"unknown\" is not deployed","code":"DEFINITION_NOT_FOUND","advice":"deploy it with `waypost deploy FILE`; `waypost list definitions` shows those there are","exit":3}
    "#]].assert_eq(&ran.err);
}

#[test]
fn a_server_that_is_not_there_is_told_apart_from_one_that_refuses() {
    let folder = tempfile::TempDir::new().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let url = format!("http://127.0.0.1:{port}");
    let ran = e2e::binary::run(folder.path(), &["list", "chains", "--server", &url]);
    expect![[r#"
        error: there is no server at SERVER: Connection refused (os error 111)
          start one with `waypost serve` or `waypost dev`, or name another with --server
        [exit 5]
    "#]]
    .assert_eq(&masked(&told(&ran).replace(&url, "SERVER")));
    let ran = e2e::binary::run(folder.path(), &["list", "chains", "--server", "localhost"]);
    expect![[r#"
        error: "localhost" is not an address of a server such as http://127.0.0.1:8080: relative URL without a base
        [exit 2]
    "#]].assert_eq(&told(&ran));
}

#[test]
fn a_verb_without_its_noun_is_answered_with_how_to_say_it() {
    let folder = tempfile::TempDir::new().unwrap();
    for (said, usage) in [
        (["start", "order"], "waypost start <chain|process|entity> <NAME> [OPTIONS]"),
        (["show", "ID"], "waypost show [chain|process|entity] <ID> [OPTIONS]"),
        (["history", "ID"], "waypost history [chain|process|entity] <ID> [OPTIONS]"),
        (["explain", "ID"], "waypost explain [chain|process|entity] <ID> [OPTIONS]"),
        (
            ["diff", "ID"],
            "waypost diff [chain|process|entity] <ID> --from <MOMENT> [--to <MOMENT>] [OPTIONS]",
        ),
        (
            ["signal", "ID"],
            "waypost signal [chain|process|entity] <ID> <EVENT|STEP|TRANSITION> [OPTIONS]",
        ),
        (["cancel", "ID"], "waypost cancel [chain|process] <ID> [OPTIONS]"),
    ] {
        let ran = e2e::binary::run(folder.path(), &said);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(&format!("Usage: {usage}")), "{ran:?}");
    }
}
