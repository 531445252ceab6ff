//! Who calls, and who may be a compute member.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tonic::Code;
use waypost_api::grpc::cloudevents::{CloudEvent, cloud_event::cloud_event_attribute_value::Attr};
use waypost_server::{HttpLimits, Options};

use super::{
    compute::new,
    hall::{Hall, code, hall, hall_with},
    operations::KINDS,
};
use crate::entity::{
    play::{abridged, compare_file, spelled_out},
    search::ended_of,
    tenants::{bearer, jwt},
};

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

/// Every event, as somebody else asks with it about what is ours: the models `m` and `u`, the entity
/// `#2` and a search.
fn events(search: &str) -> Vec<(&'static str, Value)> {
    let (m, u) = (json!({"name": "m", "version": 1}), json!({"name": "u", "version": 1}));
    let id = spelled_out("#2");
    let all = json!({"type": "group", "operator": "AND", "conditions": []});
    let update = json!({"entityId": id, "data": {"n": 2}, "transition": "UPDATE"});
    let new = json!({"model": m, "data": {"n": 2}});
    vec![
        ("EntityModelExportRequest", json!({"converter": "SIMPLE_VIEW", "model": m})),
        ("EntityModelTransitionRequest", json!({"model": u, "transition": "LOCK"})),
        ("EntityModelDeleteRequest", json!({"model": u})),
        ("EntityModelGetAllRequest", json!({})),
        ("EntityCreateRequest", json!({"dataFormat": "JSON", "payload": new})),
        ("EntityUpdateRequest", json!({"dataFormat": "JSON", "payload": update})),
        ("EntityDeleteRequest", json!({"entityId": id})),
        ("EntityTransitionRequest", json!({"entityId": id, "transition": "DELETE"})),
        ("EntityCreateCollectionRequest", json!({"dataFormat": "JSON", "payloads": [new]})),
        ("EntityUpdateCollectionRequest", json!({"dataFormat": "JSON", "payloads": [update]})),
        ("EntityDeleteAllRequest", json!({"model": m})),
        ("EntityGetRequest", json!({"entityId": id})),
        ("EntitySnapshotSearchRequest", json!({"model": m, "condition": all})),
        ("SnapshotGetStatusRequest", json!({"snapshotId": search})),
        ("SnapshotCancelRequest", json!({"snapshotId": search})),
        ("EntityGetAllRequest", json!({"model": m})),
        ("EntitySearchRequest", json!({"model": m, "condition": all})),
        ("SnapshotGetRequest", json!({"snapshotId": search})),
        ("EntityStatsGetRequest", json!({"model": m})),
        ("EntityStatsByStateGetRequest", json!({"model": m})),
        ("EntityChangesMetadataGetRequest", json!({"entityId": id})),
        // What they make is theirs.
        (
            "EntityModelImportRequest",
            json!({"model": u, "dataFormat": "JSON", "converter": "SAMPLE_DATA", "payload": {"x": 1}}),
        ),
    ]
}

/// What is ours, as we see it.
async fn ours(hall: &Hall, who: &str, search: &str) -> String {
    let mut seen = String::new();
    for (kind, payload) in events(search) {
        let reads = ["Get", "Export", "EntitySearch"];
        if reads.iter().any(|it| kind.contains(it)) {
            let answers = hall.ask_with(kind, payload, &[("authorization", who)]).await.unwrap();
            assert!(!answers.is_empty() && answers.iter().all(|it| it.1["success"] == true));
            seen += &format!("{kind} {answers:?}\n");
        }
    }
    seen
}

#[tokio::test]
pub(crate) async fn what_belongs_to_one_tenant_is_not_there_for_another() {
    let hall = strict().await;
    let (us, them) = (bearer(&hall.world, "ours", &[]), bearer(&hall.world, "theirs", &[]));
    let header = [format!("Authorization: {us}")];
    for line in [
        r#"POST /api/model/import/JSON/SAMPLE_DATA/u/1 {"u":1}"#,
        r#"POST /api/model/import/JSON/SAMPLE_DATA/m/1 {"n":1}"#,
        "PUT /api/model/m/1/lock",
        r#"POST /api/entity/JSON/m/1 {"n":1}"#,
    ] {
        assert_eq!(hall.world.say(line, &header).await.status, 200, "{line}");
    }
    let all = r#"{"type":"group","operator":"AND","conditions":[]}"#;
    let begun = hall.world.say(&format!("POST /api/search/async/m/1 {all}"), &header).await;
    let search = begun.json().as_str().unwrap().to_owned();
    ended_of(&hall.world, &search, &header).await;
    let tried: BTreeSet<_> = events(&search).into_iter().map(|it| it.0).collect();
    assert_eq!(tried, BTreeSet::from(KINDS), "an event that nobody has tried");
    let before = ours(&hall, &us, &search).await;
    let mut seen = String::new();
    for (kind, payload) in events(&search) {
        let answers = hall.ask_with(kind, payload, &[("authorization", &them)]).await.unwrap();
        seen += &format!("{kind}\n");
        for (_, answer) in answers {
            let shown = match answer["error"]["message"].as_str() {
                Some(message) => message.to_owned(),
                None => answer.to_string(),
            };
            seen += &format!("    {}\n", abridged(&shown).replace(&search, "SEARCH"));
        }
    }
    compare_file("tests/http/calls/tenants.txt", &seen);
    assert_eq!(ours(&hall, &us, &search).await, before);
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

/// What a question says of who called.
pub(crate) fn caller(event: &CloudEvent) -> [Option<String>; 3] {
    ["authtype", "authid", "authclaims"].map(|name| {
        let attribute = event.attributes.get(name)?.attr.as_ref()?;
        let Attr::CeString(text) = attribute else { panic!("{name}: {attribute:?}") };
        Some(text.clone())
    })
}

#[tokio::test]
async fn members_are_told_who_called_over_http_and_grpc() {
    let hall = strict().await;
    let program = bearer(&hall.world, "one", &["ROLE_ADMIN", "ROLE_M2M"]);
    let person = bearer(&hall.world, "one", &["ROLE_USER"]);
    let mut line = hall.open(Some(&program)).await.unwrap();
    line.send("CalculationMemberJoinEvent", json!({"id": "j"}));
    hall.with_processor(&[format!("Authorization: {person}")]).await;
    for (who, expected) in [
        (&person, ["user", "user of one", "ROLE_USER"]),
        (&program, ["service_account", "user of one", "ROLE_ADMIN,ROLE_M2M"]),
    ] {
        let expected = expected.map(|it| Some(it.to_owned()));
        let header = [format!("Authorization: {who}")];
        let asked = tokio::select! {
            asked = line.question() => asked,
            answer = hall.world.say(r#"POST /api/entity/JSON/m/1 {"n":1}"#, &header) => {
                panic!("nobody was asked: {}", answer.text)
            }
        };
        assert_eq!(caller(&asked.0), expected);
        let metadata = [("authorization", who.as_str())];
        let asked = tokio::select! {
            asked = line.question() => asked,
            answer = hall.ask_with("EntityCreateRequest", new(json!({"n": 1})), &metadata) => {
                panic!("nobody was asked: {answer:?}")
            }
        };
        assert_eq!(caller(&asked.0), expected);
    }
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
    hall.with_processor(&header).await;
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
