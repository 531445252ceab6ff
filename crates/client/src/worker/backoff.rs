//! Pauses that grow while a server is away, and differ so that workers do not come back as one.

use std::time::Duration;

use uuid::Uuid;

const FIRST: Duration = Duration::from_millis(100);
const MOST: Duration = Duration::from_secs(30);

/// The pauses since it last went well.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    pause: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { pause: FIRST }
    }
}

impl Backoff {
    /// The next pause: twice the one before, a fifth more or less, half a minute at the most.
    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.pause;
        self.pause = (pause * 2).min(MOST);
        let chance = u32::try_from(Uuid::new_v4().as_u128() % 401).unwrap_or(200);
        (pause * (800 + chance) / 1_000).min(MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_within_a_fifth_up_to_half_a_minute() {
        let mut backoff = Backoff::default();
        for n_before in 0..20_u32 {
            let plain = (FIRST * 2_u32.pow(n_before.min(9))).min(MOST);
            let pause = backoff.next();
            assert!(pause >= plain * 4 / 5 && pause <= plain * 6 / 5, "{n_before}: {pause:?}");
            assert!(pause <= MOST, "{pause:?}");
        }
    }

    #[test]
    fn workers_do_not_come_back_as_one() {
        let pauses: std::collections::BTreeSet<_> =
            (0..50).map(|_| Backoff::default().next()).collect();
        assert!(pauses.len() > 10, "{pauses:?}");
    }
}
