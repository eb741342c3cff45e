// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what a light sweep asks, and of what its answers ask for.

#include "core/discovery/light_sweep.h"

#include <algorithm>
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "core/wire/smp.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/fake_port.h"
#include "tests/support/no_store.h"

namespace ember {
namespace {

constexpr std::uint16_t kRefusal = 0x001C;  // IBA vol. 1, 13.4.7: a field has a bad value.
constexpr std::uint32_t kOwn = 0, kNear = 1, kFar = 2, kHost = 3;

/// The manager's host at port 1 of the switch `near`, whose port 2 leads to port 1 of the switch
/// `far`. A host of two ports is at port 2 of `far`.
net::Netlist Net() {
    net::Netlist netlist;
    netlist.Add(NodeType::kChannelAdapter, 1, "own", "own");
    netlist.Add(NodeType::kSwitch, 8, "near", "near");
    netlist.Add(NodeType::kSwitch, 8, "far", "far");
    netlist.Add(NodeType::kChannelAdapter, 2, "host", "host");
    netlist.Connect(kOwn, 1, kNear, 1);
    netlist.Connect(kNear, 2, kFar, 1);
    netlist.Connect(kFar, 2, kHost, 1);
    netlist.AssignGuids();
    return netlist;
}

class LightSweepTest : public ::testing::Test {
protected:
    LightSweepTest() {
        settings_.transaction_retries = 2;
        settings_.transaction_timeout = 10;
        exchange_.Configure(settings_);
        NodeAt(kNear).entry = fabric().own_port();
        NodeAt(kFar).entry = PortOf(kNear, 2);
        NodeAt(kHost).entry = PortOf(kFar, 2);
        for (const std::uint32_t node : {kNear, kFar})
            SwitchAt(node).info.Set(SwitchInfo::kLinearFdbTop, Lid{20});
    }

    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }
    [[nodiscard]] Node& NodeAt(std::uint32_t node) { return fabric().node(built_.node(node)); }
    [[nodiscard]] Switch& SwitchAt(std::uint32_t node) {
        return fabric().switch_row(built_.switch_index(node));
    }
    [[nodiscard]] PortIndex PortOf(std::uint32_t node, unsigned number) {
        return fabric().PortOf(built_.node(node), static_cast<PortNumber>(number));
    }
    void SetState(std::uint32_t node, unsigned number, PortState state) {
        fabric().port(PortOf(node, number)).info.Set(PortInfo::kPortState, state);
    }

