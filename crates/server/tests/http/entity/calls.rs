//! Writes that wait for compute members, and members that call back while they are waited for.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::json;
use waypost_engine::{
    Settings,
    entity::{Answer as Reply, Compute, Question},
};
use waypost_machines::entity::cascade::{self, Cause};
use waypost_server::{
    EntityOptions, HttpLimits, Options,
    compute::{ComputeOptions, Members, Ticket, Tickets},
};
use waypost_testkit::clock::SimClock;

use super::play::Answer;
use crate::world::{World, world_with};

const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";

/// A member that calls back over HTTP before it answers.
#[derive(Default)]
struct Member {
    address: OnceLock<SocketAddr>,
    /// What it sends, and what comes back.
    lines: Mutex<Vec<String>>,
    heard: Mutex<Vec<Answer>>,
    fails: bool,
}

#[async_trait]
impl Compute for Member {
    async fn ask(&self, question: Question<'_>) -> Reply {
        // Whoever does not wait for an answer has given up by now.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let header = token("node", question.transaction, question.layer, i64::MAX);
        let lines = self.lines.lock().unwrap().clone();
        for line in lines {
            let (method, rest) = line.split_once(' ').unwrap();
            let (path, body) = rest.split_once(' ').unwrap_or((rest, ""));
            let url = format!("http://{}{path}", self.address.get().unwrap());
            let request = reqwest::Client::new().request(method.parse().unwrap(), url);
            let request = request.header("X-Tx-Token", &header).body(body.to_owned());
            let answer = Answer::of(request.send().await.unwrap()).await;
            self.heard.lock().unwrap().push(answer);
        }
        let (message, warnings) = ("not today".to_owned(), Vec::new());
        let reply = match self.fails {
            true => {
                let cause = Cause::Refused { is_retryable: false };
                cascade::Reply::Failed { cause, message, warnings }
            }
            false => cascade::Reply::Processed { value: None, warnings },
        };
        Reply { reply, member: None }
    }
}

fn token(node: &str, transaction: &str, layer: u32, until: i64) -> String {
    let (node, transaction) = (node.to_owned(), transaction.to_owned());
    let ticket = Ticket { node, transaction, layer, until };
    Tickets::new(SECRET).unwrap().sign(&ticket)
}

/// A world with an entity `#2` that asks `member` when it is taken through `ASK`, and with another
/// model.
async fn with(member: Arc<Member>, limits: HttpLimits) -> World {
    let options = ComputeOptions { secret: Some(SECRET.to_vec()), ..ComputeOptions::default() };
    let members = Members::new(options, Arc::new(SimClock::default())).unwrap();
    let entity = EntityOptions { members: Some(members), ..EntityOptions::default() };
    let options = Options { entity, limits, ..Options::default() };
    let settings =
        Settings { compute: Arc::clone(&member) as Arc<dyn Compute>, ..Settings::default() };
    let world = world_with(Options::default(), settings).await;
    let processor = json!({"type": "EXTERNAL", "name": "p", "executionMode": "SYNC"});
    let ask = json!({"name": "ASK", "next": "DONE", "manual": true, "processors": [processor]});
    let states = json!({"NEW": {"transitions": [ask]}, "DONE": {}});
    let workflow = json!({"name": "w", "initialState": "NEW", "states": states});
    let import = json!({ "workflows": [workflow] });
    world
        .prepare(&[
            r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"a":1}"#,
            "PUT /api/model/m/1/lock",
            &format!("POST /api/model/m/1/workflow/import {import}"),
            r#"POST /api/model/import/JSON/SAMPLE_DATA/n/1 {"b":1}"#,
            "PUT /api/model/n/1/lock",
            r#"POST /api/entity/JSON/m/1 {"a":1}"#,
        ])
        .await;
    let world = world.behind(options).await;
    member.address.set(world.address).unwrap();
    world
}

fn calling(lines: &[&str], fails: bool) -> Arc<Member> {
    let lines = Mutex::new(lines.iter().map(|it| (*it).to_owned()).collect());
    Arc::new(Member { lines, fails, ..Member::default() })
}

