//! A store that fails says things that are nobody's business.

use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::StatusCode;
use serde_json::Value;
use waypost_lifecycle::{
    Bucket, BucketError, BucketWatch, Buckets, Entry, Manager, MemoryBuckets, Retained, Revision,
};
use waypost_server::{
    HttpLimits, Options,
    lifecycle::{Gateway, GatewayOptions},
};

use super::{
    mission, survey,
    watching::{next, socket},
};
use crate::world::{World, world_with};

/// What must not come out.
const SECRET: &str = "db-7.internal";

/// Buckets that fail as they are told to.
#[derive(Clone, Default)]
struct Failing {
    buckets: MemoryBuckets,
    mood: Arc<Mutex<Mood>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mood {
    #[default]
    Well,
    Broken,
    /// It says nothing at all.
    Hangs,
    /// Nothing is too small.
    Full,
    /// Only what was is not known, because it cannot be read.
    Vague,
    /// Only what was is not known, because it is gone.
    Forgetful,
}

impl Failing {
    async fn check(&self) -> Result<(), BucketError> {
        match self.mood() {
            Mood::Broken => Err(failed()),
            Mood::Hangs => pending().await,
            Mood::Well | Mood::Full | Mood::Vague | Mood::Forgetful => Ok(()),
        }
    }

    fn mood(&self) -> Mood {
        *self.mood.lock().unwrap()
    }
}

fn failed() -> BucketError {
    BucketError::Failed(format!("cannot reach {SECRET}"))
}

#[async_trait]
impl Buckets for Failing {
    async fn open(&self, name: &str) -> Result<Arc<dyn Bucket>, BucketError> {
        let bucket = self.buckets.open(name).await?;
        Ok(Arc::new(FailingBucket { bucket, site: self.clone() }))
    }

    async fn create(&self, name: &str, depth: u8) -> Result<Arc<dyn Bucket>, BucketError> {
        let bucket = self.buckets.create(name, depth).await?;
        Ok(Arc::new(FailingBucket { bucket, site: self.clone() }))
    }
}

struct FailingBucket {
    bucket: Arc<dyn Bucket>,
    site: Failing,
}

#[async_trait]
impl Bucket for FailingBucket {
    async fn get(&self, key: &str) -> Result<Option<Entry>, BucketError> {
        self.site.check().await?;
        self.bucket.get(key).await
    }

    async fn create(&self, key: &str, value: Bytes) -> Result<Revision, BucketError> {
        self.site.check().await?;
        self.bucket.create(key, value).await
    }

