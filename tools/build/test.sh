# shellcheck shell=bash
# ./build.sh test: checks and tests, each counted, none stopping the others. With --all, those that find something least often.
set -Eeuo pipefail

RESULTS="$LOGS/results"
FAILED="$LOGS/failed"

# Lines of the logs that count tests; `soak` sets its own.
COUNTS='^(test result: |running [0-9]+ tests?$| +Summary |# (tests|pass|fail) |ℹ (tests|pass|fail) | +[0-9]+ (passed|flaky)| +[0-9]+\) .* › )'

# Lines of the logs that name a test that failed: Playwright's, Node's, nextest's, the browser boundary's.
FAILURES='^ +[0-9]+\) |^ *✖ .* \([0-9.]+ms\)|^ +FAIL \[|^test .* (FAIL|FAILED)|^error(\[|:)'

# check NAME COMMAND...: runs it, and shows the lines that count tests. Results go to a file, since checks run side by side.
check() {
    logged "test: $1" "${@:2}"
    if [[ $STATUS -eq 0 ]]; then
        grep -aE "$COUNTS" "$LOG" | sort | uniq -c | sed 's/^ *1 /    /; s/^ *\([0-9]\+\) /    \1 x /' >&3 || true
        printf 'ok      %5d s  %s\n' "$TOOK" "$1" >>"$RESULTS"
    else
        printf 'FAILED  %5d s  %s (status %d, log %s)\n' "$TOOK" "$1" "$STATUS" "${LOG#"$ROOT/"}" >>"$RESULTS"
        grep -aE "$FAILURES" "$LOG" | sort -u | head -n 20 | sed "s/^ */    $1: /" >>"$FAILED" || true
    fi
}

clear_results() {
    : >"$RESULTS"
    : >"$FAILED"
}

# Tells how all checks ended; status 1 if one has failed.
results() {
    say ""
    sort "$RESULTS" >&3
    say "the longest:"
    sort -rn "$TIMES" | head -n 10 | sed 's/^/    /' >&3
    say "all in $SECONDS s"
    if [[ -s "$FAILED" ]]; then
        say "what failed:"
        cat "$FAILED" >&3
    fi
    printf '%d passed, %d failed\n' "$(grep -c '^ok' "$RESULTS" || true)" "$(grep -c '^FAILED' "$RESULTS" || true)"
    ! grep -q '^FAILED' "$RESULTS" || exit 1
}

# run_tests [--all]: two lanes, what compiles natively, and what runs in browsers and Node, which waits more than it computes.
run_tests() {
    ALL="${1:-}"
    # Tests that need the packed model must not pass by skipping themselves.
    export IBID_REQUIRE_MODEL=1
    setup_build
    setup_tests
    # A clean checkout compiles each crate once: what would make the next time faster only fills the disk.
    if [[ -n "${CI:-}" ]]; then export CARGO_INCREMENTAL=0; fi
    if [[ -n "$ALL" ]]; then
        export IBID_TEST_ALL=1 IBID_MUTATIONS=100000 IBID_FUZZ_INPUTS=15000
        node_packages tests/packaging/frameworks
        cargo_tool mdbook mdbook "$MDBOOK_VERSION" --locked
        install_deny
        setup_webkit
    fi
    build
    setup_multilingual
    pack
    clear_results
    beside native_checks
    browser_checks
    join
    results
}

native_checks() {
    check "formatting" cargo fmt --all --check
    check "lints, native" cargo clippy --locked --workspace --all-targets -- -D warnings
    check "Rust tests" rust_tests
    check "documentation examples" cargo test --locked --workspace --doc
    check "documentation builds" env RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps
    [[ -n "$ALL" ]] || return 0
    check "licences" cargo deny --all-features check bans licenses sources
    # Packages all crates as for the registry; they have been compiled by then.
    check "crates can be published" cargo publish --dry-run --workspace --no-verify --allow-dirty
}

browser_checks() {
    check "shell scripts" shellcheck -x build.sh .ci/run tools/build/*.sh tests/real-llm/*.sh
    check "guides against the code" node --test tests/docs/docs.test.mjs
    check "size budget" size
    check "TypeScript and styles" npm_run pkg check
    check "TypeScript tests" npm_run pkg test
    check "MCP with the official client" npm_run tests/mcp test
    check "browser test harness" npm_run tests/e2e check
    check "the built package under Node" npm_run tests/e2e test:node
    check "the page in Chromium" npm_run tests/e2e test
    check "the package under bundlers" npm_run tests/packaging "test${ALL:+:all}"
    check "sites of common generators" node --test tests/sites/sites.test.mjs tests/sites/settings.test.mjs tests/sites/versions.test.mjs
    check "lints, wasm32" wasm_lints
    check "boundary in Chromium" boundary chrome --chromedriver "$(command -v chromedriver)"
    check "boundary in Firefox" boundary firefox --geckodriver "$TOOLS/bin/geckodriver"
    [[ -n "$ALL" ]] || return 0
    check "the demo in WebKitGTK" node --test tests/webkit/webkit.test.mjs
}

# The modules, all that they are made of, and the boundary's tests; the other tests run natively.
wasm_lints() {
    with_wasm cargo clippy --locked --target wasm32-unknown-unknown -p ibid --lib --test web -p ibid-web -- -D warnings
}

rust_tests() {
    # The gate draws the same inputs in each run, those of --all are new.
    [[ -n "$ALL" ]] || export PROPTEST_RNG_SEED=1
    if cargo nextest --version >/dev/null 2>&1; then
        cargo nextest run --locked --workspace --no-fail-fast
    else
        cargo test --locked --workspace --lib --bins --tests --no-fail-fast
    fi
}

npm_run() {
    cd "$1"
    npm run --silent "$2"
}

# boundary BROWSER FLAG...: the tests in tests/web.rs, in a real browser. The driver's settings, for Chromium as root
# too, are in webdriver.json.
boundary() {
    local browser="$1" scratch ran
    shift
    # The runner kills the driver, which leaves the browser's profile behind.
    scratch="$(mktemp -d)"
    TMPDIR="$scratch" WASM_BINDGEN_TEST_TIMEOUT=120 WASM_BINDGEN_TEST_DRIVER_TIMEOUT=60 \
        with_wasm timeout 1200 wasm-pack test --headless "--$browser" "$@" -- --test web 2>&1 | tee "$scratch/output"
    # A run in which no test reached the browser would be green as well.
    ran="$(grep -cE '^test result: ok\. [1-9][0-9]* passed' "$scratch/output" || true)"
    rm -rf "$scratch"
    [[ "$ran" -gt 0 ]] || {
        echo "no test ran in $browser"
        return 1
    }
}

# Its build folder would fill the disk.
install_deny() {
    cargo_tool cargo-deny cargo-deny "$CARGO_DENY_VERSION" --locked
    rm -rf "$TOOLS/compile"
}
