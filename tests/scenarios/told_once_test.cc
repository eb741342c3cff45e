// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a device has told once is not believed always.
//
// Goal:   a capability that was told wrong, or has changed, is known within the time in which every
//         switch is read once, or with the next sweep, and all that follows from it is set anew.
// Method: agents that tell one capability otherwise while the subnet comes up, then the truth; and
//         hardware that is changed by hand. No trap is sent.
#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>

#include "core/fabric/port_plan.h"
#include "platform/common/headline.h"
#include "tests/support/lying.h"
#include "tests/support/partition_world.h"

namespace ember::testing {
namespace {

constexpr auto kFull = Membership::kFull;
/// Six switches, each read in a second, and a round after the last.
constexpr std::uint64_t kScrubRound = 8 * kSecond;

/// How the truth comes to light.
enum class By { kScrub, kSweep };

class ToldOnce : public ::testing::TestWithParam<By>, public PartitionWorld {
protected:
    ToldOnce() {
        for (std::size_t i = 0; i < hosts(); ++i) {
            file_[1][GuidOf(i)] = kFull;
        }
        file_[2] = {{GuidOf(1), kFull}, {GuidOf(2), kFull}};
        settings_.scrub_interval = GetParam() == By::kScrub ? 1 : 0;
    }
    /// Comes up while the liar lies, and rests.
    void ComeUpAmongLies() {
        Start(file_);
        ASSERT_TRUE(world_.sm().is_up());
        liar_.BeHonest();
    }
    void LetItLearn() {
        if (GetParam() == By::kSweep) {
            world_.sm().RequestSweep(SweepCue::kNodeDiffers);  // Tables that are known stay so.
            world_.Wake();
        }
        world_.RunFor(kScrubRound);
    }
    [[nodiscard]] std::uint32_t LeafOf(std::size_t host) {
        return world_.world().port(GuardOf(host)).node;
    }
    [[nodiscard]] std::string Headline() {
        std::array<char, 256> room{};
        FixedText text(room);
        AddHeadline(text, world_.sm());
        return std::string(text.text());
    }
    void ExpectToldAndAtRest() {
        EXPECT_GE(world_.Heard(Note::kCapabilitiesChanged) + world_.Heard(Note::kScrubOther), 1U)
            << world_.Notes();
        const std::uint64_t sweeps = world_.sm().status().heavy_sweeps;
        world_.RunFor(4 * kScrubRound);
        EXPECT_EQ(world_.sm().status().heavy_sweeps, sweeps) << world_.Notes();
    }

    PartitionFile file_;
    FreeLiar liar_{world_};
};

TEST_P(ToldOnce, AHostThatSaidItHoldsOnePKeyGetsAll) {
    liar_.LieAbout<NodeInfo>(host(1), AttributeId::kNodeInfo, [](NodeInfo& info, const Mad&) {
        info.Set(NodeInfo::kPartitionCap, std::uint16_t{1});
    });
    ComeUpAmongLies();
    ASSERT_EQ(TableOf(1).size(), 1U);
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kNotEnforced);
    EXPECT_EQ(world_.sm().progress().partition_gaps.unset, 1U);
    LetItLearn();
    ExpectTablesOf(file_);
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kUp) << world_.Notes();
    ExpectToldAndAtRest();
}

TEST_P(ToldOnce, ASwitchThatSaidItEnforcesLittleEnforcesAll) {
    liar_.LieAbout<SwitchInfo>(LeafOf(1), AttributeId::kSwitchInfo,
                               [](SwitchInfo& info, const Mad&) {
                                   info.Set(SwitchInfo::kPartitionEnforcementCap, std::uint16_t{1});
                               });
    ComeUpAmongLies();
    ASSERT_EQ(EnforcementAt(GuardOf(1)), 0U);
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kNotEnforced) << world_.Notes();
    EXPECT_GE(world_.sm().progress().partition_gaps.unenforced, 1U);
    EXPECT_EQ(world_.sm().progress().partition_gaps.unset, 0U);
    EXPECT_NE(Headline().find(" NOT ENFORCE PARTITIONS (the first: 0x"), std::string::npos)
        << Headline();
    EXPECT_EQ(world_.Heard(Note::kPartitionGaps), 1U) << world_.Notes();
    LetItLearn();
    ExpectTablesOf(file_);
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kUp) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kPartitionGapsClosed), 1U) << world_.Notes();
    EXPECT_EQ(Headline(), "SUBNET UP");
    ExpectToldAndAtRest();
}

