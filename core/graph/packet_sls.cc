// SPDX-License-Identifier: Apache-2.0
// EmberSM: which service levels packets have.

#include "core/graph/packet_sls.h"

#include "core/base/assert.h"

namespace ember {

PacketSls::Pair PacketSls::PairOf(SwitchIndex from, const Target& to) const {
    const PathSl& path_sl = lanes_->path_sl;
    Pair pair{.forth = path_sl.Of({.from = from, .to = to.at, .lid = to.lid})};
    if (path_sl.is_two_way()) {
        pair.back = pair.forth;
    } else if (!path_sl.is_by_lid()) {
        pair.back = path_sl.Of({.from = to.at, .to = from, .lid = kNoLid});
    }
    return pair;
}

unsigned PacketSls::Of(SwitchIndex from, PortNumber in, const Target& to, const Pair& pair,
                       bool may_be_0) const {
    if (pair.forth == kNoSl) return 0;
    EMBER_ASSERT(pair.forth < kServiceLevels && (pair.forth & lanes_->level_bit) == 0);
    const unsigned sls = 1U << pair.forth | Back(from, in, to, pair) | (may_be_0 ? 1U : 0U);
    return sls | sls << lanes_->level_bit;
}

/// The SLs of the paths from the LID's owner to a sender: its answers have them.
unsigned PacketSls::Back(SwitchIndex from, PortNumber in, const Target& to,
                         const Pair& pair) const {
    const DestinationIndex destination = topology_->exit(from, in).destination;
    if (destination == kNoDestination || lanes_->is_one_way) return 0;
    if (pair.back != kNoSl) return 1U << pair.back;
    const Destination& row = topology_->destination(destination);
    unsigned sls = 0;
    for (std::uint32_t i = 0; i < row.lid_count(); ++i) {
        const std::uint8_t sl = lanes_->path_sl.Of(
            {.from = to.at, .to = from, .lid = static_cast<Lid>(Raw(row.lid) + i)});
        if (sl != kNoSl) sls |= 1U << sl;
    }
    return sls;
}

}  // namespace ember
