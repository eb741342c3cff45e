// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of ftree. They act under `order opensm`, and so do their rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/config/acts/paper.h"
#include "tests/config/acts/row.h"
#include "tests/support/routing_golden.h"

namespace ember::acts {
namespace {

/// Entries that are not as ftree makes them without any of its options.
Look MovedIn(const net::Netlist& netlist) {
    return [netlist](const Settings& settings) {
        Settings plain;
        plain.order = Order::kOpensm;
        static_cast<void>(plain.routing_engine.TryPush(EngineKind::kFtree));
        const Paper usual(netlist, plain);
        const Paper paper(netlist, settings);
        EXPECT_EQ(usual.Verdict(), "ftree: verified");
        return fmt::format("{}, {} moved", paper.Verdict(), paper.EntriesUnlike(usual));
    };
}

/// Four spines above four leaves of four hosts each.
net::Netlist Tree() {
    return net::FatTree2(8);
}

/// Three levels, and leaves with one to five hosts.
net::Netlist UnevenTree() {
    return testing::ReadGolden(EMBER_SOURCE_DIR "/tests/golden/ftree", "quasi").netlist;
}

/// Port GUIDs of hosts, every `step`th.
std::string Hosts(const net::Netlist& netlist, std::size_t step) {
    std::string lines;
    std::size_t count = 0;
    for (const net::NetNode& node : netlist.nodes) {
        if (node.is_switch() || count++ % step != 0) continue;
        lines += fmt::format("{:#x}\n", Raw(node.guid) + 1);
    }
    return lines;
}

}  // namespace

std::vector<Row> FatTreeRows() {
    const File some{"some", Hosts(Tree(), 3)};
    constexpr std::string_view kFtree = "order opensm\nrouting_engine ftree\n";
    constexpr std::string_view kIo = "order opensm\nrouting_engine ftree\nio_guid_file some\n";
    // clang-format off
    return {
        {"cn_guid_file", "some", MovedIn(Tree()), "ftree: verified, 0 moved", "ftree: verified, 238 moved", kFtree, {some}},
        {"io_guid_file", "some", MovedIn(Tree()), "ftree: verified, 0 moved", "ftree: verified, 189 moved", kFtree, {some}},
        {"max_reverse_hops", "1", MovedIn(Tree()), "ftree: verified, 189 moved", "ftree: verified, 234 moved", kIo, {some}},
        {"quasi_ftree_indexing", "TRUE", MovedIn(UnevenTree()), "ftree: verified, 0 moved", "ftree: verified, 1179 moved", kFtree},
    };
    // clang-format on
}

}  // namespace ember::acts
