# shellcheck shell=bash
# ./build.sh test: checks and tests, each counted, none stopping the others. With --all, those that find something least often.
set -Eeuo pipefail

RESULTS="$LOGS/results"

# check NAME COMMAND...: runs with the output in a log, shows the lines that count tests, and the end of the log when
# the command fails. Results go to a file, since checks run side by side.
check() {
    local name="$1" started="$SECONDS" status log
    shift
    log="$LOGS/test-${name//[^A-Za-z0-9.]/-}.log"
    say "==> test: $name"
    set +e
    (set -e; "$@") >"$log" 2>&1 </dev/null
    status=$?
    set -e
    timed "$started" "test: $name"
    if [[ $status -eq 0 ]]; then
        say "    done: $name, $((SECONDS - started)) s"
        grep -aE '^(test result: |running [0-9]+ tests?$| +Summary |# (tests|pass|fail) |ℹ (tests|pass|fail) | +[0-9]+ passed)' "$log" |
            sort | uniq -c | sed 's/^ *1 /    /; s/^ *\([0-9]\+\) /    \1 x /' >&3 || true
        printf 'ok      %5d s  %s\n' $((SECONDS - started)) "$name" >>"$RESULTS"
    else
        tail -n 120 "$log" >&3
        printf 'FAILED  %5d s  %s (status %d, log %s)\n' $((SECONDS - started)) "$name" "$status" "${log#"$ROOT/"}" >>"$RESULTS"
    fi
}

# Two lanes: what compiles natively, and what runs in browsers and Node, which waits more than it computes.
# run_tests [--all]
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
    fi
    say "    set up after $SECONDS s"
    build
    setup_multilingual
    pack
    say "    built and packed after $SECONDS s"
    : >"$RESULTS"
    beside native_checks
    browser_checks
    join
    say ""
    sort "$RESULTS" >&3
    say "the longest:"
    sort -rn "$TIMES" | head -n 10 | sed 's/^/    /' >&3
    say "all in $SECONDS s"
    local passed failed
    passed="$(grep -c '^ok' "$RESULTS" || true)"
    failed="$(grep -c '^FAILED' "$RESULTS" || true)"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [[ $failed -eq 0 && $passed -gt 0 ]] || exit 1
}

native_checks() {
    check "formatting" cargo fmt --all --check
    check "lints, native" native_lints
    check "Rust tests" rust_tests
    check "documentation examples" doc_tests
    check "documentation builds" build_docs
    [[ -n "$ALL" ]] || return 0
    check "licences" deny_check
    check "crates can be published" publish_check
}

browser_checks() {
    check "shell scripts" shell_scripts
    check "guides against the code" node --test "$ROOT/tests/docs/docs.test.mjs"
    check "size budget" size
    check "TypeScript and styles" npm_run pkg check
    check "TypeScript tests" npm_run pkg test
    check "MCP with the official client" npm_run tests/mcp test
    check "browser test harness" npm_run tests/e2e check
    check "the built package under Node" npm_run tests/e2e test:node
    check "the page in Chromium" npm_run tests/e2e test
    check "the package under bundlers" npm_run tests/packaging "test${ALL:+:all}"
    check "sites of common generators" node --test "$ROOT/tests/sites/sites.test.mjs"
    check "lints, wasm32" wasm_lints
    check "boundary in Chromium" boundary chrome --chromedriver "$(command -v chromedriver)"
    check "boundary in Firefox" boundary firefox --geckodriver "$TOOLS/bin/geckodriver"
}

shell_scripts() { shellcheck -x "$ROOT/build.sh" "$ROOT/.ci/run" "$ROOT"/tools/build/*.sh "$ROOT"/tests/real-llm/*.sh; }

native_lints() { cargo clippy --locked --workspace --all-targets -- -D warnings; }

# Packages all crates as for the registry; they have been compiled by then.
publish_check() { cargo publish --dry-run --workspace --no-verify --allow-dirty; }

# The modules, all that they are made of, and the boundary's tests; the other tests run natively.
wasm_lints() {
    with_wasm cargo clippy --locked --target wasm32-unknown-unknown -p ibid --lib --test web -p ibid-web -p ibid-web-search \
        -p ibid-web-ask -p ibid-web-build -p ibid-web-engines -p ibid-web-stem -- -D warnings
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

doc_tests() { cargo test --locked --workspace --doc; }

build_docs() { RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps; }

npm_run() {
    cd "$ROOT/$1"
    npm run --silent "$2"
}

# boundary BROWSER FLAG...: the tests in tests/web.rs, in a real browser. The driver's settings, for Chromium as root
# too, are in webdriver.json.
boundary() {
    local browser="$1" scratch ran
    shift
    cd "$ROOT"
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

# ./build.sh deny
deny() {
    install_deny
    step "licences" deny_check
}

install_deny() {
    cargo_tool cargo-deny cargo-deny "$CARGO_DENY_VERSION" --locked
    rm -rf "$TOOLS/compile"
}

deny_check() { cargo deny --all-features check bans licenses sources; }
