// SPDX-License-Identifier: Apache-2.0
// EmberSM: managers of one key between whom somebody stands.
//
// Goal:   two of them never stay master for good where their greetings reach, whatever the fabric
//         was taken for; a flood of greetings keeps none from being proved, and opens no strict
//         consistency.
// Method: a switch that lies for some seconds while a master hangs; a host that greets both
//         managers a thousand times or more in a window of strangers, in several phases of it.
#include <array>
#include <bit>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/node_info.h"
#include "core/wire/replication_mad.h"
#include "platform/common/headline.h"
#include "tests/support/lying.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

Settings Keyed(std::uint8_t priority, StandbyConsistency policy = StandbyConsistency::kWarn) {
    Settings settings = BriskSettings();
    settings.sm_priority = priority;
    settings.sm_key = 77;
    settings.standby_consistency = policy;
    settings.configuration.digest[0] = 1;
    for (const char octet : std::string_view("the same in all of them")) {
        EXPECT_EQ(settings.replication_key.TryPush(static_cast<std::uint8_t>(octet)), Status::kOk);
    }
    return settings;
}

std::vector<std::uint32_t> HostsOf(SimWorld& world) {
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
        if (!world.world().node(node).is_switch()) hosts.push_back(node);
    }
    return hosts;
}

std::uint32_t LeafOf(SimWorld& world, std::uint32_t host) {
    const std::uint32_t beyond = world.world().Beyond(world.sim().RowOf(host, 1));
    return world.world().port(beyond).node;
}

const ReplicationPeer* PeerAt(SimWorld& world, std::size_t seat, std::uint32_t host) {
    return world.sm(seat).peers().Find(world.world().port(world.sim().RowOf(host, 1)).guid);
}

/// The master hangs, and its standby takes over while its own leaf passes for a host: it is master
/// of two nodes, and sweeps no further.
class TwoMasters : public ::testing::Test {
protected:
    void Begin(std::uint8_t of_standby) {
        hosts_ = HostsOf(world_);
        world_.AddManager(hosts_.front(), 1, Keyed(5));
        ASSERT_TRUE(world_.RunUntilUp(30 * kSecond));
        world_.AddManager(hosts_.back(), 1, Keyed(3));
        ASSERT_TRUE(world_.RunUntil([&] { return world_.Heard(Note::kReplicaWhole, 1) != 0; },
                                    60 * kSecond))
            << world_.Notes(1);
        world_.sm(1).SetPriority(of_standby);
        const std::uint32_t leaf = LeafOf(world_, hosts_.back());
        liar_.LieAbout<NodeInfo>(leaf, AttributeId::kNodeInfo,
                                 [](NodeInfo& info, const Mad& asked) {
                                     const auto smp = std::bit_cast<DirectedSmp>(asked);
                                     if (smp.header.hop_count > 1) return;
                                     info.Set(NodeInfo::kNodeType, NodeType::kChannelAdapter);
                                 });
        world_.Hang(0);
        world_.RunFor(2 * kSecond);
        world_.WakeUp(0);
        world_.RunFor(kSecond);
        ASSERT_EQ(world_.masters(), 2U) << Notes();
    }
    std::string Notes() { return world_.Notes(0) + "\n---\n" + world_.Notes(1); }

    SimWorld world_{net::FatTree2(4)};
    std::vector<std::uint32_t> hosts_;
    FreeLiar liar_{world_};
};

TEST_F(TwoMasters, ThatHearEachOtherSettleWhoStaysWhenAllAreHonestAgain) {
    Begin(3);
    liar_.BeHonest();
    EXPECT_TRUE(world_.RunUntil([&] { return world_.masters() == 1; }, 10 * kSecond)) << Notes();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(world_.masters(), 1U);
    EXPECT_EQ(world_.Judge(0), "") << Notes();
    EXPECT_EQ(ConditionOf(world_.sm(0)), Condition::kUp);
}

TEST_F(TwoMasters, OfWhichTheOneThatSeesLittleRanksHigherSettleItToo) {
    Begin(9);
    liar_.BeHonest();
    EXPECT_TRUE(world_.RunUntil([&] { return world_.masters() == 1; }, 10 * kSecond)) << Notes();
    ASSERT_TRUE(world_.RunUntilQuiet(60 * kSecond));
    EXPECT_EQ(world_.Judge(1), "") << Notes();
}

/// The one that sees two nodes cannot meet the other, and says so within ten seconds; it looks for
/// it on and on, and not all the time.
TEST_F(TwoMasters, ThatCannotSettleItAreToldAndAConditionUntilTheyCan) {
    Begin(3);
    world_.RunFor(9 * kSecond);
    ASSERT_EQ(world_.masters(), 2U) << Notes();
    EXPECT_EQ(world_.Heard(Note::kTwoMasters, 1), 1U) << Notes();
    EXPECT_EQ(ConditionOf(world_.sm(1)), Condition::kTwoMasters);
    std::array<char, 256> room{};
    FixedText headline(room);
    AddHeadline(headline, world_.sm(1));
    EXPECT_EQ(headline.text().substr(0, 13), "TWO MASTERS: ");
    const std::uint64_t before = world_.sm(1).status().heavy_sweeps;
    world_.RunFor(120 * kSecond);
    EXPECT_LE(world_.sm(1).status().heavy_sweeps, before + 8) << Notes();
    EXPECT_EQ(world_.Heard(Note::kTwoMasters, 1), 1U) << "once";
    liar_.BeHonest();
    EXPECT_TRUE(world_.RunUntil([&] { return world_.masters() == 1; }, 70 * kSecond)) << Notes();
    world_.RunFor(5 * kSecond);
    EXPECT_EQ(world_.Heard(Note::kTwoMastersEnded, 1), 1U) << Notes();
    EXPECT_EQ(ConditionOf(world_.sm(1)), Condition::kStandingBy);
}

