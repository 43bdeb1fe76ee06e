# shellcheck shell=bash
# Places, announcements and version comparison, for all parts of build.sh, which has set ROOT.

# Compiled tools are kept outside the checkout, so that a fresh clone finds them.
TOOLS="${IBID_TOOLS:-$HOME/.cache/ibid/tools}"
LOGS="$ROOT/target/logs"
# Seconds and names of the steps of this run.
TIMES="$LOGS/times.tsv"
export PATH="$TOOLS/bin:$PATH"

# Standard error, kept apart so that announcements stay visible while a step's own output goes to its log.
exec 3>&2

# A command that fails where nobody expected it must not end the script in silence. Of a step that failed, the command
# inside it is what matters, not the parentheses around it.
on_error() {
    [[ "$2" == "( "* ]] || say "build.sh: a command failed in ${BASH_SOURCE[1]#"$ROOT/"}, line $1: $2"
}
trap 'on_error "$LINENO" "$BASH_COMMAND"' ERR

say() { printf '%s\n' "$*" >&3; }

# A failure that a person can mend: what is wrong, then what to do. Status 2 means "this machine lacks something".
missing() {
    say "build.sh: $1"
    shift
    for line in "$@"; do say "    $line"; done
    exit 2
}

have() { command -v "$1" >/dev/null 2>&1; }

# at_least WANTED FOUND: whether version FOUND is WANTED or newer, compared number by number.
at_least() { [[ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" == "$1" ]]; }

# The first dotted number in the text, such as 20.19.2 out of "v20.19.2"; nothing where there is none.
version_in() {
    if [[ "$1" =~ [0-9]+(\.[0-9]+)+ ]]; then printf '%s\n' "${BASH_REMATCH[0]}"; fi
}

# logged NAME COMMAND...: announces, runs with the output in LOG, notes the time. STATUS and TOOK tell how it ended.
# Never call it in a condition: bash would then ignore errors inside the function it runs.
logged() {
    local name="$1" started="$SECONDS"
    shift
    LOG="$LOGS/${name//[^A-Za-z0-9.]/-}.log"
    say "==> $name"
    set +e
    (set -e; "$@") >"$LOG" 2>&1 </dev/null
    STATUS=$?
    set -e
    TOOK=$((SECONDS - started))
    printf '%d\t%s\n' "$TOOK" "$name" >>"$TIMES"
    if [[ $STATUS -eq 0 ]]; then say "    done: $name, $TOOK s"; else tail -n 120 "$LOG" >&3; fi
}

# step NAME COMMAND...: runs it, and ends the script if it fails.
step() {
    logged "$@"
    [[ $STATUS -eq 0 ]] && return
    say "    failed: $1, status $STATUS, after $TOOK s (log: ${LOG#"$ROOT/"})"
    exit "$STATUS"
}

# beside COMMAND...: runs it in the background, until `join` waits for it and ends the script if it failed.
beside() {
    "$@" &
    BESIDE="$!"
    trap 'kill "$BESIDE" 2>/dev/null || true' EXIT
}

join() {
    local status=0
    wait "$BESIDE" || status=$?
    trap - EXIT
    [[ $status -eq 0 ]] || exit "$status"
}

# Runs a command as root: as it is for root, by sudo otherwise.
as_root() {
    if [[ $EUID -eq 0 ]]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        missing "root is needed to run: $*" "Run this command as root, or install sudo, then run build.sh again."
    fi
}

# stale STAMP SOURCE...: whether STAMP is absent or any of the sources (files, or folders with all that is in them) is
# newer. A file that was removed shows in its folder's time.
stale() {
    local stamp="$1"
    shift
    [[ -e "$stamp" ]] || return 0
    [[ -n "$(find "$@" -newer "$stamp" -not -path '*/node_modules*' -print -quit 2>/dev/null)" ]]
}

# stamped STAMP COMMAND...: the stamp bears the time when the command began, so that what is edited while it runs counts
# as newer.
stamped() {
    local stamp="$1"
    shift
    mkdir -p "$(dirname "$stamp")"
    touch "$stamp.begun"
    "$@"
    mv "$stamp.begun" "$stamp"
}

# The toolchain for wasm32 builds: empty where the ordinary one can do it, `debian` where setup linked Debian's.
# Compiling one line is the only honest test: it needs the target's standard library and a linker.
wasm_toolchain() {
    local name probe
    probe="$(mktemp -d)"
    for name in "" debian; do
        if [[ -n "$name" ]] && ! { have rustup && rustup toolchain list 2>/dev/null | grep -q "^$name"; }; then
            continue
        fi
        if echo 'pub fn probe() -> String { String::new() }' |
            env ${name:+RUSTUP_TOOLCHAIN="$name"} rustc --edition 2024 --crate-type cdylib --crate-name probe \
                --target wasm32-unknown-unknown --out-dir "$probe" - >/dev/null 2>&1; then
            rm -rf "$probe"
            echo "$name"
            return 0
        fi
    done
    rm -rf "$probe"
    return 1
}

# Runs a command with the toolchain that can build for wasm32; setup_wasm_target has put its name into WASM_TOOLCHAIN.
with_wasm() { env ${WASM_TOOLCHAIN:+RUSTUP_TOOLCHAIN="$WASM_TOOLCHAIN"} "$@"; }
