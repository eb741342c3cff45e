################################################################################
#
# embersm
#
################################################################################

EMBERSM_VERSION = 0.1.0
# The checkout that this file lies in; set EMBERSM_OVERRIDE_SRCDIR in local.mk for another.
EMBERSM_SITE = $(EMBERSM_PKGDIR)/../../../../..
EMBERSM_SITE_METHOD = local
EMBERSM_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude /build
EMBERSM_LICENSE = Apache-2.0
EMBERSM_LICENSE_FILES = LICENSE
EMBERSM_DEPENDENCIES = cli11 flatbuffers fmt host-flatbuffers json-for-modern-cpp mbedtls rdma-core

# The compiler of configurations runs on the provisioning host, and so do the tests.
EMBERSM_CONF_OPTS = \
	-DEMBER_TESTS=OFF \
	-DEMBER_HOST_TOOLS=OFF \
	-DEMBER_PACKAGE=ON \
	-DEMBER_FLATC=$(HOST_DIR)/bin/flatc

# The unit of systemd is installed by cmake.
define EMBERSM_INSTALL_INIT_SYSV
	$(INSTALL) -D -m 0755 $(EMBERSM_PKGDIR)/S60embersm \
		$(TARGET_DIR)/etc/init.d/S60embersm
endef

$(eval $(cmake-package))
