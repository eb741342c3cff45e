// SPDX-License-Identifier: Apache-2.0
// EmberSM: what must be true of lanes, partitions and keys, of all ports or of those that are
// honest.
#include <algorithm>
#include <map>

#include "core/fabric/m_key.h"
#include "platform/common/headline.h"
#include "tests/swarm/judges.h"
#include "tests/swarm/lane_judges.h"
#include "tests/swarm/site.h"
#include "tests/swarm/swarm.h"
#include "tests/swarm/watch.h"

namespace ember::swarm {
namespace {

/// Of larger fabrics each host sends to so many others.
constexpr std::size_t kMostPeers = 24;

SubnetManager& Master(Swarm& swarm) {
    return swarm.world().sm(swarm.world().master());
}
bool IsTooLarge(Swarm& swarm) {
    return Master(swarm).fabric().shortage().any();
}

std::vector<std::uint32_t> HonestHostRows(Swarm& swarm) {
    const sim::World& world = swarm.hardware();
    std::vector<std::uint32_t> rows = PortsWithLids(world);
    std::erase_if(rows, [&](std::uint32_t row) {
        return world.node_of(row).is_switch() || swarm.deceiver().Lies(world.port(row).node);
    });
    return rows;
}

/// The switch that a host stands at, as its master counts them.
SwitchIndex PlaceOf(Swarm& swarm, std::uint32_t row) {
    const Fabric& fabric = Master(swarm).fabric();
    const PortIndex at = fabric.FindPort(swarm.hardware().port(row).guid);
    const PortIndex peer = at == kNoPortIndex ? kNoPortIndex : fabric.port(at).peer;
    return peer == kNoPortIndex ? kNoSwitch : fabric.node(fabric.port(peer).node).switch_index;
}

/// The SLs of packets of a path, at each level of service that the operator has.
unsigned SlsOf(const RoutingLanes& lanes, const SlPath& path) {
    if (!lanes.levels.in_force()) return 1U << lanes.path_sl.Of(path);
    unsigned sls = 0;
    for (std::uint8_t asked = 0; asked < kServiceLevels; ++asked) {
        const std::uint8_t sl = lanes.SlOf(path, asked);
        if (sl != kNoSl) sls |= 1U << sl;
    }
    return sls;
}

/// On the SLs of the path, and on those of the path back: answers take them.
std::string SendBothWays(Swarm& swarm, Packets& packets, std::uint32_t from, std::uint32_t to) {
    const sim::World& world = swarm.hardware();
    const RoutingLanes& lanes = Master(swarm).router().programmed_lanes();
    const SwitchIndex here = PlaceOf(swarm, from);
    const SwitchIndex there = PlaceOf(swarm, to);
    if (here == kNoSwitch || there == kNoSwitch) return {};  // Back to back, or not known.
    const PortInfo& info = world.port(to).info;
    const std::uint32_t first = Raw(info.Get(PortInfo::kLid));
    const Lid back = world.port(from).info.Get(PortInfo::kLid);
    for (std::uint32_t lid = first; lid < first + (1U << info.Get(PortInfo::kLmc)); ++lid) {
        unsigned sls = SlsOf(lanes, {.from = here, .to = there, .lid = static_cast<Lid>(lid)});
        if (!lanes.is_one_way) sls |= SlsOf(lanes, {.from = there, .to = here, .lid = back});
        for (unsigned sl = 0; sl < kServiceLevels; ++sl) {
            if ((sls >> sl & 1U) == 0) continue;
            std::string wrong = packets.Send(from, to, lid, sl);
            if (!wrong.empty()) return wrong;
        }
    }
    return {};
}

std::string SendAll(Swarm& swarm, Packets& packets) {
    const std::vector<std::uint32_t> hosts = HonestHostRows(swarm);
    const std::size_t stride = 1 + hosts.size() / kMostPeers;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        for (std::size_t k = 1; k < hosts.size(); k += stride) {
            const std::uint32_t to = hosts[(i + k) % hosts.size()];
            if (MayBeApart(swarm, hosts[i], to)) continue;
            std::string wrong = SendBothWays(swarm, packets, hosts[i], to);
            if (!wrong.empty()) return wrong;
        }
    }
    return {};
}

bool HasProvedThatNothingLocks(const SubnetManager& sm) {
    const Verdict& verdict = sm.router().verdict();
    return !verdict.findings.end_ports_may_deadlock &&
           (verdict.outcome == RoutingOutcome::kVerified ||
            verdict.outcome == RoutingOutcome::kSafe);
}

Membership MembershipAt(const std::multiset<std::uint16_t>& keys, std::uint16_t base) {
    Membership has = Membership::kNone;
    for (const std::uint16_t key : keys) {
        if ((key & kPKeyBase) != base) continue;
        has = std::max(has, (key & 0x8000U) != 0 ? Membership::kFull : Membership::kLimited);
    }
    return has;
}

/// The switch port in front of a host lets through what the host may send, and no more.
std::string IsGuarded(Swarm& swarm, std::uint32_t row) {
    const sim::World& world = swarm.hardware();
    const std::uint32_t guard = world.Beyond(row);
    if (guard == sim::kNoRow || !world.node_of(guard).is_switch()) return {};
    if (swarm.deceiver().Lies(world.port(guard).node)) return {};
    if (world.port(guard).info.Get(PortInfo::kPartitionEnforcement) != 3) {
        return NameOf(world, guard) + " does not enforce the partitions of " + NameOf(world, row);
    }
    if (PKeysAt(world, row) == PKeysAt(world, guard)) return {};
    return NameOf(world, guard) + " has other P_Keys than " + NameOf(world, row);
}

std::string HoldsWhatTheFileSays(Swarm& swarm, std::uint32_t row) {
    const sim::World& world = swarm.hardware();
    const testing::PartitionFile& file = swarm.site().partitions();
    const std::multiset<std::uint16_t> keys = PKeysAt(world, row);
    for (const auto& [base, members] : file.members()) {
        if (MembershipAt(keys, base) == file.Of(base, world.port(row).guid)) continue;
        return NameOf(world, row) + " is no such member of partition " + std::to_string(base) +
               " as the file says";
    }
    for (const std::uint16_t key : keys) {
        const std::uint16_t base = key & kPKeyBase;
        if (base == kPKeyBase || file.members().contains(base)) continue;
        return NameOf(world, row) + " has the foreign P_Key " + std::to_string(key);
    }
    return {};
}

}  // namespace

