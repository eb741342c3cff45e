// SPDX-License-Identifier: Apache-2.0
// EmberSM: what must be true when all faults have ended and some time has gone by.
#include <algorithm>
#include <map>

#include "tests/support/checkers.h"
#include "tests/swarm/judges.h"
#include "tests/swarm/swarm.h"
#include "tests/swarm/watch.h"

namespace ember::swarm {
namespace {

SubnetManager& Master(Swarm& swarm) {
    return swarm.world().sm(swarm.world().master());
}
std::uint32_t MastersNode(Swarm& swarm) {
    return swarm.world().node_of_seat(swarm.world().master());
}
std::uint32_t MastersRow(Swarm& swarm) {
    const SeatPlan& seat = swarm.story().seats[swarm.world().master()];
    return swarm.sim().RowOf(seat.node, seat.port);
}
bool IsTooLarge(Swarm& swarm) {
    return Master(swarm).fabric().shortage().any();
}

bool HasLid(Swarm& swarm, std::size_t seat) {
    const SeatPlan& plan = swarm.story().seats[seat];
    const PortIndex at = Master(swarm).fabric().FindPort(
        swarm.hardware().port(swarm.sim().RowOf(plan.node, plan.port)).guid);
    return at != kNoPortIndex && Master(swarm).fabric().port(at).lid != kNoLid;
}

std::string OneMaster(Swarm& swarm) {
    testing::SimWorld& world = swarm.world();
    if (world.masters() != 1) return std::to_string(world.masters()) + " masters";
    const std::size_t master = world.master();
    const auto rank = [&](std::size_t seat) {
        const SeatPlan& plan = swarm.story().seats[seat];
        const Guid guid = swarm.hardware().port(swarm.sim().RowOf(plan.node, plan.port)).guid;
        return std::pair(16 - world.sm(seat).role().priority(), guid);
    };
    for (std::size_t seat = 0; seat < swarm.seats(); ++seat) {
        if (seat == master) continue;
        if (world.sm(seat).role().state() != SmState::kStandby) {
            return "manager " + std::to_string(seat) + " is neither master nor standby";
        }
        // A standby that follows another SM has yet to find the master, and sweeps for it.
        if (world.sm(seat).role().watched() != rank(master).second) {
            return "manager " + std::to_string(seat) + " does not follow the master";
        }
        // Where LIDs are short a manager without one tells no other manager that it ranks higher.
        if (rank(seat) >= rank(master) || (IsTooLarge(swarm) && !HasLid(swarm, seat))) continue;
        return "the master is not the one of the highest rank";
    }
    return {};
}

std::string IsUp(Swarm& swarm) {
    if (!Master(swarm).is_up()) return "the subnet is not said to be up";
    return Master(swarm).stage() == Stage::kResting ? "" : "the master does not rest";
}

/// A board that says that it is too small is, or its switches have no room for so many LIDs.
std::string ShortageIsReal(Swarm& swarm) {
    if (!IsTooLarge(swarm)) return {};
    const Limits& limits = Master(swarm).limits();
    const sim::World& world = swarm.hardware();
    const std::size_t max_lid =
        std::min<std::size_t>(limits.max_lid, swarm.story().hardware.linear_fdb_cap - 1U);
    std::size_t ports = 0;
    std::size_t lids = 0;
    std::size_t widest = 0;
    for (std::uint32_t node = 0; node < world.node_count(); ++node) {
        const sim::SimNode& here = world.node(node);
        ports += here.port_count + (here.is_switch() ? 1U : 0U);
        lids += (here.is_switch() ? 1U : here.port_count) *
                (std::size_t{1} << Master(swarm).settings().lmc);
        if (here.is_switch()) widest = std::max<std::size_t>(widest, here.port_count);
    }
    const bool is_real = world.node_count() > limits.max_nodes ||
                         world.switch_count() > limits.max_switches || ports > limits.max_ports ||
                         lids > max_lid / 2 || widest > limits.max_switch_ports;
    return is_real ? "" : "the board has room for the fabric and says that it has not";
}

std::string LidsAreSound(Swarm& swarm) {
    if (IsTooLarge(swarm)) {
        // A port that was managed once and has no row or no LID now holds what it was given. No
        // data passes by a host's link in INIT, and a switch forwards by its table.
        const sim::World& world = swarm.hardware();
        const Fabric& fabric = Master(swarm).fabric();
        return LidsAreDistinct(world, [&](std::uint32_t row) {
            const sim::SimPort& port = world.port(row);
            const PortIndex at = fabric.FindPort(port.guid);
            if (at == kNoPortIndex) return false;
            const bool is_active = port.info.Get(PortInfo::kPortState) == PortState::kActive;
            return fabric.port(at).lid != kNoLid || (is_active && !world.node_of(row).is_switch());
        });
    }
    return testing::LidsAreSound(swarm.hardware(), MastersNode(swarm));
}

std::string LinksAreUp(Swarm& swarm) {
    if (IsTooLarge(swarm)) return {};
    const std::uint32_t node = MastersNode(swarm);
    std::string wrong = testing::AllLinksActive(swarm.hardware(), node);
    return wrong.empty() ? testing::LinksAgree(swarm.hardware(), node) : wrong;
}

/// Engines that turn no packet upwards again may leave switches apart; never hosts, nor a switch
/// and the master.
std::string PairsAreConnected(Swarm& swarm) {
    if (IsTooLarge(swarm)) return {};
    const sim::World& world = swarm.hardware();
    const bool is_up_down = swarm.world().IsRoutedUpDown(swarm.world().master());
    if (!is_up_down) return testing::EveryPairConnected(world, MastersNode(swarm));
    const std::uint32_t master = MastersRow(swarm);
    // A step of a chain sees a part of the hosts: to a switch without any of them it may have no
    // way but for traps. Packets of hosts would go there too, so none is made up.
    const bool is_chain = Master(swarm).router().verdict().engine == kChainWord;
    std::vector<std::uint32_t> hosts;
    for (const std::uint32_t row : PortsWithLids(world)) {
        const bool is_switch = world.node_of(row).is_switch();
        if (!is_switch) hosts.push_back(row);
        std::string wrong;
        if (!is_switch || !is_chain) wrong = Reaches(world, master, row);
        if (wrong.empty()) wrong = Reaches(world, row, master);
        if (!wrong.empty()) return wrong;
    }
    for (const std::uint32_t from : hosts) {
        for (const std::uint32_t to : hosts) {
            if (MayBeApart(swarm, from, to)) continue;
            if (std::string wrong = Reaches(world, from, to); !wrong.empty()) return wrong;
        }
    }
    return {};
}

std::string AllKnowTheMaster(Swarm& swarm) {
    if (IsTooLarge(swarm)) return {};
    const Lid lid = swarm.hardware().port(MastersRow(swarm)).info.Get(PortInfo::kLid);
    return testing::EveryPortKnowsMaster(swarm.hardware(), MastersNode(swarm), lid);
}

/// The master believes what there is: no node that is gone, no node missing, every LID right.
std::string PictureIsRight(Swarm& swarm) {
    if (IsTooLarge(swarm)) return {};
    const sim::World& world = swarm.hardware();
    const Fabric& fabric = Master(swarm).fabric();
    const std::vector<bool> there = testing::ReachableFrom(world, MastersNode(swarm));
    const auto nodes = static_cast<std::size_t>(std::count(there.begin(), there.end(), true));
    if (fabric.node_count() != nodes) {
        return std::to_string(fabric.node_count()) + " nodes are known of " + std::to_string(nodes);
    }
    for (const std::uint32_t row : PortsWithLids(world)) {
        const PortIndex at = fabric.FindPort(world.port(row).guid);
        if (at == kNoPortIndex) return NameOf(world, row) + " is not known";
        if (fabric.port(at).lid == world.port(row).info.Get(PortInfo::kLid)) continue;
        return NameOf(world, row) + " is believed to have another LID";
    }
    return {};
}

std::string ClientsAreServed(Swarm& swarm) {
    if (IsTooLarge(swarm)) return {};
    for (const auto& client : swarm.clients()) {
        const std::string who = NameOf(swarm.hardware(), client->row());
        if (!client->is_served()) return who + " is not answered";
        if (swarm.story().board == Board::kFewClients) continue;
        for (const Wish& wish : client->wishes()) {
            if (wish.state != Wish::State::kRefused) continue;
            return who + " is refused with status " + std::to_string(wish.status) + ", kind " +
                   std::to_string(static_cast<int>(wish.kind)) + " id " + std::to_string(wish.id);
        }
    }
    return {};
}

std::string PoolsAreEmpty(Swarm& swarm) {
    for (std::size_t seat = 0; seat < swarm.seats(); ++seat) {
        const SubnetManager& sm = swarm.world().sm(seat);
        const std::string who = " of manager " + std::to_string(seat);
        if (sm.exchange().in_flight() != 0) return "a datagram is in flight" + who;
        if (sm.administration().transfers() != 0) {
            return std::to_string(sm.administration().transfers()) + " answers under way" + who;
        }
        if (sm.administration().waiting() != 0) return "questions wait" + who;
        if (sm.scratch().used_bytes() != 0) return "scratch was not given back" + who;
    }
    return {};
}

bool IsMember(const Client& client, std::uint32_t group, Lid& mlid) {
    for (const Wish& wish : client.wishes()) {
        if (wish.kind != Wish::Kind::kMember || wish.id != group) continue;
        if (wish.state != Wish::State::kHeld) continue;
        mlid = wish.mlid;
        return true;
    }
    return false;
}

/// Where MLIDs are short, groups share one, and their packets reach the members of all of them.
bool HasMlid(Swarm& swarm, std::uint32_t group, Lid mlid) {
    const auto& clients = swarm.clients();
    return std::any_of(clients.begin(), clients.end(), [&](const auto& client) {
        Lid told = kNoLid;
        return IsMember(*client, group, told) && told == mlid;
    });
}

std::string IsDelivered(Swarm& swarm, std::uint32_t group) {
    const sim::World& world = swarm.hardware();
    std::vector<std::uint32_t> members;
    std::set<std::uint32_t> may_hear;
    Lid mlid = kNoLid;
    const std::string name = "group " + std::to_string(group);
    for (const auto& client : swarm.clients()) {
        if (client->has_asked_for(group)) may_hear.insert(client->row());
        Lid told = kNoLid;
        if (!IsMember(*client, group, told)) continue;
        if (mlid != kNoLid && told != mlid) return name + " has two MLIDs";
        mlid = told;
        members.push_back(client->row());
    }
    for (std::uint32_t other = 0; mlid != kNoLid && other < kGroupIds; ++other) {
        if (!HasMlid(swarm, other, mlid)) continue;
        for (const auto& client : swarm.clients()) {
            if (client->has_asked_for(other)) may_hear.insert(client->row());
        }
    }
    for (const std::uint32_t from : members) {
        const Delivery delivery = SendToGroup(world, from, Raw(mlid));
        if (delivery.circles) return name + " runs in a circle";
        for (const std::uint32_t to : members) {
            const std::size_t times = delivery.heard.count(to);
            if (times == (to == from ? 0U : 1U)) continue;
            return name + ": " + NameOf(world, to) + " hears " + NameOf(world, from) + " " +
                   std::to_string(times) + " times";
        }
        for (const std::uint32_t to : delivery.heard) {
            if (may_hear.count(to) != 0) continue;
            return name + ": " + NameOf(world, to) + " is no member and hears it";
        }
    }
    return {};
}

}  // namespace

std::vector<Oracle> HealthOracles() {
    return {
        {"one master", OneMaster},
        {"up", IsUp},
        {"shortage is real", ShortageIsReal},
        {"LIDs are sound", LidsAreSound},
        {"links are up", LinksAreUp},
        {"pairs are connected", PairsAreConnected},
        {"all know the master", AllKnowTheMaster},
        {"the picture is right", PictureIsRight},
        {"clients are served", ClientsAreServed},
        {"pools are empty", PoolsAreEmpty},
        {"groups are delivered", GroupsAreDelivered},
        {"partitions are kept", PartitionsAreKept},
        {"ports are locked", PortsAreLocked},
        {"packets arrive", PacketsArrive},
        {"nothing locks", NothingLocks},
    };
}

bool MayBeApart(Swarm& swarm, std::uint32_t from, std::uint32_t to) {
    const sim::World& world = swarm.hardware();
    return swarm.world().masters() == 1 && Master(swarm).settings().order == Order::kOpensm &&
           IsAggregationOfRoot(world, from) && IsAggregationOfRoot(world, to);
}

std::string GroupsAreDelivered(Swarm& swarm) {
    if (IsTooLarge(swarm) || swarm.common().disable_multicast) return {};
    for (std::uint32_t group = 0; group < kGroupIds; ++group) {
        if (std::string wrong = IsDelivered(swarm, group); !wrong.empty()) return wrong;
    }
    return {};
}

std::string RegistrationsStand(Swarm& swarm) {
    if (IsTooLarge(swarm)) return {};
    const std::uint64_t key = swarm.common().sa_key;
    for (const auto& client : swarm.clients()) {
        for (const Wish& wish : client->wishes()) {
            if (wish.state != Wish::State::kHeld) continue;
            for (int tries = 0; tries < 5 && !swarm.failed(); ++tries) {
                client->Inquire(wish, client->guid(), key);
                if (swarm.RunUntil([&] { return client->verdict().has_value(); }, 300 * kMs)) break;
            }
            const std::uint16_t status = client->verdict().value_or(0xFFFF);
            const bool stands =
                status == 0 || status == static_cast<std::uint16_t>(SaStatus::kTooManyRecords);
            if (stands) continue;
            return "what " + NameOf(swarm.hardware(), client->row()) + " registered (kind " +
                   std::to_string(static_cast<int>(wish.kind)) + ", id " + std::to_string(wish.id) +
                   ") and was acknowledged is gone: status " + std::to_string(status);
        }
    }
    return {};
}

}  // namespace ember::swarm
