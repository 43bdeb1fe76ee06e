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

/// Returns a bar for the bytes of a download, behind a prefix and a message.
pub fn progress_of_bytes() -> ProgressBar {
    let template = "{prefix} {msg} {bar:30} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
