// SPDX-License-Identifier: Apache-2.0
// EmberSM: the service level of a path is that of the routing.
#include <array>
#include <cstdint>
#include <gtest/gtest.h>

#include "core/administration/paths/path_records.h"
#include "tests/core/administration/paths/path_records_fixture.h"

namespace ember {
namespace {

using testing::Mask;
using testing::PathRecordsTest;
using P = PathRecord;
using Form = PathSl::Form;

class ServiceLevels : public PathRecordsTest {
protected:
    ServiceLevels() {
        lanes_.path_sl = PathSl(octets_);
        net_.view().lanes = &lanes_;
    }
    void Begin(Form form) {
        ASSERT_EQ(path_sl().Begin(form, net_.fabric().switch_bound(), net_.fabric().top_lid()),
                  Status::kOk);
    }
    [[nodiscard]] PathSl& path_sl() { return lanes_.path_sl; }
    /// The one path between two nodes, as told by its service level; 99: there is none.
    [[nodiscard]] unsigned SlOf(std::uint32_t from, std::uint32_t to) {
        const auto paths = Between(from, to);
        return paths.empty() ? 99U : paths[0].Get(P::kSl);
    }
    /// How many paths there are that have this service level.
    [[nodiscard]] std::size_t With(std::uint8_t sl, std::uint32_t from, std::uint32_t to) {
        PathRecord asked;
        asked.Set(P::kSl, sl);
        return Between(from, to, Mask(P::kHasSl), asked).size();
    }
    [[nodiscard]] bool IsReversible(std::uint32_t from, std::uint32_t to) {
        return Between(from, to).at(0).Get(P::kReversible) != 0;
    }

