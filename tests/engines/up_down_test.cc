// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of up/down routing's rules. up_down_golden_test.cc compares whole results.

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/graph/hops.h"
#include "core/graph/topology.h"
#include "engines/catalogue.h"
#include "engines/up_down/levels.h"
#include "engines/up_down/queue_search.h"
#include "engines/up_down/sweep_search.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;

/// What Levels, SweepSearch and QueueSearch need, for a netlist.
class Study {
public:
    explicit Study(const net::Netlist& netlist, const testing::BuiltFabric::Options& options = {})
        : built_(netlist, options),
          scratch_(3 * Router::ScratchBytes(built_.limits(), EngineScratchBytes(built_.limits()))) {
        topology_.Build(built_.fabric(), Order::kOpensm, scratch_.arena());
        stride_ = HopStride(topology_.switch_bound());
        hops_.resize(topology_.switch_bound() * stride_);
        HopMeter meter;
        meter.Begin(topology_, {}, {hops_, stride_}, scratch_.arena());
        while (meter.Advance() == Progress::kMore) {
        }
        room_.Fill({hops_, stride_});
    }

    [[nodiscard]] RoutingTask Task() {
        return {.topology = &topology_,
                .settings = &settings,
                .hops = {hops_, stride_},
                .hop_room = &room_,
                .lfts = {},
                .scratch = &scratch_.arena()};
    }
    void Find(Levels& levels, UpDownRule rule) {
        levels.Begin(Task(), rule);
        while (levels.Advance() == Progress::kMore) {
        }
    }
    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] std::size_t stride() const { return stride_; }
    [[nodiscard]] SwitchIndex at(std::uint32_t node) const { return built_.switch_index(node); }

    Settings settings = testing::OpensmSettings();

private:
    testing::BuiltFabric built_;
    testing::ArenaStorage scratch_;
    Topology topology_;
    std::vector<std::uint8_t> hops_;
    HopRoom room_;
    std::size_t stride_ = 0;
};

/// Candidates and hops of a whole search.
struct Found {
    std::vector<std::uint8_t> hops;
    std::vector<std::vector<std::uint64_t>> masks;  ///< By switch, then column.
    [[nodiscard]] bool operator==(const Found&) const = default;
};

constexpr std::size_t kWords = 4;

template <typename Search>
Found RunSearch(Study& study, const Levels& levels, UpDownRule rule, bool free_roots) {
    const std::size_t bound = study.topology().switch_bound();
    Found found;
    found.hops.resize(bound * study.stride());
    typename Search::Case given;
    given.task = study.Task();
    given.levels = &levels;
    given.rule = rule;
    if constexpr (requires { given.turns; }) {
        given.turns.free_roots = free_roots;
    } else {
        given.free_roots = free_roots;
    }
    given.hops = {found.hops, study.stride()};
    Search search;
    search.Begin(given);
    while (search.Advance() == Progress::kMore) {
    }
    for (std::size_t here = 0; here < bound; ++here) {
        std::vector<std::uint64_t> masks(study.stride() * kWords);
        for (std::size_t first = 0; first < bound; first += kColumns) {
            search.Find(static_cast<SwitchIndex>(here), first, kWords,
                        std::span(masks).subspan(first * kWords, kColumns * kWords));
        }
        found.masks.push_back(masks);
        // Columns behind the last switch are nobody's business.
        const auto row = std::span(found.hops).subspan(here * study.stride(), study.stride());
        std::fill(row.begin() + static_cast<std::ptrdiff_t>(bound), row.end(), kNoHops);
    }
    return found;
}

/// Takes out cables between switches.
void Break(net::Netlist& netlist, std::uint32_t cables, std::mt19937& dice) {
    while (cables > 0) {  // Ends: trees of these sizes have more cables.
        const auto node = static_cast<std::uint32_t>(dice() % netlist.nodes.size());
        auto& ports = netlist.nodes[node].ports;
        net::NetPort& port = ports[1 + dice() % (ports.size() - 1)];
        if (!netlist.nodes[node].is_switch() || port.peer == net::kNoPeer) continue;
        if (!netlist.nodes[port.peer].is_switch()) continue;
        netlist.nodes[port.peer].ports[port.peer_port].peer = net::kNoPeer;
        port.peer = net::kNoPeer;
        --cables;
    }
}

