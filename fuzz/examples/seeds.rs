//! Writes the seeds that are made rather than kept into the corpus of their targets: `cargo run --example seeds` in
//! the folder `fuzz`.

use std::path::Path;

use ibid_fuzz::TARGETS;

fn main() -> std::io::Result<()> {
    for target in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            std::fs::write(folder.join(format!("made-{number}")), seed)?;
        }
    }
    Ok(())
}
