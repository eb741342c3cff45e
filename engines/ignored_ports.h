// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports whose routes are not counted.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/topology.h"
#include "core/settings.h"

namespace ember {

/// The lines of port_prof_ignore_file: routes through these ports of switches are not counted, so
/// the ports seem to be free for ever. A line about a switch or port that is not there says
/// nothing.
class IgnoredPorts {
public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<bool>(limits.max_ports);
    }

    /// Takes nothing from `scratch` when there are no lines.
    void Begin(const Topology& topology, std::span<const SwitchPort> lines, Arena& scratch) {
        flags_ = {};
        if (lines.empty()) return;
        flags_ = scratch.Take<bool>(topology.all_exits().size());
        for (const SwitchPort& line : lines) {
            const SwitchIndex at = topology.FindSwitch(line.guid);
            if (at == kNoSwitch || Raw(line.port) > topology.switch_row(at).port_count) continue;
            flags_[topology.switch_row(at).first_exit + Raw(line.port)] = true;
        }
    }

    /// By port, port 0 first; empty when no port of any switch is ignored.
    [[nodiscard]] std::span<const bool> of(const RoutingSwitch& row) const {
        if (flags_.empty()) return {};
        return flags_.subspan(row.first_exit, row.port_count + std::size_t{1});
    }

private:
    std::span<bool> flags_;  ///< By row of an exit.
};

}  // namespace ember
