// SPDX-License-Identifier: Apache-2.0
// EmberSM: what each link counts, by hop_weights_file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"
#include "core/settings/engine_options.h"

namespace ember {

/// The weight of each trunk, seen from the end that sends into it: 1 unless hop_weights_file says
/// otherwise, so the two directions of a link may differ. A line about a switch or port that is not
/// there, or about a link to a host, has no effect, as in OpenSM 3.3.23.
class TrunkWeights {
public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint8_t>(limits.max_ports);
    }

    /// Takes nothing from `scratch` when there are no lines.
    void Begin(const Topology& topology, std::span<const HopWeight> lines, Arena& scratch);

    /// There are no lines: every trunk counts 1, and of() must not be asked.
    [[nodiscard]] bool empty() const { return weights_.empty(); }
    /// Side by side with Topology::trunks(at).
    [[nodiscard]] std::span<const std::uint8_t> of(SwitchIndex at) const {
        const RoutingSwitch& row = topology_->switch_row(at);
        return weights_.subspan(row.first_trunk, row.trunk_count);
    }

private:
    const Topology* topology_ = nullptr;
    std::span<std::uint8_t> weights_;  ///< By row of a trunk.
};

}  // namespace ember
