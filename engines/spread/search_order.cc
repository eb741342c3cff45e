// SPDX-License-Identifier: Apache-2.0
// EmberSM: the order in which the ports of a switch are looked at.

#include "engines/spread/search_order.h"

#include <array>

namespace ember {

bool IsSearchable(std::span<const PortNumber> ports, std::size_t port_count) {
    std::array<bool, 256> seen{};
    for (const PortNumber port : ports) {
        if (port == kManagementPort || Raw(port) > port_count || seen[Raw(port)]) return false;
        seen[Raw(port)] = true;
    }
    return true;
}

void SearchOrder::Begin(const Topology& topology, const EngineTables& tables, Arena& scratch) {
    tables_ = &tables;
    lines_ = {};
    if (tables.search.empty()) return;

    lines_ =
        Table<SwitchIndex, std::uint32_t>(scratch.Take<std::uint32_t>(topology.switch_bound()));
    lines_.fill(kNoLine);
    for (std::size_t i = 0; i < tables.search.size(); ++i) {
        const SwitchIndex at = topology.FindSwitch(tables.search[i].guid);
        if (at == kNoSwitch) continue;
        const bool is_fine = IsSearchable(PortsOf(i), topology.switch_row(at).port_count);
        if (is_fine) lines_[at] = static_cast<std::uint32_t>(i);
    }
}

}  // namespace ember
