#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EmberSM: fetches Debian's source of Mbed TLS into build/mbedtls, from which images without an
# operating system build the part that verifies. Does nothing when it is there.
#
# The binary package will not do: it wants files, threads and entropy of an operating system. apt
# gets a view of its own, so this machine needs no deb-src line; it checks the signatures as always.
set -euo pipefail
cd "$(dirname "$0")/../.."

root=build/mbedtls
[ ! -e "$root/.complete" ] || exit 0
mkdir -p build
exec 9> build/.lock-mbedtls
flock 9  # Two builds may begin together.
[ ! -e "$root/.complete" ] || exit 0

echo "mbedtls: fetching Debian's source"
work=$PWD/build/.apt-mbedtls
rm -rf "$root" "$work"
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/unpacked"
: > "$work/status"
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
archive=$(apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' "Codename: $codename" 'Component: main' | head -n 1)
if [ -z "$archive" ]; then
    echo "mbedtls: apt knows no archive with $codename main (apt-get update?)" >&2
    exit 1
fi
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
option=
[ ! -r "$keyring" ] || option="[signed-by=$keyring] "
echo "deb-src $option$archive $codename main" > "$work/sources.list"
view=(
    -q -o "Dir::State::Lists=$work/lists" -o "Dir::State::status=$work/status"
    -o "Dir::Cache::archives=$work/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=-
    -o "APT::Sandbox::User=$(id -un)" -o Acquire::Retries=3
)
(
    cd "$work"
    apt-get "${view[@]}" update && apt-get "${view[@]}" source --download-only mbedtls
) > "$work/log" 2>&1 < /dev/null || { cat "$work/log" >&2; exit 1; }
tar -xf "$work"/mbedtls_2.28.*.orig.tar.gz -C "$work/unpacked" --strip-components=1
mkdir -p "$root"
mv "$work/unpacked/include" "$work/unpacked/library" "$work/unpacked/LICENSE" "$root"
rm -rf "$work"
: > "$root/.complete"
