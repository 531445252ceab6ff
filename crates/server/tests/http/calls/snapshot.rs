//! What a compute member that calls back sees of what others do meanwhile: nothing.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tokio::time::{Duration, timeout};

use super::{
    hall::{Hall, hall},
    member::Asked,
};
use crate::entity::play::Answer;

const PATIENCE: Duration = Duration::from_secs(60);

/// What a member does, in the transaction it is asked in and beside it.
type Line = (bool, &'static str);

const fn inside(line: &'static str) -> Line {
    (true, line)
}

const fn beside(line: &'static str) -> Line {
    (false, line)
}

/// Searches that the index is asked for, and one that it is not.
const LOOKED_UP: &str = r#"POST /api/search/direct/k/1 {"type":"simple","jsonPath":"$.s","operatorType":"EQUALS","value":"a"}"#;
const LOOKED_FOR: &str = r#"POST /api/search/direct/k/1 {"type":"simple","jsonPath":"$.n","operatorType":"GREATER_THAN","value":0}"#;

impl Hall {
    /// `#2`, `#3` and `#4` of `k` are there, which can be looked up by `s`; `#6` of `m` can `GO`
    /// from `NEW` to `END`, through the processor `p`.
    async fn furnished(&self) {
        let processors = json!([{"name": "p"}]);
        let go = json!({"name": "GO", "next": "END", "manual": true, "processors": processors});
        self.world
            .prepare(&[
                r#"POST /api/model/import/JSON/SAMPLE_DATA/k/1 {"n":1,"s":"x"}"#,
                r#"PUT /api/model/k/1/indexes {"paths":["$.s"]}"#,
                "PUT /api/model/k/1/lock",
                r#"POST /api/entity/JSON/k/1 [{"n":1,"s":"a"},{"n":2,"s":"a"},{"n":3,"s":"b"}]"#,
            ])
            .await;
        self.with_states(json!({"NEW": {"transitions": [go]}, "END": {}})).await;
        self.world.prepare(&[r#"POST /api/entity/JSON/m/1 {"n":0}"#]).await;
    }

    /// Says it, and shows what there is to see without names and times.
    async fn seen(&self, line: &str, asked: Option<&Asked>) -> String {
        let ticket: Vec<_> =
            asked.map(|it| format!("X-Tx-Token: {}", it.ticket)).into_iter().collect();
        let answer = self.world.say(line, &ticket).await;
        let of = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
        match line.split(['/', ' ', '?']).nth(3) {
            _ if answer.is_problem => answer.code(),
            Some("search") => {
                answer.text.lines().map(|it| format!("{} ", of(it)["data"])).collect()
            }
            _ => shown(&of(&answer.text)),
        }
    }

    /// The same over gRPC.
    async fn asked_for(&self, asked: &Asked, kind: &str, payload: Value) -> String {
        let answers = self.within(asked, kind, payload).await;
        let shown = answers.iter().map(|(_, it)| match it.get("error") {
            Some(error) => error["code"].to_string(),
            None => it["payload"]["data"].to_string(),
        });
        if answers.is_empty() { "nothing".to_owned() } else { shown.collect::<Vec<_>>().join(" ") }
    }
}

/// What matters of an answer.
fn shown(answer: &Value) -> String {
    if let Some(items) = answer.as_array() {
        return items.iter().map(|it| format!("{} ", shown(it))).collect();
    }
    let told = ["data", "count", "changeType"].iter().find_map(|it| answer.get(it));
    told.map_or_else(|| "done".to_owned(), Value::to_string)
}

/// What the member sees who does this, and what becomes of the write it was asked for.
async fn told(lines: &[Line], expected: Expect) -> Answer {
    let hall = Arc::new(hall().await);
    hall.furnished().await;
    let notes = Arc::new(Mutex::new(String::new()));
    let (within, noted, lines) = (Arc::clone(&hall), Arc::clone(&notes), lines.to_vec());
    let _member = hall
        .member_calling(&[], move |asked| {
            let (hall, notes, lines) = (Arc::clone(&within), Arc::clone(&noted), lines.clone());
            Box::pin(async move {
                // What lands while the clock stands still may be of the instant it was asked at.
                hall.world.clock.advance(Duration::from_secs(1));
                let mut seen = String::new();
                for (is_inside, line) in &lines {
                    let said = hall.seen(line, is_inside.then_some(&asked)).await;
                    let place = if *is_inside { "inside" } else { "beside" };
                    writeln!(seen, "{place} {line}\n  {}", said.trim_end()).unwrap();
                }
                let one = json!({"entityId": "00000002-0000-1000-8000-000000000000"});
                let all = json!({"model": {"name": "k", "version": 1}, "condition":
                    {"type": "group", "operator": "AND", "conditions": []}});
                for (kind, payload) in [("EntityGetRequest", one), ("EntitySearchRequest", all)] {
                    let said = hall.asked_for(&asked, kind, payload).await;
                    writeln!(seen, "inside {kind}\n  {said}").unwrap();
                }
                *notes.lock().unwrap() = seen;
                json!({})
            })
        })
        .await;
    let going = hall.world.say(r#"PUT /api/entity/JSON/#6/GO {"n":1}"#, &[]);
    let answer = timeout(PATIENCE, going).await.unwrap();
    let mut seen = std::mem::take(&mut *notes.lock().unwrap());
    for line in ["GET /api/entity/m/1", "GET /api/entity/k/1?pageSize=100"] {
        writeln!(seen, "after {line}\n  {}", hall.seen(line, None).await.trim_end()).unwrap();
    }
    expected.assert_eq(&seen);
    answer
}

#[tokio::test]
pub(crate) async fn a_member_sees_what_there_was_when_it_was_asked() {
    let lines = &[
        beside(r##"PUT /api/entity/JSON/#2 {"n":10,"s":"a"}"##),
        beside("DELETE /api/entity/#3"),
        beside(r##"PUT /api/entity/JSON/#4 {"n":30,"s":"a"}"##),
        beside(r#"POST /api/entity/JSON/k/1 {"n":40,"s":"a"}"#),
        inside("GET /api/entity/#2"),
        inside("GET /api/entity/#3"),
        inside("GET /api/entity/#12"),
        inside("GET /api/entity/#2/changes"),
        inside("GET /api/entity/k/1?pageSize=100"),
        inside("GET /api/entity/stats/k/1"),
        inside(LOOKED_FOR),
        inside(LOOKED_UP),
        beside("GET /api/entity/#2"),
        beside("GET /api/entity/stats/k/1"),
        beside(LOOKED_UP),
    ];
    let refused = told(lines, expect![[r#"
        beside PUT /api/entity/JSON/#2 {"n":10,"s":"a"}
          done
        beside DELETE /api/entity/#3
          done
        beside PUT /api/entity/JSON/#4 {"n":30,"s":"a"}
          done
        beside POST /api/entity/JSON/k/1 {"n":40,"s":"a"}
          done
        inside GET /api/entity/#2
          {"n":1,"s":"a"}
        inside GET /api/entity/#3
          {"n":2,"s":"a"}
        inside GET /api/entity/#12
          ENTITY_NOT_FOUND
        inside GET /api/entity/#2/changes
          "CREATED"
        inside GET /api/entity/k/1?pageSize=100
          {"n":1,"s":"a"} {"n":2,"s":"a"} {"n":3,"s":"b"}
        inside GET /api/entity/stats/k/1
          3
        inside POST /api/search/direct/k/1 {"type":"simple","jsonPath":"$.n","operatorType":"GREATER_THAN","value":0}
          {"n":1,"s":"a"} {"n":2,"s":"a"} {"n":3,"s":"b"}
        inside POST /api/search/direct/k/1 {"type":"simple","jsonPath":"$.s","operatorType":"EQUALS","value":"a"}
          {"n":1,"s":"a"}
        beside GET /api/entity/#2
          {"n":10,"s":"a"}
        beside GET /api/entity/stats/k/1
          3
        beside POST /api/search/direct/k/1 {"type":"simple","jsonPath":"$.s","operatorType":"EQUALS","value":"a"}
          {"n":10,"s":"a"} {"n":30,"s":"a"} {"n":40,"s":"a"}
        inside EntityGetRequest
          {"n":1,"s":"a"}
        inside EntitySearchRequest
          {"n":1,"s":"a"} {"n":2,"s":"a"} {"n":3,"s":"b"}
        after GET /api/entity/m/1
          {"n":0}
        after GET /api/entity/k/1?pageSize=100
          {"n":10,"s":"a"} {"n":30,"s":"a"} {"n":40,"s":"a"}
    "#]]).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "CONFLICT"), "{}", refused.text);
    assert_eq!(refused.json()["properties"]["retryable"], true);
}

#[tokio::test]
pub(crate) async fn what_a_member_only_finds_may_change_and_its_own_writes_are_found() {
    let lines = &[
        beside(r##"PUT /api/entity/JSON/#3 {"n":20,"s":"a"}"##),
        beside(r#"POST /api/entity/JSON/k/1 {"n":40,"s":"a"}"#),
        inside(r##"PUT /api/entity/JSON/#2 {"n":11,"s":"a"}"##),
        inside("DELETE /api/entity/#4"),
        inside(r#"POST /api/entity/JSON/k/1 {"n":50,"s":"a"}"#),
        inside("GET /api/entity/#2/changes"),
        inside("GET /api/entity/k/1?pageSize=100"),
        inside("GET /api/entity/stats/k/1"),
        inside(LOOKED_FOR),
        inside(LOOKED_UP),
    ];
    let done = told(lines, expect![[r#"
        beside PUT /api/entity/JSON/#3 {"n":20,"s":"a"}
          done
        beside POST /api/entity/JSON/k/1 {"n":40,"s":"a"}
          done
        inside PUT /api/entity/JSON/#2 {"n":11,"s":"a"}
          done
        inside DELETE /api/entity/#4
          done
        inside POST /api/entity/JSON/k/1 {"n":50,"s":"a"}
          done
        inside GET /api/entity/#2/changes
          "UPDATED" "CREATED"
        inside GET /api/entity/k/1?pageSize=100
          {"n":11,"s":"a"} {"n":2,"s":"a"} {"n":50,"s":"a"}
        inside GET /api/entity/stats/k/1
          3
        inside POST /api/search/direct/k/1 {"type":"simple","jsonPath":"$.n","operatorType":"GREATER_THAN","value":0}
          {"n":11,"s":"a"} {"n":2,"s":"a"} {"n":50,"s":"a"}
        inside POST /api/search/direct/k/1 {"type":"simple","jsonPath":"$.s","operatorType":"EQUALS","value":"a"}
          {"n":11,"s":"a"} {"n":2,"s":"a"} {"n":50,"s":"a"}
        inside EntityGetRequest
          {"n":11,"s":"a"}
        inside EntitySearchRequest
          {"n":11,"s":"a"} {"n":2,"s":"a"} {"n":50,"s":"a"}
        after GET /api/entity/m/1
          {"n":1}
        after GET /api/entity/k/1?pageSize=100
          {"n":11,"s":"a"} {"n":20,"s":"a"} {"n":40,"s":"a"} {"n":50,"s":"a"}
    "#]]).await;
    assert_eq!(done.status, 200, "{}", done.text);
}

#[tokio::test]
pub(crate) async fn what_a_member_writes_over_what_it_has_not_seen_does_not_land() {
    let lines = &[
        beside(r##"PUT /api/entity/JSON/#3 {"n":20,"s":"a"}"##),
        inside(r##"PUT /api/entity/JSON/#3 {"n":21,"s":"a"}"##),
        inside(r#"POST /api/entity/JSON/k/1 {"n":50,"s":"a"}"#),
        inside("GET /api/entity/#3"),
    ];
    let refused = told(
        lines,
        expect![[r#"
        beside PUT /api/entity/JSON/#3 {"n":20,"s":"a"}
          done
        inside PUT /api/entity/JSON/#3 {"n":21,"s":"a"}
          done
        inside POST /api/entity/JSON/k/1 {"n":50,"s":"a"}
          done
        inside GET /api/entity/#3
          {"n":21,"s":"a"}
        inside EntityGetRequest
          {"n":1,"s":"a"}
        inside EntitySearchRequest
          {"n":1,"s":"a"} {"n":21,"s":"a"} {"n":3,"s":"b"} {"n":50,"s":"a"}
        after GET /api/entity/m/1
          {"n":0}
        after GET /api/entity/k/1?pageSize=100
          {"n":1,"s":"a"} {"n":20,"s":"a"} {"n":3,"s":"b"}
    "#]],
    )
    .await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "CONFLICT"), "{}", refused.text);
    let lines = &[
        beside(r##"PUT /api/entity/JSON/#3 {"n":20,"s":"a"}"##),
        inside("DELETE /api/entity/k/1"),
        inside("GET /api/entity/stats/k/1"),
    ];
    let refused = told(
        lines,
        expect![[r#"
        beside PUT /api/entity/JSON/#3 {"n":20,"s":"a"}
          done
        inside DELETE /api/entity/k/1
          done
        inside GET /api/entity/stats/k/1
          0
        inside EntityGetRequest
          "CLIENT_ERROR"
        inside EntitySearchRequest
          nothing
        after GET /api/entity/m/1
          {"n":0}
        after GET /api/entity/k/1?pageSize=100
          {"n":1,"s":"a"} {"n":20,"s":"a"} {"n":3,"s":"b"}
    "#]],
    )
    .await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "CONFLICT"), "{}", refused.text);
}
