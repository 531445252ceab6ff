//! Many models.

use futures_util::future::join_all;
use serde_json::Value;

use crate::world::world;

#[tokio::test]
pub(crate) async fn more_models_than_a_page_has_are_all_listed_once() {
    let world = world().await;
    let versions: Vec<u64> = (1..=1_001).collect();
    for some in versions.chunks(50) {
        let import = async |version: &u64| {
            let path = format!("/api/model/import/JSON/SAMPLE_DATA/m/{version}");
            world.post(&path, r#"{"a":1}"#).await.status()
        };
        let imported = join_all(some.iter().map(import)).await;
        assert!(imported.iter().all(|it| *it == 200), "{imported:?}");
    }
    let listed: Value = world.get("/api/model/").await.json().await.unwrap();
    let listed = listed.as_array().unwrap().iter();
    let listed: Vec<_> = listed.map(|it| it["modelVersion"].as_u64().unwrap()).collect();
    assert_eq!(listed, versions);
}
