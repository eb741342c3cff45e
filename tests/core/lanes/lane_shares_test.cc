// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how VL arbitration suits a routing that has lanes for each level of service.

#include "core/lanes/lane_shares.h"

#include <gtest/gtest.h>
#include <initializer_list>

namespace ember {
namespace {

VlWeights Weights(std::initializer_list<VlWeight> entries) {
    VlWeights weights;
    for (const VlWeight& entry : entries) {
        EXPECT_EQ(weights.TryPush(entry), Status::kOk);
    }
    return weights;
}

class LaneShares : public ::testing::Test {
protected:
    LaneShares() { settings_.qos = true; }
    LaneSettings& Of(LanePorts kind) { return settings_.lanes[Raw(kind)]; }
    [[nodiscard]] bool IsFair(std::size_t lanes) const {
        return SharesLevelsEqually(settings_, ShareTable::kLow, lanes);
    }
    [[nodiscard]] bool FitsHosts() const {
        return ServesEndLanesAlone(settings_, LanePorts::kCa, ShareTable::kLow);
    }

    Settings settings_;
};

TEST_F(LaneShares, AreUnfairByDefault) {
    EXPECT_FALSE(IsFair(8));
    EXPECT_FALSE(IsFair(2));
    EXPECT_FALSE(SharesLevelsEqually(settings_, ShareTable::kHigh, 8));
    EXPECT_FALSE(FitsHosts());
    EXPECT_TRUE(ServesEndLanesAlone(settings_, LanePorts::kCa, ShareTable::kHigh));
    EXPECT_EQ(SourceOf(settings_, LanePorts::kCa, ShareTable::kLow), ShareSource::kDefault);
}

TEST_F(LaneShares, AreFairWhereEachLevelHasOneWeight) {
    Of(LanePorts::kSwitchExternal).low =
        Weights({{0, 8}, {1, 8}, {2, 8}, {3, 4}, {3, 4}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {9, 7}});
    EXPECT_TRUE(IsFair(8)) << "entries of a VL add up, and VLs behind 7 carry nothing";
    Of(LanePorts::kSwitchExternal).low = Weights({{0, 8}, {1, 8}, {2, 8}, {3, 7}});
    EXPECT_FALSE(IsFair(8));
    EXPECT_FALSE(IsFair(4));
    EXPECT_TRUE(IsFair(2)) << "links have VLs 0 and 1 alone";
    Of(LanePorts::kSwitchExternal).low = Weights({{0, 1}, {1, 1}, {2, 1}, {3, 1}, {6, 1}});
    EXPECT_FALSE(IsFair(8)) << "the second level";
    EXPECT_TRUE(IsFair(4)) << "there is no second level";
}

TEST_F(LaneShares, OfHostsAreForTwoLanes) {
    Of(LanePorts::kAny).low = Weights({{0, 1}, {1, 9}, {8, 1}});
    EXPECT_TRUE(FitsHosts());
    EXPECT_EQ(SourceOf(settings_, LanePorts::kCa, ShareTable::kLow), ShareSource::kGeneralKey);
    Of(LanePorts::kCa).low = Weights({{0, 1}, {7, 1}});
    EXPECT_FALSE(FitsHosts());
    EXPECT_EQ(SourceOf(settings_, LanePorts::kCa, ShareTable::kLow), ShareSource::kOwnKey);
    EXPECT_TRUE(ServesEndLanesAlone(settings_, LanePorts::kRouter, ShareTable::kLow));
}

}  // namespace
}  // namespace ember
