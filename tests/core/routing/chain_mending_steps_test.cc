// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of which steps of a chain stay as they are.
//
// Method: steps whose parts the test writes by hand: the second one has switches 0 to 2, the third
//         one 3 to 5. Changes of links are written likewise; no engine runs.

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/routing/chain_mending.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;

constexpr std::array kBoth = {std::uint64_t{0b000111}, std::uint64_t{0b111000}};

class ChainMendingSteps : public ::testing::Test {
protected:
    ChainMendingSteps() {
        for (std::size_t i = 0; i < 2; ++i) {
            parts_[i] = {.switches = {&switches_[i], 1}, .lids = {&lids_[i], 1}};
        }
        alternatives_[0] = {.options = &options_, .id = 1};
        alternatives_[1] = {.options = &options_, .part = &parts_[0], .id = 2};
        alternatives_[2] = {.options = &options_, .part = &parts_[1], .id = 3};
        for (std::size_t i = 0; i < 3; ++i) {
            steps_[i] = {.options = &options_, .alternatives = {&alternatives_[i], 1}};
        }
        plan_.Begin({.steps = steps_, .options = &options_});
        chain_.Begin();
        EXPECT_TRUE(chain_.Keep(plan_));
    }
    /// A run in which a link between two switches went.
    void Lose(std::uint32_t one, std::uint32_t other) {
        const auto at = static_cast<SwitchIndex>(one);
        const auto peer = static_cast<SwitchIndex>(other);
        const std::array changes = {LinkChange{.at = at, .port = PortNumber{1}, .was = peer},
                                    LinkChange{.at = peer, .port = PortNumber{2}, .was = at}};
        chain_.KeepSteps(plan_, changes);
    }
    [[nodiscard]] std::array<bool, 3> Kept() const {
        return {chain_.Keeps(0), chain_.Keeps(1), chain_.Keeps(2)};
    }

    EngineOptions options_;
    std::array<std::uint64_t, 2> switches_ = kBoth;
    std::array<std::uint64_t, 2> lids_ = kBoth;
    std::array<SubnetPart, 2> parts_;
    std::array<Alternative, 3> alternatives_;
    std::array<RoutingStep, 3> steps_;
    PlanProgress plan_;
    ChainMending chain_;
};

TEST_F(ChainMendingSteps, StayWhereNoLinkOfTheirPartHasChanged) {
    chain_.Begin();
    chain_.Mend();
    Lose(0, 1);
    EXPECT_EQ(Kept(), (std::array{false, false, true}));
    chain_.Begin();
    EXPECT_EQ(Kept(), (std::array{false, false, false}));
    chain_.Mend();
    Lose(2, 3);  // Between the parts: of the whole alone.
    EXPECT_EQ(Kept(), (std::array{false, true, true}));
}

TEST_F(ChainMendingSteps, DoNotStayWhereTheirPartHasOtherMembers) {
    chain_.Begin();
    chain_.Mend();
    lids_[1] |= 1U;
    chain_.KeepSteps(plan_, {});
    EXPECT_EQ(Kept(), (std::array{true, true, false}));
}

TEST_F(ChainMendingSteps, StayWithTheAlternativeThatTheyHad) {
    const std::array both = {alternatives_[1], alternatives_[2]};
    steps_[1].alternatives = both;
    plan_.Begin({.steps = steps_, .options = &options_});
    EXPECT_TRUE(plan_.Reject(1));
    EXPECT_TRUE(chain_.Keep(plan_));
    plan_.Restart();
    chain_.Begin();
    chain_.Mend();
    chain_.KeepSteps(plan_, {});
    EXPECT_TRUE(chain_.Keeps(1));
    EXPECT_EQ(plan_.Choice(1), 1);
}

TEST_F(ChainMendingSteps, OnlyMendedOnesAreBalanced) {
    chain_.Begin();
    chain_.Mend();
    chain_.NoteMended(1);
    ASSERT_TRUE(chain_.Keep(plan_));
    chain_.Begin();
    chain_.Balance();
    chain_.KeepSteps(plan_, {});
    EXPECT_EQ(Kept(), (std::array{true, false, true}));
    ASSERT_TRUE(chain_.Keep(plan_));
    chain_.Begin();
    chain_.Balance();
    chain_.KeepSteps(plan_, {});
    EXPECT_EQ(Kept(), (std::array{true, true, true})) << "it was made anew";
}

TEST_F(ChainMendingSteps, ARunThatMakesAllAnewLeavesNoneToBeBalanced) {
    chain_.Begin();
    chain_.Mend();
    chain_.NoteMended(2);
    chain_.GiveUp();
    EXPECT_FALSE(chain_.mends());
    ASSERT_TRUE(chain_.Keep(plan_));
    chain_.Begin();
    chain_.Balance();
    chain_.KeepSteps(plan_, {});
    EXPECT_TRUE(chain_.Keeps(2));
}

TEST_F(ChainMendingSteps, OwnersAreAskedForOnlyWhereStepsStay) {
    BuiltFabric::Options options;
    options.max_steps = 3;
    const BuiltFabric built(net::Ring(6, 1), options);
    ArenaStorage arena(Topology::ScratchBytes(built.limits()) +
                       StepOwners::ScratchBytes(built.limits()));
    Topology topology;
    topology.Build(built.fabric(), Order::kBalanced, arena.arena());
    const std::size_t mark = arena.arena().used_bytes();

    chain_.Begin();
    chain_.Balance();  // No step is known to stay: all is made anew.
    chain_.BeginOwners(topology, plan_, arena.arena());
    EXPECT_FALSE(chain_.mends());
    EXPECT_EQ(chain_.AdvanceOwners(), Progress::kDone);
    EXPECT_EQ(arena.arena().used_bytes(), mark);

    chain_.Begin();
    chain_.Mend();
    chain_.KeepSteps(plan_, {});
    chain_.BeginOwners(topology, plan_, arena.arena());
    EXPECT_GT(arena.arena().used_bytes(), mark);
    EXPECT_EQ(chain_.AdvanceOwners(), Progress::kMore);
    EXPECT_EQ(chain_.AdvanceOwners(), Progress::kMore);
    EXPECT_EQ(chain_.AdvanceOwners(), Progress::kDone) << "two later steps";
}

TEST_F(ChainMendingSteps, AChainOfOneStepLeavesNothingToKeep) {
    plan_.Begin({.steps = std::span(steps_).first(1), .options = &options_});
    EXPECT_FALSE(chain_.Keep(plan_));
}

}  // namespace
}  // namespace ember
