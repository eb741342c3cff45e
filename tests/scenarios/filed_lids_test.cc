// SPDX-License-Identifier: Apache-2.0
// EmberSM: the day on which EmberSM takes over from OpenSM, with its guid2lid.
//
// Goal:   no LID moves: ports have, and ports that are away find again, the LIDs of the file.
// Method: whole subnet managers, to which guid2lid_file is given as a table.
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// LIDs in no order and with holes, for all end ports of a fabric, by ascending GUID.
std::vector<PortLids> AnyFile(const net::Netlist& netlist) {
    SimWorld world(netlist);
    world.AddManager();
    EXPECT_TRUE(world.RunUntilUp(30 * kSecond)) << world.Notes();
    std::vector<PortLids> rows;
    for (const KeptLids& kept : world.sm().lid_map().entries()) {
        rows.push_back({.guid = kept.guid});
    }
    std::sort(rows.begin(), rows.end(),
              [](const PortLids& a, const PortLids& b) { return a.guid < b.guid; });
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].least = static_cast<Lid>(7 + 3 * (i * 29 % rows.size()));
        rows[i].most = rows[i].least;
    }
    return rows;
}

class FiledLids : public ::testing::Test {
protected:
    FiledLids() { settings_.manager_tables.port_lids = rows_; }
    void Begin() {
        world_.AddManager(settings_);
        ASSERT_TRUE(world_.RunUntilUp(30 * kSecond)) << world_.Notes();
        EXPECT_EQ(world_.Judge(), "") << world_.Notes();
    }
    /// Rows that the subnet manager does not follow.
    [[nodiscard]] std::size_t Otherwise() {
        return static_cast<std::size_t>(
            std::count_if(rows_.begin(), rows_.end(), [this](const PortLids& row) {
                const KeptLids* const kept = world_.sm().lid_map().Find(row.guid);
                return kept == nullptr || kept->least != row.least;
            }));
    }

    net::Netlist netlist_ = net::FatTree2(8);
    std::vector<PortLids> rows_ = AnyFile(netlist_);
    Settings settings_ = BriskSettings();
    SimWorld world_{netlist_};
};

TEST_F(FiledLids, AreThoseOfTheSubnet) {
    ASSERT_GT(rows_.size(), 30U);
    Begin();
    EXPECT_EQ(Otherwise(), 0U) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kFiledLidsRead), 1U);
    EXPECT_EQ(world_.Heard(Note::kFiledLidTaken) + world_.Heard(Note::kFiledLidPassedOver) +
                  world_.Heard(Note::kFiledLidUnfit),
              0U);
}

TEST_F(FiledLids, ThatCannotBeAreTold) {
    rows_[3].least = rows_[3].most = rows_[4].least;  // Only emberc sees to it that this is not.
    rows_.back().most = rows_.back().least = Lid{0xBFFF};
    Begin();
    EXPECT_GE(world_.Heard(Note::kFiledLidTaken), 1U) << world_.Notes();
    EXPECT_GE(world_.Heard(Note::kFiledLidPassedOver) + world_.Heard(Note::kFiledLidUnfit), 1U)
        << world_.Notes();
    EXPECT_EQ(Otherwise(), 2U);
}

/// A file of the first day does not overrule what has become of the subnet since.
TEST_F(FiledLids, CountForNothingOnceTheStoreKnowsBetter) {
    const std::vector<PortLids> none;
    settings_.manager_tables.port_lids = none;
    Begin();
    world_.Kill();
    settings_.manager_tables.port_lids = rows_;
    world_.Reconfigure(settings_);
    world_.sim().ClearCounters();
    world_.Restart();
    ASSERT_TRUE(world_.RunUntilUp(30 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kLidMoved), 0U) << world_.Notes();
    EXPECT_GE(world_.Heard(Note::kFiledLidPassedOver) + world_.Heard(Note::kFiledLidTaken), 1U);
}

TEST_F(FiledLids, CountForNothingUnderReassignLids) {
    settings_.reassign_lids = true;
    Begin();
    EXPECT_EQ(world_.Heard(Note::kFiledLidsRead), 0U);
    EXPECT_GT(Otherwise(), rows_.size() / 2);
}

/// A row for which there is no room on the board, and whose port is away.
TEST_F(FiledLids, OfAPortThatIsAwayAreToldWhenTheyAreTooHigh) {
    rows_.push_back({.guid = Guid{0xFFFFFFFFFFFF0000}, .least = Lid{0xBFFF}, .most = Lid{0xBFFF}});
    settings_.manager_tables.port_lids = rows_;
    Begin();
    EXPECT_EQ(world_.Heard(Note::kFiledLidUnfit), 1U) << world_.Notes();
    EXPECT_EQ(Otherwise(), 1U);
}

}  // namespace
}  // namespace ember::testing