std::string PacketsArrive(Swarm& swarm) {
    if (IsTooLarge(swarm)) return {};
    Packets packets(swarm.hardware(), swarm.site().has_lanes());
    return SendAll(swarm, packets);
}

std::string NothingLocks(Swarm& swarm) {
    if (IsTooLarge(swarm)) return {};
    Packets packets(swarm.hardware(), swarm.site().has_lanes());
    static_cast<void>(SendAll(swarm, packets));
    if (!HasProvedThatNothingLocks(Master(swarm)) || !packets.MayDeadlock()) return {};
    return "buffers wait for each other in a circle, and the routing is said to be proved";
}

std::string PartitionsAreKept(Swarm& swarm) {
    if (IsTooLarge(swarm) || !swarm.site().has_partitions()) return {};
    const sim::World& world = swarm.hardware();
    for (const std::uint32_t row : HonestHostRows(swarm)) {
        if (world.port(row).info.Get(PortInfo::kPortState) != PortState::kActive) continue;
        std::string wrong = HoldsWhatTheFileSays(swarm, row);
        if (wrong.empty()) wrong = IsGuarded(swarm, row);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

std::string PortsAreLocked(Swarm& swarm) {
    if (IsTooLarge(swarm) || !swarm.site().has_keys()) return {};
    const sim::World& world = swarm.hardware();
    const MKeyRule rule = RuleOf(Master(swarm).settings());
    for (const std::uint32_t row : PortsWithLids(world)) {
        if (swarm.deceiver().Lies(world.port(row).node)) continue;
        const PortInfo& info = world.port(row).info;
        if (info.Get(PortInfo::kMKey) == MKeyFrom(rule, world.port(row).guid)) continue;
        return NameOf(world, row) +
               (info.Get(PortInfo::kMKey) == 0 ? " has no M_Key" : " has another M_Key");
    }
    return {};
}

/// A condition that is "up" has nothing to be said against it.
std::string UpMeansUp(Swarm& swarm) {
    if (swarm.world().masters() != 1) return {};
    if (ConditionOf(Master(swarm)) != Condition::kUp) return {};
    std::string wrong = PartitionsAreKept(swarm);
    if (wrong.empty()) wrong = NothingLocks(swarm);
    return wrong.empty() ? "" : "the condition is \"up\", and " + wrong;
}

}  // namespace ember::swarm
