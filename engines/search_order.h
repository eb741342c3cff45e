// SPDX-License-Identifier: Apache-2.0
// EmberSM: in which order the ports of a switch are looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/settings.h"

namespace ember {

/// The lines of port_search_ordering_file, by switch. A line that names a port twice, port 0 or one
/// that the switch does not have is left out whole, as in OpenSM 3.3.23.
class SearchOrder {
public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint32_t>(limits.max_switches);
    }

    /// Takes nothing from `scratch` when there are no lines. `tables` stands still meanwhile.
    void Begin(const Topology& topology, const OptionTables& tables, Arena& scratch);

    /// The ports that come first, in order; the others follow by number. Empty: no line.
    [[nodiscard]] std::span<const PortNumber> of(SwitchIndex at) const {
        if (lines_.size() == 0 || lines_[at] == kNoLine) return {};
        return PortsOf(lines_[at]);
    }

private:
    static constexpr std::uint32_t kNoLine = 0xFFFFFFFF;

    [[nodiscard]] std::span<const PortNumber> PortsOf(std::size_t line) const {
        return tables_->search_ports.subspan(tables_->search[line].first,
                                             tables_->search[line].count);
    }

    const OptionTables* tables_ = nullptr;
    Table<SwitchIndex, std::uint32_t> lines_;  ///< Rows of OptionTables::search.
};

/// Whether a switch with `port_count` ports can be searched in this order: each port is one of its
/// own, none is named twice.
[[nodiscard]] bool IsSearchable(std::span<const PortNumber> ports, std::size_t port_count);

}  // namespace ember
