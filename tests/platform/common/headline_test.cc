// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the first line of every page says, and the exit status of --once with it.
#include "platform/common/headline.h"

#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/linux/process/exit_status.h"
#include "platform/sim/liar.h"
#include "tests/support/acting_engine.h"
#include "tests/support/min_hop_settings.h"
#include "tests/support/partition_world.h"
#include "tests/support/sim_world.h"

namespace ember::test {
namespace {

using ember::testing::ActingEngine;
using ember::testing::BriskSettings;
using ember::testing::kSecond;
using ember::testing::MinHopSettings;
using ember::testing::PartitionFile;
using ember::testing::PartitionWorld;
using ember::testing::SimWorld;
using ::testing::HasSubstr;

std::string Headline(const SubnetManager& sm) {
    std::array<char, 256> room{};
    FixedText text(room);
    AddHeadline(text, sm);
    EXPECT_FALSE(text.full());
    return std::string(text.text());
}

/// The condition, the exit status and the headline go together.
void ExpectThat(const SubnetManager& sm, Condition condition, int status, const char* headline) {
    EXPECT_EQ(ConditionOf(sm), condition);
    EXPECT_EQ(static_cast<int>(StatusFor(condition)), status);
    EXPECT_EQ(Headline(sm), headline);
}

constexpr Limits With(std::uint32_t Limits::*limit, std::uint32_t value) {
    Limits limits = kSimSmall;
    limits.*limit = value;
    limits.max_switches = std::min(limits.max_switches, limits.max_nodes);
    return limits;
}

TEST(Headline, IsPlainWhenNothingIsToBeSaidAgainstIt) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    ExpectThat(world.sm(), Condition::kNotUp, 1, "the subnet is NOT up");
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond));
    ExpectThat(world.sm(), Condition::kUp, 0, "SUBNET UP");
}

TEST(Headline, TellsOfAFabricLargerThanTheBoard) {
    SimWorld world(net::FatTree2(8));
    world.AddManager<With(&Limits::max_switches, 5)>();
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond)) << world.Notes();
    ExpectThat(world.sm(), Condition::kTooLarge, 7,
               "UP FOR 5 OF 12 SWITCHES SEEN; the fabric is larger than this board");
    EXPECT_GE(world.Heard(Note::kSubnetUpInPart), 1U);
    EXPECT_EQ(world.Heard(Note::kSubnetUp), 0U);
    EXPECT_THAT(world.Notes(), HasSubstr("UP FOR 5 OF 12 SWITCHES and "));
    world.sm().RequestSweep(SweepCue::kHeavyRequest);
    world.Wake();
    ASSERT_TRUE(world.RunUntil([&] { return world.sm().stage() == Stage::kDiscovering; }, kSecond));
    EXPECT_EQ(ConditionOf(world.sm()), Condition::kTooLarge) << "in the middle of a sweep too";
}

TEST(Headline, TellsOfSwitchesThatHaveRoomForFewerLids) {
    SimWorld::Options options;
    options.hardware.linear_fdb_cap = 20;
    SimWorld world(net::FatTree2(8), options);
    world.AddManager();
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond)) << world.Notes();
    EXPECT_EQ(ConditionOf(world.sm()), Condition::kTooLarge);
    EXPECT_THAT(Headline(world.sm()), HasSubstr(" PORTS SEEN"));
    EXPECT_THAT(Headline(world.sm()),
                HasSubstr("; its switches have room for fewer LIDs (LinearFDBCap)"));
}

TEST(Headline, TellsOfNodesAndOfPortsThatDoNotFit) {
    SimWorld few(net::FatTree2(8));
    few.AddManager<With(&Limits::max_nodes, 40)>();
    ASSERT_TRUE(few.RunUntilUp(30 * kSecond)) << few.Notes();
    EXPECT_THAT(Headline(few.sm()), HasSubstr("UP FOR 40 OF 44 NODES SEEN"));
    SimWorld narrow(net::FatTree2(8));
    narrow.AddManager<With(&Limits::max_lid, 30)>();
    ASSERT_TRUE(narrow.RunUntilUp(30 * kSecond)) << narrow.Notes();
    EXPECT_THAT(Headline(narrow.sm()), HasSubstr("UP FOR 30 OF 44 PORTS SEEN"));
}

TEST(Headline, TellsOfAPossibleCreditLoop) {
    SimWorld world(net::Ring(6, 1));
    world.AddManager(MinHopSettings());
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond)) << world.Notes();
    ExpectThat(world.sm(), Condition::kCreditLoop, 8, "SUBNET UP, BUT A CREDIT LOOP IS POSSIBLE");
}

