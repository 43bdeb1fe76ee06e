#!/usr/bin/env bash
# Builds, serves, tests and measures ibid. `./build.sh --help` tells what each command does.
set -Eeuo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
for part in versions common setup make test soak; do
    # shellcheck source=/dev/null # The parts are checked on their own.
    source "$ROOT/tools/build/$part.sh"
done

usage() {
    cat <<'HELP'
Usage: ./build.sh COMMAND [OPTION...]

  setup          installs what building and testing need, and builds; skips what is there
  build          builds the wasm, the npm package (pkg/dist), the `ibid` command and the demo site (target/site)
  pack           builds, then packs for npm and pip into target/packages   TRIPLE    only the program, for that target
  serve          builds, then serves the demo on 127.0.0.1        --port N   (8000, or the next free one)
  test           sets up, builds, and runs the checks and tests   --all     adds what seldom finds anything: further
                                                                  bundlers and generators, fuzzing, licences, publishing
  soak           tries far more often than the tests what must never happen, in at most 20 minutes, and prints figures
  bench          runs the native benchmarks                       further options go to `cargo bench`
  size           compares what a page loads with the budget       --top      shows what weighs most in the wasm
  deny           checks the licences of all dependencies; installs cargo-deny first, which takes some minutes

Environment:
  IBID_TOOLS     folder of the compiled tools and the model's weights (default: ~/.cache/ibid/tools)
  IBID_BASE      the path that the demo will be served below, such as /ibid/ (default: /)

Status 0: done. 1: a check or a test failed. 2: this machine lacks something that build.sh cannot install.
HELP
}

wrong_usage() {
    say "build.sh: $1"
    usage >&2
    exit 2
}

main() {
    local command="${1:-}"
    [[ $# -gt 0 ]] && shift
    cd "$ROOT"
    mkdir -p "$LOGS"
    : >"$TIMES"
    case "$command" in
        setup)
            setup_build
            setup_tests
            build
            setup_multilingual
            say "Set up and built. Next: ./build.sh serve"
            ;;
        build)
            setup_build
            build
            say "Built: pkg/dist (the npm package), target/site (the demo), target/release/ibid (the command)."
            ;;
        pack)
            setup_python
            if [[ $# -gt 0 ]]; then
                step "packages of $1" pack_program "$1"
            else
                setup_build
                build
                pack
            fi
            say "Packed: target/packages has what npm and pip install."
            ;;
        serve)
            local port=()
            if [[ $# -gt 0 ]]; then
                [[ "$1" == --port && "${2:-}" =~ ^[0-9]+$ && $# -eq 2 ]] || wrong_usage "serve takes --port N, not: $*"
                port=("$@")
            fi
            setup_build
            build
            exec "$ROOT/target/release/ibid" serve "$ROOT/target/site" "${port[@]}"
            ;;
        test)
            [[ $# -eq 0 || "$*" == --all ]] || wrong_usage "test takes --all, not: $*"
            run_tests "$@"
            ;;
        soak) soak ;;
        bench) exec cargo bench "$@" ;;
        size)
            [[ $# -eq 0 || "$*" == --top ]] || wrong_usage "size takes --top, not: $*"
            setup_build
            build
            size "$@"
            ;;
        deny)
            setup_rust
            install_deny
            step "licences" cargo deny --all-features check bans licenses sources
            ;;
        -h | --help | help) usage ;;
        *) wrong_usage "unknown command: ${command:-(none)}" ;;
    esac
}

main "$@"
