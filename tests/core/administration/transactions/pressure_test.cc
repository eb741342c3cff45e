// SPDX-License-Identifier: Apache-2.0
// EmberSM: questions in segments have their turn, and silent receivers make room.
#include <gtest/gtest.h>

#include "tests/core/administration/transactions/administration_harness.h"

namespace ember::testing {
namespace {

TEST_F(AdministrationTest, MakesAChangeByRmppInItsTurnAndNotWhenItIsHeard) {
    Asked change = One();
    change.method = Method::kSet;
    for (std::uint64_t id = 1; id <= 32; ++id) {
        change.id = id;
        change.from = static_cast<Lid>(2 + id % 8);
        desk_.Take(Reaction(change, MakeRmppData(1, true, 56)));
    }
    EXPECT_EQ(records_.changes, 0U);
    EXPECT_EQ(desk_.sa().waiting(), 32U);
    EXPECT_TRUE(desk_.Step());
    EXPECT_GT(records_.changes, 0U);
    EXPECT_LT(records_.changes, 30U);  // A step has a budget.
    while (desk_.Step()) {
    }
    EXPECT_EQ(records_.changes, 32U);
}

TEST_F(AdministrationTest, AnswersALongQuestionInItsTurnToo) {
    Asked asked = One();
    asked.method = Method::kGetMulti;
    const auto ask = [&](std::uint64_t id) {
        asked.id = id;
        for (const std::uint32_t number : {1U, 2U}) {
            desk_.Take(Reaction(asked, MakeRmppData(number, number == 2, 100)));
        }
    };
    ask(1);
    ask(2);
    EXPECT_TRUE(records_.last_record.empty());
    desk_.Sent();
    ask(3);  // Two can be put together at once here; both wait.
    ASSERT_EQ(desk_.Sent().back().header.status, 0x0001);
    desk_.Step();
    EXPECT_EQ(records_.last_record.size(), 300U);
    EXPECT_EQ(desk_.Sent().size(), 2U);
    ask(3);
    desk_.Step();
    EXPECT_FALSE(desk_.Sent().empty());
}

TEST_F(AdministrationTest, WaitsForAFullPortWithATable) {
    records_.count = 1000;
    desk_.port().room = 0;
    desk_.Take(Letter(Table()));
    EXPECT_FALSE(desk_.Step());  // No work before the deadline.
    EXPECT_EQ(desk_.sa().NextDeadlineUs(), desk_.now_us + 100);
    desk_.port().room = 100;
    desk_.now_us += 100;
    desk_.Step();
    EXPECT_EQ(desk_.Sent().size(), 1U);
}

TEST_F(AdministrationTest, LeavesRoomForMoreThanTwoSilentSources) {
    records_.count = 1000;
    for (const Lid from : {Lid{2}, Lid{3}}) {
        for (std::uint64_t id = 1; id <= 10; ++id) {
            desk_.Ask(Table(id, from));
        }
    }
    EXPECT_EQ(desk_.sa().transfers(), 3U);  // The first has half, the next its share of a crowd.
    desk_.Sent();
    EXPECT_EQ(desk_.Ask(Table(1, Lid{4})).at(0).header.status, 0);
}

TEST_F(AdministrationTest, ASilentReceiverMakesRoomWhenAllTransfersAreTaken) {
    records_.count = 1000;
    for (std::uint16_t i = 0; i < 4; ++i) {
        desk_.Ask(Table(1, static_cast<Lid>(2 + i)));
        desk_.now_us += 1000;
    }
    EXPECT_EQ(desk_.log().CountOf(Note::kSaTransfersUsedUp), 0U);
    EXPECT_EQ(desk_.Ask(Table(1, Lid{9})).at(0).header.status, 0x0001);
    EXPECT_EQ(desk_.log().CountOf(Note::kSaTransfersUsedUp), 1U);
    desk_.now_us += 900'000;
    // This one is heard.
    desk_.Take(Reaction(Table(1, Lid{2}), MakeRmppAck(1, 2)));
    desk_.now_us += 200'000;
    desk_.Step();
    desk_.Sent();
    const auto sent = desk_.Ask(Table(1, Lid{9}));
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(RmppTypeOf(sent[0].rmpp), RmppType::kAbort);
    EXPECT_EQ(RmppTypeOf(sent[1].rmpp), RmppType::kData);
    EXPECT_EQ(desk_.sa().transfers(), 4U);
    EXPECT_EQ(desk_.counted().transfers_lost, 1U);
    desk_.Take(Reaction(Table(1, Lid{2}), MakeRmppAck(2, 3)));
    desk_.Step();
    EXPECT_EQ(desk_.Sent().size(), 1U);  // And goes on.
}

TEST_F(AdministrationTest, WhoseShareIsUsedUpMakesRoomForItself) {
    records_.count = 1000;
    desk_.Ask(Table(1, Lid{2}));
    desk_.now_us += 200'000;
    desk_.Ask(Table(2, Lid{2}));
    desk_.Ask(Table(1, Lid{3}));
    EXPECT_EQ(desk_.Ask(Table(3, Lid{2})).at(0).header.status, 0x0001);
    desk_.now_us += 150'000;  // The first is silent for too long, the second not yet.
    desk_.Take(Reaction(Table(1, Lid{3}), MakeRmppAck(1, 2)));
    desk_.Step();
    desk_.Sent();
    const auto sent = desk_.Ask(Table(3, Lid{2}));
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(RmppTypeOf(sent[0].rmpp), RmppType::kAbort);
    EXPECT_EQ(TransactionId{sent[0].header.transaction_id}, TransactionId{1});
    EXPECT_EQ(RmppTypeOf(sent[1].rmpp), RmppType::kData);
    EXPECT_EQ(desk_.sa().transfers(), 3U);
    EXPECT_EQ(desk_.Ask(Table(4, Lid{2})).at(0).header.status, 0x0001);
}

TEST_F(AdministrationTest, BeginsAgainForAClientThatRepeatsItsQuestionAndHearsNothing) {
    records_.count = 1000;
    ASSERT_EQ(desk_.Ask(Table()).size(), 1U);
    desk_.Take(Reaction(Table(), MakeRmppAck(1, 9)));
    desk_.Step();
    desk_.Sent();
    EXPECT_TRUE(desk_.Ask(Table()).empty());  // The client hears the answer.
    EXPECT_EQ(desk_.counted().duplicates, 1U);
    desk_.now_us += desk_.settings().transaction_timeout * 1000 + 1;
    const auto sent = desk_.Ask(Table());
    ASSERT_FALSE(sent.empty());
    EXPECT_EQ(std::uint32_t{sent.back().rmpp.segment}, 1U);
    EXPECT_EQ(desk_.sa().transfers(), 1U);
    EXPECT_EQ(desk_.counted().duplicates, 1U);
}

}  // namespace
}  // namespace ember::testing
