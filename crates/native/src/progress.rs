//! A line on stderr that shows how far a step is: rewritten in place on a terminal, one now and then in a log.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::system::Stopwatch;

/// The time from one line to the next, where lines stay.
const IN_A_LOG: Duration = Duration::from_secs(10);
/// The same where each takes the place of the one before.
const ON_A_TERMINAL: Duration = Duration::from_millis(100);
/// Before this, a rate is a guess.
const FIRST_RATE: Duration = Duration::from_secs(1);

/// True while a line stands on the terminal that the next one takes the place of.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// The progress of a step. Threads may share it; the line goes when it is dropped.
pub struct Progress {
    /// The word for what is done, such as `embedding`.
    step: String,
    /// The things it is done with, such as `passages`.
    unit: &'static str,
    total: usize,
    clock: Stopwatch,
    is_terminal: bool,
    state: Mutex<ProgressState>,
}

#[derive(Default)]
struct ProgressState {
    done: usize,
    /// The time a line was last shown.
    shown: Duration,
}

impl Progress {
    /// Begins a step of `total` things of a kind.
    pub fn new(step: &str, total: usize, unit: &'static str) -> Self {
        Self {
            step: step.to_owned(),
            unit,
            total,
            clock: Stopwatch::start(),
            is_terminal: std::io::stderr().is_terminal(),
            state: Mutex::default(),
        }
    }

    /// Counts things that were done.
    pub fn advance(&self, count: usize) {
        self.show(|done| done + count);
    }

    /// Says how many are done in all.
    pub fn set(&self, done: usize) {
        self.show(|_| done);
    }

    fn show(&self, done: impl FnOnce(usize) -> usize) {
        let now = self.clock.elapsed();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.done = done(state.done);
        if now.saturating_sub(state.shown) < if self.is_terminal { ON_A_TERMINAL } else { IN_A_LOG } {
            return;
        }
        state.shown = now;
        let line = self.line(state.done, now);
        let written = if self.is_terminal {
            IS_SHOWN.store(true, Ordering::Relaxed);
            write!(std::io::stderr(), "\r\x1b[2K{line}")
        } else {
            writeln!(std::io::stderr(), "{line}")
        };
        // Nobody is looking where stderr is closed.
        let _ = written;
    }

    fn line(&self, done: usize, since: Duration) -> String {
        let Self { step, unit, total, .. } = self;
        let line = format!("{step} {} of {} {unit}", grouped(done), grouped(*total));
        let rate = done as f64 / since.as_secs_f64();
        if done > 0 && since >= FIRST_RATE {
            let shown = if rate < 10.0 { format!("{rate:.1}") } else { grouped(rate as usize) };
            let left = total.saturating_sub(done) as f64 / rate;
            return format!("{line}, {shown} a second, {} left", duration(left.round() as u64));
        }
        line
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        clear_line();
    }
}

/// Takes the line away, so that another one can stay.
pub(crate) fn clear_line() {
    if IS_SHOWN.swap(false, Ordering::Relaxed) {
        let _ = write!(std::io::stderr(), "\r\x1b[2K");
    }
}

/// A number with commas between its thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_what_is_done_and_what_is_left() {
        let bar = Progress::new("embedding", 3038, "passages");
        let line = |done, seconds| bar.line(done, Duration::from_secs_f64(seconds));
        assert_eq!(line(0, 5.0), "embedding 0 of 3,038 passages");
        assert_eq!(line(64, 0.9), "embedding 64 of 3,038 passages");
        assert_eq!(line(1200, 14.0), "embedding 1,200 of 3,038 passages, 85 a second, 21 s left");
        assert_eq!(line(64, 20.0), "embedding 64 of 3,038 passages, 3.2 a second, 15 min 29 s left");
        assert_eq!(line(3, 20.0), "embedding 3 of 3,038 passages, 0.1 a second, 5 h 37 min left");
        assert_eq!(line(3038, 20.0), "embedding 3,038 of 3,038 passages, 151 a second, 0 s left");
    }

    #[test]
    fn thousands_are_set_apart() {
        let all: Vec<String> = [0, 999, 1000, 56_789, 1_234_567].map(grouped).into();
        assert_eq!(all, ["0", "999", "1,000", "56,789", "1,234,567"]);
    }
}
