// SPDX-License-Identifier: Apache-2.0
// EmberSM: which tables of ports are read and written, in which order, and what becomes of those
// that are not taken.

#include "core/port_tables/table_programming.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/core/port_tables/table_programming_fixture.h"

namespace ember::table_programming {
namespace {

TEST_F(TableProgrammingTest, WhatIsRightIsReadOnceAndWhatDiffersIsWritten) {
    const TableIndex right = Add(0, 1, 1);
    const TableIndex wrong = Add(1, 1, 2);
    device(right) = Content(1);
    device(wrong) = Content(7);
    EXPECT_EQ(Round().read, 2U);
    EXPECT_EQ(writer_->outcome().set, 1U);
    EXPECT_EQ(Written(), std::vector{WhereIs(wrong)});
    EXPECT_EQ(device(wrong), Content(2));
    // By now all is known: what the planner changes is written, and nothing is read.
    wanted(right) = Content(3);
    EXPECT_EQ(Round().read, 0U);
    EXPECT_EQ(Written(), std::vector{WhereIs(right)});
    EXPECT_EQ(Round().set, 0U);
    EXPECT_EQ(planner_.settled.back(), (std::pair{wrong, Status::kOk}));
}

TEST_F(TableProgrammingTest, TablesAreWrittenInTheOrderOfThePlanner) {
    std::vector<TableIndex> tables;
    for (unsigned port = 1; port <= 4; ++port) {
        tables.push_back(Add(3, port, 1));
    }
    tables.push_back(Add(0, 1, 1));
    static_cast<void>(Round());
    static_cast<void>(Written());
    planner_.order = {tables[4], tables[2], tables[0], tables[3], tables[1]};
    std::vector<Where> expected;
    for (const TableIndex at : planner_.order) {
        wanted(at) = Content(2);
        expected.push_back(WhereIs(at));
    }
    EXPECT_EQ(Round().set, 5U);
    EXPECT_EQ(Written(), expected);
}

TEST_F(TableProgrammingTest, ATableWaitsForTheOneThatItsPlannerNamesAndNoOtherDoes) {
    const TableIndex close = Add(3, 1, 1);
    const TableIndex open = Add(0, 1, 1);
    const TableIndex other = Add(1, 1, 1);
    table(close).after = open;
    refused_ = {WhereIs(open)};
    EXPECT_EQ(Round().failed, 1U);
    EXPECT_EQ(Written(), (std::vector{WhereIs(open), WhereIs(other)}));
    refused_.clear();
    EXPECT_EQ(Round().failed, 0U);
    EXPECT_EQ(Written(), (std::vector{WhereIs(open), WhereIs(close)}));
    EXPECT_EQ(device(close), Content(1));
}

TEST_F(TableProgrammingTest, AFailedSetIsToldOnceAndTriedAgainInEachRound) {
    const TableIndex at = Add(0, 1, 1);
    refused_ = {WhereIs(at)};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(Round().failed, 1U);
        EXPECT_EQ(Written().size(), 1U);
        EXPECT_EQ(planner_.settled.back(), (std::pair{at, Status::kRefused}));
    }
    EXPECT_EQ(log_.CountOf(Note::kSetRefused), 1U);
    // In the same round it is left alone, until something else is wanted.
    writer_->Revise();
    Serve();
    EXPECT_TRUE(Written().empty());
    wanted(at) = Content(2);
    writer_->Revise();
    for (int i = 0; i < 5; ++i) {
        Serve();
    }
    EXPECT_EQ(Written().size(), 1U);
    EXPECT_EQ(log_.CountOf(Note::kSetRefused), 2U);
    refused_.clear();
    EXPECT_EQ(Round().failed, 0U);
    EXPECT_EQ(device(at), Content(2));
    // A refusal after the table was right once is news again.
    wanted(at) = Content(3);
    refused_ = {WhereIs(at)};
    EXPECT_EQ(Round().failed, 1U);
    EXPECT_EQ(log_.CountOf(Note::kSetRefused), 3U);
}

TEST_F(TableProgrammingTest, ASilentPortHoldsUpNoOther) {
    Settings narrow = net_.settings();
    narrow.max_wire_smps = 2;
    narrow.max_smps_timeout = 0xFFFFFFFF;
    exchange_.Configure(narrow);
    const TableIndex silent = Add(0, 1, 1);
    const TableIndex same_node = Add(0, 1, 2);
    table(same_node).modifier = PKeyTable::Modifier(kManagementPort, 1);
    const std::vector<TableIndex> others{Add(1, 1, 1), Add(2, 1, 1), Add(6, 1, 1),
                                         Add(3, 1, 1), Add(3, 2, 1), Add(3, 3, 1)};
    planner_.order = {silent};
    planner_.order.insert(planner_.order.end(), others.begin(), others.end());
    planner_.order.push_back(same_node);
    std::uint64_t last_us = 0;
    devices_.silent = net_.at(0, 1);
    writer_->Begin();
    for (int i = 0; i < 100'000 && !writer_->done(); ++i) {
        Serve();
        const bool all = std::all_of(others.begin(), others.end(),
                                     [this](TableIndex at) { return device(at) == Content(1); });
        if (all && last_us == 0) last_us = now_us_;
    }
    EXPECT_NE(last_us, 0U);
    EXPECT_LT(last_us, 5000U) << "the others have theirs long before one try is over";
    EXPECT_GT(now_us_, 200'000U);
    EXPECT_EQ(writer_->outcome().failed, 2U);
    EXPECT_EQ(log_.CountOf(Note::kSetUnanswered), 0U) << "a Get is no Set";
    devices_.silent = kNoPortIndex;
    EXPECT_EQ(Round().failed, 0U);
    EXPECT_EQ(device(silent), Content(1));
    EXPECT_EQ(device(same_node), Content(2));
}

TEST_F(TableProgrammingTest, ANodeThatIsSilentIsAskedOnceARound) {
    Settings narrow = net_.settings();
    narrow.max_wire_smps = 1;
    narrow.max_smps_timeout = 0xFFFFFFFF;
    exchange_.Configure(narrow);
    const std::vector<TableIndex> tables{Add(3, 1, 1), Add(3, 2, 1), Add(3, 3, 1)};
    static_cast<void>(Round());
    devices_.silent = net_.at(3, 0);
    for (const TableIndex at : tables) {
        wanted(at) = Content(2);
    }
    EXPECT_EQ(Round().failed, 3U);
    EXPECT_EQ(writer_->outcome().set, 1U);
    EXPECT_EQ(exchange_.statistics().given_up, 1U);
    EXPECT_EQ(log_.CountOf(Note::kSetUnanswered), 1U);
    // In the next round it has another chance.
    devices_.silent = kNoPortIndex;
    EXPECT_EQ(Round().failed, 0U);
    EXPECT_EQ(device(tables[2]), Content(2));
}

TEST_F(TableProgrammingTest, TheWindowAndOurOwnPortAreWaitedFor) {
    Settings narrow = net_.settings();
    narrow.max_wire_smps = 1;
    narrow.max_smps_timeout = 0xFFFFFFFF;
    exchange_.Configure(narrow);
    static_cast<void>(Add(0, 1, 1));
    static_cast<void>(Add(1, 1, 1));
    EXPECT_EQ(writer_->NextDeadlineUs(), kNever);
    const PortIndex own = net_.fabric().own_port();
    net_.fabric().SetOwnPort(kNoPortIndex);  // As at the beginning of each sweep.
    writer_->Begin();
    writer_->Step(++now_us_);
    EXPECT_EQ(exchange_.in_flight(), 0U);
    EXPECT_EQ(writer_->NextDeadlineUs(), kNever);
    net_.fabric().SetOwnPort(own);
    EXPECT_EQ(writer_->NextDeadlineUs(), 0U);
    writer_->Step(++now_us_);
    EXPECT_EQ(exchange_.in_flight(), 1U);
    EXPECT_EQ(writer_->NextDeadlineUs(), kNever);
    for (int i = 0; i < 5; ++i) {
        Answer();
        Serve();
    }
    EXPECT_TRUE(writer_->done());
    EXPECT_EQ(writer_->outcome().set, 2U);
}

TEST_F(TableProgrammingTest, BesideOthersItTakesItsTime) {
    Settings wide = net_.settings();
    wide.max_wire_smps = 16;
    exchange_.Configure(wide);
    Start(1000);
    for (unsigned port = 1; port <= 4; ++port) {
        static_cast<void>(Add(3, port, 0));
    }
    writer_->Begin();
    writer_->Step(now_us_ = 10'000);
    EXPECT_EQ(writer_->outcome().read, 4U) << "alone as the window admits";
    Answer();
    Ask ask{};
    ask.attribute = AttributeId::kNodeInfo;
    ask.cookie.client = kOtherClient;
    exchange_.Post(ask, now_us_);  // Not answered yet.
    writer_->Observe(true);
    writer_->Begin();
    for (; now_us_ <= 13'000; now_us_ += 100) {
        writer_->Step(now_us_);
    }
    EXPECT_EQ(writer_->outcome().read, 3U) << "at 11,000, 12,000 and 13,000";
    EXPECT_EQ(writer_->NextDeadlineUs(), 14'000U);
}

TEST_F(TableProgrammingTest, ABoardWithoutSuchTablesSpendsNothing) {
    writer_.emplace(
        std::span<TableProgramming::Known>{},
        TableProgramming::Parts{net_.fabric(), exchange_, log_, planner_, kWriterClient},
        net_.settings());
    writer_->Observe(true);
    EXPECT_EQ(Round().read, 0U);
    EXPECT_EQ(writer_->NextDeadlineUs(), kNever);
}

}  // namespace
}  // namespace ember::table_programming
