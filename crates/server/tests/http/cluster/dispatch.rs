//! Members of another node: who is asked, and what of the answer arrives.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, timeout};
use waypost_server::cluster::ClusterOptions;

use super::pair::{PATIENCE, bare, impatient, pair, patient, strict};
use crate::{
    calls::{
        compute::{function, message, new, processor},
        hall::Hall,
        who::caller,
    },
    entity::tenants::bearer,
};

async fn refused(hall: &Hall) -> String {
    let error = hall.refused("EntityCreateRequest", new(json!({"n": 1}))).await;
    message(&error).split(':').next().unwrap().to_owned()
}

#[tokio::test]
pub(crate) async fn a_member_of_another_node_is_asked_and_all_it_says_arrives() {
    let pair = pair(patient()).await;
    let _member = pair
        .second
        .member(&["x"], |asked| {
            let mut said = asked.with("by", asked.name.clone());
            said["warnings"] = json!(["low"]);
            said
        })
        .await;
    let answer = pair.first.done("EntityCreateRequest", new(json!({"n": 1}))).await;
    assert_eq!(answer["warnings"], json!(["processor p: low"]));
    let id = answer["transactionInfo"]["entityIds"][0].as_str().unwrap();
    let shown = pair.second.show(id).await;
    assert_eq!(
        (&shown["data"], &shown["meta"]["state"]),
        (&json!({"n": 1, "by": "p"}), &json!("END"))
    );
    let answered = r#"waypost_cluster_dispatches_total{outcome="answered"}"#;
    assert_eq!(pair.first.figure(answered).await, 1);
    let answered = r#"waypost_compute_requests_total{outcome="answered"}"#;
    assert_eq!(pair.second.figure(answered).await, 1);
    assert_eq!(pair.first.figure(answered).await, 0);
}

#[tokio::test]
pub(crate) async fn a_member_here_is_asked_before_others() {
    let pair = pair(patient()).await;
    let _there = pair.second.member(&[], |asked| asked.with("by", "there")).await;
    pair.until_joined(1).await;
    let _here = pair.first.member(&[], |asked| asked.with("by", "here")).await;
    for _ in 0..5 {
        let id = pair.first.create(json!({"n": 1})).await;
        assert_eq!(pair.first.show(&id).await["data"]["by"], "here");
    }
}

#[tokio::test]
pub(crate) async fn a_no_of_a_member_of_another_node_is_told_as_its_own() {
    let pair = pair(patient()).await;
    let _member = pair
        .second
        .member(&[], |_| json!({"success": false, "error": {"message": "out of stock"}, "warnings": ["low"]}))
        .await;
    let answers = pair.first.ask("EntityCreateRequest", new(json!({"n": 1}))).await.unwrap();
    let answer = &answers[0].1;
    assert!(message(&answer["error"]).starts_with("WORKFLOW_FAILED: "), "{answer}");
    assert!(message(&answer["error"]).contains("out of stock"), "{answer}");
    assert_eq!(answer["warnings"], json!(["processor p: low"]));
    assert_eq!(pair.first.count().await, 0);
}

#[tokio::test]
pub(crate) async fn a_member_of_another_node_decides() {
    let pair = pair(patient()).await;
    let states = json!({
        "NEW": {"transitions": [{"name": "A", "next": "YES", "criterion": function("judge")}]},
        "YES": {},
    });
    let workflow = json!({"name": "w", "initialState": "NEW", "states": states});
    let workflows = json!({"importMode": "REPLACE", "workflows": [workflow]});
    pair.first.world.prepare(&[&format!("POST /api/model/m/1/workflow/import {workflows}")]).await;
    let _member = pair
        .second
        .member(&[], |asked| {
            assert_eq!(asked.payload["target"], "TRANSITION");
            json!({"success": true, "matches": true})
        })
        .await;
    let id = pair.first.create(json!({"n": 1})).await;
    assert_eq!(pair.first.show(&id).await["meta"]["state"], "YES");
}

#[tokio::test]
pub(crate) async fn one_member_must_have_all_the_tags() {
    let pair = pair(impatient()).await;
    let workflow = |tags: &str| {
        let transition =
            json!({"name": "A", "next": "END", "processors": [processor("p", "SYNC", tags)]});
        let states = json!({"NEW": {"transitions": [transition]}, "END": {}});
        let workflow = json!({"name": "w", "initialState": "NEW", "states": states});
        let workflows = json!({"importMode": "REPLACE", "workflows": [workflow]});
        format!("POST /api/model/m/1/workflow/import {workflows}")
    };
    assert_eq!(refused(&pair.first).await, "NO_COMPUTE_MEMBER_FOR_TAG");
    let _one = pair.second.member(&["a"], |asked| asked.with("by", "one")).await;
    let _other = pair.second.member(&["b"], |asked| asked.with("by", "other")).await;
    pair.until_joined(2).await;
    pair.first.create(json!({"n": 1})).await;
    pair.first.world.prepare(&[&workflow("a,b")]).await;
    assert_eq!(refused(&pair.first).await, "NO_COMPUTE_MEMBER_FOR_TAG");
    let _both = pair.second.member(&["b", "c", "a"], |asked| asked.with("by", "both")).await;
    pair.until_joined(3).await;
    let id = pair.first.create(json!({"n": 1})).await;
    assert_eq!(pair.first.show(&id).await["data"]["by"], "both");
}

