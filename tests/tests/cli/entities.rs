//! Models, workflows and entities: every verb, once in words and once in JSON, and what is refused.

use std::process::Command;

use e2e::binary::{Ran, Running, run, waypost};
use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::world::{World, masked, text, told};

const GUIDE: &str = include_str!("../../../docs/guides/entity.md");
pub(crate) const KEY: &str = include_str!("../../../crates/server/tests/auth/signing.pem");

const SAMPLE: &str = r#"{"items": 3, "note": "gift", "price": 12.50, "to": {"city": "Ulm"}}"#;

const PARCEL: &str = r#"{"workflows": [{
  "version": "1", "name": "parcel", "initialState": "NEW", "states": {
    "NEW": {"transitions": [
      {"name": "SHIP", "next": "SHIPPED", "manual": true},
      {"name": "CHECK", "next": "LARGE", "criterion": {"type": "simple",
        "jsonPath": "$.items", "operatorType": "GREATER_THAN", "value": 100}}]},
    "LARGE": {}, "SHIPPED": {}}}]}"#;

/// What is in a state.
pub(crate) const IN_NEW: &str =
    r#"{"type": "lifecycle", "field": "state", "operatorType": "EQUALS", "value": "NEW"}"#;

impl World {
    pub(crate) fn with_files() -> Self {
        let world = Self::new();
        for (name, text) in [("sample.json", SAMPLE), ("parcel.json", PARCEL), ("new.json", IN_NEW)]
        {
            std::fs::write(world.folder.path().join(name), text).unwrap();
        }
        world
    }

    /// With a model that takes entities.
    pub(crate) fn with_parcel() -> Self {
        let world = Self::with_files();
        for args in [
            &["model", "import", "parcel", "1", "sample.json"][..],
            &["deploy", "parcel.json", "--model", "parcel", "--model-version", "1"],
            &["model", "lock", "parcel", "1"],
        ] {
            let ran = world.run(args);
            assert_eq!(ran.code, Some(0), "{ran:?}");
        }
        world
    }

    /// Creates a parcel; says its id.
    pub(crate) fn parcel(&self, value: &str) -> String {
        let created = self.json(&["start", "entity", "parcel", "1", "--value", value]);
        pointed(&created, "/0/entityIds/0")
    }

    /// When the changes of an entity landed, newest first.
    fn changed_at(&self, id: &str) -> Vec<String> {
        let changes = self.json(&["history", id]);
        let changes = changes.as_array().unwrap();
        changes.iter().map(|it| text(it, "timeOfChange")).collect()
    }
}

fn pointed(document: &Value, pointer: &str) -> String {
    document.pointer(pointer).and_then(Value::as_str).unwrap().to_owned()
}

