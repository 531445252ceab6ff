//! The gateway of lifecycles.

use std::{net::SocketAddr, sync::Arc};

use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};
use waypost_client::{
    Client, Error, Lifecycles,
    api::lifecycle::Transition,
    lifecycle::{LifecycleQuery, Sight},
};
use waypost_engine::{Engine, Settings, SystemClock};
use waypost_lifecycle::{DynManager, Manager, MemoryBuckets};
use waypost_server::{
    Options, Server,
    lifecycle::{Gateway, GatewayOptions},
};
use waypost_stores::MemoryStore;

/// A server that shows two lamps, one of which belongs to the other.
async fn lamps() -> (Lifecycles, DynManager, DropGuard) {
    let manager = Manager::builder(MemoryBuckets::new()).create_buckets(8).build();
    let described = json!({
        "workflow": "lamp", "bucket": "LAMPS",
        "transitions": {"dark": ["lit"], "lit": ["dark", "worn"], "worn": []},
        "fields": [
            {"name": "id", "tags": "id"},
            {"name": "phase", "tags": "phase"},
            {"name": "circuit", "kind": "string?", "tags": "parent"},
            {"name": "watts", "kind": "u32", "tags": "operator_writable,indexable"}
        ]
    });
    manager.register_described(serde_json::from_value(described).unwrap()).await.unwrap();
    for (id, circuit, watts) in [("l-1", Value::Null, 40), ("l-2", json!("l-1"), 60)] {
        let lamp = json!({"id": id, "phase": "dark", "circuit": circuit, "watts": watts});
        manager.create("lamp", &lamp).await.unwrap();
    }
    let options = GatewayOptions { prefix: "ops/lifecycles".to_owned(), ..Default::default() };
    let gateway = Gateway::new(manager.dynamic().clone(), options).unwrap();
    let store = Arc::new(MemoryStore::new(Arc::new(SystemClock)));
    let http = SocketAddr::from(([127, 0, 0, 1], 0));
    let options = Options { http, lifecycle: Some(gateway), ..Options::default() };
    let server = Server::bind(Engine::new(store, Settings::default()), options).await.unwrap();
    let client = Client::new(&format!("http://{}", server.http_addr())).unwrap();
    let stop = CancellationToken::new();
    let serving = stop.clone();
    tokio::spawn(async move { server.run(serving).await });
    (client.lifecycle().below("/ops/lifecycles/"), manager.dynamic().clone(), stop.drop_guard())
}

#[tokio::test]
async fn operators_see_types_entities_and_what_belongs_to_them() {
    let (lifecycles, _, _running) = lamps().await;
    let types = lifecycles.types().await.unwrap();
    assert_eq!((types.len(), types[0].workflow.as_str()), (1, "lamp"));
    assert_eq!(lifecycles.definition("lamp").await.unwrap().workflow, "lamp");
    let bright = LifecycleQuery {
        phase: Some("dark".to_owned()),
        active: true,
        matches: vec![("watts".to_owned(), "60".to_owned())],
        offset: Some(0),
        limit: Some(10),
    };
    let found = lifecycles.list("lamp", &bright).await.unwrap();
    assert_eq!((found.len(), found[0].entity_id.as_str()), (1, "l-2"));
    assert_eq!(lifecycles.show("lamp", "l-1").await.unwrap().phase, "dark");
    let children = lifecycles.children("lamp", "l-1").await.unwrap();
    assert_eq!((children.len(), children[0].parent.as_deref()), (1, Some("l-1")));
    assert!(lifecycles.children("lamp", "l-2").await.unwrap().is_empty());
}

#[tokio::test]
async fn operators_write_move_and_are_refused() {
    let (lifecycles, _, _running) = lamps().await;
    let patch = |it: Value| it.as_object().cloned().unwrap();
    lifecycles.patch("lamp", "l-1", &patch(json!({"watts": 25}))).await.unwrap();
    let lit = Transition { phase: "lit".to_owned(), note: Some("dusk".to_owned()) };
    lifecycles.transition("lamp", "l-1", &lit).await.unwrap();
    let history = lifecycles.history("lamp", "l-1").await.unwrap();
    assert_eq!((history.len(), history[1].note.as_str()), (2, "dusk"));
    let value = lifecycles.show("lamp", "l-1").await.unwrap().value;
    assert!(value.as_str().contains(r#""watts":25"#), "{}", value.as_str());
    for refused in [
        lifecycles.patch("lamp", "l-1", &patch(json!({"watts": "many"}))).await.err(),
        lifecycles
            .transition("lamp", "l-2", &Transition { phase: "worn".into(), ..lit })
            .await
            .err(),
        lifecycles.show("lamp", "nobody").await.err(),
        lifecycles.definition("unknown").await.err(),
    ] {
        assert!(matches!(refused, Some(Error::Refused(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn a_watch_shows_entities_and_what_becomes_of_them() {
    let (lifecycles, manager, _running) = lamps().await;
    let mut watch = lifecycles.watch("lamp").await.unwrap();
    let mut ids = Vec::new();
    while let Some(Sight::Entity(found)) = watch.next().await.unwrap() {
        ids.push(found.entity_id);
    }
    // What ended the loop is the mark behind what was there.
    assert_eq!(ids, ["l-1", "l-2"]);
    manager.delete("lamp", "l-2").await.unwrap();
    let gone = watch.next().await.unwrap();
    assert_eq!(gone, Some(Sight::Deleted { entity_id: "l-2".to_owned() }));
}
