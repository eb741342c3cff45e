#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs the stages that are named, all of them even when an earlier one fails.
# Usage: test.sh STAGE...   (deps, deps-test, build, tests, interop, sites, programs, gates,
#        replays, cross, bare)
#
# The closing line adds up tests, interop cases and gates; the exit status is 0 only when nothing
# failed. Commit, verdict and the seconds of each stage stay in build/last-run.txt.
set -u
cd "$(dirname "$0")/.." || exit 2
mkdir -p build
log=$(mktemp build/test.XXXXXX)
report=$(mktemp build/report.XXXXXX)
trap 'rm -f "$log" "$report"' EXIT
passed=0
failed=0
broken=
begun=$SECONDS

record() {  # record NAME VERDICT SECONDS
    printf '%-10s %-28s %5d s\n' "$1" "$2" "$3" >> "$report"
    echo "== $1: $2, $3 s"
}

work() {  # work NAME COMMAND...: what counts nothing
    local name=$1 started=$SECONDS verdict=done
    shift
    echo "== $name"
    if ! "$@" < /dev/null; then
        verdict=FAILED
        broken="$broken $name"
        failed=$((failed + 1))
    fi
    record "$name" $verdict $((SECONDS - started))
}

stage() {  # stage NAME PATTERN COMMAND...: the pattern's two groups are "passed" and "failed"
    local name=$1 pattern=$2 started=$SECONDS status counts
    shift 2
    echo "== $name"
    "$@" < /dev/null 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    counts=$(sed -nE "s/$pattern/\1 \2/p" "$log" | tail -n 1)
    if [ -z "$counts" ]; then
        counts="0 1"
        echo "$name: ended without its closing line"
    fi
    set -- $counts
    passed=$((passed + $1))
    failed=$((failed + $2))
    if [ "$status" != 0 ]; then
        broken="$broken $name"
        [ "$2" != 0 ] || failed=$((failed + 1))
    fi
    record "$name" "$1 passed, $2 failed" $((SECONDS - started))
}

counted='^([0-9]+) passed, ([0-9]+) failed.*'
for name in "$@"; do
    case $name in
        deps | deps-test) work "$name" make "$name" ;;
        build) work build make build PRESET=asan ;;
        tests) stage tests "$counted" make unit ;;
        programs) work programs make programs ;;
        # With the programs of the stage "build": no others are needed, and the sanitizers look on.
        # As they ship they run in "make interop".
        # They wait for simulators and clocks more than they compute: two leave 3/4 of two cores idle.
        interop) stage interop "$counted" make interop INTEROP="--short --jobs 4" PRESET=asan ;;
        # Plans and whole runs compute: with the programs as they ship it takes two minutes.
        sites) stage sites "$counted" make sites SHORT="--short" ;;
        gates) stage gates '^([0-9]+) gates passed, ([0-9]+) failed.*' make check ;;
        replays) stage replays "$counted" make replays ;;
        cross) stage cross "$counted" make cross-short ;;
        # One image of the two: the 64-bit code has run in the stage before. make bare runs both.
        bare) stage bare "$counted" make bare IMAGES=arm32 ;;
        *) echo "test.sh: no such stage: $name" >&2; exit 2 ;;
    esac
done

verdict="$passed passed, $failed failed${broken:+ (in:$broken)}"
{
    printf 'commit     %s%s\n' "$(git rev-parse HEAD 2> /dev/null || echo unknown)" \
        "$([ -z "$(git status --porcelain 2> /dev/null)" ] || echo ', changed')"
    printf 'ended      %s, %s cores\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(nproc)"
    printf 'verdict    %s\n' "$verdict"
    cat "$report"
    printf '%-10s %-28s %5d s\n' together "" $((SECONDS - begun))
} > build/last-run.txt
echo
cat build/last-run.txt
echo "$verdict"
[ -z "$broken" ] && [ "$failed" = 0 ]
