//! The lifecycles a server shows to operators: types described in a file, so that programs with
//! types of their own can be looked after without them.

use std::path::Path;

use serde::Deserialize;
use waypost_lifecycle::{BucketError, DynManager, Error, Manager, SqlBuckets, TypeDescription};
use waypost_server::lifecycle::{Gateway, nats_buckets};

use crate::{
    exit::{Exit, Failure},
    settings::LifecycleConfig,
    store::OpenStore,
};

/// Bytes of the file. It is written by people.
const FILE_MAX: u64 = 1 << 20;

/// Writes that a bucket made here remembers of a key.
const DEPTH: u8 = 16;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    types: Vec<TypeDescription>,
}

/// The gateway to what the file describes; none if there is no file.
pub(crate) async fn gateway(
    config: &LifecycleConfig,
    store: &OpenStore,
) -> Result<Option<Gateway>, Failure> {
    let Some(path) = &config.types else { return Ok(None) };
    let file = read(path)?;
    let lifecycles = manager(config, store).await?;
    for described in file.types {
        let registered = lifecycles.register_described(described).await;
        registered.map_err(|error| refused(path, &error))?;
    }
    if config.gateway.origins.is_empty() && config.gateway.websocket {
        tracing::warn!("no origins are set for lifecycles: pages of any site may watch them");
    }
    let gateway = Gateway::new(lifecycles, config.gateway.clone());
    gateway.map(Some).map_err(|error| Failure::usage(format!("lifecycle.path_prefix: {error}")))
}

async fn manager(config: &LifecycleConfig, store: &OpenStore) -> Result<DynManager, Failure> {
    let builder = match &config.nats {
        Some(url) => {
            let buckets = nats_buckets(url).await;
            Manager::builder(buckets.map_err(|error| Failure::new(Exit::Unavailable, error))?)
        }
        None => Manager::builder(SqlBuckets::new(store.shared(), "default".into())),
    };
    let builder = match config.creates_buckets {
        true => builder.create_buckets(DEPTH),
        false => builder,
    };
    Ok(builder.build().dynamic().clone())
}

fn refused(path: &Path, error: &Error) -> Failure {
    let failure = Failure::usage(format!("{}: {error}", path.display()));
    if matches!(error, Error::Store { source: BucketError::Missing(_), .. }) {
        return failure.advise(
            "start the program it belongs to, which makes it, or set lifecycle.create_buckets = true",
        );
    }
    failure
}

fn read(path: &Path) -> Result<File, Failure> {
    let shown = path.display();
    let failed = |error: &dyn std::fmt::Display| Failure::usage(format!("{shown}: {error}"));
    let length = std::fs::metadata(path).map_err(|error| {
        failed(&error).advise(
            "lifecycle.types names a file that describes the types to show, such as \
             examples/lifecycles.toml",
        )
    });
    let length = length?.len();
    if length > FILE_MAX {
        return Err(failed(&format!("has {length} bytes; at most {FILE_MAX}")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    toml::from_str(&text).map_err(|error| failed(&error))
}

/// The types that the text of such a file describes.
pub(crate) fn parse(text: &str) -> Result<Vec<TypeDescription>, String> {
    toml::from_str(text).map(|it: File| it.types).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use waypost_lifecycle::MemoryBuckets;
    use waypost_lint::{DefinitionKind, Severity, lint};
    use waypost_machines::lifecycle::RESERVED;

    use super::*;

    /// Whether a server would take the file.
    async fn is_taken(text: &str) -> bool {
        let Ok(file) = serde_json::from_str::<File>(text) else { return false };
        for described in file.types {
            let manager = Manager::builder(MemoryBuckets::new()).create_buckets(1).build();
            if manager.register_described(described).await.is_err() {
                return false;
            }
        }
        true
    }

    /// Every pair of tags, names and tables, right and wrong.
    #[tokio::test]
    async fn lint_and_the_server_agree_about_lifecycles() {
        let words =
            ["", "id", "phase", "parent", "readonly", "operator_writable", "indexable", "x"];
        let tags = words.iter().flat_map(|one| words.iter().map(move |it| format!("{one}, {it}")));
        let field = |name: &str, tags: &str| json!({"name": name, "tags": tags});
        let table = json!({"a": ["b"], "b": []});
        let usual = || vec![field("entity_id", "id"), field("phase", "phase")];
        let mut types = Vec::new();
        for tags in tags {
            types.push(("m.", table.clone(), [usual(), vec![field("f", &tags)]].concat()));
            types.push(("m.", table.clone(), vec![field("phase", "phase"), field("f", &tags)]));
        }
        for name in ["", "phase", RESERVED, "_waypost"] {
            types.push(("", table.clone(), [usual(), vec![field(name, "")]].concat()));
        }
        for prefix in ["", "a b", "m..", ".", "ä", "m/"] {
            types.push((prefix, table.clone(), usual()));
        }
        for table in [json!({}), json!({"a": ["x"]}), json!({"": []}), json!({"a": ["a", "a"]})] {
            types.push(("m.", table, usual()));
        }
        let number = json!({"name": "entity_id", "tags": "id", "kind": "u8"});
        types.push(("m.", table.clone(), vec![number, field("phase", "phase")]));
        for (prefix, transitions, fields) in types {
            let described = json!({"workflow": "w", "bucket": "B", "key_prefix": prefix,
                "transitions": transitions, "fields": fields});
            let text = json!({"types": [described]}).to_string();
            let report = lint(&text, Some(DefinitionKind::Lifecycle)).unwrap();
            let is_expected = report.count(Severity::Error) == 0;
            assert_eq!(is_taken(&text).await, is_expected, "{text} {:?}", report.findings);
        }
    }
}
