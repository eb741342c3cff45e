# SPDX-License-Identifier: Apache-2.0
# EmberSM: the libraries we take from Debian 12 (toolchain/deps.sh installs them).

include_guard(GLOBAL)

find_program(EMBER_FLATC flatc REQUIRED)
find_library(EMBER_MBEDCRYPTO mbedcrypto REQUIRED)
find_library(EMBER_IBUMAD ibumad REQUIRED)
if(EMBER_HOST_TOOLS)
    find_library(EMBER_RE2 re2 REQUIRED)
endif()
find_package(fmt REQUIRED)
set(EMBER_FMT fmt::fmt)
if(EMBER_STATIC)
    set(EMBER_FMT fmt::fmt-header-only)  # The package has no archive.
endif()
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
