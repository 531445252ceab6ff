//! What chains run by, out of the configuration.

use std::{collections::BTreeMap, time::Duration};

use waypost_engine::chain::{LeaseExhaustion, Policy, RetryRule, TypeRules};
use waypost_machines::chain::Backoff;

use super::{
    catalog,
    resolve::{Setting, Settings},
};
use crate::exit::Failure;

const COUNT: &str = "a whole number such as 10";
const MILLISECONDS: &str = "a whole number of milliseconds such as 1000";
const BOOLEAN: &str = "true or false";

pub(super) fn policy(settings: &Settings) -> Result<Policy, Failure> {
    let retry = Backoff {
        max_attempts: settings.read(&catalog::MAX_ATTEMPTS, COUNT)?,
        base: Duration::from_millis(settings.read(&catalog::BASE_BACKOFF, MILLISECONDS)?),
        max: Duration::from_millis(settings.read(&catalog::MAX_BACKOFF, MILLISECONDS)?),
    };
    Ok(Policy {
        retry,
        types: types(settings)?,
        lease_exhaustion: lease_exhaustion(settings)?,
        strict_signals: settings.read(&catalog::STRICT_SIGNALS, BOOLEAN)?,
        claim_timeouts: settings.read(&catalog::CLAIM_TIMEOUTS, BOOLEAN)?,
    })
}

fn lease_exhaustion(settings: &Settings) -> Result<LeaseExhaustion, Failure> {
    let setting = settings.get(&catalog::LEASE_EXHAUSTION);
    match setting.map(|it| it.text.as_str()) {
        None | Some("requeue") => Ok(LeaseExhaustion::Requeue),
        Some("max-attempts") => Ok(LeaseExhaustion::MaxAttempts),
        Some(_) => Err(setting.map_or_else(
            || Failure::usage("lease_exhaustion is missing"),
            |it| it.refuse("\"requeue\" or \"max-attempts\""),
        )),
    }
}

fn types(settings: &Settings) -> Result<BTreeMap<String, TypeRules>, Failure> {
    let mut types: BTreeMap<String, TypeRules> = BTreeMap::new();
    for setting in settings.under(&["chain", "types"]) {
        let path: Vec<&str> = setting.path.iter().skip(2).map(String::as_str).collect();
        match path.as_slice() {
            [name, field] => {
                set(&mut types.entry((*name).into()).or_default().all, field, setting)?;
            }
            [name, "steps", step, field] => {
                let steps = &mut types.entry((*name).into()).or_default().steps;
                set(steps.entry((*step).into()).or_default(), field, setting)?;
            }
            _ => {}
        }
    }
    Ok(types)
}

fn set(rule: &mut RetryRule, field: &str, setting: &Setting) -> Result<(), Failure> {
    let milliseconds = || setting.read(MILLISECONDS).map(Duration::from_millis).map(Some);
    match field {
        "max_attempts" => rule.max_attempts = Some(setting.read(COUNT)?),
        "base_backoff_ms" => rule.base = milliseconds()?,
        "max_backoff_ms" => rule.max = milliseconds()?,
        _ => {}
    }
    Ok(())
}
