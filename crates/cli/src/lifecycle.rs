//! The lifecycles a server shows to operators: types described in a file, so that programs with
//! types of their own can be looked after without them.

use std::path::Path;

use serde::Deserialize;
use waypost_lifecycle::{DynManager, Manager, SqlBuckets, TypeDescription};
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
        registered.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
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

fn read(path: &Path) -> Result<File, Failure> {
    let shown = path.display();
    let failed = |error: &dyn std::fmt::Display| Failure::usage(format!("{shown}: {error}"));
    let length = std::fs::metadata(path).map_err(|error| failed(&error))?.len();
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
