// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how the routes of a step are taken over.
//
// Method: a ring of five switches with a host each, of which every port has two LIDs. The step's
//         tables say 9 everywhere, the planned ones 1; a row of hops says what leads where.

#include "core/routing/step_merge.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "core/base/lft_arena.h"
#include "core/graph/hops.h"
#include "tests/support/chosen_part.h"
#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using testing::ArenaStorage;
using testing::BuiltFabric;
using testing::ChosenPart;

BuiltFabric::Options TwoLids() {
    BuiltFabric::Options options;
    options.lmc = 1;
    options.max_steps = 2;
    return options;
}

class StepMergeTest : public ::testing::Test {
protected:
    StepMergeTest()
        : built_(net::Ring(5, 1), TwoLids()),
          arena_(4 * Topology::ScratchBytes(built_.limits()) +
                 2 * StepOwners::ScratchBytes(built_.limits())),
          chosen_(built_.limits()),
          planned_(built_.limits().max_switches * LidStride(built_.limits()), 1),
          made_(planned_.size(), 9),
          hops_(HopBytes(built_.limits()), 1) {
        whole_.Build(built_.fabric(), Order::kBalanced, arena_.arena());
    }
    /// Takes over what a step made for `part`.
    void Merge(const SubnetPart* part, StepMerge::Task task = {}) {
        part_.Show(whole_, part, true, arena_.arena());
        part_.UseTables({made_, LftShape(built_.limits())});
        task.part = &part_;
        task.hops = hops();
        task.planned = planned();
        task.top_lid = whole_.top_lid();
        merge_.Begin(task);
        while (merge_.Advance() == Progress::kMore) {
        }
    }
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> hops() {
        return {hops_, HopShape(part_.topology().switch_bound())};
    }
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> planned() {
        return {planned_, LftShape(built_.limits())};
    }
    [[nodiscard]] std::uint8_t Planned(std::uint32_t row, std::uint32_t lid) {
        return planned()[static_cast<SwitchIndex>(row)][lid];
    }
    /// The host on a switch of this row.
    [[nodiscard]] const Destination& HostOn(std::uint32_t row) const {
        const auto destinations = whole_.destinations();
        return *std::find_if(destinations.begin(), destinations.end(), [row](const auto& to) {
            return !to.is_switch() && to.at == static_cast<SwitchIndex>(row);
        });
    }

    BuiltFabric built_;
    ArenaStorage arena_;
    ChosenPart chosen_;
    std::vector<std::uint8_t> planned_;
    std::vector<std::uint8_t> made_;
    std::vector<std::uint8_t> hops_;
    Topology whole_;
    StepPart part_;
    StepMerge merge_;
};

TEST_F(StepMergeTest, WritesRowsOfItsSwitchesAndColumnsOfItsDestinations) {
    chosen_.Remove(SwitchIndex{1});
    chosen_.Remove(HostOn(3).lid);
    Merge(&chosen_.part());
    EXPECT_EQ(Planned(0, Raw(HostOn(2).lid)), 9);
    EXPECT_EQ(Planned(0, Raw(HostOn(2).lid) + 1), 9);
    EXPECT_EQ(Planned(4, Raw(HostOn(2).lid)), 9) << "row 3 of the part";
    EXPECT_EQ(Planned(1, Raw(HostOn(2).lid)), 1) << "the switch is not in the part";
    EXPECT_EQ(Planned(0, Raw(HostOn(1).lid)), 1) << "nor is this host's";
    EXPECT_EQ(Planned(0, Raw(HostOn(3).lid)), 1) << "nor is this host";
    EXPECT_FALSE(merge_.has_changed()) << "only mending counts";
}

TEST_F(StepMergeTest, LeavesWhatThePartDoesNotLeadTo) {
    part_.Show(whole_, nullptr, false, arena_.arena());
    hops()[SwitchIndex{0}][2] = kNoHops;
    Merge(nullptr);
    EXPECT_EQ(Planned(0, Raw(HostOn(2).lid)), 1);
    EXPECT_EQ(Planned(1, Raw(HostOn(2).lid)), 9);
}

