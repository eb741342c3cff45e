// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of ftree in balanced order where cables join switches of one level.

#include "engines/fat_tree/flat_rings.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "engines/fat_tree/fat_tree.h"
#include "tests/engines/fat_tree/tree_builder.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;

/// Two tops, below them `count` pods of a switch, one more and a leaf with two hosts: so it is
/// shorter to the next pod but one by cables between the middle ones than by a top.
struct Pods : Builder {
    explicit Pods(int count) {
        const std::array tops = {Switch("top0"), Switch("top1")};
        for (int i = 0; i < count; ++i) {
            middle.push_back(Switch("middle" + std::to_string(i)));
            const auto leaf = Switch("leaf" + std::to_string(i));
            HostAt(leaf);
            HostAt(leaf);
            Cables(leaf, middle.back());
            const auto upper = Switch("upper" + std::to_string(i));
            Cables(middle.back(), upper);
            for (const std::uint32_t top : tops) {
                Cables(upper, top);
            }
        }
    }
    void CloseRing() {
        for (std::size_t i = 0; i < middle.size(); ++i) {
            Cables(middle[i], middle[(i + 1) % middle.size()]);
        }
        netlist.AssignGuids();
    }
    std::vector<std::uint32_t> middle;
};

TEST(FatTree, RoutesFromTheRootsWhereSwitchesOfOneLevelCloseARing) {
    Pods tree(6);
    tree.CloseRing();
    RoutingRun run(tree.netlist);
    const Settings settings;  // The balanced order.
    DnUp from_leaves;
    EXPECT_NE(run.Route(from_leaves, settings).outcome, RoutingOutcome::kVerified);
    FatTree fat_tree;
    EXPECT_EQ(run.Route(fat_tree, settings).outcome, RoutingOutcome::kVerified);
    EXPECT_FALSE(run.reference().FindBroken(run.planned()).has_value());
    UpDn from_roots;
    const testing::SlowTables planned = run.planned();
    EXPECT_EQ(run.Route(from_roots, settings).outcome, RoutingOutcome::kVerified);
    EXPECT_EQ(run.planned(), planned);
}

TEST(FatTree, RoutesFromTheLeavesWhereCablesSidewaysCloseNoRing) {
    Pods tree(6);
    tree.Cables(tree.middle[0], tree.middle[1], 2);  // Two links: no path turns back.
    tree.Cables(tree.middle[1], tree.middle[2]);
    tree.netlist.AssignGuids();
    RoutingRun run(tree.netlist);
    FatTree fat_tree;
    EXPECT_EQ(run.Route(fat_tree, Settings{}).outcome, RoutingOutcome::kVerified);
    const testing::SlowTables planned = run.planned();
    DnUp from_leaves;
    static_cast<void>(run.Route(from_leaves, Settings{}));
    EXPECT_EQ(run.planned(), planned);
}

TEST(FatTree, CountsFromOneSwitchWhereARingHasNoRootAbove) {
    Builder ring;
    std::vector<std::uint32_t> upper;
    for (int i = 0; i < 7; ++i) {
        upper.push_back(ring.Switch("upper" + std::to_string(i)));
        const auto leaf = ring.Switch("leaf" + std::to_string(i));
        ring.HostAt(leaf);
        ring.Cables(leaf, upper.back());
    }
    for (std::size_t i = 0; i < upper.size(); ++i) {
        ring.Cables(upper[i], upper[(i + 1) % upper.size()]);
    }
    ring.netlist.AssignGuids();
    RoutingRun run(ring.netlist);
    FatTree fat_tree;
    EXPECT_EQ(run.Route(fat_tree, Settings{}).outcome, RoutingOutcome::kVerified);
}

}  // namespace
}  // namespace ember
