#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs fuzz targets for so many seconds each, starting from tests/fuzz/corpus/<target>.
# Usage: fuzz.sh [SECONDS] [TARGET...]     (60 seconds; all of tests/fuzz/*_fuzz.cc)
# What is found on the way stays in $FUZZ_CORPUS/<target> (build/fuzz/corpus) for the next run; what
# breaks a promise is kept in build/fuzz/<target>-*, the others go on, and the run fails at its end.
set -euo pipefail
seconds=${1:-60}
shift $(($# > 0 ? 1 : 0))
cd "$(dirname "$0")/.."
corpus=${FUZZ_CORPUS:-build/fuzz/corpus}
if [ $# = 0 ]; then
    for source in tests/fuzz/*_fuzz.cc; do
        set -- "$@" "$(basename "$source" .cc)"
    done
fi
toolchain/configure.sh fuzz
cmake --build build/fuzz -j "${JOBS:-$(nproc)}" --target "$@"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
findings=0
for name in "$@"; do
    fresh=$corpus/$name
    mkdir -p "$fresh"
    status=0
    "build/fuzz/bin/$name" -max_total_time="$seconds" -timeout=30 -print_final_stats=1 -verbosity=1 \
        -artifact_prefix="build/fuzz/$name-" "$fresh" "tests/fuzz/corpus/$name" > "$log" 2>&1 || status=$?
    # What was covered, of the last line that tells; edges, and features beyond them.
    reached=$(sed -n 's/^#[0-9]*.* cov: \([0-9]*\) ft: \([0-9]*\).*/\1 edges, \2 features/p' "$log" | tail -n 1)
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "$name: ${runs:-?} runs in $seconds s, $reached, $(find "$fresh" -type f | wc -l) inputs kept"
    [ "$status" = 0 ] && continue
    findings=$((findings + 1))
    grep -vE '^#|NEW_FUNC' "$log" | tail -n 60
done
echo "$# fuzz targets, $findings with a finding"
[ "$findings" = 0 ]
