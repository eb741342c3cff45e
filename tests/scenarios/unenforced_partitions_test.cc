// SPDX-License-Identifier: Apache-2.0
// EmberSM: partitions that do not hold at some port are a condition as long as that is so.
//
// Goal:   a port that does not enforce its partitions, or keeps other P_Keys than it acknowledges,
//         is told as long as it is so, and no port is marked that does as it is told.
// Method: switches that refuse, sham or fall silent; bring-ups whose datagrams come in any order.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "platform/common/headline.h"
#include "tests/support/lying.h"
#include "tests/support/partition_world.h"

namespace ember::testing {
namespace {

constexpr auto kFull = Membership::kFull;

/// Datagrams take up to 0.1 ms longer: the Sets of ports and the P_Keys of those behind them come
/// in any order.
class HastyBringUp : public ::testing::TestWithParam<std::uint64_t> {
protected:
    HastyBringUp() : world_(net::FatTree2(6), Jittery()) {
        for (std::uint32_t node = 0; node < world_.world().node_count(); ++node) {
            if (!world_.world().node(node).is_switch()) hosts_.push_back(node);
        }
        for (const std::uint32_t host : hosts_) {
            const Guid guid = world_.world().port(world_.sim().RowOf(host, 1)).guid;
            file_[static_cast<std::uint16_t>(1 + host % 2)][guid] = kFull;
        }
        Settings settings = BriskSettings();
        settings.scrub_interval = 1;
        file_.Fill(settings);
        world_.AddManager(settings);
    }
    [[nodiscard]] static SimWorld::Options Jittery() {
        SimWorld::Options options;
        options.faults.seed = GetParam();
        options.faults.jitter_ns = 100'000;
        return options;
    }
    [[nodiscard]] std::uint32_t GuardOf(std::uint32_t host) {
        return world_.world().Wired(world_.sim().RowOf(host, 1));
    }
    [[nodiscard]] const Port& KnownOf(std::uint32_t row) {
        const Fabric& fabric = world_.sm().fabric();
        const NodeIndex node = fabric.FindNode(world_.world().node_of(row).guid);
        return fabric.port(
            fabric.PortOf(node, static_cast<PortNumber>(world_.world().port(row).number)));
    }
    [[nodiscard]] std::size_t CountOpen() {
        return static_cast<std::size_t>(
            std::count_if(hosts_.begin(), hosts_.end(), [&](std::uint32_t host) {
                const PortInfo& info = world_.world().port(GuardOf(host)).info;
                return info.Get(PortInfo::kPartitionEnforcement) != 3;
            }));
    }

    PartitionFile file_;
    SimWorld world_;
    std::vector<std::uint32_t> hosts_;
};

TEST_P(HastyBringUp, MarksNoPortAsOneThatDoesNotEnforce) {
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    EXPECT_EQ(CountOpen(), 0U);
    EXPECT_FALSE(world_.sm().progress().partition_gaps.any());
    for (const std::uint32_t host : hosts_) {
        const Port& port = KnownOf(GuardOf(host));
        EXPECT_EQ(port.unkept, 0U);
        EXPECT_EQ(port.info.Get(PortInfo::kPartitionEnforcement), 3U);
    }
}

TEST_P(HastyBringUp, EveryPortThatCeasesToEnforceIsPutRight) {
    ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
    for (const std::uint32_t host : hosts_) {
        world_.world()
            .port(GuardOf(host))
            .info.Set(PortInfo::kPartitionEnforcement, std::uint8_t{0});
    }
    ASSERT_EQ(CountOpen(), hosts_.size());
    // Nine switches; a sweep follows a difference at any switch once in ten seconds.
    world_.RunFor(150 * kSecond);
    EXPECT_EQ(CountOpen(), 0U) << world_.Notes();
}

INSTANTIATE_TEST_SUITE_P(Seeds, HastyBringUp, ::testing::Range<std::uint64_t>(1, 7));

/// A switch's answer to being told to enforce.
enum class Answered { kWithout, kRefused, kShammed, kSilent };

class UnwillingSwitch final : public sim::Liar {
public:
    UnwillingSwitch(std::uint32_t leaf, Answered how) : leaf_(leaf), how_(how) {}
    Deed Meet(std::uint32_t node, const Mad& asked) override {
        if (!Concerns(node, asked)) return Deed::kAct;
        return how_ == Answered::kSilent ? Deed::kDeaf : Deed::kSham;
    }
    bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) override {
        if (node != leaf_) return true;
        auto smp = std::bit_cast<LidSmp>(answer);
        if (asked.header.attribute_id == AttributeId::kSwitchInfo && how_ == Answered::kWithout) {
            auto info = std::bit_cast<SwitchInfo>(smp.data);
            info.Set(SwitchInfo::kPartitionEnforcementCap, std::uint16_t{0});
            smp.data = info.octets();
        } else if (asked.header.attribute_id == AttributeId::kPortInfo &&
                   how_ == Answered::kShammed) {
            auto info = std::bit_cast<PortInfo>(smp.data);
            info.Set(PortInfo::kPartitionEnforcement, std::uint8_t{0});
            smp.data = info.octets();
        }
        answer = std::bit_cast<Mad>(smp);
        if (Concerns(node, asked) && how_ == Answered::kRefused) {
            answer.header.status = kMadStatusInvalidField;
        }
        return true;
    }

private:
    /// Where it refuses or is silent: the P_Keys that its ports shall enforce.
    [[nodiscard]] bool Concerns(std::uint32_t node, const Mad& asked) const {
        const bool is_of_ports = asked.header.attribute_id == AttributeId::kPKeyTable &&
                                 (std::uint32_t{asked.header.attribute_modifier} >> 16U) != 0;
        const bool is_set = asked.header.method == Method::kSet;
        return node == leaf_ && is_of_ports && is_set &&
               (how_ == Answered::kRefused || how_ == Answered::kSilent);
    }

