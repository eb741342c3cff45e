#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# EmberSM: every property of the build in $1 once, with a draw of its own (SEED=number repeats one).
set -eu
seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
properties=$(grep -rhoE 'RC_GTEST(_FIXTURE)?_PROP\([A-Za-z]+, *[A-Za-z0-9]+' tests |
    sed -E 's/.*\(([A-Za-z]+), */\1./' | paste -sd:)
for program in "$1"/tests/ember_*_tests; do
    RC_PARAMS="seed=$seed" "$program" --gtest_brief=1 --gtest_filter="$properties" || {
        echo "properties: SEED=$seed repeats this" >&2
        exit 1
    }
done
