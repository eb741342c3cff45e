// SPDX-License-Identifier: Apache-2.0
// EmberSM: a light sweep before hardware that the test holds in its hand.
#pragma once

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/discovery/light_sweep.h"
#include "core/wire/smp.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/fake_port.h"
#include "tests/support/no_store.h"

namespace ember::light_sweep {

inline constexpr std::uint16_t kRefusal = 0x001C;  // IBA vol. 1, 13.4.7: a field has a bad value.
inline constexpr std::uint32_t kOwn = 0, kNear = 1, kFar = 2, kHost = 3;

/// The manager's host at port 1 of the switch `near`, whose port 2 leads to port 1 of the switch
/// `far`. A host of two ports is at port 2 of `far`.
inline net::Netlist Net() {
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

}  // namespace ember::light_sweep