TEST(Levels, FindTheTopOfAFatTree) {
    const net::Netlist netlist = net::FatTree3(8);
    Study study(netlist);
    Levels levels;
    study.Find(levels, UpDownRule::kFromRoots);
    EXPECT_EQ(levels.origin_count(), 16U);
    EXPECT_EQ(levels.top(), 2U);
    EXPECT_FALSE(levels.has_flat_cable());
    EXPECT_TRUE(levels.reach_all());
    std::size_t leaves = 0;
    for (const SwitchIndex at : study.topology().switches_by_guid()) {
        const bool has_hosts = study.topology().switch_row(at).end_port_count != 0;
        EXPECT_EQ(levels.level(at) == 2, has_hosts);
        leaves += has_hosts ? 1U : 0U;
    }
    EXPECT_EQ(leaves, 32U);
}

TEST(Levels, TakeTheTopOfALargeTreeUnderTheirOwnOrder) {
    // 20 of 400 end ports are behind the own leaf: not more than a twentieth.
    net::Netlist netlist;
    constexpr std::uint32_t kLeaves = 20;
    for (std::uint32_t i = 0; i < kLeaves + 2; ++i) {
        netlist.Add(NodeType::kSwitch, 24, "S-" + std::to_string(i), "");
        netlist.nodes.back().guid = static_cast<Guid>(i + 1);
    }
    for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf) {
        netlist.ConnectAny(leaf, kLeaves);
        netlist.ConnectAny(leaf, kLeaves + 1);
        for (std::uint32_t i = 0; i < 20; ++i) {
            const std::uint32_t name = leaf * 20 + i;
            const std::uint32_t host =
                netlist.Add(NodeType::kChannelAdapter, 1, "H-" + std::to_string(name), "");
            netlist.nodes.back().guid = static_cast<Guid>(0x1000 + name * 16);
            netlist.ConnectAny(host, leaf);
        }
    }
    testing::BuiltFabric::Options options;
    options.own_node = kLeaves + 2;
    Study study(netlist, options);
    Levels levels;
    study.Find(levels, UpDownRule::kFromRoots);
    EXPECT_EQ(levels.origin_count(), kLeaves + 2U);  // As in OpenSM.
    study.settings.order = Order::kBalanced;
    study.Find(levels, UpDownRule::kFromRoots);
    EXPECT_EQ(levels.origin_count(), 2U);
    EXPECT_EQ(levels.level(study.at(kLeaves)), 0U);
    EXPECT_EQ(levels.level(study.at(kLeaves + 1)), 0U);
    EXPECT_EQ(levels.level(study.at(0)), 1U);
}

TEST(Levels, CountFromTheLeavesForDnup) {
    const net::Netlist netlist = net::FatTree3(4);
    Study study(netlist);
    Levels levels;
    study.Find(levels, UpDownRule::kFromLeaves);
    EXPECT_EQ(levels.origin_count(), 8U);
    for (const SwitchIndex at : study.topology().switches_by_guid()) {
        const bool has_hosts = study.topology().switch_row(at).end_port_count != 0;
        EXPECT_EQ(levels.level(at) == 0, has_hosts);
    }
}

TEST(Levels, AscendInTheirOrder) {
    const net::Netlist netlist = net::RandomGraph(3, 40, 4, 1);
    Study study(netlist);
    const Guid root = study.topology().switch_row(SwitchIndex{7}).guid;
    study.settings.tables.roots = {&root, 1};
    study.settings.tables.has_roots = true;
    Levels levels;
    study.Find(levels, UpDownRule::kFromRoots);
    EXPECT_EQ(levels.origin_count(), 1U);
    std::uint16_t before = 0;
    for (const SwitchIndex at : levels.by_level()) {
        EXPECT_GE(levels.level(at), before);
        before = levels.level(at);
        std::uint16_t nearest = kNoLevel;
        for (const Trunk& trunk : study.topology().trunks(at)) {
            nearest = std::min(nearest, levels.level(trunk.peer));
        }
        EXPECT_EQ(levels.level(at), levels.level(at) == 0 ? 0 : nearest + 1);
    }
    EXPECT_EQ(before, levels.top());
}

