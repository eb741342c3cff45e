# SPDX-License-Identifier: Apache-2.0
# EmberSM: 64-bit ARM without an operating system, by Debian's compiler for Linux.

set(EMBER_BARE arm64)
set(EMBER_TRIPLET aarch64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(EMBER_CPU "-mcpu=cortex-a53 -mno-outline-atomics")
include(${CMAKE_CURRENT_LIST_DIR}/bare.cmake)
