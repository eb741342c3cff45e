#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs every fuzz target for so many seconds, starting from tests/fuzz/corpus/<target>.
# New inputs stay in build/fuzz/corpus; a crash is kept in build/fuzz/ and fails the run.
set -euo pipefail
seconds=${1:-60}
cd "$(dirname "$0")/.."
toolchain/configure.sh fuzz
cmake --build build/fuzz -j "${JOBS:-$(nproc)}" --target ember_fuzzers
ran=0
for target in build/fuzz/bin/*_fuzz; do
    [ -x "$target" ] || continue
    name=$(basename "$target")
    fresh=build/fuzz/corpus/$name
    mkdir -p "$fresh"
    echo "== $name for $seconds s"
    "$target" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 -verbosity=1 \
        -artifact_prefix="build/fuzz/$name-" "$fresh" "tests/fuzz/corpus/$name" 2>&1 |
        grep -vE '^#|NEW_FUNC' | tail -n 30
    ran=$((ran + 1))
done
[ $ran -gt 0 ] || { echo "fuzz: no target in tests/fuzz"; exit 1; }
echo "$ran fuzz targets, no finding"
