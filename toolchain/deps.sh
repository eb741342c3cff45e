#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# EmberSM: installs what the build, the tests and the gates need, all of it from Debian 12.
# Does nothing, and needs no rights, when everything is there.
set -eu

packages="
    g++ clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev binutils
    cmake ninja-build make ccache git python3
    flatbuffers-compiler libflatbuffers-dev libmbedtls-dev
    libcli11-dev libfmt-dev nlohmann-json3-dev libre2-dev
    libibumad-dev libibmad-dev
    libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
    chromium
    ibsim-utils libumad2sim0 infiniband-diags opensm ibutils valgrind
"

if ! command -v dpkg-query >/dev/null; then
    echo "deps: this is not a Debian system; install the equivalents of:" $packages >&2
    exit 1
fi

missing=
for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps: not root and no sudo; as root: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

# RUNLEVEL=1 keeps the opensm package from starting its daemon on the build machine.
echo "deps: installing$missing"
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update </dev/null
$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get -q -y install --no-install-recommends $missing </dev/null
