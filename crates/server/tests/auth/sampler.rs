//! Which traces are exported is for administrators to say, whether any are or not.

use serde_json::json;
use waypost_server::auth::AuthOptions;

use crate::world::{World, world, world_with};

const SHOW: &str = "GET /admin/trace-sampler";
const CHANGE: &str = "POST /admin/trace-sampler";

#[tokio::test]
async fn the_sampler_can_be_changed_where_nothing_is_exported() {
    let world = world_with(AuthOptions::default()).await;
    let default = json!({ "sampler": "always", "parent_based": true });
    assert_eq!(world.call("", SHOW, "").await.body, default);
    for (body, expected) in [
        (
            json!({ "sampler": "ratio", "ratio": 0.5, "parent_based": false }),
            json!({ "sampler": "ratio", "ratio": 0.5, "parent_based": false }),
        ),
        // What is not said is the default, not what it was.
        (json!({ "sampler": "never" }), json!({ "sampler": "never", "parent_based": true })),
    ] {
        let changed = world.call("", CHANGE, body.to_string()).await;
        assert_eq!((changed.status, &changed.body), (200, &expected), "{body}");
        assert_eq!(world.call("", SHOW, "").await.body, expected, "{body}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_named_and_changes_nothing() {
    let world = world_with(AuthOptions::default()).await;
    let before = world.call("", SHOW, "").await.body;
    for (body, named) in [
        ("", "the body cannot be read"),
        (r#"{"sampler":"ratio","ratio":NaN}"#, "the body cannot be read"),
        (r#"{"sampler":"ratio","ratio":1e999}"#, "the body cannot be read"),
        ("7", "the body must be an object"),
        (r#"{"sampler":"sometimes"}"#, "sampler must be always, never or ratio"),
        (r#"{"sampler":"ratio"}"#, "ratio must be a number above 0 and at most 1"),
        (r#"{"sampler":"ratio","ratio":0}"#, "ratio must be a number above 0 and at most 1"),
        (r#"{"sampler":"ratio","ratio":1.5}"#, "ratio must be a number above 0 and at most 1"),
        (r#"{"sampler":"always","ratio":0.5}"#, "ratio must not be there unless sampler is ratio"),
        (r#"{"sampler":"never","parent_based":1}"#, "parent_based must be true or false"),
    ] {
        let refused = world.call("", CHANGE, body).await;
        assert_eq!(refused.code(), "400 BAD_REQUEST", "{body}");
        assert!(refused.text("detail").contains(named), "{body}: {refused:?}");
        assert_eq!(world.call("", SHOW, "").await.body, before, "{body}");
    }
}

#[tokio::test]
async fn nobody_else_sees_or_changes_it() {
    let world = world().await;
    let (id, secret) = world.client("t-1", &["ROLE_M2M"]).await;
    let other = world.sign_in(&id, &secret).await.bearer();
    let body = r#"{"sampler":"never"}"#;
    let asked = async |world: &World, who: &str, line| world.call(who, line, body).await.code();
    for line in [SHOW, CHANGE] {
        assert_eq!(asked(&world, &other, line).await, "403 FORBIDDEN", "{line}");
        assert_eq!(asked(&world, "", line).await, "401 UNAUTHORIZED", "{line}");
    }
    let shown = world.call(&world.administrator("t-1"), SHOW, "").await;
    assert_eq!((shown.status, &shown.body["sampler"]), (200, &json!("always")));
}
