//! The command line's clock and environment.
#![expect(
    clippy::disallowed_methods,
    reason = "this is where the command line reaches clock and environment"
)]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::error::Result;
use crate::platform::Clock;

/// Waits by putting the thread to sleep.
pub(super) struct SystemClock;

impl Clock for SystemClock {
    async fn sleep(&self, duration: Duration) -> Result<()> {
        std::thread::sleep(duration);
        Ok(())
    }

    fn now(&self) -> f64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1000.0)
    }
}

/// Measures how long the parts of a command take.
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The value of an environment variable; one that is set to nothing counts as not set.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
