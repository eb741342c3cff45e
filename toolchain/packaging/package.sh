#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EmberSM: builds the packages, and checks whatever can be checked without a network.
# Usage: package.sh BUILD     (a build folder of its own: its programs are hardened)
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
here=toolchain/packaging
build=${1:-build/package}
stage=$build/stage
# With a base folder ccache gives the compiler other names of the sources, which debug information and
# assertions repeat: the packages would not be those of a build without it.
unset CCACHE_BASEDIR CCACHE_NOHASHDIR
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date -d "$(sed -n 's/^ -- .*>  //p' $here/debian/changelog.in | head -1)" +%s)
passed=0
failed=0

check() {  # check NAME COMMAND...
    local name=$1 log
    shift
    log=$(mktemp)
    if "$@" > "$log" 2>&1; then
        passed=$((passed + 1))
        echo "  ok    $name"
    else
        failed=$((failed + 1))
        echo "  FAIL  $name"
        sed 's/^/        /' "$log" | tail -n 40
    fi
    rm -f "$log"
}

configure() {
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_INSTALL_PREFIX=/usr \
        -DEMBER_TESTS=OFF -DEMBER_WERROR=ON -DEMBER_PACKAGE=ON
}
build_all() { configure && cmake --build "$build" -j "$(nproc)"; }
pack() { (cd "$build" && cpack -G DEB); }
lint() {
    # Said on purpose: systemctl is guarded by /run/systemd/system; there is no bug tracker to close
    # anything in; the maintainer of these packages is whoever builds them (EMBER_CONTACT).
    lintian --allow-root --fail-on error,warning \
        --suppress-tags maintainer-script-calls-systemctl,initial-upload-closes-no-bugs,bogus-mail-host,bogus-mail-host-in-debian-changelog \
        "$build"/embersm*.deb
}
units() {  # The unit as it is, and with the example that allows flash and watchdog, and that of the metrics: a folder each.
    local folder=$build/units
    rm -rf "$folder"
    mkdir -p "$folder/plain" "$folder/devices/embersm.service.d" "$folder/metrics"
    sed "s|/usr/sbin/embersm|$root/$build/bin/embersm|" "$build/systemd/embersm.service" |
        tee "$folder/plain/embersm.service" > "$folder/devices/embersm.service"
    cp $here/systemd/devices.conf "$folder/devices/embersm.service.d/"
    sed "s|/usr/bin/emberctl|$root/$build/bin/emberctl|" "$build/systemd/embersm-metrics.service" \
        > "$folder/metrics/embersm-metrics.service"
    cp $here/systemd/embersm-metrics.timer "$folder/metrics/"
    ls "$folder"/*/embersm*.{service,timer} 2> /dev/null
}
unit_verify() {  # systemd-analyze says nothing by its status of a value it cannot read.
    local unit words
    for unit in $(units); do
        words=$(systemd-analyze verify --man=no "$unit" 2>&1)
        echo "$words"
        [ -z "$words" ] || return 1
    done
}
unit_starts() {  # It never gives up: neither systemd after some starts, nor the program without its device.
    local unit=$build/systemd/embersm.service
    grep -qx 'StartLimitIntervalSec=0' "$unit" && grep -qx 'Restart=always' "$unit" &&
        grep -q '^Wants=.*modprobe@ib_umad.service' "$unit" &&
        grep -q '^After=.*modprobe@ib_umad.service' "$unit"
}
unit_security() {
    local unit found
    found=$(units | grep 'service$')
    for unit in $found; do
        systemd-analyze security --offline=true --threshold=20 "$unit" || return 1
    done > "$build/units/security" || return 1
    grep -q /dev/mtd3:rw "$build/units/security"  # The example is in force.
}
unit_memory() {  # The service may have what the program says that it takes, and a quarter more.
    local takes most
    takes=$("$build/bin/embersm" --memory | sed -n 's/^ *together *\([0-9,]*\) bytes.*/\1/p' | tr -d ,)
    most=$(sed -n 's/^MemoryMax=\([0-9]*\)M$/\1/p' "$build/systemd/embersm.service")
    [ -n "$takes" ] && [ -n "$most" ] && [ $((most * 1048576)) -gt $((takes + takes / 4)) ]
}
manuals() { for page in docs/man/*; do mandoc -T lint -W warning "$page" || return 1; done; }
scripts() {
    shellcheck -s sh $here/buildroot/package/embersm/S60embersm $here/debian/{postinst,prerm,postrm} &&
        shellcheck $here/*.sh
}
staged() { rm -rf "$stage" && DESTDIR=$root/$stage cmake --install "$build"; }
sbom() {
    python3 $here/sbom.py "$stage" > "$build/embersm.spdx.json" &&
        python3 $here/sbom.py --check "$build/embersm.spdx.json" "$stage"
}
outside() {  # A board outside of this tree, by find_package() and by pkg-config.
    local work=$build/outside
    rm -rf "$work"
    cp -r $here/outside "$work"
    cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$root/$stage/usr" && cmake --build "$work/build" &&
        "$work/build/outside" || return 1
    local pc
    pc=$root/$stage/usr/lib/$(gcc -print-multiarch)/pkgconfig
    PKG_CONFIG_PATH=$pc PKG_CONFIG_SYSROOT_DIR=$root/$stage sh -c \
        "g++ -std=c++20 $work/main.cc \$(pkg-config --cflags --libs embersm) -o $work/by_pkg_config" &&
        "$work/by_pkg_config"
}
# What Buildroot's and Yocto's classes would do: the recipe's own options, and flags of their kind
# (-O2 by the toolchain file, CMAKE_BUILD_TYPE without an -O of its own), into a stage directory.
recipe() {  # recipe NAME OPTIONS...
    local work=$build/$1
    shift
    rm -rf "$work"
    cmake -S . -B "$work" -G Ninja -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_BUILD_TYPE=Release -DEMBER_WERROR=ON \
        -DCMAKE_CXX_FLAGS_RELEASE="-O2 -g -DNDEBUG" "$@" &&
        cmake --build "$work" -j "$(nproc)" && DESTDIR=$root/$work/target cmake --install "$work" &&
        [ -x "$work/target/usr/sbin/embersm" ] && [ ! -e "$work/target/usr/bin/emberc" ] &&
        "$work/target/usr/sbin/embersm" --sim=ft2:8 --once --no-socket > /dev/null
}
service() { $here/service.sh "$(ls "$build"/embersm_*.deb)"; }
# Not python3, which may be another than Debian's, without kconfiglib.
buildroot_parses() { $here/recipes.py buildroot; }
yocto_parses() { $here/recipes.py yocto; }
recipes_build() {  # Both give cmake the same options, so one build stands for both.
    local options
    options=$(buildroot_parses) && [ "$options" = "$(yocto_parses)" ] || return 1
    # shellcheck disable=SC2086  # One word an option.
    recipe recipes $options
}

check "build" build_all
check "deb packages" pack
check "lintian" lint
check "unit: systemd-analyze verify" unit_verify
check "unit: never gives up" unit_starts
check "unit: systemd-analyze security" unit_security
check "unit: MemoryMax" unit_memory
if [ "$(id -u)" = 0 ]; then
    check "service under systemd, in a container" service
else
    echo "  skip  service under systemd: needs root"
fi
check "manual pages: mandoc" manuals
check "scripts: shellcheck" scripts
check "install into a stage directory" staged
check "SPDX document" sbom
check "a board outside of the tree" outside
check "Buildroot package: parse" buildroot_parses
check "Yocto recipe: parse" yocto_parses
check "Buildroot's and Yocto's commands by hand" recipes_build
(cd "$build" && sha256sum embersm*.deb embersm.spdx.json)
(cd "$build" && stat -c '%s octets: %n' embersm*.deb stage/usr/sbin/* stage/usr/bin/*)
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
