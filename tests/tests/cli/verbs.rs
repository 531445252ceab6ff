//! Every verb, once in words and once in JSON.

use expect_test::expect;
use serde_json::{Value, json};

use crate::world::{World, text};

#[test]
fn a_chain_from_its_definition_to_its_end() {
    let world = World::new();
    expect![[r#"
        $ waypost list definitions
        no definitions
        $ waypost deploy order.json
        chain order version 1: deployed
        $ waypost deploy order.json
        chain order version 1: was deployed before, unchanged
        $ waypost list definitions
        FACE   DEFINITION  VERSION  ABOUT           DEPLOYED
        chain  order       1        VALIDATE → PAY  now
        $ waypost list chains
        no chains
        $ waypost start chain order --biz-key o-1 --context '{"total": 12}'
        started order version 1: ID
        $ waypost list chains
        ID                                    TYPE   VERSION  BIZ KEY  STATUS   STEP      STARTED
        ID  order  1        o-1      RUNNING  VALIDATE  now
        $ waypost list chains --status running --type order --biz-key o-1
        ID                                    TYPE   VERSION  BIZ KEY  STATUS   STEP      STARTED
        ID  order  1        o-1      RUNNING  VALIDATE  now
        $ waypost list chains --awaits PAID
        no chains
    "#]]
    .assert_eq(&world.session(&[
        "list definitions",
        "deploy order.json",
        "deploy order.json",
        "list definitions",
        "list chains",
        "start chain order --biz-key o-1 --context '{\"total\": 12}'",
        "list chains",
        "list chains --status running --type order --biz-key o-1",
        "list chains --awaits PAID",
    ]));
}

#[test]
fn a_chain_can_be_looked_at_told_and_canceled() {
    let world = World::with_order();
    let id = world.start();
    expect![[r#"
        $ waypost show chain ID
        chain     ID
        type      order version 1
        status    RUNNING
        started   now (AT)

        SEQ  STEP      STATUS   ATTEMPTS  DETAIL
        0    VALIDATE  READY    0/10      due now
        1    PAY       PENDING  0/3
        $ waypost signal chain ID PAID --event-id e-1 --payload '{"by": "card"}'
        buffered: PAID is kept until a step waits for it
        $ waypost signal chain ID PAID --event-id e-1
        duplicate: that event had come before
        $ waypost cancel chain ID --reason 'changed my mind'
        canceled ID
        $ waypost cancel chain ID
        canceled ID
        $ waypost show chain ID
        chain     ID
        type      order version 1
        status    CANCELED
        started   now (AT)
        canceled  now (AT)
        reason    changed my mind

        SEQ  STEP      STATUS   ATTEMPTS  DETAIL
        0    VALIDATE  READY    0/10
        1    PAY       PENDING  0/3
        $ waypost history chain ID
        VERSION  AT                    EVENT            STEP        DETAIL
        1        AT  STARTED                      order version 1
        1        AT  STEP_READY       0 VALIDATE
        2        AT  SIGNAL_BUFFERED              PAID (e-1)
        3        AT  CANCELED                     changed my mind
        $ waypost history chain ID --limit 1
        VERSION  AT                    EVENT       STEP        DETAIL
        1        AT  STARTED                 order version 1
        1        AT  STEP_READY  0 VALIDATE
        there are more: add --after 1
    "#]]
    .assert_eq(&world.session(&[
        &format!("show chain {id}"),
        &format!("signal chain {id} PAID --event-id e-1 --payload '{{\"by\": \"card\"}}'"),
        &format!("signal chain {id} PAID --event-id e-1"),
        &format!("cancel chain {id} --reason 'changed my mind'"),
        &format!("cancel chain {id}"),
        &format!("show chain {id}"),
        &format!("history chain {id}"),
        &format!("history chain {id} --limit 1"),
    ]));
}

#[test]
fn machines_get_the_documents_of_the_server() {
    let world = World::new();
    let deployed = world.json(&["deploy", "order.json"]);
    let expected = json!([{
        "file": "order.json", "workflowType": "order", "workflowVersion": 1, "outcome": "DEPLOYED",
    }]);
    assert_eq!(deployed, expected);
    let definitions = world.json(&["list", "definitions"]);
    assert_eq!(definitions.pointer("/chains/items/0/steps/1/maxAttempts"), Some(&json!(3)));

    let started = world.json(&["start", "chain", "order", "--context", "{\"b\":1,\"a\":1.50}"]);
    let id = text(&started, "instanceId");
    assert_eq!(text(&started, "status"), "RUNNING");
    let listed = world.json(&["list", "chains"]);
    assert_eq!(listed.pointer("/items/0/instanceId"), Some(&Value::from(id.as_str())));
    let shown = world.json(&["show", "chain", &id]);
    assert_eq!(shown.pointer("/steps/0/status"), Some(&json!("READY")));
    let outcome = world.json(&["signal", "chain", &id, "PAID"]);
    assert_eq!(outcome, json!({ "outcome": "BUFFERED" }));
    let canceled = world.json(&["cancel", "chain", &id]);
    assert_eq!(text(&canceled, "status"), "CANCELED");
    let history = world.json(&["history", "chain", &id]);
    assert_eq!(history.pointer("/items/0/events/0/type"), Some(&json!("STARTED")));
}

#[test]
fn documents_keep_their_text() {
    let world = World::with_order();
    let context = "{\"b\":1, \"a\":1.50,\"big\":12345678901234567890123}";
    std::fs::write(world.folder.path().join("context.json"), context).unwrap();
    let ran = world.run(&["start", "chain", "order", "--context", "@context.json", "--json"]);
    assert!(ran.out.contains(context), "{ran:?}");
}

#[test]
fn asking_twice_with_a_key_is_asking_once() {
    let world = World::with_order();
    let start = || {
        let started = world.json(&["start", "chain", "order", "--idempotency-key", "k-1"]);
        text(&started, "instanceId")
    };
    assert_eq!(start(), start());
    let listed = world.json(&["list", "chains"]);
    assert_eq!(listed.get("items").and_then(Value::as_array).map(Vec::len), Some(1));
}

#[test]
fn lists_come_in_pages() {
    let world = World::with_order();
    let ids: Vec<_> = (0..3).map(|_| world.start()).collect();
    let first = world.json(&["list", "chains", "--limit", "2"]);
    assert_eq!(first.get("hasMore"), Some(&json!(true)));
    let second = world.json(&["list", "chains", "--limit", "2", "--page", "1"]);
    assert_eq!(second.pointer("/items/0/instanceId"), Some(&json!(ids[0])));
    let shown = world.run(&["list", "chains", "--limit", "2"]).out;
    assert!(shown.ends_with("there are more: add --page 1\n"), "{shown}");
}

#[test]
fn why_a_chain_was_signaled_is_kept() {
    let world = World::with_order();
    let id = world.start();
    world.json(&["signal", "chain", &id, "PAID", "--reason", "they paid in cash"]);
    let history = world.run(&["history", "chain", &id]);
    assert!(history.out.contains("because they paid in cash"), "{history:?}");
}
