#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# EmberSM: installs what the build, the tests and the gates need, all of it from Debian 12.
# Does nothing, and needs no rights, when everything is there. Usage: deps.sh [WORD...]
#   run         what the programs alone need
#   build       and their tests, by both compilers
#   test        and the programs beside which they are tried
#   check       what build needs, and the gates
#   arm64, armhf, s390x, bare, packaging    the compilers of other targets, and an emulator
# Without a word: run, build, test and check.
set -eu

programs="
    g++ cmake ninja-build make
    flatbuffers-compiler libflatbuffers-dev libmbedtls-dev
    libcli11-dev libfmt-dev nlohmann-json3-dev libre2-dev
    libibumad-dev
"
tests="
    $programs
    clang-14 lld-14 libclang-rt-14-dev binutils
    ccache git python3
    libibmad-dev
    libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
"
partners="
    chromium
    ibsim-utils libumad2sim0 infiniband-diags opensm ibutils
    prometheus prometheus-node-exporter
"
gates="clang-tidy-14 clang-format-14 valgrind"

packages=
for target in "$@"; do
    case $target in
        run) packages="$packages $programs" ;;
        build) packages="$packages $tests" ;;
        test) packages="$packages $tests $partners" ;;
        check) packages="$packages $tests $gates" ;;
        arm64) packages="$packages g++-aarch64-linux-gnu qemu-user-static" ;;
        armhf) packages="$packages g++-arm-linux-gnueabihf qemu-user-static" ;;
        s390x) packages="$packages g++-s390x-linux-gnu qemu-user-static" ;;
        bare) packages="$packages g++-aarch64-linux-gnu g++-arm-linux-gnueabihf qemu-system-arm" ;;
        packaging)
            packages="$packages git python3 dpkg-dev file lintian mandoc pkg-config python3-kconfiglib"
            packages="$packages shellcheck systemd systemd-container"
            ;;
        *) echo "deps: no such target: $target" >&2; exit 2 ;;
    esac
done
[ $# != 0 ] || packages="$tests $partners $gates"

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
echo "deps: installing $(echo $missing | wc -w) packages of Debian's, and what they need"
policy=/usr/sbin/policy-rc.d
[ -e $policy ] || {
    printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
    trap '$as_root rm -f $policy' EXIT
    $as_root chmod 755 $policy
}
# What apt-get says is for the day on which it fails.
log=$(mktemp)
quietly() {
    $as_root env DEBIAN_FRONTEND=noninteractive "$@" </dev/null >"$log" 2>&1 || {
        status=$?
        echo "deps: could not install:$missing" >&2
        cat "$log" >&2
        rm -f "$log"
        exit $status
    }
}
quietly apt-get -q update
quietly apt-get -q -y install --no-install-recommends $missing
rm -f "$log"
for package in $missing; do
    case $package in
        opensm | prometheus | prometheus-node-exporter)
            $as_root systemctl disable "$package" 2>/dev/null || true  # There may be no systemd.
            ;;
    esac
done
