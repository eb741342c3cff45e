#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EmberSM: builds for other processors and runs that under QEMU's user mode.
# Usage: cross.sh [--short] TARGET... (arm64, armhf, s390x). Needs build/release/bin, to compare with.
#
# For each target: a bring-up of programs that link dynamically and of such that link statically,
# equal to this machine's own octet for octet; then every test, in programs that link dynamically.
# --short takes of the tests the properties only, fewer fabrics, and no static programs.
set -u
cd "$(dirname "$0")/.." || exit 2
short=
if [ "${1:-}" = --short ]; then
    short=--short
    shift
fi
jobs=$(nproc)
passed=0
failed=0
broken=
mkdir -p build
log=$(mktemp build/cross.XXXXXX)
trap 'rm -f "$log"' EXIT

count() {  # count NAME STATUS PASSED FAILED SECONDS
    local bad=$4
    if [ "$2" != 0 ]; then
        broken="$broken $1"
        [ "$bad" != 0 ] || bad=1
    fi
    passed=$((passed + $3))
    failed=$((failed + bad))
    echo "== cross $1: $3 passed, $bad failed, $5 s"
}

build() {  # build PRESET CMAKE-TARGET...; false: it failed, and was counted
    local preset=$1 started=$SECONDS status
    shift
    toolchain/configure.sh "$preset" &&
        cmake --build "build/$preset" -j "$jobs" ${1:+--target "$@"} -- -k 0 > "$log" 2>&1
    status=$?
    [ $status = 0 ] || grep -E 'error|FAILED' "$log" | head -n 40 >&2
    count "$preset build" $status 0 0 $((SECONDS - started))
    return $status
}

run_tests() {  # run_tests PRESET
    local started=$SECONDS status counts
    python3 tests/in_batches.py ${short:+--label property} --at-once 100 --jobs "$jobs" "build/$1" | tee "$log"
    status=${PIPESTATUS[0]}
    counts=$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log")
    set -- "$1" ${counts:-0 1}
    count "$1 tests" "$status" "$2" "$3" $((SECONDS - started))
}

run_equal() {  # run_equal PRESET
    local started=$SECONDS status counts
    python3 tests/cross/equal.py $short --native build/release --cross "build/$1" | tee "$log"
    status=${PIPESTATUS[0]}
    counts=$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log")
    set -- "$1" ${counts:-0 1}
    count "$1 bring-up" "$status" "$2" "$3" $((SECONDS - started))
}

run_interop() {  # run_interop TARGET
    local started=$SECONDS status counts
    python3 tests/interop/run.py --build build/release "cross.$1" | tee "$log"
    status=${PIPESTATUS[0]}
    counts=$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log")
    set -- "$1" ${counts:-0 1}
    count "$1 on ibsim" "$status" "$2" "$3" $((SECONDS - started))
}

run_on_fabrics() {  # run_on_fabrics TARGET
    run_equal "$1"
    # The simulator's own protocol is in this machine's byte order.
    [ "$1" = s390x ] || run_interop "$1"
}

one_target() {  # one_target TARGET
    toolchain/cross/sysroot.sh "$1" || { count "$1 sysroot" 1 0 1 0; return; }
    if [ -n "$short" ]; then
        build "$1" embersm emberctl ember_property_tests || return
        run_tests "$1"
        run_on_fabrics "$1"
        return
    fi
    # The programs first: what they do is known then, even if a test does not compile.
    build "$1" embersm emberctl emberc && run_on_fabrics "$1"
    build "$1-static" embersm emberctl && run_equal "$1-static"
    build "$1" && run_tests "$1"  # With nothing named, cmake builds everything.
}

for target in "$@"; do
    one_target "$target"
done
echo
echo "$passed passed, $failed failed${broken:+ (in:$broken)}"
[ -z "$broken" ] && [ "$failed" = 0 ] && [ $# != 0 ]
