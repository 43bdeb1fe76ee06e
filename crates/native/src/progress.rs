//! Lines on stderr that show how far a step is: one that is rewritten in place on a terminal, one every two seconds in a
//! log.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use crate::system::{Stopwatch, SystemClock, block_on};
use ibid_platform::Clock;

/// The time from one line to the next, where lines stay.
const IN_A_LOG: Duration = Duration::from_secs(2);
/// The same where each takes the place of the one before, and the time between two looks at what is to be shown.
const ON_A_TERMINAL: Duration = Duration::from_millis(100);
/// Before this, a rate is a guess.
const FIRST_RATE: Duration = Duration::from_secs(1);

/// The steps that are under way; the last one is shown.
static STEPS: Mutex<Vec<Arc<Step>>> = Mutex::new(Vec::new());
/// True while a line stands on the terminal that the next one takes the place of.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// The progress of a step, which a thread of its own shows. The line goes when it is dropped.
pub struct Progress(Arc<Step>);

struct Step {
    /// The word for what is done, such as `embedding`.
    name: String,
    /// The things it is done with, such as `passages`.
    unit: &'static str,
    /// Their number; 0 if they are not counted.
    total: usize,
    done: AtomicUsize,
    clock: Stopwatch,
}

impl Progress {
    /// Begins a step whose parts nobody counts.
    pub fn uncounted(step: &str) -> Self {
        Self::new(step, 0, "")
    }

    /// Begins a step of `total` things of a kind.
    pub fn new(step: &str, total: usize, unit: &'static str) -> Self {
        static SHOWN: Once = Once::new();
        // Without the thread, the work goes on all the same.
        SHOWN.call_once(|| drop(std::thread::Builder::new().spawn(show)));
        let (name, done) = (step.to_owned(), AtomicUsize::new(0));
        let step = Arc::new(Step { name, unit, total, done, clock: Stopwatch::start() });
        steps().push(Arc::clone(&step));
        Self(step)
    }

    /// Counts things that were done.
    pub fn advance(&self, count: usize) {
        self.0.done.fetch_add(count, Ordering::Relaxed);
    }

    /// Says how many are done in all.
    pub fn set(&self, done: usize) {
        self.0.done.store(done, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let mut steps = steps();
        steps.retain(|step| !Arc::ptr_eq(step, &self.0));
        clear_line();
    }
}

impl Step {
    fn line(&self, since: Duration) -> String {
        let Self { name, unit, total, .. } = self;
        if *total == 0 {
            return format!("{name}, {}", duration(since.as_secs()));
        }
        let done = self.done.load(Ordering::Relaxed);
        let line = format!("{name} {} of {} {unit}", grouped(done), grouped(*total));
        let rate = done as f64 / since.as_secs_f64();
        if done > 0 && since >= FIRST_RATE {
            let shown = if rate < 10.0 { format!("{rate:.1}") } else { grouped(rate as usize) };
            let left = total.saturating_sub(done) as f64 / rate;
            return format!("{line}, {shown} a second, {} left", duration(left.round() as u64));
        }
        line
    }
}

fn steps() -> MutexGuard<'static, Vec<Arc<Step>>> {
    STEPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows the present step again and again, as long as the program runs.
fn show() {
    let is_terminal = std::io::stderr().is_terminal();
    let mut shown = Stopwatch::start();
    while block_on(SystemClock.sleep(ON_A_TERMINAL)).is_ok() {
        if !is_terminal && shown.elapsed() < IN_A_LOG {
            continue;
        }
        let steps = steps();
        let Some(line) = steps.last().map(|step| step.line(step.clock.elapsed())) else { continue };
        shown = Stopwatch::start();
        // Nobody is looking where stderr is closed.
        let _ = if is_terminal {
            IS_SHOWN.store(true, Ordering::Relaxed);
            write!(std::io::stderr(), "\r\x1b[2K{line}")
        } else {
            writeln!(std::io::stderr(), "{line}")
        };
    }
}

/// Writes a line that stays, over one that shows a step.
pub(crate) fn write_line(line: &str) {
    let _steps = steps();
    clear_line();
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn clear_line() {
    if IS_SHOWN.swap(false, Ordering::Relaxed) {
        let _ = write!(std::io::stderr(), "\r\x1b[2K");
    }
}

/// Writes a number with commas between its thousands.
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
        let line = |done, seconds| {
            bar.set(done);
            bar.0.line(Duration::from_secs_f64(seconds))
        };
        assert_eq!(line(0, 5.0), "embedding 0 of 3,038 passages");
        assert_eq!(line(64, 0.9), "embedding 64 of 3,038 passages");
        assert_eq!(line(1200, 14.0), "embedding 1,200 of 3,038 passages, 85 a second, 21 s left");
        assert_eq!(line(64, 20.0), "embedding 64 of 3,038 passages, 3.2 a second, 15 min 29 s left");
        assert_eq!(line(3, 20.0), "embedding 3 of 3,038 passages, 0.1 a second, 5 h 37 min left");
        assert_eq!(line(3038, 20.0), "embedding 3,038 of 3,038 passages, 151 a second, 0 s left");
        let uncounted = Progress::uncounted("indexing");
        assert_eq!(uncounted.0.line(Duration::from_secs(75)), "indexing, 1 min 15 s");
    }

    #[test]
    fn thousands_are_set_apart() {
        let all: Vec<String> = [0, 999, 1000, 56_789, 1_234_567].map(grouped).into();
        assert_eq!(all, ["0", "999", "1,000", "56,789", "1,234,567"]);
    }
}
