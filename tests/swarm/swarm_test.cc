// SPDX-License-Identifier: Apache-2.0
// EmberSM: stories drawn from seeds, and the watch over them.
//
// Goal:   whatever happens, nothing unsafe does; and when it has ended, all is well without being
//         asked.
// Method: tests/swarm/DESIGN.md. A failing seed prints the line that tells it again.
#include "tests/swarm/swarm.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/swarm/judges.h"
#include "tests/swarm/seeds.h"
#include "tests/swarm/site.h"
#include "tests/swarm/verbs.h"

namespace ember::swarm {
namespace {

constexpr std::uint64_t kShares = 20;
constexpr std::uint64_t kSharesOfManagers = 2;
constexpr std::uint64_t kSeedsOfAShare = 25;

void ExpectWell(const Case& which) {
    const Outcome outcome = Play(which, {});
    EXPECT_FALSE(outcome.failed())
        << outcome.oracle << ": " << outcome.what << "\n  replay: ember_swarm --seed '"
        << TextOf(which) << "' --trace";
}

class Swarming : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Swarming, EndsWell) {
    for (std::uint64_t i = 0; i < kSeedsOfAShare; ++i) {
        const std::uint64_t seed = 1 + GetParam() * kSeedsOfAShare + i;
        if (const Case which{.seed = seed}; !IsKnownToFail(which)) ExpectWell(which);
    }
}

INSTANTIATE_TEST_SUITE_P(Shares, Swarming, ::testing::Range<std::uint64_t>(0, kShares));

class SwarmingManagers : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SwarmingManagers, EndWell) {
    for (std::uint64_t i = 0; i < kSeedsOfAShare; ++i) {
        const Case which{.seed = 1 + GetParam() * kSeedsOfAShare + i, .managers = true};
        if (!IsKnownToFail(which)) ExpectWell(which);
    }
}

INSTANTIATE_TEST_SUITE_P(Shares, SwarmingManagers,
                         ::testing::Range<std::uint64_t>(0, kSharesOfManagers));

TEST(SwarmSeeds, ThatFailedOnceEndWell) {
    for (const KeptStory& kept : kKeptStories) {
        std::optional<Case> which = CaseOf(kept.which);
        ASSERT_TRUE(which.has_value()) << kept.which;
        which->without = (1U << kSiteParts) - 1;  // Kept stories are older than sites.
        SCOPED_TRACE(kept.shown);
        ExpectWell(*which);
    }
}

TEST(SwarmSeeds, TellTheSameStoryEachTime) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        EXPECT_EQ(Play({.seed = seed}, {}).trace, Play({.seed = seed}, {}).trace);
    }
    EXPECT_NE(Play({.seed = 1}, {}).trace, Play({.seed = 2}, {}).trace);
}

TEST(SwarmCases, AreWrittenAsTheyAreRead) {
    for (const std::string_view text : {"7", "7 only=1,5", "7 only=", "7 only=3 less=2",
                                        "7 managers only=1", "7 less=1 without=chain,keys"}) {
        const std::optional<Case> which = CaseOf(text);
        ASSERT_TRUE(which.has_value()) << text;
        EXPECT_EQ(TextOf(*which), text);
    }
    for (const std::string_view text : {"", "x", "7 more", "7 only=x", "7 less=", "7 without=x"}) {
        EXPECT_FALSE(CaseOf(text).has_value()) << text;
    }
}

TEST(SwarmCases, LeaveOutEventsAndNothingElse) {
    const Story whole = Draw({.seed = 3});
    ASSERT_GT(whole.events.size(), 2U);
    const Story part = Draw({.seed = 3, .only = std::vector<std::uint32_t>{1}});
    ASSERT_EQ(part.events.size(), 1U);
    EXPECT_EQ(part.events[0].seed, whole.events[1].seed);
    EXPECT_EQ(part.shape, whole.shape);
    EXPECT_EQ(part.seats[0].settings, whole.seats[0].settings);
}

TEST(SwarmCases, OfManagersHaveTwoToFiveThatReplicate) {
    std::size_t most = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Story story = Draw({.seed = seed, .managers = true});
        ASSERT_GE(story.seats.size(), 2U) << seed;
        ASSERT_LE(story.seats.size(), 5U) << seed;
        most = std::max(most, story.seats.size());
        for (const SeatPlan& seat : story.seats) {
            EXPECT_FALSE(seat.settings.replication_key.empty()) << seed;
        }
        EXPECT_NE(story.events.size(), 0U) << seed;
    }
    EXPECT_EQ(most, 5U);
}

