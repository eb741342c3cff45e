// SPDX-License-Identifier: Apache-2.0
// EmberSM: which room hears a datagram, by its class and queue pair, and on which P_Key index it is
// answered.
//
// Goal:   every class of kServedClasses is heard at its queue pair, any other is counted, and an
//         answer goes out on the P_Key index of its request.
// Method: a host of the simulated fabric that speaks raw datagrams; the counters of the rooms
//         tell which heard.
#include <array>
#include <gtest/gtest.h>

#include "core/wire/sa_mad.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

class Dispatch : public ::testing::Test {
protected:
    Dispatch() : world_(net::FatTree2(4)) {
        world_.AddManager();
        EXPECT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    }
    Envelope Letter(std::uint8_t mgmt_class, std::uint8_t queue_pair) {
        const std::uint32_t row = world_.sim().RowOf(5, 1);
        Envelope envelope;
        envelope.peer = world_.world().port(row).info.Get(PortInfo::kMasterSmLid);
        envelope.queue_pair = queue_pair;
        envelope.remote_queue_pair = queue_pair;
        MadHeader& header = envelope.mad.header;
        header.base_version = kBaseVersion;
        header.mgmt_class = MgmtClass{mgmt_class};
        header.class_version = mgmt_class == 0x03 ? 2 : 1;
        header.method = Method::kGet;
        header.transaction_id = TransactionId{77};
        header.attribute_id = AttributeId::kSmInfo;  // In a simulated fabric an SM's matter.
        return envelope;
    }
    /// How much this one datagram adds to `count()`.
    template <typename Count>
    std::uint64_t Adds(const Envelope& envelope, Count count) {
        const std::uint64_t before = count();
        EXPECT_EQ(client_.Send(envelope), Status::kOk);
        const auto hear = [this] {  // Time stands still while something waits.
            Envelope answer;
            while (client_.Receive(answer) == Status::kOk) {
            }
            return false;
        };
        world_.RunUntil(hear, 10 * kMs);
        return count() - before;
    }
    std::uint64_t Unexpected() { return world_.sm().status().unexpected_mads; }

    SimWorld world_;
    sim::Attachment& client_{world_.sim().AttachClient(5, 1)};
};

TEST_F(Dispatch, EveryOtherClassAndQueuePairIsCounted) {
    for (const std::uint8_t mgmt_class : std::array<std::uint8_t, 6>{4, 5, 6, 7, 0x21, 0x30}) {
        EXPECT_EQ(Adds(Letter(mgmt_class, 1), [this] { return Unexpected(); }), 1U)
            << unsigned{mgmt_class};
    }
    for (const ServedClass& served : kServedClasses) {
        if (served.mgmt_class == MgmtClass::kSubnDirected) continue;  // Has no LID to go to.
        const std::uint8_t wrong = served.queue_pair == 0 ? 1 : 0;
        Envelope envelope = Letter(static_cast<std::uint8_t>(served.mgmt_class), wrong);
        if (wrong == 0) envelope.mad.header.method = Method::kGetResp;  // Comes to any program.
        EXPECT_EQ(Adds(envelope, [this] { return Unexpected(); }), 1U);
    }
}

TEST_F(Dispatch, EachServedClassIsHeardInItsRoom) {
    const std::uint64_t before = Unexpected();
    Envelope malformed = Letter(0x01, 0);
    malformed.mad.header.class_version = 9;
    EXPECT_EQ(Adds(malformed, [this] { return world_.sm().status().malformed_mads; }), 1U);
    Envelope question = Letter(0x03, 1);
    question.mad.header.attribute_id = AttributeId::kClassPortInfo;
    EXPECT_EQ(
        Adds(question, [this] { return world_.sm().administration().statistics().questions; }), 1U);
    Envelope foreign = Letter(0x3B, 1);
    const auto malformed_messages = [this] { return world_.sm().peers().statistics().malformed; };
    EXPECT_EQ(Adds(foreign, malformed_messages), 1U);
    EXPECT_EQ(Unexpected(), before + 1) << "a message that was dropped";
}

TEST_F(Dispatch, AnAnswerGoesOutOnThePKeyIndexOfItsRequest) {
    Envelope question = Letter(0x03, 1);
    question.mad.header.attribute_id = AttributeId::kClassPortInfo;
    for (const std::uint16_t index : std::array<std::uint16_t, 3>{0, 1, 130}) {
        question.p_key_index = index;
        ASSERT_EQ(client_.Send(question), Status::kOk);
        Envelope answer;
        const auto hear = [&] { return client_.Receive(answer) == Status::kOk; };
        ASSERT_TRUE(world_.RunUntil(hear, kSecond));
        EXPECT_EQ(answer.mad.header.method, Method::kGetResp);
        EXPECT_EQ(answer.p_key_index, index);
    }
}

}  // namespace
}  // namespace ember::testing