    /// The next question: "SwitchInfo 1.2" is one to the node behind ports 1 and 2.
    [[nodiscard]] static std::string Words(const Envelope& question) {
        const auto smp = std::bit_cast<DirectedSmp>(question.mad);
        if (smp.header.method != Method::kGet || smp.header.attribute_modifier != 0) return "?";
        std::string words = smp.header.attribute_id == AttributeId::kSwitchInfo ? "SwitchInfo"
                            : smp.header.attribute_id == AttributeId::kNodeInfo ? "NodeInfo"
                            : smp.header.attribute_id == AttributeId::kNodeDescription
                                ? "NodeDescription"
                                : "?";
        for (std::size_t hop = 1; hop <= smp.header.hop_count; ++hop)
            words += (hop == 1 ? " " : ".") + std::to_string(smp.initial_path[hop]);
        return words;
    }
    /// All questions that were sent and not taken away.
    [[nodiscard]] std::vector<std::string> Asked() const {
        std::vector<std::string> words;
        for (const Envelope& one : port_.sent)
            words.push_back(Words(one));
        return words;
    }
    /// Answers the question of these words and takes it away.
    template <typename Data>
    void Reply(const std::string& words, const Data& data, std::uint16_t status = 0) {
        const auto found = std::find_if(port_.sent.begin(), port_.sent.end(),
                                        [&](const Envelope& one) { return Words(one) == words; });
        ASSERT_NE(found, port_.sent.end()) << words << " was not asked";
        Envelope response = ResponseTo(*found, status);
        auto smp = std::bit_cast<DirectedSmp>(response.mad);
        smp.data = std::bit_cast<SmpData>(data);
        response.mad = std::bit_cast<Mad>(smp);
        port_.sent.erase(found);
        Answer answer;
        ASSERT_EQ(exchange_.Take(response, now_us_, answer), Status::kOk);
        sweep_.Hear(answer, now_us_);
    }
    /// Both switches answer as they did before.
    void ReplyOfSwitches() {
        Reply("SwitchInfo 1", SwitchAt(kNear).info);
        Reply("SwitchInfo 1.2", SwitchAt(kFar).info);
    }
    void LoseOwnLink() {
        fabric().Disconnect(fabric().own_port());
        NodeAt(kNear).entry = kNoPortIndex;
    }
    /// Time passes until every question has its answer, or is given up.
    void RunToEnd() {
        for (int turns = 0; turns < 1000 && !sweep_.done(); ++turns) {
            now_us_ = std::max(now_us_ + 1, std::min(exchange_.NextDeadlineUs(), now_us_ + 1000));
            Answer answer;
            while (exchange_.Expire(now_us_, answer))
                sweep_.Hear(answer, now_us_);
            sweep_.Step(now_us_);
        }
        EXPECT_TRUE(sweep_.done());
    }
    /// Time passes until something is asked, or the sweep is done.
    void RunToNextQuestion() {
        for (int turns = 0; turns < 1000 && port_.sent.empty() && !sweep_.done(); ++turns) {
            now_us_ += 1000;
            Answer answer;
            while (exchange_.Expire(now_us_, answer))
                sweep_.Hear(answer, now_us_);
            sweep_.Step(now_us_);
        }
        EXPECT_TRUE(sweep_.done() || !port_.sent.empty());
    }
    static NodeInfo InfoOf(NodeType type, Guid guid, std::uint8_t ports, unsigned local_port = 1) {
        NodeInfo info;
        info.Set(NodeInfo::kNodeType, type);
        info.Set(NodeInfo::kNodeGuid, guid);
        info.Set(NodeInfo::kNumPorts, ports);
        info.Set(NodeInfo::kLocalPortNum, static_cast<PortNumber>(local_port));
        return info;
    }
    /// A link without a known peer came up at port 5 of `far`. The ports that wake when a node
    /// answers there with this NodeInfo.
    std::uint32_t AwokenBy(const NodeInfo& info) {
        SetState(kFar, 5, PortState::kInitialize);
        sweep_.Begin(now_us_);
        ReplyOfSwitches();
        Reply("NodeInfo 1.2.5", info);
        EXPECT_TRUE(sweep_.done());
        EXPECT_EQ(sweep_.outcome().wants_heavy(), sweep_.outcome().awoken != 0);
        EXPECT_EQ(sweep_.outcome().has_seen_enough(), sweep_.outcome().awoken != 0);
        return sweep_.outcome().awoken;
    }

    static constexpr Guid kStranger{0x777};
    using Sentences = std::vector<std::string>;

    testing::BuiltFabric built_{Net()};
    Settings settings_;
    std::vector<Exchange::Transaction> transactions_ = std::vector<Exchange::Transaction>(16);
    std::vector<DueQueue::Entry> due_ = std::vector<DueQueue::Entry>(16);
    FakePort port_;
    FakeEntropy entropy_;
    Exchange exchange_{Exchange::Memory{transactions_, due_}, port_, entropy_};
    std::vector<LogRecord> records_ = std::vector<LogRecord>(16);
    Log log_{records_};
    NoStore store_;
    KnownMKeys keys_{{fabric(), log_, store_}, settings_};
    LightSweep sweep_{fabric(), exchange_, keys_, settings_};
    std::uint64_t now_us_ = 1000;
};

TEST_F(LightSweepTest, AsksEachSwitchForItsSwitchInfoAndNoMoreWhereNothingIsNew) {
    EXPECT_TRUE(sweep_.done()) << "none has begun";
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), (Sentences{"SwitchInfo 1", "SwitchInfo 1.2"}));
    EXPECT_FALSE(sweep_.hungry());
    Reply("SwitchInfo 1.2", SwitchAt(kFar).info);
    EXPECT_FALSE(sweep_.done());
    Reply("SwitchInfo 1", SwitchAt(kNear).info);
    EXPECT_TRUE(sweep_.done());
    EXPECT_EQ(sweep_.outcome().asked, 2U);
    EXPECT_FALSE(sweep_.outcome().wants_heavy());
    EXPECT_FALSE(sweep_.outcome().has_seen_enough());
}