/// A world that is well, in which a test may break something to see that an oracle notices.
class WellSwarm : public ::testing::Test {
protected:
    static Story Quiet(std::string_view fabric) {
        Story story = Draw(
            {.seed = 1, .only = std::vector<std::uint32_t>{}, .without = (1U << kSiteParts) - 1});
        std::string error;
        story.netlist = net::TopologyByName(fabric, error);
        story.board = Board::kRoomy;
        story.seats.assign(1, SeatPlan{.node = 0, .port = 1, .settings = testing::BriskSettings()});
        story.hardware = {};
        return story;
    }
    explicit WellSwarm(std::string_view fabric = "ft2:4")
        : story_(Quiet(fabric)), swarm_(story_, {}) {}
    void SetUp() override {
        const Outcome outcome = swarm_.Run();
        ASSERT_FALSE(outcome.failed()) << outcome.oracle << ": " << outcome.what;
    }
    [[nodiscard]] std::string Complaint() {
        std::string_view oracle;
        std::string complaint;
        static_cast<void>(swarm_.watch().IsHealthy(oracle, complaint));
        return std::string(oracle);
    }
    PortInfo& InfoOf(std::uint32_t node, std::uint32_t port) {
        return swarm_.world().world().port(swarm_.sim().RowOf(node, port)).info;
    }

    Story story_;
    Swarm swarm_;
};

TEST_F(WellSwarm, ALidThatIsThereTwiceIsSeen) {
    InfoOf(5, 1).Set(PortInfo::kLid, InfoOf(6, 1).Get(PortInfo::kLid));
    EXPECT_EQ(Complaint(), "LIDs are sound");
}

TEST_F(WellSwarm, ALinkThatIsNotActiveIsSeen) {
    InfoOf(5, 1).Set(PortInfo::kPortState, PortState::kArmed);
    EXPECT_EQ(Complaint(), "links are up");
}

TEST_F(WellSwarm, AnEntryThatLeadsNowhereIsSeen) {
    const std::uint32_t node = swarm_.switches().back();
    SmpData block{};
    ASSERT_TRUE(swarm_.world().world().ReadLftBlock(node, 0, block));
    block[Raw(InfoOf(5, 1).Get(PortInfo::kLid))] = 0xFF;
    ASSERT_TRUE(swarm_.world().world().WriteLftBlock(node, 0, block));
    EXPECT_EQ(Complaint(), "pairs are connected");
}

TEST_F(WellSwarm, ACircleIsSeenAtTheSetThatClosesIt) {
    // A leaf sends a LID of another leaf up, and the spine sends it back.
    const sim::World& world = swarm_.hardware();
    const std::uint32_t row = swarm_.trunks().front();
    const std::uint32_t lid = Raw(InfoOf(7, 1).Get(PortInfo::kLid));
    for (const std::uint32_t end : {row, world.Wired(row)}) {
        SmpData block{};
        const std::uint32_t node = world.port(end).node;
        ASSERT_TRUE(swarm_.world().world().ReadLftBlock(node, 0, block));
        block[lid] = world.port(end).number;
        ASSERT_TRUE(swarm_.world().world().WriteLftBlock(node, 0, block));
    }
    EXPECT_TRUE(swarm_.failed());
}

TEST_F(WellSwarm, AGroupWithoutATreeIsSeen) {
    for (const auto& client : swarm_.clients()) {
        client->Want(Wish::Kind::kMember, 1);
    }
    const auto is_well = [this] { return Complaint().empty(); };
    ASSERT_TRUE(swarm_.RunUntil(is_well, 10 * kSecond)) << Complaint();
    for (const std::uint32_t node : swarm_.switches()) {
        for (std::uint8_t& octet : swarm_.hardware().MftBlock(node, 0, 0)) {
            octet = 0;
        }
    }
    EXPECT_EQ(Complaint(), "groups are delivered");
}

TEST_F(WellSwarm, ARegistrationThatIsGoneIsSeen) {
    Client& client = *swarm_.clients().front();
    client.Want(Wish::Kind::kMember, 1);
    client.Want(Wish::Kind::kService, 1);
    client.Want(Wish::Kind::kSubscription, 0);
    ASSERT_TRUE(swarm_.RunUntil([&] { return client.is_served(); }, 10 * kSecond));
    EXPECT_EQ(RegistrationsStand(swarm_), "");
    Groups& groups = swarm_.world().sm().multicast().groups();
    const MemberIndex member = groups.FindMember(groups.Find(MgidOf(1)), client.guid());
    ASSERT_NE(member, kNoMember);
    static_cast<void>(groups.Leave(member, join_state::kAll, swarm_.now_us()));
    EXPECT_NE(RegistrationsStand(swarm_), "");
}

TEST_F(WellSwarm, APortThatThinksAnotherIsMasterIsSeen) {
    InfoOf(5, 1).Set(PortInfo::kMasterSmLid, InfoOf(6, 1).Get(PortInfo::kLid));
    EXPECT_EQ(Complaint(), "all know the master");
}