    async fn update(
        &self,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, BucketError> {
        self.site.check().await?;
        if self.site.mood() == Mood::Full {
            return Err(BucketError::TooLarge { key: key.to_owned(), size: value.len() });
        }
        self.bucket.update(key, value, expected).await
    }

    async fn delete(&self, key: &str) -> Result<(), BucketError> {
        self.site.check().await?;
        self.bucket.delete(key).await
    }

    async fn history(&self, key: &str) -> Result<Vec<Retained>, BucketError> {
        self.site.check().await?;
        match self.site.mood() {
            Mood::Vague => Err(failed()),
            Mood::Forgetful => Err(BucketError::NotFound(key.to_owned())),
            Mood::Well | Mood::Broken | Mood::Hangs | Mood::Full => self.bucket.history(key).await,
        }
    }

    async fn watch(&self) -> Result<BucketWatch, BucketError> {
        self.site.check().await?;
        self.bucket.watch().await
    }
}

/// A server whose lifecycles are in a store that has just come to be in this mood. Without an index,
/// which would still know something.
async fn in_mood(mood: Mood) -> World {
    let buckets = Failing::default();
    let manager = Manager::builder(buckets.clone()).create_buckets(1).without_index().build();
    let lifecycles = manager.dynamic().clone();
    lifecycles.register_described(survey()).await.unwrap();
    lifecycles.create("drone-survey", &mission("m-1", "ann", None)).await.unwrap();
    *buckets.mood.lock().unwrap() = mood;
    let gateway = Gateway::new(lifecycles, GatewayOptions::default()).unwrap();
    // Only whoever hangs is too late.
    let request_timeout = Duration::from_millis(if mood == Mood::Hangs { 50 } else { 60_000 });
    let limits = HttpLimits { request_timeout, ..HttpLimits::default() };
    world_with(
        Options { lifecycle: Some(gateway), limits, ..Options::default() },
        waypost_engine::Settings::default(),
    )
    .await
}

#[tokio::test]
async fn no_route_tells_what_a_store_said() {
    let world = in_mood(Mood::Broken).await;
    let answers = [
        ("list", world.get("/workflows/drone-survey").await),
        ("get", world.get("/workflows/drone-survey/m-1").await),
        ("history", world.get("/workflows/drone-survey/m-1/history").await),
        ("children", world.get("/workflows/drone-survey/m-1/children").await),
        ("state_patch", world.post("/workflows/drone-survey/m-1/state", r#"{"battery":1}"#).await),
        (
            "transition",
            world.post("/workflows/drone-survey/m-1/transition", r#"{"phase":"flying"}"#).await,
        ),
        (
            "transition",
            world
                .post("/workflows/drone-survey/m-1/transition?dryRun=true", r#"{"phase":"flying"}"#)
                .await,
        ),
        ("explain", world.get("/workflows/drone-survey/m-1/explain").await),
        ("diagram", world.get("/workflows/drone-survey/m-1/diagram.svg").await),
    ];
    for (label, answer) in answers {
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR, "{label}");
        let told: Value = answer.json().await.unwrap();
        let expected = format!("{label}: internal error (operator details in server log)");
        assert_eq!(told, serde_json::json!({ "error": expected }));
    }
    let types = world.get("/workflows").await;
    assert_eq!(types.status(), StatusCode::OK);
    let types = types.text().await.unwrap();
    assert!(types.contains("counts_error") && !types.contains(SECRET), "{types}");
    let url = format!("http://{}/workflows/drone-survey?stream=true", world.address);
    let watch = world.client.get(url).header("accept", "text/event-stream").send().await.unwrap();
    assert_eq!(watch.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert!(!watch.text().await.unwrap().contains(SECRET));
    let mut socket = socket(&world, "drone-survey?stream=true", None).await.unwrap();
    let expected = "watch: internal error (operator details in server log)";
    assert_eq!(next(&mut socket).await, Some(serde_json::json!({ "error": expected })));
    assert_eq!(next(&mut socket).await, None);
}

#[tokio::test]
async fn whoever_is_answered_too_late_is_told_to_look() {
    let world = in_mood(Mood::Hangs).await;
    for (path, body) in [("state", r#"{"battery":1}"#), ("transition", r#"{"phase":"flying"}"#)] {
        let late = world.post(&format!("/workflows/drone-survey/m-1/{path}"), body).await;
        assert_eq!(late.status(), StatusCode::SERVICE_UNAVAILABLE);
        let told = late.text().await.unwrap();
        assert!(told.contains("look before asking again"), "{told}");
        assert!(!told.contains("Idempotency-Key"), "the gateway knows none: {told}");
    }
}

#[tokio::test]
async fn an_explanation_without_a_past_says_whether_there_is_none() {
    let world = in_mood(Mood::Vague).await;
    let refused = world.get("/workflows/drone-survey/m-1/explain").await;
    assert_eq!(refused.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let told: Value = refused.json().await.unwrap();
    assert_eq!(told["error"], "explain: internal error (operator details in server log)");
    let world = in_mood(Mood::Forgetful).await;
    let explained = world.get("/workflows/drone-survey/m-1/explain").await;
    assert_eq!(explained.status(), StatusCode::OK, "what the store has forgotten is not told");
}

#[tokio::test]
async fn what_is_too_large_for_the_store_is_told_so() {
    let world = in_mood(Mood::Full).await;
    let refused = world.post("/workflows/drone-survey/m-1/state", r#"{"battery":1}"#).await;
    assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let told: Value = refused.json().await.unwrap();
    let told = told["error"].as_str().unwrap();
    assert!(
        told.starts_with("state_patch: ") && told.contains("more than the store takes"),
        "{told}"
    );
}
