//! Writes the tables of rules and words without their comments and blank lines, which each module would carry along.
#![allow(clippy::disallowed_methods, reason = "a build reads its sources and writes what it makes of them")]

use std::path::Path;
use std::{env, fs, io};

/// The tables, in `src/`.
const TABLES: [&str; 13] = [
    "cite/extract/words.txt",
    "cite/verify/words.txt",
    "guard/injection/requests.txt",
    "guard/injection/rules.txt",
    "guard/intent/rules.txt",
    "guard/markup.txt",
    "guard/pii/rules/address.txt",
    "guard/pii/rules/cues.txt",
    "guard/pii/rules/forms.txt",
    "guard/pii/rules/names.txt",
    "guard/pii/rules/numbers.txt",
    "guard/pii/rules/people.txt",
    "guard/pii/rules/words.txt",
];

fn main() -> io::Result<()> {
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    for table in TABLES {
        let source = Path::new("src").join(table);
        println!("cargo::rerun-if-changed={}", source.display());
        let text = fs::read_to_string(source)?;
        let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let lines: Vec<&str> = text.lines().filter(is_said).collect();
        fs::write(Path::new(&folder).join(table.replace('/', "-")), format!("\n{}\n", lines.join("\n")))?;
    }
    Ok(())
}
