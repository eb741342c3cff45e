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

# The part of Mbed TLS that verifies; toolchain/bare/mbedtls.sh fetches Debian's 2.28. Also 3.6 and
# TF-PSA-Crypto 1.x, alone or inside of Mbed TLS 4: sources as released, with their generated files.
set(EMBER_MBEDTLS ${CMAKE_SOURCE_DIR}/build/mbedtls CACHE PATH
    "Sources of Mbed TLS 2.28, 3.6 or 4, or of TF-PSA-Crypto 1")
set(mbedtls ${EMBER_MBEDTLS})
if(EXISTS ${mbedtls}/tf-psa-crypto/core)
    string(APPEND mbedtls /tf-psa-crypto)
endif()
set(mbedtls_config ${CMAKE_SOURCE_DIR}/toolchain/bare/mbedtls_config.h)
if(EXISTS ${mbedtls}/core/psa_crypto.c)
    set(mbedtls_folders ${mbedtls}/core ${mbedtls}/drivers/builtin/src)
    list(APPEND mbedtls_headers ${mbedtls}/include ${mbedtls}/drivers/builtin/include)
    set(mbedtls_definitions EMBER_TF_PSA_CRYPTO "TF_PSA_CRYPTO_CONFIG_FILE=\"${mbedtls_config}\"")
elseif(EXISTS ${mbedtls}/library/psa_crypto.c)
    set(mbedtls_folders ${mbedtls}/library)
    set(mbedtls_headers ${mbedtls}/include)
    set(mbedtls_definitions "MBEDTLS_CONFIG_FILE=\"${mbedtls_config}\"")
else()
    message(FATAL_ERROR "there is no Mbed TLS in ${EMBER_MBEDTLS}: run toolchain/bare/mbedtls.sh")
endif()
# What the configuration leaves out compiles to nothing.
list(TRANSFORM mbedtls_folders APPEND /*.c OUTPUT_VARIABLE mbedtls_globs)
file(GLOB mbedtls_sources ${mbedtls_globs})
list(FILTER mbedtls_sources EXCLUDE REGEX "/(debug|mps_|net_|pkcs7|ssl_|timing|x509)[^/]*$")
add_library(ember_mbedcrypto STATIC ${mbedtls_sources})
target_include_directories(ember_mbedcrypto SYSTEM PUBLIC ${mbedtls_headers}
                           PRIVATE ${mbedtls_folders})
target_compile_definitions(ember_mbedcrypto PUBLIC ${mbedtls_definitions})
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
