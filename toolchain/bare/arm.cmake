# SPDX-License-Identifier: Apache-2.0
# EmberSM: 32-bit ARM (ARMv7-A) without an operating system, by Debian's compiler for Linux.

set(EMBER_BARE arm32)
set(EMBER_TRIPLET arm-linux-gnueabihf)
set(CMAKE_SYSTEM_PROCESSOR arm)
# Objects of compilers before GCC 7 are not linked, so nothing needs to be said of their calls.
set(EMBER_CPU "-marm -mcpu=cortex-a15 -mfloat-abi=hard -mfpu=neon-vfpv4 -Wno-psabi")
include(${CMAKE_CURRENT_LIST_DIR}/bare.cmake)
