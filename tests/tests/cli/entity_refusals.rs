//! What is refused about models, workflows and entities, and in which words.

use expect_test::expect;

use crate::{
    entities::IN_NEW,
    world::{World, text},
};

#[test]
fn refusals_of_models_say_what_why_and_what_to_do() {
    let world = World::with_parcel();
    world.parcel(r#"{"items": 3}"#);
    expect![[r#"
        $ waypost list entities letter 1
        error: model letter:1 not found (MODEL_NOT_FOUND)
          `waypost list models` shows those there are
        [exit 3]
        $ waypost show model letter 1
        error: model letter:1 not found (MODEL_NOT_FOUND)
          `waypost list models` shows those there are
        [exit 3]
        $ waypost show workflows letter 1
        error: model letter:1 has no workflows (WORKFLOW_NOT_FOUND)
          deploy some with `waypost deploy FILE --model MODEL --model-version VERSION`
        [exit 3]
        $ waypost search letter 1 @new.json
        error: model letter:1 not found (MODEL_NOT_FOUND)
          `waypost list models` shows those there are
        [exit 3]
        $ waypost start entity letter 1 --value '{}'
        error: model letter:1 not found (MODEL_NOT_FOUND)
          `waypost list models` shows those there are
        [exit 3]
        $ waypost model lock letter 1
        error: model letter:1 not found (MODEL_NOT_FOUND)
          `waypost list models` shows those there are
        [exit 3]
        $ waypost model import parcel 1 sample.json
        error: model parcel:1 is locked (MODEL_ALREADY_LOCKED)
          `waypost explain-error MODEL_ALREADY_LOCKED` says more
        [exit 4]
        $ waypost model lock parcel 1
        error: model parcel:1 is locked (MODEL_ALREADY_LOCKED)
          `waypost explain-error MODEL_ALREADY_LOCKED` says more
        [exit 4]
        $ waypost model unlock parcel 1
        error: model parcel:1 has entities; delete them first (MODEL_HAS_ENTITIES)
          `waypost explain-error MODEL_HAS_ENTITIES` says more
        [exit 4]
        $ waypost model import open 1 sample.json
        model open version 1: has learned from sample.json
        $ waypost show workflows open 1
        error: model open:1 has no workflows (WORKFLOW_NOT_FOUND)
          deploy some with `waypost deploy FILE --model MODEL --model-version VERSION`
        [exit 3]
        $ waypost start entity open 1 --value '{}'
        error: model open:1 is not locked; lock it to write entities (MODEL_NOT_LOCKED)
          `waypost model lock MODEL VERSION` locks it
        [exit 4]
    "#]]
    .assert_eq(&world.session(&[
        "list entities letter 1",
        "show model letter 1",
        "show workflows letter 1",
        "search letter 1 @new.json",
        "start entity letter 1 --value '{}'",
        "model lock letter 1",
        "model import parcel 1 sample.json",
        "model lock parcel 1",
        "model unlock parcel 1",
        "model import open 1 sample.json",
        "show workflows open 1",
        "start entity open 1 --value '{}'",
    ]));
    let ran = world.run(&["list", "entities", "letter", "1", "--json"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""));
    assert_eq!(text(&serde_json::from_str(&ran.err).unwrap(), "code"), "MODEL_NOT_FOUND");
}

#[test]
fn refusals_of_entities_say_what_why_and_what_to_do() {
    let world = World::with_parcel();
    let id = world.parcel(r#"{"items": 3}"#);
    let none = "9a3c4e10-2b1f-11f0-8d3b-0123456789ab";
    let unsound = r#"{"workflows": [{"version": "1", "name": "w", "initialState": "A", "states": {
        "A": {"transitions": [{"name": "GO", "next": "NOWHERE", "manual": true}]}}}]}"#;
    std::fs::write(world.folder.path().join("unsound.json"), unsound).unwrap();
    expect![[r#"
        $ waypost start entity parcel 1 --value '{"items": "many"}'
        error: validation failed: items: expected INTEGER, found STRING (BAD_REQUEST)
          `waypost explain-error BAD_REQUEST` says more
        [exit 1]
        $ waypost deploy unsound.json --model parcel --model-version 1
        error: unsound.json: workflow "w", state "A", transition "GO": next "NOWHERE" is not one of the states (VALIDATION_FAILED)
          `waypost explain-error VALIDATION_FAILED` says more
        [exit 1]
        $ waypost search parcel 1 '{"type": "odd"}'
        error: type: expected simple, lifecycle, group, array or function (BAD_REQUEST)
          `waypost explain-error BAD_REQUEST` says more
        [exit 1]
        $ waypost show ID
        error: entity id=ID not found (ENTITY_NOT_FOUND)
          `waypost history entity ID` tells when it came and went, if it ever did
        [exit 3]
        $ waypost history ID
        error: entity id=ID not found (ENTITY_NOT_FOUND)
          `waypost list entities MODEL VERSION` shows those there are
        [exit 3]
        $ waypost show entity order-1
        error: entityId must be a UUID, is "order-1" (BAD_REQUEST)
          `waypost explain-error BAD_REQUEST` says more
        [exit 1]
        $ waypost signal ID FLY
        error: workflow parcel has no transition FLY in state NEW (TRANSITION_NOT_FOUND)
          `waypost show entity ID` names those it can be taken through now
        [exit 3]
        $ waypost signal ID SHIP --if-match ID
        error: entity ID was saved by another transaction; read it again and retry (ENTITY_MODIFIED)
          somebody else was faster: look again, then decide
        [exit 4]
        $ waypost signal ID SHIP
        error: entity id=ID not found (ENTITY_NOT_FOUND)
          `waypost history entity ID` tells when it came and went, if it ever did
        [exit 3]
        $ waypost delete entity ID
        error: entity id=ID not found (ENTITY_NOT_FOUND)
          `waypost history entity ID` tells when it came and went, if it ever did
        [exit 3]
    "#]].assert_eq(&world.session(&[
        "start entity parcel 1 --value '{\"items\": \"many\"}'",
        "deploy unsound.json --model parcel --model-version 1",
        "search parcel 1 '{\"type\": \"odd\"}'",
        &format!("show {none}"),
        &format!("history {none}"),
        "show entity order-1",
        &format!("signal {id} FLY"),
        &format!("signal {id} SHIP --if-match {none}"),
        &format!("signal {none} SHIP"),
        &format!("delete entity {none}"),
    ]));
}

