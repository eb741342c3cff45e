// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what is known of tables, and when they are read again.
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/core/port_tables/table_programming_fixture.h"

namespace ember::table_programming {
namespace {

TEST_F(TableProgrammingTest, AfterARestartNothingIsWrittenThatIsRight) {
    std::vector<TableIndex> tables{Add(0, 1, 1), Add(1, 1, 2), Add(3, 1, 3)};
    EXPECT_EQ(Round().set, 3U);
    for (int restart = 0; restart < 2; ++restart) {
        restart == 0 ? Start() : writer_->Observe(true);
        EXPECT_EQ(Round().read, 3U);
        EXPECT_EQ(writer_->outcome().set, 0U);
        EXPECT_EQ(Round().read, 0U);
    }
}

TEST_F(TableProgrammingTest, TheTablesOfADeviceThatBearsAnotherMasterAreReadAgain) {
    static_cast<void>(Add(0, 1, 1));
    static_cast<void>(Add(1, 1, 1));
    LetAllBearOurLid();
    static_cast<void>(Round());
    net_.port(1, 1).info.Set(PortInfo::kMasterSmLid, Lid{40});
    writer_->Observe(false);
    EXPECT_EQ(Round().read, 1U);
}

TEST_F(TableProgrammingTest, TheTablesOfADeviceThatWasResetAreReadAgain) {
    const TableIndex host = Add(0, 1, 1);
    const TableIndex other = Add(1, 1, 1);
    const TableIndex of_switch = Add(3, 1, 1);
    LetAllBearOurLid();
    static_cast<void>(Round());
    static_cast<void>(Written());
    writer_->Observe(false);
    EXPECT_EQ(Round().read, 0U);
    net_.port(0, 1).info.Set(PortInfo::kPortState, PortState::kInitialize);
    device(host) = Content(0);
    device(other) = Content(0);  // This device shows no reset.
    writer_->Observe(false);
    EXPECT_EQ(Round().read, 1U);
    EXPECT_EQ(Written(), std::vector{WhereIs(host)});
    net_.port(0, 1).info.Set(PortInfo::kPortState, PortState::kActive);
    net_.port(1, 1).info.Set(PortInfo::kLid, kNoLid);
    for (unsigned port = 1; port <= 8; ++port) {
        net_.port(3, port).info.Set(PortInfo::kPortState, PortState::kInitialize);
    }
    writer_->Observe(false);
    EXPECT_EQ(Round().read, 2U);
    EXPECT_EQ(Written(), std::vector{WhereIs(other)});
    EXPECT_EQ(device(of_switch), Content(1));
}

TEST_F(TableProgrammingTest, WhatChangesWhileASetIsUnderWayFollowsIt) {
    const TableIndex at = Add(0, 1, 1);
    static_cast<void>(Round());
    static_cast<void>(Written());
    wanted(at) = Content(2);
    writer_->Begin();
    writer_->Step(++now_us_);
    wanted(at) = Content(3);
    writer_->Revise();
    writer_->Step(++now_us_);
    EXPECT_EQ(exchange_.in_flight(), 1U) << "two Sets of one table could overtake each other";
    for (int i = 0; i < 5; ++i) {
        Serve();
    }
    EXPECT_EQ(Written().size(), 2U);
    EXPECT_EQ(device(at), Content(3));
    EXPECT_TRUE(writer_->done());
}

TEST_F(TableProgrammingTest, WhatCannotBeReadIsTakenToBeEmpty) {
    const TableIndex full = Add(0, 1, 1);
    static_cast<void>(Add(1, 1, 0));
    is_unreadable_ = true;
    EXPECT_EQ(Round().failed, 0U);
    EXPECT_EQ(Written(), std::vector{WhereIs(full)});
}

TEST_F(TableProgrammingTest, ABlindTableIsWrittenUnreadWheneverItIsNamed) {
    const TableIndex at = Add(0, 1, 1);
    table(at).is_blind = true;
    table(at).is_passing = true;
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(Round().read, 0U);
        EXPECT_EQ(Written().size(), 1U);
    }
}

TEST_F(TableProgrammingTest, APassingTableIsReadWheneverItIsNamed) {
    const TableIndex at = Add(0, 1, 1);
    table(at).is_passing = true;
    EXPECT_EQ(Round().read, 1U);
    EXPECT_EQ(Written().size(), 1U);
    EXPECT_EQ(Round().read, 1U);
    EXPECT_EQ(Written().size(), 0U) << "it is right";
}

TEST_F(TableProgrammingTest, ANumberThatIsGivenToAnotherTableIsNotTakenForTheOldOne) {
    const TableIndex at = Add(0, 1, 1);
    static_cast<void>(Round());
    static_cast<void>(Written());
    table(at).port = net_.at(1, 1);
    EXPECT_EQ(Round().set, 1U);
    table(at).modifier = PKeyTable::Modifier(kManagementPort, 3);
    EXPECT_EQ(Round().set, 1U);
    EXPECT_EQ(device(at), Content(1));
}

TEST_F(TableProgrammingTest, WhatWasAbandonedIsNotKnown) {
    const TableIndex at = Add(0, 1, 1);
    static_cast<void>(Round());
    wanted(at) = Content(2);
    writer_->Begin();
    writer_->Step(++now_us_);
    writer_->Abandon();
    EXPECT_TRUE(writer_->done());
    Answer();  // The Set was taken all the same; its answer is late.
    EXPECT_EQ(Round().read, 1U);
    EXPECT_EQ(writer_->outcome().set, 0U);
}

TEST_F(TableProgrammingTest, APortThatCannotBeReachedFails) {
    const TableIndex at = Add(6, 1, 1);
    static_cast<void>(Add(0, 1, 1));
    net_.fabric().Disconnect(net_.at(6, 1));
    EXPECT_EQ(Round().failed, 1U);
    EXPECT_EQ(writer_->outcome().set, 1U);
    EXPECT_EQ(planner_.settled.front(), (std::pair{at, Status::kUnreachable}));
}

}  // namespace
}  // namespace ember::table_programming
