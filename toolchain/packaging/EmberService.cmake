# SPDX-License-Identifier: Apache-2.0
# EmberSM: the service of systemd. Its units name the programs where the prefix puts them.

include_guard(GLOBAL)
set(packaging ${CMAKE_SOURCE_DIR}/toolchain/packaging)

# ember_memory_max(<variable> <board>)
# What the service may take at most, for MemoryMax=, from what docs/memory.md says of the board; the
# gate `docs` holds that page to what the programs print.
function(ember_memory_max variable board)
    file(STRINGS ${CMAKE_SOURCE_DIR}/docs/memory.md lines)
    set(here FALSE)
    foreach(line IN LISTS lines)
        if(line MATCHES "^## ")
            set(here FALSE)
        endif()
        if(line STREQUAL "## ${board}")
            set(here TRUE)
        endif()
        # Of two such lines the second counts: it is that of embersm.
        if(here AND line MATCHES "^ +(together|as embersm, on Linux) +([0-9,]+) bytes")
            string(REPLACE "," "" bytes ${CMAKE_MATCH_2})
        endif()
    endforeach()
    if(NOT bytes)  # A board of one's own.
        message(WARNING "docs/memory.md does not say what the board ${board} takes: no MemoryMax=")
        set(${variable} infinity PARENT_SCOPE)
        return()
    endif()
    math(EXPR mebibytes "(${bytes} + ${bytes} / 4) / 1048576 + 64")
    set(${variable} ${mebibytes}M PARENT_SCOPE)
endfunction()

# Where units lie differs from system to system, and so does it whether /usr is merged.
set(EMBER_UNIT_DIR lib/systemd/system CACHE PATH "Where systemd's units go")
ember_memory_max(EMBER_MEMORY_MAX ${EMBER_BOARD})
foreach(unit embersm.service embersm-metrics.service)
    configure_file(${packaging}/systemd/${unit}.in ${CMAKE_BINARY_DIR}/systemd/${unit} @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/systemd/${unit}
            DESTINATION ${EMBER_UNIT_DIR} COMPONENT programs)
endforeach()
install(FILES ${packaging}/systemd/embersm-metrics.timer
        DESTINATION ${EMBER_UNIT_DIR} COMPONENT programs)
install(FILES ${packaging}/systemd/devices.conf DESTINATION share/doc/embersm/examples
        COMPONENT programs)
# What a site has written there is a package's to keep; `make install` would write over it.
if(EMBER_PACKAGE)
    install(FILES ${packaging}/embersm.default DESTINATION ${CMAKE_INSTALL_FULL_SYSCONFDIR}/default
            RENAME embersm COMPONENT programs)
else()
    install(FILES ${packaging}/embersm.default DESTINATION share/doc/embersm/examples
            COMPONENT programs)
endif()