#[test]
fn wrong_files_and_words_never_reach_the_server() {
    let world = World::with_parcel();
    for (name, text) in [
        ("broken.json", "{\"workflows\": "),
        ("nameless.json", "{\"workflows\": [{}]}"),
        ("unlisted.json", "{\"workflows\": 7}"),
    ] {
        std::fs::write(world.folder.path().join(name), text).unwrap();
    }
    expect![[r#"
        $ waypost deploy parcel.json
        error: parcel.json: has workflows, and nobody says of which model
          add --model NAME and --model-version N
        [exit 2]
        $ waypost deploy broken.json --model parcel --model-version 1
        error: broken.json: is not JSON: EOF while parsing a value at line 1 column 14
        [exit 2]
        $ waypost deploy nameless.json --model parcel --model-version 1
        error: nameless.json: is not an import of workflows: missing field `name` at line 1 column 17
        [exit 2]
        $ waypost deploy unlisted.json --model parcel --model-version 1
        error: unlisted.json: is not an import of workflows: invalid type: integer `7`, expected a sequence at line 1 column 15
        [exit 2]
        $ waypost deploy order.json --model parcel --model-version 1
        error: --model is given, and no file has workflows of entities
        [exit 2]
        $ waypost model import parcel 2 nowhere.json
        error: nowhere.json cannot be read: No such file or directory (os error 2)
        [exit 2]
        $ waypost model import parcel 2 broken.json
        error: broken.json is not a JSON document: EOF while parsing a value at line 1 column 14
          give JSON such as '{"total": 12}', or @FILE to read it from a file
        [exit 2]
        $ waypost start entity parcel 1 --value '{'
        error: --value is not a JSON document: EOF while parsing an object at line 1 column 1
          give JSON such as '{"total": 12}', or @FILE to read it from a file
        [exit 2]
        $ waypost search parcel 1 @broken.json
        error: the condition is not a JSON document: EOF while parsing a value at line 1 column 14
          give JSON such as '{"total": 12}', or @FILE to read it from a file
        [exit 2]
    "#]].assert_eq(&world.session(&[
        "deploy parcel.json",
        "deploy broken.json --model parcel --model-version 1",
        "deploy nameless.json --model parcel --model-version 1",
        "deploy unlisted.json --model parcel --model-version 1",
        "deploy order.json --model parcel --model-version 1",
        "model import parcel 2 nowhere.json",
        "model import parcel 2 broken.json",
        "start entity parcel 1 --value '{'",
        "search parcel 1 @broken.json",
    ]));
    for wrong in [
        &["deploy", "parcel.json", "--model", "parcel"][..],
        &["deploy", "parcel.json", "--mode", "merge"],
        &["deploy", "parcel.json", "--model", "parcel", "--model-version", "1", "--mode", "add"],
        &["list", "entities", "parcel", "one"],
        &["search", "parcel", "1", IN_NEW, "--limit", "0"],
        &["start", "entity", "parcel", "1"],
    ] {
        let ran = world.run(wrong);
        assert_eq!(ran.code, Some(2), "{wrong:?}: {ran:?}");
    }
    assert_eq!(world.json(&["list", "models"]).as_array().map(Vec::len), Some(1));
}
