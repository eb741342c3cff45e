# SPDX-License-Identifier: Apache-2.0
# EmberSM: a big-endian Linux, to prove the byte order. No switch is known to have one.

set(EMBER_TRIPLET s390x-linux-gnu)
set(EMBER_ARCH s390x)
set(EMBER_QEMU qemu-s390x-static)
set(CMAKE_SYSTEM_PROCESSOR s390x)
include(${CMAKE_CURRENT_LIST_DIR}/linux.cmake)