    std::array<std::uint8_t, 256> octets_{};
    RoutingLanes lanes_;
};

TEST_F(ServiceLevels, AreAllAsGoodToARoutingOfOneLane) {
    EXPECT_EQ(SlOf(0, 4), 0U);
    for (std::uint8_t sl = 0; sl < 16; ++sl) {
        PathRecord asked;
        asked.Set(P::kSl, sl);
        const auto paths = Between(0, 4, Mask(P::kHasSl), asked);
        ASSERT_EQ(paths.size(), 1U);
        EXPECT_EQ(paths[0].Get(P::kSl), sl) << "told as it was asked for";
        EXPECT_EQ(paths[0].Get(P::kReversible), 1);
    }
}

TEST_F(ServiceLevels, ByDestinationAreToldAndAWishForAnotherIsNoPath) {
    Begin(Form::kByDestination);
    path_sl().Set({.lid = Host(4).lid}, 3);
    path_sl().Set({.lid = Host(5).lid}, 3);
    path_sl().Set({.lid = Host(0).lid}, 6);
    EXPECT_EQ(SlOf(0, 4), 3U);
    EXPECT_EQ(SlOf(1, 4), 3U);
    EXPECT_EQ(SlOf(4, 0), 6U);
    EXPECT_EQ(SlOf(0, 1), 0U);
    EXPECT_EQ(SlOf(4, 4), 3U) << "to itself";
    for (std::uint8_t sl = 0; sl < 16; ++sl) {
        EXPECT_EQ(With(sl, 0, 4), sl == 3 ? 1U : 0U) << unsigned{sl};
    }
}

TEST_F(ServiceLevels, AWayBackHasThatOfTheWayThere) {
    Begin(Form::kByDestination);
    path_sl().Set({.lid = Host(4).lid}, 3);
    path_sl().Set({.lid = Host(5).lid}, 3);
    EXPECT_TRUE(IsReversible(4, 5));
    EXPECT_FALSE(IsReversible(0, 4)) << "back it is 0";
    PathRecord asked;
    asked.Set(P::kReversible, std::uint8_t{1});
    EXPECT_EQ(Between(0, 4, Mask(P::kHasReversible), asked).size(), 0U);
    EXPECT_EQ(Between(4, 5, Mask(P::kHasReversible), asked).size(), 1U);
    path_sl().Set({.lid = Host(0).lid}, 3);
    EXPECT_TRUE(IsReversible(0, 4));
}

TEST_F(ServiceLevels, BySwitchesAreThoseOfThePortsThatHangOnThem) {
    const SwitchIndex s = net_.built().switch_index(3);
    const SwitchIndex t = net_.built().switch_index(6);
    Begin(Form::kBySwitchPair);
    path_sl().Set({.from = s, .to = t}, 1);
    path_sl().Set({.from = t, .to = s}, 2);
    EXPECT_EQ(SlOf(0, 4), 1U);
    EXPECT_EQ(SlOf(2, 5), 1U);
    EXPECT_EQ(SlOf(3, 4), 1U) << "from a switch";
    EXPECT_EQ(SlOf(0, 6), 1U) << "to a switch";
    EXPECT_EQ(SlOf(5, 1), 2U);
    EXPECT_EQ(SlOf(0, 1), 0U);
    Begin(Form::kBySwitchAndLid);
    path_sl().Set({.from = s, .lid = Host(4).lid}, 5);
    EXPECT_EQ(SlOf(1, 4), 5U);
    EXPECT_EQ(SlOf(1, 5), 0U);
    EXPECT_EQ(SlOf(5, 4), 0U);
}

TEST_F(ServiceLevels, APathThatTheRoutingDoesNotKnowIsNone) {
    ASSERT_EQ(path_sl().Begin(Form::kBySwitchPair, 1, net_.fabric().top_lid()), Status::kOk);
    const bool s_is_first = net_.built().switch_index(3) == SwitchIndex{0};
    EXPECT_EQ(SlOf(0, 4), 99U);
    EXPECT_EQ(SlOf(s_is_first ? 0 : 4, s_is_first ? 1 : 5), 0U);
}

// Options qos and qos_*.

class LanesOfPaths : public ServiceLevels {
protected:
    LanesOfPaths() {
        partition_.p_key = kDefaultPKey & kPKeyBase;
        partition_.sl = 4;
        class_.p_key = partition_.p_key;
        class_.membership = Membership::kFull;
        class_.turn = 1;
        net_.settings().manager_tables.partitions = {&partition_, 1};
        net_.settings().manager_tables.partition_classes = {&class_, 1};
        net_.settings().qos = true;
    }
    /// Ports of this kind drop packets of `sl`.
    void Drop(LanePorts kind, std::uint8_t sl) {
        auto& map = net_.settings().lanes[Raw(kind)].sl_to_vl;
        map.clear();
        for (std::uint8_t i = 0; i < kSlToVlEntries; ++i) {
            ASSERT_EQ(map.TryPush(i == sl ? std::uint8_t{15} : std::uint8_t{0}), Status::kOk);
        }
    }

