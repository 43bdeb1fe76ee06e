# shellcheck shell=bash
# What every part of build.sh shares: places, announcements, version comparison.
# Sourced by build.sh, which has set ROOT.
set -Eeuo pipefail

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
at_least() {
    [[ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" == "$1" ]]
}

# The first dotted number in the text, such as 20.19.2 out of "v20.19.2"; nothing where there is none.
version_in() {
    if [[ "$1" =~ [0-9]+(\.[0-9]+)+ ]]; then printf '%s\n' "${BASH_REMATCH[0]}"; fi
}

# step NAME COMMAND...: announces, runs with the output in a log, tells the time. Ends the script on failure, after
# showing the end of the log. Never call it in a condition: bash would then ignore errors inside the function it runs.
step() {
    local name="$1" started="$SECONDS" status log
    shift
    log="$LOGS/${name//[^A-Za-z0-9.]/-}.log"
    mkdir -p "$LOGS"
    say "==> $name"
    set +e
    if [[ -n "${IBID_VERBOSE:-}" ]]; then
        (set -e; "$@") </dev/null
    else
        (set -e; "$@") >"$log" 2>&1 </dev/null
    fi
    status=$?
    set -e
    timed "$started" "$name"
    if [[ $status -ne 0 ]]; then
        [[ -n "${IBID_VERBOSE:-}" ]] || tail -n 60 "$log" >&3
        say "    failed: $name, status $status, after $((SECONDS - started)) s (log: ${log#"$ROOT/"})"
        exit "$status"
    fi
    say "    done: $name, $((SECONDS - started)) s"
}

# timed STARTED NAME: notes how long a step took.
timed() { printf '%d\t%s\n' $((SECONDS - $1)) "$2" >>"$TIMES"; }

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

sha256_of() {
    if have sha256sum; then sha256sum "$1" | cut -d ' ' -f 1; else shasum -a 256 "$1" | cut -d ' ' -f 1; fi
}

# The version of a package in Cargo.lock.
locked_version() {
    awk -v name="$1" '$0 == "name = \"" name "\"" { getline; gsub(/version = |"/, ""); print; exit }' "$ROOT/Cargo.lock"
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

# Runs a command with the toolchain that can build for wasm32; setup or build has put its name into WASM_TOOLCHAIN.
with_wasm() { env ${WASM_TOOLCHAIN:+RUSTUP_TOOLCHAIN="$WASM_TOOLCHAIN"} "$@"; }

need_wasm_toolchain() {
    [[ -n "${WASM_TOOLCHAIN+set}" ]] && return 0
    WASM_TOOLCHAIN="$(wasm_toolchain)" ||
        missing "no Rust toolchain here can build for wasm32-unknown-unknown" "Run ./build.sh setup first."
}
