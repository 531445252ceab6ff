//! Instances that are stuck, planted one by one, and what is said about each.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tonic::{Code, Status};
use waypost_api::grpc::instances::{
    ExplainRequest, ExplainResponse, LifecycleEntity, explain_request::Instance,
    instances_client::InstancesClient,
};
use waypost_lifecycle::{MoveTo, Source};

use crate::{
    grpc::talk::{endpoint, to_struct},
    lifecycle::field,
    world::{World, world},
};

/// Somebody packs, somebody checks, and that is all.
const LINE: &str = r#"{"id":"line","name":"Line","steps":[{"id":"pack","name":"Pack","type":"SERVICE_TASK","jobType":"pack","nextStep":"check"},{"id":"check","name":"Check","type":"USER_TASK","jobType":"check-form","nextStep":"paid"},{"id":"paid","name":"Paid","type":"WAIT","nextStep":"end","boundaryEvents":[{"type":"TIMER","duration":"PT1H","interrupting":true,"targetStepId":"end"}]},{"id":"end","name":"End","type":"END"}]}"#;

/// One branch comes to the join, the other leads nowhere.
const FORK: &str = r#"{"id":"fork","name":"Fork","steps":[{"id":"split","name":"Split","type":"PARALLEL_GATEWAY","parallelNextSteps":["left","right"],"joinStep":"both"},{"id":"left","name":"Left","type":"USER_TASK","nextStep":"both"},{"id":"right","name":"Right","type":"USER_TASK"},{"id":"both","name":"Both","type":"JOIN_GATEWAY","nextStep":"end"},{"id":"end","name":"End","type":"END"}]}"#;

/// Whatever is between one and two is nobody's.
const CHOICE: &str = r#"{"id":"choice","name":"Choice","steps":[{"id":"size","name":"Size","type":"DECISION","conditionalNextSteps":{"amount < 1":"end","amount > 2":"end"}},{"id":"end","name":"End","type":"END"}]}"#;

const ORDER: &str = r#"{"workflowType":"order","workflowVersion":1,"steps":[{"stepType":"VALIDATE","maxAttempts":3},{"stepType":"SHIP"}]}"#;

/// Small ones are approved, and whoever ships needs a member that can.
const FLOW: &str = r#"{"importMode":"REPLACE","workflows":[{"version":"1","name":"orders","initialState":"NEW","states":{"NEW":{"transitions":[{"name":"approve","next":"APPROVED","criterion":{"type":"group","operator":"AND","conditions":[{"type":"simple","jsonPath":"$.amount","operatorType":"LESS_THAN","value":1000},{"type":"simple","jsonPath":"$.name","operatorType":"NOT_NULL"}]}}]},"APPROVED":{"transitions":[{"name":"ship","next":"SHIPPED","manual":true,"processors":[{"name":"book-carrier","config":{"calculationNodesTags":"carrier"}}]}]},"SHIPPED":{"transitions":[]}}}]}"#;

/// An instance that goes nowhere.
struct Planted {
    name: &'static str,
    /// How it came about. `$id`, `$job` and `$token` are the latest seen.
    story: &'static [&'static str],
    /// Where to ask.
    path: &'static str,
    /// What kind of thing it waits for; empty if it waits for nothing.
    cause: &'static str,
    /// What the sentence says.
    summary: &'static [&'static str],
    /// Why nothing can move it; empty if something can.
    stuck: &'static str,
}

const PROCESS: &str = "/v1/instances/$id/explain";
const CHAIN: &str = "/v1/chains/instances/$id/explain";
const ENTITY: &str = "/api/entity/$id/explain";