    std::uint32_t leaf_;
    Answered how_;
};

class PartitionsOfAHost : public ::testing::Test, public PartitionWorld {};

class Unenforced : public ::testing::TestWithParam<Answered>, public PartitionWorld {};

TEST_P(Unenforced, IsACondition) {
    PartitionFile file;
    for (std::size_t i = 0; i < hosts(); ++i) {
        file[1][GuidOf(i)] = kFull;
    }
    settings_.scrub_interval = 1;
    settings_.sweep_interval = 5;
    UnwillingSwitch liar(world_.world().port(GuardOf(3)).node, GetParam());
    world_.sim().SetLiar(&liar);
    Seat(file);
    ASSERT_TRUE(world_.RunUntilUp(60 * kSecond)) << world_.Notes();
    world_.RunFor(20 * kSecond);
    EXPECT_TRUE(world_.sm().is_up());
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kNotEnforced) << world_.Notes();
    // Where the switch is silent it is not known what the hosts behind it hold: they stay down.
    const PartitionGaps gaps = world_.sm().progress().partition_gaps;
    EXPECT_EQ(gaps.unenforced, GetParam() == Answered::kSilent ? 0U : 2U) << "hosts of a leaf";
    EXPECT_EQ(gaps.unset, GetParam() == Answered::kSilent ? 2U : 0U);
    EXPECT_GE(world_.Heard(Note::kPartitionGaps), 1U) << world_.Notes();
    world_.sim().SetLiar(nullptr);
    world_.sm().RequestSweep(SweepCue::kNodeDiffers);
    world_.Wake();
    world_.RunFor(20 * kSecond);
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kUp) << world_.Notes();
    EXPECT_EQ(world_.Heard(Note::kPartitionGapsClosed), 1U) << world_.Notes();
    ExpectTablesOf(file);
}

/// The host says in its answer that an entry is empty.
TEST_F(PartitionsOfAHost, ThatItAcknowledgesAndDoesNotKeepAreACondition) {
    PartitionFile file;
    for (std::size_t i = 0; i < hosts(); ++i) {
        file[1][GuidOf(i)] = kFull;
    }
    settings_.sweep_interval = 5;
    FreeLiar liar(world_);
    liar.Lie([at = host(3)](std::uint32_t node, const Mad&, Mad& answer) {
        if (node != at || answer.header.attribute_id != AttributeId::kPKeyTable) return;
        auto smp = std::bit_cast<LidSmp>(answer);
        auto table = std::bit_cast<PKeyTable>(smp.data);
        table.SetPKey(1, kNoPKey);
        smp.data = std::bit_cast<SmpData>(table);
        answer = std::bit_cast<Mad>(smp);
    });
    Seat(file);
    ASSERT_TRUE(world_.RunUntilUp(60 * kSecond)) << world_.Notes();
    world_.RunFor(20 * kSecond);
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kNotEnforced) << world_.Notes();
    EXPECT_EQ(world_.sm().progress().partition_gaps.unset, 1U);
    EXPECT_EQ(world_.sm().progress().partition_gaps.unenforced, 0U);
    EXPECT_GE(world_.Heard(Note::kPKeysUnset), 1U) << world_.Notes();
    liar.BeHonest();
    world_.sm().RequestSweep(SweepCue::kNodeDiffers);
    world_.Wake();
    world_.RunFor(20 * kSecond);
    EXPECT_EQ(ConditionOf(world_.sm()), Condition::kUp) << world_.Notes();
    ExpectTablesOf(file);
}

INSTANTIATE_TEST_SUITE_P(Ways, Unenforced,
                         ::testing::Values(Answered::kWithout, Answered::kRefused,
                                           Answered::kShammed, Answered::kSilent));

}  // namespace
}  // namespace ember::testing
