// SPDX-License-Identifier: Apache-2.0
// EmberSM: lies about lanes, partitions, keys, types and what a device can.
#include "core/wire/node_info.h"
#include "core/wire/port_info.h"
#include "core/wire/switch_info.h"
#include "tests/swarm/altering.h"
#include "tests/swarm/deceiver.h"

namespace ember::swarm {
namespace {

using net::Random;
using Deed = sim::Liar::Deed;

std::uint8_t Octet(Random& random, std::uint32_t below) {
    return static_cast<std::uint8_t>(random.Below(below));
}

bool IsTable(AttributeId attribute) {
    return attribute == AttributeId::kSlToVlMappingTable ||
           attribute == AttributeId::kVlArbitrationTable || attribute == AttributeId::kPKeyTable ||
           attribute == AttributeId::kGuidInfo;
}
bool IsForwarding(AttributeId attribute) {
    return attribute == AttributeId::kLinearForwardingTable ||
           attribute == AttributeId::kMulticastForwardingTable;
}

void Scribble(AttributeId attribute, Mad& answer, Random& random) {
    if (answer.header.attribute_id != attribute || StatusOf(answer.header) != 0) return;
    SmpData data = DataOf(answer);
    for (std::uint8_t& octet : data) {
        if (random.Below(3) == 0) octet = Octet(random, 256);
    }
    Write(answer, data);
}

void TellOtherMaps(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Scribble(AttributeId::kSlToVlMappingTable, answer, random);
}
void TellOtherPKeys(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Scribble(AttributeId::kPKeyTable, answer, random);
}

void TellOtherGuids(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Scribble(AttributeId::kGuidInfo, answer, random);
    Alter<PortInfo>(AttributeId::kPortInfo, answer,
                    [&](PortInfo& info) { info.Set(PortInfo::kGuidCap, Octet(random, 256)); });
}

void TellOtherLanes(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<PortInfo>(AttributeId::kPortInfo, answer, [&](PortInfo& info) {
        if (random.Below(2) == 0) {
            info.Set(PortInfo::kOperationalVls, static_cast<VlCap>(Octet(random, 16)));
        } else {
            info.Set(PortInfo::kVlCap, static_cast<VlCap>(Octet(random, 16)));
        }
    });
}

void TellOtherArbitration(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<PortInfo>(AttributeId::kPortInfo, answer, [&](PortInfo& info) {
        info.Set(PortInfo::kVlArbitrationHighCap, Octet(random, 256));
        info.Set(PortInfo::kVlArbitrationLowCap, Octet(random, 256));
        info.Set(PortInfo::kVlHighLimit, Octet(random, 256));
    });
}

void TellOtherCaps(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    constexpr std::array<std::uint16_t, 6> kCaps = {0, 1, 31, 32, 64, 65535};
    Alter<NodeInfo>(AttributeId::kNodeInfo, answer, [&](NodeInfo& info) {
        info.Set(NodeInfo::kPartitionCap, OneOf(random, kCaps));
    });
    Alter<SwitchInfo>(AttributeId::kSwitchInfo, answer, [&](SwitchInfo& info) {
        info.Set(SwitchInfo::kPartitionEnforcementCap, OneOf(random, kCaps));
    });
}

void TellOtherKeys(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<PortInfo>(AttributeId::kPortInfo, answer, [&](PortInfo& info) {
        info.Set(PortInfo::kMKey, random.Below(3) == 0 ? 0 : random.Next());
        info.Set(PortInfo::kMKeyProtectBits, Octet(random, 4));
        info.Set(PortInfo::kMKeyLeasePeriod, static_cast<std::uint16_t>(random.Next()));
    });
}

void TellOtherMask(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<PortInfo>(AttributeId::kPortInfo, answer, [&](PortInfo& info) {
        info.Set(PortInfo::kCapabilityMask, static_cast<std::uint32_t>(random.Next()));
    });
}

/// Port 0 does not say that the switch has SL to VL maps.
void HideMaps(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& /*random*/) {
    Alter<PortInfo>(AttributeId::kPortInfo, answer, [](PortInfo& info) {
        info.Set(PortInfo::kCapabilityMask,
                 info.Get(PortInfo::kCapabilityMask) & ~capability_mask::kIsSlMappingSupported);
    });
}

void TellOtherType(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<NodeInfo>(AttributeId::kNodeInfo, answer, [&](NodeInfo& info) {
        info.Set(NodeInfo::kNodeType, static_cast<NodeType>(1 + random.Below(4)));
    });
}

void TellOtherPortCount(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<NodeInfo>(AttributeId::kNodeInfo, answer, [&](NodeInfo& info) {
        info.Set(NodeInfo::kNumPorts, Octet(random, 256));
        info.Set(NodeInfo::kLocalPortNum, PortNumber{Octet(random, 40)});
    });
}

void TellOtherPort0(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<SwitchInfo>(AttributeId::kSwitchInfo, answer, [&](SwitchInfo& info) {
        info.Set(SwitchInfo::kEnhancedPort0, Octet(random, 2));
        info.Set(SwitchInfo::kMulticastFdbTop, static_cast<Lid>(random.Next()));
    });
}

void RefuseTables(const Lying& /*by*/, const Mad& asked, Mad& answer, Random& random) {
    constexpr std::array kStatuses = {kMadStatusInvalidField, kMadStatusBadMethodAttribute,
                                      kMadStatusBusy};
    if (IsTable(asked.header.attribute_id)) answer.header.status = OneOf(random, kStatuses);
}

void TellTheTruth(const Lying& /*by*/, const Mad& /*asked*/, Mad& /*answer*/, Random& /*random*/) {}

Deed ShamTables(const Mad& asked) {
    const bool is_set = asked.header.method == Method::kSet;
    return is_set && IsTable(asked.header.attribute_id) ? Deed::kSham : Deed::kAct;
}
Deed DeafToTables(const Mad& asked) {
    return IsTable(asked.header.attribute_id) ? Deed::kDeaf : Deed::kAct;
}
Deed ShamRoutes(const Mad& asked) {
    const bool is_set = asked.header.method == Method::kSet;
    return is_set && IsForwarding(asked.header.attribute_id) ? Deed::kSham : Deed::kAct;
}
Deed ShamPorts(const Mad& asked) {
    const bool is_set = asked.header.method == Method::kSet;
    return is_set && asked.header.attribute_id == AttributeId::kPortInfo ? Deed::kSham : Deed::kAct;
}

// clang-format off
constexpr std::array kTwists = {
    //      name                  hosts  switches  tells                 does
    LieKind{"other maps",         true,  true,     TellOtherMaps,        nullptr},
    LieKind{"other P_Keys",       true,  true,     TellOtherPKeys,       nullptr},
    LieKind{"other GUIDs",        true,  true,     TellOtherGuids,       nullptr},
    LieKind{"other lanes",        true,  true,     TellOtherLanes,       nullptr},
    LieKind{"other arbitration",  true,  true,     TellOtherArbitration, nullptr},
    LieKind{"other caps",         true,  true,     TellOtherCaps,        nullptr},
    LieKind{"other M_Keys",       true,  true,     TellOtherKeys,        nullptr},
    LieKind{"other mask",         true,  true,     TellOtherMask,        nullptr},
    LieKind{"hides maps",         false, true,     HideMaps,             nullptr},
    LieKind{"other type",         true,  true,     TellOtherType,        nullptr},
    LieKind{"other port count",   true,  true,     TellOtherPortCount,   nullptr},
    LieKind{"other port 0",       false, true,     TellOtherPort0,       nullptr},
    LieKind{"refuses tables",     true,  true,     RefuseTables,         nullptr},
    LieKind{"shams tables",       true,  true,     TellTheTruth,         ShamTables},
    LieKind{"deaf to tables",     true,  true,     TellTheTruth,         DeafToTables},
    LieKind{"shams routes",       false, true,     TellTheTruth,         ShamRoutes},
    LieKind{"shams ports",        true,  true,     TellTheTruth,         ShamPorts},
};
// clang-format on

}  // namespace

std::span<const LieKind> Twists() {
    return kTwists;
}

}  // namespace ember::swarm
