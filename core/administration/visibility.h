// SPDX-License-Identifier: Apache-2.0
// EmberSM: who may know of whom: which partitions two ports share.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/wire/p_key_table.h"

namespace ember {

// The one place that decides what partitions allow. Partitions are not managed: every port is a
// full member of the default partition, as under OpenSM without a partition file, and of no other.

/// The bits of a P_Key that name the partition; the top bit is the kind of membership.
inline constexpr std::uint16_t kPKeyBase = 0x7FFF;

/// Two ports, each any port of a live node, may communicate; a port may with itself.
[[nodiscard]] inline bool SharesPartition(const Fabric& fabric, PortIndex one, PortIndex other) {
    return fabric.port(one).node != kNoNode && fabric.port(other).node != kNoNode;
}

/// They may communicate in the partition of `p_key`, whichever membership it names.
[[nodiscard]] inline bool SharesPKey(const Fabric& fabric,
                                     PortIndex one,
                                     PortIndex other,
                                     std::uint16_t p_key) {
    return (p_key & kPKeyBase) == (kDefaultPKey & kPKeyBase) && SharesPartition(fabric, one, other);
}

/// The lowest P_Key by which they may communicate; kNoPKey when there is none.
[[nodiscard]] inline std::uint16_t SharedPKey(const Fabric& fabric,
                                              PortIndex one,
                                              PortIndex other) {
    return SharesPartition(fabric, one, other) ? kDefaultPKey : kNoPKey;
}

}  // namespace ember
