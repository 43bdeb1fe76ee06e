#!/usr/bin/env bash
# Asks a real language model on this machine, natively and in Chromium. README.md says what it needs and shows.
# Usage: run.sh [OPTION of `playwright test`...]; with options, the tests in Rust are left out.
set -Eeuo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
work="$root/target/real-llm"

if [[ ! -f "$root/target/site.ibid" || ! -x "${IBID_COMMAND:-$root/target/release/ibid}" ]]; then
    echo "run ./build.sh build first" >&2
    exit 2
fi

mkdir -p "$work"
if ! cmp -s "$here/requirements.txt" "$work/installed.txt"; then
    python3 -m venv --clear "$work/venv"
    "$work/venv/bin/python" -m pip install --quiet --no-deps -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$work/installed.txt"
fi

rm -f "$work/ready"
"$work/venv/bin/python" "$here/server.py" "$work/ready" >"$work/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true' EXIT

for ((waited = 0; waited < 600; waited++)); do
    [[ -f "$work/ready" ]] && break
    if ! kill -0 "$server" 2>/dev/null; then
        tail -n 20 "$work/server.log" >&2
        echo "the model server did not start; all of its output is in target/real-llm/server.log" >&2
        exit 1
    fi
    sleep 0.2
done
[[ -f "$work/ready" ]] || { echo "the model server was not ready after two minutes" >&2 && exit 1; }

REAL_LLM_URL="$(cat "$work/ready")"
export REAL_LLM_URL
status=0
if [[ $# -eq 0 ]]; then
    cd "$root"
    cargo test --locked -p ibid-cli --test command real_llm -- --nocapture --test-threads 1 || status=1
fi
cd "$root/tests/e2e"
npx playwright test --config "$here/playwright.config.ts" "$@" || status=1
exit "$status"
