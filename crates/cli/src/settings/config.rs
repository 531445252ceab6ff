//! The configuration as the program uses it: typed, checked, nothing missing.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use waypost_engine::{chain::Policy, process::Coercion};
use waypost_server::{Bearer, HttpLimits, PageOptions, auth::Mode, telemetry::LogFormat};
use waypost_stores::{PostgresOptions, SqliteOptions};

use super::{
    catalog,
    entity::{EntityConfig, list, optional},
    key::Key,
    lifecycle::LifecycleConfig,
    policy,
    resolve::{Origin, Settings},
    telemetry::TelemetryConfig,
};
use crate::exit::Failure;

const ADDRESS: &str = "an address and a port such as 127.0.0.1:8080";
const MILLISECONDS: &str = "a whole number of milliseconds such as 20000";
const COUNT: &str = "a whole number of at least 1";
/// One connection each to write, to read, to claim and to listen.
const CONNECTIONS_MIN: usize = 4;

/// What `serve` runs by.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) http: SocketAddr,
    pub(crate) grpc: SocketAddr,
    pub(crate) metrics: Option<SocketAddr>,
    /// What to show before metrics are shown, if anything.
    pub(crate) metrics_bearer: Option<Bearer>,
    /// Whether listeners may be reachable from other machines.
    pub(crate) is_insecure: bool,
    pub(crate) pages: PageOptions,
    pub(crate) store: StoreAddress,
    /// How long the store may take to be opened, if not as long as it likes.
    pub(crate) startup_timeout: Option<Duration>,
    /// Whether a server brings the schema of the store up to date.
    pub(crate) has_auto_migrate: bool,
    pub(crate) sqlite: SqliteOptions,
    pub(crate) postgres: PostgresOptions,
    pub(crate) limits: HttpLimits,
    pub(crate) log_format: LogFormat,
    pub(crate) log_filter: String,
    pub(crate) telemetry: TelemetryConfig,
    pub(crate) grace: Duration,
    pub(crate) policy: Policy,
    pub(crate) coercion: Coercion,
    pub(crate) outbox: Option<Outbox>,
    pub(crate) entity: EntityConfig,
    pub(crate) lifecycle: LifecycleConfig,
}

/// Where instances live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreAddress {
    Sqlite {
        path: PathBuf,
        /// Whether its folder is ours to create, because nobody chose it.
        is_default: bool,
    },
    /// Gone when the program ends.
    Temporary,
    Postgres(String),
}

/// Where messages go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outbox {
    Webhook { url: String, headers: BTreeMap<String, String> },
    Nats { url: String, subject: String, has_jetstream: bool },
}

impl Config {
    pub(crate) fn new(settings: &Settings) -> Result<Self, Failure> {
        let log_filter: String = settings.read(&catalog::LOG_FILTER, "a filter such as info")?;
        let store = store(settings)?;
        let config = Self {
            http: listener(settings, &catalog::HTTP)?,
            grpc: listener(settings, &catalog::GRPC)?,
            metrics: address(settings, &catalog::METRICS)?,
            metrics_bearer: bearer(settings)?,
            pages: PageOptions {
                origins: list(settings, &catalog::ALLOWED_ORIGINS),
                hosts: list(settings, &catalog::ALLOWED_HOSTS),
            },
            is_insecure: settings.read(&catalog::INSECURE, "true or false")?,
            startup_timeout: settings
                .find(&catalog::STARTUP_TIMEOUT, MILLISECONDS)?
                .map(Duration::from_millis),
            has_auto_migrate: auto_migrate(settings, &store)?,
            store,
            sqlite: sqlite(settings)?,
            postgres: postgres(settings)?,
            limits: limits(settings)?,
            log_format: log_format(settings)?,
            log_filter,
            telemetry: TelemetryConfig::new(settings)?,
            grace: Duration::from_millis(settings.read(&catalog::GRACE, MILLISECONDS)?),
            policy: policy::policy(settings)?,
            coercion: coercion(settings)?,
            outbox: outbox(settings)?,
            entity: EntityConfig::new(settings)?,
            lifecycle: LifecycleConfig::new(settings)?,
        };
        ensure_polling(settings)?;
        config.ensure_safe()?;
        Ok(config)
    }

