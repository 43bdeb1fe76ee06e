# shellcheck shell=bash
# ./build.sh soak: what must never happen, tried far more often than in the tests, with a figure a line.
set -Eeuo pipefail

# All of it has to end by then, in seconds.
SOAK_LIMIT=1200

soak() {
    export IBID_MUTATIONS="${IBID_MUTATIONS:-500000}" IBID_FUZZ_INPUTS="${IBID_FUZZ_INPUTS:-60000}"
    export IBID_ROUND_TRIPS="${IBID_ROUND_TRIPS:-20000}"
    setup_build
    setup_tests
    build
    step "soak: compile the tests" cargo test --locked --no-run --test library --test corruption --lib -p ibid
    SOAK_START="$SECONDS"
    SOAK_FAILED=0
    soaked "hostile payloads" soak_payloads '^[0-9]+ hostile|^ +[0-9]+ passed'
    soaked "hostile passages and an obedient model" soak_rust --lib hostile '^test result:'
    soaked "recorded responses" soak_rust "--test library" wire_cassettes 'decoded right|^skipped'
    soaked "round trips of redaction" soak_rust "--test library" round_trips '^round trips:'
    soaked "mutations of inputs" soak_rust "--test library" fuzz 'inputs in'
    soaked "mutations of indexes" soak_rust "--test corruption" '' ' files in '
    say "soaked for $((SECONDS - SOAK_START)) s"
    [[ $SOAK_FAILED -eq 0 ]] || exit 1
}

# soaked NAME COMMAND... PATTERN: runs the command in the time that is left, and prints its lines of that pattern.
soaked() {
    local name="$1" pattern="${*: -1}" log status=0 left
    log="$LOGS/soak-${name// /-}.log"
    left=$((SOAK_LIMIT - SECONDS + SOAK_START))
    say "==> soak: $name"
    shift
    set -- "${@:1:$#-1}"
    if [[ $left -gt 0 ]]; then
        SOAK_LEFT="$left"
        "$@" >"$log" 2>&1 </dev/null || status=$?
    else
        status=124
        echo "no time was left" >"$log"
    fi
    grep -aE "$pattern" "$log" | sort -u | sed 's/^ */    /' || true
    [[ $status -eq 0 ]] && return
    SOAK_FAILED=1
    tail -n 40 "$log" >&3
    printf '    FAILED: %s (status %d, log %s)\n' "$name" "$status" "${log#"$ROOT/"}"
}

# soak_rust TARGET FILTER: the tests of that name, with what they print.
soak_rust() {
    local target
    read -ra target <<<"$1"
    cd "$ROOT"
    timeout "$SOAK_LEFT" cargo test --locked -p ibid "${target[@]}" ${2:+"$2"} -- --nocapture
}

soak_payloads() {
    cd "$ROOT/tests/e2e"
    timeout "$SOAK_LEFT" npx playwright test corpus
}