TEST_F(LightSweepTest, ASwitchWithNewsHasChanged) {
    SwitchInfo news = SwitchAt(kNear).info;
    news.Set(SwitchInfo::kPortStateChange, std::uint8_t{1});
    SwitchInfo reset = SwitchAt(kFar).info;
    reset.Set(SwitchInfo::kLinearFdbTop, Lid{0});
    sweep_.Begin(now_us_);
    Reply("SwitchInfo 1", news);
    EXPECT_EQ(sweep_.outcome().changed, 1U) << "PortStateChange";
    EXPECT_TRUE(sweep_.outcome().has_seen_enough()) << "one answer is still under way";
    Reply("SwitchInfo 1.2", reset);
    EXPECT_EQ(sweep_.outcome().changed, 2U) << "LinearFDBTop";
    EXPECT_EQ(sweep_.outcome().silent, 0U);
    EXPECT_TRUE(sweep_.outcome().wants_heavy());
    EXPECT_EQ(SwitchAt(kNear).info.Get(SwitchInfo::kPortStateChange), 0) << "no row is written";
    EXPECT_EQ(SwitchAt(kFar).info.Get(SwitchInfo::kLinearFdbTop), Lid{20});
}

TEST_F(LightSweepTest, OtherValuesOfASwitchInfoAreNoChange) {
    SwitchInfo info = SwitchAt(kNear).info;
    info.Set(SwitchInfo::kLifeTimeValue, std::uint8_t{9});
    info.Set(SwitchInfo::kMulticastFdbTop, Lid{0xC005});
    sweep_.Begin(now_us_);
    Reply("SwitchInfo 1", info);
    EXPECT_FALSE(sweep_.outcome().wants_heavy());
}

TEST_F(LightSweepTest, ASwitchThatRefusesHasChanged) {
    sweep_.Begin(now_us_);
    Reply("SwitchInfo 1", SwitchAt(kNear).info, kRefusal);
    EXPECT_EQ(sweep_.outcome().changed, 1U);
    EXPECT_EQ(sweep_.outcome().silent, 0U);
}

TEST_F(LightSweepTest, ASwitchIsSilentAfterAsManyTriesAsTheSettingsSay) {
    for (const std::uint32_t tries : {1U, 2U, 4U}) {
        port_.sent.clear();
        settings_.transaction_retries = tries;
        exchange_.Configure(settings_);
        sweep_.Begin(now_us_);
        Reply("SwitchInfo 1", SwitchAt(kNear).info);
        RunToEnd();
        EXPECT_EQ(port_.sent.size(), tries);
        EXPECT_EQ(sweep_.outcome().silent, 1U);
        EXPECT_EQ(sweep_.outcome().changed, 0U);
        EXPECT_TRUE(sweep_.outcome().wants_heavy());
        EXPECT_FALSE(sweep_.outcome().has_seen_enough()) << "a later answer may still tell more";
    }
}

TEST_F(LightSweepTest, ASwitchWithoutAPathIsSilentAtOnce) {
    NodeAt(kFar).entry = kNoPortIndex;
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), Sentences{"SwitchInfo 1"});
    EXPECT_EQ(sweep_.outcome().asked, 2U);
    EXPECT_EQ(sweep_.outcome().silent, 1U);
}

TEST_F(LightSweepTest, KnocksBehindEachSwitchPortThatHasALinkAndNoKnownPeer) {
    SetState(kNear, 4, PortState::kInitialize);
    SetState(kNear, 5, PortState::kArmed);
    SetState(kFar, 6, PortState::kActive);
    SetState(kFar, 7, PortState::kActive);
    fabric().port(PortOf(kFar, 7)).has_info = false;
    SetState(kHost, 2, PortState::kInitialize);  // No path leads through a host.
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), (Sentences{"SwitchInfo 1", "SwitchInfo 1.2", "NodeInfo 1.4", "NodeInfo 1.5",
                                  "NodeInfo 1.2.6"}));
}