    /// Where nobody is asked who they are only this machine may ask; unless somebody says otherwise.
    fn ensure_safe(&self) -> Result<(), Failure> {
        if self.is_insecure || self.entity.auth.mode == Mode::Jwt {
            return Ok(());
        }
        for (name, address) in self.listeners() {
            if address.ip().is_loopback() {
                continue;
            }
            let what = format!(
                "{name} {address} is reachable from other machines, and nobody is asked who they are"
            );
            let advice = format!(
                "use 127.0.0.1:{}, have users sign in with --auth jwt, or add --insecure if everybody who can reach it may do everything",
                address.port()
            );
            return Err(Failure::usage(what).advise(advice));
        }
        Ok(())
    }

    /// The listeners that everybody on other machines can use.
    pub(crate) fn open_listeners(&self) -> impl Iterator<Item = SocketAddr> {
        let is_open = self.entity.auth.mode == Mode::Mock;
        self.listeners().map(|it| it.1).filter(move |it| is_open && !it.ip().is_loopback())
    }

    /// The listeners where somebody is not asked who they are. Whoever sees metrics may have to
    /// show something.
    fn listeners(&self) -> impl Iterator<Item = (&'static str, SocketAddr)> {
        let metrics = self.metrics.filter(|_| self.metrics_bearer.is_none());
        let all = [("http", Some(self.http)), ("grpc", Some(self.grpc)), ("metrics", metrics)];
        all.into_iter().filter_map(|(name, address)| Some((name, address?)))
    }
}

impl FromStr for StoreAddress {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        match text.strip_prefix("sqlite:") {
            Some(":memory:") => Ok(Self::Temporary),
            Some(path) if !path.is_empty() => {
                Ok(Self::Sqlite { path: Path::new(path).to_owned(), is_default: false })
            }
            Some(_) | None => Err(()),
        }
    }
}

fn store(settings: &Settings) -> Result<StoreAddress, Failure> {
    let expected = "sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST:PORT/DATABASE";
    let address = settings.read(&catalog::STORE, expected)?;
    let by_default =
        settings.get(&catalog::STORE).is_some_and(|it| matches!(it.origin, Origin::Default));
    Ok(match address {
        StoreAddress::Sqlite { path, .. } => StoreAddress::Sqlite { path, is_default: by_default },
        StoreAddress::Temporary | StoreAddress::Postgres(_) => address,
    })
}

fn address(settings: &Settings, key: &Key) -> Result<Option<SocketAddr>, Failure> {
    let Some(setting) = settings.get(key) else { return Ok(None) };
    let text = setting.text.trim().replace("localhost:", "127.0.0.1:");
    text.parse().map(Some).map_err(|_| setting.refuse(ADDRESS))
}

/// The address of a listener that is always there.
fn listener(settings: &Settings, key: &Key) -> Result<SocketAddr, Failure> {
    let missing = || Failure::usage(format!("{} must be {ADDRESS}", key.path));
    address(settings, key)?.ok_or_else(missing)
}

fn bearer(settings: &Settings) -> Result<Option<Bearer>, Failure> {
    let bearer = optional(settings, &catalog::METRICS_BEARER).map(Bearer::new);
    let is_required: bool = settings.read(&catalog::METRICS_BEARER_REQUIRED, "true or false")?;
    match bearer.is_none() && is_required {
        true => {
            Err(Failure::usage("metrics_require_bearer is true, but there is no metrics_bearer")
                .advise(
                    "set WAYPOST_METRICS_BEARER, or WAYPOST_METRICS_BEARER_FILE to a file with it",
                ))
        }
        false => Ok(bearer),
    }
}

fn auto_migrate(settings: &Settings, store: &StoreAddress) -> Result<bool, Failure> {
    match store {
        StoreAddress::Sqlite { .. } => {
            settings.read(&catalog::SQLITE_AUTO_MIGRATE, "true or false")
        }
        StoreAddress::Postgres(_) => {
            settings.read(&catalog::POSTGRES_AUTO_MIGRATE, "true or false")
        }
        StoreAddress::Temporary => Ok(true),
    }
}

