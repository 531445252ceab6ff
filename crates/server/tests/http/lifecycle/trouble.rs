//! A store that fails says things that are nobody's business.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::StatusCode;
use serde_json::Value;
use waypost_lifecycle::{
    Bucket, BucketError, BucketWatch, Buckets, Entry, Manager, MemoryBuckets, Retained, Revision,
};
use waypost_server::{
    Options,
    lifecycle::{Gateway, GatewayOptions},
};

use super::{
    mission, survey,
    watching::{next, socket},
};
use crate::world::{World, world_with};

/// What must not come out.
const SECRET: &str = "db-7.internal";

/// Buckets that fail when they are told to.
#[derive(Clone, Default)]
struct Failing {
    buckets: MemoryBuckets,
    is_broken: Arc<AtomicBool>,
}

impl Failing {
    fn check(&self) -> Result<(), BucketError> {
        match self.is_broken.load(Ordering::SeqCst) {
            true => Err(BucketError::Failed(format!("cannot reach {SECRET}"))),
            false => Ok(()),
        }
    }
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
        self.site.check()?;
        self.bucket.get(key).await
    }

    async fn create(&self, key: &str, value: Bytes) -> Result<Revision, BucketError> {
        self.site.check()?;
        self.bucket.create(key, value).await
    }

    async fn update(
        &self,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, BucketError> {
        self.site.check()?;
        self.bucket.update(key, value, expected).await
    }

    async fn delete(&self, key: &str) -> Result<(), BucketError> {
        self.site.check()?;
        self.bucket.delete(key).await
    }

    async fn history(&self, key: &str) -> Result<Vec<Retained>, BucketError> {
        self.site.check()?;
        self.bucket.history(key).await
    }

    async fn watch(&self) -> Result<BucketWatch, BucketError> {
        self.site.check()?;
        self.bucket.watch().await
    }
}

/// A server whose lifecycles are in a store that has just broken. Without an index, which would
/// still know something.
async fn broken() -> World {
    let buckets = Failing::default();
    let manager = Manager::builder(buckets.clone()).create_buckets(1).without_index().build();
    let lifecycles = manager.dynamic().clone();
    lifecycles.register_described(survey()).await.unwrap();
    lifecycles.create("drone-survey", &mission("m-1", "ann", None)).await.unwrap();
    buckets.is_broken.store(true, Ordering::SeqCst);
    let gateway = Gateway::new(lifecycles, GatewayOptions::default()).unwrap();
    world_with(
        Options { lifecycle: Some(gateway), ..Options::default() },
        waypost_engine::Settings::default(),
    )
    .await
}

#[tokio::test]
async fn no_route_tells_what_a_store_said() {
    let world = broken().await;
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
