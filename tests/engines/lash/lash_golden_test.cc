// SPDX-License-Identifier: Apache-2.0
// EmberSM: lash against what OpenSM 3.3.23 made of the same fabrics.
//
// Goal:   under Order::kOpensm forwarding tables are OpenSM's, octet for octet, and pairs of
//         switches get the lanes that OpenSM gives them before it draws some to be moved.
// Method: tests/golden/lash holds netlists with the LIDs, tables and service levels of
//         `opensm -R lash` on ibsim (tests/golden/record.py). Netlist, LIDs and options go in.

#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engines/lash/lash.h"
#include "tests/support/lane_walker.h"
#include "tests/support/routing_golden.h"

namespace ember {
namespace {

using testing::GoldenSettings;
using testing::LaneWalker;
using testing::RoutingGolden;
using testing::RoutingRun;
using testing::SlowDestination;

const std::filesystem::path kFolder =
    std::filesystem::path(EMBER_SOURCE_DIR) / "tests" / "golden" / "lash";
constexpr std::uint8_t kLanes = 8;

class LashGolden : public ::testing::TestWithParam<std::string> {
protected:
    [[nodiscard]] RoutingGolden golden() const { return testing::ReadGolden(kFolder, GetParam()); }
};

TEST_P(LashGolden, MakesTheTablesOfOpensm) {
    Lash engine;
    testing::ExpectGoldenTables(golden(), engine, kLanes);
}

/// Directed pairs of switches on each lane, as OpenSM counts them.
std::vector<std::size_t> Layers(RoutingRun& run, std::uint8_t first) {
    const RoutingLanes& lanes = run.router().planned_lanes();
    std::vector<std::size_t> pairs(lanes.count - std::size_t{first});
    for (const std::uint32_t one : run.reference().switches()) {
        for (const std::uint32_t other : run.reference().switches()) {
            if (one == other) continue;
            const std::uint8_t sl = lanes.path_sl.Of({.from = run.built().switch_index(one),
                                                      .to = run.built().switch_index(other),
                                                      .lid = kNoLid});
            ++pairs.at(sl - std::size_t{first});
        }
    }
    return pairs;
}

TEST_P(LashGolden, GivesPairsTheLanesOfOpensmBeforeItEvensThemOut) {
    const RoutingGolden recorded = golden();
    GoldenSettings settings(recorded);
    settings.settings().qos = true;
    testing::BuiltFabric::Options options;
    options.lmc = settings.settings().lmc;
    options.lids = recorded.lids;
    options.max_lanes = kLanes;
    RoutingRun run(recorded.netlist, options);
    Lash engine(false);
    ASSERT_EQ(run.Route(engine, settings.settings()).outcome, RoutingOutcome::kVerified);
    ASSERT_FALSE(recorded.layers.empty());
    EXPECT_EQ(Layers(run, settings.settings().lash_start_vl), recorded.layers);
}

/// A pair has one SL in both directions, and all paths together are free of credit loops.
TEST_P(LashGolden, OpensmGivesServiceLevelsThatServeBothDirections) {
    const RoutingGolden recorded = golden();
    if (recorded.levels.empty()) GTEST_SKIP() << "not recorded for this case";
    testing::BuiltFabric::Options options;
    options.lmc = GoldenSettings(recorded).settings().lmc;
    options.lids = recorded.lids;
    RoutingRun run(recorded.netlist, options);
    std::map<std::uint32_t, std::uint32_t> switch_of;  // By LID.
    for (const SlowDestination& to : run.reference().destinations()) {
        for (std::uint32_t lid = to.lid; lid < to.lid + to.lid_count; ++lid) {
            switch_of[lid] = to.at;
        }
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> level_of;  // By two switches.
    std::size_t pairs = 0;
    for (const auto& [from, row] : recorded.levels) {
        for (const auto& [to, back] : recorded.levels) {
            if (row.size() <= to || back.size() <= from || row[to] == kNoSl) continue;
            ASSERT_EQ(row[to], back[from]) << from << " " << to;
            const auto found = level_of.insert({{switch_of[from], switch_of[to]}, row[to]});
            ASSERT_EQ(found.first->second, row[to]) << from << " " << to;
            ++pairs;
        }
    }
    EXPECT_GT(pairs, 0U);
    testing::SlowTables tables;
    for (const std::uint32_t node : run.reference().switches()) {
        tables[node] = recorded.tables.at(recorded.netlist.nodes[node].guid);
    }
    const testing::SlRule sl_of = [&](std::uint32_t node, std::uint32_t lid) -> unsigned {
        const auto found = level_of.find({node, switch_of[lid]});
        return found == level_of.end() ? 0 : found->second;
    };
    const testing::LaneRule lane = [](std::uint32_t, std::uint8_t, std::uint8_t, unsigned sl) {
        return sl;
    };
    EXPECT_FALSE(testing::HasCycle(
        LaneWalker(recorded.netlist, run.reference(), tables, lane, sl_of).Walk(false)));
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
    return testing::GoldenName(info.param);
}

INSTANTIATE_TEST_SUITE_P(Recorded, LashGolden, ::testing::ValuesIn(testing::GoldenCases(kFolder)),
                         NameOf);

}  // namespace
}  // namespace ember