fn coercion(settings: &Settings) -> Result<Coercion, Failure> {
    let is_on = settings.read(&catalog::COERCION, "true or false")?;
    Ok(if is_on { Coercion::On } else { Coercion::Off })
}

/// Whoever has configured another way to hand out work must not find out at night.
fn ensure_polling(settings: &Settings) -> Result<(), Failure> {
    match settings.get(&catalog::DISPATCH).filter(|it| it.text.trim() != "polling") {
        None => Ok(()),
        Some(setting) => {
            let advice =
                "dispatch through Kafka is not built: have workers poll, over HTTP or gRPC";
            Err(setting.refuse("\"polling\"").advise(advice))
        }
    }
}

fn log_format(settings: &Settings) -> Result<LogFormat, Failure> {
    let setting = settings.get(&catalog::LOG_FORMAT);
    match setting.map_or("auto", |it| it.text.as_str()) {
        "auto" => Ok(LogFormat::Auto),
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err(setting.map_or_else(
            || Failure::usage("log.format is missing"),
            |it| it.refuse("auto, text or json"),
        )),
    }
}

/// A count that is not zero.
fn count(settings: &Settings, key: &Key) -> Result<usize, Failure> {
    match (settings.read(key, COUNT)?, settings.get(key)) {
        (0, Some(setting)) => Err(setting.refuse(COUNT)),
        (count, _) => Ok(count),
    }
}

fn limits(settings: &Settings) -> Result<HttpLimits, Failure> {
    Ok(HttpLimits {
        connections_max: count(settings, &catalog::CONNECTIONS)?,
        grpc_connections_max: count(settings, &catalog::GRPC_CONNECTIONS)?,
        requests_max: count(settings, &catalog::REQUESTS)?,
        claims_max: count(settings, &catalog::CLAIMS)?,
        writes_max: count(settings, &catalog::WRITES)?,
        subscribers_max: count(settings, &catalog::SUBSCRIBERS)?,
        body_max: count(settings, &catalog::BODY)?,
        request_timeout: Duration::from_millis(
            settings.read(&catalog::REQUEST_TIMEOUT, MILLISECONDS)?,
        ),
        ..HttpLimits::default()
    })
}

fn sqlite(settings: &Settings) -> Result<SqliteOptions, Failure> {
    Ok(SqliteOptions {
        queue_max: count(settings, &catalog::SQLITE_QUEUE)?,
        readers: count(settings, &catalog::SQLITE_READERS)?,
        ..SqliteOptions::default()
    })
}

fn postgres(settings: &Settings) -> Result<PostgresOptions, Failure> {
    let options = PostgresOptions {
        schema: settings.find(&catalog::POSTGRES_SCHEMA, "the name of a schema")?,
        lanes: count(settings, &catalog::POSTGRES_LANES)?,
        readers: count(settings, &catalog::POSTGRES_READERS)?,
        queue_max: count(settings, &catalog::POSTGRES_QUEUE)?,
        ..PostgresOptions::default()
    };
    let expected = "a whole number of at least 4";
    match settings.get(&catalog::POSTGRES_CONNECTIONS) {
        None => Ok(options),
        Some(setting) => match setting.read(expected)? {
            too_few if too_few < CONNECTIONS_MIN => Err(setting.refuse(expected)),
            most => Ok(within(options, most)),
        },
    }
}

/// Fewer of each, if there may be fewer altogether. One connection listens.
fn within(options: PostgresOptions, most: usize) -> PostgresOptions {
    let share = (most / CONNECTIONS_MIN).max(1);
    let (lanes, claimers) = (options.lanes.min(share), options.claimers.min(share));
    let readers = options.readers.min((most - 1 - lanes - claimers).max(1));
    PostgresOptions { lanes, claimers, readers, ..options }
}

