// SPDX-License-Identifier: Apache-2.0
// EmberSM: a GUID belongs to the node that had it and answers.
//
// Goal:   no node gets another's LIDs and routes by claiming its GUID; no node can guess the
//         TransactionIds of questions to others; one wrong answer is not believed for ever.
// Method: one liar a test, nearer to the manager than its victim and farther.
#include <gtest/gtest.h>
#include <map>

#include "tests/support/lying.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class IdentityTheft : public ::testing::TestWithParam<std::uint32_t> {
protected:
    static constexpr std::uint32_t kVictim = 6;
    static constexpr std::uint32_t kSpine = 13;

    IdentityTheft() : world_(net::FatTree2(4)) {}

    void SetUp() override {
        world_.AddManager(0, 1, BriskSettings());
        ASSERT_TRUE(world_.RunUntilQuiet(20 * kSecond)) << world_.Notes();
    }
    /// The thief's cable is pulled and plugged, and it says it is `node`'s, or its port.
    void Steal(Guid node, Guid port, NodeType type = NodeType::kChannelAdapter) {
        liar_.LieAbout<NodeInfo>(GetParam(), AttributeId::kNodeInfo,
                                 [=](NodeInfo& info, const Mad&) {
                                     info.Set(NodeInfo::kNodeType, type);
                                     if (type == NodeType::kSwitch) {
                                         info.Set(NodeInfo::kNumPorts, std::uint8_t{4});
                                     }
                                     info.Set(NodeInfo::kNodeGuid, node);
                                     info.Set(NodeInfo::kPortGuid, port);
                                 });
        world_.Cut(GetParam(), 1);
        world_.RunFor(2 * kSecond);
        world_.Join(GetParam(), 1);
        world_.RunFor(20 * kSecond);
    }
    [[nodiscard]] PortIndex ExitTo(Guid port) {
        const Fabric& fabric = world_.sm().fabric();
        const PortIndex at = fabric.FindPort(port);
        return at == kNoPortIndex ? kNoPortIndex : fabric.port(at).peer;
    }
    [[nodiscard]] Guid PortGuid(std::uint32_t host) {
        return world_.world().port(world_.sim().RowOf(host, 1)).guid;
    }

    SimWorld world_;
    FreeLiar liar_{world_};
};

TEST_P(IdentityTheft, LeavesTheVictimWhereItIs) {
    const Guid guid = PortGuid(kVictim);
    const PortIndex near_end = ExitTo(guid);
    Steal(world_.world().node(kVictim).guid, guid);
    EXPECT_EQ(ExitTo(guid), near_end) << world_.Notes();
    EXPECT_GE(world_.Heard(Note::kDuplicateGuid), 1U);
    EXPECT_TRUE(world_.sm().is_up()) << world_.Notes();
    // The theft is no reason to ask everybody whenever something happens.
    EXPECT_EQ(world_.sm().status().discovery.conflicts, 0U) << world_.Notes();
    EXPECT_EQ(world_.sm().status().nodes, 13U) << world_.Notes();
    liar_.BeHonest();
    world_.Cut(GetParam(), 1);
    world_.RunFor(2 * kSecond);
    world_.Join(GetParam(), 1);
    world_.RunFor(20 * kSecond);
    EXPECT_EQ(world_.Judge(), "") << world_.Notes();
}

TEST_P(IdentityTheft, OfAPortAloneLeavesTheVictimItsLids) {
    const Guid guid = PortGuid(kVictim);
    const PortIndex near_end = ExitTo(guid);
    Steal(Guid{0xBADBAD}, guid);
    EXPECT_EQ(ExitTo(guid), near_end) << world_.Notes();
    EXPECT_GE(world_.Heard(Note::kDuplicateGuid), 1U);
    EXPECT_TRUE(world_.sm().is_up()) << world_.Notes();
}

TEST_P(IdentityTheft, OfASwitchTakesNothingFromIt) {
    const Guid guid = world_.world().node(kSpine).guid;
    Steal(guid, guid, NodeType::kSwitch);
    const Fabric& fabric = world_.sm().fabric();
    const NodeIndex at = fabric.FindNode(guid);
    ASSERT_NE(at, kNoNode) << world_.Notes();
    const PortIndex entry = fabric.node(at).entry;
    EXPECT_EQ(fabric.node(fabric.port(entry).node).type, NodeType::kSwitch);
    EXPECT_NE(world_.world().port(world_.world().Wired(world_.sim().RowOf(GetParam(), 1))).number,
              Raw(fabric.port(entry).number))
        << "the spine is asked by way of the thief";
    EXPECT_TRUE(world_.sm().is_up()) << world_.Notes();
    EXPECT_EQ(world_.sm().status().nodes, 13U) << world_.Notes();
}