TEST_F(WellSwarm, APortThatIsKnownByAnotherGuidIsSeen) {
    swarm_.world().world().port(swarm_.sim().RowOf(5, 1)).guid = Guid{0xBADBAD};
    EXPECT_EQ(Complaint(), "the picture is right");
}

TEST_F(WellSwarm, ASubnetWithoutAMasterIsSeen) {
    swarm_.Kill(0);
    EXPECT_EQ(Complaint(), "one master");
}

TEST_F(WellSwarm, AMasterThatDoesNotRestIsSeen) {
    SubnetManager& sm = swarm_.world().sm();
    sm.RequestSweep(SweepCue::kHeavyRequest);
    swarm_.world().Wake();
    ASSERT_TRUE(swarm_.RunUntil([&] { return sm.stage() != Stage::kResting; }, kSecond));
    EXPECT_EQ(Complaint(), "up");
}

TEST_F(WellSwarm, AnAnswerThatNobodyAcknowledgesIsSeen) {
    Client& client = *swarm_.clients().front();
    const SaMad question = client.Question(Method::kGetTable, SaAttribute::kNodeRecord, 0, {});
    client.SendRaw(ToMad(question), client.master_lid(), 1);
    const SubnetManager& sm = swarm_.world().sm();
    ASSERT_TRUE(swarm_.RunUntil([&] { return sm.administration().transfers() != 0; }, kSecond));
    EXPECT_EQ(Complaint(), "pools are empty");
}

TEST_F(WellSwarm, AClientThatIsNotAnsweredIsSeen) {
    swarm_.clients().front()->Want(Wish::Kind::kService, 1);
    EXPECT_EQ(Complaint(), "clients are served");
}

TEST_F(WellSwarm, ABoardThatWronglySaysThatItIsTooSmallIsSeen) {
    SubnetManager& sm = swarm_.world().sm();
    for (const std::uint32_t node : swarm_.switches()) {
        swarm_.world().world().node(node).switch_info.Set(SwitchInfo::kLinearFdbCap,
                                                          std::uint16_t{4});
    }
    sm.RequestSweep(SweepCue::kHeavyRequest);
    swarm_.world().Wake();
    const auto is_short = [&] { return sm.fabric().shortage().any() && Complaint() != "up"; };
    ASSERT_TRUE(swarm_.RunUntil(is_short, 30 * kSecond)) << Complaint();
    EXPECT_EQ(Complaint(), "shortage is real");
}

class WellRing : public WellSwarm {
protected:
    WellRing() : WellSwarm("ring:5:2") {}

    /// The port of a switch by which packets go round.
    [[nodiscard]] std::uint8_t Onward(std::uint32_t node, std::uint32_t next) {
        const sim::World& world = swarm_.hardware();
        for (std::uint8_t number = 1; number <= world.node(node).port_count; ++number) {
            const std::uint32_t beyond = world.Beyond(swarm_.sim().RowOf(node, number));
            if (beyond != sim::kNoRow && world.port(beyond).node == next) return number;
        }
        return 0xFF;
    }
    /// All that is for elsewhere goes one way round the ring, by tables that no manager has
    /// verified.
    void SendAllOneWay() {
        const std::vector<std::uint32_t>& ring = swarm_.switches();
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const std::uint32_t here = ring[i];
            SmpData block{};
            ASSERT_TRUE(swarm_.world().world().ReadLftBlock(here, 0, block));
            for (std::uint8_t& exit : block) {
                const std::uint32_t beyond =
                    exit == 0 || exit == 0xFF
                        ? sim::kNoRow
                        : swarm_.hardware().Beyond(swarm_.sim().RowOf(here, exit));
                if (beyond == sim::kNoRow || !swarm_.hardware().node_of(beyond).is_switch())
                    continue;
                exit = Onward(here, ring[(i + 1) % ring.size()]);
            }
            ASSERT_TRUE(swarm_.world().world().WriteLftBlock(here, 0, block));
        }
    }
};

TEST_F(WellRing, ACircleOfBuffersIsSeenWhereTheRoutingIsSaidToBeProved) {
    ASSERT_EQ(Complaint(), "");
    ASSERT_FALSE(swarm_.world().sm().router().verdict().findings.end_ports_may_deadlock);
    SendAllOneWay();
    EXPECT_EQ(Complaint(), "nothing locks");
}

TEST_F(WellSwarm, AGhostIsSeen) {
    swarm_.sim().Do(sim::FabricSim::Action::kPowerOff, 6);
    EXPECT_NE(Complaint(), "");
}

}  // namespace
}  // namespace ember::swarm