const PLANTED: [Planted; 15] = [
    Planted {
        name: "nobody works on such jobs",
        story: &["define line", "POST /v1/instances {\"definitionId\":\"line\"}"],
        path: PROCESS,
        cause: "worker",
        summary: &[
            "waits at \"pack\" for a worker for jobs of type \"pack\"",
            "nobody has asked for pack since the server started (2026-05-28T20:26:40Z)",
        ],
        stuck: "",
    },
    Planted {
        name: "the workers have gone",
        story: &[
            "define line",
            "POST /v1/jobs/poll {\"workerId\":\"w\",\"jobTypes\":[\"pack\"]}",
            "wait 60",
            "POST /v1/instances {\"definitionId\":\"line\"}",
        ],
        path: PROCESS,
        cause: "worker",
        summary: &["nobody has asked for pack since 2026-05-28T20:26:40Z"],
        stuck: "",
    },
    Planted {
        name: "a worker holds the job",
        story: &[
            "define line",
            "POST /v1/instances {\"definitionId\":\"line\"}",
            "POST /v1/jobs/poll {\"workerId\":\"w-7\",\"jobTypes\":[\"pack\"]}",
        ],
        path: PROCESS,
        cause: "lease",
        summary: &["worker \"w-7\", who has the job of type \"pack\" until 2026-05-28T20:27:0"],
        stuck: "",
    },
    Planted {
        name: "a step has no retries left",
        story: &[
            "define line",
            "POST /v1/instances {\"definitionId\":\"line\"}",
            "POST /v1/jobs/poll {\"workerId\":\"w\",\"jobTypes\":[\"pack\"]}",
            "POST /v1/jobs/$job/fail {\"workerId\":\"w\",\"errorMessage\":\"no boxes\",\"retryable\":true}",
        ],
        path: PROCESS,
        cause: "operator",
        summary: &["It failed at \"pack\": no boxes", "goes on when the step is tried again"],
        stuck: "",
    },
    Planted {
        name: "a person is to do it",
        story: &[
            "define line",
            "POST /v1/instances {\"definitionId\":\"line\"}",
            "POST /v1/jobs/poll {\"workerId\":\"w\",\"jobTypes\":[\"pack\"]}",
            "POST /v1/jobs/$job/complete {\"workerId\":\"w\"}",
        ],
        path: PROCESS,
        cause: "person",
        summary: &["waits at \"check\" for a person to complete the task \"check-form\""],
        stuck: "",
    },
    Planted {
        name: "a signal has not come",
        story: &[
            "define line",
            "POST /v1/instances {\"definitionId\":\"line\"}",
            "POST /v1/jobs/poll {\"workerId\":\"w\",\"jobTypes\":[\"pack\"]}",
            "POST /v1/jobs/$job/complete {\"workerId\":\"w\"}",
            "POST /v1/instances/$id/user-tasks/check/complete {}",
        ],
        path: PROCESS,
        cause: "signal",
        summary: &["waits at \"paid\" for a signal"],
        stuck: "",
    },
    Planted {
        name: "a join lacks a branch",
        story: &[
            "define fork",
            "POST /v1/instances {\"definitionId\":\"fork\"}",
            "POST /v1/instances/$id/user-tasks/left/complete {}",
            "POST /v1/instances/$id/user-tasks/right/complete {}",
        ],
        path: PROCESS,
        cause: "join",
        summary: &["Nothing can move it any more"],
        stuck: "join \"both\" waits for the branch that begins with \"right\", and nothing is under \
                way there any more",
    },
    Planted {
        name: "no branch of a decision matched",
        story: &[
            "define choice",
            "POST /v1/instances {\"definitionId\":\"choice\",\"variables\":{\"amount\":1.5}}",
        ],
        path: PROCESS,
        cause: "operator",
        summary: &["It failed at \"size\"", "DecisionNoBranchMatched"],
        stuck: "",
    },
    Planted {
        name: "a step of a chain is dead",
        story: &[
            "start order",
            "claim",
            "POST /v1/chains/tasks/$token/result {\"workerId\":\"w\",\"result\":{\"kind\":\"DEAD\",\"error\":\"no hope\"}}",
        ],
        path: CHAIN,
        cause: "",
        summary: &["step \"VALIDATE\" is dead after 1 of 3 attempts: no hope"],
        stuck: "it has ended, and nothing moves it any more",
    },
    Planted {
        name: "a chain waits for an event, not for ever",
        story: &[
            "start order",
            "claim",
            "POST /v1/chains/tasks/$token/result {\"workerId\":\"w\",\"result\":{\"kind\":\"WAITING\",\"waitingEventType\":\"PAID\",\"timeoutMs\":60000}}",
        ],
        path: CHAIN,
        cause: "signal",
        summary: &["waits at \"VALIDATE\" for the event \"PAID\", until 2026-05-28T20:27:40Z"],
        stuck: "",
    },
    Planted {
        name: "a chain waits for its next attempt",
        story: &[
            "start order",
            "claim",
            "POST /v1/chains/tasks/$token/result {\"workerId\":\"w\",\"result\":{\"kind\":\"RETRY\",\"error\":\"no route\",\"backoffMs\":2000}}",
        ],
        path: CHAIN,
        cause: "backoff",
        summary: &["its next attempt, at 2026-05-28T20:26:42Z (1 of 3 attempts", "no route"],
        stuck: "",
    },
    Planted {
        name: "nobody works on such steps",
        story: &["start order"],
        path: CHAIN,
        cause: "worker",
        summary: &["nobody has asked for VALIDATE since the server started"],
        stuck: "",
    },
    Planted {
        name: "a criterion does not hold",
        story: &["entity {\"amount\":5000,\"name\":\"n\"}"],
        path: ENTITY,
        cause: "data",
        summary: &["transition \"approve\" needs amount < 1000, and amount is 5000"],
        stuck: "",
    },
    Planted {
        name: "no compute member has the tags",
        story: &["entity {\"amount\":5,\"name\":\"n\"}"],
        path: ENTITY,
        cause: "member",
        summary: &["a compute member with the tags \"carrier\", which transition \"ship\" needs"],
        stuck: "",
    },
    Planted {
        name: "a mission has come to its end",
        story: &["abort m-1"],
        path: "/workflows/drone-survey/m-1/explain",
        cause: "",
        summary: &["phase \"aborted\" is terminal"],
        stuck: "phase \"aborted\" is terminal: the table has no move out of it",
    },
];