#[tokio::test]
pub(crate) async fn a_member_is_waited_for_and_not_longer() {
    let wait = Duration::from_millis(500);
    let pair = pair(ClusterOptions { wait, ..patient() }).await;
    let began_at = Instant::now();
    assert_eq!(refused(&pair.first).await, "NO_COMPUTE_MEMBER_FOR_TAG");
    let took = began_at.elapsed();
    // By default it would be five seconds.
    assert!(took >= wait && took < wait * 9, "{took:?}");
    let nobody = r#"waypost_compute_requests_total{outcome="no_member"}"#;
    assert_eq!(pair.first.figure(nobody).await, 1);
}

#[tokio::test]
pub(crate) async fn a_member_that_comes_while_somebody_waits_is_asked() {
    for is_here in [true, false] {
        let pair = pair(patient()).await;
        let creating = pair.first.create(json!({"n": 1}));
        let joining = async {
            let pending = "waypost_http_writes_under_way";
            pair.first.until_figure(pending, 1).await;
            let where_to = if is_here { &pair.first } else { &pair.second };
            where_to.member(&[], |asked| asked.with("by", "late")).await
        };
        let both = async { tokio::join!(creating, joining) };
        let (id, _member) = timeout(PATIENCE, both).await.unwrap();
        assert_eq!(pair.first.show(&id).await["data"]["by"], "late");
    }
}

#[tokio::test]
pub(crate) async fn a_member_of_another_node_that_dies_is_missed_at_once() {
    let pair = pair(patient()).await;
    let mut line = pair.second.join(&[]).await;
    let dying = async {
        line.asked().await;
        drop(line);
    };
    let ((), code) =
        timeout(PATIENCE, async { tokio::join!(dying, refused(&pair.first)) }).await.unwrap();
    assert_eq!(code, "COMPUTE_MEMBER_DISCONNECTED");
    assert_eq!(pair.first.count().await, 0);
}

#[tokio::test]
pub(crate) async fn a_policy_asks_again() {
    let pair = pair(patient()).await;
    let mut again = processor("p", "SYNC", "");
    again["config"]["retryPolicy"] = json!("FIXED");
    let transition = json!({"name": "A", "next": "END", "processors": [again]});
    let states = json!({"NEW": {"transitions": [transition]}, "END": {}});
    let workflow = json!({"name": "w", "initialState": "NEW", "states": states});
    let workflows = json!({"importMode": "REPLACE", "workflows": [workflow]});
    let line = format!("POST /api/model/m/1/workflow/import {workflows}");
    pair.first.world.prepare(&[&line]).await;
    let n_asked = Arc::new(AtomicUsize::new(0));
    let answer = |name: &'static str| {
        let n_asked = Arc::clone(&n_asked);
        move |asked: crate::calls::member::Asked| -> Value {
            match n_asked.fetch_add(1, Ordering::SeqCst) {
                0 => json!({"success": false, "error": {"message": name, "retryable": true}}),
                _ => asked.with("by", name),
            }
        }
    };
    let _one = pair.second.member(&["one"], answer("one")).await;
    let _other = pair.second.member(&["other"], answer("other")).await;
    pair.until_joined(2).await;
    let answer = pair.first.done("EntityCreateRequest", new(json!({"n": 1}))).await;
    assert_eq!(n_asked.load(Ordering::SeqCst), 2);
    // Whoever has failed is not asked again if there is another.
    let id = answer["transactionInfo"]["entityIds"][0].as_str().unwrap();
    let by = pair.first.show(id).await["data"]["by"].clone();
    assert_eq!(by, "other", "{answer}");
}

