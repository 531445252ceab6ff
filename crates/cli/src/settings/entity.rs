//! What the entity face runs by: signing in, compute members, and its own limits.

use std::{fs, time::Duration};

use waypost_engine::entity::{Pace, Rules};
use waypost_server::{
    auth::{AuthOptions, Bootstrap, Mode, Verbosity},
    cluster::ClusterOptions,
    compute::ComputeOptions,
};

use super::{catalog, key::Key, resolve::Settings};
use crate::exit::Failure;

const MILLISECONDS: &str = "a whole number of milliseconds such as 20000";

/// What the entity face runs by.
#[derive(Clone, Debug)]
pub(crate) struct EntityConfig {
    pub(crate) context_path: String,
    pub(crate) rules: Rules,
    pub(crate) verbosity: Verbosity,
    pub(crate) auth: AuthOptions,
    pub(crate) compute: ComputeOptions,
    /// How the node is one of several, if it is.
    pub(crate) cluster: Option<ClusterOptions>,
}

impl EntityConfig {
    pub(super) fn new(settings: &Settings) -> Result<Self, Failure> {
        let auth = auth(settings)?;
        auth.check().map_err(Failure::usage)?;
        let compute = compute(settings)?;
        Ok(Self {
            context_path: text(settings, &catalog::CONTEXT_PATH),
            rules: rules(settings)?,
            verbosity: verbosity(settings)?,
            auth,
            cluster: cluster(settings, &compute)?,
            compute,
        })
    }
}

fn rules(settings: &Settings) -> Result<Rules, Failure> {
    let number = "a whole number such as 10";
    let visits: i64 = settings.read(&catalog::STATE_VISITS, number)?;
    let is_lenient: bool = settings.read(&catalog::LENIENT_TYPES, "true or false")?;
    let defaults = Rules::default();
    Ok(Rules {
        // None at all would end every run.
        state_visits_max: usize::try_from(visits)
            .ok()
            .filter(|it| *it > 0)
            .unwrap_or(defaults.state_visits_max),
        strict_processor_types: !is_lenient,
        searches_kept: milliseconds(settings, &catalog::SEARCHES_KEPT)?,
        n_searches_kept: defaults.n_searches_kept,
        n_deletions_max: defaults.n_deletions_max,
        pace: Pace {
            further_max: settings.read(&catalog::RETRIES, number)?,
            apart: milliseconds(settings, &catalog::RETRIES_APART)?,
        },
        expiry_grace: milliseconds(settings, &catalog::EXPIRY_GRACE)?,
        strict_workflow_models: settings.read(&catalog::STRICT_MODELS, "true or false")?,
        // The store will tell.
        has_store_alone: defaults.has_store_alone,
    })
}

fn verbosity(settings: &Settings) -> Result<Verbosity, Failure> {
    match text(settings, &catalog::ERRORS).as_str() {
        "sanitized" => Ok(Verbosity::Sanitized),
        "verbose" => Ok(Verbosity::Verbose),
        _ => Err(refuse(settings, &catalog::ERRORS, "sanitized or verbose")),
    }
}

fn auth(settings: &Settings) -> Result<AuthOptions, Failure> {
    let mode: Mode = settings.read(&catalog::AUTH, "mock or jwt")?;
    Ok(AuthOptions {
        mode,
        mock_roles: list(settings, &catalog::MOCK_ROLES),
        signing_key: secret(settings, &catalog::SIGNING_KEY, &catalog::SIGNING_KEY_FILE)?,
        issuer: text(settings, &catalog::ISSUER),
        audience: optional(settings, &catalog::AUDIENCE),
        expiry: milliseconds(settings, &catalog::EXPIRY)?,
        tenant: optional(settings, &catalog::AUTH_TENANT),
        bootstrap: Bootstrap {
            id: optional(settings, &catalog::CLIENT_ID),
            secret: secret(settings, &catalog::CLIENT_SECRET, &catalog::CLIENT_SECRET_FILE)?,
            tenant: text(settings, &catalog::CLIENT_TENANT),
            user: text(settings, &catalog::CLIENT_USER),
            roles: list(settings, &catalog::CLIENT_ROLES),
        },
        require_jwt: settings.read(&catalog::AUTH_REQUIRED, "true or false")?,
    })
}

fn compute(settings: &Settings) -> Result<ComputeOptions, Failure> {
    let secret = secret(settings, &catalog::COMPUTE_SECRET, &catalog::COMPUTE_SECRET_FILE)?;
    let secret = match secret {
        Some(text) => Some(bytes(&text).ok_or_else(|| {
            Failure::usage("compute.secret must be at least 64 hexadecimal digits")
        })?),
        None => None,
    };
    let defaults = ComputeOptions::default();
    Ok(ComputeOptions {
        node: optional(settings, &catalog::NODE).unwrap_or(defaults.node),
        secret,
        ticket_life: milliseconds(settings, &catalog::TICKET_LIFE)?,
        keep_alive_every: milliseconds(settings, &catalog::KEEP_ALIVE)?,
        keep_alive_timeout: milliseconds(settings, &catalog::KEEP_ALIVE_TIMEOUT)?,
        limits: defaults.limits,
    })
}

