// SPDX-License-Identifier: Apache-2.0
// EmberSM: groups on simulated hardware: who is in one hears the others, once, whatever happens.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/support/air.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using Action = sim::FabricSim::Action;

constexpr Gid kGroup{0xFF12A01C00000000ULL, 1};

class Multicast : public ::testing::Test {
protected:
    void Begin(const net::Netlist& netlist, const SimWorld::Options& options = {}) {
        netlist_ = netlist;
        world_ = std::make_unique<SimWorld>(netlist, options);
        static_cast<void>(world_->AddManager());
        ASSERT_TRUE(world_->RunUntilUp(60 * kSecond)) << world_->Notes();
        air_ = std::make_unique<Air>(*world_);
        for (std::uint32_t i = 0; i < netlist_.nodes.size(); ++i) {
            if (!netlist_.nodes[i].is_switch()) hosts_.push_back(i);
        }
        ASSERT_TRUE(Settle());
    }
    MulticastUpkeep& multicast() { return world_->sm().multicast(); }
    Guid GuidOf(std::uint32_t node) {
        const Fabric& fabric = world_->sm().fabric();
        const NodeIndex at = fabric.FindNode(netlist_.nodes[node].guid);
        return at == kNoNode ? kNoGuid : fabric.PortsOf(at)[0].guid;
    }
    void Join(const std::vector<std::uint32_t>& nodes, const Gid& mgid = kGroup) {
        Groups& groups = multicast().groups();
        if (groups.Find(mgid) == kNoGroup) {
            ASSERT_TRUE(groups.Create(mgid, GroupValues{.p_key = 0xFFFF}, {}).ok());
        }
        for (const std::uint32_t node : nodes) {
            Member who;
            who.port_guid = GuidOf(node);
            who.join_state = join_state::kFull;
            ASSERT_TRUE(groups.Join(groups.Find(mgid), who, world_->now_us()).ok());
        }
        world_->Wake();
    }
    void Leave(std::uint32_t node) {
        Groups& groups = multicast().groups();
        const MemberIndex at = groups.FindMember(groups.Find(kGroup), GuidOf(node));
        ASSERT_NE(at, kNoMember);
        static_cast<void>(groups.Leave(at, join_state::kAll, world_->now_us()));
        world_->Wake();
    }
    bool Settle() {
        return world_->RunUntil(
            [this] {
                return world_->sm().stage() == Stage::kResting && world_->sm().is_up() &&
                       multicast().status().is_settled;
            },
            60 * kSecond);
    }
    std::uint32_t MlidOf(const Gid& mgid = kGroup) {
        return Raw(multicast().groups().group(multicast().groups().Find(mgid)).mlid);
    }
    /// Each of `nodes` hears each other once, and no other node hears anything.
    void ExpectHeard(const std::vector<std::uint32_t>& nodes, std::uint32_t mlid) {
        std::multiset<std::uint32_t> rows;
        for (const std::uint32_t node : nodes) {
            rows.insert(world_->sim().RowOf(node, 1));
        }
        for (const std::uint32_t row : rows) {
            const std::uint32_t beyond = world_->world().Beyond(row);
            EXPECT_EQ(air_->Flood(world_->world().port(beyond).node, mlid), rows);
        }
        EXPECT_FALSE(air_->circle());
    }
    std::uint64_t MftSets() {
        return world_->sim().counters().Sets(AttributeId::kMulticastForwardingTable);
    }
    /// Blocks in the hardware that are not empty: none can be written with fewer Sets.
    std::uint64_t FullLeaves(std::uint32_t blocks) {
        std::uint64_t full = 0;
        for (std::uint32_t node = 0; node < world_->world().node_count(); ++node) {
            const sim::SimNode& here = world_->world().node(node);
            if (!here.is_switch()) continue;
            for (std::uint32_t i = 0; i < blocks * (here.port_count / 16 + 1); ++i) {
                const auto leaf = world_->world().MftBlock(node, i % blocks, i / blocks);
                full += std::any_of(leaf.begin(), leaf.end(),
                                    [](std::uint8_t octet) { return octet != 0; });
            }
        }
        return full;
    }

    net::Netlist netlist_;
    std::unique_ptr<SimWorld> world_;
    std::unique_ptr<Air> air_;
    std::vector<std::uint32_t> hosts_;
};

