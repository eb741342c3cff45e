# SPDX-License-Identifier: Apache-2.0
# EmberSM: what both bare-metal toolchain files share. They set EMBER_BARE, EMBER_TRIPLET, EMBER_CPU.
#
# The compilers for Linux do: nothing of Linux's C library is linked, and its headers only declare.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_C_COMPILER ${EMBER_TRIPLET}-gcc)
set(CMAKE_CXX_COMPILER ${EMBER_TRIPLET}-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # There is no C library to link a program with.

# No tables to unwind by: nothing is thrown. Sections of their own, so that the linker drops what
# nobody calls.
set(bare "${EMBER_CPU} -fno-pie -ffunction-sections -fdata-sections -fno-stack-protector \
-fno-unwind-tables -fno-asynchronous-unwind-tables")
set(CMAKE_C_FLAGS_INIT "${bare}")
set(CMAKE_ASM_FLAGS_INIT "${EMBER_CPU}")
set(CMAKE_CXX_FLAGS_INIT "${bare} -fno-exceptions -fno-rtti -fno-threadsafe-statics")
