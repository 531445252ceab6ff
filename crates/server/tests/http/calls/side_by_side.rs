//! Callbacks of one transaction that are under way at the same time.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::{
    sync::Barrier,
    time::{Duration, timeout},
};

use super::hall::{Hall, hall};
use crate::entity::play::Answer;

const PATIENCE: Duration = Duration::from_secs(60);

impl Hall {
    /// Processor `p` works on entities of `m`, and `q` on those of `k`, which learns from them. New
    /// ones are made by `makers`.
    async fn nested(&self, makers: Value) {
        let by = |processor: &str| json!([{"name": processor}]);
        let make = json!({"name": "MAKE", "next": "END", "processors": by("p")});
        self.with_states(json!({"NEW": {"transitions": [make]}, "END": {}})).await;
        let make = json!({"name": "MAKE", "next": "END", "processors": makers});
        let change =
            json!({"name": "CHANGE", "next": "END", "manual": true, "processors": by("q")});
        let workflows = json!({"workflows": [{"name": "w", "initialState": "NEW", "states": {
            "NEW": {"transitions": [make]}, "END": {"transitions": [change]},
        }}]});
        self.world
            .prepare(&[
                r#"POST /api/model/import/JSON/SAMPLE_DATA/k/1 {"n":1}"#,
                "PUT /api/model/k/1/lock",
                "POST /api/model/k/1/changeLevel/STRUCTURAL",
                &format!("POST /api/model/k/1/workflow/import {workflows}"),
            ])
            .await;
    }

    /// Has `p` say both lines in its transaction, so that `q` is asked about both before it answers;
    /// gives what they were answered, and what whoever set it off was.
    async fn both(self: &Arc<Self>, lines: [String; 2]) -> ([Answer; 2], Answer) {
        let (inside, said) = (Arc::clone(self), Arc::new(Mutex::new(None)));
        let (barrier, heard) = (Arc::new(Barrier::new(2)), Arc::clone(&said));
        let _member = self
            .member_calling(&[], move |asked| {
                let (hall, lines) = (Arc::clone(&inside), lines.clone());
                let (barrier, heard) = (Arc::clone(&barrier), Arc::clone(&heard));
                Box::pin(async move {
                    if asked.name == "q" {
                        barrier.wait().await;
                        return json!({});
                    }
                    let ticket = [format!("X-Tx-Token: {}", asked.ticket)];
                    let [one, another] = &lines;
                    let (one, another) = tokio::join!(
                        hall.world.say(one, &ticket),
                        hall.world.say(another, &ticket)
                    );
                    *heard.lock().unwrap() = Some([one, another]);
                    json!({})
                })
            })
            .await;
        let setting_off = self.world.say(r#"POST /api/entity/JSON/m/1 {"n":1}"#, &[]);
        let set_off = timeout(PATIENCE, setting_off).await.unwrap();
        let said = said.lock().unwrap().take();
        (said.unwrap(), set_off)
    }

    async fn everything(&self, of: &str) -> Vec<Value> {
        let answer = self.world.say(&format!("GET /api/entity/{of}/1"), &[]).await;
        serde_json::from_str(&answer.text).unwrap()
    }
}

#[tokio::test]
pub(crate) async fn what_callbacks_side_by_side_teach_a_model_is_all_learned() {
    let hall = Arc::new(hall().await);
    hall.nested(json!([{"name": "q"}])).await;
    let line = |field: &str| format!(r#"POST /api/entity/JSON/k/1 {{"n":1,"{field}":true}}"#);
    let (said, set_off) = hall.both([line("left"), line("right")]).await;
    assert_eq!(said.each_ref().map(|it| it.status), [200, 200], "{}", said[1].text);
    assert_eq!(set_off.status, 200, "{}", set_off.text);
    let shown = hall.world.say("GET /api/model/export/SIMPLE_VIEW/k/1", &[]).await;
    let known = json!({"$": {".left": "BOOLEAN", ".n": "INTEGER", ".right": "BOOLEAN"}});
    assert_eq!(shown.json()["model"], known);
    assert_eq!(hall.everything("k").await.len(), 2);
}

#[tokio::test]
pub(crate) async fn callbacks_side_by_side_that_teach_contrary_things_do_not_both_land() {
    let hall = Arc::new(hall().await);
    hall.nested(json!([{"name": "q"}])).await;
    let line = |at: &str| format!(r#"POST /api/entity/JSON/k/1 {{"n":1,"at":{at}}}"#);
    let (said, set_off) = hall.both([line("true"), line(r#"{"x":1}"#)]).await;
    let mut codes = said.each_ref().map(|it| (it.status, it.code()));
    codes.sort();
    assert_eq!(codes, [(200, String::new()), (409, "CONFLICT".to_owned())]);
    assert_eq!(set_off.status, 200, "{}", set_off.text);
    assert_eq!(hall.everything("k").await.len(), 1);
}

#[tokio::test]
pub(crate) async fn of_callbacks_side_by_side_that_write_one_entity_the_second_is_refused() {
    let hall = Arc::new(hall().await);
    hall.nested(json!([])).await;
    let made = hall.world.say(r#"POST /api/entity/JSON/k/1 {"n":1}"#, &[]).await.json();
    let id = made[0]["entityIds"][0].as_str().unwrap();
    let line = |n: u32| format!(r#"PUT /api/entity/JSON/{id}/CHANGE {{"n":{n}}}"#);
    let (said, set_off) = hall.both([line(2), line(3)]).await;
    let winner = said.iter().position(|it| it.status == 200).unwrap();
    let loser = &said[1 - winner];
    assert_eq!((loser.status, loser.code().as_str()), (409, "CONFLICT"), "{}", loser.text);
    assert_eq!(set_off.status, 200, "{}", set_off.text);
    let left = hall.everything("k").await;
    assert_eq!(left[0]["data"], json!({"n": winner + 2}));
    assert_eq!(left[0]["meta"]["transactionId"], set_off.json()[0]["transactionId"]);
}
