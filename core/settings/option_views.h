// SPDX-License-Identifier: Apache-2.0
// EmberSM: the views of the option files, one by one, for who compares or looks through them all.
// Few do, and compilers take long to read it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

#include "core/settings/engine_options.h"
#include "core/settings/settings.h"

namespace ember {

/// Whether two views show the same.
template <typename Row>
[[nodiscard]] constexpr bool ShowTheSame(std::span<const Row> one, std::span<const Row> two) {
    return std::equal(one.begin(), one.end(), two.begin(), two.end());
}
[[nodiscard]] constexpr bool ShowTheSame(bool one, bool two) {
    return one == two;
}

/// Whether two tables show the same through each of `members`.
template <typename Tables, typename Members>
[[nodiscard]] constexpr bool ShowTheSame(const Tables& one, const Tables& two,
                                         const Members& members) {
    return std::apply(
        [&](auto... member) { return (ShowTheSame(one.*member, two.*member) && ...); }, members);
}

/// Whether `members` are all that Tables has.
template <typename Tables, typename Members>
[[nodiscard]] constexpr bool AreAll(const Members& members) {
    const auto bytes = [](auto... member) {
        return (sizeof(std::declval<Tables>().*member) + ...);
    };
    constexpr std::size_t kAlignment = alignof(Tables);
    return (std::apply(bytes, members) + kAlignment - 1) / kAlignment * kAlignment ==
           sizeof(Tables);
}

/// Every member of EngineTables.
inline constexpr std::tuple kEngineTables{
    &EngineTables::roots,         &EngineTables::ids,
    &EngineTables::compute_nodes, &EngineTables::io_nodes,
    &EngineTables::routing_order, &EngineTables::hop_weights,
    &EngineTables::ignored,       &EngineTables::search,
    &EngineTables::search_ports,  &EngineTables::lfts,
    &EngineTables::lft_ports,     &EngineTables::lft_owners,
    &EngineTables::matrix,        &EngineTables::matrix_hops,
    &EngineTables::matrix_owners, &EngineTables::torus,
    &EngineTables::torus_seeds,   &EngineTables::torus_ports,
    &EngineTables::has_roots,     &EngineTables::has_compute_nodes,
    &EngineTables::has_io_nodes,  &EngineTables::has_lfts,
    &EngineTables::has_matrix};
static_assert(AreAll<EngineTables>(kEngineTables), "every member of EngineTables is compared");

/// Every member of ManagerTables.
inline constexpr std::tuple kManagerTables{&ManagerTables::edge_ports,
                                           &ManagerTables::prefix_routes,
                                           &ManagerTables::registrations,
                                           &ManagerTables::node_names,
                                           &ManagerTables::name_octets,
                                           &ManagerTables::partitions,
                                           &ManagerTables::partition_names,
                                           &ManagerTables::partition_ports,
                                           &ManagerTables::partition_classes,
                                           &ManagerTables::partition_groups,
                                           &ManagerTables::qos_levels,
                                           &ManagerTables::qos_level_ranges,
                                           &ManagerTables::qos_groups,
                                           &ManagerTables::qos_group_ranges,
                                           &ManagerTables::qos_port_names,
                                           &ManagerTables::qos_port_name_octets,
                                           &ManagerTables::qos_rules,
                                           &ManagerTables::qos_rule_ranges,
                                           &ManagerTables::qos_rule_lines,
                                           &ManagerTables::qos_names,
                                           &ManagerTables::m_keys,
                                           &ManagerTables::neighbors,
                                           &ManagerTables::port_lids,
                                           &ManagerTables::bandwidth_sets,
                                           &ManagerTables::bandwidth_rules,
                                           &ManagerTables::bandwidth_groups,
                                           &ManagerTables::bandwidth_virtual_rules,
                                           &ManagerTables::has_bandwidth,
                                           &ManagerTables::port_groups,
                                           &ManagerTables::port_group_rules,
                                           &ManagerTables::port_group_hosts,
                                           &ManagerTables::port_group_host_octets,
                                           &ManagerTables::name_patterns,
                                           &ManagerTables::name_pattern_cells,
                                           &ManagerTables::name_pattern_classes,
                                           &ManagerTables::port_group_names,
                                           &ManagerTables::topologies,
                                           &ManagerTables::chain_steps,
                                           &ManagerTables::step_tables};
static_assert(AreAll<ManagerTables>(kManagerTables), "every member of ManagerTables is compared");

}  // namespace ember
