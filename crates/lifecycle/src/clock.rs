//! The machine's clock, for programs that bring no other.

use waypost_kernel::{Clock, Timestamp};

/// Shows what the machine shows.
///
/// ```
/// use waypost_kernel::{Clock as _, Timestamp};
/// use waypost_lifecycle::SystemClock;
///
/// assert!(SystemClock.now() > Timestamp::EPOCH);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        Timestamp::EPOCH + since
    }
}
