//! How often a run may come by the same state, and how long a member may think.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use waypost_engine::entity::Rules;
use waypost_server::compute::{ComputeLimits, ComputeOptions};

use super::{
    compute::processor,
    hall::{Hall, hall, hall_under},
    member::{Asked, Member},
};

impl Hall {
    /// Entities come by `NEW` once more for each that `n` says.
    async fn going_round(&self) {
        let left = json!({"type": "simple", "jsonPath": "$.n", "operatorType": "GREATER_THAN", "value": 0});
        let again = json!({"name": "AGAIN", "next": "NEW", "criterion": left, "processors": [processor("less", "SYNC", "")]});
        self.with_states(json!({"NEW": {"transitions": [again]}})).await;
    }

    /// A member that takes one off `n`, and counts how often.
    async fn counting(&self) -> (Member, Arc<AtomicUsize>) {
        let n_asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&n_asked);
        let less = move |asked: Asked| {
            count.fetch_add(1, Ordering::SeqCst);
            asked.with("n", asked.value()["n"].as_u64().unwrap() - 1)
        };
        (self.member(&[], less).await, n_asked)
    }
}

#[tokio::test]
pub(crate) async fn a_run_may_come_by_a_state_ten_times_and_no_more() {
    let hall = hall().await;
    hall.going_round().await;
    let (_member, n_asked) = hall.counting().await;
    let made = hall.made(r#"{"n":9}"#).await;
    assert_eq!((&made["data"], &made["meta"]["state"]), (&json!({"n": 0}), &json!("NEW")));
    assert_eq!(n_asked.swap(0, Ordering::SeqCst), 9);
    let refused = hall.post(r#"{"n":10}"#).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "WORKFLOW_FAILED"));
    assert!(refused.text.contains("state NEW was entered more than 10 times"), "{}", refused.text);
    assert_eq!(n_asked.load(Ordering::SeqCst), 10);
    // Every run counts from the beginning.
    let id = made["meta"]["id"].as_str().unwrap();
    let update = async |n: u32| {
        let line = format!(r#"PUT /api/entity/JSON/{id} {{"n":{n}}}"#);
        hall.world.say(&line, &[]).await.code()
    };
    assert_eq!([update(9).await, update(10).await, update(9).await], ["", "WORKFLOW_FAILED", ""]);
    assert_eq!(hall.count().await, 1);
}

#[tokio::test]
pub(crate) async fn a_server_may_be_told_that_once_is_enough() {
    let rules = Rules { state_visits_max: 1, ..Rules::default() };
    let hall = hall_under(ComputeOptions::default(), rules).await;
    hall.going_round().await;
    let (_member, n_asked) = hall.counting().await;
    assert_eq!(hall.made(r#"{"n":0}"#).await["data"], json!({"n": 0}));
    let refused = hall.post(r#"{"n":1}"#).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "WORKFLOW_FAILED"));
    assert_eq!(n_asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
pub(crate) async fn no_time_and_less_than_none_are_what_the_server_gives() {
    assert_eq!(ComputeLimits::default().answer_timeout, Duration::from_secs(30));
    let answer_timeout = Duration::from_millis(70);
    let limits = ComputeLimits { answer_timeout, ..ComputeLimits::default() };
    let compute = ComputeOptions { limits, ..ComputeOptions::default() };
    let hall = hall_under(compute, Rules::default()).await;
    let way = |name: &str, config: &Value| {
        let processors = json!([{"name": "p", "config": config}]);
        json!({"name": name, "next": "END", "manual": true, "processors": processors})
    };
    let guarded = |name: &str, config: &Value| {
        let function = json!({"name": "f", "config": config});
        let judge = json!({"type": "function", "function": function});
        json!({"name": name, "next": "END", "manual": true, "criterion": judge})
    };
    let [none, less, more] = [0, -1, 90].map(|it| json!({"responseTimeoutMs": it}));
    let ways = [
        way("NONE", &none),
        way("LESS", &less),
        way("ABSENT", &json!({})),
        way("MORE", &more),
        guarded("JUDGE_NONE", &none),
        guarded("JUDGE_LESS", &less),
    ];
    hall.with_states(json!({"NEW": {"transitions": ways}, "END": {}})).await;
    let _silent = hall.join(&[]).await;
    let id = hall.create(json!({"n": 1})).await;
    for (name, within) in [
        ("NONE", "70ms"),
        ("LESS", "70ms"),
        ("ABSENT", "70ms"),
        ("MORE", "90ms"),
        ("JUDGE_NONE", "70ms"),
        ("JUDGE_LESS", "70ms"),
    ] {
        let line = format!(r#"PUT /api/entity/JSON/{id}/{name} {{"n":1}}"#);
        let refused = hall.world.say(&line, &[]).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "WORKFLOW_FAILED"), "{name}");
        let text = format!("there was no answer within {within}");
        assert!(refused.text.contains(&text), "{name}: {}", refused.text);
    }
}