TEST_F(Multicast, JoinsAreProgrammedTogetherAndEachBlockOnce) {
    Begin(net::FatTree3(4));
    const std::uint64_t before = MftSets();
    Join(hosts_);
    for (std::uint32_t i = 2; i < 10; ++i) {
        Join({hosts_[i], hosts_[i + 5]}, {kGroup.high, i});
    }
    ASSERT_TRUE(Settle()) << world_->Notes();
    EXPECT_EQ(MftSets() - before, FullLeaves(1));
    EXPECT_GE(world_->Heard(Note::kMulticastProgrammed), 1U);
    ExpectHeard(hosts_, MlidOf());
    for (std::uint32_t i = 2; i < 10; ++i) {
        ExpectHeard({hosts_[i], hosts_[i + 5]}, MlidOf({kGroup.high, i}));
    }
    const std::uint64_t after = MftSets();
    world_->sm().RequestSweep(SweepCue::kHeavyRequest);
    world_->RunFor(5 * kSecond);
    EXPECT_EQ(MftSets(), after);  // A table that is right is not written again.
}

TEST_F(Multicast, AJoinIsInTheTablesWithinATenthOfASecond) {
    Begin(net::FatTree2(4));
    Join({hosts_[0], hosts_[7]});
    world_->RunFor(100 * kMs);
    EXPECT_TRUE(multicast().status().is_settled);
    ExpectHeard({hosts_[0], hosts_[7]}, MlidOf());
}

TEST_F(Multicast, JoinsAndLeavesTouchOnlyTheirTree) {
    Begin(net::FatTree3(4));
    Join({hosts_[0], hosts_[1]});  // On one leaf.
    ASSERT_TRUE(Settle());
    std::uint64_t before = MftSets();
    Join({hosts_[2]});  // In the same pod: two leaves, and a switch between them.
    ASSERT_TRUE(Settle());
    EXPECT_LE(MftSets() - before, 3U);
    ExpectHeard({hosts_[0], hosts_[1], hosts_[2]}, MlidOf());
    before = MftSets();
    Leave(hosts_[2]);
    ASSERT_TRUE(Settle());
    EXPECT_LE(MftSets() - before, 3U);
    ExpectHeard({hosts_[0], hosts_[1]}, MlidOf());
    Leave(hosts_[0]);
    Leave(hosts_[1]);
    ASSERT_TRUE(Settle());
    EXPECT_EQ(FullLeaves(1), 0U);
}

TEST_F(Multicast, ALostCableIsGoneAroundWithoutACircle) {
    std::string error;
    Begin(net::TopologyByName("torus:4x4:2", error));
    Join(hosts_);
    ASSERT_TRUE(Settle());
    ExpectHeard(hosts_, MlidOf());
    const sim::World& hardware = world_->world();
    int cuts = 0;
    for (std::uint32_t row = 0; row < hardware.row_count() && cuts < 4; row += 7) {
        const std::uint32_t beyond = hardware.Beyond(row);
        if (beyond == sim::kNoRow) continue;
        if (!hardware.node_of(row).is_switch() || !hardware.node_of(beyond).is_switch()) continue;
        ++cuts;
        world_->sim().Do(Action::kCut, row);
        world_->RunFor(3 * kSecond);
        ASSERT_TRUE(Settle()) << world_->Notes();
        ExpectHeard(hosts_, MlidOf());
        world_->sim().Do(Action::kJoin, row);
        world_->RunFor(3 * kSecond);
        ASSERT_TRUE(Settle()) << world_->Notes();
        ExpectHeard(hosts_, MlidOf());
    }
    EXPECT_GE(cuts, 2);
}

TEST_F(Multicast, WithItsPortAMemberIsGone) {
    Begin(net::FatTree2(4));
    Join(hosts_);
    ASSERT_TRUE(Settle());
    const std::uint64_t events = multicast().events().own().next();
    world_->sim().Do(Action::kPowerOff, hosts_.back());
    world_->RunFor(5 * kSecond);
    ASSERT_TRUE(Settle());
    std::vector<std::uint32_t> left = hosts_;
    left.pop_back();
    EXPECT_EQ(multicast().groups().group(multicast().groups().Find(kGroup)).members, left.size());
    ExpectHeard(left, MlidOf());
    EXPECT_GE(world_->Heard(Note::kMembersGone), 1U);
    EXPECT_GE(multicast().events().own().next(), events);
}

