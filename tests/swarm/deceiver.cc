// SPDX-License-Identifier: Apache-2.0
// EmberSM: nodes that lie, and their lies.
#include "tests/swarm/deceiver.h"

#include <algorithm>
#include <bit>

#include "core/wire/node_info.h"
#include "core/wire/port_info.h"
#include "core/wire/smp.h"
#include "core/wire/switch_info.h"
#include "tests/swarm/altering.h"

namespace ember::swarm {
namespace {

using net::Random;
using Deed = sim::Liar::Deed;

const sim::SimNode& AnyNode(const Lying& by, Random& random) {
    return by.world->node(random.Below(static_cast<std::uint32_t>(by.world->node_count())));
}

void TakeAName(const Lying& by, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<NodeInfo>(AttributeId::kNodeInfo, answer, [&](NodeInfo& info) {
        const sim::SimNode& victim = AnyNode(by, random);
        info.Set(NodeInfo::kNodeGuid, victim.guid);
        const std::uint32_t row = victim.first_row + (victim.is_switch() ? 0U : 1U);
        info.Set(NodeInfo::kPortGuid, by.world->port(row).guid);
    });
}

void MakeUpAName(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<NodeInfo>(AttributeId::kNodeInfo, answer, [&](NodeInfo& info) {
        const Guid guid{0xBAD0000000000000 | random.Below(1U << 20U)};
        info.Set(NodeInfo::kNodeGuid, guid);
        info.Set(NodeInfo::kPortGuid, guid);
    });
}

void CountPortsWrong(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<NodeInfo>(AttributeId::kNodeInfo, answer, [&](NodeInfo& info) {
        const auto ports = static_cast<std::uint8_t>(1 + random.Below(12));
        info.Set(NodeInfo::kNumPorts, ports);
        info.Set(NodeInfo::kLocalPortNum,
                 PortNumber{static_cast<std::uint8_t>(1 + random.Below(ports))});
    });
}

/// Answers as a switch, by a node that is none.
void PoseAsSwitch(const Lying& /*by*/, const Mad& asked, Mad& answer, Random& random) {
    const AttributeId attribute = answer.header.attribute_id;
    if (attribute == AttributeId::kNodeInfo) {
        Alter<NodeInfo>(attribute, answer, [&](NodeInfo& info) {
            info.Set(NodeInfo::kNodeType, NodeType::kSwitch);
            info.Set(NodeInfo::kNumPorts, static_cast<std::uint8_t>(2 + random.Below(10)));
        });
        return;
    }
    answer.header.status = 0;
    SmpData data = DataOf(asked);
    if (asked.header.method == Method::kGet && attribute == AttributeId::kSwitchInfo) {
        SwitchInfo info;
        constexpr std::array<std::uint16_t, 5> kCaps = {1, 2, 48, 1024, 49152};
        info.Set(SwitchInfo::kLinearFdbCap, OneOf(random, kCaps));
        info.Set(SwitchInfo::kMulticastFdbCap, OneOf(random, kCaps));
        data = info.octets();
    } else if (attribute == AttributeId::kPortInfo) {
        PortInfo info = Read<PortInfo>(answer);
        info.Set(PortInfo::kPortState,
                 random.Below(2) == 0 ? PortState::kInitialize : PortState::kActive);
        info.Set(PortInfo::kMtuCap, Mtu::k4096);
        info.Set(PortInfo::kNeighborMtu, Mtu::k2048);
        info.Set(PortInfo::kVlCap, VlCap::kVl0);
        data = info.octets();
    }
    Write(answer, data);
}

void SayAnyState(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<PortInfo>(AttributeId::kPortInfo, answer, [&](PortInfo& info) {
        constexpr std::array kStates = {PortState::kDown, PortState::kInitialize, PortState::kArmed,
                                        PortState::kActive};
        info.Set(PortInfo::kPortState, OneOf(random, kStates));
    });
}

void SayAnyLid(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<PortInfo>(AttributeId::kPortInfo, answer, [&](PortInfo& info) {
        info.Set(PortInfo::kLid, static_cast<Lid>(random.Below(48)));
        if (random.Below(2) == 0) {
            info.Set(PortInfo::kMasterSmLid, static_cast<Lid>(random.Below(48)));
        }
        if (random.Below(4) == 0) {
            info.Set(PortInfo::kLmc, static_cast<std::uint8_t>(random.Below(8)));
        }
    });
}

void SayAnyAbility(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<PortInfo>(AttributeId::kPortInfo, answer, [&](PortInfo& info) {
        info.Set(PortInfo::kMtuCap, static_cast<Mtu>(random.Below(7)));
        info.Set(PortInfo::kNeighborMtu, static_cast<Mtu>(random.Below(7)));
        info.Set(PortInfo::kVlCap, static_cast<VlCap>(random.Below(7)));
        info.Set(PortInfo::kLinkWidthActive, static_cast<std::uint8_t>(1U << random.Below(4)));
        info.Set(PortInfo::kGuidCap, static_cast<std::uint8_t>(random.Next()));
    });
    Alter<NodeInfo>(AttributeId::kNodeInfo, answer, [&](NodeInfo& info) {
        constexpr std::array<std::uint16_t, 4> kCaps = {0, 1, 64, 65535};
        info.Set(NodeInfo::kPartitionCap, OneOf(random, kCaps));
    });
}

void SayIsManager(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& /*random*/) {
    Alter<PortInfo>(AttributeId::kPortInfo, answer, [&](PortInfo& info) {
        info.Set(PortInfo::kCapabilityMask,
                 info.Get(PortInfo::kCapabilityMask) | capability_mask::kIsSm);
    });
}

void SaySmallTables(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<SwitchInfo>(AttributeId::kSwitchInfo, answer, [&](SwitchInfo& info) {
        constexpr std::array<std::uint16_t, 6> kCaps = {0, 1, 2, 8, 64, 49152};
        if (random.Below(2) == 0) info.Set(SwitchInfo::kLinearFdbCap, OneOf(random, kCaps));
        if (random.Below(2) == 0) info.Set(SwitchInfo::kMulticastFdbCap, OneOf(random, kCaps));
    });
}

void HideChanges(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    Alter<SwitchInfo>(AttributeId::kSwitchInfo, answer, [&](SwitchInfo& info) {
        info.Set(SwitchInfo::kPortStateChange, static_cast<std::uint8_t>(random.Below(2)));
        if (random.Below(2) == 0) {
            info.Set(SwitchInfo::kLinearFdbTop, static_cast<Lid>(random.Below(64)));
        }
    });
}

void TellOtherTables(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    const AttributeId attribute = answer.header.attribute_id;
    if (StatusOf(answer.header) != 0 || (attribute != AttributeId::kLinearForwardingTable &&
                                         attribute != AttributeId::kMulticastForwardingTable)) {
        return;
    }
    SmpData data = DataOf(answer);
    for (std::uint8_t& octet : data) {
        if (random.Below(8) == 0) octet = static_cast<std::uint8_t>(random.Below(8));
    }
    Write(answer, data);
}

void TellRubbish(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    SmpData data{};
    for (std::uint8_t& octet : data) {
        octet = static_cast<std::uint8_t>(random.Next());
    }
    Write(answer, data);
}

void Refuse(const Lying& /*by*/, const Mad& /*asked*/, Mad& answer, Random& random) {
    constexpr std::array kStatuses = {kMadStatusInvalidField, kMadStatusBadMethodAttribute,
                                      kMadStatusBusy};
    answer.header.status = OneOf(random, kStatuses);
}

void RefuseSets(const Lying& by, const Mad& asked, Mad& answer, Random& random) {
    if (asked.header.method == Method::kSet) Refuse(by, asked, answer, random);
}

/// A switch of a fabric that is not there, by the way that leads to it.
void PlaySwitch(const Mad& asked, Mad& answer) {
    answer.header.status = 0;
    const auto smp = std::bit_cast<DirectedSmp>(asked);
    std::uint64_t guid = 1469598103934665603ULL;
    for (std::size_t i = 1; i <= smp.header.hop_count; ++i) {
        guid = (guid ^ smp.initial_path[i]) * 1099511628211ULL;
    }
    guid = 0xFA4E000000000000 ^ guid >> 16U;
    const AttributeId attribute = asked.header.attribute_id;
    const bool is_get = asked.header.method == Method::kGet;
    if (attribute == AttributeId::kNodeInfo) {
        NodeInfo info;
        info.Set(NodeInfo::kBaseVersion, kBaseVersion);
        info.Set(NodeInfo::kClassVersion, kSubnClassVersion);
        info.Set(NodeInfo::kNodeType, NodeType::kSwitch);
        info.Set(NodeInfo::kNumPorts, std::uint8_t{6});
        info.Set(NodeInfo::kNodeGuid, Guid{guid});
        info.Set(NodeInfo::kPortGuid, Guid{guid});
        info.Set(NodeInfo::kPartitionCap, std::uint16_t{32});
        info.Set(NodeInfo::kLocalPortNum, PortNumber{6});
        Write(answer, info.octets());
    } else if (is_get && attribute == AttributeId::kSwitchInfo) {
        SwitchInfo info;
        info.Set(SwitchInfo::kLinearFdbCap, std::uint16_t{49152});
        info.Set(SwitchInfo::kMulticastFdbCap, std::uint16_t{1024});
        Write(answer, info.octets());
    } else if (is_get && attribute == AttributeId::kPortInfo) {
        PortInfo info;
        info.Set(PortInfo::kPortState, PortState::kActive);
        info.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kLinkUp);
        info.Set(PortInfo::kMtuCap, Mtu::k4096);
        info.Set(PortInfo::kNeighborMtu, Mtu::k4096);
        info.Set(PortInfo::kVlCap, VlCap::kVl0To7);
        info.Set(PortInfo::kLocalPortNum, PortNumber{6});
        Write(answer, info.octets());
    }
}

/// A host says that it is a switch with more of them behind it; a switch, that all its ports are
/// up.
void PlayFabric(const Lying& by, const Mad& asked, Mad& answer, Random& /*random*/) {
    if (!by.world->node(by.node).is_switch()) {
        PlaySwitch(asked, answer);
        return;
    }
    Alter<PortInfo>(AttributeId::kPortInfo, answer, [](PortInfo& info) {
        if (info.Get(PortInfo::kPortState) != PortState::kDown) return;
        info.Set(PortInfo::kPortState, PortState::kActive);
        info.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kLinkUp);
    });
}