TEST_P(ToldOnce, APortThatSaidItHasNoArbitrationGetsItsTables) {
    settings_.qos = true;
    liar_.LieAbout<PortInfo>(host(3), AttributeId::kPortInfo, [](PortInfo& info, const Mad&) {
        info.Set(PortInfo::kVlArbitrationLowCap, std::uint8_t{0});
    });
    ComeUpAmongLies();
    const std::span<std::uint8_t> block = world_.world().VlArbBlock(RowOf(3), 1);
    const std::span<std::uint8_t> right = world_.world().VlArbBlock(RowOf(4), 1);
    ASSERT_FALSE(std::equal(right.begin(), right.end(), block.begin()));
    LetItLearn();
    EXPECT_TRUE(std::equal(right.begin(), right.end(), block.begin())) << world_.Notes();
    ExpectToldAndAtRest();
}

TEST_P(ToldOnce, ASwitchThatSaidItHasNoMapsGetsThem) {
    settings_.qos = true;
    const std::uint32_t leaf = LeafOf(3);
    const std::uint32_t out = world_.world().port(GuardOf(3)).number;
    const std::span<std::uint8_t> map =
        world_.world().SlToVl(world_.world().node(leaf).first_row, 1, out);
    map[0] = 0x77;
    liar_.LieAbout<PortInfo>(leaf, AttributeId::kPortInfo, [](PortInfo& info, const Mad&) {
        info.Set(PortInfo::kCapabilityMask,
                 info.Get(PortInfo::kCapabilityMask) & ~capability_mask::kIsSlMappingSupported);
    });
    ComeUpAmongLies();
    ASSERT_EQ(map[0], 0x77);
    LetItLearn();
    EXPECT_NE(map[0], 0x77) << world_.Notes();
    ExpectToldAndAtRest();
}

TEST_P(ToldOnce, ALinkFollowsTheMtuThatItsPortCanDo) {
    liar_.LieAbout<PortInfo>(host(3), AttributeId::kPortInfo, [](PortInfo& info, const Mad&) {
        info.Set(PortInfo::kMtuCap, Mtu::k1024);
    });
    ComeUpAmongLies();
    const auto mtu = [&] {
        return world_.world().port(GuardOf(3)).info.Get(PortInfo::kNeighborMtu);
    };
    ASSERT_EQ(mtu(), Mtu::k1024);
    LetItLearn();
    world_.RunFor(10 * kSecond);  // The link trains anew.
    EXPECT_NE(mtu(), Mtu::k1024) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
}

/// The fields of SwitchInfo that the manager sets: the device loses one.
TEST_P(ToldOnce, ALifetimeThatASwitchHasLostIsSetAgain) {
    ComeUpAmongLies();
    SwitchInfo& info = world_.world().node(LeafOf(3)).switch_info;
    const std::uint8_t wanted = info.Get(SwitchInfo::kLifeTimeValue);
    info.Set(SwitchInfo::kLifeTimeValue, static_cast<std::uint8_t>(wanted ^ 1U));
    LetItLearn();
    EXPECT_EQ(info.Get(SwitchInfo::kLifeTimeValue), wanted) << world_.Notes();
}

TEST_P(ToldOnce, ASwitchWhosePortGuidWasReadWronglyIsKnownByItsOwn) {
    const std::uint32_t row = world_.world().node(LeafOf(3)).first_row;
    const Guid right = world_.world().port(row).guid;
    const Guid wrong{Raw(right) ^ 0x40000000U};
    liar_.LieAbout<NodeInfo>(LeafOf(3), AttributeId::kNodeInfo, [=](NodeInfo& info, const Mad&) {
        info.Set(NodeInfo::kPortGuid, wrong);
    });
    ComeUpAmongLies();
    ASSERT_NE(world_.sm().fabric().FindPort(wrong), kNoPortIndex);
    LetItLearn();
    EXPECT_NE(world_.sm().fabric().FindPort(right), kNoPortIndex) << world_.Notes();
    EXPECT_EQ(world_.sm().fabric().FindPort(wrong), kNoPortIndex) << world_.Notes();
}

INSTANTIATE_TEST_SUITE_P(Ways, ToldOnce, ::testing::Values(By::kScrub, By::kSweep),
                         [](const auto& way) {
                             return way.param == By::kScrub ? "ByTheScrub" : "ByASweep";
                         });

}  // namespace
}  // namespace ember::testing