INSTANTIATE_TEST_SUITE_P(NearAndFar, IdentityTheft, ::testing::Values(1U, 2U, 7U));

TEST(MovedHost, KeepsItsNameAtItsNewPort) {
    SimWorld world(net::FatTree2(4));
    world.AddManager(0, 1, BriskSettings());
    ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond)) << world.Notes();
    world.sim().SwapLinks(world.sim().RowOf(3, 1), world.sim().RowOf(6, 1));
    world.RunFor(20 * kSecond);
    EXPECT_EQ(world.Judge(), "") << world.Notes();
    EXPECT_EQ(world.sm().status().nodes, 14U);
}

TEST(TransactionIds, OfQuestionsToOthersCannotBeGuessed) {
    SimWorld world(net::FatTree2(8));
    world.AddManager(BriskSettings());
    FreeLiar liar(world);
    std::map<std::uint32_t, std::uint16_t> seen;  // By slot, from questions to node 5 alone.
    std::uint64_t asked_others = 0;
    std::uint64_t guessed = 0;
    liar.Lie([&](std::uint32_t node, const Mad& asked, Mad&) {
        const auto low =
            static_cast<std::uint32_t>(Raw(TransactionId{asked.header.transaction_id}));
        const auto generation = static_cast<std::uint16_t>(low);
        if (node == 5) {
            seen[low >> 20U] = generation;
            return;
        }
        if (seen.empty()) return;
        ++asked_others;
        const auto known = seen.find(low >> 20U);
        if (known == seen.end()) return;
        const auto ahead = static_cast<std::uint16_t>(generation - known->second);
        if (ahead >= 1 && ahead <= 256) ++guessed;
    });
    ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond));
    for (int i = 0; i < 20; ++i) {
        world.sm().RequestSweep(SweepCue::kHeavyRequest);
        world.Wake();
        world.RunFor(2 * kSecond);
    }
    ASSERT_GE(asked_others, 1000U);
    EXPECT_LE(guessed * 50, asked_others) << "256 guesses hit one question in 256";
}