void TellTheTruth(const Lying& /*by*/, const Mad& /*asked*/, Mad& /*answer*/, Random& /*random*/) {}

Deed Deaf(const Mad& /*asked*/) {
    return Deed::kDeaf;
}
Deed DeafToSets(const Mad& asked) {
    return asked.header.method == Method::kSet ? Deed::kDeaf : Deed::kAct;
}
Deed Sham(const Mad& asked) {
    return asked.header.method == Method::kSet ? Deed::kSham : Deed::kAct;
}

constexpr std::string_view kFirstComer =
    "a manager that never met the owner takes the one who is nearer for it";

// clang-format off
constexpr std::array kLieKinds = {
    //      name                 hosts  switches  tells             does
    LieKind{"takes a name",      true,  true,     TakeAName,        nullptr, kFirstComer},
    LieKind{"makes up a name",   true,  true,     MakeUpAName,      nullptr},
    LieKind{"wrong ports",       true,  true,     CountPortsWrong,  nullptr},
    LieKind{"poses as switch",   true,  false,    PoseAsSwitch,     nullptr},
    LieKind{"plays a fabric",    true,  true,     PlayFabric,       nullptr},
    LieKind{"any state",         true,  true,     SayAnyState,      nullptr},
    LieKind{"any LID",           true,  true,     SayAnyLid,        nullptr},
    LieKind{"any ability",       true,  true,     SayAnyAbility,    nullptr},
    LieKind{"is a manager",      true,  true,     SayIsManager,     nullptr},
    LieKind{"small tables",      false, true,     SaySmallTables,   nullptr},
    LieKind{"hides changes",     false, true,     HideChanges,      nullptr},
    LieKind{"other tables",      false, true,     TellOtherTables,  nullptr},
    LieKind{"rubbish",           true,  true,     TellRubbish,      nullptr},
    LieKind{"refuses",           true,  true,     Refuse,           nullptr},
    LieKind{"refuses Sets",      true,  true,     RefuseSets,       nullptr},
    LieKind{"deaf",              true,  true,     TellTheTruth,     Deaf},
    LieKind{"deaf to Sets",      true,  true,     TellTheTruth,     DeafToSets},
    LieKind{"shams",             true,  true,     TellTheTruth,     Sham},
};
// clang-format on

