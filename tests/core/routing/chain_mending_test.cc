// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of chains that are mended step by step.
//
// Method: two rings, joined by two cables, each the part of a step; engines that count how often
//         they are asked; cables of one ring, and of those between, that are lost and come back.

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/netlist.h"
#include "core/routing/router.h"
#include "engines/catalogue.h"
#include "tests/support/acting_engine.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::ActingEngine;
using testing::BuiltFabric;
using testing::RoutingRun;
using testing::SlowTables;

constexpr std::uint32_t kSize = 5;  ///< Switches of a ring, with a host each.

/// Nodes 0..4 and 5..9 are the switches of the rings, 10..19 their hosts.
net::Netlist TwoRings() {
    net::Netlist netlist;
    for (std::uint32_t i = 0; i < 2 * kSize; ++i) {
        netlist.Add(NodeType::kSwitch, 4, "s" + std::to_string(i), "");
    }
    for (std::uint32_t i = 0; i < 2 * kSize; ++i) {
        netlist.Connect(i, 1,
                        netlist.Add(NodeType::kChannelAdapter, 1, "h" + std::to_string(i), ""), 1);
        const std::uint32_t ring = i / kSize * kSize;
        netlist.Connect(i, 2, ring + (i - ring + 1) % kSize, 3);
    }
    netlist.Connect(0, 4, kSize, 4);
    netlist.Connect(2, 4, kSize + 2, 4);
    netlist.AssignGuids();
    return netlist;
}

BuiltFabric::Options ThreeSteps() {
    BuiltFabric::Options options;
    options.max_steps = 3;
    return options;
}

/// The switches and hosts of a ring.
struct Part {
    Part(RoutingRun& run, std::uint32_t ring)
        : switches(SubnetPart::Words(run.built().limits().max_switches)),
          lids(SubnetPart::Words(run.built().limits().max_lid)) {
        const Fabric& fabric = run.built().fabric();
        for (std::uint32_t i = ring * kSize; i < (ring + 1) * kSize; ++i) {
            const SwitchIndex at = run.built().switch_index(i);
            switches[Raw(at) / 64] |= std::uint64_t{1} << Raw(at) % 64;
            const Port& own = fabric.port(fabric.ManagementPortOf(at));
            const Port& host =
                fabric.port(fabric.port(fabric.PortOf(run.built().node(i), PortNumber{1})).peer);
            for (const Lid lid : {own.lid, host.lid}) {
                lids[Raw(lid) / 64] |= std::uint64_t{1} << Raw(lid) % 64;
            }
        }
    }
    std::vector<std::uint64_t> switches;
    std::vector<std::uint64_t> lids;
    SubnetPart view{.switches = switches, .lids = lids};
};

class ChainMendingTest : public ::testing::Test {
protected:
    ChainMendingTest() {
        settings_.order = Order::kBalanced;
        const std::array<RoutingEngine*, 3> engines = {&whole_, &left_, &right_};
        const std::array<const SubnetPart*, 3> parts = {nullptr, &first_.view, &second_.view};
        for (std::size_t i = 0; i < 3; ++i) {
            alternatives_[i] = {.kind = engines[i]->kind(),
                                .engine = engines[i],
                                .options = &settings_,
                                .part = parts[i],
                                .id = i + 1,
                                .path_bit = 0};
            steps_[i] = {.options = &settings_, .alternatives = {&alternatives_[i], 1}};
        }
        plan_ = {.steps = steps_, .options = &settings_};
    }
    [[nodiscard]] Fabric& fabric() { return run_.built().fabric(); }
    [[nodiscard]] PortIndex PortOf(std::uint32_t node, std::uint8_t port) {
        return fabric().PortOf(run_.built().node(node), PortNumber{port});
    }
    const Verdict& Mend(ProofScope scope = ProofScope::kChanges) {
        before_ = run_.planned();
        return run_.Mend(plan_, scope);
    }
    /// Entries that are not as they were before Mend(), of the switches from `first` on.
    [[nodiscard]] std::size_t Changed(std::uint32_t first, std::uint32_t end) {
        std::size_t changed = 0;
        const SlowTables now = run_.planned();
        for (std::uint32_t i = first; i < end; ++i) {
            for (std::size_t lid = 0; lid < now.at(i).size(); ++lid) {
                changed += now.at(i)[lid] != before_.at(i)[lid] ? 1U : 0U;
            }
        }
        return changed;
    }
    [[nodiscard]] std::array<int, 3> Runs() const { return {whole_.runs, left_.runs, right_.runs}; }
    [[nodiscard]] std::array<bool, 3> Stayed() {
        const auto& attempts = run_.router().verdict().attempts;
        EXPECT_EQ(attempts.size(), 3U);
        return {attempts[0].stayed, attempts[1].stayed, attempts[2].stayed};
    }
    void ExpectWhole() {
        EXPECT_TRUE(run_.router().verdict().may_program());
        EXPECT_EQ(run_.Verify(Order::kBalanced).fault, Findings::Fault::kNone);
    }