TEST_F(LightSweepTest, KnocksAtOurOwnPortIfItsPeerIsNotKnown) {
    LoseOwnLink();
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), Sentences{"NodeInfo 1"}) << "no path leads to the switches";
    Reply("NodeInfo 1", InfoOf(NodeType::kSwitch, NodeAt(kNear).guid, 8));
    EXPECT_EQ(sweep_.outcome().awoken, 1U);
}

TEST_F(LightSweepTest, ANodeThatAnswersAtLastIsAwoken) {
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, kStranger, 1)), 1U);
}

TEST_F(LightSweepTest, SilenceAndRefusalBehindSuchAPortAreNoNews) {
    SetState(kNear, 4, PortState::kInitialize);
    SetState(kNear, 5, PortState::kInitialize);
    sweep_.Begin(now_us_);
    ReplyOfSwitches();
    Reply("NodeInfo 1.4", InfoOf(NodeType::kSwitch, kStranger, 4), kRefusal);
    RunToEnd();
    EXPECT_FALSE(sweep_.outcome().wants_heavy());
}

TEST_F(LightSweepTest, ANodeForWhichTheBoardHasNoRoomIsNewsUntilThatWasTold) {
    const NodeInfo info = InfoOf(NodeType::kChannelAdapter, kStranger, 1);
    ASSERT_FALSE(fabric().HasRoomFor(info)) << "the board just holds the netlist";
    EXPECT_EQ(AwokenBy(info), 1U);
    ASSERT_EQ(fabric().AddNode(info).status(), Status::kFull);
    EXPECT_EQ(AwokenBy(info), 0U);
}

TEST_F(LightSweepTest, AKnownNodeIsNewsIfItsPortHasNoLinkYet) {
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, NodeAt(kHost).guid, 2, 2)), 1U);
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, NodeAt(kHost).guid, 2, 1)), 0U)
        << "a GUID that is taken";
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, NodeAt(kHost).guid, 2, 3)), 1U)
        << "it has no such port";
}

TEST_F(LightSweepTest, ASwitchBehindAnEdgePortIsNoNewsButAHostIs) {
    const std::array listed = {SwitchPort{NodeAt(kFar).guid, PortNumber{5}}};
    settings_.manager_tables.edge_ports = listed;
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kSwitch, kStranger, 4)), 0U);
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, kStranger, 1)), 1U);
}

TEST_F(LightSweepTest, ASwitchThatShowsAnEdgePortOfItsOwnIsNoNews) {
    const std::array listed = {SwitchPort{NodeAt(kNear).guid, PortNumber{7}}};
    settings_.manager_tables.edge_ports = listed;
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kSwitch, NodeAt(kNear).guid, 8, 7)), 0U);
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kSwitch, NodeAt(kNear).guid, 8, 6)), 1U);
}

TEST_F(LightSweepTest, ANodeBehindAnUntrustedSwitchIsNoNews) {
    fabric().port(PortOf(kFar, 5)).had_end_node = true;
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kSwitch, kStranger, 4)), 1U) << "where a host was";
    fabric().port(PortOf(kNear, 2)).had_end_node = true;
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kSwitch, kStranger, 4)), 0U);
    EXPECT_EQ(AwokenBy(InfoOf(NodeType::kChannelAdapter, kStranger, 1)), 0U);
}

