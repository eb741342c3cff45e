// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the searches for up/down paths, one against the other.

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <span>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/up_down/queue_search.h"
#include "engines/up_down/sweep_search.h"
#include "tests/engines/up_down/study.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::Study;

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
    given.hops = {found.hops, {.rows = bound, .stride = study.stride()}};
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
        // Columns behind the last switch mean nothing.
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
            if (levels.has_flat_link()) continue;
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

}  // namespace
}  // namespace ember
