//! Bars on the terminal that show how far a step is.

use indicatif::{ProgressBar, ProgressStyle};

/// Returns a bar for `count` things of a kind, such as `files`, behind the word for what is done with them.
pub fn progress(step: &str, count: usize, unit: &str) -> ProgressBar {
    let style =
        ProgressStyle::with_template(&format!("{{prefix}} {{bar:40}} {{pos}}/{{len}} {unit}, {{eta}} left"));
    ProgressBar::new(count as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_prefix(step.to_owned())
}