TEST_F(LightSweepTest, ANodeWithoutADescriptionIsAskedForItOnce) {
    for (const std::uint32_t node : {kOwn, kFar, kHost})
        NodeAt(node).has_description = false;
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), (Sentences{"SwitchInfo 1", "SwitchInfo 1.2", "NodeDescription",
                                  "NodeDescription 1.2", "NodeDescription 1.2.2"}));
    SmpData name{};
    name[0] = 'x';
    Reply("NodeDescription 1.2", name);
    EXPECT_TRUE(NodeAt(kFar).has_description);
    EXPECT_EQ(NodeAt(kFar).description[0], 'x');
    EXPECT_EQ(NodeAt(kFar).description[1], 0);
    Reply("NodeDescription", name, kRefusal);
    EXPECT_FALSE(NodeAt(kOwn).has_description);
    ReplyOfSwitches();
    RunToEnd();
    EXPECT_FALSE(NodeAt(kHost).has_description);
    EXPECT_FALSE(sweep_.outcome().wants_heavy()) << "a name asks for no sweep";
}

TEST_F(LightSweepTest, AsksAsManyQuestionsAsTheWindowAdmits) {
    settings_.max_wire_smps = 1;
    exchange_.Configure(settings_);
    SetState(kFar, 5, PortState::kActive);
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), Sentences{"SwitchInfo 1"});
    sweep_.Step(now_us_);
    EXPECT_EQ(Asked(), Sentences{"SwitchInfo 1"}) << "the window is full";
    EXPECT_TRUE(sweep_.hungry());
    Reply("SwitchInfo 1", SwitchAt(kNear).info);
    EXPECT_FALSE(sweep_.done()) << "no question is under way, but there are more";
    sweep_.Step(now_us_);
    Reply("SwitchInfo 1.2", SwitchAt(kFar).info);
    sweep_.Step(now_us_);
    Reply("NodeInfo 1.2.5", InfoOf(NodeType::kChannelAdapter, kStranger, 1));
    sweep_.Step(now_us_);
    EXPECT_FALSE(sweep_.hungry());
    EXPECT_TRUE(sweep_.done());
    EXPECT_EQ(sweep_.outcome().awoken, 1U);
}

TEST_F(LightSweepTest, AsksOurOwnPortBothQuestionsOnceThroughAWindowOfOne) {
    settings_.max_wire_smps = 1;
    settings_.transaction_retries = 1;
    exchange_.Configure(settings_);
    LoseOwnLink();
    NodeAt(kOwn).has_description = false;
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), Sentences{"NodeDescription"});
    RunToEnd();
    EXPECT_EQ(Asked(), (Sentences{"NodeDescription", "NodeInfo 1"}))
        << "though neither is answered";
}

TEST_F(LightSweepTest, AnAbandonedSweepIsOverAndTheNextOneCountsAnew) {
    settings_.max_wire_smps = 1;
    exchange_.Configure(settings_);
    SwitchInfo news = SwitchAt(kNear).info;
    news.Set(SwitchInfo::kPortStateChange, std::uint8_t{1});
    sweep_.Begin(now_us_);
    Reply("SwitchInfo 1", news);
    sweep_.Step(now_us_);
    sweep_.Abandon();
    EXPECT_TRUE(sweep_.done());
    EXPECT_FALSE(sweep_.hungry());
    EXPECT_EQ(exchange_.in_flight(), 0U);
    port_.sent.clear();
    sweep_.Begin(now_us_);
    EXPECT_EQ(Asked(), Sentences{"SwitchInfo 1"}) << "from the first switch on";
    EXPECT_EQ(sweep_.outcome().changed, 0U);
    EXPECT_EQ(sweep_.outcome().asked, 1U);
}

TEST_F(LightSweepTest, SilenceBehindALinkIsCountedButNotBehindAnUntrustedSwitch) {
    SetState(kNear, 4, PortState::kInitialize);
    SetState(kFar, 5, PortState::kInitialize);
    for (const bool is_trusted : {true, false}) {
        fabric().port(PortOf(kNear, 2)).had_end_node = !is_trusted;
        sweep_.Begin(now_us_);
        ReplyOfSwitches();
        RunToEnd();
        EXPECT_EQ(sweep_.outcome().mute, is_trusted ? 2U : 1U);
        EXPECT_FALSE(sweep_.outcome().wants_heavy());
    }
}

