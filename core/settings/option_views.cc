// SPDX-License-Identifier: Apache-2.0
// EmberSM: whether two configurations' option files show the same.
#include "core/settings/option_views.h"

namespace ember {
namespace {

/// The tables on which the parts of the subnet that a chain routes depend.
constexpr std::tuple kChainTables{&ManagerTables::topologies,
                                  &ManagerTables::port_groups,
                                  &ManagerTables::port_group_rules,
                                  &ManagerTables::port_group_hosts,
                                  &ManagerTables::port_group_host_octets,
                                  &ManagerTables::name_patterns,
                                  &ManagerTables::name_pattern_cells,
                                  &ManagerTables::name_pattern_classes};

}  // namespace

bool EngineTables::operator==(const EngineTables& other) const {
    return ShowTheSame(*this, other, kEngineTables);
}

bool ManagerTables::operator==(const ManagerTables& other) const {
    return ShowTheSame(*this, other, kManagerTables);
}

bool ChainAlike(const ManagerTables& one, const ManagerTables& two) {
    if (!ShowTheSame(one.chain_steps, two.chain_steps)) return false;
    return one.chain_steps.empty() ||
           (ShowTheSame(one, two, kChainTables) && ShowTheSame(one.step_tables, two.step_tables));
}

}  // namespace ember
