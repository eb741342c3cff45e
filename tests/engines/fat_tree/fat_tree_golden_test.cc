// SPDX-License-Identifier: Apache-2.0
// EmberSM: fat trees against what OpenSM 3.3.23 made of them.
//
// Goal:   under Order::kOpensm the forwarding tables are OpenSM's, octet for octet, what OpenSM
//         refuses is refused, and the slots of the leaves have OpenSM's order.
// Method: tests/golden/ftree holds netlists with the LIDs and tables of `opensm -R ftree` on ibsim
//         (tests/golden/record.py). Netlist, LIDs and options go in, tables are compared.

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "engines/fat_tree/fat_tree.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/routing_golden.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(EMBER_SOURCE_DIR) / "tests" / "golden" / "ftree";

class FatTreeGolden : public ::testing::TestWithParam<std::string> {};

/// The tables are compared even where the verifier would not let them pass: on a broken tree OpenSM
/// programs what loses pairs.
TEST_P(FatTreeGolden, MakesTheTablesOfOpensm) {
    const testing::RoutingGolden golden = testing::ReadGolden(kFolder, GetParam());
    const testing::GoldenSettings settings(golden);
    testing::BuiltFabric::Options options;
    options.lmc = settings.settings().lmc;
    options.lids = golden.lids;
    testing::RoutingRun run(golden.netlist, options);
    FatTree fat_tree;

    const Verdict& verdict = run.Route(fat_tree, settings.settings());

    const bool refuses = verdict.reason == RoutingReason::kEngineFailed;
    ASSERT_EQ(refuses, golden.routed_by != "ftree") << "OpenSM: by " << golden.routed_by;
    EXPECT_EQ(refuses, fat_tree.complaint().what != EngineFault::kNone);
    if (refuses) return;
    const testing::SlowTables planned = testing::PlannedLikeOpensm(golden, run);
    for (const std::uint32_t node : run.reference().switches()) {
        EXPECT_EQ(planned.at(node), golden.tables.at(golden.netlist.nodes[node].guid))
            << golden.netlist.nodes[node].id;
    }
}

/// The LIDs of the slots as OpenSM dumped them; 0 for its dummies.
std::vector<Lid> DumpedSlots(const std::vector<std::string>& lines) {
    std::vector<Lid> slots;
    for (const std::string& line : lines) {
        const auto lid = static_cast<std::uint16_t>(std::stoul(line, nullptr, 0));
        slots.push_back(lid == 0xFFFF ? kNoLid : static_cast<Lid>(lid));
    }
    return slots;
}

const std::string kOrderDump = "opensm-ftree-ca-order.dump";

/// Only where OpenSM routed by ftree and dumped the order.
class FatTreeSlots : public ::testing::TestWithParam<std::string> {};

TEST_P(FatTreeSlots, KnowsTheSlotsOfTheLeavesInOpensmsOrder) {
    const testing::RoutingGolden golden = testing::ReadGolden(kFolder, GetParam());
    const testing::GoldenSettings settings(golden);
    testing::BuiltFabric::Options options;
    options.lids = golden.lids;
    const testing::BuiltFabric built(golden.netlist, options);
    testing::ArenaStorage storage(Topology::ScratchBytes(built.limits()) +
                                  FatTreePlan::ScratchBytes(built.limits()));
    Topology topology;
    topology.Build(built.fabric(), Order::kOpensm, storage.arena());
    FatTreePlan plan;
    ASSERT_EQ(plan.Begin({.topology = &topology,
                          .options = &settings.settings(),
                          .hops = {},
                          .tables = {},
                          .scratch = &storage.arena()}),
              Status::kOk);
    Result<Progress> progress = plan.Advance();
    while (progress.ok() && progress.value() == Progress::kMore) {
        progress = plan.Advance();
    }
    ASSERT_TRUE(progress.ok());

    std::vector<Lid> slots;
    plan.ForEachSlot([&](Lid lid) { slots.push_back(lid); });

    EXPECT_EQ(slots, DumpedSlots(golden.dumps.at(kOrderDump)));
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
    return testing::GoldenName(info.param);
}

INSTANTIATE_TEST_SUITE_P(Recorded, FatTreeGolden,
                         ::testing::ValuesIn(testing::GoldenCases(kFolder)), NameOf);
INSTANTIATE_TEST_SUITE_P(Recorded, FatTreeSlots,
                         ::testing::ValuesIn(testing::GoldenCasesWith(kFolder, kOrderDump)),
                         NameOf);

}  // namespace
}  // namespace ember
