// SPDX-License-Identifier: Apache-2.0
// EmberSM: trees of multicast LIDs, beside a slow model of OpenSM's and beside packets that are
// followed by hand.
#include "core/multicast/trees.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/multicast/trees_fixture.h"

namespace ember::trees {
namespace {

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

}  // namespace
}  // namespace ember::trees