#[test]
fn a_model_from_its_sample_to_its_end() {
    let world = World::with_files();
    expect![[r#"
        $ waypost list models
        no models
        $ waypost model import parcel 1 sample.json
        model parcel version 1: has learned from sample.json
        $ waypost list models
        MODEL  VERSION  STATE  LEARNED
        parcel  1  UNLOCKED  now
        $ waypost show model parcel 1
        model  parcel version 1
        state  UNLOCKED
        entities  none

        FIELD  TYPE
        $.items  INTEGER
        $.note  STRING
        $.price  DOUBLE
        $.to.city  STRING
        $ waypost deploy parcel.json --model parcel --model-version 1
        workflows parcel of parcel version 1: deployed
        $ waypost list workflows parcel 1
        WORKFLOW  VERSION  ACTIVE  BEGINS IN  STATES
        parcel  1  yes  NEW  LARGE, NEW, SHIPPED
        $ waypost show workflows parcel 1
        WORKFLOW  FROM  TRANSITION  TO  TAKEN  CRITERION  PROCESSORS
        parcel  NEW  SHIP  SHIPPED  by name
        parcel  NEW  CHECK  LARGE  by itself  simple
        $ waypost model lock parcel 1
        model parcel version 1: locked, and takes entities
        $ waypost model unlock parcel 1
        model parcel version 1: unlocked, and learns from samples
        $ waypost delete model parcel 1
        deleted model parcel version 1
        $ waypost list models
        no models
    "#]]
    .assert_eq(&world.squeezed(&[
        "list models",
        "model import parcel 1 sample.json",
        "list models",
        "show model parcel 1",
        "deploy parcel.json --model parcel --model-version 1",
        "list workflows parcel 1",
        "show workflows parcel 1",
        "model lock parcel 1",
        "model unlock parcel 1",
        "delete model parcel 1",
        "list models",
    ]));
}

#[test]
fn an_entity_from_its_creation_to_its_end() {
    let world = World::with_parcel();
    let id = world.parcel(r#"{"items": 3, "price": 12.50}"#);
    expect![[r#"
        $ waypost start entity parcel 1 --value '{"items": 500}'
        created parcel version 1: ID, LARGE
        $ waypost show model parcel 1
        model  parcel version 1
        state  LOCKED
        entities  1 LARGE, 1 NEW

        FIELD  TYPE
        $.items  INTEGER
        $.note  STRING
        $.price  DOUBLE
        $.to.city  STRING
        $ waypost show ID
        entity  ID
        model  parcel version 1
        state  NEW
        created  now (AT)
        saved  now (AT)
        by  loopback
        transaction  ID
        transitions  SHIP, CHECK
        value  {"items":3,"price":12.50}
        $ waypost search parcel 1 @new.json
        ID  STATE  CREATED  SAVED  VALUE
        ID  NEW  now  now  {"items":3,"price":12.50}
        $ waypost signal ID SHIP
        took SHIP: ID is SHIPPED
        $ waypost show entity ID
        entity  ID
        model  parcel version 1
        state  SHIPPED
        created  now (AT)
        saved  now (AT)
        by  SHIP
        transaction  ID
        transitions  none
        value  {"items":3,"price":12.50}
        $ waypost search parcel 1 @new.json
        no entities
        $ waypost history ID
        AT  CHANGE  USER  TRANSACTION
        AT  UPDATED  mock-user-001  ID
        AT  CREATED  mock-user-001  ID
        $ waypost delete entity ID
        deleted parcel version 1: ID
        $ waypost history entity ID
        AT  CHANGE  USER  TRANSACTION
        AT  DELETED  mock-user-001  ID
        AT  UPDATED  mock-user-001  ID
        AT  CREATED  mock-user-001  ID
        $ waypost list entities parcel 1
        ID  STATE  CREATED  SAVED  VALUE
        ID  LARGE  now  now  {"items":500}
    "#]]
    .assert_eq(&world.squeezed(&[
        "start entity parcel 1 --value '{\"items\": 500}'",
        "show model parcel 1",
        &format!("show {id}"),
        "search parcel 1 @new.json",
        &format!("signal {id} SHIP"),
        &format!("show entity {id}"),
        "search parcel 1 @new.json",
        &format!("history {id}"),
        &format!("delete entity {id}"),
        &format!("history entity {id}"),
        "list entities parcel 1",
    ]));
}

#[test]
fn the_past_can_be_looked_at() {
    let world = World::with_parcel();
    let id = world.parcel(r#"{"items": 3}"#);
    let value = r#"{"items": 4}"#;
    let taken = world.json(&["signal", &id, "SHIP", "--value", value]);
    let transaction = text(&taken, "transactionId");
    let [shipped_at, created_at] = &world.changed_at(&id)[..] else {
        unreachable!("it was created, and changed once")
    };
    let state = |args: &[&str]| {
        let shown = world.json(&[&["show", &id], args].concat());
        (pointed(&shown, "/meta/state"), shown.pointer("/data/items").cloned().unwrap())
    };
    assert_eq!(state(&["--at", created_at]), ("NEW".into(), json!(3)));
    assert_eq!(state(&["--at", shipped_at]), ("SHIPPED".into(), json!(4)));
    assert_eq!(state(&["--transaction", &transaction]), ("SHIPPED".into(), json!(4)));
    let first = pointed(&world.json(&["history", &id]), "/1/transactionId");
    assert_eq!(state(&["--transaction", &first]), ("NEW".into(), json!(3)));
    let could = world.json(&["show", &id, "--at", created_at]);
    assert_eq!(could.pointer("/transitions"), Some(&json!(["SHIP", "CHECK"])));
    assert_eq!(world.json(&["show", &id]).pointer("/transitions"), Some(&json!([])));

    for (at, n_found) in [(created_at.as_str(), 1), ("1970-01-02", 0)] {
        let found = world.json(&["search", "parcel", "1", IN_NEW, "--at", at]);
        assert_eq!(found.as_array().map(Vec::len), Some(n_found), "{at}");
        let listed = world.json(&["list", "entities", "parcel", "1", "--at", at]);
        assert_eq!(listed.as_array().map(Vec::len), Some(n_found), "{at}");
    }
    let counted = world.json(&["show", "model", "parcel", "1", "--at", created_at]);
    assert_eq!(counted.pointer("/states/0/state"), Some(&json!("NEW")));
    let until = world.json(&["history", &id, "--at", created_at]);
    assert_eq!(until.as_array().map(Vec::len), Some(1));
}

#[test]
fn before_it_was_created_there_was_no_entity() {
    let world = World::with_parcel();
    let id = world.parcel(r#"{"items": 3}"#);
    expect![[r#"
        $ waypost show ID --at 1970-01-02
        error: entity id=ID not found (ENTITY_NOT_FOUND)
          `waypost history entity ID` tells when it came and went, if it ever did
        [exit 3]
        $ waypost show ID --at yesterday
        error: invalid value 'yesterday' for '--at <TIME>': "yesterday" is not an RFC 3339 time such as "AT"

        For more information, try '--help'.
        [exit 2]
        $ waypost list entities parcel 1 --at AT
        no entities
    "#]].assert_eq(&world.session(&[
        &format!("show {id} --at 1970-01-02"),
        &format!("show {id} --at yesterday"),
        "list entities parcel 1 --at 1970-01-02T00:00:00Z",
    ]));
    let ran = world.run(&["show", &id, "--at", "1970-01-02", "--transaction", &id]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[test]
fn entities_come_in_pages() {
    let world = World::with_parcel();
    let three = r#"[{"items":1},{"items":2},{"items":3}]"#;
    let created = world.json(&["start", "entity", "parcel", "1", "--value", three]);
    let mut ids: Vec<_> = (0..3).map(|n| pointed(&created, &format!("/0/entityIds/{n}"))).collect();
    ids.sort();
    let page = |number: &str| {
        let args = ["list", "entities", "parcel", "1", "--limit", "2", "--page", number];
        let listed = world.json(&args);
        let listed = listed.as_array().unwrap();
        listed.iter().map(|it| pointed(it, "/meta/id")).collect::<Vec<_>>()
    };
    let mut listed = [page("0"), page("1")].concat();
    assert_eq!(listed.len(), 3);
    listed.sort();
    assert_eq!(listed, ids);
    let told = |limit| world.run(&["list", "entities", "parcel", "1", "--limit", limit]).out;
    assert!(told("2").ends_with("there are more: add --page 1\n"), "{}", told("2"));
    assert!(!told("3").contains("there are more"), "{}", told("3"));
    let cut = world.run(&["search", "parcel", "1", IN_NEW, "--limit", "2"]);
    assert_eq!(cut.code, Some(1), "{cut:?}");
    assert!(cut.err.contains("(SEARCH_RESULT_LIMIT)"), "{cut:?}");
}

#[test]
fn what_stands_of_a_collection_is_told_before_what_broke_it_off() {
    let world = World::with_parcel();
    let items: Vec<_> = (0..100).map(|n| json!({ "items": n })).collect();
    let last = json!({ "items": "many" });
    let file = Value::from([items, vec![last]].concat()).to_string();
    std::fs::write(world.folder.path().join("many.json"), file).unwrap();
    let ran = world.run(&["start", "entity", "parcel", "1", "--value", "@many.json"]);
    assert_eq!(ran.out.lines().count(), 100, "{ran:?}");
    assert!(ran.out.starts_with("created parcel version 1: "), "{ran:?}");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    expect![[r#"
        error: item 100: validation failed: items: expected INTEGER, found STRING; transactions before it stand: 1, and no more (BAD_REQUEST)
    "#]].assert_eq(&masked(&ran.err));
    let listed = world.json(&["list", "entities", "parcel", "1", "--limit", "1000"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(100));
}

#[test]
fn machines_get_what_the_server_says_digit_by_digit() {
    let world = World::with_files();
    let imported = world.json(&["model", "import", "parcel", "1", "sample.json"]);
    assert_eq!(imported.pointer("/modelKey"), Some(&json!({ "name": "parcel", "version": 1 })));
    let deploy = ["deploy", "parcel.json", "--model", "parcel", "--model-version", "1"];
    let deployed = world.json(&deploy);
    let expected = json!([{
        "file": "parcel.json", "modelKey": { "name": "parcel", "version": 1 },
        "workflows": ["parcel"], "outcome": "DEPLOYED",
    }]);
    assert_eq!(deployed, expected);
    let locked = world.json(&["model", "lock", "parcel", "1"]);
    assert_eq!(locked.pointer("/success"), Some(&json!(true)));
    let models = world.json(&["list", "models"]);
    assert_eq!(pointed(&models, "/0/currentState"), "LOCKED");
    let model = world.json(&["show", "model", "parcel", "1"]);
    assert_eq!(pointed(&model, "/currentState"), "LOCKED");
    assert!(model.pointer("/schema/properties/items").is_some(), "{model}");
    for verb in ["list", "show"] {
        let workflows = world.json(&[verb, "workflows", "parcel", "1"]);
        assert_eq!(pointed(&workflows, "/workflows/0/name"), "parcel");
    }

    let id = world.parcel(r#"{"items": 3, "price": 12.50}"#);
    for args in [
        &["show", &id][..],
        &["list", "entities", "parcel", "1"],
        &["search", "parcel", "1", IN_NEW],
    ] {
        let out = world.run(&[args, &["--json"]].concat()).out;
        assert!(out.contains(r#""price": 12.50"#) || out.contains(r#""price":12.50"#), "{out}");
    }
    assert_eq!(pointed(&world.json(&["show", &id]), "/meta/modelKey/name"), "parcel");
    let taken = world.json(&["signal", "entity", &id, "SHIP"]);
    assert_eq!(taken.pointer("/entityIds/0"), Some(&json!(id)));
    assert_eq!(world.json(&["history", &id]).pointer("/0/changeType"), Some(&json!("UPDATED")));
    assert_eq!(text(&world.json(&["delete", "entity", &id]), "id"), id);
    let unlocked = world.json(&["model", "unlock", "parcel", "1"]);
    assert_eq!(unlocked.pointer("/success"), Some(&json!(true)));
    let deleted = world.json(&["delete", "model", "parcel", "1"]);
    assert_eq!(deleted.pointer("/modelKey/name"), Some(&json!("parcel")));
}

#[test]
fn workflows_that_are_shown_can_be_deployed_and_modes_count() {
    let world = World::with_parcel();
    let exported = world.run(&["show", "workflows", "parcel", "1", "--json"]).out;
    let path = world.folder.path().join("exported.json");
    std::fs::write(&path, exported.replace(r#""name":"parcel""#, r#""name":"other""#)).unwrap();
    let names = || {
        let exported = world.json(&["list", "workflows", "parcel", "1"]);
        let workflows = exported.get("workflows").and_then(Value::as_array).unwrap();
        let of = |it: &Value| format!("{} {}", text(it, "name"), it.get("active").unwrap());
        workflows.iter().map(of).collect::<Vec<_>>()
    };
    let deploy = |mode: &str| {
        let model = ["--model", "parcel", "--model-version", "1", "--mode", mode];
        let ran = world.run(&[&["deploy", "exported.json"], &model[..]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
    };
    deploy("MERGE");
    assert_eq!(names(), ["parcel true", "other true"]);
    deploy("activate");
    assert_eq!(names(), ["parcel false", "other true"]);
    deploy("replace");
    assert_eq!(names(), ["other true"]);
}

#[test]
fn a_change_in_between_is_not_overwritten() {
    let world = World::with_parcel();
    let id = world.parcel(r#"{"items": 3}"#);
    let first = pointed(&world.json(&["show", &id]), "/meta/transactionId");
    world.json(&["signal", &id, "SHIP", "--if-match", &first]);
    let late =
        world.run(&["signal", &id, "SHIP", "--value", "{\"items\":9}", "--if-match", &first]);
    assert_eq!(late.code, Some(4), "{late:?}");
    assert_eq!(world.json(&["show", &id]).pointer("/data/items"), Some(&json!(3)));
}

#[test]
fn samples_may_be_xml_and_come_from_standard_input() {
    let world = World::with_files();
    let sample = "<parcel><items>3</items></parcel>";
    std::fs::write(world.folder.path().join("sample.xml"), sample).unwrap();
    let ran = world.run(&["model", "import", "parcel", "1", "sample.xml", "--format", "xml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let shown = world.run(&["show", "model", "parcel", "1"]).out;
    assert!(shown.contains("items"), "{shown}");
    // Nothing comes from there.
    let ran = world.run(&["model", "import", "parcel", "1", "-"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[tokio::test]
async fn a_server_that_asks_who_it_is_gets_the_token() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("signing.pem"), KEY).unwrap();
    let settings = "auth.signing_key_file = \"signing.pem\"\n\
        auth.client = { id = \"me\", secret = \"secret-enough-for-a-test\" }\n";
    std::fs::write(folder.path().join("waypost.toml"), settings).unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db", "--auth", "jwt"]);
    let asked = reqwest::Client::new()
        .post(format!("{}/api/oauth/token", server.url))
        .basic_auth("me", Some("secret-enough-for-a-test"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body("grant_type=client_credentials");
    let granted: Value = asked.send().await.unwrap().json().await.unwrap();
    let token = text(&granted, "access_token");

    let list = ["list", "models", "--server", &server.url];
    expect![[r#"
        error: authentication failed (UNAUTHORIZED)
          sign in: put a token into WAYPOST_TOKEN, or give it with --token
        [exit 1]
    "#]]
    .assert_eq(&masked(&told(&run(folder.path(), &list))));
    for face in ["processes", "chains"] {
        let list = ["list", face, "--server", &server.url];
        let refused = run(folder.path(), &list);
        assert!(refused.err.contains("(UNAUTHORIZED)"), "{refused:?}");
        let flagged = run(folder.path(), &[&list[..], &["--token", &token]].concat());
        assert_eq!(flagged.code, Some(0), "{flagged:?}");
    }
    let flagged = run(folder.path(), &[&list[..], &["--token", &token]].concat());
    assert_eq!((flagged.code, flagged.out.as_str()), (Some(0), "no models\n"), "{flagged:?}");
    let with = |variable: &str| {
        let mut command = e2e::binary::command(folder.path());
        Ran::from(command.args(list).env("WAYPOST_TOKEN", variable).output().unwrap())
    };
    assert_eq!(with(&token).code, Some(0));
    assert_eq!(with("").code, Some(1));
    assert_eq!(with("a\nb").code, Some(2));
    assert!(!run(folder.path(), &["list", "models", "--help"]).out.contains(&token));
}

#[test]
fn entities_may_be_below_another_path() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("waypost.toml"), "entity.context_path = \"/things\"")
        .unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let list = ["list", "models", "--server", &server.url];
    assert_eq!(run(folder.path(), &list).code, Some(3));
    let ran = run(folder.path(), &[&list[..], &["--context-path", "/things"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn every_verb_of_entities_has_an_example() {
    let folder = TempDir::new().unwrap();
    for verb in [
        &["deploy"][..],
        &["start", "entity"],
        &["list", "models"],
        &["list", "workflows"],
        &["list", "entities"],
        &["show", "model"],
        &["show", "workflows"],
        &["show", "entity"],
        &["history", "entity"],
        &["signal", "entity"],
        &["model", "import"],
        &["model", "lock"],
        &["model", "unlock"],
        &["search"],
        &["show", "search"],
        &["cancel", "search"],
        &["delete", "entity"],
        &["delete", "model"],
    ] {
        let ran = run(folder.path(), &[verb, &["--help"]].concat());
        assert!(ran.out.contains(&format!("\n  waypost {}", verb.join(" "))), "{ran:?}");
    }
}

#[test]
fn the_entity_guide_can_be_followed_on_the_command_line() {
    let folder = TempDir::new().unwrap();
    let server = Running::serve(folder.path(), &["--store", "sqlite:w.db"]);
    let blocks = GUIDE.split("```bash\n").skip(1).map(|it| it.split("```").next().unwrap());
    let script = blocks.collect::<Vec<_>>().join("\n");
    assert!(script.matches("waypost ").count() > 12, "{script}");
    let path = std::env::var("PATH").unwrap();
    let program = waypost().parent().unwrap().display();
    let output = Command::new("timeout")
        .args(["60", "bash", "-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", format!("{program}:{path}"))
        .env("WAYPOST_SERVER", &server.url)
        .env("NO_COLOR", "1")
        .output();
    let ran = Ran::from(output.unwrap());
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    for told in ["LOCKED", "state        NEW", "took SHIP", "SHIPPED", "DELETED"] {
        assert!(ran.out.contains(told), "{told} is not in\n{}", ran.out);
    }
}
