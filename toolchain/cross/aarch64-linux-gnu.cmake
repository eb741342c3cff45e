# SPDX-License-Identifier: Apache-2.0
# EmberSM: 64-bit ARM Linux, as on most switches' management CPU.

set(EMBER_TRIPLET aarch64-linux-gnu)
set(EMBER_ARCH arm64)
set(EMBER_QEMU qemu-aarch64-static)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/linux.cmake)
