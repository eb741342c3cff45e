// SPDX-License-Identifier: Apache-2.0
// EmberSM: trees of groups on a fabric, and packets that are followed by hand.
#pragma once

#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

#include "config/netlist/cuts.h"
#include "config/netlist/topologies.h"
#include "core/multicast/trees.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/multicast_store.h"

namespace ember::trees {

using testing::BuiltFabric;
using testing::GroupStore;
using testing::TreeStore;

/// A switch's port that packets leave by.
using Way = std::pair<SwitchIndex, std::uint8_t>;

inline Limits WithMulticast(Limits limits) {
    limits.max_groups = 8;
    limits.max_members = 4096;
    limits.max_mlids = 64;
    limits.max_events = 8;
    return limits;
}

/// A fabric, one group in it, and what the trees make of it.
class Bench {
public:
    Bench(const net::Netlist& netlist, Order order)
        : built_(netlist, OptionsFor(order)),
          limits_(WithMulticast(built_.limits())),
          groups_(limits_),
          trees_(built_.fabric(), limits_, groups_.groups()),
          order_(order) {
        ForEachSwitch(fabric(), [](SwitchIndex, Switch& row) {
            row.info.Set(SwitchInfo::kMulticastFdbCap, std::uint16_t{1024});
        });
        ForEachEndPort(fabric(), [&](PortIndex, const Port& port) { ends_.push_back(port.guid); });
        AddGroup(0);
        trees_.Begin(order);
    }

    void AddGroup(std::uint64_t number) {
        const GroupValues values{.mtu = Mtu::k2048};
        ASSERT_TRUE(groups_.groups().Create(MgidOf(number), values, {}).ok());
    }
    static Gid MgidOf(std::uint64_t number) { return {0xFF12A01C00000000ULL, number}; }
    void Join(Guid guid, std::uint64_t number = 0) {
        Member who;
        who.port_guid = guid;
        who.join_state = join_state::kFull;
        const GroupIndex at = groups_.groups().Find(MgidOf(number));
        static_cast<void>(groups_.groups().Join(at, who, 1));
    }
    void Leave(Guid guid, std::uint64_t number = 0) {
        const GroupIndex at = groups_.groups().Find(MgidOf(number));
        const MemberIndex member = groups_.groups().FindMember(at, guid);
        if (member == kNoMember) return;
        static_cast<void>(groups_.groups().Leave(member, join_state::kAll, 1));
    }

    /// The first cable between switches that some way leads over: packets still pass there.
    void Quarantine(const std::set<Way>& ways) {
        for (const auto& [at, number] : ways) {
            Port& port = fabric().port(
                fabric().PortOf(fabric().switch_row(at).node, static_cast<PortNumber>(number)));
            if (port.peer == kNoPortIndex) continue;
            Port& peer = fabric().port(port.peer);
            if (fabric().node(peer.node).type != NodeType::kSwitch) continue;
            port.quarantined = peer.quarantined = true;
            return;
        }
    }

    static BuiltFabric::Options OptionsFor(Order order) {
        BuiltFabric::Options options;
        options.order = order;
        return options;
    }
    Fabric& fabric() { return built_.fabric(); }
    Trees& trees() { return trees_.trees(); }
    TreeStore& store() { return trees_; }
    Groups& groups() { return groups_.groups(); }
    const std::vector<Guid>& ends() const { return ends_; }
    Order order() const { return order_; }

    /// Where a member's packets must come out.
    std::set<Way> Exits() {
        std::set<Way> exits;
        const Groups& groups = groups_.groups();
        for (MemberIndex i = groups.group(groups.Find(MgidOf(0))).first; i != kNoMember;
             i = groups.member(i).next) {
            const Port& port = fabric().port(fabric().FindPort(groups.member(i).port_guid));
            const bool is_switch = fabric().node(port.node).type == NodeType::kSwitch;
            if (!is_switch && port.peer == kNoPortIndex) continue;
            const Port& exit = is_switch ? port : fabric().port(port.peer);
            const SwitchIndex at = fabric().node(exit.node).switch_index;
            if (at != kNoSwitch) exits.insert({at, Raw(exit.number)});
        }
        return exits;
    }
    /// All that is wanted for the first MLID.
    std::set<Way> Wanted(MlidIndex mlid = MlidIndex{0}) {
        std::set<Way> ways;
        const MftTables& tables = trees_.tables();
        ForEachSwitch(fabric(), [&](SwitchIndex at, const Switch&) {
            const MftTables::Run& run = tables.run(at);
            for (unsigned p = 0; p < run.count * 16U; ++p) {
                const unsigned mask = tables.WantedMask(mlid, run.first + p / 16);
                if ((mask >> (p % 16) & 1U) != 0) ways.insert({at, static_cast<std::uint8_t>(p)});
            }
        });
        return ways;
    }
    const Port* Beyond(const Way& way) {
        const NodeIndex node = fabric().switch_row(way.first).node;
        const Port& port = fabric().port(fabric().PortOf(node, PortNumber{way.second}));
        if (way.second == 0 || port.peer == kNoPortIndex) return nullptr;
        return &fabric().port(port.peer);
    }

private:
    BuiltFabric built_;
    Limits limits_;
    GroupStore groups_;
    TreeStore trees_;
    Order order_;
    std::vector<Guid> ends_;
};

/// Where copies of a packet come out that starts at a switch; stops at a hundred thousand, for a
/// circle has no end.
inline std::multiset<Way> Flood(Bench& bench, const std::set<Way>& ways, SwitchIndex from) {
    std::multiset<Way> out;
    std::deque<std::pair<SwitchIndex, int>> todo{{from, -1}};
    for (int steps = 0; !todo.empty() && steps < 100'000; ++steps) {
        const auto [at, entry] = todo.front();
        todo.pop_front();
        for (auto it = ways.lower_bound({at, 0}); it != ways.end() && it->first == at; ++it) {
            if (it->second == entry) continue;
            const Port* beyond = bench.Beyond(*it);
            const SwitchIndex next =
                beyond == nullptr ? kNoSwitch : bench.fabric().node(beyond->node).switch_index;
            if (next == kNoSwitch) {
                out.insert(*it);
            } else {
                todo.emplace_back(next, Raw(beyond->number));
            }
        }
    }
    return out;
}

}  // namespace ember::trees
