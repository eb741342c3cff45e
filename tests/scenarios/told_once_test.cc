// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a device has told once is not believed always.
//
// Goal:   a capability that was told wrong, or has changed, is known within the time in which every
//         switch is read once, or with the next sweep, and all that follows from it is set anew; a
//         value that a device has lost is set again, an M_Key too; partitions that do not hold at
//         some port are a condition as long as that is so.
// Method: agents that tell one capability otherwise while the subnet comes up, then the truth; and
//         hardware that is changed by hand. No trap is sent.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "core/fabric/m_key.h"
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

INSTANTIATE_TEST_SUITE_P(Ways,
                         ToldOnce,
                         ::testing::Values(By::kScrub, By::kSweep),
                         [](const auto& way) {
                             return way.param == By::kScrub ? "ByTheScrub" : "ByASweep";
                         });

// M_Keys.

struct LostKey {
    std::uint8_t level;
    bool of_switch;
    std::uint64_t key;  ///< That the device has instead.
};

class LostMKeys : public ::testing::TestWithParam<LostKey> {
protected:
    static constexpr std::uint64_t kSecret = 0x5EC2E7;
    static constexpr std::uint16_t kLeaseS = 20;

    LostMKeys() : world_(net::FatTree2(4)) {}

    void Start() {
        Settings settings = BriskSettings();
        settings.sweep_interval = 1;  // Light sweeps.
        settings.scrub_interval = 1;
        settings.m_key = kSecret;
        settings.m_key_protection_level = GetParam().level;
        settings.m_key_lease_period = kLeaseS;
        world_.AddManager(settings);
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes();
        const std::uint32_t end = GetParam().of_switch ? 8 + 2 : 7;  // A leaf, a host.
        ASSERT_EQ(world_.world().node(end).is_switch(), GetParam().of_switch);
        row_ =
            GetParam().of_switch ? world_.world().node(end).first_row : world_.sim().RowOf(end, 1);
        ASSERT_NE(row_, world_.attachment_row());
        ASSERT_EQ(KeyOf(), kSecret);
    }
    [[nodiscard]] std::uint64_t KeyOf() {
        return world_.world().port(row_).info.Get(PortInfo::kMKey);
    }

    SimWorld world_;
    std::uint32_t row_ = 0;
};

TEST_P(LostMKeys, AreSetAgain) {
    Start();
    world_.world().port(row_).info.Set(PortInfo::kMKey, GetParam().key);
    // A key that guards its port from us yields when its lease is over: a wrong key starts it.
    const bool is_locked = GetParam().key != 0 && GetParam().level != 0;
    const std::uint64_t lease = is_locked ? 10ULL * kLeaseS * kSecond : 0;
    EXPECT_TRUE(world_.RunUntil([&] { return KeyOf() == kSecret; }, kScrubRound + lease))
        << world_.Notes();
    const std::uint64_t told = world_.Heard(Note::kScrubOther) + world_.Heard(Note::kPeerSilent) +
                               world_.Heard(Note::kNeighborSilent);
    EXPECT_GE(told, 1U) << world_.Notes();
    ASSERT_TRUE(world_.RunUntilQuiet(200 * kSecond)) << world_.Notes();
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
}

TEST_P(LostMKeys, ThatAreAsTheyShallBeAreNoNews) {
    Start();
    world_.RunFor(2 * kScrubRound);
    EXPECT_EQ(world_.Heard(Note::kScrubOther), 0U) << world_.Notes();
    EXPECT_EQ(world_.sm().status().scrub.differences, 0U);
}

std::vector<LostKey> AllLostKeys() {
    std::vector<LostKey> all;
    for (std::uint8_t level = 0; level <= 2; ++level) {
        for (const bool of_switch : {false, true}) {
            for (const std::uint64_t key : {0ULL, 0xF0E1ULL}) {
                all.push_back({level, of_switch, key});
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(
    Everywhere, LostMKeys, ::testing::ValuesIn(AllLostKeys()), [](const auto& one) {
        return std::string(one.param.of_switch ? "Switch" : "Host") + "AtLevel" +
               std::to_string(one.param.level) + (one.param.key == 0 ? "WithNone" : "WithAnother");
    });

/// A host whose key we do not know hides it from us, visit by visit.
TEST(ForeignMKey, ThatIsHiddenIsNoNewsTwice) {
    SimWorld world(net::FatTree2(4));
    Settings settings = BriskSettings();
    settings.sweep_interval = 900;
    settings.scrub_interval = 1;
    settings.m_key = 0x5EC2E7;
    settings.m_key_protection_level = 1;
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond)) << world.Notes();
    world.world().port(world.sim().RowOf(7, 1)).info.Set(PortInfo::kMKey, std::uint64_t{0xF0E1});
    world.RunFor(60 * kSecond);
    EXPECT_EQ(world.Heard(Note::kScrubOther), 1U) << world.Notes();
    EXPECT_GE(world.Heard(Note::kMKeyForeign), 1U) << world.Notes();
}

// Enforcement.

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

/// What a switch makes of being told to enforce.
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

/// It says in its answer that an entry is empty.
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

INSTANTIATE_TEST_SUITE_P(Ways,
                         Unenforced,
                         ::testing::Values(Answered::kWithout,
                                           Answered::kRefused,
                                           Answered::kShammed,
                                           Answered::kSilent));

}  // namespace
}  // namespace ember::testing