TEST(Headline, TellsOfPartitionsThatDoNotHold) {
    PartitionWorld world;
    PartitionFile file;
    for (std::size_t i = 0; i < world.hosts(); ++i) {
        file[1][world.GuidOf(i)] = Membership::kFull;
    }
    for (std::uint16_t base = 2; base <= 70; ++base) {
        file[base][world.GuidOf(2)] = Membership::kFull;
    }
    const std::uint32_t leaf = world.world_.world().port(world.GuardOf(5)).node;
    SwitchInfo& info = world.world_.world().node(leaf).switch_info;
    info.Set(SwitchInfo::kPartitionEnforcementCap, std::uint16_t{0});
    world.Start(file);
    const SubnetManager& sm = world.world_.sm();
    EXPECT_EQ(ConditionOf(sm), Condition::kNotEnforced) << world.world_.Notes();
    EXPECT_EQ(static_cast<int>(StatusFor(Condition::kNotEnforced)), 12);
    EXPECT_EQ(sm.progress().partition_gaps.unset, 1U) << "its table is full";
    EXPECT_EQ(sm.progress().partition_gaps.unenforced, 2U);
    EXPECT_THAT(Headline(sm), HasSubstr("SUBNET UP, BUT 2 PORTS DO NOT ENFORCE PARTITIONS, BUT 1 "
                                        "PORT LACKS P_KEYS (the first: 0x"));
}

/// Refuses SL to VL maps in the name of one switch.
class MapRefuser final : public sim::Liar {
public:
    explicit MapRefuser(std::uint32_t node) : node_(node) {}
    Deed Meet(std::uint32_t node, const Mad& asked) override {
        return IsConcerned(node, asked) ? Deed::kSham : Deed::kAct;
    }
    bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) override {
        if (IsConcerned(node, asked)) answer.header.status = 0x0C;
        return true;
    }

private:
    [[nodiscard]] bool IsConcerned(std::uint32_t node, const Mad& asked) const {
        return node == node_ && asked.header.attribute_id == AttributeId::kSlToVlMappingTable;
    }
    std::uint32_t node_;
};

TEST(Headline, TellsOfSwitchesThatLackTablesOfLanes) {
    SimWorld world(net::FatTree2(4));
    std::uint32_t node = 0;
    while (!world.world().node(node).is_switch()) {
        ++node;
    }
    MapRefuser refuser(node);
    world.sim().SetLiar(&refuser);
    Settings settings = MinHopSettings();
    settings.qos = true;
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilUp(30 * kSecond)) << world.Notes();
    world.RunFor(kSecond);
    ExpectThat(world.sm(), Condition::kLanesLacking, 11,
               "SUBNET UP; 1 switch lacks SL to VL or VL arbitration tables");
    world.sim().SetLiar(nullptr);
}

TEST(Headline, TellsOfNodesThatWereLostAndOfTheDoubtBefore) {
    SimWorld world(net::FatTree2(4));
    world.AddManager();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    const std::uint32_t leaf = world.world().port(world.world().Beyond(1)).node;
    for (std::uint32_t port = 3; port <= 4; ++port) {
        world.Cut(leaf, port);
    }
    ASSERT_TRUE(world.RunUntil([&] { return !world.sm().is_up(); }, 2 * kSecond)) << world.Notes();
    ExpectThat(world.sm(), Condition::kNotUp, 1,
               "the subnet is NOT up: fewer than half of 14 nodes were met, and the subnet is "
               "looked at again");
    ASSERT_TRUE(world.RunUntilUp(10 * kSecond)) << world.Notes();
    ExpectThat(world.sm(), Condition::kNodesLost, 0, "SUBNET UP FOR 3 OF 14 NODES");
}

TEST(Headline, CountsLinksInQuarantine) {
    SimWorld world(net::ParallelLinks(2, 2));
    Settings settings = BriskSettings();
    settings.flapping_link_count = 2;
    world.AddManager(settings);
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    std::uint32_t row = 0;
    while (world.world().Beyond(row) == ember::sim::kNoRow ||
           !world.world().node_of(row).is_switch() ||
           !world.world().node_of(world.world().Beyond(row)).is_switch()) {
        ++row;
    }
    for (int i = 0; i < 2; ++i) {
        world.Cut(world.world().port(row).node, world.world().port(row).number);
        world.RunFor(kSecond);
        world.Join(world.world().port(row).node, world.world().port(row).number);
        world.RunFor(kSecond);
    }
    ASSERT_TRUE(world.RunUntilQuiet(10 * kSecond)) << world.Notes();
    ExpectThat(world.sm(), Condition::kUp, 0, "SUBNET UP; 1 link is in quarantine");
}

