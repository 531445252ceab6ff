//! Searches in the background: they are about an instant, wherever they are begun.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::timeout;
use tonic::Code;

use super::{
    callbacks::everything,
    compute::new,
    hall::{Hall, code, hall},
};
use crate::entity::search::ended_of;

/// Nothing takes as long as this.
const PATIENCE: Duration = Duration::from_secs(60);

impl Hall {
    /// What a search has found once it has ended, as somebody sees it who has a ticket, or none.
    async fn found(&self, id: &str, ticket: Option<&str>) -> Vec<Value> {
        let header: Vec<_> = ticket.map(|it| format!("X-Tx-Token: {it}")).into_iter().collect();
        let status = ended_of(&self.world, id, &header).await;
        assert_eq!(status["searchJobStatus"], "SUCCESSFUL", "{status}");
        let metadata: Vec<_> = ticket.map(|it| ("tx-token", it)).into_iter().collect();
        let page = self.ask_with("SnapshotGetRequest", json!({"snapshotId": id}), &metadata).await;
        let page: Vec<_> =
            page.unwrap().iter().map(|it| it.1["payload"]["data"]["n"].clone()).collect();
        let answer = self.world.say(&format!("GET /api/search/async/{id}"), &header).await.json();
        let content = answer["content"].as_array().unwrap().clone();
        let content: Vec<_> = content.iter().map(|it| it["data"]["n"].clone()).collect();
        assert_eq!(content, page);
        assert_eq!(status["entitiesCount"], page.len(), "{status}");
        page
    }
}

#[tokio::test]
pub(crate) async fn a_search_in_the_background_shows_nobody_what_has_not_landed() {
    let hall = Arc::new(hall().await);
    hall.working(&[("p", "SYNC")]).await;
    let old = hall.create(json!({"n": 1})).await;
    hall.world.clock.advance(Duration::from_secs(1));
    let (inside, told) = (Arc::clone(&hall), Arc::new(Mutex::new(Vec::new())));
    let heard = Arc::clone(&told);
    let _member = hall
        .member_calling(&[], move |asked| {
            let (hall, told, old) = (Arc::clone(&inside), Arc::clone(&heard), old.clone());
            Box::pin(async move {
                hall.within(&asked, "EntityCreateRequest", new(json!({"n": 7}))).await;
                let update =
                    json!({"dataFormat": "JSON", "payload": {"entityId": old, "data": {"n": 2}}});
                hall.within(&asked, "EntityUpdateRequest", update).await;
                let begun = hall.within(&asked, "EntitySnapshotSearchRequest", everything()).await;
                let one = begun[0].1["status"]["snapshotId"].as_str().unwrap().to_owned();
                let line = format!("POST /api/search/async/m/1 {}", everything()["condition"]);
                let header = [format!("X-Tx-Token: {}", asked.ticket)];
                let other = hall.world.say(&line, &header).await.json();
                for id in [one, other.as_str().unwrap().to_owned()] {
                    let within = hall.found(&id, Some(&asked.ticket)).await;
                    let outside = hall.found(&id, None).await;
                    told.lock().unwrap().push((id, within, outside));
                }
                json!({})
            })
        })
        .await;
    let creating = hall.done("EntityCreateRequest", new(json!({"n": 0})));
    timeout(PATIENCE, creating).await.unwrap();
    let told = std::mem::take(&mut *told.lock().unwrap());
    assert_eq!(told.len(), 2);
    for (id, within, outside) in told {
        assert_eq!((within, outside), (vec![json!(1)], vec![json!(1)]));
        // What lands later does not change what was so then.
        assert_eq!(hall.found(&id, None).await, [json!(1)]);
    }
    assert_eq!(hall.count().await, 3);
}

#[tokio::test]
pub(crate) async fn a_search_in_the_background_may_be_about_an_earlier_instant() {
    let hall = hall().await;
    hall.with_states(json!({"NEW": {}})).await;
    let id = hall.create(json!({"n": 1})).await;
    hall.world.clock.advance(Duration::from_secs(10));
    let update = json!({"dataFormat": "JSON", "payload": {"entityId": id, "data": {"n": 2}}});
    hall.done("EntityUpdateRequest", update).await;
    hall.create(json!({"n": 3})).await;
    hall.world.clock.advance(Duration::from_secs(10));
    hall.done("EntityDeleteRequest", json!({"entityId": id})).await;
    hall.world.clock.advance(Duration::from_secs(10));
    for (instant, expected) in [
        (Some("2026-05-28T20:26:39Z"), json!([])),
        (Some("2026-05-28T20:26:45Z"), json!([1])),
        (Some("2026-05-28T22:26:55+02:00"), json!([2, 3])),
        (Some("2026-05-28T20:27:05Z"), json!([3])),
        (Some("2030-01-01T00:00:00Z"), json!([3])),
        (None, json!([3])),
    ] {
        let mut begin = everything();
        begin["pointInTime"] = json!(instant);
        let begun = hall.done("EntitySnapshotSearchRequest", begin).await;
        let mut found = hall.found(begun["status"]["snapshotId"].as_str().unwrap(), None).await;
        found.sort_by_key(Value::as_u64);
        assert_eq!(json!(found), expected, "{instant:?}");
    }
    let mut wrong = everything();
    wrong["pointInTime"] = json!("yesterday");
    let refused = hall.ask("EntitySnapshotSearchRequest", wrong).await;
    assert_eq!(code(refused), Code::InvalidArgument);
}