/// The M_Keys with which the node behind port 4 of `near` is asked in one sweep, one after another.
/// A node that fell silent there had a key that no rule tells any more, and 8 others have left.
TEST_F(LightSweepTest, KnocksTakeTurnsThroughTheKeysThatASweepWouldTry) {
    constexpr std::uint64_t kOld = 0x01D;
    constexpr std::uint64_t kFirst = 0xFF00;
    settings_.m_key = 0x5EC2E7;
    settings_.m_key_per_port = true;
    SetState(kNear, 4, PortState::kActive);
    fabric().RememberSilentPeer({.exit_node = NodeAt(kNear).guid,
                                 .exit_port = PortNumber{4},
                                 .port = kStranger,
                                 .m_key = kOld});
    for (std::uint64_t i = 0; i < 8; ++i) {
        fabric().RememberDeparted(
            {.guids = {Guid{0x900 + i}, Guid{0x900 + i}}, .m_keys = {0, kFirst + i}});
    }
    std::set<std::uint64_t> tried;
    for (int sweep = 0; sweep < 8; ++sweep) {
        port_.sent.clear();
        std::vector<std::uint64_t> keys;
        sweep_.Begin(now_us_);
        ReplyOfSwitches();
        for (int turns = 0; turns < 1000 && !sweep_.done(); ++turns) {
            for (const Envelope& one : port_.sent) {
                const auto smp = std::bit_cast<DirectedSmp>(one.mad);
                const std::uint64_t key{smp.m_key};
                if (Words(one) == "NodeInfo 1.4" && (keys.empty() || keys.back() != key)) {
                    keys.push_back(key);
                }
            }
            port_.sent.clear();
            now_us_ += 1000;
            Answer answer;
            while (exchange_.Expire(now_us_, answer))
                sweep_.Hear(answer, now_us_);
        }
        ASSERT_TRUE(sweep_.done());
        ASSERT_EQ(keys.size(), 4U);
        EXPECT_EQ(keys[0], kOld) << "the likeliest each time";
        tried.insert(keys.begin(), keys.end());
    }
    EXPECT_TRUE(tried.contains(MKeyFrom(RuleOf(settings_), kStranger)));
    for (std::uint64_t i = 0; i < 8; ++i) {
        EXPECT_TRUE(tried.contains(kFirst + i)) << i;
    }
    EXPECT_EQ(tried.size(), keys_.TurnsBeyond(PortOf(kNear, 4)));
}

/// The heavy sweep that follows does not wait for the turn of each key that comes before.
TEST_F(LightSweepTest, TheKeyToWhichASilentNodeAnswersIsTriedFirstFromThenOn) {
    settings_.m_key = 0x5EC2E7;
    settings_.m_key_per_port = true;
    SetState(kNear, 4, PortState::kActive);
    fabric().RememberSilentPeer(
        {.exit_node = NodeAt(kNear).guid, .exit_port = PortNumber{4}, .m_key = 0x01D});
    for (std::uint64_t i = 0; i < 8; ++i) {
        fabric().RememberDeparted(
            {.guids = {Guid{0x900 + i}, Guid{0x900 + i}}, .m_keys = {0, 0xFF00 + i}});
    }
    NodeInfo info = InfoOf(NodeType::kChannelAdapter, kStranger, 1);
    info.Set(NodeInfo::kPortGuid, kStranger);
    std::uint64_t answered = 0;
    sweep_.Begin(now_us_);
    ReplyOfSwitches();
    while (!sweep_.done()) {  // Ends: the fourth knock is the last.
        const auto smp = std::bit_cast<DirectedSmp>(port_.sent.back().mad);
        if (smp.m_key >= 0xFF00 && smp.m_key < 0xFF08) {
            answered = smp.m_key;
            Reply("NodeInfo 1.4", info);
            break;
        }
        port_.sent.clear();
        RunToNextQuestion();
    }
    ASSERT_NE(answered, 0U) << "a key was tried that is not the likeliest";
    EXPECT_EQ(sweep_.outcome().awoken, 1U);
    EXPECT_EQ(keys_.KeyBeyond(PortOf(kNear, 4), 0).value(), answered);
    EXPECT_EQ(fabric().silent_peers().Find(NodeAt(kNear).guid, PortNumber{4})->port, kStranger);
}

}  // namespace
}  // namespace ember
