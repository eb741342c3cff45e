#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EmberSM: the whole test run. Every stage runs even when an earlier one fails; the closing line adds
# up gates, tests and interop checks, and the exit status is 0 only when nothing failed.
set -u
cd "$(dirname "$0")/.." || exit 2
mkdir -p build
log=$(mktemp build/test.XXXXXX)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
broken=

stage() {  # stage NAME PATTERN COMMAND...; the pattern's two groups are "passed" and "failed"
    name=$1
    pattern=$2
    shift 2
    started=$SECONDS
    echo "== $name"
    "$@" < /dev/null 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    counts=$(sed -nE "s/$pattern/\1 \2/p" "$log" | tail -n 1)
    if [ -z "$counts" ]; then
        counts="0 1"
        echo "$name: ended without its closing line"
    fi
    set -- $counts
    [ "$name" = "tests" ] && set -- $(($2 - $1)) "$1"
    passed=$((passed + $1))
    failed=$((failed + $2))
    if [ "$status" != 0 ]; then
        broken="$broken $name"
        [ "$2" != 0 ] || failed=$((failed + 1))
    fi
    echo "== $name: $1 passed, $2 failed, $((SECONDS - started)) s"
}

stage gates '^([0-9]+) gates passed, ([0-9]+) failed.*' make check
# ctest counts the failed ones, then all.
stage tests '^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+).*' make unit
stage cross '^([0-9]+) passed, ([0-9]+) failed.*' make cross-short
# One image of the two: the 64-bit code has run in the stage before. make bare runs both.
stage bare '^([0-9]+) passed, ([0-9]+) failed.*' make bare IMAGES=arm32
stage interop '^([0-9]+) passed, ([0-9]+) failed.*' make interop INTEROP=--short

echo
echo "$passed passed, $failed failed${broken:+ (in:$broken)}"
[ -z "$broken" ] && [ "$failed" = 0 ]
