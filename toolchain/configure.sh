#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# EmberSM: configures a preset quietly; says everything when it fails. Extra arguments go to cmake.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
log=$(mktemp build/configure.XXXXXX)
trap 'rm -f "$log"' EXIT
preset=$1
shift
cmake --preset "$preset" -DEMBER_WERROR=ON "$@" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
