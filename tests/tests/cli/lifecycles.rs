//! Lifecycles that a server shows because a file describes them.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::Stdio,
    sync::Arc,
};

use e2e::binary::{Running, command};
use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;
use waypost_lifecycle::{Buckets as _, SqlBuckets, SystemClock};
use waypost_stores::{SqliteOptions, SqliteStore};

use crate::world::{World, told};

/// The drone survey of the examples.
const SURVEY: &str = include_str!("../../../examples/lifecycles.toml");

fn folder(settings: &str, types: Option<&str>) -> TempDir {
    let folder = TempDir::new().unwrap();
    let file = format!("[lifecycle]\ntypes = \"lifecycles.toml\"\n{settings}");
    std::fs::write(folder.path().join("waypost.toml"), file).unwrap();
    if let Some(types) = types {
        std::fs::write(folder.path().join("lifecycles.toml"), types).unwrap();
    }
    folder
}

#[tokio::test]
async fn types_that_a_file_describes_are_there_for_operators() {
    let folder = folder("create_buckets = true\npath_prefix = \"ops\"", Some(SURVEY));
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let types = reqwest::get(format!("{}/ops", server.url)).await.unwrap();
    let types = types.text().await.unwrap();
    expect![[r#"[{"workflow":"drone-survey","kv_bucket":"MISSIONS","phases":["aborted","capturing","completed","failed","flying","landing","planning"],"terminal_phases":["aborted","completed","failed"],"operator_writable_fields":["battery","owner_org_id"],"counts_by_phase":{}}]"#]]
        .assert_eq(&types);
}

#[tokio::test]
async fn who_names_no_origins_is_warned_and_a_limit_below_one_is_none() {
    for (origins, is_warned) in [("", true), ("allowed_origins = \"https://ops.test\"", false)] {
        let settings = format!("create_buckets = true\nmax_body_bytes = -1\n{origins}");
        let folder = folder(&settings, Some(SURVEY));
        let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
        let url = format!("{}/workflows/drone-survey/m-1/state", server.url);
        let client = reqwest::Client::new();
        let mut statuses = Vec::new();
        for body in [2, 1 << 21].map(|it| format!("{{{}}}", " ".repeat(it))) {
            let answer = client.post(&url).header("content-type", "application/json").body(body);
            statuses.push(answer.send().await.unwrap().status().as_u16());
        }
        assert_eq!(statuses, [404, 413]);
        let (_, err) = server.stop();
        assert_eq!(err.contains("no origins are set for lifecycles"), is_warned, "{err}");
    }
}

fn refused(folder: &Path) -> String {
    let output =
        command(folder).args(["serve", "--store", "sqlite::memory:", "--log", "error"]).output();
    told(&output.unwrap().into())
}

#[test]
fn a_file_that_cannot_be_used_is_refused_at_the_start() {
    let unknown = SURVEY.replace("[\"flying\", \"aborted\"]", "[\"flying\", \"lost\"]");
    let cases = [
        ("", None),
        ("", Some("types = 7")),
        ("create_buckets = true", Some(unknown.as_str())),
        ("", Some(SURVEY)),
        ("path_prefix = \"v1\"\ncreate_buckets = true", Some(SURVEY)),
    ];
    let told = cases.map(|(settings, types)| refused(folder(settings, types).path()));
    expect![[r#"
        error: lifecycles.toml: No such file or directory (os error 2)
          lifecycle.types names a file that describes the types to show, such as examples/lifecycles.toml
        [exit 2]

        error: lifecycles.toml: TOML parse error at line 1, column 9
          |
        1 | types = 7
          |         ^
        invalid type: integer `7`, expected a sequence

        [exit 2]

        error: lifecycles.toml: the transitions of workflow "drone-survey" are invalid: "planning" leads to "lost", which is not declared
        [exit 2]

        error: lifecycles.toml: there is no bucket "MISSIONS" of workflow "drone-survey"
          start the program it belongs to, which makes it, or set lifecycle.create_buckets = true
        [exit 2]

        error: lifecycle.path_prefix: /v1 is taken; use another, such as /workflows
        [exit 2]
    "#]].assert_eq(&told.join("\n"));
}

/// A server with two missions that some program has left behind.
pub(crate) async fn world() -> World {
    let folder = folder("", Some(SURVEY));
    let (path, clock) = (folder.path().join("w.db"), Arc::new(SystemClock));
    let store = Arc::new(SqliteStore::open(&path, SqliteOptions::default(), clock).unwrap());
    let buckets = SqlBuckets::new(Arc::<SqliteStore>::clone(&store), "default".into());
    let bucket = buckets.create("MISSIONS", 8).await.unwrap();
    for (id, owner) in [("m-1", "acme"), ("m-2", "zenith")] {
        let mission = json!({"entity_id": id, "phase": "planning", "owner_org_id": owner,
            "battery": 0, "photos": 0});
        bucket.create(&format!("mission.{id}"), mission.to_string().into()).await.unwrap();
    }
    store.close().await.unwrap();
    // Whoever holds any of them holds the file.
    drop((bucket, buckets, store));
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    World { folder, server }
}

#[tokio::test]
async fn operators_look_and_act_from_the_command_line() {
    let world = world().await;
    let told = world.squeezed(&[
        "list lifecycles",
        "show lifecycle drone-survey",
        "list lifecycles drone-survey",
        "list lifecycles drone-survey --match owner_org_id=zenith",
        "list lifecycles drone-survey --limit 1",
        "list lifecycles drone-survey --phase flying --active",
        "patch lifecycle drone-survey m-1 '{\"battery\": 80}'",
        "signal lifecycle drone-survey m-1 flying --note 'the wind is fine'",
        "show lifecycle drone-survey m-1",
        "signal lifecycle drone-survey m-1 aborted",
        "history lifecycle drone-survey m-1",
        "show lifecycle drone-survey m-1",
    ]);
    expect![[r#"
        $ waypost list lifecycles
        TYPE  BUCKET  ENTITIES  PHASES
        drone-survey  MISSIONS  2  planning 2
        $ waypost show lifecycle drone-survey
        type  drone-survey
        bucket  MISSIONS
        writable  battery, owner_org_id

        PHASE  LEADS TO
        aborted  -
        capturing  flying
        completed  -
        failed  -
        flying  capturing, landing, aborted
        landing  completed, failed
        planning  flying, aborted
        $ waypost list lifecycles drone-survey
        ID  PHASE  PARENT  VALUE
        m-1  planning  -  {"entity_id":"m-1","phase":"planning","owner_org_id":"acme","battery":0,"photos":0}
        m-2  planning  -  {"entity_id":"m-2","phase":"planning","owner_org_id":"zenith","battery":0,"photos":0}
        $ waypost list lifecycles drone-survey --match owner_org_id=zenith
        ID  PHASE  PARENT  VALUE
        m-2  planning  -  {"entity_id":"m-2","phase":"planning","owner_org_id":"zenith","battery":0,"photos":0}
        $ waypost list lifecycles drone-survey --limit 1
        ID  PHASE  PARENT  VALUE
        m-1  planning  -  {"entity_id":"m-1","phase":"planning","owner_org_id":"acme","battery":0,"photos":0}
        there are more: add --page 1
        $ waypost list lifecycles drone-survey --phase flying --active
        no entities
        $ waypost patch lifecycle drone-survey m-1 '{"battery": 80}'
        wrote battery of m-1
        $ waypost signal lifecycle drone-survey m-1 flying --note 'the wind is fine'
        m-1 is flying
        $ waypost show lifecycle drone-survey m-1
        entity  m-1
        type  drone-survey
        phase  flying
        leads to  capturing, landing, aborted
        value  {"entity_id":"m-1","phase":"flying","owner_org_id":"acme","battery":80,"photos":0}
        $ waypost signal lifecycle drone-survey m-1 aborted
        m-1 is aborted
        $ waypost history lifecycle drone-survey m-1
        FROM  TO  BY  NOTE  WHEN
        -  planning  framework  now (AT)
        planning  flying  operator  the wind is fine  now (AT)
        flying  aborted  operator  now (AT)
        $ waypost show lifecycle drone-survey m-1
        entity  m-1
        type  drone-survey
        phase  aborted
        leads to  nowhere: it has ended
        value  {"entity_id":"m-1","phase":"aborted","owner_org_id":"acme","battery":80,"photos":0}
    "#]].assert_eq(&told);
}

#[tokio::test]
async fn operators_are_told_what_does_not_work_and_what_to_do() {
    let world = world().await;
    let told = world.session(&[
        "list lifecycles nothing",
        "show lifecycle drone-survey nobody",
        "history lifecycle drone-survey nobody",
        "signal lifecycle drone-survey m-1 completed",
        "patch lifecycle drone-survey m-1 '{\"phase\": \"flying\"}'",
        "patch lifecycle drone-survey m-1 '{\"battery\": 300}'",
        "patch lifecycle drone-survey m-1 7",
        "list lifecycles drone-survey --match wings=2",
        "list lifecycles drone-survey --match wings",
        "watch lifecycle nothing",
        "list lifecycles --path-prefix elsewhere",
    ]);
    expect![[r#"
        $ waypost list lifecycles nothing
        error: list: workflow "nothing" is not registered
          `waypost list lifecycles` shows the types, `waypost list lifecycles TYPE` the entities
        [exit 3]
        $ waypost show lifecycle drone-survey nobody
        error: get: there is no entity "nobody" in workflow "drone-survey"
          `waypost list lifecycles` shows the types, `waypost list lifecycles TYPE` the entities
        [exit 3]
        $ waypost history lifecycle drone-survey nobody
        error: history: there is no entity "nobody" in workflow "drone-survey"
          `waypost list lifecycles` shows the types, `waypost list lifecycles TYPE` the entities
        [exit 3]
        $ waypost signal lifecycle drone-survey m-1 completed
        error: transition: invalid transition of entity "m-1" of workflow "drone-survey": "planning" does not lead to "completed"
          `waypost show lifecycle TYPE` shows where phases lead and which fields are for operators
        [exit 1]
        $ waypost patch lifecycle drone-survey m-1 '{"phase": "flying"}'
        error: state_patch: field "phase" of workflow "drone-survey" is not operator_writable
          `waypost show lifecycle TYPE` shows where phases lead and which fields are for operators
        [exit 1]
        $ waypost patch lifecycle drone-survey m-1 '{"battery": 300}'
        error: state_patch: field "battery" of workflow "drone-survey": cannot assign 300 to u8
          `waypost show lifecycle TYPE` shows where phases lead and which fields are for operators
        [exit 1]
        $ waypost patch lifecycle drone-survey m-1 7
        error: JSON is not an object
          give fields by their names, such as '{"battery": 80}'
        [exit 2]
        $ waypost list lifecycles drone-survey --match wings=2
        error: list: workflow "drone-survey" has no field "wings" to match
          `waypost show lifecycle TYPE` shows where phases lead and which fields are for operators
        [exit 1]
        $ waypost list lifecycles drone-survey --match wings
        error: invalid value 'wings' for '--match <FIELD=VALUE>': give a field and a value: FIELD=VALUE

        For more information, try '--help'.
        [exit 2]
        $ waypost watch lifecycle nothing
        error: definition: workflow "nothing" is not registered
          `waypost list lifecycles` shows the types, `waypost list lifecycles TYPE` the entities
        [exit 3]
        $ waypost list lifecycles --path-prefix elsewhere
        error: there is nothing at /elsewhere; /docs lists what there is (ROUTE_NOT_FOUND)
          `waypost explain-error ROUTE_NOT_FOUND` says more
        [exit 3]
    "#]].assert_eq(&told);
}

#[tokio::test]
async fn machines_read_the_same() {
    let world = world().await;
    let types = world.json(&["list", "lifecycles"]);
    assert_eq!(types[0]["counts_by_phase"], json!({"planning": 2}));
    let definition = world.json(&["show", "lifecycle", "drone-survey"]);
    assert_eq!(definition["transitions"]["capturing"], json!(["flying"]));
    let done = world.json(&["signal", "lifecycle", "drone-survey", "m-1", "flying"]);
    assert_eq!(done, json!({"ok": true, "phase": "flying"}));
    let done = world.json(&["patch", "lifecycle", "drone-survey", "m-1", r#"{"battery": 7}"#]);
    assert_eq!(done, json!({"ok": true}));
    let one = world.json(&["show", "lifecycle", "drone-survey", "m-1"]);
    assert_eq!((&one["phase"], &one["value"]["battery"]), (&json!("flying"), &json!(7)));
    assert_eq!(world.json(&["list", "lifecycles", "drone-survey", "--active"])[0], one);
    let moves = world.json(&["history", "lifecycle", "drone-survey", "m-1"]);
    assert_eq!((&moves[1]["to"], &moves[1]["triggered"]), (&json!("flying"), &json!("operator")));
}

#[tokio::test]
async fn a_lifecycle_is_followed_as_it_is_written() {
    let world = world().await;
    let mut watching = command(world.folder.path())
        .args(["watch", "lifecycle", "drone-survey", "--json", "--server", &world.server.url])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let mut there = [next(), next()].map(|it| it["entity_id"].as_str().unwrap().to_owned());
    there.sort();
    assert_eq!(there, ["m-1", "m-2"]);
    world.json(&["patch", "lifecycle", "drone-survey", "m-2", r#"{"battery": 55}"#]);
    let seen = next();
    assert_eq!((&seen["entity_id"], &seen["value"]["battery"]), (&json!("m-2"), &json!(55)));
    watching.kill().unwrap();
    watching.wait().unwrap();
}