TEST(UpDownSearch, SweepsFindWhatTheQueueFindsInTrees) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        std::mt19937 dice(seed);
        net::Netlist netlist = seed % 2 == 0 ? net::FatTree3(4 + seed % 3 * 2) : net::FatTree2(8);
        Break(netlist, static_cast<std::uint32_t>(dice() % 9), dice);
        for (const UpDownRule rule : {UpDownRule::kFromRoots, UpDownRule::kFromLeaves}) {
            Study study(netlist);
            std::vector<Guid> roots;
            for (const SwitchIndex at : study.topology().switches_by_guid()) {
                const auto& row = study.topology().switch_row(at);
                bool is_top = row.end_port_count == 0;
                for (const Trunk& trunk : study.topology().trunks(at)) {
                    const auto& peer = study.topology().switch_row(trunk.peer);
                    if (seed % 2 == 0 && peer.end_port_count != 0) is_top = false;
                }
                if (is_top) roots.push_back(row.guid);
            }
            std::sort(roots.begin(), roots.end());
            study.settings.tables.roots = roots;
            study.settings.tables.has_roots = true;
            Levels levels;
            study.Find(levels, rule);
            if (levels.has_flat_cable()) continue;
            const bool free_roots = rule == UpDownRule::kFromRoots && seed % 4 >= 2;
            EXPECT_EQ(RunSearch<SweepSearch>(study, levels, rule, free_roots),
                      RunSearch<QueueSearch>(study, levels, rule, free_roots))
                << "seed " << seed;
        }
    }
}

TEST(UpDownSearch, EveryCandidateIsNearer) {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        testing::WildOptions wild;
        wild.seed = seed;
        wild.switches = 3 + seed % 12;
        wild.extra_cables = seed;
        wild.hosts = 6;
        wild.islands = seed % 5 == 0;
        wild.ports = seed % 3 == 0 ? 254 : 66;
        const net::Netlist netlist = testing::WildNetlist(wild);
        for (const UpDownRule rule : {UpDownRule::kFromRoots, UpDownRule::kFromLeaves}) {
            Study study(netlist);
            const Guid root =
                study.topology().switch_row(study.topology().switches_by_guid()[0]).guid;
            study.settings.tables.roots = {&root, 1};
            study.settings.tables.has_roots = true;
            Levels levels;
            study.Find(levels, rule);
            const Found found = RunSearch<QueueSearch>(study, levels, rule, false);
            const auto hops = [&](SwitchIndex from, std::size_t to) {
                return found.hops[Raw(from) * study.stride() + to];
            };
            for (const SwitchIndex here : study.topology().switches_by_guid()) {
                for (const SwitchIndex to : study.topology().switches_by_guid()) {
                    const auto mask = std::span(found.masks[Raw(here)]).subspan(Raw(to) * 4, 4);
                    std::size_t candidates = 0;
                    for (std::size_t port = 1; port < 255; ++port) {
                        if ((mask[(port - 1) / 64] >> ((port - 1) % 64) & 1U) == 0) continue;
                        ++candidates;
                        const Exit& exit =
                            study.topology().exit(here, static_cast<PortNumber>(port));
                        ASSERT_NE(exit.peer, kNoSwitch);
                        EXPECT_LT(hops(exit.peer, Raw(to)), hops(here, Raw(to)));
                    }
                    const bool has_way = here != to && hops(here, Raw(to)) != kNoHops;
                    EXPECT_EQ(candidates > 0, has_way);
                }
            }
        }
    }
}

