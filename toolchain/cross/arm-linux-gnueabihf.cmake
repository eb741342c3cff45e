# SPDX-License-Identifier: Apache-2.0
# EmberSM: 32-bit ARM Linux with hardware floating point.

set(EMBER_TRIPLET arm-linux-gnueabihf)
set(EMBER_ARCH armhf)
set(EMBER_QEMU qemu-arm-static)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
include(${CMAKE_CURRENT_LIST_DIR}/linux.cmake)