/// A handover has two masters for a moment, which is no cue.
TEST_F(TwoMasters, OfAHandoverAreNone) {
    world_.AddManager(HostsOf(world_).front(), 1, Keyed(3));
    ASSERT_TRUE(world_.RunUntilUp(30 * kSecond));
    world_.AddManager(HostsOf(world_).back(), 1, Keyed(9));
    ASSERT_TRUE(world_.RunUntil([&] { return world_.sm(1).role().is_master(); }, 60 * kSecond));
    world_.RunFor(20 * kSecond);
    for (const std::size_t seat : {0U, 1U}) {
        EXPECT_EQ(world_.Heard(Note::kTwoMasters, seat), 0U) << Notes();
        EXPECT_EQ(world_.sm(seat).replication().rivals().logged(), kNoGuid);
    }
}

/// A master, a host that floods it and the place of a second manager, which comes later.
class Flood : public ::testing::Test {
protected:
    static constexpr std::uint64_t kSliceUs = 100;

    void Begin(std::uint32_t per_ms, std::uint64_t phase_us, StandbyConsistency policy) {
        per_ms_ = per_ms;
        world_.emplace(net::FatTree2(4));
        const std::vector<std::uint32_t> hosts = HostsOf(*world_);
        second_ = hosts[3];
        world_->AddManager(hosts[0], 1, Keyed(3, policy));
        ASSERT_TRUE(world_->RunUntilQuiet(30 * kSecond));
        world_->RunFor(phase_us);
        evil_ = &world_->sim().AttachClient(hosts[4], 1);
        RunFor(kSecond + phase_us);
    }
    void Greet(std::uint32_t row) {
        ReplicationMad mad = BlankReplicationMad();
        mad.head.kind = ReplicationKind::kHello;
        mad.head.octets = static_cast<std::uint16_t>(sizeof(ReplicationHello));
        mad.head.sender = Guid{0x9999};
        mad.head.sender_nonce = ++serial_;
        mad.head.number = serial_;
        Envelope envelope;
        envelope.peer = world_->world().port(row).info.Get(PortInfo::kLid);
        envelope.queue_pair = envelope.remote_queue_pair = 1;
        envelope.mad = std::bit_cast<Mad>(mad);
        if (envelope.peer != kNoLid) static_cast<void>(evil_->Send(envelope));
    }
    void RunFor(std::uint64_t time_us) {
        for (std::uint64_t passed_us = 0; passed_us < time_us; passed_us += kSliceUs) {
            for (std::uint32_t i = 0; i < per_ms_ * kSliceUs / 1000; ++i) {
                Greet(world_->attachment_row(0));
                Greet(world_->sim().RowOf(second_, 1));
            }
            world_->RunFor(kSliceUs);
            Envelope dropped;
            while (evil_->Receive(dropped) == Status::kOk) {  // Ends: what came is finite.
            }
        }
    }
    bool RunUntil(const std::function<bool()>& holds, std::uint64_t limit_us) {
        for (std::uint64_t passed_us = 0; passed_us < limit_us; passed_us += kMs) {
            if (holds()) return true;
            RunFor(kMs);
        }
        return false;
    }
    bool AreProved() {
        const ReplicationPeer* const peer = PeerAt(*world_, 0, second_);
        return peer != nullptr && peer->is_proved() && peer->has_greeted;
    }

    std::optional<SimWorld> world_;
    sim::Attachment* evil_ = nullptr;
    std::uint32_t second_ = 0;
    std::uint32_t per_ms_ = 0;
    std::uint64_t serial_ = 0;
};

TEST_F(Flood, OfGreetingsKeepsNoTwoManagersApart) {
    for (const std::uint64_t phase_us : {0U, 13'000U, 37'000U, 83'000U}) {
        Begin(10, phase_us, StandbyConsistency::kWarn);
        world_->AddManager(second_, 1, Keyed(1));
        EXPECT_TRUE(RunUntil([&] { return AreProved(); }, 5 * kSecond)) << phase_us << '\n'
                                                                        << world_->Notes(0);
        EXPECT_GT(world_->sm(0).peers().statistics().refused, 1'000U) << "a flood it was";
    }
}

TEST_F(Flood, OfGreetingsOpensNoStrictConsistency) {
    for (const std::uint64_t phase_us : {0U, 13'000U, 70'000U}) {
        Begin(10, phase_us, StandbyConsistency::kStrict);
        Settings other = Keyed(9, StandbyConsistency::kStrict);
        other.configuration.digest[0] = 2;
        world_->AddManager(second_, 1, other);
        EXPECT_FALSE(RunUntil([&] { return world_->sm(1).role().is_master(); }, 4 * kSecond))
            << phase_us << '\n'
            << world_->Notes(0);
        EXPECT_TRUE(world_->sm(0).role().is_master());
        EXPECT_TRUE(world_->sm(1).role().stands_down()) << world_->Notes(1);
    }
}

}  // namespace
}  // namespace ember::testing