TEST(UpDn, SaysThatThereAreNoRoots) {
    constexpr std::uint32_t kSizes[] = {4, 4};
    const net::Netlist netlist = net::Torus(kSizes, 1);
    RoutingRun run(netlist);
    UpDn up_dn;
    const Verdict& verdict = run.Route(up_dn);
    EXPECT_EQ(verdict.reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(verdict.status, Status::kAbsent);
    EXPECT_EQ(verdict.attempts[0].complaint.what, EngineFault::kNoRoots);
    EXPECT_EQ(run.scratch().used_bytes(), 0U);
}

TEST(DnUp, SaysThatThereAreNoLeaves) {
    net::Netlist netlist;
    netlist.Add(NodeType::kSwitch, 4, "S-0", "");
    netlist.Add(NodeType::kSwitch, 4, "S-1", "");
    netlist.nodes[0].guid = Guid{1};
    netlist.nodes[1].guid = Guid{2};
    netlist.ConnectAny(0, 1);
    RoutingRun run(netlist);
    DnUp dn_up;
    const Verdict& verdict = run.Route(dn_up);
    EXPECT_EQ(verdict.reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(verdict.attempts[0].complaint.what, EngineFault::kNoLeafSwitch);
}

TEST(UpDn, RefusesAFabricForWhichItHasNoScratchAndTakesNoMoreThanThereIs) {
    // Cables join switches of one level here, so OpenSM's steps must be taken one by one.
    Study study(net::RandomGraph(3, 60, 6, 2));
    const Guid root = study.topology().switch_row(SwitchIndex{7}).guid;
    study.settings.tables.roots = {&root, 1};
    study.settings.tables.has_roots = true;
    const Limits limits = study.topology().bounds();
    const std::size_t builder =
        std::max({LftBuilder::ScratchBytes(limits), BalancedBuilder::ScratchBytes(limits),
                  Mender::ScratchBytes(limits)});
    const std::size_t least = UpDnFinder::LeastScratchBytes(limits) + builder;
    const std::size_t most = UpDnFinder::ScratchBytes(limits) + builder;
    ASSERT_LT(least, most);
    const std::size_t stride = LidStride(limits);
    std::vector<std::vector<std::uint8_t>> results;
    std::size_t refused = 0;
    constexpr std::size_t kSteps = 64;
    for (std::size_t step = 0; step <= kSteps; ++step) {
        testing::ArenaStorage arena(least + (most - least) * step / kSteps);
        std::vector<std::uint8_t> lfts(study.topology().switch_bound() * stride, 255);
        RoutingTask task = study.Task();
        task.scratch = &arena.arena();
        task.lfts = {lfts, stride};
        UpDn up_dn;
        ASSERT_EQ(up_dn.Begin(task), Status::kOk);
        Result<Progress> progress = Progress::kMore;
        while (progress.ok() && progress.value() == Progress::kMore) {
            progress = up_dn.Advance();
        }
        if (progress.ok()) {
            results.push_back(lfts);
        } else {
            EXPECT_EQ(progress.status(), Status::kFull);
            EXPECT_EQ(up_dn.complaint().what, EngineFault::kNoScratch);
            EXPECT_TRUE(results.empty()) << "more scratch was not enough";
            ++refused;
        }
    }
    EXPECT_GT(refused, 0U);
    ASSERT_FALSE(results.empty());
    EXPECT_NE(results.front(), std::vector<std::uint8_t>(results.front().size(), 255));
    EXPECT_EQ(results.front(), results.back());
}

/// updn on a netlist with one root, the first switch by GUID.
Verdict RouteByOneRoot(const net::Netlist& netlist, Order order) {
    testing::BuiltFabric::Options options;
    options.order = order;
    RoutingRun run(netlist, options);
    Guid root = kNoGuid;
    for (const net::NetNode& node : netlist.nodes) {
        if (root == kNoGuid && node.is_switch()) root = node.guid;
    }
    Settings settings = testing::OpensmSettings();
    settings.order = order;
    settings.tables.roots = {&root, 1};
    settings.tables.has_roots = true;
    UpDn up_dn;
    return run.Route(up_dn, settings);
}

TEST(UpDn, IsLegalOnAnyFabricUnderItsOwnOrder) {
    constexpr std::uint32_t kOdd[] = {5, 5};
    constexpr std::uint32_t kSolid[] = {4, 4, 3};
    std::vector<net::Netlist> netlists;
    netlists.push_back(net::Torus(kOdd, 2));
    netlists.push_back(net::Torus(kSolid, 1));
    netlists.push_back(net::Mesh(kOdd, 1));
    netlists.push_back(net::Hypercube(5, 1));
    netlists.push_back(net::Dragonfly(4, 2, 1));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        netlists.push_back(net::RandomGraph(seed, 30, 5, 2));
    }
    for (std::size_t i = 0; i < netlists.size(); ++i) {
        const Verdict verdict = RouteByOneRoot(netlists[i], Order::kBalanced);
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified) << i;
        EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U) << i;
    }
}

TEST(UpDn, WorksInShortSlices) {
    constexpr std::uint32_t kSizes[] = {8, 8};
    const net::Netlist netlist = net::Torus(kSizes, 1);
    RoutingRun run(netlist);
    const Guid root = netlist.nodes[run.reference().switches()[0]].guid;
    Settings settings = testing::OpensmSettings();
    settings.tables.roots = {&root, 1};
    settings.tables.has_roots = true;
    MinHop min_hop;
    run.Route(min_hop, settings);
    const std::size_t plain = run.slices();
    UpDn up_dn;
    run.Route(up_dn, settings);
    EXPECT_GE(run.slices(), plain + 4);  // Levels, memory, steps, searches.
}

}  // namespace
}  // namespace ember
