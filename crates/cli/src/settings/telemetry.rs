//! Where traces go, as whose, and how many of them.

use waypost_server::telemetry::{Collector, Export, Root, Sampler};

use super::{catalog, resolve::Settings};
use crate::exit::Failure;

const COLLECTOR: &str =
    "http://HOST:PORT, where a collector takes OTLP over gRPC, such as http://localhost:4317";
const SHARE: &str = "a number from 0 to 1, such as 0.1";

/// What is set about traces.
#[derive(Clone, Debug)]
pub(crate) struct TelemetryConfig {
    /// Nowhere, if absent.
    pub(crate) export: Option<Export>,
    /// Which of them, until somebody says otherwise.
    pub(crate) sampler: Sampler,
}

impl TelemetryConfig {
    pub(super) fn new(settings: &Settings) -> Result<Self, Failure> {
        let collector: Option<Collector> = settings.find(&catalog::OTLP, COLLECTOR)?;
        let service: String = settings.read(&catalog::TELEMETRY_SERVICE, "a name")?;
        let export = collector.map(|collector| Export { collector, service });
        let sampler = Sampler { root: root(settings)?, ..Sampler::default() };
        Ok(Self { export, sampler })
    }
}

/// A share of everything or of nothing has a name of its own.
fn root(settings: &Settings) -> Result<Root, Failure> {
    let share: f64 = settings.read(&catalog::TELEMETRY_SHARE, SHARE)?;
    match settings.get(&catalog::TELEMETRY_SHARE) {
        Some(setting) if !(0.0..=1.0).contains(&share) => Err(setting.refuse(SHARE)),
        Some(_) | None if share >= 1.0 => Ok(Root::Always),
        Some(_) | None if share > 0.0 => Ok(Root::Ratio(share)),
        Some(_) | None => Ok(Root::Never),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{key::Key, resolve::Sources},
        *,
    };

    fn telemetry(flags: &[(Key, &str)]) -> Result<TelemetryConfig, String> {
        let flags = flags.iter().map(|(key, text)| (*key, (*text).to_owned())).collect();
        let sources = Sources { flags, ..Sources::default() };
        let settings = Settings::resolve(&sources).and_then(|it| TelemetryConfig::new(&it));
        settings.map_err(|failure| failure.to_string())
    }

    #[test]
    fn traces_go_nowhere_unless_somebody_says_where() {
        let config = telemetry(&[]).unwrap();
        assert!(config.export.is_none());
        assert_eq!(config.sampler, Sampler::default());
        let export = telemetry(&[(catalog::OTLP, "http://c:4317")]).unwrap().export.unwrap();
        assert_eq!(
            (export.collector.to_string().as_str(), export.service.as_str()),
            ("http://c:4317", "waypost")
        );
    }

    #[test]
    fn a_collector_that_is_none_is_refused_by_name() {
        for wrong in ["c:4317", "https://c:4317", "http://c", "nonsense"] {
            let told = telemetry(&[(catalog::OTLP, wrong)]).unwrap_err();
            let expected =
                format!("telemetry.otlp is {wrong:?} (from a flag), but must be http://HOST:PORT");
            assert!(told.starts_with(&expected), "{told}");
        }
    }

    #[test]
    fn a_share_has_its_sampler() {
        let root = |text| telemetry(&[(catalog::TELEMETRY_SHARE, text)]).map(|it| it.sampler.root);
        assert_eq!(root("1"), Ok(Root::Always));
        assert_eq!(root("0"), Ok(Root::Never));
        assert_eq!(root("0.25"), Ok(Root::Ratio(0.25)));
        for wrong in ["1.5", "-0.1", "NaN", "all"] {
            let told = root(wrong).unwrap_err();
            assert!(told.contains("but must be a number from 0 to 1"), "{told}");
        }
    }
}
