// SPDX-License-Identifier: Apache-2.0
// EmberSM: trees of multicast LIDs, beside a slow model of OpenSM's and beside packets that are
// followed by hand.
#include "core/multicast/trees.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/netlist/cuts.h"
#include "config/netlist/topologies.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/multicast_store.h"

namespace ember {
namespace {

using testing::BuiltFabric;
using testing::GroupStore;
using testing::TreeStore;

/// A switch's port that packets leave by.
using Way = std::pair<SwitchIndex, std::uint8_t>;

Limits WithMulticast(Limits limits) {
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
std::multiset<Way> Flood(Bench& bench, const std::set<Way>& ways, SwitchIndex from) {
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

/// OpenSM's tree as its documents tell it: by recursion, from hops measured here.
class SlowModel {
public:
    explicit SlowModel(Bench& bench) : bench_(bench), fabric_(bench.fabric()) {
        ForEachSwitch(fabric_, [&](SwitchIndex at, const Switch&) { Measure(at); });
    }

    std::set<Way> Tree() {
        std::set<Way> ways;
        const std::set<Way> exits = bench_.Exits();
        if (exits.size() < 2) return ways;
        SwitchIndex root = kNoSwitch;
        int least = 1'000'000;
        for (const SwitchIndex at : Ordered()) {
            int farthest = 0;
            for (const Way& exit : exits) {
                farthest = std::max(farthest, hops_[at][exit.first] + (exit.second == 0 ? 0 : 1));
            }
            if (farthest < least) root = at;
            least = std::min(least, farthest);
        }
        Grow(root, exits, ways);
        return ways;
    }

private:
    void Measure(SwitchIndex from) {
        auto& row = hops_[from];
        ForEachSwitch(fabric_, [&](SwitchIndex at, const Switch&) { row[at] = 10'000; });
        row[from] = 0;
        std::deque<SwitchIndex> todo{from};
        while (!todo.empty()) {
            const SwitchIndex at = todo.front();
            todo.pop_front();
            for (const Port& port : fabric_.PortsOf(fabric_.switch_row(at).node)) {
                const Port* beyond = bench_.Beyond({at, Raw(port.number)});
                if (beyond == nullptr) continue;
                const SwitchIndex next = fabric_.node(beyond->node).switch_index;
                if (next == kNoSwitch || row[next] <= row[at] + 1) continue;
                row[next] = row[at] + 1;
                todo.push_back(next);
            }
        }
    }
    std::vector<SwitchIndex> Ordered() {
        std::vector<std::pair<std::uint64_t, SwitchIndex>> keyed;
        ForEachSwitch(fabric_, [&](SwitchIndex at, const Switch& row) {
            const std::uint64_t guid = Raw(fabric_.node(row.node).guid);
            keyed.emplace_back(bench_.order() == Order::kGuid ? guid : __builtin_bswap64(guid), at);
        });
        std::sort(keyed.begin(), keyed.end());
        std::vector<SwitchIndex> ordered;
        for (const auto& [key, at] : keyed) {
            ordered.push_back(at);
        }
        return ordered;
    }
    void Grow(SwitchIndex at, const std::set<Way>& exits, std::set<Way>& ways) {
        std::map<std::uint8_t, std::set<Way>> by_port;
        for (const Way& exit : exits) {
            if (exit.first == at) {
                ways.insert(exit);
                continue;
            }
            int least = 10'000;
            std::uint8_t best = 0;
            for (const Port& port : fabric_.PortsOf(fabric_.switch_row(at).node)) {
                const Port* beyond = bench_.Beyond({at, Raw(port.number)});
                if (beyond == nullptr) continue;
                const SwitchIndex next = fabric_.node(beyond->node).switch_index;
                if (next == kNoSwitch || hops_[next][exit.first] >= least) continue;
                least = hops_[next][exit.first];
                best = Raw(port.number);
            }
            by_port[best].insert(exit);
        }
        for (const auto& [port, part] : by_port) {
            const Port* beyond = bench_.Beyond({at, port});
            ways.insert({at, port});
            const SwitchIndex next = fabric_.node(beyond->node).switch_index;
            ways.insert({next, Raw(beyond->number)});
            Grow(next, part, ways);
        }
    }

    Bench& bench_;
    Fabric& fabric_;
    std::map<SwitchIndex, std::map<SwitchIndex, int>> hops_;
};

net::Netlist AnyNet() {
    std::string error;
    const auto name = *rc::gen::element<std::string>(
        "ft2:4", "ft2:8", "ft3:4", "ft3:6", "torus:3x3:2", "torus:4x4x2:1", "mesh:4x4:1",
        "hypercube:4:1", "ring:7:2", "parallel:3:4", "single:9", "dragonfly:4,2:1");
    net::Netlist netlist =
        *rc::gen::arbitrary<bool>()
            ? net::TopologyByName(name, error)
            : net::RandomGraph(*rc::gen::inRange<std::uint64_t>(0, 1000), 12, 3, 2);
    if (netlist.nodes.empty()) netlist = net::FatTree2(4);
    const auto cuts = *rc::gen::inRange<std::uint32_t>(0, 4);
    net::KillLinks(netlist, cuts, *rc::gen::inRange<std::uint64_t>(0, 1000));
    return net::LargestPart(netlist).netlist;
}

void JoinSome(Bench& bench) {
    const auto count =
        *rc::gen::inRange<std::size_t>(0, std::min<std::size_t>(bench.ends().size(), 40) + 1);
    for (std::size_t i = 0; i < count; ++i) {
        bench.Join(*rc::gen::elementOf(bench.ends()));
    }
}

RC_GTEST_PROP(Trees, EveryMemberHearsEveryOtherOnce, ()) {
    Bench bench(AnyNet(), *rc::gen::element(Order::kOpensm, Order::kGuid, Order::kBalanced));
    JoinSome(bench);
    const TreeOutcome outcome = bench.trees().Plan(MlidIndex{0});
    RC_ASSERT(!outcome.is_refused);
    RC_ASSERT(!outcome.is_plain);
    const std::set<Way> exits = bench.Exits();
    const std::set<Way> ways = bench.Wanted();
    RC_ASSERT(outcome.members == exits.size());
    if (exits.size() < 2) {
        RC_ASSERT(ways.empty());
        return;
    }
    for (const Way& exit : exits) {
        const std::multiset<Way> out = Flood(bench, ways, exit.first);
        RC_ASSERT(std::multiset<Way>(exits.begin(), exits.end()) == out);
    }
}

RC_GTEST_PROP(Trees, UnderOpensmsOrderTheyAreOpensms, ()) {
    Bench bench(AnyNet(), *rc::gen::element(Order::kOpensm, Order::kGuid));
    JoinSome(bench);
    static_cast<void>(bench.trees().Plan(MlidIndex{0}));
    RC_ASSERT(bench.Wanted() == SlowModel(bench).Tree());
}

/// Goal: where trees are said not to need a cut, no order in which switches change closes a circle.
RC_GTEST_PROP(Trees, WhatIsSaidToBeSafeIsSafe, ()) {
    Bench bench(AnyNet(), *rc::gen::element(Order::kOpensm, Order::kBalanced));
    JoinSome(bench);
    static_cast<void>(bench.trees().Plan(MlidIndex{0}));
    const std::set<Way> before = bench.Wanted();
    MftTables& tables = bench.store().tables();
    for (std::size_t block = 0; block < tables.position_bound(); ++block) {
        tables.Learn(block, tables.wanted(block));
    }
    for (const Guid guid : bench.ends()) {
        if (*rc::gen::inRange(0, 3) == 0) bench.Leave(guid);
    }
    if (*rc::gen::inRange(0, 2) == 0) bench.Quarantine(before);
    bench.AddGroup(1);  // The first one may be gone: its MLID goes on.
    const bool is_there = bench.groups().Find(Bench::MgidOf(0)) != kNoGroup;
    for (int i = *rc::gen::inRange(0, 5); i > 0 && is_there; --i) {
        bench.Join(*rc::gen::elementOf(bench.ends()));
    }
    static_cast<void>(bench.trees().Plan(MlidIndex{0}));
    const std::set<Way> after = bench.Wanted();
    if (bench.trees().MayLoop(MlidIndex{0})) return;
    std::vector<SwitchIndex> changed;
    ForEachSwitch(bench.fabric(), [&](SwitchIndex at, const Switch&) { changed.push_back(at); });
    std::set<Way> mixed = before;
    while (!changed.empty()) {
        const auto pick = *rc::gen::inRange<std::size_t>(0, changed.size());
        const SwitchIndex at = changed[pick];
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(pick));
        std::erase_if(mixed, [&](const Way& way) { return way.first == at; });
        for (const Way& way : after) {
            if (way.first == at) mixed.insert(way);
        }
        ForEachSwitch(bench.fabric(), [&](SwitchIndex from, const Switch&) {
            RC_ASSERT(Flood(bench, mixed, from).size() < 1000);
        });
    }
    RC_ASSERT(mixed == after);
}

TEST(Trees, UnderTheBalancedOrderEqualRootsTakeTurns) {
    Bench bench(net::FatTree2(8), Order::kBalanced);
    for (std::uint64_t number = 1; number < 8; ++number) {
        bench.AddGroup(number);
    }
    std::set<std::set<SwitchIndex>> spines;
    for (std::uint64_t number = 0; number < 4; ++number) {
        for (const Guid guid : bench.ends()) {
            if (bench.fabric().node(bench.fabric().port(bench.fabric().FindPort(guid)).node).type !=
                NodeType::kSwitch) {
                bench.Join(guid, number);
            }
        }
        const auto mlid = static_cast<MlidIndex>(number);
        EXPECT_EQ(bench.trees().Plan(mlid).members, 32U);
        std::set<SwitchIndex> entered;
        for (const Way& way : bench.Wanted(mlid)) {
            entered.insert(way.first);
        }
        EXPECT_EQ(entered.size(), 9U);  // Eight leaves and one spine.
        spines.insert(entered);
    }
    EXPECT_EQ(spines.size(), 4U);
}

/// A switch that knows no multicast is gone around, though that way is longer.
TEST(Trees, AroundASwitchThatKnowsNoMulticast) {
    std::string error;
    Bench bench(net::TopologyByName("ring:6:1", error), Order::kOpensm);
    std::vector<Guid> hosts;
    ForEachEndPort(bench.fabric(), [&](PortIndex, const Port& port) {
        if (bench.fabric().node(port.node).type != NodeType::kSwitch) hosts.push_back(port.guid);
    });
    const auto switch_of = [&](Guid guid) {
        const Port& port = bench.fabric().port(bench.fabric().FindPort(guid));
        return bench.fabric().node(bench.fabric().port(port.peer).node).switch_index;
    };
    bench.Join(hosts[0]);
    bench.Join(hosts[2]);
    bench.fabric()
        .switch_row(switch_of(hosts[1]))
        .info.Set(SwitchInfo::kMulticastFdbCap, std::uint16_t{0});
    bench.store().Begin(Order::kOpensm);
    const TreeOutcome outcome = bench.trees().Plan(MlidIndex{0});
    EXPECT_TRUE(outcome.is_plain);
    EXPECT_EQ(outcome.lost, 0U);
    const auto ways = bench.Wanted();
    EXPECT_EQ(Flood(bench, ways, switch_of(hosts[0])).size(), 2U);
    EXPECT_EQ(ways.lower_bound({switch_of(hosts[1]), 0}),
              ways.upper_bound({switch_of(hosts[1]), 255}));

    bench.Join(hosts[1]);  // And who hangs on it is told to be lost.
    const TreeOutcome with_lost = bench.trees().Plan(MlidIndex{0});
    EXPECT_EQ(with_lost.members, 3U);
    EXPECT_EQ(with_lost.lost, 1U);
}

}  // namespace
}  // namespace ember
