//! How often and how soon a step is tried again, and other choices an operator makes.

use std::{collections::BTreeMap, time::Duration};

/// What every chain runs by: the present configuration, not what was in force when it started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Used where nothing more special is said.
    pub retry: Backoff,
    /// The same for some workflow types and their steps.
    pub types: BTreeMap<String, TypeRules>,
    pub lease_exhaustion: LeaseExhaustion,
    /// Whether an event nobody waits for yet is refused instead of kept.
    pub strict_signals: bool,
    /// Whether a wait that is past its deadline is handed to a worker.
    pub claim_timeouts: bool,
}

/// A complete rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    pub max_attempts: u32,
    pub base: Duration,
    pub max: Duration,
}

/// A rule that may leave things to the next more general one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetryRule {
    pub max_attempts: Option<u32>,
    pub base: Option<Duration>,
    pub max: Option<Duration>,
}

/// Rules of one workflow type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeRules {
    pub all: RetryRule,
    pub steps: BTreeMap<String, RetryRule>,
}

/// What becomes of a step whose workers keep disappearing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeaseExhaustion {
    /// It is claimable again each time, up to [`super::limits::LAPSES_MAX`] lost leases.
    #[default]
    Requeue,
    /// Lost leases count against the ceiling of attempts.
    MaxAttempts,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            retry: Backoff {
                max_attempts: 10,
                base: Duration::from_secs(1),
                max: Duration::from_secs(300),
            },
            types: BTreeMap::new(),
            lease_exhaustion: LeaseExhaustion::Requeue,
            strict_signals: false,
            claim_timeouts: true,
        }
    }
}

impl Policy {
    /// The ceiling of attempts a step gets when its chain starts.
    #[must_use]
    pub fn max_attempts(&self, workflow_type: &str, step_type: &str) -> u32 {
        self.resolve(workflow_type, step_type, |rule| rule.max_attempts)
            .unwrap_or(self.retry.max_attempts)
    }

    /// How long to wait before attempt `attempt` (counted from one) is followed by the next:
    /// doubled each time, up to the maximum.
    #[must_use]
    pub fn backoff(&self, workflow_type: &str, step_type: &str, attempt: u32) -> Duration {
        let base =
            self.resolve(workflow_type, step_type, |rule| rule.base).unwrap_or(self.retry.base);
        let max = self.resolve(workflow_type, step_type, |rule| rule.max).unwrap_or(self.retry.max);
        let doublings = attempt.saturating_sub(1).min(31);
        base.saturating_mul(1 << doublings).min(max)
    }

    /// The most special rule that says something: each value is looked up on its own.
    fn resolve<T>(
        &self,
        workflow_type: &str,
        step_type: &str,
        value: impl Fn(&RetryRule) -> Option<T>,
    ) -> Option<T> {
        let rules = self.types.get(workflow_type)?;
        rules.steps.get(step_type).and_then(&value).or_else(|| value(&rules.all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_up_to_the_maximum() {
        let retry = Backoff {
            max_attempts: 10,
            base: Duration::from_millis(1_000),
            max: Duration::from_millis(10_000),
        };
        let policy = Policy { retry, ..Policy::default() };
        let delays: Vec<_> =
            (0..=6).map(|attempt| policy.backoff("any", "ANY", attempt).as_millis()).collect();
        assert_eq!(delays, [1_000, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
        assert_eq!(policy.backoff("any", "ANY", u32::MAX).as_millis(), 10_000);
    }

    #[test]
    fn each_value_comes_from_the_most_special_rule_that_has_it() {
        let step = RetryRule { base: Some(Duration::from_secs(7)), ..RetryRule::default() };
        let all = RetryRule { max_attempts: Some(3), ..RetryRule::default() };
        let rules = TypeRules { all, steps: [("SHIP".to_owned(), step)].into() };
        let policy = Policy { types: [("order".to_owned(), rules)].into(), ..Policy::default() };
        assert_eq!(policy.max_attempts("order", "SHIP"), 3);
        assert_eq!(policy.max_attempts("other", "SHIP"), 10);
        assert_eq!(policy.backoff("order", "SHIP", 1).as_secs(), 7);
        assert_eq!(policy.backoff("order", "PACK", 1).as_secs(), 1);
    }

    #[test]
    fn a_maximum_of_zero_means_at_once() {
        let retry = Backoff { max: Duration::ZERO, ..Policy::default().retry };
        let policy = Policy { retry, ..Policy::default() };
        assert_eq!(policy.backoff("any", "ANY", 5), Duration::ZERO);
    }
}
