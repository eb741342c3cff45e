#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EmberSM: two builds of the committed tree, in two folders of different length and without a cache,
# give equal octets: every program, library, package and the SPDX document.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1
commit=$(git rev-parse HEAD)  # Of both, whatever is committed meanwhile.
for folder in "$work/one" "$work/another/and/a/longer/one"; do
    mkdir -p "$(dirname "$folder")"
    git clone -q . "$folder"
    git -C "$folder" checkout -q "$commit"
    (
        cd "$folder"
        SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
        export SOURCE_DATE_EPOCH
        cmake -S . -B build/package -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
            -DCMAKE_INSTALL_PREFIX=/usr -DEMBER_TESTS=OFF -DEMBER_PACKAGE=ON > /dev/null
        cmake --build build/package -j "$(nproc)" > /dev/null
        (cd build/package && cpack -G DEB > /dev/null)
        DESTDIR=$PWD/build/package/stage cmake --install build/package > /dev/null
        python3 toolchain/packaging/sbom.py build/package/stage > build/package/embersm.spdx.json
        cd build/package && find stage embersm*.deb embersm.spdx.json -type f -print0 | sort -z |
            xargs -0 sha256sum > "$work/$(basename "$folder").${#folder}.sums"
    )
done
set -- "$work"/*.sums
wc -l < "$1" | xargs printf '%s files: '
if cmp -s "$1" "$2"; then
    echo "equal in both builds"
else
    echo "not all equal"
    diff "$1" "$2"
    exit 1
fi