/// A board that has an engine which does as it is told.
class HeadlineOfEngines : public ::testing::Test {
protected:
    void Seat(std::initializer_list<EngineKind> kinds, const net::Netlist& netlist) {
        Settings settings = BriskSettings();
        for (const EngineKind kind : kinds) {
            ASSERT_EQ(settings.routing_engine.TryPush(kind), Status::kOk);
        }
        world_ = std::make_unique<SimWorld>(netlist);
        world_->AddManager(settings);
        world_->AddEngine(engine_);
        world_->Restart();
        ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    }
    void Fail() {
        engine_.status = Status::kUnreachable;
        world_->sm().RequestSweep(SweepCue::kHeavyRequest);
        world_->Wake();
        ASSERT_TRUE(world_->RunUntilUp(30 * kSecond)) << world_->Notes();
    }
    std::unique_ptr<SimWorld> world_;
    ActingEngine engine_{EngineKind::kLash, "lash", {.shortest = true}};
};

TEST_F(HeadlineOfEngines, TellsOfKeptTables) {
    Seat({EngineKind::kLash}, net::FatTree2(4));
    ExpectThat(world_->sm(), Condition::kUp, 0, "SUBNET UP");
    Fail();
    ExpectThat(world_->sm(), Condition::kTablesKept, 9,
               "SUBNET UP WITH KEPT TABLES: no engine could route the fabric");
}

TEST_F(HeadlineOfEngines, PutsKeptTablesBeforeACreditLoopAndTellsOfBoth) {
    Seat({EngineKind::kLash}, net::Ring(6, 1));
    Fail();
    ExpectThat(world_->sm(), Condition::kTablesKept, 9,
               "SUBNET UP WITH KEPT TABLES: no engine could route the fabric, BUT A CREDIT LOOP IS "
               "POSSIBLE");
}

TEST_F(HeadlineOfEngines, TellsOfTheSafeRoutingAsLongAsItIsInForce) {
    engine_.status = Status::kUnreachable;
    Seat({EngineKind::kLash}, net::Ring(6, 1));
    const char* const kSafe =
        "SUBNET UP BY THE SAFE ROUTING: neither lash nor what follows it could route the fabric";
    ExpectThat(world_->sm(), Condition::kSafeRouting, 10, kSafe);
    Fail();  // Its tables are kept now, and still are what they are.
    ExpectThat(world_->sm(), Condition::kSafeRouting, 10, kSafe);
}

TEST_F(HeadlineOfEngines, TellsOfAFallback) {
    engine_.status = Status::kUnreachable;
    Seat({EngineKind::kLash, EngineKind::kMinHop}, net::FatTree2(4));
    ExpectThat(world_->sm(), Condition::kUp, 0,
               "SUBNET UP BY A FALLBACK: minhop routes, as lash was refused");
}

TEST(Headline, NamesTheMasterOfAStandBy) {
    SimWorld world(net::FatTree2(4));
    Settings settings = BriskSettings();
    settings.sminfo_polling_timeout = 5000;
    settings.sm_priority = 5;
    world.AddManager(0, 1, settings);
    settings.sm_priority = 3;
    world.AddManager(5, 1, settings);
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond));
    ASSERT_TRUE(world.sm(0).role().is_master());
    ASSERT_TRUE(world.RunUntil(
        [&] {
            const Role& role = world.sm(1).role();
            return role.watched_sm() != nullptr &&
                   world.now_us() - role.watched_heard_us() >= 3 * kSecond;
        },
        30 * kSecond));
    ExpectThat(world.sm(1), Condition::kStandingBy, 0,
               "standing by for host 1 (MASTER, priority 5, polled 3 s ago)");
    ASSERT_EQ(world.sm(1).role().others().size(), 1U);
    EXPECT_EQ(world.sm(1).role().others()[0].state, SmState::kMaster) << "as the polls say";
    world.Kill(0);
    world.RunFor(9 * kSecond);  // Two polls, 5 s apart.
    EXPECT_THAT(Headline(world.sm(1)), HasSubstr(" s ago, 2 polls in vain since)"));
}

TEST(Headline, TellsThatItIsNotActive) {
    SimWorld world(net::FatTree2(4));
    Settings settings = BriskSettings();
    settings.sm_inactive = true;
    world.AddManager(settings);
    world.RunFor(kSecond);
    ExpectThat(world.sm(), Condition::kNotActive, 1,
               "NOT ACTIVE: sm_inactive is set, or the master has said so");
}

}  // namespace
}  // namespace ember::test