bool PlaysFabric(const Lying& how) {
    return how.kind->tell == PlayFabric;
}

}  // namespace

std::span<const LieKind> LieKinds() {
    return kLieKinds;
}

void Deceiver::Begin(std::uint32_t node, const Lying& how) {
    lying_[node].push_back(how);
    lying_[node].back().world = &world_;
    lying_[node].back().node = node;
}

bool Deceiver::AnyLies(bool of_switches) const {
    for (std::uint32_t node = 0; node < lying_.size(); ++node) {
        if (!lying_[node].empty() && world_.node(node).is_switch() == of_switches) return true;
    }
    return false;
}

net::Random Deceiver::ChanceOf(const Lying& how, const Mad& asked) {
    const std::uint64_t what = std::uint64_t{Raw(AttributeId{asked.header.attribute_id})} << 32U |
                               asked.header.attribute_modifier;
    return Random(how.seed ^ what * 0x9E3779B97F4A7C15ULL ^ (how.is_steady ? 0 : ++told_));
}

Deceiver::Deed Deceiver::Meet(std::uint32_t node, const Mad& asked) {
    for (const Lying& how : lying_[node]) {
        if (how.kind->deed == nullptr) continue;
        Random random = ChanceOf(how, asked);
        const Deed deed = how.kind->deed(asked);
        if (deed != Deed::kAct && random.Happens(how.per_million)) return deed;
    }
    const bool tells_clients = lying_[node].empty() && asked.header.method == Method::kSet &&
                               asked.header.attribute_id == AttributeId::kPortInfo &&
                               Read<PortInfo>(asked).Get(PortInfo::kClientReregister) != 0;
    if (tells_clients) listener_.OnRegisterAgain(node);
    return Deed::kAct;
}

bool Deceiver::Answer(std::uint32_t node, const Mad& asked, Mad& answer) {
    for (const Lying& how : lying_[node]) {
        Random random = ChanceOf(how, asked);
        if (random.Happens(how.per_million)) how.kind->tell(how, asked, answer, random);
    }
    return true;
}

bool Deceiver::AnswerBeyond(std::uint32_t node, const Mad& asked, Mad& answer) {
    const auto& all = lying_[node];
    if (std::none_of(all.begin(), all.end(), PlaysFabric)) return false;
    PlaySwitch(asked, answer);
    return true;
}

}  // namespace ember::swarm