    RoutingRun run_{TwoRings(), ThreeSteps()};
    Part first_{run_, 0};
    Part second_{run_, 1};
    Settings settings_;
    ActingEngine whole_{EngineKind::kMinHop, "minhop", {}};
    ActingEngine left_{EngineKind::kUpDn, "updn", {}};
    ActingEngine right_{EngineKind::kDnUp, "dnup", {}};
    std::array<Alternative, 3> alternatives_;
    std::array<RoutingStep, 3> steps_;
    RoutingPlan plan_;
    SlowTables before_;
};

TEST_F(ChainMendingTest, AsksOnlyTheStepsThatALostCableConcerns) {
    ASSERT_TRUE(run_.Route(plan_).may_program());
    EXPECT_EQ(Runs(), (std::array{1, 1, 1}));
    fabric().Disconnect(PortOf(1, 2));
    const Verdict& verdict = Mend();
    EXPECT_TRUE(verdict.was_mended);
    EXPECT_FALSE(verdict.mending_failed);
    EXPECT_EQ(Runs(), (std::array{2, 2, 1}));
    EXPECT_EQ(Stayed(), (std::array{false, false, true}));
    EXPECT_GT(verdict.mended.entries, 0U);
    EXPECT_EQ(verdict.mended.entries, Changed(0, 2 * kSize));
    ExpectWhole();
}

TEST_F(ChainMendingTest, LeavesStepsAloneWhereACableBetweenPartsIsLost) {
    ASSERT_TRUE(run_.Route(plan_).may_program());
    fabric().Disconnect(PortOf(0, 4));
    const Verdict& verdict = Mend();
    EXPECT_EQ(Runs(), (std::array{2, 1, 1})) << "port 4 is in a part, the other end is in none";
    EXPECT_EQ(verdict.mended.entries, Changed(0, 2 * kSize));
    ExpectWhole();
}

TEST_F(ChainMendingTest, ChangesNothingWhereNothingHasChanged) {
    ASSERT_TRUE(run_.Route(plan_).may_program());
    const Verdict& verdict = Mend();
    EXPECT_EQ(Runs(), (std::array{1, 1, 1}));
    EXPECT_EQ(Stayed(), (std::array{true, true, true}));
    EXPECT_EQ(verdict.mended.entries, 0U);
    EXPECT_EQ(Changed(0, 2 * kSize), 0U);
    ExpectWhole();
}

TEST_F(ChainMendingTest, LeavesStepsAloneAfterASweepOfAllNodesToo) {
    ASSERT_TRUE(run_.Route(plan_).may_program());
    Mend(ProofScope::kWhole);
    EXPECT_EQ(Runs(), (std::array{1, 1, 1}));
    fabric().Disconnect(PortOf(1, 2));
    const Verdict& verdict = Mend(ProofScope::kWhole);
    EXPECT_EQ(Runs(), (std::array{2, 2, 1}));
    EXPECT_TRUE(verdict.was_mended);
    EXPECT_EQ(verdict.mended.entries, Changed(0, 2 * kSize));
    ExpectWhole();
}

TEST_F(ChainMendingTest, AsksAllStepsWhereAHostIsLost) {
    ASSERT_TRUE(run_.Route(plan_).may_program());
    fabric().Disconnect(PortOf(3, 1));
    const Verdict& verdict = Mend(ProofScope::kWhole);
    EXPECT_EQ(Runs(), (std::array{2, 2, 2}));
    EXPECT_TRUE(verdict.was_mended);
    ExpectWhole();
}

