//! Everything a compute member can do in the transaction in which it is asked: it is part of it,
//! nobody else sees it before the end, and it is gone if the member fails.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::timeout;
use tonic::Code;
use waypost_api::grpc::cloudevents::cloud_event::cloud_event_attribute_value::Attr;
use waypost_server::Options;

use super::{
    compute::new,
    hall::{Hall, code, hall, hall_with},
    member::Asked,
};
use crate::entity::{
    play::spelled_out,
    tenants::{bearer, jwt},
};

const PATIENCE: Duration = Duration::from_secs(60);

const ALL: &str = r#"{"type":"group","operator":"AND","conditions":[]}"#;

impl Hall {
    /// Entities of `m` are worked on; `#2`, `#3` and `#4` of `k` and `#6` of `j` are there.
    async fn populated(&self, processors: &[&str]) {
        for model in ["k", "j"] {
            let import = format!(r#"POST /api/model/import/JSON/SAMPLE_DATA/{model}/1 {{"n":1}}"#);
            self.world.prepare(&[&import, &format!("PUT /api/model/{model}/1/lock")]).await;
        }
        self.world
            .prepare(&[
                r#"POST /api/entity/JSON/k/1 [{"n":1},{"n":2},{"n":3}]"#,
                r#"POST /api/entity/JSON/j/1 {"n":4}"#,
            ])
            .await;
        let processors: Vec<_> = processors.iter().map(|it| json!({"name": it})).collect();
        let transition = json!({"name": "A", "next": "END", "processors": processors});
        self.with_states(json!({"NEW": {"transitions": [transition]}, "END": {}})).await;
    }

    /// What everybody sees of what is there.
    async fn outside(&self) -> String {
        let mut seen = String::new();
        for line in [
            "GET /api/entity/k/1?pageSize=100",
            "GET /api/entity/j/1",
            "GET /api/entity/m/1",
            "GET /api/entity/stats",
            "GET /api/entity/stats/states",
            "GET /api/entity/#2/changes",
            "GET /api/audit/entity/#2",
        ] {
            seen += &self.world.say(line, &[]).await.text;
        }
        seen
    }
}

/// What a member does over HTTP, and what is to be found in the answer.
const LINES: [(&str, &str); 21] = [
    (r##"PUT /api/entity/JSON/#2 {"n":10}"##, "TX"),
    ("GET /api/entity/#2", r#""data":{"n":10}"#),
    ("GET /api/entity/#2/changes", "TX"),
    (r##"PUT /api/entity/JSON/#3/UPDATE {"n":20}"##, "TX"),
    ("GET /api/entity/#3/transitions", r#"["UPDATE","DELETE"]"#),
    (r#"POST /api/entity/JSON/k/1 {"n":30}"#, "TX"),
    ("GET /api/entity/stats/k/1", r#""count":4"#),
    ("GET /api/entity/stats/states/k/1", r#""state":"CREATED","count":4"#),
    ("GET /api/entity/stats", r#""modelName":"k","modelVersion":1,"count":4"#),
    (
        "GET /api/entity/stats/states",
        r#""modelName":"k","modelVersion":1,"state":"CREATED","count":4"#,
    ),
    (
        r#"POST /api/entity/JSON [{"model":{"name":"k","version":1},"payload":"{\"n\":99}"},{"model":{"name":"k","version":1},"payload":"{\"n\":\"x\"}"}]"#,
        "item 1",
    ),
    (r#"POST /api/entity/JSON [{"model":{"name":"k","version":1},"payload":"{\"n\":40}"}]"#, "TX"),
    (
        r##"PUT /api/entity/JSON [{"id":"#2","payload":"{\"n\":11}"},{"id":"#3","payload":"{\"n\":21}","transition":"DELETE"}]"##,
        "TX",
    ),
    ("GET /api/entity/#3/transitions", "[]"),
    ("DELETE /api/entity/#4", "TX"),
    ("GET /api/entity/#4", "ENTITY_NOT_FOUND"),
    ("DELETE /api/entity/j/1", r#""numberOfEntititesRemoved":1"#),
    ("GET /api/entity/j/1", "[]"),
    ("GET /api/entity/k/1", r#""n":40"#),
    ("SEARCH", r#""n":30"#),
    (r##"PUT /api/entity/JSON/#2/NOTHING {"n":99}"##, "TRANSITION_NOT_FOUND"),
];

/// Does everything over HTTP; says what was not as it should be.
async fn work_over_http(hall: &Hall, asked: &Asked, before: &str) -> Vec<String> {
    let transaction = asked.payload["transactionId"].as_str().unwrap();
    let ticket = format!("X-Tx-Token: {}", asked.ticket);
    let mut wrong = Vec::new();
    for (line, expected) in LINES {
        let search = format!("POST /api/search/direct/k/1 {ALL}");
        let line = if line == "SEARCH" { &search } else { line };
        let answer = hall.world.say(line, std::slice::from_ref(&ticket)).await;
        let expected = if expected == "TX" { transaction } else { expected };
        if !answer.text.contains(expected) {
            wrong.push(format!("{line}: {}", answer.text));
        }
        if hall.outside().await != before {
            wrong.push(format!("{line}: others have seen it"));
        }
    }
    // What it has written itself is what it may expect.
    let expects = [ticket.clone(), format!("If-Match: {transaction}")];
    let answer = hall.world.say(r##"PUT /api/entity/JSON/#2 {"n":12}"##, &expects).await;
    if answer.status != 200 {
        wrong.push(answer.text);
    }
    let expects = [ticket, "If-Match: 00000001-0000-1000-8000-000000000000".to_owned()];
    let answer = hall.world.say(r##"PUT /api/entity/JSON/#2 {"n":13}"##, &expects).await;
    if answer.status != 412 {
        wrong.push(answer.text);
    }
    wrong
}

fn model(name: &str) -> Value {
    json!({"name": name, "version": 1})
}

/// What a member does over gRPC, and what is to be found in the answers.
fn events() -> Vec<(&'static str, Value, &'static str)> {
    let id = |number: u32| spelled_out(&format!("#{number}"));
    let item = |n: u32| json!({"model": model("k"), "data": {"n": n}});
    let update = |number: u32, n: u32| json!({"entityId": id(number), "data": {"n": n}});
    vec![
        ("EntityUpdateRequest", json!({"dataFormat": "JSON", "payload": update(2, 10)}), "TX"),
        ("EntityGetRequest", json!({"entityId": id(2)}), r#""n":10"#),
        ("EntityTransitionRequest", json!({"entityId": id(3), "transition": "DELETE"}), "true"),
        ("EntityCreateRequest", json!({"dataFormat": "JSON", "payload": item(20)}), "TX"),
        (
            "EntityCreateCollectionRequest",
            json!({"dataFormat": "JSON", "payloads": [item(30), item(31)]}),
            "TX",
        ),
        (
            "EntityUpdateCollectionRequest",
            json!({"dataFormat": "JSON", "payloads": [update(2, 12), update(4, 40)]}),
            "TX",
        ),
        ("EntityDeleteRequest", json!({"entityId": id(4)}), "TX"),
        ("EntityGetRequest", json!({"entityId": id(4)}), "ENTITY_NOT_FOUND"),
        ("EntityDeleteAllRequest", json!({"model": model("j")}), r#""numDeleted":1"#),
        ("EntityGetAllRequest", json!({"model": model("k"), "pageSize": 100}), r#""n":31"#),
        ("EntityStatsGetRequest", json!({"model": model("k")}), r#""count":5"#),
        ("EntityStatsByStateGetRequest", json!({"model": model("k")}), r#""state":"CREATED""#),
        ("EntityChangesMetadataGetRequest", json!({"entityId": id(2)}), "TX"),
        (
            "EntitySearchRequest",
            json!({"model": model("k"), "condition": serde_json::from_str::<Value>(ALL).unwrap()}),
            r#""n":12"#,
        ),
    ]
}

/// Does everything over gRPC; says what was not as it should be.
async fn work_over_grpc(hall: &Hall, asked: &Asked, before: &str) -> Vec<String> {
    let transaction = asked.payload["transactionId"].as_str().unwrap();
    let mut wrong = Vec::new();
    for (kind, payload, expected) in events() {
        let answers = hall.ask_with(kind, payload, &[("tx-token", &asked.ticket)]).await;
        let text: String = answers.unwrap().iter().map(|it| it.1.to_string()).collect();
        let expected = if expected == "TX" { transaction } else { expected };
        if !text.contains(expected) {
            wrong.push(format!("{kind}: {text}"));
        }
        if hall.outside().await != before {
            wrong.push(format!("{kind}: others have seen it"));
        }
    }
    wrong
}

#[derive(Clone, Copy)]
enum Over {
    Http,
    Grpc,
}

/// Has a member do everything and then succeed, or fail; shows what everybody sees afterwards.
async fn worked(over: Over, succeeds: bool) -> (String, String, String) {
    let hall = Arc::new(hall().await);
    hall.populated(&["p"]).await;
    let before = hall.outside().await;
    let wrong = Arc::new(Mutex::new(Vec::new()));
    let (inside, told, seen) = (Arc::clone(&hall), Arc::clone(&wrong), before.clone());
    let _member = hall
        .member_calling(&[], move |asked| {
            let (hall, told, before) = (Arc::clone(&inside), Arc::clone(&told), seen.clone());
            Box::pin(async move {
                let wrong = match over {
                    Over::Http => work_over_http(&hall, &asked, &before).await,
                    Over::Grpc => work_over_grpc(&hall, &asked, &before).await,
                };
                *told.lock().unwrap() = wrong;
                json!({"success": succeeds, "error": {"message": "no"}})
            })
        })
        .await;
    let creating = hall.ask("EntityCreateRequest", new(json!({"n": 0})));
    let answers = timeout(PATIENCE, creating).await.unwrap().unwrap();
    assert_eq!(answers[0].1["success"], succeeds, "{answers:?}");
    assert!(wrong.lock().unwrap().is_empty(), "{:#?}", wrong.lock().unwrap());
    let transaction = answers[0].1["transactionInfo"]["transactionId"].as_str().unwrap_or_default();
    (before, hall.outside().await, transaction.to_owned())
}

#[tokio::test]
pub(crate) async fn all_a_member_does_lands_together() {
    for (over, n_there) in [(Over::Http, 4), (Over::Grpc, 5)] {
        let (_, after, transaction) = worked(over, true).await;
        // The lists come first: who was written, and by whom.
        let lists: Vec<Vec<Value>> =
            after.lines().take(3).map(|it| serde_json::from_str(it).unwrap()).collect();
        assert_eq!(lists[1], [] as [Value; 0], "{after}");
        assert_eq!((lists[0].len(), lists[2].len()), (n_there, 1), "{after}");
        for entity in lists.iter().flatten() {
            assert_eq!(entity["meta"]["transactionId"], transaction.as_str(), "{entity}");
        }
        assert!(!after.contains(r#""n":99"#) && !after.contains(r#""n":13"#), "{after}");
    }
}

#[tokio::test]
pub(crate) async fn all_a_member_does_is_gone_if_it_fails() {
    for over in [Over::Http, Over::Grpc] {
        let (before, after, _) = worked(over, false).await;
        assert_eq!(before, after);
    }
}

#[tokio::test]
pub(crate) async fn the_ticket_of_an_earlier_question_still_lets_in() {
    let hall = Arc::new(hall().await);
    hall.populated(&["first", "second"]).await;
    let ticket = Arc::new(Mutex::new(String::new()));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (inside, told) = (Arc::clone(&hall), Arc::clone(&seen));
    let _member = hall
        .member_calling(&[], move |asked| {
            let (hall, ticket) = (Arc::clone(&inside), Arc::clone(&ticket));
            let told = Arc::clone(&told);
            Box::pin(async move {
                if asked.name == "first" {
                    *ticket.lock().unwrap() = asked.ticket;
                    return json!({});
                }
                let header = [format!("X-Tx-Token: {}", ticket.lock().unwrap())];
                let answer = hall.world.say(r##"PUT /api/entity/JSON/#2 {"n":10}"##, &header).await;
                told.lock().unwrap().push(answer.json()["transactionId"].clone());
                json!({})
            })
        })
        .await;
    let done = timeout(PATIENCE, hall.done("EntityCreateRequest", new(json!({"n": 0})))).await;
    let done = done.unwrap();
    assert_eq!(*seen.lock().unwrap(), [done["transactionInfo"]["transactionId"].clone()]);
    let shown = hall.world.say("GET /api/entity/#2", &[]).await.json();
    assert_eq!(shown["data"], json!({"n": 10}));
}

#[tokio::test]
pub(crate) async fn a_ticket_is_for_those_of_the_same_tenant_who_say_who_they_are() {
    let hall = hall_with(jwt(), Options::default()).await;
    let program = bearer(&hall.world, "one", &["ROLE_M2M"]);
    let other = bearer(&hall.world, "other", &["ROLE_M2M"]);
    let header = [format!("Authorization: {program}")];
    hall.with_processor(&header).await;
    let mut line = hall.open(Some(&program)).await.unwrap();
    line.send("CalculationMemberJoinEvent", json!({"id": "j"}));
    line.next().await.unwrap().unwrap();
    let answering = async {
        let (event, payload) = line.next().await.unwrap().unwrap();
        let Some(Attr::CeString(ticket)) = event.attributes["cyodatxtoken"].attr.clone() else {
            panic!("no ticket")
        };
        let with = |who: Option<&str>| {
            let mut headers = vec![format!("X-Tx-Token: {ticket}")];
            headers.extend(who.map(|it| format!("Authorization: {it}")));
            headers
        };
        for (who, expected) in
            [(Some(program.as_str()), 200), (Some(other.as_str()), 403), (None, 401)]
        {
            let answer = hall.world.say("GET /api/entity/m/1", &with(who)).await;
            assert_eq!(answer.status, expected, "{}", answer.text);
        }
        let get = json!({"model": model("m")});
        let ticket = ("tx-token", ticket.as_str());
        let strange = [ticket, ("authorization", other.as_str())];
        let answers = hall.ask_with("EntityGetAllRequest", get.clone(), &strange).await.unwrap();
        let message = answers[0].1["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("FORBIDDEN: "), "{message}");
        let nameless = hall.ask_with("EntityGetAllRequest", get, &[ticket]).await;
        assert_eq!(code(nameless), Code::Unauthenticated);
        let said = json!({"id": "a", "requestId": payload["requestId"]});
        line.send("EntityProcessorCalculationResponse", said);
    };
    let creating = hall.world.say(r#"POST /api/entity/JSON/m/1 {"n":1}"#, &header);
    let ((), made) = timeout(PATIENCE, async { tokio::join!(answering, creating) }).await.unwrap();
    assert_eq!(made.status, 200, "{}", made.text);
}
