# SPDX-License-Identifier: Apache-2.0
# EmberSM: the files of a folder as one: three quarters of a compilation are headers. The largest
# folder compiles in less time than one file of the tests. Images for boards and what the gates
# `stack`, `symbols` and `tidy` read are compiled file by file. Where names of two files of a folder
# clash, the cure is a line here, or another name; `make run` builds them file by file then.

option(EMBER_UNITY "Compile the files of a folder as one" OFF)

# What their anonymous namespaces name, another file of their folder names too.
set(EMBER_APART
    core/administration/paths/group_paths.cc
    core/administration/records/linear_forwarding_table_records.cc
    core/administration/records/multicast_forwarding_table_records.cc
    core/administration/transactions/transfers.cc
    core/partitions/p_key_steps.cc
    core/lanes/lane_upkeep.cc core/m_keys/m_key_upkeep.cc core/multicast/multicast_upkeep.cc
    core/partitions/p_key_upkeep.cc core/manager/partition_change.cc
    core/lanes/routed_maps.cc core/manager/sweep_plan.cc core/partitions/partition_diff.cc
    engines/auto/group_routes.cc
    engines/balance/initial_assignment.cc engines/balance/staged_rows.cc
    engines/torus/torus_search.cc
    config/blob/chain_rows.cc config/blob/payload.cc config/blob/qos_rows.cc
    config/blob/trial_record.cc
    config/emberc/commands.cc config/emberc/opensm_conf.cc config/emberc/payload_writer.cc
    config/emberc/say.cc
    config/emberc/plan/picture.cc config/emberc/plan/settings_source.cc
    platform/flash/flash_store.cc platform/linux/process/supervisor.cc
    platform/linux/embersm/sim_waiting.cc
    platform/linux/views/metrics_table.cc)  # For emberctl, which needs no more of it.

# ember_unity(<target> <source>...)
function(ember_unity target)
    if(NOT EMBER_UNITY)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    foreach(source IN LISTS ARGN)
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
        # The parsers of emberc have the same words, and so have the parts of a test program.
        if(NOT name IN_LIST EMBER_APART AND NOT name MATCHES "^(config/emberc/option_files|tests)/")
            cmake_path(GET name PARENT_PATH folder)
            string(MAKE_C_IDENTIFIER "${folder}" group)
            set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
        endif()
    endforeach()
endfunction()