/// What was seen last.
#[derive(Default)]
struct Seen {
    id: String,
    job: String,
    token: String,
}

/// The name of the instance an answer is about, whatever the face calls it.
fn named(answer: &Value) -> Option<&str> {
    let entity = || answer.get(0)?.get("entityIds")?.get(0);
    let id = answer.get("instanceId").or_else(|| answer.get("startedAt").and(answer.get("id")));
    id.or_else(entity)?.as_str()
}

async fn act(world: &World, line: &str, seen: &mut Seen) -> Value {
    let Seen { id, job, token } = &*seen;
    let line = line.replace("$id", id).replace("$job", job).replace("$token", token);
    let mut words = line.splitn(3, ' ');
    let method: Method = words.next().unwrap().parse().unwrap();
    let (path, body) = (words.next().unwrap(), words.next().unwrap_or(""));
    let response = world.send(method, path, body).await;
    let status = response.status();
    let text = response.text().await.unwrap();
    assert!(status.is_success(), "{line}: {status} {text}");
    let answer: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    *seen = Seen {
        id: named(&answer).unwrap_or(id).to_owned(),
        job: text(answer.pointer("/jobs/0/id")).unwrap_or_else(|| job.clone()),
        token: text(answer.pointer("/tasks/0/leaseToken")).unwrap_or_else(|| token.clone()),
    };
    answer
}