TEST_F(ChainMendingTest, MakesAllAnewWhereTablesThatStayedAreRefused) {
    ASSERT_TRUE(run_.Route(plan_).may_program());
    const Lid host = fabric().port(fabric().port(PortOf(8, 1)).peer).lid;
    run_.lfts()[run_.built().switch_index(6)][Raw(host)] = kNoHops;
    const Verdict& verdict = Mend(ProofScope::kWhole);
    EXPECT_TRUE(verdict.mending_failed);
    EXPECT_EQ(Runs(), (std::array{2, 2, 2}));
    ExpectWhole();
}

TEST_F(ChainMendingTest, AsksAStepWhosePartHasOtherMembers) {
    ASSERT_TRUE(run_.Route(plan_).may_program());
    const auto bit = static_cast<std::size_t>(std::find_if(second_.lids.begin(), second_.lids.end(),
                                                           [](auto word) { return word != 0; }) -
                                              second_.lids.begin());
    second_.lids[bit] &= second_.lids[bit] - 1;
    Mend();
    EXPECT_EQ(Runs(), (std::array{1, 1, 2})) << "no cable has changed";
    ExpectWhole();
}

TEST_F(ChainMendingTest, MakesAllAnewWhereAMendedStepIsRefused) {
    ASSERT_TRUE(run_.Route(plan_).may_program());
    fabric().Disconnect(PortOf(1, 2));
    left_.status = Status::kUnreachable;
    const Verdict& refused = Mend();
    EXPECT_TRUE(refused.mending_failed);
    EXPECT_EQ(refused.outcome, RoutingOutcome::kRefused);
    left_.status = Status::kOk;
    EXPECT_TRUE(Mend().may_program());
    ExpectWhole();
}

/// A part in two pieces: what its step no longer leads to is a matter of the step before.
TEST_F(ChainMendingTest, HandsOverWhatAPartNoLongerLeadsTo) {
    ASSERT_TRUE(run_.Route(plan_).may_program());
    fabric().Disconnect(PortOf(1, 2));
    ASSERT_TRUE(Mend().may_program());
    fabric().Disconnect(PortOf(4, 2));  // Switches 2 to 4 are apart from 0 and 1, inside the part.
    const Verdict& verdict = Mend();
    EXPECT_EQ(Runs(), (std::array{3, 3, 1}));
    EXPECT_EQ(verdict.mended.entries, Changed(0, 2 * kSize));
    ExpectWhole();
    fabric().Connect(PortOf(4, 2), PortOf(0, 3));
    EXPECT_TRUE(Mend().may_program());
    EXPECT_EQ(Runs(), (std::array{4, 4, 1}));
    ExpectWhole();
}

TEST_F(ChainMendingTest, BalancesOnlyTheStepsThatWereMended) {
    ASSERT_TRUE(run_.Route(plan_).may_program());
    fabric().Disconnect(PortOf(1, 2));
    ASSERT_TRUE(Mend().may_program());
    ASSERT_EQ(Runs(), (std::array{2, 2, 1}));
    const Verdict& balanced = run_.Balance(plan_);
    EXPECT_TRUE(balanced.may_program());
    EXPECT_FALSE(balanced.was_mended);
    EXPECT_EQ(Runs(), (std::array{3, 3, 1}));
    EXPECT_EQ(Stayed(), (std::array{false, false, true}));
    ExpectWhole();
    ASSERT_TRUE(run_.Balance(plan_).may_program());
    EXPECT_EQ(Runs(), (std::array{3, 3, 1})) << "nothing is mended any more";
}

TEST_F(ChainMendingTest, TakesTheFallbackAlongThatAStepHad) {
    ActingEngine grudging(EngineKind::kFtree, "ftree", {});
    grudging.status = Status::kUnreachable;
    const std::array both = {Alternative{.kind = EngineKind::kFtree,
                                         .engine = &grudging,
                                         .options = &settings_,
                                         .part = &second_.view,
                                         .id = 7,
                                         .path_bit = 0},
                             alternatives_[2]};
    steps_[2].alternatives = both;
    ASSERT_TRUE(run_.Route(plan_).may_program());
    fabric().Disconnect(PortOf(1, 2));
    ASSERT_TRUE(Mend().may_program());
    EXPECT_EQ(grudging.runs, 1);
    EXPECT_EQ(Runs(), (std::array{2, 2, 1}));
    EXPECT_EQ(run_.router().verdict().attempts[2].step_id, 3U);
    ExpectWhole();
}

}  // namespace
}  // namespace ember