fn outbox(settings: &Settings) -> Result<Option<Outbox>, Failure> {
    let text = |key| settings.get(key).map(|it| it.text.clone());
    match (text(&catalog::WEBHOOK), text(&catalog::NATS)) {
        (Some(_), Some(_)) => Err(Failure::usage("outbox.webhook and outbox.nats are both set")
            .advise("messages go to one place: keep one of the two")),
        (Some(url), None) => {
            let headers = settings.under(&["outbox", "headers"]);
            let named = headers.filter_map(|it| Some((it.path.last()?.clone(), it.text.clone())));
            Ok(Some(Outbox::Webhook { url, headers: named.collect() }))
        }
        (None, Some(url)) => {
            let subject = settings.read(&catalog::SUBJECT, "the subject to publish to")?;
            let has_jetstream = settings.read(&catalog::JETSTREAM, "true or false")?;
            Ok(Some(Outbox::Nats { url, subject, has_jetstream }))
        }
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use waypost_engine::entity::Rules;
    use waypost_server::{auth::AuthOptions, compute::ComputeOptions};

    use super::{super::Sources, *};

    fn config(flags: &[(Key, &str)]) -> Result<Config, String> {
        let flags = flags.iter().map(|(key, text)| (*key, (*text).to_owned())).collect();
        let sources = Sources { flags, ..Sources::default() };
        let settings = Settings::resolve(&sources).and_then(|it| Config::new(&it));
        settings.map_err(|failure| failure.to_string())
    }

    #[test]
    fn state_visits_that_make_no_sense_are_ignored() {
        let visits = |text| {
            config(&[(catalog::STATE_VISITS, text)]).map(|it| it.entity.rules.state_visits_max)
        };
        assert_eq!(visits("3"), Ok(3));
        assert_eq!(visits("0"), Ok(10));
        assert_eq!(visits("-1"), Ok(10));
        assert!(visits("many").is_err());
    }

    #[test]
    fn what_is_set_reaches_the_parts_of_entities() {
        let config = config(&[
            (catalog::LENIENT_TYPES, "true"),
            (catalog::STRICT_MODELS, "true"),
            (catalog::SEARCHES_KEPT, "11"),
            (catalog::RETRIES, "12"),
            (catalog::RETRIES_APART, "13"),
            (catalog::EXPIRY_GRACE, "18"),
            (catalog::TICKET_LIFE, "14"),
            (catalog::KEEP_ALIVE, "15"),
            (catalog::KEEP_ALIVE_TIMEOUT, "16"),
            (catalog::EXPIRY, "17"),
            (catalog::ISSUER, "us"),
            (catalog::AUDIENCE, "them"),
            (catalog::CLIENT_ROLES, "ROLE_A,ROLE_B"),
        ]);
        let entity = config.unwrap().entity;
        let (rules, compute, auth) = (entity.rules, entity.compute, entity.auth);
        assert!(!rules.strict_processor_types && rules.strict_workflow_models);
        assert_eq!(rules.pace.further_max, 12);
        let times = [
            (rules.searches_kept, 11),
            (rules.pace.apart, 13),
            (rules.expiry_grace, 18),
            (compute.ticket_life, 14),
            (compute.keep_alive_every, 15),
            (compute.keep_alive_timeout, 16),
            (auth.expiry, 17),
        ];
        for (time, milliseconds) in times {
            assert_eq!(time, Duration::from_millis(milliseconds));
        }
        assert_eq!((auth.issuer.as_str(), auth.audience.as_deref()), ("us", Some("them")));
        assert_eq!(auth.bootstrap.roles, ["ROLE_A", "ROLE_B"]);
    }

    #[test]
    fn the_defaults_are_the_defaults_of_the_parts() {
        let config = config(&[]).unwrap();
        assert_eq!(config.policy, Policy::default());
        assert_eq!(config.http, SocketAddr::from(([127, 0, 0, 1], 8080)));
        assert_eq!(config.grpc, SocketAddr::from(([127, 0, 0, 1], 9090)));
        assert_eq!(config.coercion, Coercion::default());
        assert_eq!(config.outbox, None);
        let debug = |it: &dyn std::fmt::Debug| format!("{it:?}");
        assert_eq!(debug(&config.limits), debug(&HttpLimits::default()));
        assert_eq!(debug(&config.entity.rules), debug(&Rules::default()));
        assert_eq!(debug(&config.entity.auth), debug(&AuthOptions::default()));
        assert_eq!(debug(&config.entity.compute), debug(&ComputeOptions::default()));
        assert!(config.entity.cluster.is_none());
        let context_path = waypost_server::EntityOptions::default().context_path;
        assert_eq!(config.entity.context_path, context_path);
        assert_eq!(debug(&config.sqlite), debug(&SqliteOptions::default()));
        assert_eq!(debug(&config.postgres), debug(&PostgresOptions::default()));
        assert_eq!(config.grace, waypost_server::Options::default().grace);
        let StoreAddress::Sqlite { is_default, .. } = config.store else { panic!("a file") };
        assert!(is_default);
    }

    #[test]
    fn a_listener_for_others_needs_a_word_of_consent() {
        let refused = config(&[(catalog::HTTP, "0.0.0.0:80")]).unwrap_err();
        assert!(refused.contains("add --insecure"), "{refused}");
        let refused = config(&[(catalog::METRICS, "[::]:80")]).unwrap_err();
        assert!(refused.starts_with("metrics [::]:80 is reachable"), "{refused}");
        let refused = config(&[(catalog::GRPC, "0.0.0.0:0")]).unwrap_err();
        assert!(refused.starts_with("grpc 0.0.0.0:0 is reachable"), "{refused}");
        let given = config(&[(catalog::HTTP, "0.0.0.0:80"), (catalog::INSECURE, "true")]).unwrap();
        assert_eq!(given.open_listeners().count(), 1);
        let asking = [
            (catalog::HTTP, "0.0.0.0:80"),
            (catalog::AUTH, "jwt"),
            (catalog::SIGNING_KEY, "a key"),
        ];
        assert_eq!(config(&asking).unwrap().open_listeners().count(), 0);
    }

    #[test]
    fn connections_are_shared_out() {
        let shared = |text| {
            config(&[(catalog::POSTGRES_CONNECTIONS, text)]).map(|it| {
                let PostgresOptions { lanes, readers, claimers, .. } = it.postgres;
                (lanes, readers, claimers)
            })
        };
        assert_eq!(shared("4"), Ok((1, 1, 1)));
        assert_eq!(shared("5"), Ok((1, 2, 1)));
        assert_eq!(shared("8"), Ok((2, 3, 2)));
        assert_eq!(shared("25"), Ok((2, 4, 4)));
        let refused = shared("3").unwrap_err();
        assert!(refused.contains("must be a whole number of at least 4"), "{refused}");
    }

    #[test]
    fn metrics_may_be_seen_from_elsewhere_by_who_shows_something() {
        let given = [(catalog::METRICS, "0.0.0.0:80"), (catalog::METRICS_BEARER, "sesame")];
        let config_given = config(&given).unwrap();
        assert!(!format!("{config_given:?}").contains("sesame"));
        let refused = config(&[(catalog::METRICS_BEARER_REQUIRED, "true")]).unwrap_err();
        assert!(refused.starts_with("metrics_require_bearer is true"), "{refused}");
    }

    #[test]
    fn stores_are_named_by_address() {
        for (text, expected) in [
            ("sqlite::memory:", Ok(StoreAddress::Temporary)),
            (
                "sqlite:a/b.db",
                Ok(StoreAddress::Sqlite { path: "a/b.db".into(), is_default: false }),
            ),
            ("postgres://h/d", Ok(StoreAddress::Postgres("postgres://h/d".into()))),
            ("sqlite:", Err(())),
            ("mysql://h/d", Err(())),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
    }

    #[test]
    fn a_wrong_store_does_not_give_its_password_away() {
        let refused = config(&[(catalog::STORE, "mysql://me:secret@h/d")]).unwrap_err();
        assert!(refused.contains("mysql://***@h/d"), "{refused}");
    }
}
