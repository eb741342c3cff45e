// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how much of a routing is proved.
//
// Method: min-hop's tables on a tree, which the test proves itself, after runs that it plays.

#include "core/routing/route_proof.h"

#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/graph/hops.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::OpensmSettings;
using testing::RoutingRun;

class RouteProofTest : public ::testing::Test {
protected:
    RouteProofTest() {
        EXPECT_TRUE(run_.Route(min_hop_, OpensmSettings()).may_program());
        topology_.Build(run_.built().fabric(), Order::kOpensm, arena_.arena());
        hops_ = {hop_room_, HopShape(topology_.switch_bound())};
        HopMeter meter;
        meter.Begin(topology_, hops_, arena_.arena());
        while (meter.Advance() == Progress::kMore) {
        }
        topology_end_ = mark_ = arena_.arena().used_bytes();
        task_ = {.topology = &topology_, .hops = hops_, .lfts = run_.lfts(), .lanes = &lanes_};
    }
    void Prove() {
        arena_.arena().Rewind(mark_);
        proof_.Begin(task_, arena_.arena());
        while (proof_.Advance() == Progress::kMore) {
        }
    }
    /// A first run, which leaves a basis, and the begin of another on the same subnet.
    void GoOn() {
        basis_.Begin();
        mark_ = topology_end_;
        Prove();
        proof_.Keep(&min_hop_, false);
        arena_.arena().Rewind(topology_end_);
        basis_.Begin();
        ASSERT_TRUE(basis_.was_there());
        ASSERT_TRUE(basis_.Compare(topology_, arena_.arena()));
        basis_.GoOn(topology_, arena_.arena());
        mark_ = arena_.arena().used_bytes();
        basis_.BeginLog();
        basis_.log().Open();
        task_.mender = &min_hop_;
    }
    /// A switch and a host on another one.
    [[nodiscard]] std::pair<SwitchIndex, Lid> AFarHost() const {
        for (const Destination& to : topology_.destinations()) {
            if (to.is_switch()) continue;
            for (const SwitchIndex at : topology_.switches_by_guid()) {
                if (at != to.at) return {at, to.lid};
            }
        }
        return {};
    }
    void Drop() {
        const auto [at, lid] = AFarHost();
        run_.lfts()[at][Raw(lid)] = kNoHops;
    }

    MinHop min_hop_;
    RoutingRun run_{net::FatTree2(4)};
    const Limits& limits_ = run_.built().limits();
    ArenaStorage arena_{Topology::ScratchBytes(limits_) + HopMeter::ScratchBytes(limits_) +
                        ProofBasis::ScratchBytes(limits_) + MendProof::ScratchBytes(limits_) +
                        2 * Verifier::ScratchBytes(limits_)};
    std::vector<std::uint8_t> hop_room_ = std::vector<std::uint8_t>(HopBytes(limits_));
    std::vector<std::uint64_t> dependencies_ =
        std::vector<std::uint64_t>(DependencyGraph::Words(limits_));
    std::vector<ProvedSubnet::SwitchMark> switches_ =
        std::vector<ProvedSubnet::SwitchMark>(limits_.max_switches);
    std::vector<SwitchIndex> peers_ = std::vector<SwitchIndex>(limits_.max_ports);
    std::vector<ProvedSubnet::LidMark> lids_ = std::vector<ProvedSubnet::LidMark>(limits_.max_lid);
    RouteLanes lanes_{{}, limits_};
    ProofBasis basis_{{.switches = switches_, .peers = peers_, .lids = lids_}, limits_};
    RouteProof proof_{dependencies_, basis_};
    Topology topology_;
    Matrix<SwitchIndex, std::uint8_t> hops_;
    std::size_t topology_end_ = 0;
    std::size_t mark_ = 0;  ///< Where a proof begins.
    RouteProof::Task task_;
};

