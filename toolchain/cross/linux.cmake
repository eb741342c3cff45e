# SPDX-License-Identifier: Apache-2.0
# EmberSM: a Debian cross compiler over a sysroot. Included by the files named after a triplet, which
# set EMBER_TRIPLET, EMBER_ARCH (Debian's name), EMBER_QEMU and CMAKE_SYSTEM_PROCESSOR.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${EMBER_TRIPLET}-gcc)
set(CMAKE_CXX_COMPILER ${EMBER_TRIPLET}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${EMBER_TRIPLET})

# toolchain/cross/sysroot.sh makes it; an SDK's own may be named instead.
if(DEFINED ENV{EMBER_SYSROOT})
    set(CMAKE_SYSROOT $ENV{EMBER_SYSROOT})
else()
    cmake_path(ABSOLUTE_PATH CMAKE_CURRENT_LIST_DIR NORMALIZE OUTPUT_VARIABLE here)
    set(CMAKE_SYSROOT ${here}/../../build/sysroot/${EMBER_ARCH})
    cmake_path(NORMAL_PATH CMAKE_SYSROOT)
endif()

# Programs (flatc) are this machine's, everything else is the target's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# -L keeps the target's dynamic linker inside the sysroot: with libraries of two origins in one
# process, threads and fork() hang. Cached for tests that start programs themselves.
set(EMBER_EMULATOR "${EMBER_QEMU};-L;${CMAKE_SYSROOT}" CACHE INTERNAL "")
set(EMBER_CROSS_CC ${CMAKE_C_COMPILER} CACHE INTERNAL "")
set(CMAKE_CROSSCOMPILING_EMULATOR "${EMBER_EMULATOR}")
