#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EmberSM: makes build/sysroot/ARCH, the foreign Debian 12 libraries that a cross build links.
# Usage: sysroot.sh ARCH (Debian's name: arm64, armhf, s390x). Does nothing when it is there.
#
# apt is given a view of its own, so neither this machine's dpkg nor its lists learn of the foreign
# architecture: packages are fetched and unpacked, never installed, and nothing of them is run.
set -euo pipefail
cd "$(dirname "$0")/../.."

arch=${1:?usage: sysroot.sh ARCH}
packages="
    libc6-dev libstdc++-12-dev libflatbuffers-dev libmbedtls-dev
    libcli11-dev libfmt-dev nlohmann-json3-dev libre2-dev libibumad-dev libibmad-dev
    libgtest-dev libgmock-dev librapidcheck-dev
"
packages=$(echo $packages)
root=build/sysroot/$arch
stamp=$root/.complete
mkdir -p build/sysroot
exec 9> "build/sysroot/.lock-$arch"
flock 9  # Two builds of one target may begin together.
[ "$(cat "$stamp" 2>/dev/null || true)" != "$packages" ] || exit 0

echo "sysroot: fetching Debian packages for $arch"
work=build/sysroot/.apt-$arch
rm -rf "$root" "$work"
mkdir -p "$work/lists/partial" "$work/archives/partial" "$root"
: > "$work/status"

# The main suite of the archive that this machine takes its own packages from. Its updates are left
# out on purpose: a suite that lags for one architecture would make the whole set uninstallable.
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
archive=$(apt-get indextargets --no-release-info --format '$(RELEASE) $(REPO_URI)' \
    'Created-By: Packages' 'Component: main' |
    awk -v suite="$codename" '$1 == suite || $1 == "stable" { print $2; exit }')
if [ -z "$archive" ]; then
    echo "sysroot: apt knows no archive with $codename main" >&2
    exit 1
fi
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
option=
[ ! -r "$keyring" ] || option="[signed-by=$keyring] "
echo "deb $option$archive $codename main" > "$work/sources.list"

view=(
    -q -o "APT::Architecture=$arch" -o "APT::Architectures=$arch"
    -o "Dir::State::Lists=$PWD/$work/lists" -o "Dir::State::status=$PWD/$work/status"
    -o "Dir::Cache::archives=$PWD/$work/archives"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o "Dir::Etc::sourcelist=$PWD/$work/sources.list" -o Dir::Etc::sourceparts=-
    -o "APT::Sandbox::User=$(id -un)" -o Acquire::Retries=3
)
log=$work/log
{
    apt-get "${view[@]}" update &&
        apt-get "${view[@]}" install -y --no-install-recommends --download-only $packages
} > "$log" 2>&1 < /dev/null || { cat "$log" >&2; exit 1; }
for package in "$work"/archives/*.deb; do
    dpkg -x "$package" "$root"
done

# A link to /lib/x would lead into this machine's own libraries.
find "$root" -type l -lname '/*' | while read -r link; do
    target=$root$(readlink "$link")
    ln -snf "$(realpath -m --relative-to="$(dirname "$link")" "$target")" "$link"
done
rm -rf "$work"
printf '%s' "$packages" > "$stamp"