#[tokio::test]
pub(crate) async fn whoever_does_not_want_to_know_any_more_takes_the_question_back() {
    let pair = pair(patient()).await;
    let mut line = pair.second.join(&[]).await;
    let url = format!("http://{}/api/entity/JSON/m/1", pair.first.world.address);
    let creating = pair.first.world.client.post(url).body(r#"{"n":1}"#).send();
    let creating = tokio::spawn(creating);
    let asked = timeout(PATIENCE, line.asked()).await.unwrap();
    assert_eq!(pair.second.figure("waypost_compute_pending").await, 1);
    creating.abort();
    pair.second.until_figure("waypost_compute_pending", 0).await;
    let payload = json!({"id": "a", "requestId": asked["requestId"]});
    line.send("EntityProcessorCalculationResponse", payload);
    let unasked = r#"waypost_compute_ignored_total{reason="unasked"}"#;
    pair.second.until_figure(unasked, 1).await;
    let withdrawn = r#"waypost_cluster_dispatches_total{outcome="withdrawn"}"#;
    assert_eq!(pair.first.figure(withdrawn).await, 1);
    assert_eq!(pair.first.count().await, 0);
}

#[tokio::test]
pub(crate) async fn a_question_is_sent_on_once() {
    let pair = pair(impatient()).await;
    // It is said that the second node has a member, which is not so; and somebody else has one.
    let there = pair.second.world.address;
    pair.shared.pretend("mirror", there).await;
    let third = pair.shared.node("third", super::pair::SECRET, impatient()).await;
    let _line = third.member(&["third"], |asked| asked.with("by", "third")).await;
    let tagged = |told: Option<&Value>| {
        told.is_some_and(|it| it["members"]["mock-tenant"] == json!([["third"]]))
    };
    pair.shared.until("third", tagged).await;
    for _ in 0..20 {
        let id = pair.first.create(json!({"n": 1})).await;
        assert_eq!(pair.first.show(&id).await["data"]["by"], "third");
    }
    let asked_in_vain = r#"waypost_cluster_dispatches_total{outcome="no_member"}"#;
    assert_ne!(pair.first.figure(asked_in_vain).await, 0);
    assert_eq!(
        pair.second.figure(r#"waypost_cluster_dispatches_total{outcome="answered"}"#).await,
        0
    );
}

#[tokio::test]
pub(crate) async fn a_member_of_another_node_that_is_silent_has_failed() {
    let pair = bare(patient()).await;
    pair.first.needing(json!({"name": "p", "config": {"responseTimeoutMs": 50}})).await;
    let _silent = pair.second.join(&[]).await;
    let error = pair.first.refused("EntityCreateRequest", new(json!({"n": 1}))).await;
    assert!(message(&error).starts_with("WORKFLOW_FAILED: "), "{error}");
    assert!(error.get("retryable").is_none(), "{error}");
    assert_eq!(pair.first.count().await, 0);
}

#[tokio::test]
pub(crate) async fn a_function_of_another_node_that_cannot_tell_is_not_a_no() {
    let pair = bare(patient()).await;
    let go = json!({"name": "A", "next": "YES", "criterion": function("judge")});
    pair.first.with_states(json!({"NEW": {"transitions": [go]}, "YES": {}})).await;
    let _member = pair
        .second
        .member(&[], |_| json!({"success": false, "error": {"message": "the book is lost"}}))
        .await;
    let error = pair.first.refused("EntityCreateRequest", new(json!({"n": 1}))).await;
    assert!(message(&error).starts_with("WORKFLOW_FAILED: "), "{error}");
    assert!(message(&error).contains("the book is lost"), "{error}");
}

#[tokio::test]
pub(crate) async fn members_of_another_node_are_told_who_called_and_serve_their_tenant_only() {
    let pair = strict(impatient()).await;
    let of = |tenant: &str, roles: &[&str]| bearer(&pair.first.world, tenant, roles);
    let program = of("one", &["ROLE_M2M"]);
    let mut line = pair.second.open(Some(&program)).await.unwrap();
    line.send("CalculationMemberJoinEvent", json!({"id": "j"}));
    let has_one = |told: Option<&Value>| told.is_some_and(|it| it["members"]["one"].is_array());
    pair.shared.until("second", has_one).await;
    let create = r#"POST /api/entity/JSON/m/1 {"n":1}"#;
    let header = [format!("Authorization: {}", of("one", &["ROLE_USER"]))];
    pair.first.with_processor(&header).await;
    let asked = tokio::select! {
        asked = line.question() => asked,
        answer = pair.first.world.say(create, &header) => {
            panic!("nobody was asked: {}", answer.text)
        }
    };
    let expected = ["user", "user of one", "ROLE_USER"].map(|it| Some(it.to_owned()));
    assert_eq!(caller(&asked.0), expected);
    let header = [format!("Authorization: {}", of("two", &["ROLE_USER"]))];
    pair.first.with_processor(&header).await;
    let refused = pair.first.world.say(create, &header).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "NO_COMPUTE_MEMBER_FOR_TAG"));
}
