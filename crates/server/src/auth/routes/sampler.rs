//! Which traces this node exports, for administrators.

use axum::body::Body;
use serde_json::{Map, Value};
use waypost_api::entity::http::TraceSampler;

use super::{
    admin::{Administrator, json},
    answer::Json,
};
use crate::{
    http::entity::problem::Failure,
    telemetry::{Root, Sampler},
};

/// Says which traces this node exports.
#[utoipa::path(
    get, path = "/api/admin/trace-sampler", tag = "Entity operations",
    responses((status = 200, description = "The sampler", body = TraceSampler)),
)]
pub(crate) async fn show(administrator: Administrator) -> Json<TraceSampler> {
    Json(written(administrator.sampler().get()))
}

/// Has this node export other traces, until it is restarted.
#[utoipa::path(
    post, path = "/api/admin/trace-sampler", tag = "Entity operations",
    request_body = TraceSampler,
    responses((status = 200, description = "The sampler it has now", body = TraceSampler)),
)]
pub(crate) async fn change(
    administrator: Administrator,
    body: Body,
) -> Result<Json<TraceSampler>, Failure> {
    let sampler = read(&json(body).await?).map_err(Failure::bad_request)?;
    administrator.sampler().set(sampler);
    tracing::info!(user = administrator.user, ?sampler, "other traces are exported");
    Ok(Json(written(sampler)))
}

fn written(Sampler { root, is_parent_based }: Sampler) -> TraceSampler {
    let (sampler, ratio) = match root {
        Root::Always => ("always", None),
        Root::Never => ("never", None),
        Root::Ratio(ratio) => ("ratio", Some(ratio)),
    };
    TraceSampler { sampler: sampler.to_owned(), ratio, parent_based: is_parent_based }
}

/// The sampler that a body asks for; or which member is wrong, and what it must be.
fn read(body: &Value) -> Result<Sampler, String> {
    let members = body.as_object().ok_or("the body must be an object with the member sampler")?;
    let is_parent_based = match members.get("parent_based") {
        None => true,
        Some(given) => given.as_bool().ok_or("parent_based must be true or false")?,
    };
    Ok(Sampler { root: root(members)?, is_parent_based })
}

fn root(members: &Map<String, Value>) -> Result<Root, String> {
    let ratio = members.get("ratio");
    let root = match members.get("sampler").and_then(Value::as_str) {
        Some("always") => Root::Always,
        Some("never") => Root::Never,
        Some("ratio") => return share(ratio).map(Root::Ratio),
        Some(_) | None => return Err("sampler must be always, never or ratio".to_owned()),
    };
    match ratio {
        None => Ok(root),
        Some(_) => Err("ratio must not be there unless sampler is ratio".to_owned()),
    }
}

fn share(given: Option<&Value>) -> Result<f64, String> {
    let is_share = |it: &f64| *it > 0.0 && *it <= 1.0;
    let found = given.and_then(Value::as_f64).filter(is_share);
    found.ok_or_else(|| "ratio must be a number above 0 and at most 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Sampler, String> {
        read(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn a_sampler_is_written_as_it_is_read() {
        for (text, expected) in [
            (r#"{"sampler":"always"}"#, r#"{"sampler":"always","parent_based":true}"#),
            (
                r#"{"sampler":"never","parent_based":false}"#,
                r#"{"sampler":"never","parent_based":false}"#,
            ),
            (
                r#"{"sampler":"ratio","ratio":0.25,"more":1}"#,
                r#"{"sampler":"ratio","ratio":0.25,"parent_based":true}"#,
            ),
            (
                r#"{"ratio":1,"sampler":"ratio","parent_based":true}"#,
                r#"{"sampler":"ratio","ratio":1.0,"parent_based":true}"#,
            ),
        ] {
            let sampler = parsed(text).unwrap();
            assert_eq!(serde_json::to_string(&written(sampler)).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("[]", "the body must be an object"),
            ("null", "the body must be an object"),
            ("{}", "sampler must be always, never or ratio"),
            (r#"{"sampler":"often"}"#, "sampler must be"),
            (r#"{"sampler":"ALWAYS"}"#, "sampler must be"),
            (r#"{"sampler":null}"#, "sampler must be"),
            (r#"{"sampler":1}"#, "sampler must be"),
            (r#"{"sampler":"ratio"}"#, "ratio must be a number above 0 and at most 1"),
            (r#"{"sampler":"ratio","ratio":0}"#, "ratio must be a number"),
            (r#"{"sampler":"ratio","ratio":-0.5}"#, "ratio must be a number"),
            (r#"{"sampler":"ratio","ratio":1.5}"#, "ratio must be a number"),
            (r#"{"sampler":"ratio","ratio":"0.5"}"#, "ratio must be a number"),
            (r#"{"sampler":"ratio","ratio":"NaN"}"#, "ratio must be a number"),
            (r#"{"sampler":"ratio","ratio":null}"#, "ratio must be a number"),
            (r#"{"sampler":"always","ratio":0.5}"#, "ratio must not be there"),
            (r#"{"sampler":"never","ratio":null}"#, "ratio must not be there"),
            (r#"{"sampler":"always","parent_based":"yes"}"#, "parent_based must be true or false"),
            (r#"{"sampler":"always","parent_based":null}"#, "parent_based must be"),
        ] {
            let told = parsed(text).unwrap_err();
            assert!(told.starts_with(expected), "{text}: {told}");
        }
    }
}
