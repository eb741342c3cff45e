// SPDX-License-Identifier: Apache-2.0
// EmberSM: the order in which the ports of a switch are looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/topology.h"
#include "core/settings/engine_options.h"

namespace ember {

/// The lines of port_search_ordering_file, by switch. As in OpenSM 3.3.23, a line is left out whole
/// when it names a port twice, port 0, or a port that the switch does not have.
class SearchOrder {
public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint32_t>(limits.max_switches);
    }

    /// Takes nothing from `scratch` when there are no lines. `tables` stays unchanged while the
    /// order is used.
    void Begin(const Topology& topology, const EngineTables& tables, Arena& scratch);

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

    const EngineTables* tables_ = nullptr;
    Table<SwitchIndex, std::uint32_t> lines_;  ///< Rows of EngineTables::search.
};

/// Whether `ports` is a search order for a switch with `port_count` external ports: each is a port
/// of the switch, none is port 0, none is named twice.
[[nodiscard]] bool IsSearchable(std::span<const PortNumber> ports, std::size_t port_count);

}  // namespace ember
