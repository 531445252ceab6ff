//! What the gateway of lifecycles is started with.

use std::fmt;

use waypost_api::shown_url;
use waypost_lifecycle::{DynManager, NatsBuckets};

use crate::{
    http::{GatewayMeter, entity_roots},
    outbox::nats::signed_in,
};

/// Bytes of a body, unless the options say otherwise.
const BODY_MAX: usize = 1 << 20;

/// What others serve already.
const TAKEN: [&str; 11] = [
    "v1",
    "docs",
    "console",
    "openapi.json",
    "healthz",
    "livez",
    "readyz",
    "metrics",
    "version",
    "internal",
    "oauth",
];

/// How operators come to lifecycles.
#[derive(Clone, Debug)]
pub struct GatewayOptions {
    /// What the paths lie below. Slashes around it do not count.
    pub prefix: String,
    /// Whether entities can be watched over a WebSocket.
    pub websocket: bool,
    /// Bytes of a body; zero says the usual.
    pub body_max: usize,
    /// Whose pages may watch and change, written as browsers write it. If it is empty, pages of any
    /// site may watch, and none of another site may change.
    pub origins: Vec<String>,
}

impl Default for GatewayOptions {
    fn default() -> Self {
        let prefix = "workflows".to_owned();
        Self { prefix, websocket: true, body_max: BODY_MAX, origins: Vec::new() }
    }
}

/// Lifecycles, and how operators come to them.
#[derive(Clone)]
pub struct Gateway {
    pub(crate) lifecycles: DynManager,
    pub(crate) options: GatewayOptions,
    /// With one slash before it and none behind.
    pub(crate) root: String,
    pub(crate) meter: GatewayMeter,
}

impl Gateway {
    /// A gateway to `lifecycles`.
    ///
    /// # Errors
    /// When the prefix cannot be a path, or is somebody else's; says why.
    pub fn new(lifecycles: DynManager, options: GatewayOptions) -> Result<Self, String> {
        let prefix = options.prefix.trim_matches('/');
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./".contains(it);
        if prefix.is_empty() || !prefix.chars().all(is_plain) || prefix.contains("//") {
            let given = &options.prefix;
            return Err(format!("{given:?} cannot be a path; use letters and digits"));
        }
        if prefix.split('/').next().is_some_and(|first| TAKEN.contains(&first)) {
            return Err(taken(&format!("/{prefix}")));
        }
        let body_max = if options.body_max == 0 { BODY_MAX } else { options.body_max };
        let root = format!("/{prefix}");
        let (options, meter) = (GatewayOptions { body_max, ..options }, GatewayMeter::default());
        Ok(Self { lifecycles, options, root, meter })
    }

    /// Makes sure that it lies beside entities, which are below `context`.
    pub(crate) fn check_beside(&self, context: &str) -> Result<(), String> {
        let is_below = |path: &str, other: &str| {
            path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let meets = |path: &str| is_below(&self.root, path) || is_below(path, &self.root);
        match context {
            "" if entity_roots().iter().any(|it| meets(it)) => Err(taken(&self.root)),
            "" => Ok(()),
            context if meets(context) => Err(taken(&self.root)),
            _ => Ok(()),
        }
    }

    /// Whether a page of `origin` may watch.
    pub(crate) fn may_watch(&self, origin: Option<&str>) -> bool {
        let origins = &self.options.origins;
        origins.is_empty() || origin.is_none_or(|it| origins.iter().any(|known| known == it))
    }

    /// Whether pages of `origin` were let in by name.
    pub(crate) fn knows(&self, origin: Option<&str>) -> bool {
        origin.is_some_and(|it| self.options.origins.iter().any(|known| known == it))
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("options", &self.options).finish_non_exhaustive()
    }
}

fn taken(root: &str) -> String {
    format!("{root} is taken; use another, such as /workflows")
}

/// The buckets of a NATS server. The connection comes back by itself.
///
/// # Errors
/// When it cannot be reached now; says why.
pub async fn nats_buckets(url: &str) -> Result<NatsBuckets, String> {
    let failed = |error: &dyn fmt::Display| format!("NATS at {}: {error}", shown_url(url));
    let (options, server) = signed_in(url).map_err(|error| failed(&error))?;
    let client = options.name("waypost-lifecycles").connect(server).await;
    client.map(NatsBuckets::new).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use waypost_lifecycle::{Manager, MemoryBuckets};

    use super::*;

    fn gateway(prefix: &str) -> Result<Gateway, String> {
        let lifecycles = Manager::builder(MemoryBuckets::new()).build().dynamic().clone();
        Gateway::new(lifecycles, GatewayOptions { prefix: prefix.to_owned(), ..Default::default() })
    }

    #[test]
    fn no_limit_of_bodies_is_the_usual_one() {
        let lifecycles = gateway("ops").unwrap().lifecycles;
        let options = GatewayOptions { body_max: 0, ..GatewayOptions::default() };
        assert_eq!(Gateway::new(lifecycles, options).unwrap().options.body_max, BODY_MAX);
    }

    #[test]
    fn a_prefix_is_a_path_that_is_free() {
        assert_eq!(
            gateway("/lifecycle-gateway/workflows/").unwrap().root,
            "/lifecycle-gateway/workflows"
        );
        for prefix in
            ["", "/", "a b", "{x}", "a//b", "v1/x", "metrics", "console", "openapi.json/x"]
        {
            assert!(gateway(prefix).is_err(), "{prefix:?}");
        }
    }
}
