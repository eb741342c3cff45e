// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports whose routes are not counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "core/settings/engine_options.h"

namespace ember {

/// The lines of port_prof_ignore_file: routes through these ports of switches are not counted, so
/// the ports always seem to be free. A line about a switch or port that is not there is skipped.
class IgnoredPorts {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<bool>(limits.max_ports);
    }

    /// Takes nothing from `scratch` when there are no lines. `lines` stays unchanged until
    /// Advance() returns kDone.
    void Begin(const Topology& topology, std::span<const SwitchPort> lines, Arena& scratch) {
        topology_ = &topology;
        lines_ = lines;
        flags_ = {};
        if (!lines.empty()) flags_ = scratch.Take<bool>(topology.all_exits().size());
    }
    /// Looks at a bounded number of lines.
    Progress Advance() {
        const std::size_t count = std::min(lines_.size(), kLinesPerSlice);
        for (const SwitchPort& line : lines_.first(count)) {
            const SwitchIndex at = topology_->FindSwitch(line.guid);
            if (at == kNoSwitch || Raw(line.port) > topology_->switch_row(at).port_count) continue;
            flags_[topology_->switch_row(at).first_exit + Raw(line.port)] = true;
        }
        lines_ = lines_.subspan(count);
        return lines_.empty() ? Progress::kDone : Progress::kMore;
    }

    /// By port, port 0 first; empty when no port of any switch is ignored.
    [[nodiscard]] std::span<const bool> of(const RoutingSwitch& row) const {
        if (flags_.empty()) return {};
        return flags_.subspan(row.first_exit, row.port_count + std::size_t{1});
    }

private:
    static constexpr std::size_t kLinesPerSlice = 2048;

    const Topology* topology_ = nullptr;
    std::span<const SwitchPort> lines_;  ///< Not looked at yet.
    std::span<bool> flags_;              ///< By row of an exit.
};

}  // namespace ember
