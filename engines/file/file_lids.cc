// SPDX-License-Identifier: Apache-2.0
// EmberSM: the LIDs of an old dump translated into those of today.

#include "engines/file/file_lids.h"

#include <algorithm>

namespace ember {

void FileLids::Begin(const Topology& topology, std::span<const LidOwner> owners, std::size_t lids,
                     Arena& scratch) {
    const std::size_t top = Raw(topology.top_lid());
    today_ = scratch.Take<Lid>(std::min(lids, kMostLids));
    for (std::size_t lid = 0; lid < today_.size(); ++lid) {
        today_[lid] = lid <= top ? static_cast<Lid>(lid) : kNoLid;
    }
    topology_ = &topology;
    owners_ = owners;
}

Progress FileLids::Advance() {
    const std::size_t count = std::min(owners_.size(), kOwnersPerSlice);
    for (const LidOwner& owner : owners_.first(count)) {
        if (Raw(owner.lid) >= today_.size()) continue;
        const DestinationIndex at = topology_->FindDestination(owner.port_guid);
        if (at == kNoDestination) continue;
        const Destination& port = topology_->destination(at);
        const auto old = static_cast<std::uint32_t>(Raw(owner.lid));
        const std::uint32_t base = Raw(port.lid);
        const bool kept = old >= base && old < base + port.lid_count();
        const std::uint32_t now = kept ? old : base + (old & (port.lid_count() - 1));
        // The number `now` of the dump was another port's. If that one is here its own owner's line
        // translates it, before or after this one.
        if (!kept && now < today_.size() && today_[now] == static_cast<Lid>(now)) {
            today_[now] = kNoLid;
        }
        today_[old] = static_cast<Lid>(now);
    }
    owners_ = owners_.subspan(count);
    return owners_.empty() ? Progress::kDone : Progress::kMore;
}

}  // namespace ember
