# SPDX-License-Identifier: Apache-2.0
# EmberSM: language, warnings, sanitizers, and the flags under which firmware is compiled.

option(EMBER_WERROR "Warnings are errors" OFF)
option(EMBER_TESTS "Build tests and benchmarks" ON)
option(EMBER_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(EMBER_CALLGRAPH "Write each firmware object's call graph with stack sizes (gcc only)" OFF)
option(EMBER_PCH "Read the headers that all tests, or all of a host tool, include once" OFF)
option(EMBER_STATIC "Link programs without shared libraries" OFF)
option(EMBER_HOST_TOOLS "Build emberc, which belongs on the provisioning host" ON)
option(EMBER_PACKAGE "Harden programs and install service and libraries, for packages" OFF)
set(EMBER_SANITIZE "" CACHE STRING "Sanitizers for everything, as in address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug or RelWithDebInfo" FORCE)
endif()
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")

find_program(EMBER_CCACHE ccache)
if(EMBER_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${EMBER_CCACHE})
endif()

# Where off_t and time_t have 32 bits unless told otherwise: flash behind 2 GiB, and the year 2038.
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
    add_compile_definitions(_FILE_OFFSET_BITS=64 _TIME_BITS=64)
endif()

add_library(ember_options INTERFACE)
target_include_directories(ember_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(ember_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wswitch-enum -Wcast-align -Wvla -Walloca -Wimplicit-fallthrough
    $<$<BOOL:${EMBER_WERROR}>:-Werror>)

if(EMBER_SANITIZE)
    add_compile_options(-fsanitize=${EMBER_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    # Firmware has no type information that virtual tables could be compared with.
    add_compile_options(-fno-sanitize=vptr)
    add_link_options(-fsanitize=${EMBER_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        add_link_options(-fuse-ld=lld)
    endif()
endif()
# Equal sources give equal octets, wherever they lie.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
if(EMBER_PACKAGE)
    add_compile_options(-fstack-protector-strong "$<$<NOT:$<CONFIG:Debug>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>")
    add_link_options(-Wl,-z,relro,-z,now $<$<NOT:$<BOOL:${EMBER_STATIC}>>:-pie>)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
if(EMBER_STATIC)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
    add_link_options(-static)
endif()
# What runs neither on a switch nor for long is not optimized under the sanitizers: that takes less
# time than its being compiled.
set(EMBER_UNHURRIED)
if(EMBER_SANITIZE)
    set(EMBER_UNHURRIED -O0)
endif()
# Precompiled headers as ccache knows them again, and who compares two builds.
set(EMBER_PCH_AS_TEXT -fpch-preprocess)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(EMBER_PCH_AS_TEXT "SHELL:-Xclang -fno-pch-timestamp")
endif()
if(EMBER_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "EMBER_FUZZ needs clang: configure with the preset \"fuzz\"")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# What runs on the switch: no exceptions, no type information, no guarded statics, no heap.
add_library(ember_firmware_options INTERFACE)
target_link_libraries(ember_firmware_options INTERFACE ember_options)
target_compile_options(ember_firmware_options INTERFACE
    -fno-exceptions -fno-rtti -fno-threadsafe-statics)

# Stack frames are only meaningful as they ship: optimized and not instrumented.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT EMBER_SANITIZE
   AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(frame 1024)
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL "s390x")
        set(frame 1280)  # Each frame there holds 160 octets in which a callee saves registers.
    endif()
    target_compile_options(ember_firmware_options INTERFACE
        -Wstack-usage=${frame} $<$<BOOL:${EMBER_CALLGRAPH}>:-fcallgraph-info=su>)
endif()
