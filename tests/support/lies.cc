// SPDX-License-Identifier: Apache-2.0
// EmberSM: answers of simulated agents that are broken or hostile.
#include "tests/support/lies.h"

#include <bit>

#include "core/wire/node_info.h"
#include "core/wire/port_info.h"
#include "core/wire/smp.h"
#include "core/wire/switch_info.h"

namespace ember::testing {
namespace {

void LieAboutNode(Lie lie, NodeInfo& info) {
    switch (lie) {
        case Lie::kNoPorts:
            info.Set(NodeInfo::kNumPorts, std::uint8_t{0});
            break;
        case Lie::kManyPorts:
            info.Set(NodeInfo::kNumPorts, std::uint8_t{255});
            break;
        case Lie::kNoGuids:
            info.Set(NodeInfo::kNodeGuid, kNoGuid);
            info.Set(NodeInfo::kPortGuid, kNoGuid);
            break;
        case Lie::kWrongLocalPort:
            info.Set(NodeInfo::kLocalPortNum, PortNumber{254});
            break;
        case Lie::kStrangeType:
            info.Set(NodeInfo::kNodeType, NodeType{9});
            break;
        case Lie::kNone:
        case Lie::kNoFdb:
        case Lie::kStrangeState:
        case Lie::kStrangeLid:
        case Lie::kRefuses:
        case Lie::kRubbish:
        case Lie::kWrongMethod:
        case Lie::kWrongAttribute:
        case Lie::kCount:
            break;
    }
}

void LieAboutPort(Lie lie, PortInfo& info) {
    if (lie == Lie::kStrangeState) {
        info.Set(PortInfo::kPortState, PortState{15});
        info.Set(PortInfo::kMtuCap, Mtu{15});
        info.Set(PortInfo::kNeighborMtu, Mtu{15});
        info.Set(PortInfo::kVlCap, VlCap{15});
    } else if (lie == Lie::kStrangeLid) {
        info.Set(PortInfo::kLid, kPermissiveLid);
        info.Set(PortInfo::kLmc, std::uint8_t{7});
    }
}

}  // namespace

bool Lies::Answer(std::uint32_t node, const Mad& /*asked*/, Mad& mad) {
    const auto told = lies_.find(node);
    const Lie lie = told == lies_.end() ? Lie::kNone : told->second;
    if (lie == Lie::kNone) return true;
    auto smp = std::bit_cast<LidSmp>(mad);
    const AttributeId attribute = smp.header.attribute_id;
    if (attribute == AttributeId::kNodeInfo) {
        auto info = std::bit_cast<NodeInfo>(smp.data);
        LieAboutNode(lie, info);
        smp.data = info.octets();
    } else if (attribute == AttributeId::kPortInfo) {
        auto info = std::bit_cast<PortInfo>(smp.data);
        LieAboutPort(lie, info);
        smp.data = info.octets();
    } else if (attribute == AttributeId::kSwitchInfo && lie == Lie::kNoFdb) {
        auto info = std::bit_cast<SwitchInfo>(smp.data);
        info.Set(SwitchInfo::kLinearFdbCap, std::uint16_t{0});
        smp.data = info.octets();
    }
    if (lie == Lie::kRefuses) smp.header.status = kMadStatusInvalidField;
    if (lie == Lie::kWrongMethod) smp.header.method = Method::kSet;
    if (lie == Lie::kWrongAttribute) {
        smp.header.attribute_id = static_cast<AttributeId>(Raw(attribute) + 1);
    }
    if (lie == Lie::kRubbish) {
        for (std::uint8_t& octet : smp.data) {
            octet = static_cast<std::uint8_t>(random_.Next());
        }
    }
    mad = std::bit_cast<Mad>(smp);
    return true;
}

}  // namespace ember::testing
