//! Who calls, and who may be a compute member.

use serde_json::json;
use tonic::Code;
use waypost_server::{HttpLimits, Options};

use super::hall::{Hall, code, hall, hall_with};
use crate::entity::tenants::{bearer, jwt};

async fn strict() -> Hall {
    hall_with(jwt(), Options::default()).await
}

#[tokio::test]
async fn nobody_is_answered_whom_the_server_does_not_know() {
    let hall = strict().await;
    for kind in [
        "EntityModelGetAllRequest",
        "EntityCreateRequest",
        "EntityDeleteAllRequest",
        "EntityGetRequest",
        "EntityStatsGetRequest",
    ] {
        assert_eq!(code(hall.ask(kind, json!({})).await), Code::Unauthenticated, "{kind}");
        let wrong = [("authorization", "Bearer nonsense")];
        let answered = hall.ask_with(kind, json!({}), &wrong).await;
        assert_eq!(code(answered), Code::Unauthenticated, "{kind}");
    }
    assert_eq!(code(hall.open(None).await), Code::Unauthenticated);
}

#[tokio::test]
async fn what_belongs_to_one_tenant_is_not_there_for_another() {
    let hall = strict().await;
    let (one, other) = (bearer(&hall.world, "one", &[]), bearer(&hall.world, "other", &[]));
    let import = json!({
        "model": {"name": "m", "version": 1}, "dataFormat": "JSON", "converter": "SAMPLE_DATA",
        "payload": {"n": 1},
    });
    let metadata = [("authorization", one.as_str())];
    hall.ask_with("EntityModelImportRequest", import, &metadata).await.unwrap();
    for (who, n_models) in [(&one, 1), (&other, 0)] {
        let metadata = [("authorization", who.as_str())];
        let answers =
            hall.ask_with("EntityModelGetAllRequest", json!({}), &metadata).await.unwrap();
        assert_eq!(answers[0].1["models"].as_array().unwrap().len(), n_models);
    }
}

#[tokio::test]
async fn a_member_is_a_program_and_joins_its_own_tenant() {
    let hall = strict().await;
    let person = bearer(&hall.world, "one", &["ROLE_ADMIN"]);
    assert_eq!(code(hall.open(Some(&person)).await), Code::PermissionDenied);
    let program = bearer(&hall.world, "one", &["ROLE_M2M"]);
    for (first, expected) in [
        (json!({"id": "j", "tags": [], "joinedLegalEntityId": "other"}), Code::PermissionDenied),
        (json!({"tags": []}), Code::InvalidArgument),
        (json!({"id": "j", "joinedLegalEntityId": "one"}), Code::Ok),
    ] {
        let mut line = hall.open(Some(&program)).await.unwrap();
        line.send("CalculationMemberJoinEvent", first.clone());
        assert_eq!(code(line.next().await), expected, "{first}");
    }
    let mut line = hall.open(Some(&program)).await.unwrap();
    line.send("CalculationMemberKeepAliveEvent", json!({"id": "k", "memberId": "m"}));
    assert_eq!(code(line.next().await), Code::InvalidArgument);
}

#[tokio::test]
async fn a_member_of_one_tenant_is_not_asked_by_another() {
    let hall = strict().await;
    let (one, other) =
        (bearer(&hall.world, "one", &["ROLE_M2M"]), bearer(&hall.world, "other", &[]));
    let mut line = hall.open(Some(&one)).await.unwrap();
    line.send("CalculationMemberJoinEvent", json!({"id": "j"}));
    assert_eq!(line.next().await.unwrap().unwrap().0.r#type, "CalculationMemberGreetEvent");
    let header = [format!("Authorization: {other}")];
    let workflow = json!({"workflows": [{"name": "w", "initialState": "A", "states": {
        "A": {"transitions": [{"name": "T", "next": "B", "processors": [{"name": "p"}]}]}, "B": {},
    }}]});
    for text in [
        r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"n":1}"#.to_owned(),
        "PUT /api/model/m/1/lock".to_owned(),
        format!("POST /api/model/m/1/workflow/import {workflow}"),
    ] {
        assert_eq!(hall.world.say(&text, &header).await.status, 200, "{text}");
    }
    let answer = hall.world.say(r#"POST /api/entity/JSON/m/1 {"n":1}"#, &header).await;
    assert_eq!((answer.status, answer.code().as_str()), (503, "NO_COMPUTE_MEMBER_FOR_TAG"));
}

#[tokio::test]
async fn whoever_finds_no_room_is_told_to_come_again() {
    let limits = HttpLimits { subscribers_max: 0, writes_max: 0, ..HttpLimits::default() };
    let options = Options { limits, ..Options::default() };
    let hall = hall_with(Default::default(), options).await;
    let model = json!({"name": "m", "version": 1});
    let all = json!({"type": "group", "operator": "AND", "conditions": []});
    for (kind, payload) in [
        ("EntitySearchRequest", json!({"model": model, "condition": all})),
        ("EntityDeleteRequest", json!({"entityId": "00000000-0000-1000-8000-000000000000"})),
        ("EntityDeleteAllRequest", json!({"model": model})),
    ] {
        let answered = hall.ask(kind, payload).await;
        assert_eq!(code(answered), Code::ResourceExhausted, "{kind}");
    }
    hall.done("EntityModelGetAllRequest", json!({})).await;
    // Members have a count of their own.
    hall.join(&[]).await;
}

#[tokio::test]
async fn calls_and_members_are_counted() {
    let hall = hall().await;
    let _line = hall.join(&[]).await;
    hall.done("EntityModelGetAllRequest", json!({})).await;
    let figures = hall.world.get("/metrics").await.text().await.unwrap();
    assert!(figures.contains("CloudEventsService/entityModelManage\",code=\"OK\"} 1"), "{figures}");
    let joined = figures.lines().find(|it| it.contains("members") && it.ends_with(" 1"));
    assert!(joined.is_some(), "{figures}");
}
