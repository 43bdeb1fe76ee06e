# shellcheck shell=bash
# ./build.sh build and size: from sources to pkg/dist, target/site and the command. What has not changed is skipped.
set -Eeuo pipefail

# What stable Rust's wasm32-unknown-unknown has on by default, with SIMD: the tools must neither refuse nor lose it.
WASM_FEATURES=(--enable-simd --enable-bulk-memory --enable-bulk-memory-opt --enable-nontrapping-float-to-int
    --enable-sign-ext --enable-mutable-globals --enable-reference-types --enable-multivalue
    --enable-call-indirect-overlong)
# The module that pages search with, the one that answers questions, and the one that builds indexes in a worker or
# under Node. Each is made of the crate's feature that its name here stands for.
WASM_BUILT="$ROOT/target/wasm/ibid.wasm"
ASK_BUILT="$ROOT/target/wasm/ibid_ask.wasm"
BUILDER_BUILT="$ROOT/target/wasm/ibid_build.wasm"
DIST="$ROOT/pkg/dist"
SITE="$ROOT/target/site"
STAMPS="$ROOT/target/stamps"

build() {
    need_wasm_toolchain
    step "wasm: compile what searches" compile_wasm "$WASM_BUILT" search
    # What answers waits for a model and for searches, not for itself: compiled for size it is a sixth smaller.
    step "wasm: compile what answers" compile_wasm "$ASK_BUILT" ask z
    step "wasm: compile what builds" compile_wasm "$BUILDER_BUILT" builder
    if stale "$STAMPS/wasm" "$WASM_BUILT" "$ASK_BUILT" "$BUILDER_BUILT" "$ROOT/tools/build/make.sh" ||
        [[ ! -f "$DIST/wasm/ibid_bg.wasm" || ! -f "$DIST/wasm/ibid_ask_bg.wasm" ]] ||
        [[ ! -f "$DIST/wasm/ibid_build_bg.wasm" ]]; then
        step "wasm: bindings and wasm-opt" stamped "$STAMPS/wasm" finish_wasm
    fi
    if stale "$STAMPS/typescript" "$ROOT/pkg/src" "$ROOT"/pkg/*.json || [[ ! -f "$DIST/index.js" ]]; then
        step "pkg: TypeScript" stamped "$STAMPS/typescript" compile_typescript
    fi
    for model in query-table projection; do
        if stale "$DIST/$model.bin" "$ROOT/models/$model.bin"; then
            cp "$ROOT/models/$model.bin" "$DIST/$model.bin"
        fi
    done
    step "ibid: the command" compile_command
    if stale "$STAMPS/index" "$ROOT/docs" "$ROOT/www/handbook" "$ROOT/models" "$ROOT/target/release/ibid" ||
        [[ ! -f "$ROOT/target/site.ibid" ]]; then
        step "demo: index" stamped "$STAMPS/index" index_site
    fi
    if stale "$STAMPS/site" "$ROOT/www" "$DIST" "$ROOT/target/site.ibid" "$ROOT/tools/build/make.sh" ||
        [[ ! -f "$SITE/site.ibid" ]]; then
        step "demo: site" stamped "$STAMPS/site" assemble_site
    fi
}

# compile_wasm OUT FEATURE [OPT_LEVEL]
# The modules come out of one target folder, where they share all dependencies but also their name.
compile_wasm() {
    local out="$1" feature="$2" built="$ROOT/target/wasm32-unknown-unknown/release/ibid.wasm"
    cd "$ROOT"
    with_wasm env CARGO_PROFILE_RELEASE_OPT_LEVEL="${3:-3}" cargo build --locked --release --lib \
        --target wasm32-unknown-unknown --no-default-features --features "$feature"
    mkdir -p "$(dirname "$out")"
    cmp -s "$built" "$out" || cp "$built" "$out"
}

# Bindings first: wasm-bindgen has to see the module as the compiler left it. The name section, which only a debugger
# and `size --top` want, goes at the end.
finish_wasm() {
    local work="$ROOT/target/wasm-bindgen" name
    rm -rf "$work"
    mkdir -p "$DIST/wasm"
    for built in "$WASM_BUILT" "$ASK_BUILT" "$BUILDER_BUILT"; do
        name="$(basename "$built" .wasm)"
        wasm-bindgen --target web --out-dir "$work" "$built"
        wasm_opt "$work/${name}_bg.wasm" "$work/$name.opt.wasm" --strip-debug --strip-producers
        mv "$work/$name.opt.wasm" "$work/${name}_bg.wasm"
    done
    cp "$work"/ibid* "$DIST/wasm/"
}

# wasm_opt IN OUT FLAG...
# By gzip, -O3 and -Oz gave the same size within a hundredth when measured, so speed decides. To inline every function that is
# called once only, as is its default, makes functions so long that gzip finds little in them to repeat: the module that
# answers questions was a tenth larger by it.
wasm_opt() {
    local from="$1" to="$2"
    shift 2
    "$ROOT/tools/build/node_modules/.bin/wasm-opt" -O3 --one-caller-inline-max-function-size=20 \
        "${WASM_FEATURES[@]}" "$@" "$from" -o "$to"
}

compile_typescript() {
    # What an earlier version of the sources left behind must not be published.
    find "$DIST" -mindepth 1 -maxdepth 1 ! -name wasm ! -name "*.bin" -exec rm -rf {} +
    cd "$ROOT/pkg"
    npm run build
    # What is published or copied to a site carries its licences, the query table's included.
    cp "$ROOT/LICENSE-MIT" "$ROOT/LICENSE-APACHE" "$ROOT/models/NOTICE" "$DIST/"
}

compile_command() {
    cd "$ROOT"
    cargo build --locked --release --features cli --bin ibid
}

# Small passages, a section or a part of one each: a page of results is then read at a glance, and the query table
# finds them better than long ones.
index_site() {
    cd "$ROOT"
    target/release/ibid build docs www/handbook -o target/site.ibid.part --budget 120 --min-size 0
    mv target/site.ibid.part target/site.ibid
}

# The page, the package as `ibid/`, and the index: nothing but static files.
assemble_site() {
    local next="$ROOT/target/site.next"
    rm -rf "$next"
    cp -R "$ROOT/www" "$next"
    cp -R "$DIST" "$next/ibid"
    cp "$ROOT/target/site.ibid" "$next/site.ibid"
    rm -rf "$SITE"
    mv "$next" "$SITE"
}

# size [--top]: after a build.
size() {
    node "$ROOT/tools/build/size.mjs" "$SITE" "$ROOT/tests/size-budget.json" || exit 1
    [[ "${1:-}" == --top ]] || return 0
    # The same module optimized in the same way, but with its names.
    local work="$ROOT/target/wasm-names"
    step "wasm with names" name_wasm "$work"
    node "$ROOT/tools/build/weight.mjs" "$work/named.wasm"
}

name_wasm() {
    rm -rf "$1"
    wasm-bindgen --target web --out-dir "$1" "$WASM_BUILT"
    wasm_opt "$1/ibid_bg.wasm" "$1/named.wasm" --debuginfo
}
