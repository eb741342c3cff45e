# SPDX-License-Identifier: Apache-2.0
SUMMARY = "InfiniBand subnet manager and subnet administrator"
DESCRIPTION = "EmberSM lives on the switch's own management CPU. All its memory is static."
LICENSE = "Apache-2.0"
LIC_FILES_CHKSUM = "file://LICENSE;md5=3b83ef96387f14655fc854ddc3c6bd57"
SECTION = "net"

# Mbed TLS 2.28 or 3.6: EmberSM asks for the PSA API alone.
DEPENDS = "cli11 flatbuffers flatbuffers-native fmt mbedtls nlohmann-json rdma-core"

# A checkout: this layer lies in its folder toolchain/packaging/yocto.
inherit externalsrc cmake pkgconfig systemd update-rc.d
EXTERNALSRC = "${@os.path.realpath(os.path.join(d.getVar('THISDIR'), '../../../../..'))}"

# The compiler of configurations runs on the provisioning host, and so do the tests.
EXTRA_OECMAKE = "-DEMBER_TESTS=OFF -DEMBER_HOST_TOOLS=OFF -DEMBER_PACKAGE=ON \
    -DEMBER_FLATC=${STAGING_BINDIR_NATIVE}/flatc -DEMBER_UNIT_DIR=${systemd_system_unitdir}"

SYSTEMD_SERVICE:${PN} = "embersm.service"
INITSCRIPT_NAME = "embersm"
INITSCRIPT_PARAMS = "defaults 60"

do_install:append() {
    install -D -m 0755 ${S}/toolchain/packaging/buildroot/package/embersm/S60embersm ${D}${sysconfdir}/init.d/embersm
}

FILES:${PN} += "${systemd_system_unitdir}"
CONFFILES:${PN} = "${sysconfdir}/default/embersm"
