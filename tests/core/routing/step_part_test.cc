// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what the engine of a step sees.

#include "core/routing/step_part.h"

#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/chosen_part.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;
using testing::ChosenPart;

class StepPartTest : public ::testing::Test {
protected:
    StepPartTest()
        : built_(net::Ring(5, 1)),
          arena_(4 * Topology::ScratchBytes(built_.limits()) + 5 * LidStride(built_.limits())),
          chosen_(built_.limits()) {
        whole_.Build(built_.fabric(), Order::kBalanced, arena_.arena());
    }
    void Show(const SubnetPart* part, bool is_dense) {
        part_.Show(whole_, part, is_dense, arena_.arena());
    }

    BuiltFabric built_;
    ArenaStorage arena_;
    ChosenPart chosen_;
    Topology whole_;
    StepPart part_;
};

TEST_F(StepPartTest, IsTheWholeWhereTheStepHasNoPart) {
    for (const bool is_dense : {false, true}) {
        Show(nullptr, is_dense);
        EXPECT_EQ(&part_.topology(), &whole_);
        EXPECT_TRUE(part_.rows().empty());
        EXPECT_EQ(part_.WholeRow(SwitchIndex{3}), SwitchIndex{3});
        EXPECT_TRUE(part_.Shows(nullptr));
        EXPECT_FALSE(part_.Shows(&chosen_.part()));
    }
}

TEST_F(StepPartTest, LeavesSwitchesOutWithOrWithoutARow) {
    chosen_.Remove(SwitchIndex{0});
    chosen_.Remove(SwitchIndex{2});
    Show(&chosen_.part(), false);
    EXPECT_TRUE(part_.Shows(&chosen_.part()));
    EXPECT_EQ(part_.topology().switch_bound(), 5U);
    EXPECT_FALSE(part_.topology().Has(SwitchIndex{2}));
    EXPECT_EQ(part_.WholeRow(SwitchIndex{3}), SwitchIndex{3});

    Show(&chosen_.part(), true);
    EXPECT_EQ(part_.topology().switch_bound(), 3U);
    EXPECT_EQ(part_.WholeRow(SwitchIndex{0}), SwitchIndex{1});
    EXPECT_EQ(part_.WholeRow(SwitchIndex{1}), SwitchIndex{3});
    EXPECT_EQ(part_.WholeRow(SwitchIndex{2}), SwitchIndex{4});
}

TEST_F(StepPartTest, HasNothingToRouteWithoutAnEndPort) {
    Show(&chosen_.part(), true);
    EXPECT_TRUE(part_.HasEndPorts());
    const std::vector<std::uint64_t> none(SubnetPart::Words(built_.limits().max_lid));
    const SubnetPart bare{.switches = chosen_.part().switches, .lids = none};
    Show(&bare, true);
    EXPECT_EQ(part_.topology().switch_count(), 5U);
    EXPECT_FALSE(part_.HasEndPorts());
}

TEST_F(StepPartTest, TakesTablesOfItsRowsAndOfAllColumnsOfTheWhole) {
    chosen_.Remove(SwitchIndex{0});
    Show(&chosen_.part(), true);
    part_.TakeTables(Lid{64}, arena_.arena());
    EXPECT_EQ(part_.lfts().rows(), 4U);
    EXPECT_EQ(part_.lfts().stride(), 128U);
    std::vector<std::uint8_t> octets(6 * 64);
    part_.UseTables({octets, {.rows = 6, .stride = 64}});
    EXPECT_EQ(part_.lfts().rows(), 6U);
}

}  // namespace
}  // namespace ember
