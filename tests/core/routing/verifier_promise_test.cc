// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what a pair of mere switches without a way means for an engine's promise.

#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::ReplayEngine;
using testing::RoutingRun;
using testing::SlowDestination;
using testing::SlowTables;

/// A fat tree on which one switch drops what goes to another switch's own LID.
class SwitchesApart : public ::testing::Test {
protected:
    SwitchesApart() : netlist_(net::FatTree2(4)), run_(netlist_) {
        tables_ = run_.reference().MinHop({});
        from_ = run_.reference().switches().front();
        for (const SlowDestination& destination : run_.reference().destinations()) {
            if (destination.is_switch && destination.node != from_) to_ = destination;
        }
        tables_[from_][to_.lid] = kNoHops;
    }

    net::Netlist netlist_;
    RoutingRun run_;
    SlowTables tables_;
    std::uint32_t from_ = 0;
    SlowDestination to_;
};

TEST_F(SwitchesApart, ArePassedWhenTheEngineDoesNotPromiseThem) {
    ReplayEngine engine("updn", run_, tables_, {.deadlock_free = true, .all_switches = false});
    const Verdict& verdict = run_.Route(engine);
    EXPECT_TRUE(verdict.may_program());
    EXPECT_EQ(verdict.findings.switch_pairs_apart, run_.reference().CountApart(tables_));
    EXPECT_GE(verdict.findings.switch_pairs_apart, 1U);
    EXPECT_EQ(verdict.findings.fault, Findings::Fault::kNone);
}

TEST_F(SwitchesApart, AreRefusedWhenTheEnginePromisesAll) {
    ReplayEngine engine("minhop", run_, tables_, {.all_switches = true});
    const Verdict& verdict = run_.Route(engine);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kRefused);
    EXPECT_EQ(verdict.reason, RoutingReason::kLostPair);
    EXPECT_EQ(verdict.findings.fault, Findings::Fault::kLost);
    EXPECT_EQ(verdict.findings.at, netlist_.nodes[from_].guid);
    EXPECT_EQ(verdict.findings.lid, static_cast<Lid>(to_.lid));
    EXPECT_EQ(Raw(verdict.findings.port_guid), to_.guid);
}

}  // namespace
}  // namespace ember
