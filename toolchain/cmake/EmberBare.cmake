# SPDX-License-Identifier: Apache-2.0
# EmberSM: images without an operating system: Mbed TLS from its sources, the key a board trusts,
# and how an image is linked. Included when the toolchain file sets EMBER_BARE.

include_guard(GLOBAL)
enable_language(ASM)

find_program(EMBER_FLATC flatc REQUIRED)

# FlatBuffers is all headers. A link of its own, or this machine's C headers would come along.
find_path(EMBER_FLATBUFFERS_HEADERS flatbuffers/flatbuffers.h PATHS /usr/local/include /usr/include
          REQUIRED)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${EMBER_FLATBUFFERS_HEADERS}/flatbuffers ${CMAKE_BINARY_DIR}/include/flatbuffers
     SYMBOLIC)
include_directories(SYSTEM ${CMAKE_BINARY_DIR}/include)

# The public key stands in the program, not in the flash memory beside the blob: who may write that
# could exchange both.
set(EMBER_BOARD_KEY "" CACHE FILEPATH "What emberc keygen --header wrote: the key a board trusts")
if(NOT EXISTS "${EMBER_BOARD_KEY}")
    message(FATAL_ERROR "EMBER_BOARD_KEY must name the header that \"emberc keygen --header\" wrote")
endif()
configure_file(${EMBER_BOARD_KEY} ${CMAKE_BINARY_DIR}/generated/board/trusted_key.h COPYONLY)

# The part of Mbed TLS that verifies (toolchain/bare/mbedtls.sh fetches it).
set(EMBER_MBEDTLS ${CMAKE_SOURCE_DIR}/build/mbedtls CACHE PATH "Sources of Mbed TLS 2.28")
if(NOT EXISTS ${EMBER_MBEDTLS}/library/psa_crypto.c)
    message(FATAL_ERROR "there is no Mbed TLS in ${EMBER_MBEDTLS}: run toolchain/bare/mbedtls.sh")
endif()
set(mbedtls_sources asn1parse asn1write bignum constant_time ecdsa ecp ecp_curves md platform
    platform_util psa_crypto psa_crypto_client psa_crypto_driver_wrappers psa_crypto_ecp
    psa_crypto_hash psa_crypto_mac psa_crypto_slot_management sha256)
list(TRANSFORM mbedtls_sources PREPEND ${EMBER_MBEDTLS}/library/)
list(TRANSFORM mbedtls_sources APPEND .c)
add_library(ember_mbedcrypto STATIC ${mbedtls_sources})
target_include_directories(ember_mbedcrypto SYSTEM PUBLIC ${EMBER_MBEDTLS}/include)
target_compile_definitions(ember_mbedcrypto PUBLIC
    "MBEDTLS_CONFIG_FILE=\"${CMAKE_SOURCE_DIR}/toolchain/bare/mbedtls_config.h\"")
target_compile_options(ember_mbedcrypto PRIVATE -std=c99 -Os -w)
set(EMBER_MBEDCRYPTO_STATIC ember_mbedcrypto)

# What stands below calls up (Panic, free), and libstdc++ calls back: all archives are one group.
set(CMAKE_CXX_LINK_EXECUTABLE "<CMAKE_CXX_COMPILER> <FLAGS> <CMAKE_CXX_LINK_FLAGS> <LINK_FLAGS> \
<OBJECTS> -o <TARGET> -Wl,--start-group <LINK_LIBRARIES> -Wl,--end-group")

# ember_image(<target> SCRIPT <link script> [FOLDERS <folder>...] [SOURCES <file>...] [LINK <target>...])
# An ELF image. libstdc++ gives what its headers do not hold; what it asks of a C library is
# platform/bare's or, unused, dropped by the linker.
function(ember_image target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SCRIPT" "FOLDERS;SOURCES;LINK")
    ember_sources(sources ${arg_FOLDERS})
    add_executable(${target} ${sources} ${arg_SOURCES}
                   ${CMAKE_SOURCE_DIR}/platform/bare/start_${EMBER_BARE}.S)
    target_link_libraries(${target} PRIVATE ember_firmware_options
        ${arg_LINK} ember_platform_bare stdc++ gcc)
    target_link_options(${target} PRIVATE -nostdlib -nostartfiles -static -no-pie
        LINKER:-T,${arg_SCRIPT} LINKER:--gc-sections LINKER:--build-id=none LINKER:-z,noexecstack)
    set_target_properties(${target} PROPERTIES SUFFIX .elf LINK_DEPENDS ${arg_SCRIPT}
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()