/// A node with an address is one of several, unless somebody says that it is not.
fn cluster(
    settings: &Settings,
    compute: &ComputeOptions,
) -> Result<Option<ClusterOptions>, Failure> {
    let is_enabled = settings.find(&catalog::CLUSTER, "true or false")?;
    let address = match (is_enabled, optional(settings, &catalog::CLUSTER_ADDRESS)) {
        (Some(false), _) | (None, None) => return Ok(None),
        (Some(true), None) => {
            let what = "a node that is one of several needs cluster.address";
            let advice = "say where the others reach it, such as http://10.0.0.5:8080";
            return Err(Failure::usage(what).advise(advice));
        }
        (Some(true) | None, Some(address)) => address,
    };
    let needs = |what: &str, advice: &str| {
        let what = format!("a node that is one of several needs {what}");
        Err(Failure::usage(what).advise(advice))
    };
    if optional(settings, &catalog::NODE).is_none() {
        return needs("compute.node", "give each node a name of its own");
    }
    if compute.secret.is_none() {
        return needs("compute.secret", "give all nodes the same one: openssl rand -hex 32");
    }
    Ok(Some(ClusterOptions {
        address,
        grpc_address: optional(settings, &catalog::CLUSTER_GRPC_ADDRESS),
        wait: milliseconds(settings, &catalog::CLUSTER_WAIT)?,
        proxy_timeout: milliseconds(settings, &catalog::CLUSTER_PROXY_TIMEOUT)?,
    }))
}

/// A secret, or what is in the file that has it. The file wins.
fn secret(settings: &Settings, key: &Key, file: &Key) -> Result<Option<String>, Failure> {
    let Some(path) = optional(settings, file) else { return Ok(optional(settings, key)) };
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text.trim_end().to_owned())),
        Err(error) => Err(Failure::usage(format!("{} {path:?}: {error}", file.path))),
    }
}

fn bytes(hexadecimal: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = hexadecimal.chars().map(|it| it.to_digit(16)).collect::<Option<_>>()?;
    let pair = |pair: &[u32]| match pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    };
    digits.chunks(2).map(pair).collect::<Option<Vec<u8>>>().filter(|it| it.len() >= 32)
}

pub(super) fn milliseconds(settings: &Settings, key: &Key) -> Result<Duration, Failure> {
    settings.read(key, MILLISECONDS).map(Duration::from_millis)
}

fn text(settings: &Settings, key: &Key) -> String {
    settings.get(key).map(|it| it.text.trim().to_owned()).unwrap_or_default()
}

pub(super) fn optional(settings: &Settings, key: &Key) -> Option<String> {
    Some(text(settings, key)).filter(|it| !it.is_empty())
}

pub(super) fn list(settings: &Settings, key: &Key) -> Vec<String> {
    let text = text(settings, key);
    let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
    parts.map(ToOwned::to_owned).collect()
}

fn refuse(settings: &Settings, key: &Key, expected: &str) -> Failure {
    settings.get(key).map_or_else(
        || Failure::usage(format!("{} must be {expected}", key.path)),
        |it| it.refuse(expected),
    )
}

#[cfg(test)]
mod tests {
    use super::{super::Sources, *};

    #[test]
    fn a_secret_is_written_in_hexadecimal_and_long_enough() {
        assert_eq!(bytes(&"0f".repeat(32)), Some(vec![15; 32]));
        assert_eq!(bytes(&"0f".repeat(31)), None);
        assert_eq!(bytes(&"xy".repeat(32)), None);
        assert_eq!(bytes(&"0".repeat(65)), None);
    }

    /// What `serve` would make of these variables.
    fn clustered(variables: &[(&str, &str)]) -> Result<Option<ClusterOptions>, String> {
        let pairs = variables.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let sources = Sources { environment: pairs.collect(), ..Sources::default() };
        let settings = Settings::resolve(&sources).and_then(|it| EntityConfig::new(&it));
        settings.map(|it| it.cluster).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_node_is_one_of_several_if_it_has_an_address_a_name_and_a_secret() {
        let secret = "0f".repeat(32);
        let (address, name) =
            (("CYODA_NODE_ADDR", "http://10.0.0.5:8080"), ("CYODA_NODE_ID", "node-a"));
        let (secret, on) =
            (("CYODA_HMAC_SECRET", secret.as_str()), ("CYODA_CLUSTER_ENABLED", "true"));
        let options = clustered(&[address, name, secret]).unwrap().unwrap();
        let defaults = ClusterOptions::new("http://10.0.0.5:8080");
        assert_eq!(format!("{options:?}"), format!("{defaults:?}"));
        let all = [
            on,
            address,
            name,
            secret,
            ("WAYPOST_CLUSTER_GRPC_ADDRESS", "http://10.0.0.5:9090"),
            ("CYODA_DISPATCH_WAIT_TIMEOUT", "7s"),
            ("CYODA_PROXY_TIMEOUT", "1m"),
        ];
        let options = clustered(&all).unwrap().unwrap();
        assert_eq!(options.grpc_address.as_deref(), Some("http://10.0.0.5:9090"));
        let seconds = (options.wait.as_secs(), options.proxy_timeout.as_secs());
        assert_eq!(seconds, (7, 60));
        assert!(clustered(&[name, secret]).unwrap().is_none());
        let off = ("CYODA_CLUSTER_ENABLED", "false");
        assert!(clustered(&[off, address]).unwrap().is_none());
        for (variables, missing) in [
            (vec![on, name, secret], "cluster.address"),
            (vec![address, secret], "compute.node"),
            (vec![on, address, secret], "compute.node"),
            (vec![address, name], "compute.secret"),
        ] {
            let refused = clustered(&variables).unwrap_err();
            let text = format!("a node that is one of several needs {missing}");
            assert!(refused.starts_with(&text), "{refused}");
        }
    }
}
