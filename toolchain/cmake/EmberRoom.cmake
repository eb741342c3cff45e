# SPDX-License-Identifier: Apache-2.0
# EmberSM: how a room becomes a target. Sources are found by globbing, so a new file needs no edit
# here; a room that has no sources yet is an INTERFACE target and can already be linked.

# ember_sources(<variable> <folder>... [EXCLUDE <regex>])
# Every .cc below the folders, without those whose path matches the expression.
function(ember_sources variable)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXCLUDE" "")
    set(found)
    foreach(folder IN LISTS arg_UNPARSED_ARGUMENTS)
        file(GLOB_RECURSE here CONFIGURE_DEPENDS ${folder}/*.cc)
        list(APPEND found ${here})
    endforeach()
    if(arg_EXCLUDE)
        list(FILTER found EXCLUDE REGEX "${arg_EXCLUDE}")
    endif()
    set(${variable} ${found} PARENT_SCOPE)
endfunction()

# ember_room(<target> [FIRMWARE] [EXCLUDE <regex>] FOLDERS <folder>... [LINK <target>...])
# FIRMWARE compiles without exceptions, type information and guarded statics.
function(ember_room target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "FIRMWARE" "EXCLUDE" "FOLDERS;LINK")
    ember_sources(sources ${arg_FOLDERS} EXCLUDE "${arg_EXCLUDE}")
    if(NOT sources)
        add_library(${target} INTERFACE)
        target_link_libraries(${target} INTERFACE ember_options ${arg_LINK})
        return()
    endif()
    add_library(${target} STATIC ${sources})
    ember_unity(${target} ${sources})
    target_link_libraries(${target} PUBLIC ${arg_LINK})
    if(arg_FIRMWARE)
        target_link_libraries(${target} PRIVATE ember_firmware_options)
        if(EMBER_CALLGRAPH)  # ccache does not keep the .ci files.
            set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "")
        endif()
    else()
        target_link_libraries(${target} PRIVATE ember_options)
    endif()
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
endfunction()

# ember_program(<target> [FIRMWARE] [NAME <file>] [EXCLUDE <regex>] [DESTINATION <dir>]
#               FOLDERS <folder>... [LINK <target>...])
# Rooms below call up into the platform by name in one place only (Panic), so the archives are
# searched as one group. Without sources there is no such target.
function(ember_program target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "FIRMWARE" "NAME;EXCLUDE;DESTINATION" "FOLDERS;LINK")
    ember_sources(sources ${arg_FOLDERS} EXCLUDE "${arg_EXCLUDE}")
    if(NOT sources)
        return()
    endif()
    add_executable(${target} ${sources})
    if(arg_FIRMWARE)
        target_link_libraries(${target} PRIVATE ember_firmware_options)
    else()
        target_link_libraries(${target} PRIVATE ember_options)
    endif()
    target_link_libraries(${target} PRIVATE -Wl,--start-group ${arg_LINK} -Wl,--end-group)
    if(arg_NAME)
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_NAME})
    endif()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
    if(arg_DESTINATION)
        install(TARGETS ${target} RUNTIME DESTINATION ${arg_DESTINATION})
    endif()
endfunction()

# ember_host_tool(<target> <header>...)
# Code of a program of the provisioning host or the operator; these headers are most of its
# compilation.
function(ember_host_tool target)
    target_compile_options(${target} PRIVATE ${EMBER_UNHURRIED})
    if(EMBER_PCH)
        target_compile_options(${target} PRIVATE ${EMBER_PCH_AS_TEXT})
        target_precompile_headers(${target} PRIVATE <algorithm> <array> <filesystem> <map> <optional>
                                  <string> <vector> ${ARGN})
    endif()
endfunction()

# ember_flatbuffers(<target> <schema>...)
# C++ headers from FlatBuffers schemas: config/schema/x.fbs is included as
# "config/schema/x_generated.h".
function(ember_flatbuffers target)
    add_library(${target} INTERFACE)
    set(root ${CMAKE_BINARY_DIR}/generated)
    set(headers)
    foreach(schema IN LISTS ARGN)
        cmake_path(RELATIVE_PATH schema BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE relative)
        cmake_path(GET relative PARENT_PATH folder)
        cmake_path(GET relative STEM stem)
        set(header ${root}/${folder}/${stem}_generated.h)
        add_custom_command(
            OUTPUT ${header}
            COMMAND ${EMBER_FLATC} --cpp --cpp-std c++17 --scoped-enums --reflect-names
                    -I ${CMAKE_SOURCE_DIR} -o ${root}/${folder} ${schema}
            DEPENDS ${schema}
            COMMENT "flatc ${relative}")
        list(APPEND headers ${header})
    endforeach()
    if(headers)
        add_custom_target(${target}_headers DEPENDS ${headers})
        add_dependencies(${target} ${target}_headers)
    endif()
    target_include_directories(${target} SYSTEM INTERFACE ${root})
endfunction()
