// SPDX-License-Identifier: Apache-2.0
// EmberSM: agents that do and say what a test wants.
#include "platform/sim/liar.h"

#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/platform/sim/agent_probe.h"

namespace ember::sim {
namespace {

constexpr std::uint32_t kHost = 1;

/// Speaks for kHost alone.
class Puppeteer final : public Liar {
public:
    Deed Meet(std::uint32_t node, const Mad& asked) override {
        static_cast<void>(asked);
        return node == kHost ? deed : Deed::kAct;
    }
    bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) override {
        static_cast<void>(asked);
        if (node != kHost) return true;
        if (refuses) answer.header.status = kMadStatusInvalidField;
        return !is_silent;
    }
    bool AnswerBeyond(std::uint32_t node, const Mad& asked, Mad& answer) override {
        static_cast<void>(asked);
        if (node != kHost) return false;
        auto smp = std::bit_cast<LidSmp>(answer);
        NodeInfo info;
        info.Set(NodeInfo::kNodeGuid, Guid{0xFA4E});
        smp.data = info.octets();
        answer = std::bit_cast<Mad>(smp);
        return true;
    }

    Deed deed = Deed::kAct;
    bool refuses = false;
    bool is_silent = false;
};

/// Two hosts at a switch: the path {1, 2} leads from host 0 to host 1.
class Lying : public ::testing::Test {
protected:
    Lying() : sim_(net::SingleSwitch(3)), ask_(sim_, sim_.Attach(0, 1)) { sim_.SetLiar(&liar_); }
    Reply SetLid(std::uint16_t lid) {
        PortInfo info = sim_.world().port(sim_.RowOf(kHost, 1)).info;
        info.Set(PortInfo::kPortState, PortState::kNoChange);
        info.Set(PortInfo::kLid, Lid{lid});
        return ask_.Set({1, 2}, AttributeId::kPortInfo, 1, info);
    }
    [[nodiscard]] Lid LidThere() {
        return sim_.world().port(sim_.RowOf(kHost, 1)).info.Get(PortInfo::kLid);
    }

    FabricSim sim_;
    Probe ask_;
    Puppeteer liar_;
};

TEST_F(Lying, ChangesWhatIsAnsweredAndNotWhatIsDone) {
    liar_.refuses = true;
    EXPECT_EQ(SetLid(7).status, kMadStatusInvalidField);
    EXPECT_EQ(LidThere(), Lid{7});
    liar_.is_silent = true;
    EXPECT_FALSE(SetLid(8).came);
    EXPECT_EQ(LidThere(), Lid{8});
    EXPECT_EQ(ask_.Get({1}, AttributeId::kNodeInfo).status, 0) << "a node that nobody speaks for";
}

TEST_F(Lying, ShamsOrHearsNothing) {
    liar_.deed = Liar::Deed::kSham;
    const Reply reply = SetLid(7);
    EXPECT_EQ(reply.status, 0);
    EXPECT_EQ(reply.As<PortInfo>().Get(PortInfo::kLid), Lid{7}) << "it says that it did";
    EXPECT_EQ(LidThere(), kNoLid);
    liar_.deed = Liar::Deed::kDeaf;
    EXPECT_FALSE(SetLid(7).came);
    EXPECT_EQ(LidThere(), kNoLid);
}

TEST_F(Lying, SpeaksForNodesBeyondAHost) {
    const Reply reply = ask_.Get({1, 2, 9, 4}, AttributeId::kNodeInfo);
    ASSERT_TRUE(reply.came);
    EXPECT_EQ(reply.As<NodeInfo>().Get(NodeInfo::kNodeGuid), Guid{0xFA4E});
    EXPECT_EQ(reply.mad.header.hop_pointer, 0);
    EXPECT_EQ(reply.mad.header.hop_count, 4);
    EXPECT_NE(reply.mad.header.status & kDirectionBit, 0);
    EXPECT_FALSE(ask_.Get({1, 3, 9}, AttributeId::kNodeInfo).came) << "behind an honest host";
}

TEST_F(Lying, EndsWithItsOffice) {
    liar_.refuses = true;
    sim_.SetLiar(nullptr);
    EXPECT_EQ(SetLid(7).status, 0);
    EXPECT_FALSE(ask_.Get({1, 2, 9}, AttributeId::kNodeInfo).came);
}

}  // namespace
}  // namespace ember::sim