TEST(UnkeptFields, OfALidAreTriedAgainAtOnce) {
    SimWorld world(net::FatTree2(4));
    FreeLiar liar(world);
    // The first answer to a Set says another LID than was set.
    bool has_lied = false;
    liar.LieAbout<PortInfo>(3, AttributeId::kPortInfo, [&](PortInfo& info, const Mad& asked) {
        if (asked.header.method != Method::kSet || has_lied) return;
        has_lied = true;
        info.Set(PortInfo::kLid, Lid{9});
        world.world().port(world.sim().RowOf(3, 1)).info.Set(PortInfo::kLid, Lid{9});
    });
    world.AddManager(0, 1, BriskSettings());
    ASSERT_TRUE(world.RunUntilUp(20 * kSecond)) << world.Notes();
    ASSERT_TRUE(has_lied);
    world.sm().RequestSweep(SweepCue::kTimer);
    world.Wake();
    world.RunFor(5 * kSecond);
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

TEST(UnkeptFields, AreTriedAgainAfterTenSweeps) {
    SimWorld world(net::FatTree2(4));
    FreeLiar liar(world);
    const std::uint32_t row = world.sim().RowOf(3, 1);
    // The Set that makes a link ACTIVE carries all fields as well: none of a bring-up is kept.
    bool lies = true;
    bool has_lied = false;
    liar.LieAbout<PortInfo>(3, AttributeId::kPortInfo, [&](PortInfo& info, const Mad& asked) {
        if (asked.header.method != Method::kSet || !lies) return;
        has_lied = true;
        info.Set(PortInfo::kSubnetTimeOut, std::uint8_t{3});
        world.world().port(row).info.Set(PortInfo::kSubnetTimeOut, std::uint8_t{3});
    });
    Settings settings = BriskSettings();
    settings.force_heavy_sweep = true;
    settings.subnet_timeout = 17;  // Another than ports come up with: what is not set is not kept.
    world.AddManager(0, 1, settings);
    ASSERT_TRUE(world.RunUntilUp(20 * kSecond)) << world.Notes();
    ASSERT_TRUE(has_lied);
    lies = false;
    const std::uint8_t wanted = settings.subnet_timeout;
    world.RunFor(3 * kSecond);
    EXPECT_NE(world.world().port(row).info.Get(PortInfo::kSubnetTimeOut), wanted);
    world.RunFor(12 * kSecond);
    EXPECT_EQ(world.world().port(row).info.Get(PortInfo::kSubnetTimeOut), wanted) << world.Notes();
}

/// A host says that its PortGUID is a switch's, from before the subnet manager starts.
class ClaimedSwitch : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(ClaimedSwitch, HasItsLidAndTheClaimIsTold) {
    constexpr std::uint32_t kSpine = 13;
    SimWorld world(net::FatTree2(4));
    FreeLiar liar(world);
    const Guid guid = world.world().node(kSpine).guid;
    liar.LieAbout<NodeInfo>(GetParam(), AttributeId::kNodeInfo, [=](NodeInfo& info, const Mad&) {
        info.Set(NodeInfo::kPortGuid, guid);
    });
    world.AddManager(0, 1, BriskSettings());
    ASSERT_TRUE(world.RunUntilUp(20 * kSecond)) << world.Notes();
    world.RunFor(20 * kSecond);
    const sim::World& hardware = world.world();
    const auto lid_at = [&](std::uint32_t node, std::uint32_t port) {
        return hardware.port(world.sim().RowOf(node, port)).info.Get(PortInfo::kLid);
    };
    EXPECT_NE(lid_at(kSpine, 0), kNoLid) << world.Notes();
    EXPECT_EQ(lid_at(GetParam(), 1), kNoLid) << world.Notes();
    EXPECT_EQ(world.sm().fabric().FindPort(guid),
              world.sm().fabric().node(world.sm().fabric().FindNode(guid)).first_port);
    EXPECT_EQ(world.Heard(Note::kDuplicateGuid), 1U) << world.Notes();
    EXPECT_TRUE(world.sm().is_up());
    EXPECT_EQ(world.sm().status().nodes, 13U) << world.Notes();
    EXPECT_TRUE(world.RunUntilQuiet(20 * kSecond)) << "the claim is no reason to sweep";
    liar.BeHonest();
    world.Cut(GetParam(), 1);
    world.RunFor(2 * kSecond);
    world.Join(GetParam(), 1);
    EXPECT_TRUE(world.RunUntil([&] { return world.Judge().empty(); }, 20 * kSecond))
        << world.Judge() << world.Notes();
}

INSTANTIATE_TEST_SUITE_P(BeforeAndBehindIt, ClaimedSwitch, ::testing::Values(1U, 2U, 7U));

/// The switch is away when the host claims its GUID, and comes back to it.
TEST(ClaimedSwitchAway, ThatComesBackHasItsLid) {
    constexpr std::uint32_t kSpine = 13;
    constexpr std::uint32_t kHost = 1;
    SimWorld world(net::FatTree2(4));
    FreeLiar liar(world);
    world.AddManager(0, 1, BriskSettings());
    ASSERT_TRUE(world.RunUntilQuiet(20 * kSecond)) << world.Notes();
    const Guid guid = world.world().node(kSpine).guid;
    world.sim().Reboot(kSpine, 20 * kSecond);
    world.Cut(kHost, 1);
    world.RunFor(3 * kSecond);
    liar.LieAbout<NodeInfo>(kHost, AttributeId::kNodeInfo, [=](NodeInfo& info, const Mad&) {
        info.Set(NodeInfo::kPortGuid, guid);
    });
    world.Join(kHost, 1);
    world.RunFor(3 * kSecond);
    EXPECT_NE(world.sm().fabric().FindPort(guid), kNoPortIndex) << "it is the host's by now";
    world.RunFor(40 * kSecond);
    const sim::World& hardware = world.world();
    const std::uint32_t management = world.sim().RowOf(kSpine, 0);
    EXPECT_NE(hardware.port(management).info.Get(PortInfo::kLid), kNoLid) << world.Notes();
    EXPECT_GE(world.Heard(Note::kDuplicateGuid), 1U);
    EXPECT_TRUE(world.sm().is_up()) << world.Notes();
}

}  // namespace
}  // namespace ember::testing
