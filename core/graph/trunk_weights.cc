// SPDX-License-Identifier: Apache-2.0
// EmberSM: what each link counts, by hop_weights_file.

#include "core/graph/trunk_weights.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void TrunkWeights::Begin(const Topology& topology, std::span<const HopWeight> lines,
                         Arena& scratch) {
    topology_ = &topology;
    weights_ = {};
    if (lines.empty()) return;

    weights_ = scratch.Take<std::uint8_t>(topology.all_exits().size());
    std::fill(weights_.begin(), weights_.end(), std::uint8_t{1});
    Guid guid = kNoGuid;
    SwitchIndex at = kNoSwitch;
    for (const HopWeight& line : lines) {
        EMBER_ASSERT(line.hops >= 1);
        if (line.guid != guid) {  // Lines for a switch mostly come together.
            guid = line.guid;
            at = topology.FindSwitch(guid);
        }
        if (at == kNoSwitch) continue;
        const auto trunks = topology.trunks(at);
        for (std::size_t i = 0; i < trunks.size(); ++i) {
            if (trunks[i].port != line.port) continue;
            weights_[topology.switch_row(at).first_trunk + i] = line.hops;
        }
    }
}

}  // namespace ember
