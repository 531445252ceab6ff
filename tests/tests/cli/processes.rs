//! The verbs of processes, once in words and once in JSON.

use expect_test::expect;
use serde_json::{Value, json};

use crate::world::{World, text};

const CLAIM: &str = r##"{"id": "T::claim", "name": "Claim", "steps": [
  {"id": "assess", "name": "Assess", "type": "USER_TASK", "nextStep": "route"},
  {"id": "route", "name": "Route", "type": "DECISION", "conditionalNextSteps": {
    "#amount > 100": "wait", "#amount <= 100": "end"}},
  {"id": "wait", "name": "Wait", "type": "WAIT", "nextStep": "end"},
  {"id": "end", "name": "End", "type": "END"}]}"##;

impl World {
    fn with_claim() -> Self {
        let world = Self::new();
        std::fs::write(world.folder.path().join("claim.json"), CLAIM).unwrap();
        assert_eq!(world.run(&["deploy", "claim.json"]).code, Some(0));
        world
    }

    /// Starts a claim; says its id.
    fn claim(&self, args: &[&str]) -> String {
        text(&self.json(&[&["start", "process", "T::claim"], args].concat()), "id")
    }
}

#[test]
fn a_process_from_its_definition_to_its_end() {
    let world = World::with_claim();
    let id = world.claim(&["--business-key", "c-1", "--variables", "{\"amount\": 500}"]);
    expect![[r#"
        $ waypost deploy claim.json order.json
        process T::claim version 1: deployed
        chain order version 1: deployed
        $ waypost list definitions
        FACE  DEFINITION  VERSION  ABOUT  DEPLOYED
        chain  order  1  VALIDATE → PAY  now
        process  T::claim  1  Claim  now
        $ waypost list processes --business-key c-1 --status waiting --step assess
        ID  DEFINITION  VERSION  BUSINESS KEY  STATUS  AT  STARTED
        ID  T::claim  1  c-1  WAITING  assess  now
        $ waypost list processes --definition T::other
        no processes
        $ waypost list tasks
        PROCESS  STEP  NAME  DEFINITION  BUSINESS KEY  SINCE
        ID  assess  Assess  T::claim  c-1  now
        $ waypost show ID
        process  ID
        definition  T::claim version 1
        business key  c-1
        status  WAITING
        at  assess
        started  now (AT)
        variables  {"amount":500}

        BEGAN  STEP  TYPE  VISIT  STATUS  TOOK  DETAIL
        CLOCK  assess  USER_TASK  1  RUNNING  TIME  waits for a person
        $ waypost complete ID assess --variables '{"note": "fine"}'
        completed assess: ID is WAITING at wait
        $ waypost list tasks
        no tasks
        $ waypost signal process ID wait
        signaled wait: ID is COMPLETED
        $ waypost show process ID
        process  ID
        definition  T::claim version 1
        business key  c-1
        status  COMPLETED
        started  now (AT)
        completed  now (AT) after TIME
        variables  {"amount":500,"note":"fine"}

        BEGAN  STEP  TYPE  VISIT  STATUS  TOOK  DETAIL
        CLOCK  assess  USER_TASK  1  COMPLETED  TIME
        CLOCK  route  DECISION  1  COMPLETED  TIME
        CLOCK  wait  WAIT  1  COMPLETED  TIME
        CLOCK  end  END  1  COMPLETED  TIME
        $ waypost history ID
        BEGAN  STEP  TYPE  VISIT  STATUS  TOOK  DETAIL
        CLOCK  assess  USER_TASK  1  COMPLETED  TIME
        CLOCK  route  DECISION  1  COMPLETED  TIME
        CLOCK  wait  WAIT  1  COMPLETED  TIME
        CLOCK  end  END  1  COMPLETED  TIME
    "#]]
    .assert_eq(&world.squeezed(&[
        "deploy claim.json order.json",
        "list definitions",
        "list processes --business-key c-1 --status waiting --step assess",
        "list processes --definition T::other",
        "list tasks",
        &format!("show {id}"),
        &format!("complete {id} assess --variables '{{\"note\": \"fine\"}}'"),
        "list tasks",
        &format!("signal process {id} wait"),
        &format!("show process {id}"),
        &format!("history {id}"),
    ]));
}

#[test]
fn who_did_what_to_a_process() {
    let world = World::with_claim();
    let id = world.claim(&[]);
    expect![[r#"
        $ waypost complete ID assess --variables '{"amount": 500}'
        completed assess: ID is WAITING at wait
        $ waypost cancel ID --reason 'no longer wanted'
        cancelled ID
        $ waypost history process ID --audit
        AT  WHAT  STEP  BY  DETAIL
        CLOCK  INSTANCE_STARTED  client
        CLOCK  USER_TASK_COMPLETED  Assess  client
        CLOCK  INSTANCE_CANCELLED  client  no longer wanted
    "#]]
    .assert_eq(&world.squeezed(&[
        &format!("complete {id} assess --variables '{{\"amount\": 500}}'"),
        &format!("cancel {id} --reason 'no longer wanted'"),
        &format!("history process {id} --audit"),
    ]));
}

#[test]
fn a_failed_step_is_tried_again_and_a_process_cancelled() {
    let world = World::with_claim();
    let id = world.claim(&[]);
    expect![[r#"
        $ waypost complete ID assess
        completed assess: ID is FAILED: expression eval error: undefined variable "amount" (at 1 in `#amount > 100`)
        $ waypost show ID
        process  ID
        definition  T::claim version 1
        status  FAILED
        at  route
        started  now (AT)
        failed  now (AT) after TIME
        reason  expression eval error: undefined variable "amount" (at 1 in `#amount > 100`)
        variables  {}

        BEGAN  STEP  TYPE  VISIT  STATUS  TOOK  DETAIL
        CLOCK  assess  USER_TASK  1  COMPLETED  TIME
        CLOCK  route  DECISION  1  FAILED  TIME  expression eval error: undefined variable "amount" (at 1 in `#amount > 100`)
        $ waypost retry ID route --variables '{"amount": 101}'
        retried route: ID is WAITING at wait
        $ waypost cancel ID --reason 'changed my mind'
        cancelled ID
        $ waypost show ID
        process  ID
        definition  T::claim version 1
        status  CANCELLED
        at  wait
        started  now (AT)
        cancelled  now (AT) after TIME
        reason  changed my mind
        variables  {"amount":101}

        BEGAN  STEP  TYPE  VISIT  STATUS  TOOK  DETAIL
        CLOCK  assess  USER_TASK  1  COMPLETED  TIME
        CLOCK  route  DECISION  1  FAILED  TIME  expression eval error: undefined variable "amount" (at 1 in `#amount > 100`)
        CLOCK  route  DECISION  2  COMPLETED  TIME
        CLOCK  wait  WAIT  1  RUNNING  TIME  left when the process ended
    "#]].assert_eq(&world.squeezed(&[
        &format!("complete {id} assess"),
        &format!("show {id}"),
        &format!("retry {id} route --variables '{{\"amount\": 101}}'"),
        &format!("cancel {id} --reason 'changed my mind'"),
        &format!("show {id}"),
    ]));
}

#[test]
fn refusals_of_processes_say_what_why_and_what_to_do() {
    let world = World::with_claim();
    let unsound = r#"{"id":"x y","name":"","steps":[{"id":"a","name":"A","type":"FOO"}]}"#;
    std::fs::write(world.folder.path().join("unsound.json"), unsound).unwrap();
    let id = world.claim(&["--business-key", "c-1"]);
    let none = "01K9ZZZZZZZZZZZZZZZZZ00000";
    expect![[r#"
        $ waypost deploy unsound.json
        error: unsound.json: the definition is not sound:
          id "x y" must match ^[A-Za-z0-9_:\-]+$
          name is required
          step "a": unsupported type "FOO"
          no END step is reachable from the first step (DEFINITION_INVALID)
          `waypost explain-error DEFINITION_INVALID` says more
        [exit 1]
        $ waypost start process T::unknown
        error: definition not found (DEFINITION_NOT_FOUND)
          deploy it with `waypost deploy FILE`; `waypost list definitions` shows those there are
        [exit 3]
        $ waypost start process T::claim --business-key c-1
        error: business key already in use by an in-flight instance of this definition (DUPLICATE_BIZ_KEY)
          `waypost list processes --business-key KEY` shows the one under way
        [exit 4]
        $ waypost start process T::claim --variables '[1]'
        error: --variables is not a JSON object
          give variables by their names, such as '{"amount": 12}'
        [exit 2]
        $ waypost show ID
        error: workflow instance not found (INSTANCE_NOT_FOUND)
          `waypost list processes` shows those there are
        [exit 3]
        $ waypost complete ID wait
        error: step type does not match the endpoint (STEP_TYPE_MISMATCH)
          `waypost explain-error STEP_TYPE_MISMATCH` says more
        [exit 1]
        $ waypost complete ID nowhere
        error: user task not found (TASK_NOT_FOUND)
          `waypost list tasks` shows those that are open
        [exit 3]
        $ waypost signal ID wait
        error: wait step is not currently parked on the instance (SIGNAL_NOT_AWAITED)
          `waypost explain-error SIGNAL_NOT_AWAITED` says more
        [exit 4]
        $ waypost retry ID assess
        error: instance is not FAILED; manual retry only applies to FAILED instances (INSTANCE_NOT_FAILED)
          `waypost explain-error INSTANCE_NOT_FAILED` says more
        [exit 4]
    "#]].assert_eq(&world.session(&[
        "deploy unsound.json",
        "start process T::unknown",
        "start process T::claim --business-key c-1",
        "start process T::claim --variables '[1]'",
        &format!("show {none}"),
        &format!("complete {id} wait"),
        &format!("complete {id} nowhere"),
        &format!("signal {id} wait"),
        &format!("retry {id} assess"),
    ]));
}

#[test]
fn machines_get_the_documents_of_the_server() {
    let world = World::with_claim();
    let deployed = world.json(&["deploy", "claim.json"]);
    let expected =
        json!([{ "file": "claim.json", "id": "T::claim", "version": 1, "outcome": "DEPLOYED" }]);
    assert_eq!(deployed, expected);
    let start = ["start", "process", "T::claim", "--idempotency-key", "k"];
    let id = text(&world.json(&start), "id");
    assert_eq!(text(&world.json(&start), "id"), id);
    let listed = world.json(&["list", "processes"]);
    assert_eq!(listed.pointer("/total"), Some(&json!(1)));
    let tasks = world.json(&["list", "tasks"]);
    assert_eq!(tasks.pointer("/items/0/stepId"), Some(&json!("assess")));
    let shown = world.json(&["show", &id]);
    assert_eq!(text(&shown, "status"), "WAITING");
    assert_eq!(shown.pointer("/history/0/stepId"), Some(&json!("assess")));
    let amount = ["--variables", "{\"amount\": 1}"];
    let done = world.json(&[&["complete", &id, "assess"], &amount[..]].concat());
    assert_eq!(text(&done, "status"), "COMPLETED");
    let history = world.json(&["history", &id]);
    assert_eq!(history.as_array().map(Vec::len), Some(3));
    let audit = world.json(&["history", "process", &id, "--audit"]);
    assert_eq!(audit.pointer("/1/stepName"), Some(&json!("Assess")));
}

#[test]
fn processes_come_in_pages() {
    let world = World::with_claim();
    let ids: Vec<_> = (0..3).map(|_| world.claim(&[])).collect();
    let second = world.json(&["list", "processes", "--limit", "2", "--page", "1"]);
    assert_eq!(second.pointer("/items/0/id").and_then(Value::as_str), Some(ids[0].as_str()));
    let shown = world.run(&["list", "processes", "--limit", "2"]).out;
    assert!(shown.ends_with("there are more: add --page 1\n"), "{shown}");
    let shown = world.run(&["list", "processes", "--limit", "3"]).out;
    assert!(!shown.contains("there are more"), "{shown}");
}

#[test]
fn why_something_was_done_is_kept() {
    let world = World::with_claim();
    let id = world.claim(&["--variables", "{\"amount\": 500}"]);
    let why = ["--reason", "seen the papers \u{2013} M\u{fc}ller"];
    world.json(&[&["complete", &id, "assess"], &why[..]].concat());
    world.json(&["signal", "process", &id, "wait", "--reason", "they called"]);
    let audit = world.json(&["history", "process", &id, "--audit"]);
    let detail = |kind: &str| {
        let all = audit.as_array().unwrap().iter();
        all.filter(|it| text(it, "kind") == kind).map(|it| text(it, "detail")).collect::<Vec<_>>()
    };
    assert_eq!(detail("USER_TASK_COMPLETED"), ["seen the papers \u{2013} M\u{fc}ller"]);
    assert_eq!(detail("SIGNAL_RECEIVED"), ["they called"]);
}
