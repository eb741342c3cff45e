// SPDX-License-Identifier: Apache-2.0
// EmberSM: up/down routing against what OpenSM 3.3.23 made of the same fabrics.
//
// Goal:   under Order::kOpensm the forwarding tables are OpenSM's, octet for octet; what its engine
//         refuses, ours refuses; and what OpenSM programs though hosts do not reach each other, or
//         though updn's buffers may wait in a circle, the router refuses.
// Method: tests/golden/updn and tests/golden/dnup hold netlists with the LIDs and tables of
//         `opensm -R updn` and `-R dnup` on ibsim (tests/golden/record.py). Netlist, LIDs and
//         options go in, tables are compared; the slow proof says whether they may be programmed.

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "engines/up_down/dn_up.h"
#include "engines/up_down/up_dn.h"
#include "tests/support/routing_golden.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(EMBER_SOURCE_DIR) / "tests" / "golden";

void ExpectSameTables(const testing::RoutingGolden& golden, testing::RoutingRun& run) {
    const testing::SlowTables planned = testing::PlannedLikeOpensm(golden, run);
    for (const std::uint32_t node : run.reference().switches()) {
        ASSERT_EQ(planned.at(node), golden.tables.at(golden.netlist.nodes[node].guid))
            << "switch " << golden.netlist.nodes[node].id;
    }
}

void ExpectGolden(const testing::RoutingGolden& golden, RoutingEngine& engine) {
    const testing::GoldenSettings settings(golden);
    testing::BuiltFabric::Options options;
    options.lmc = settings.settings().lmc;
    options.lids = golden.lids;
    testing::RoutingRun run(golden.netlist, options);
    ASSERT_EQ(run.reference().destinations().size(), golden.lids.size());
    ASSERT_EQ(run.reference().switches().size(), golden.tables.size());

    const Verdict& verdict = run.Route(engine, settings.settings());

    const bool routed = verdict.reason != RoutingReason::kEngineFailed;
    ASSERT_EQ(routed, golden.routed_by == engine.name()) << "OpenSM: by " << golden.routed_by;
    if (!routed) {
        EXPECT_EQ(engine.complaint().what, EngineFault::kNoRoots);
        return;
    }
    ExpectSameTables(golden, run);
    const testing::SlowTables planned = run.planned();
    const Promise promise = engine.promise(settings.settings());
    RoutingReason expected = RoutingReason::kNone;
    if (run.reference().FindBroken(planned).has_value()) {
        expected = RoutingReason::kLostPair;
    } else if (promise.all_switches && run.reference().CountApart(planned) > 0) {
        expected = RoutingReason::kLostPair;
    } else if (promise.deadlock_free) {
        const auto waits = run.reference().FindDependencies(planned, false);
        if (testing::RoutingReference::HasCycle(waits)) expected = RoutingReason::kCreditLoop;
    }
    EXPECT_EQ(verdict.reason, expected);
    EXPECT_EQ(verdict.may_program(), expected == RoutingReason::kNone);
}

class UpDnGolden : public ::testing::TestWithParam<std::string> {};
class DnUpGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(UpDnGolden, MakesTheTablesOfOpensm) {
    UpDn up_dn;
    ExpectGolden(testing::ReadGolden(kGolden / "updn", GetParam()), up_dn);
}

TEST_P(DnUpGolden, MakesTheTablesOfOpensm) {
    DnUp dn_up;
    ExpectGolden(testing::ReadGolden(kGolden / "dnup", GetParam()), dn_up);
}

// OpenSM programs this; its packets turn up again after they went down.
TEST(UpDn, IsRefusedWhereOpensmsWouldLetBuffersWaitInACircle) {
    const testing::RoutingGolden golden = testing::ReadGolden(kGolden / "updn", "torus-odd");
    testing::GoldenSettings settings(golden);
    testing::BuiltFabric::Options options;
    options.lmc = settings.settings().lmc;
    options.lids = golden.lids;
    testing::RoutingRun run(golden.netlist, options);
    UpDn up_dn;
    EXPECT_EQ(run.Route(up_dn, settings.settings()).reason, RoutingReason::kCreditLoop);
    settings.settings().order = Order::kBalanced;
    EXPECT_EQ(run.Route(up_dn, settings.settings()).outcome, RoutingOutcome::kVerified);
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
    return testing::GoldenName(info.param);
}

INSTANTIATE_TEST_SUITE_P(Recorded, UpDnGolden,
                         ::testing::ValuesIn(testing::GoldenCases(kGolden / "updn")), NameOf);
INSTANTIATE_TEST_SUITE_P(Recorded, DnUpGolden,
                         ::testing::ValuesIn(testing::GoldenCases(kGolden / "dnup")), NameOf);

}  // namespace
}  // namespace ember
