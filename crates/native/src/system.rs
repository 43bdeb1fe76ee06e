//! The command line's clock and environment, and how it waits.
#![expect(
    clippy::disallowed_methods,
    reason = "this is where the command line reaches clock and environment"
)]

use std::cell::Cell;
use std::fmt::Display;
use std::future::{Future, poll_fn};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ibid_platform::Clock;
use ibid_platform::Result;

thread_local! {
    /// The end of the earliest wait of the future that this thread polls.
    static EARLIEST: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Returns the system's words for an error, without the number that it adds to them.
pub fn in_words(error: &impl Display) -> String {
    let said = error.to_string();
    said.split_once(" (os error ").map_or(said.as_str(), |(words, _)| words).to_owned()
}

/// Waits, for those who are run by [`block_on`].
pub struct SystemClock;

impl Clock for SystemClock {
    async fn sleep(&self, duration: Duration) -> Result<()> {
        let begun = Instant::now();
        poll_fn(|_| {
            let left = duration.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Poll::Ready(Ok(()));
            }
            let end = Instant::now() + left.min(LONGEST_SLEEP);
            EARLIEST.set(Some(EARLIEST.get().map_or(end, |earliest| earliest.min(end))));
            Poll::Pending
        })
        .await
    }

    fn now(&self) -> f64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1000.0)
    }
}

/// The longest sleep of a thread before it looks again; longer waits might not be counted by a clock.
const LONGEST_SLEEP: Duration = Duration::from_hours(1);

/// Runs a future to its end. The thread sleeps until something wakes it or the earliest of the future's waits is over.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let signal = Arc::new(Signal { thread: std::thread::current(), woken: AtomicBool::new(false) });
    let waker = Waker::from(Arc::clone(&signal));
    let mut context = Context::from_waker(&waker);
    loop {
        // A future that is run by another one has waits of its own.
        let outer = EARLIEST.take();
        let polled = future.as_mut().poll(&mut context);
        let earliest = EARLIEST.replace(outer);
        if let Poll::Ready(output) = polled {
            return output;
        }
        signal.wait(earliest);
    }
}

/// Wakes one call of [`block_on`].
struct Signal {
    thread: Thread,
    woken: AtomicBool,
}

impl Signal {
    /// Returns when it is woken, and at the latest at the given time.
    fn wait(&self, until: Option<Instant>) {
        while !self.woken.swap(false, Ordering::AcqRel) {
            let Some(until) = until else {
                std::thread::park();
                continue;
            };
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::park_timeout(left);
        }
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Measures how long the parts of a command take.
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Reads the value of an environment variable; one that is set to nothing counts as not set.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Finds a place that is named from the program's folder, whatever link it was started by.
pub(crate) fn beside_program(place: &str) -> Option<PathBuf> {
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).ok()?;
    Some(program.parent()?.join(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_platform::call::within;

    #[test]
    fn the_earliest_wait_ends_and_what_comes_meanwhile_is_not_missed() {
        let wait = |ms| SystemClock.sleep(Duration::from_millis(ms));
        let hour = Duration::from_hours(1);
        let nothing = block_on(within(&SystemClock, Duration::from_millis(20), wait(3_600_000)));
        assert!(matches!(nothing, Ok(None)));
        let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
        let thread = std::thread::spawn(move || [1, 2, 3].map(|item| sender.blocking_send(item)));
        let come = block_on(within(&SystemClock, hour, async {
            // A future that is run inside of another takes nothing from it.
            block_on(wait(20)).unwrap();
            let mut come = Vec::new();
            while let Some(item) = receiver.recv().await {
                come.push(item);
            }
            come
        }));
        assert_eq!(come, Ok(Some(vec![1, 2, 3])));
        assert_eq!(thread.join().unwrap(), [Ok(()); 3]);
    }
}