const CALLS: [&str; 4] = [
    r#"POST /api/entity/JSON/n/1 {"b":7}"#,
    "GET /api/entity/n/1",
    r#"POST /api/search/direct/n/1 {"type":"simple","jsonPath":"$.b","operatorType":"EQUALS","value":7}"#,
    r#"POST /api/entity/JSON/n/1 {"nonsense":7}"#,
];

#[tokio::test]
pub(crate) async fn a_member_works_in_the_transaction_that_asked_it() {
    let member = calling(&CALLS, false);
    let world = with(Arc::clone(&member), HttpLimits::default()).await;
    let taken = world.say(r##"PUT /api/entity/JSON/#2/ASK {"a":2}"##, &[]).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    let transaction = taken.json()["transactionId"].clone();
    let heard = std::mem::take(&mut *member.heard.lock().unwrap());
    let statuses: Vec<_> = heard.iter().map(|it| it.status).collect();
    assert_eq!(statuses, [200, 200, 200, 400]);
    assert_eq!(heard[0].json()[0]["transactionId"], transaction);
    assert_eq!(heard[1].json()[0]["data"], json!({ "b": 7 }));
    assert_eq!(heard[2].json()["data"], json!({ "b": 7 }));
    let list = world.say("GET /api/entity/n/1", &[]).await.json();
    assert_eq!(list.as_array().unwrap().len(), 1);
    assert_eq!(list[0]["meta"]["transactionId"], transaction);
}

#[tokio::test]
pub(crate) async fn what_a_member_did_is_gone_if_it_fails() {
    let member = calling(&CALLS, true);
    let world = with(Arc::clone(&member), HttpLimits::default()).await;
    let taken = world.say(r##"PUT /api/entity/JSON/#2/ASK {"a":2}"##, &[]).await;
    assert_eq!((taken.status, taken.code().as_str()), (400, "WORKFLOW_FAILED"));
    assert!(taken.text.contains("not today"), "{}", taken.text);
    assert_eq!(member.heard.lock().unwrap()[0].status, 200);
    assert_eq!(world.say("GET /api/entity/n/1", &[]).await.text, "[]\n");
    let entity = world.say("GET /api/entity/#2", &[]).await.json();
    assert_eq!((&entity["data"], &entity["meta"]["state"]), (&json!({"a": 1}), &json!("NEW")));
}

#[tokio::test]
async fn a_write_may_wait_for_longer_than_a_request_may_take() {
    let limits = HttpLimits { request_timeout: Duration::ZERO, ..HttpLimits::default() };
    let member = calling(&CALLS[..1], false);
    let world = with(Arc::clone(&member), limits).await;
    let taken = world.say(r##"PUT /api/entity/JSON/#2/ASK {"a":2}"##, &[]).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    assert_eq!(member.heard.lock().unwrap()[0].status, 200);
}

#[tokio::test]
pub(crate) async fn tokens_that_are_not_good_are_refused_by_what_is_wrong_with_them() {
    let world = with(calling(&[], false), HttpLimits::default()).await;
    let over = "00000001-0000-1000-8000-000000000000";
    for (token, expected) in [
        (token("node", over, 0, i64::MAX), (404, "TRANSACTION_NOT_FOUND")),
        (token("node", over, 0, 0), (410, "TRANSACTION_EXPIRED")),
        (token("other", over, 0, i64::MAX), (503, "TRANSACTION_NODE_UNAVAILABLE")),
        (token("node", over, 0, i64::MAX) + "x", (401, "UNAUTHORIZED")),
        (String::new(), (401, "UNAUTHORIZED")),
    ] {
        let header = format!("X-Tx-Token: {token}");
        for line in ["GET /api/entity/#2", r#"POST /api/entity/JSON/n/1 {"b":1}"#] {
            let answer = world.say(line, std::slice::from_ref(&header)).await;
            assert_eq!((answer.status, answer.code().as_str()), expected, "{line}");
        }
    }
}
