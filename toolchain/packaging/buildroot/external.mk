# SPDX-License-Identifier: Apache-2.0
# EmberSM: a tree beside Buildroot: make BR2_EXTERNAL=<here> menuconfig.
include $(sort $(wildcard $(BR2_EXTERNAL_EMBERSM_PATH)/package/*/*.mk))
