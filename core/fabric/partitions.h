// SPDX-License-Identifier: Apache-2.0
// EmberSM: which partitions ports are in, and so which ports may communicate.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/wire/p_key_table.h"

namespace ember {

/// The bits of a P_Key that name the partition; the top bit is the kind of membership.
inline constexpr std::uint16_t kPKeyBase = 0x7FFF;

/// `p_key` names a partition: its base is not 0. IBA vol. 1, 10.9.1.
[[nodiscard]] constexpr bool NamesPartition(std::uint16_t p_key) {
    return (p_key & kPKeyBase) != 0;
}

/// Both P_Keys name the same partition, whichever membership each of them says.
[[nodiscard]] constexpr bool SamePartition(std::uint16_t one, std::uint16_t other) {
    return ((one ^ other) & kPKeyBase) == 0;
}

/// The partitions of the subnet. All decisions about membership are made here and nowhere else.
///
/// Partitions are not managed: every port of a live node is a full member of the default partition
/// (kDefaultPKey), as under OpenSM without a partition file, and of no other.
class Partitions {
public:
    /// `fabric` outlives the partitions.
    explicit Partitions(const Fabric& fabric) : fabric_(fabric) {}

    /// Ports `one` and `other` may communicate: they share a partition. A port may with itself.
    /// Both are rows of the port table; the port of a node that is gone shares none.
    [[nodiscard]] bool Share(PortIndex one, PortIndex other) const {
        return IsMember(one) && IsMember(other);
    }
    /// They may communicate in the partition of `p_key`, whichever membership it says.
    [[nodiscard]] bool Share(PortIndex one, PortIndex other, std::uint16_t p_key) const {
        return SamePartition(p_key, kDefaultPKey) && Share(one, other);
    }
    /// `port` is in the partition of `p_key`, whichever membership it says.
    [[nodiscard]] bool Holds(PortIndex port, std::uint16_t p_key) const {
        return SamePartition(p_key, kDefaultPKey) && IsMember(port);
    }
    /// The lowest P_Key by which two ports may communicate; kNoPKey: there is none.
    [[nodiscard]] std::uint16_t First(PortIndex one, PortIndex other) const {
        return Share(one, other) ? kDefaultPKey : kNoPKey;
    }

private:
    /// In the default partition.
    [[nodiscard]] bool IsMember(PortIndex port) const { return fabric_.port(port).node != kNoNode; }

    const Fabric& fabric_;
};

}  // namespace ember
