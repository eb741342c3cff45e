#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# EmberSM: installs what the build, the tests and the gates need, all of it from Debian 12.
# Does nothing, and needs no rights, when everything is there. With "run": what the programs alone
# need. With names of cross targets (arm64, armhf, s390x, bare): their compilers and the emulator.
set -eu

programs="
    g++ cmake ninja-build make
    flatbuffers-compiler libflatbuffers-dev libmbedtls-dev
    libcli11-dev libfmt-dev nlohmann-json3-dev libre2-dev
    libibumad-dev
"
packages="
    $programs
    clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev binutils
    ccache git python3
    libibmad-dev
    libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
    chromium
    ibsim-utils libumad2sim0 infiniband-diags opensm ibutils valgrind
    prometheus prometheus-node-exporter
"

compilers=
for target in "$@"; do
    case $target in
        run) compilers="$compilers $programs" ;;
        arm64) compilers="$compilers g++-aarch64-linux-gnu qemu-user-static" ;;
        armhf) compilers="$compilers g++-arm-linux-gnueabihf qemu-user-static" ;;
        s390x) compilers="$compilers g++-s390x-linux-gnu qemu-user-static" ;;
        bare) compilers="$compilers g++-aarch64-linux-gnu g++-arm-linux-gnueabihf qemu-system-arm" ;;
        packaging)
            compilers="$compilers dpkg-dev file lintian mandoc pkg-config python3-kconfiglib"
            compilers="$compilers shellcheck systemd systemd-container"
            ;;
        *) echo "deps: no such cross target: $target" >&2; exit 2 ;;
    esac
done
[ $# = 0 ] || packages=$compilers

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

# opensm, prometheus and node_exporter are services. The tests start their own: neither now nor after
# the next start of this machine shall Debian's run. 101 means: "not allowed by policy".
echo "deps: installing$missing"
policy=/usr/sbin/policy-rc.d
[ -e $policy ] || {
    printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
    trap '$as_root rm -f $policy' EXIT
    $as_root chmod 755 $policy
}
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update </dev/null
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y install --no-install-recommends $missing </dev/null
for package in $missing; do
    case $package in
        opensm | prometheus | prometheus-node-exporter)
            $as_root systemctl disable "$package" 2>/dev/null || true  # There may be no systemd.
            ;;
    esac
done
