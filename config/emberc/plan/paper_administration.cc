// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet administrator of a fabric on paper.
#include "config/emberc/plan/paper_administration.h"

#include <algorithm>
#include <stdexcept>

#include "core/multicast/own_groups.h"

namespace ember::plan {
namespace {

/// Rows for hosts that do not exist: a table of no rows would have no index.
constexpr std::uint32_t kSpare = 32;
constexpr std::uint32_t kMostMlids = 0x3FE0;

constexpr std::uint32_t RoundUp(std::size_t number, std::uint32_t to) {
    return (static_cast<std::uint32_t>(number) + to - 1) / to * to;
}

/// As the fabric needs them, and as many groups and rules as the settings have.
Limits LimitsWith(const Planned& plan, const Settings& settings) {
    const ManagerTables& tables = settings.manager_tables;
    Limits limits = plan.needed();
    limits.max_groups = RoundUp(tables.partition_groups.size() + kSpare, kSpare);
    limits.max_members = kSpare;
    limits.max_mlids = std::min(limits.max_groups, kMostMlids);
    limits.max_events = kSpare;
    limits.max_alias_guids = kSpare;
    limits.max_qos_rules = RoundUp(tables.qos_rules.size(), 64);  // Words of a set.
    limits.max_qos_ranges = RoundUp(tables.qos_rule_ranges.size(), kSpare);
    return limits;
}

}  // namespace

PaperAdministration::Rooms::Rooms(const Limits& fabric, const Limits& limits)
    : link_ends(fabric.max_ports),
      ports(fabric.max_switches),
      forth(fabric.max_switches),
      back(fabric.max_switches),
      marks(QosPolicy::PortsFor(limits)),
      port_sets(QosPolicy::PortSetsFor(limits) * QosPolicy::WordsFor(limits) * 2),
      bounds(QosPolicy::BoundsFor(limits)),
      value_sets(QosPolicy::SetsFor(limits) * QosPolicy::WordsFor(limits)),
      groups(limits.max_groups),
      members(limits.max_members),
      mlids(limits.max_mlids),
      group_slots(RowIndex<GroupIndex>::SlotsFor(limits.max_groups)),
      member_slots(RowIndex<MemberIndex>::SlotsFor(limits.max_members)),
      changed(BitSet::WordsFor(limits.max_mlids)),
      events(limits.max_events),
      aliases(limits.max_alias_guids),
      alias_slots(RowIndex<AliasIndex>::SlotsFor(limits.max_alias_guids)),
      place_slots(alias_slots.size()) {}

PaperAdministration::PaperAdministration(const Planned& plan, const Settings& settings)
    : limits_(LimitsWith(plan, settings)),
      rooms_(plan.fabric().limits(), limits_),
      partitions_(plan.fabric(), settings.manager_tables),
      view_{.fabric = plan.fabric(),
            .settings = settings,
            .partitions = partitions_,
            .lfts = plan.lfts(),
            .generation = 1,
            .lanes = &plan.lanes()},
      names_(plan.fabric(), settings),
      events_(rooms_.events),
      groups_({rooms_.groups, rooms_.members, rooms_.mlids, rooms_.group_slots, rooms_.member_slots,
               rooms_.changed},
              limits_, events_),
      aliases_({rooms_.aliases, rooms_.alias_slots, rooms_.place_slots}),
      policy_({rooms_.marks, rooms_.port_sets, rooms_.bounds, rooms_.value_sets}, plan.fabric(),
              partitions_, settings),
      maker_({rooms_.link_ends, rooms_.ports, rooms_.forth, rooms_.back}, view_, aliases_,
             &policy_),
      path_records_(view_, maker_, groups_),
      members_(view_, groups_, aliases_),
      explainer_({view_, path_records_, maker_, members_, groups_}) {
    const bool has_room =
        MakeOwnGroups(groups_, settings) == Status::kOk && policy_.Load() == Status::kOk;
    if (!has_room) throw std::runtime_error("the policy does not fit any subnet manager");
}

}  // namespace ember::plan
