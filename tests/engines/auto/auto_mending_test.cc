// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the engine auto on routings that it made before.
//
// Goal:   a lost link changes few routes, and what is mended has no circle of waits on any lane;
//         lanes that depend on all routes are made anew with them.
// Method: one link after the other is lost; the verifier looks at all that is planned each time.

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "engines/auto/auto.h"
#include "tests/engines/balance/balance_nets.h"
#include "tests/support/lane_run.h"

namespace ember {
namespace {

using testing::Net;
using testing::RoutingRun;
using testing::WithLanes;
using testing::WithQos;

/// The links between switches, each by one of its ends.
std::vector<PortIndex> Trunks(const Fabric& fabric) {
    std::vector<PortIndex> trunks;
    ForEachPort(fabric, [&](PortIndex at, const Port& port) {
        if (port.peer == kNoPortIndex || port.peer < at) return;
        const auto is_switch = [&fabric](PortIndex end) {
            return fabric.node(fabric.port(end).node).type == NodeType::kSwitch;
        };
        if (is_switch(at) && is_switch(port.peer)) trunks.push_back(at);
    });
    return trunks;
}

/// A fabric that has been routed and loses links.
class Losing {
public:
    explicit Losing(const char* shape)
        : netlist_(Net{.shape = shape}.Build()),
          run_(netlist_, WithLanes(8, 0), &EngineScratchBytes, 64U << 10U),
          trunks_(Trunks(run_.built().fabric())) {
        EXPECT_EQ(run_.Route(engine_, WithQos(Order::kBalanced)).outcome,
                  RoutingOutcome::kVerified);
    }

    /// The i-th link that it had at first is lost.
    const Verdict& Lose(std::size_t i) {
        run_.built().fabric().Disconnect(trunks_[i]);
        return run_.Mend(engine_, WithQos(Order::kBalanced), ProofScope::kChanges);
    }
    [[nodiscard]] std::size_t links() const { return trunks_.size(); }
    /// Routes of all switches to all LIDs.
    [[nodiscard]] std::uint64_t routes() { return run_.router().verdict().findings.routes; }

private:
    net::Netlist netlist_;
    RoutingRun run_;
    std::vector<PortIndex> trunks_;
    Auto engine_;
};

TEST(AutoMending, ChangesFewRoutesForALostLink) {
    for (const char* const shape : {"ft3:8", "ft2:16", "torus:8x8:1", "torus:5x6x7:1"}) {
        SCOPED_TRACE(shape);
        Losing fabric(shape);
        const Verdict& verdict = fabric.Lose(fabric.links() / 2);
        EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
        EXPECT_TRUE(verdict.was_mended);
        EXPECT_GT(verdict.mended.entries, 0U);
        EXPECT_LT(verdict.mended.entries * 10, fabric.routes());
        EXPECT_FALSE(verdict.findings.end_ports_may_deadlock);
        EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U);
    }
}

TEST(AutoMending, StaysFreeOfCreditLoopsWhileLinksAreLost) {
    for (const char* const shape : {"ft3:4", "ft2:8", "torus:6x6:1", "mesh:4x4:1", "ring:8:2",
                                    "hypercube:5:1", "dragonfly:4,2:2"}) {
        SCOPED_TRACE(shape);
        Losing fabric(shape);
        for (std::size_t i = 0; i < fabric.links(); i += 1 + fabric.links() / 9) {
            const Verdict& verdict = fabric.Lose(i);
            if (verdict.findings.islands > 1) break;
            ASSERT_EQ(verdict.outcome, RoutingOutcome::kVerified) << i;
            EXPECT_EQ(verdict.findings.switch_pairs_apart, 0U);
        }
    }
}

TEST(AutoMending, MakesAllAnewWhereLanesDependOnAllRoutes) {
    Losing fabric("random:2,32,6:2");
    const Verdict& verdict = fabric.Lose(3);
    EXPECT_EQ(verdict.outcome, RoutingOutcome::kVerified);
    EXPECT_FALSE(verdict.was_mended);
    EXPECT_TRUE(verdict.mending_failed);
    EXPECT_EQ(verdict.choice.scheme, RoutingScheme::kRisingLanes);
    EXPECT_EQ(verdict.attempts.size(), 1U);
}

}  // namespace
}  // namespace ember
