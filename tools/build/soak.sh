# shellcheck shell=bash
# ./build.sh soak: what must never happen, tried far more often than in the tests, with a figure a line.
set -Eeuo pipefail

# shellcheck disable=SC2034 # `check` shows these lines.
soak() {
    export IBID_MUTATIONS="${IBID_MUTATIONS:-500000}" IBID_FUZZ_INPUTS="${IBID_FUZZ_INPUTS:-60000}"
    export IBID_ROUND_TRIPS="${IBID_ROUND_TRIPS:-20000}"
    setup_build
    setup_tests
    build
    step "soak: compile the tests" cargo test --locked --no-run --test library --test corruption --lib -p ibid
    COUNTS='^[0-9]+ hostile|^ +[0-9]+ passed|^test result:|decoded right|^skipped|^round trips:|inputs in| files in '
    # All of it has to end within twenty minutes.
    SOAK_END=$((SECONDS + 1200))
    clear_results
    check "hostile payloads" soak_payloads
    check "hostile passages and an obedient model" soak_rust hostile --lib
    check "recorded responses" soak_rust wire_cassettes --test library
    check "round trips of redaction" soak_rust round_trips --test library
    check "mutations of inputs" soak_rust fuzz --test library
    check "mutations of indexes" soak_rust "" --test corruption
    results
}

# in_time COMMAND...: in the time that is left, a second at least.
in_time() { timeout $((SOAK_END > SECONDS ? SOAK_END - SECONDS : 1)) "$@"; }

# soak_rust FILTER TARGET...: the tests of that name, with what they print.
soak_rust() { in_time cargo test --locked -p ibid "${@:2}" ${1:+"$1"} -- --nocapture; }

soak_payloads() {
    cd tests/e2e
    in_time npx playwright test corpus
}