    PartitionRow partition_;
    PartitionClass class_;
};

TEST_F(LanesOfPaths, APathHasTheLevelOfItsPartition) {
    EXPECT_EQ(SlOf(0, 4), 4U);
    EXPECT_EQ(With(7, 0, 4), 1U) << "as asked for";
    net_.settings().qos = false;
    EXPECT_EQ(SlOf(0, 4), 0U);
}

TEST_F(LanesOfPaths, ALimitedMemberHasNoPathToItself) {
    EXPECT_EQ(SlOf(0, 0), 4U);
    class_.membership = Membership::kLimited;
    EXPECT_EQ(SlOf(0, 0), 99U) << "no packet of a limited P_Key is taken by a limited member";
    class_.membership = Membership::kBoth;
    EXPECT_EQ(SlOf(0, 0), 4U);
}

TEST_F(LanesOfPaths, ThereIsNoPathOfALevelThatIsDropped) {
    Drop(LanePorts::kSwitchExternal, 4);
    EXPECT_EQ(SlOf(0, 4), 99U);
    EXPECT_EQ(With(4, 0, 4), 0U);
    EXPECT_EQ(With(7, 0, 4), 1U);
    net_.settings().qos = false;
    EXPECT_EQ(With(4, 0, 4), 1U) << "the tables are not ours";
}

TEST_F(LanesOfPaths, WhatTheSourceDropsIsNoPathEither) {
    Drop(LanePorts::kCa, 7);
    EXPECT_EQ(With(7, 0, 4), 0U);
    EXPECT_EQ(With(7, 3, 4), 1U) << "from a switch";
    EXPECT_EQ(With(7, 7, 4), 1U) << "from a router";
    EXPECT_EQ(SlOf(0, 4), 4U);
}

TEST_F(LanesOfPaths, TheOperatorChoosesTheLevelOfServiceAndTheRoutingTheRest) {
    lanes_.level_bit = 8;
    Begin(Form::kByDestination);
    path_sl().Set({.lid = Host(4).lid}, 3);
    path_sl().Set({.lid = Host(5).lid}, 3);
    EXPECT_EQ(SlOf(0, 4), 3U) << "SL 4 of the partition has bit 3 clear";
    partition_.sl = 12;
    EXPECT_EQ(SlOf(0, 4), 11U);
    EXPECT_EQ(SlOf(4, 0), 8U);
    for (std::uint8_t sl = 0; sl < 16; ++sl) {
        EXPECT_EQ(With(sl, 0, 4), sl == 3 || sl == 11 ? 1U : 0U) << unsigned{sl};
    }
    EXPECT_TRUE(IsReversible(4, 5));
    EXPECT_FALSE(IsReversible(0, 4)) << "back it is 8";
    net_.settings().qos = false;
    EXPECT_EQ(SlOf(0, 4), 3U);
}

/// SL 4 is that of the partition, and the routing has SL 0 and SL 3 for paths.
TEST_F(LanesOfPaths, LevelsOfServiceHaveThePathsOfTheRoutingEach) {
    lanes_.count = 2;
    lanes_.sls = 1U << 0U | 1U << 3U;
    lanes_.levels = LaneLevels::Make({.asked = 1U | 1U << 4U, .vls = LaneRow::Identity()},
                                     {.sls = lanes_.sls, .lanes = 2, .link_vls = 8});
    ASSERT_TRUE(lanes_.levels.in_force());
    Begin(Form::kByDestination);
    path_sl().Set({.lid = Host(4).lid}, 3);
    path_sl().Set({.lid = Host(5).lid}, 3);
    const std::uint8_t other = lanes_.levels.SlOf(3, 4);
    EXPECT_NE(other, 3);
    EXPECT_EQ(SlOf(0, 4), other) << "at the level of SL 4";
    EXPECT_EQ(SlOf(4, 0), 4U);
    partition_.sl = 0;
    EXPECT_EQ(SlOf(0, 4), 3U);
    EXPECT_EQ(SlOf(4, 0), 0U);
    for (std::uint8_t sl = 0; sl < 16; ++sl) {
        EXPECT_EQ(With(sl, 0, 4), sl == 3 || sl == other ? 1U : 0U) << unsigned{sl};
    }
    EXPECT_TRUE(IsReversible(4, 5));
    EXPECT_FALSE(IsReversible(0, 4)) << "back it is of another SL";
    partition_.sl = 7;
    EXPECT_EQ(SlOf(0, 4), 99U) << "no level";
}

TEST_F(LanesOfPaths, MapsOfTheRoutingDropNoPath) {
    Drop(LanePorts::kSwitchExternal, 3);
    lanes_.sls = 1U << 0U | 1U << 3U;
    Begin(Form::kByDestination);
    path_sl().Set({.lid = Host(4).lid}, 3);
    EXPECT_EQ(SlOf(0, 4), 3U) << "the key counts for the other service levels alone";
    EXPECT_EQ(With(3, 0, 4), 1U);
    Drop(LanePorts::kSwitchExternal, 4);
    EXPECT_EQ(SlOf(0, 4), 99U) << "SL 4 of the partition, as with OpenSM";
}

}  // namespace
}  // namespace ember
