//! The rules for sending a refused or broken call again.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorCode};

/// The longest wait before a retry: a person waits.
const LONGEST: Duration = Duration::from_mins(1);

/// The way failures are retried: how often, and after how long.
///
/// Whether a failure may be retried at all is [`Error::is_retryable`](crate::Error::is_retryable): HTTP 408, 409, 429
/// and 5xx and network failures are, a used-up quota is not. The driver adds that nothing is retried once text of
/// the reply has been shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RetryPolicy {
    /// The number of times a call is sent again after its first failure; 2 by default, 0 for never.
    pub max_retries: u32,
    /// The wait before the first retry in milliseconds, doubled before each further one; 2,000 by default.
    pub initial_delay_ms: u64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_retries: 2, initial_delay_ms: 2000 }
    }
}

impl RetryPolicy {
    /// Returns the wait before retry number `attempt` (from 1), or `None` if there are to be no more.
    ///
    /// `asked` is what the provider asked for in its response. Where that is more than 60 seconds there is no retry:
    /// one before its time would be refused again, and a person waits. No other wait is longer either.
    pub fn delay(&self, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
        if attempt == 0 || attempt > self.max_retries {
            return None;
        }
        let factor = 1_u64.checked_shl(attempt - 1).unwrap_or(u64::MAX);
        let own = Duration::from_millis(self.initial_delay_ms.saturating_mul(factor)).min(LONGEST);
        Some(asked.unwrap_or(own)).filter(|delay| *delay <= LONGEST)
    }

    /// Returns the wait before retry number `attempt` (from 1) of what failed with this error, or `None` when there is
    /// to be none: the error will not pass, the caller gave up, or it was tried often enough. A wait that nobody
    /// asked for is longer by up to a quarter, by `jitter` from 0 to 1, so that many clients do not come back at the
    /// same moment.
    pub fn after(&self, error: &Error, attempt: u32, jitter: f64) -> Option<Duration> {
        let may_retry = error.is_retryable() && error.code() != ErrorCode::Aborted;
        let asked = error.retry_after();
        let delay = self.delay(attempt, asked).filter(|_| may_retry)?;
        let longer = || delay.mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 4.0).min(LONGEST);
        Some(if asked.is_some() { delay } else { longer() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_end() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.delay(1, None), Some(Duration::from_secs(2)));
        assert_eq!(policy.delay(2, None), Some(Duration::from_secs(4)));
        assert_eq!(policy.delay(3, None), None);
        assert_eq!(RetryPolicy { max_retries: 0, ..policy }.delay(1, None), None);
        let endless = RetryPolicy { max_retries: u32::MAX, initial_delay_ms: u64::MAX };
        assert_eq!(endless.delay(4_000_000, None), Some(Duration::from_mins(1)));
    }

    #[test]
    fn what_the_provider_asks_is_honoured_up_to_a_minute() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.delay(1, Some(Duration::ZERO)), Some(Duration::ZERO));
        assert_eq!(policy.delay(1, Some(Duration::from_millis(1500))), Some(Duration::from_millis(1500)));
        assert_eq!(policy.delay(2, Some(Duration::from_mins(1))), Some(Duration::from_mins(1)));
        assert_eq!(policy.delay(2, Some(Duration::from_secs(61))), None);
        let slow = RetryPolicy { max_retries: 1, initial_delay_ms: 90_000 };
        assert_eq!(slow.delay(1, Some(Duration::from_secs(80))), None);
        let failed = Error::new(ErrorCode::ProviderRateLimit, "").retryable();
        assert_eq!(slow.after(&failed, 1, 1.0), Some(Duration::from_mins(1)));
        assert_eq!(slow.after(&failed.with_retry_after(Some(Duration::from_hours(11))), 1, 0.0), None);
    }
}