/// Short words for what stories begin with.
fn spelled_out(line: &str) -> Vec<String> {
    let post = |path: &str, body: &str| format!("POST {path} {body}");
    match line.split_once(' ').unwrap_or((line, "")) {
        ("define", "line") => vec![post("/v1/definitions", LINE)],
        ("define", "fork") => vec![post("/v1/definitions", FORK)],
        ("define", _) => vec![post("/v1/definitions", CHOICE)],
        ("start", _) => vec![
            post("/v1/chains/definitions", ORDER),
            post("/v1/chains/instances", r#"{"workflowType":"order"}"#),
        ],
        ("claim", _) => vec![post(
            "/v1/chains/claim",
            r#"{"workerId":"w","stepTypes":["VALIDATE"],"max":1,"leaseMs":30000}"#,
        )],
        ("entity", body) => vec![
            post("/api/model/import/JSON/SAMPLE_DATA/order/1", r#"{"amount":1,"name":"n"}"#),
            "PUT /api/model/order/1/lock".to_owned(),
            post("/api/model/order/1/workflow/import", FLOW),
            post("/api/entity/JSON/order/1", body),
        ],
        _ => vec![line.to_owned()],
    }
}

async fn explained(planted: &Planted) -> Value {
    let field = field().await;
    let mut seen = Seen::default();
    for line in planted.story {
        if let Some(seconds) = line.strip_prefix("wait ") {
            field.world.clock.advance(Duration::from_secs(seconds.parse().unwrap()));
        } else if let Some(mission) = line.strip_prefix("abort ") {
            let to = MoveTo { phase: "aborted", source: Source::Component, note: "" };
            field.lifecycles.transition("drone-survey", mission, to).await.unwrap();
        } else {
            for line in spelled_out(line) {
                act(&field.world, &line, &mut seen).await;
            }
        }
    }
    let told = act(&field.world, &format!("GET {}", planted.path), &mut seen).await;
    let path = planted.path.replace("$id", &seen.id);
    let called = call(&field.world, &path).await.unwrap();
    assert_eq!(called.explanation, Some(to_struct(&told)), "{}", planted.name);
    assert_eq!(Some(called.summary.as_str()), told["summary"].as_str());
    told
}

/// Asks over gRPC for what has this path over HTTP.
async fn call(world: &World, path: &str) -> Result<ExplainResponse, Status> {
    let parts: Vec<_> = path.trim_start_matches('/').split('/').map(str::to_owned).collect();
    let of = match &parts[..] {
        [v1, instances, id, _] if (&**v1, &**instances) == ("v1", "instances") => {
            Instance::Process(id.clone())
        }
        [_, chains, _, id, _] if chains == "chains" => Instance::Chain(id.clone()),
        [api, _, id, _] if api == "api" => Instance::Entity(id.clone()),
        [_, workflow, id, _] => {
            Instance::Lifecycle(LifecycleEntity { workflow: workflow.clone(), id: id.clone() })
        }
        _ => unreachable!("{path}"),
    };
    let mut client = InstancesClient::new(endpoint(world).connect().await.unwrap());
    Ok(client.explain(ExplainRequest { instance: Some(of) }).await?.into_inner())
}

#[tokio::test]
async fn the_true_cause_of_every_planted_stop_is_named() {
    for planted in &PLANTED {
        let found = explained(planted).await;
        let (name, text) = (planted.name, found.to_string());
        let summary = found["summary"].as_str().unwrap();
        for said in planted.summary {
            assert!(summary.contains(said), "{name}: {said:?} is not in {summary:?}");
        }
        let cause = found.pointer("/waits/0/cause").and_then(Value::as_str).unwrap_or_default();
        assert_eq!(cause, planted.cause, "{name}: {text}");
        let stuck = found.get("stuck").and_then(Value::as_str).unwrap_or_default();
        assert_eq!(stuck, planted.stuck, "{name}: {text}");
        // A timer is told by when it is due.
        let waits = found["waits"].as_array().into_iter().flatten();
        for wait in waits.filter(|it| it["cause"] != "timer") {
            assert!(wait["since"].is_string(), "{name} does not say since when: {wait}");
        }
    }
}

#[tokio::test]
async fn what_waits_is_told_since_when_it_came_there() {
    let field = field().await;
    let mut seen = Seen::default();
    for line in spelled_out("entity {\"amount\":5000,\"name\":\"n\"}") {
        act(&field.world, &line, &mut seen).await;
    }
    for amount in [4000, 3000] {
        field.world.clock.advance(Duration::from_secs(60));
        let line = format!("PUT /api/entity/JSON/$id {{\"amount\":{amount},\"name\":\"n\"}}");
        act(&field.world, &line, &mut seen).await;
    }
    let found = act(&field.world, &format!("GET {ENTITY}"), &mut seen).await;
    let since =
        |found: &Value| found["waits"][0]["since"].as_str().unwrap().split_at(19).0.to_owned();
    assert_eq!(since(&found), "2026-05-28T20:26:40", "it was only saved since");
    act(&field.world, "PUT /api/entity/JSON/$id {\"amount\":5,\"name\":\"n\"}", &mut seen).await;
    let found = act(&field.world, &format!("GET {ENTITY}"), &mut seen).await;
    assert_eq!(since(&found), "2026-05-28T20:28:40", "{found}");
    let path = "GET /workflows/drone-survey/m-1/explain";
    let found = act(&field.world, path, &mut seen).await;
    let moves = act(&field.world, "GET /workflows/drone-survey/m-1/history", &mut seen).await;
    assert!(moves[0]["at"].as_str().unwrap().starts_with(&since(&found)), "{moves}");
}

#[tokio::test]
async fn versions_of_an_entity_can_be_seen_and_compared() {
    let world = world().await;
    let mut seen = Seen::default();
    for line in spelled_out("entity {\"amount\":5000,\"name\":\"n\"}") {
        act(&world, &line, &mut seen).await;
    }
    act(&world, r#"PUT /api/entity/JSON/$id {"amount":5,"name":"n"}"#, &mut seen).await;
    let then = act(&world, "GET /api/entity/$id?version=1", &mut seen).await;
    assert_eq!((&then["data"]["amount"], &then["meta"]["state"]), (&json!(5000), &json!("NEW")));
    let found = act(&world, "GET /api/entity/$id/diff?from=1&to=2", &mut seen).await;
    assert_eq!((&found["from"]["version"], &found["to"]["version"]), (&json!(1), &json!(2)));
    let change = r#"{"op":"replace","path":"/data/amount","from":5000,"to":5}"#;
    assert!(found["changes"].to_string().contains(change), "{found}");
    let both = "version=1&pointInTime=2026-05-28T20:27:00Z";
    for (query, status) in [("version=3", 404), ("version=0", 404), ("version=x", 400), (both, 400)]
    {
        let path = format!("/api/entity/{}?{query}", seen.id);
        assert_eq!(world.get(&path).await.status(), status, "{query}");
    }
}

fn planted(name: &str) -> &'static Planted {
    PLANTED.iter().find(|it| it.name == name).unwrap()
}

#[tokio::test]
async fn conditions_are_told_with_the_values_that_decided() {
    let found = explained(planted("no branch of a decision matched")).await;
    let told = |outcome: &str, text: &str| json!({"at": "size", "text": text, "outcome": outcome, "values": {"amount": 1.5}, "tense": "here"});
    let expected = [told("false", "amount < 1 → end"), told("false", "amount > 2 → end")];
    assert_eq!(found["conditions"], json!(expected));
    let found = explained(planted("a criterion does not hold")).await;
    let of = |outcome: &str, text: &str, values: Value| json!({"at": "approve", "text": text, "outcome": outcome, "values": values, "tense": "here"});
    let expected = [
        of("false", "amount < 1000", json!({"amount": 5000})),
        of("true", "name is not null", json!({"name": "n"})),
    ];
    assert_eq!(found["conditions"], json!(expected));
}

/// What each of the commands would come to, or why it would be refused.
fn next(found: &Value) -> Vec<String> {
    let told = |it: &Value| {
        let text = |name: &str| it.get(name).and_then(Value::as_str).unwrap_or_default();
        let leads: Vec<_> =
            it["leadsTo"].as_array().unwrap().iter().map(Value::to_string).collect();
        format!("{}: {}{}", text("what"), leads.join(" "), text("refusedBecause"))
    };
    found["next"].as_array().unwrap().iter().map(told).collect()
}

#[tokio::test]
async fn what_can_happen_next_is_decided_without_landing() {
    let found = explained(planted("a signal has not come")).await;
    assert_eq!(
        next(&found),
        [
            "signal \"paid\": \"COMPLETED\"",
            "the timer at \"paid\" fires: \"COMPLETED\"",
            "cancel: \"CANCELLED\"",
        ]
    );
    let found = explained(planted("no branch of a decision matched")).await;
    let again = next(&found).remove(0);
    assert!(again.starts_with("try \"size\" again: \"FAILED: "), "{again}");
    let found = explained(planted("a step of a chain is dead")).await;
    let late = "complete \"VALIDATE\": the chain is FAILED";
    assert_eq!(next(&found), [late, "cancel: it would change nothing"]);
    let found = explained(planted("no compute member has the tags")).await;
    let refused = next(&found).remove(0);
    let expected = "transition \"ship\": processor book-carrier needs a compute member with the \
                    tags \"carrier\", and none is connected";
    assert_eq!(refused, expected);
    let found = explained(planted("a mission has come to its end")).await;
    assert!(next(&found).iter().any(|it| it == "complete: phase \"aborted\" is terminal"));
}

#[tokio::test]
async fn explaining_changes_nothing() {
    let world = world().await;
    let mut seen = Seen::default();
    for line in ["define line", "POST /v1/instances {\"definitionId\":\"line\"}"] {
        for line in spelled_out(line) {
            act(&world, &line, &mut seen).await;
        }
    }
    let before = act(&world, "GET /v1/instances/$id", &mut seen).await;
    let audit = act(&world, "GET /v1/instances/$id/audit", &mut seen).await;
    for _ in 0..3 {
        act(&world, "GET /v1/instances/$id/explain", &mut seen).await;
    }
    assert_eq!(act(&world, "GET /v1/instances/$id", &mut seen).await, before);
    assert_eq!(act(&world, "GET /v1/instances/$id/audit", &mut seen).await, audit);
}

#[tokio::test]
async fn what_is_not_there_is_not_explained() {
    let field = field().await;
    for (path, status) in [
        ("/v1/instances/01K9ZZZZZZZZZZZZZZZZZ00000/explain", 404),
        ("/v1/chains/instances/i-9/explain", 404),
        ("/api/entity/00000009-0000-1000-8000-000000000000/explain", 404),
        ("/api/entity/nobody/explain", 400),
        ("/workflows/drone-survey/m-9/explain", 404),
        ("/workflows/nothing/m-1/explain", 404),
    ] {
        assert_eq!(field.world.get(path).await.status().as_u16(), status, "{path}");
        let code = if status == 404 { Code::NotFound } else { Code::InvalidArgument };
        assert_eq!(call(&field.world, path).await.unwrap_err().code(), code, "{path}");
    }
    let mut client = InstancesClient::new(endpoint(&field.world).connect().await.unwrap());
    let nothing = client.explain(ExplainRequest::default()).await.unwrap_err();
    assert_eq!(nothing.message(), "instance: process, chain, entity or lifecycle is required");
}

#[tokio::test]
async fn the_past_can_be_seen_and_compared() {
    let world = world().await;
    let mut seen = Seen::default();
    let begin = "POST /v1/instances {\"definitionId\":\"line\",\"variables\":{\"n\":1}}";
    for line in spelled_out("define line").into_iter().chain([begin.to_owned()]) {
        act(&world, &line, &mut seen).await;
    }
    world.clock.advance(Duration::from_secs(60));
    for line in [
        "POST /v1/jobs/poll {\"workerId\":\"w\",\"jobTypes\":[\"pack\"]}",
        "POST /v1/jobs/$job/complete {\"workerId\":\"w\",\"variables\":{\"n\":2,\"boxes\":[3]}}",
    ] {
        act(&world, line, &mut seen).await;
    }
    for moment in ["version=1", "at=2026-05-28T20:27:00Z"] {
        let then = act(&world, &format!("GET /v1/instances/$id?{moment}"), &mut seen).await;
        assert_eq!(
            (&then["currentStepIds"], &then["variables"]),
            (&json!(["pack"]), &json!({"n": 1}))
        );
    }
    let now = act(&world, "GET /v1/instances/$id?version=2", &mut seen).await;
    assert_eq!(now, act(&world, "GET /v1/instances/$id", &mut seen).await);
    let found = act(&world, "GET /v1/instances/$id/diff?from=1", &mut seen).await;
    let expected = json!({"from": {"version": 1}, "to": {"version": 2}, "changes": [
        {"op": "replace", "path": "/status", "from": "ACTIVE", "to": "WAITING"},
        {"op": "replace", "path": "/currentStepIds/0", "from": "pack", "to": "check"},
        {"op": "replace", "path": "/variables/n", "from": 1, "to": 2},
        {"op": "add", "path": "/variables/boxes", "to": [3]},
    ]});
    assert_eq!(found, expected);
    let same = act(&world, "GET /v1/instances/$id/diff?from=2&to=2026-06-01", &mut seen).await;
    assert_eq!(same["changes"], json!([]));
    for (query, status) in [
        ("?version=3", 404),
        ("?at=2026-05-01", 404),
        ("?at=soon", 400),
        ("?version=-1", 400),
        ("?at=2026-05-28&version=1", 400),
        ("/diff", 400),
        ("/diff?from=2026-13-01", 400),
        ("/diff?from=7", 404),
    ] {
        let path = format!("/v1/instances/{}{query}", seen.id);
        assert_eq!(world.get(&path).await.status().as_u16(), status, "{query}");
    }
}

#[tokio::test]
async fn the_past_of_chains_and_entities_can_be_compared() {
    let world = world().await;
    let mut seen = Seen::default();
    for line in ["start order", "claim"].into_iter().flat_map(spelled_out) {
        act(&world, &line, &mut seen).await;
    }
    let done = r#"POST /v1/chains/tasks/$token/result {"workerId":"w","result":{"kind":"COMPLETED"},"contextPatch":{"ok":true}}"#;
    act(&world, done, &mut seen).await;
    let then = act(&world, "GET /v1/chains/instances/$id?version=1", &mut seen).await;
    assert_eq!(then["steps"][0]["status"], "READY");
    let found = act(&world, "GET /v1/chains/instances/$id/diff?from=1", &mut seen).await;
    let changes = found["changes"].to_string();
    let step = r#"{"op":"replace","path":"/steps/0/status","from":"READY","to":"DONE"}"#;
    assert!(changes.contains(step), "{changes}");
    for line in spelled_out("entity {\"amount\":5000,\"name\":\"n\"}") {
        act(&world, &line, &mut seen).await;
    }
    world.clock.advance(Duration::from_secs(60));
    act(&world, r#"PUT /api/entity/JSON/$id {"amount":5,"name":"n"}"#, &mut seen).await;
    let diff = "GET /api/entity/$id/diff?from=2026-05-28T20:27:00Z";
    let changes = act(&world, diff, &mut seen).await["changes"].to_string();
    for told in [
        r#"{"op":"replace","path":"/data/amount","from":5000,"to":5}"#,
        r#""path":"/meta/state","from":"NEW","to":"APPROVED"}"#,
    ] {
        assert!(changes.contains(told), "{told} is not in {changes}");
    }
}