TEST_F(StepMergeTest, WritesOneLidOfEachPortForAPathBit) {
    Merge(nullptr, {.path_bit = 1});
    const Lid host = HostOn(2).lid;
    EXPECT_EQ(Planned(0, Raw(host)), 1);
    EXPECT_EQ(Planned(0, Raw(host) + 1), 9);
    const auto destinations = whole_.destinations();
    const auto is_switch = [](const Destination& to) { return to.is_switch(); };
    const auto one_lid = std::find_if(destinations.begin(), destinations.end(), is_switch);
    ASSERT_EQ(one_lid->lid_count(), 1U);
    EXPECT_EQ(Planned(0, Raw(one_lid->lid)), 1);
}

/// A step beneath one that stays.
class StepMergeBeneath : public StepMergeTest {
protected:
    StepMergeBeneath() {
        chosen_.Remove(SwitchIndex{4});
        alternatives_[0] = {.id = 1};
        alternatives_[1] = {.options = &options_, .part = &chosen_.part(), .id = 2};
        for (std::size_t i = 0; i < 2; ++i) {
            steps_[i] = {.options = &options_, .alternatives = {&alternatives_[i], 1}};
        }
        plan_.Begin({.steps = steps_, .options = &options_});
        owners_.Begin(whole_, plan_, arena_.arena());
        while (owners_.Advance() == Progress::kMore) {
        }
    }
    void MergeFirst() { Merge(nullptr, {.owners = &owners_, .mended = &mended_}); }

    EngineOptions options_;
    std::array<Alternative, 2> alternatives_;
    std::array<RoutingStep, 2> steps_;
    PlanProgress plan_;
    StepOwners owners_;
    Mended mended_;
};

TEST_F(StepMergeBeneath, LeavesTheEntriesOfTheLaterStep) {
    MergeFirst();
    EXPECT_EQ(Planned(0, Raw(HostOn(2).lid)), 1);
    EXPECT_EQ(Planned(4, Raw(HostOn(2).lid)), 9) << "the later step has no such switch";
    EXPECT_EQ(Planned(0, Raw(HostOn(4).lid)), 9) << "nor a host there";
    EXPECT_TRUE(merge_.has_changed());
    EXPECT_EQ(mended_.switches, 5U);
}

TEST_F(StepMergeBeneath, DropsEntriesForLidsThatNoPortHas) {
    std::copy(planned_.begin(), planned_.end(), made_.begin());
    std::uint32_t unowned = 1;
    while (owners_.HasOwner(static_cast<Lid>(unowned))) {
        ++unowned;
    }
    ASSERT_LT(unowned, Raw(whole_.top_lid())) << "base LIDs of hosts are even";
    MergeFirst();
    EXPECT_EQ(Planned(0, unowned), kNoHops);
    EXPECT_EQ(Planned(4, unowned), kNoHops);
    EXPECT_EQ(Planned(0, Raw(HostOn(2).lid)), 1);
    EXPECT_TRUE(merge_.has_changed());
    EXPECT_EQ(mended_.switches, 5U);
}

TEST_F(StepMergeBeneath, DropsThemInRowsOfItsPart) {
    std::copy(planned_.begin(), planned_.end(), made_.begin());
    std::uint32_t unowned = 1;
    while (owners_.HasOwner(static_cast<Lid>(unowned))) {
        ++unowned;
    }
    ChosenPart first(built_.limits());
    first.Remove(SwitchIndex{0});
    Merge(&first.part(), {.owners = &owners_, .mended = &mended_});
    EXPECT_EQ(Planned(0, unowned), 1);
    EXPECT_EQ(Planned(1, unowned), kNoHops);
    EXPECT_EQ(Planned(4, unowned), kNoHops) << "row 3 of the part";
}

TEST_F(StepMergeBeneath, NothingHasChangedWhereTheSameIsMade) {
    MergeFirst();
    std::copy(planned_.begin(), planned_.end(), made_.begin());
    mended_ = {};
    MergeFirst();
    EXPECT_FALSE(merge_.has_changed());
    EXPECT_EQ(mended_.entries, 0U);
}

}  // namespace
}  // namespace ember