TEST_F(Multicast, ASwitchThatForwardsNoGroupsIsToldByTheMembersThatAreNotReached) {
    Begin(net::FatTree2(4));
    for (sim::SimNode& node : world_->world().nodes()) {
        if (node.is_switch()) node.switch_info.Set(SwitchInfo::kMulticastFdbCap, std::uint16_t{0});
    }
    world_->Restart();
    ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    Join(hosts_);
    world_->RunFor(5 * kSecond);
    EXPECT_GE(world_->Heard(Note::kTreeImperfect), 1U) << world_->Notes();
}

TEST_F(Multicast, LossDelaysATreeAndDoesNotSpoilIt) {
    SimWorld::Options options;
    options.faults.seed = 5;
    Begin(net::FatTree3(4), options);
    world_->sim().faults().loss = 15 * sim::kPercent;
    for (std::size_t i = 0; i < hosts_.size(); i += 2) {
        Join({hosts_[i], hosts_[i + 1]});
        world_->RunFor(30 * kMs);
    }
    world_->sim().faults().loss = 0;
    world_->RunFor(20 * kSecond);
    ASSERT_TRUE(Settle()) << world_->Notes();
    ExpectHeard(hosts_, MlidOf());
}

TEST_F(Multicast, ANewManagerReadsWhatItFindsAndWritesOnlyWhatDiffers) {
    Begin(net::FatTree2(4));
    Join(hosts_);
    ASSERT_TRUE(Settle());
    const std::uint32_t mlid = MlidOf();
    world_->Kill();
    world_->Restart();
    ASSERT_TRUE(world_->RunUntilUp(60 * kSecond));
    Join(hosts_);  // As clients do when they are made to register again.
    const std::uint64_t before = MftSets();
    ASSERT_TRUE(Settle());
    EXPECT_EQ(MlidOf(), mlid);
    EXPECT_EQ(MftSets(), before);
    ExpectHeard(hosts_, mlid);
}

TEST_F(Multicast, NothingIsForwardedWhileItIsDisabled) {
    Settings settings = BriskSettings();
    settings.disable_multicast = true;
    const net::Netlist netlist = net::FatTree2(4);
    netlist_ = netlist;
    world_ = std::make_unique<SimWorld>(netlist);
    static_cast<void>(world_->AddManager(settings));
    ASSERT_TRUE(world_->RunUntilUp(60 * kSecond));
    for (std::uint32_t i = 0; i < netlist_.nodes.size(); ++i) {
        if (!netlist_.nodes[i].is_switch()) hosts_.push_back(i);
    }
    Join(hosts_);
    world_->RunFor(5 * kSecond);
    EXPECT_EQ(MftSets(), 0U);
    EXPECT_EQ(multicast().status().members, hosts_.size());
    settings.disable_multicast = false;
    world_->sm().Configure(settings);
    world_->Wake();
    world_->RunFor(5 * kSecond);
    air_ = std::make_unique<Air>(*world_);
    ExpectHeard(hosts_, MlidOf());
}

TEST_F(Multicast, AManagerThatIsNoLongerMasterRestsThoughATreeWasDue) {
    Settings settings = BriskSettings();
    settings.sminfo_polling_timeout = 500;
    settings.sm_priority = 3;
    settings.sweep_on_trap = false;  // The master finds out by a light sweep.
    netlist_ = net::FatTree2(4);
    world_ = std::make_unique<SimWorld>(netlist_);
    static_cast<void>(world_->AddManager(0, 1, settings));
    settings.sm_priority = 1;
    static_cast<void>(world_->AddManager(7, 1, settings));
    ASSERT_TRUE(world_->RunUntilQuiet(60 * kSecond));
    ASSERT_TRUE(world_->sm(0).role().is_master());
    const std::uint64_t sweeps = world_->sm(0).progress().heavy_sweeps;
    settings.sm_priority = 9;
    world_->sm(1).Configure(settings);
    world_->Wake(1);
    // Somebody has always just joined.
    const auto is_over = [&] {
        multicast().groups().Mark(MlidIndex{0});
        return !world_->sm(0).role().is_master();
    };
    ASSERT_TRUE(world_->RunUntil(is_over, 60 * kSecond));
    EXPECT_EQ(world_->sm(0).progress().heavy_sweeps, sweeps);  // Which would have ended the round.
    world_->RunFor(3 * kSecond);
    ASSERT_FALSE(world_->sm(0).role().is_master());
    EXPECT_GT(world_->sm(0).Step(), world_->now_us());
    EXPECT_EQ(multicast().NextDeadlineUs(), ~std::uint64_t{0});
}

}  // namespace
}  // namespace ember::testing
