// SPDX-License-Identifier: Apache-2.0
// EmberSM: which port groups of qos_policy_file a port is in.
#include "core/port_groups/port_groups.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "core/base/assert.h"

namespace ember {
namespace {

/// Whether a number is in one of the ranges, which ascend.
[[nodiscard]] bool IsAmong(std::span<const QosRange> ranges, std::uint64_t number) {
    const auto behind =
        std::partition_point(ranges.begin(), ranges.end(),
                             [number](const QosRange& range) { return range.to < number; });
    return behind != ranges.end() && behind->from <= number;
}

}  // namespace

void PortGroups::FindGroups(PortIndex at, const BitSet& groups) const {
    EMBER_ASSERT(groups.words().size() * 64 >= kMostQosGroups);
    for (std::size_t i = 0; i < tables().qos_groups.size(); ++i) {
        if (IsIn(tables().qos_groups[i], at)) groups.Add(i);
    }
    if (!tables().qos_port_names.empty()) FindNamed(at, groups);
}

bool PortGroups::IsIn(const QosGroup& group, PortIndex at) const {
    const Port& port = fabric_.port(at);
    const bool is_self = at == fabric_.own_port();
    if ((group.node_types & TypeBit(fabric_.node(port.node).type)) != 0) return true;
    if (is_self && (group.node_types & qos_node_type::kSelf) != 0) return true;
    EMBER_ASSERT(std::size_t{group.first} + RangesOf(group) <= tables().qos_group_ranges.size());
    const auto ranges = tables().qos_group_ranges.subspan(group.first, RangesOf(group));
    if (IsAmong(ranges.first(group.guids), Raw(port.guid))) return true;
    // At most kMostQosGroupPKeys of all groups.
    for (const QosRange& range : ranges.subspan(group.guids)) {
        for (std::uint64_t p_key = range.from; p_key <= range.to; ++p_key) {
            if (partitions_.Holds(at, static_cast<std::uint16_t>(p_key))) return true;
        }
    }
    return false;
}

/// Adds the groups that name the port. Its node is called as in the log: by node_name_map_name,
/// else by its NodeDescription.
void PortGroups::FindNamed(PortIndex at, const BitSet& groups) const {
    const Port& port = fabric_.port(at);
    const Node& node = fabric_.node(port.node);
    std::array<char, kMostNameOctets> room{};
    const std::string_view name(room.data(), names_.NameOf(node.guid, room));
    const auto octets_of = [this](const QosPortName& row) {
        EMBER_ASSERT(std::size_t{row.first} + row.octets <= tables().qos_port_name_octets.size());
        return tables().qos_port_name_octets.subspan(row.first, row.octets);
    };
    const auto is_before = [](std::uint8_t octet, char c) {
        return octet < static_cast<std::uint8_t>(c);
    };
    const auto& rows = tables().qos_port_names;
    auto row = std::partition_point(rows.begin(), rows.end(), [&](const QosPortName& candidate) {
        const auto octets = octets_of(candidate);
        const auto differs = std::mismatch(
            octets.begin(), octets.end(), name.begin(), name.end(),
            [](std::uint8_t octet, char c) { return octet == static_cast<std::uint8_t>(c); });
        if (differs.first == octets.end()) return differs.second != name.end();
        return differs.second != name.end() && is_before(*differs.first, *differs.second);
    });
    for (; row != rows.end(); ++row) {
        const auto octets = octets_of(*row);
        const bool is_its = std::equal(
            octets.begin(), octets.end(), name.begin(), name.end(),
            [](std::uint8_t octet, char c) { return octet == static_cast<std::uint8_t>(c); });
        if (!is_its) return;
        // Switches have one end port, which stands for all of them.
        const bool is_port = node.type == NodeType::kSwitch ? row->port <= node.port_count
                                                            : row->port == Raw(port.number);
        if (is_port) groups.Add(row->group);
    }
}

}  // namespace ember
