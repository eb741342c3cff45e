// SPDX-License-Identifier: Apache-2.0
// EmberSM: how high LIDs may be, by the LinearFDBCaps of switches.

#include "core/lids/linear_caps.h"

#include "core/base/assert.h"
#include "core/fabric/untrusted_switches.h"

namespace ember {

std::uint32_t RoomOf(const Switch& row) {
    const std::uint32_t cap = row.info.Get(SwitchInfo::kLinearFdbCap);
    return cap > 1 ? cap : Raw(kTopUnicastLid) + 1U;
}

NodeIndex OwnSwitchOf(const Fabric& fabric) {
    if (fabric.own_port() == kNoPortIndex) return kNoNode;
    const Port& own = fabric.port(fabric.own_port());
    if (fabric.node(own.node).type == NodeType::kSwitch) return own.node;
    if (own.peer == kNoPortIndex) return kNoNode;
    const NodeIndex beyond = fabric.port(own.peer).node;
    return fabric.node(beyond).type == NodeType::kSwitch ? beyond : kNoNode;
}

std::uint32_t TopLidForMost(const Fabric& fabric) {
    EMBER_ASSERT(fabric.max_lid() <= 0xBFFF);
    std::uint32_t top = fabric.max_lid();
    for (std::uint32_t least = 0; least < top;) {  // Ends: the range is halved.
        const std::uint32_t middle = (least + top + 1) / 2;
        std::size_t holders = 0;
        std::size_t voters = 0;
        ForEachSwitch(fabric, [&](SwitchIndex, const Switch& row) {
            if (IsUntrustedSwitch(fabric, fabric.node(row.node))) return;
            ++voters;
            if (RoomOf(row) > middle) ++holders;
        });
        if (holders * 2 >= voters) {
            least = middle;
        } else {
            top = middle - 1;
        }
    }
    return top;
}

}  // namespace ember