TEST_F(RouteProofTest, LooksAtEverythingWhereRoutesWereMadeAnew) {
    Prove();
    EXPECT_FALSE(proof_.is_of_changes());
    EXPECT_EQ(proof_.findings().fault, Findings::Fault::kNone);
    EXPECT_GT(proof_.findings().routes, 0U);
    Drop();
    Prove();
    EXPECT_EQ(proof_.findings().fault, Findings::Fault::kLost);
}

TEST_F(RouteProofTest, LooksAtWhatChangedWhereARunGoesOn) {
    GoOn();
    const std::uint64_t routes = basis_.findings().routes;
    ASSERT_GT(routes, 0U);
    Prove();
    EXPECT_TRUE(proof_.is_of_changes());
    EXPECT_EQ(proof_.findings().routes, routes);
}

TEST_F(RouteProofTest, WhatIsNotProvedByChangesIsLookedAtAsAWhole) {
    GoOn();
    const auto [at, lid] = AFarHost();
    Drop();
    basis_.log().Note(at, lid);
    Prove();
    EXPECT_FALSE(proof_.is_of_changes());
    EXPECT_EQ(proof_.findings().fault, Findings::Fault::kLost);
    EXPECT_EQ(proof_.findings().lid, lid);
}

TEST_F(RouteProofTest, LooksAtEverythingWhereAPremiseIsMissing) {
    GoOn();
    task_.mender = nullptr;  // All was made anew,
    Prove();
    EXPECT_FALSE(proof_.is_of_changes());
    GoOn();
    basis_.Touch();  // or another engine was refused before,
    Prove();
    EXPECT_FALSE(proof_.is_of_changes());
    GoOn();
    basis_.BeginLog();  // or the engine notes nothing.
    Prove();
    EXPECT_FALSE(proof_.is_of_changes());
}

TEST_F(RouteProofTest, APromiseThatTheBasisDidNotKeepIsProvedAnew) {
    for (const bool is_shortest : {false, true}) {
        GoOn();
        Findings findings = basis_.findings();
        findings.longer_routes = is_shortest ? 1 : 0;
        findings.switch_pairs_apart = is_shortest ? 0 : 1;
        basis_.Keep(topology_, &min_hop_, findings);
        task_.promise = {.shortest = is_shortest, .all_switches = !is_shortest};
        Prove();
        EXPECT_FALSE(proof_.is_of_changes());
    }
}

TEST_F(RouteProofTest, LeavesABasisOnlyIfTheNextRunCanGoOnFromIt) {
    basis_.Begin();
    Prove();
    proof_.Keep(&min_hop_, true);  // Links have weights.
    EXPECT_FALSE(basis_.IsUnchanged(topology_));
    RouteProof forgets({}, basis_);  // There is no room for the dependencies.
    forgets.Begin(task_, arena_.arena());
    while (forgets.Advance() == Progress::kMore) {
    }
    forgets.Keep(&min_hop_, false);
    EXPECT_FALSE(basis_.IsUnchanged(topology_));
    proof_.Keep(&min_hop_, false);
    EXPECT_TRUE(basis_.IsUnchanged(topology_));
}

TEST_F(RouteProofTest, ShowsItsDependenciesAndWhereTheyLie) {
    const std::size_t mark = arena_.arena().used_bytes();
    Prove();
    const ProvedRoutes shown = proof_.Show();
    EXPECT_EQ(shown.topology, &topology_);
    EXPECT_EQ(shown.dependencies, &proof_.dependencies());
    EXPECT_TRUE(shown.keeps_lanes);
    EXPECT_EQ(shown.scratch_end, mark) << "they lie in memory of their own";
    RouteProof forgets({}, basis_);
    forgets.Begin(task_, arena_.arena());
    while (forgets.Advance() == Progress::kMore) {
    }
    EXPECT_EQ(forgets.Show().scratch_end, arena_.arena().used_bytes());
}

}  // namespace
}  // namespace ember
