// SPDX-License-Identifier: Apache-2.0
// EmberSM: which ports have to be told of their GUIDs, and who has to wait for a row.

#include "core/aliases/guid_tables.h"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <vector>

#include "tests/core/administration/record_net.h"

namespace ember {
namespace {

class GuidTablesTest : public ::testing::Test {
protected:
    GuidTablesTest() {
        ForEachPort(net_.fabric(), [](PortIndex, Port& port) {
            port.info.Set(PortInfo::kGuidCap, std::uint8_t{20});
        });
    }
    [[nodiscard]] Guid GuidOf(std::uint32_t host) { return net_.port(host, 1).guid; }
    /// The tables that are named now.
    std::vector<TableIndex> Named() {
        std::vector<TableIndex> named;
        std::uint32_t cursor = 0;
        for (TableIndex at = tables_.Next(cursor); at != kNoTable; at = tables_.Next(cursor)) {
            named.push_back(at);
        }
        return named;
    }

    testing::RecordNet net_;
    std::vector<AliasGuids::Row> alias_rows_ = std::vector<AliasGuids::Row>(8);
    std::vector<AliasIndex> alias_slots_ =
        std::vector<AliasIndex>(RowIndex<AliasIndex>::SlotsFor(8));
    std::vector<AliasIndex> place_slots_ = alias_slots_;
    AliasGuids aliases_{{alias_rows_, alias_slots_, place_slots_}};
    std::vector<GuidTables::Row> rows_ = std::vector<GuidTables::Row>(10);
    std::vector<std::uint64_t> told_ =
        std::vector<std::uint64_t>(GuidTables::WordsFor(net_.built().limits()));
    GuidTables tables_{{rows_, told_}, net_.fabric(), aliases_};
};

TEST_F(GuidTablesTest, ABlockIsNamedUntilItsPortHasIt) {
    EXPECT_TRUE(Named().empty());
    tables_.Update(GuidOf(6), 1);
    ASSERT_EQ(aliases_.Put(GuidOf(6), 9, Guid{0x99}), Status::kOk);
    ASSERT_EQ(Named().size(), 1U);
    PortTable table;
    SmpData wanted;
    ASSERT_TRUE(tables_.Find(Named()[0], table, wanted));
    EXPECT_EQ(table.port, net_.at(6, 1));
    EXPECT_EQ(table.attribute, AttributeId::kGuidInfo);
    EXPECT_EQ(table.modifier, 1U);
    EXPECT_EQ(std::bit_cast<GuidInfo>(wanted).guid(1), Guid{0x99});
    tables_.Settle(Named()[0], Status::kTimeout);
    EXPECT_EQ(Named().size(), 1U);
    const std::uint32_t revision = tables_.revision();
    tables_.Update(GuidOf(6), 1);
    EXPECT_NE(tables_.revision(), revision);
    EXPECT_EQ(Named().size(), 1U) << "of several in a row the last one counts";
    tables_.Settle(Named()[0], Status::kOk);
    EXPECT_TRUE(Named().empty());
}

TEST_F(GuidTablesTest, OnePortDoesNotTakeAllRows) {
    std::uint8_t block = 0;
    for (; block < 100 && tables_.HasRoomFor(GuidOf(6), block); ++block) {
        tables_.Update(GuidOf(6), block);
    }
    EXPECT_EQ(block, 8U);
    EXPECT_TRUE(tables_.HasRoomFor(GuidOf(0), 0));
    EXPECT_TRUE(tables_.HasRoomFor(GuidOf(6), 3)) << "it has its row";
}

TEST_F(GuidTablesTest, WhatFailedMakesRoomWhenRowsAreShort) {
    for (std::uint8_t block = 0; block < 8; ++block) {
        tables_.Update(GuidOf(6), block);
    }
    tables_.Update(GuidOf(0), 0);
    tables_.Update(GuidOf(1), 0);
    EXPECT_FALSE(tables_.HasRoomFor(GuidOf(2), 0));
    tables_.Settle(static_cast<TableIndex>(3), Status::kRefused);
    EXPECT_TRUE(tables_.HasRoomFor(GuidOf(2), 0));
    tables_.Update(GuidOf(2), 0);
    EXPECT_EQ(Named().size(), 10U);
    PortTable table;
    SmpData wanted;
    ASSERT_TRUE(tables_.Find(static_cast<TableIndex>(3), table, wanted));
    EXPECT_EQ(table.port, net_.at(2, 1));
    EXPECT_FALSE(tables_.HasRoomFor(GuidOf(6), 8));
    tables_.Clear();
    EXPECT_TRUE(Named().empty());
}

TEST_F(GuidTablesTest, APortThatIsGoneIsNotNamed) {
    tables_.Update(Guid{0x777}, 0);
    tables_.Update(GuidOf(0), 0);
    PortTable table;
    SmpData wanted;
    EXPECT_FALSE(tables_.Find(Named()[0], table, wanted));
    tables_.DropDeparted();
    ASSERT_EQ(Named().size(), 1U);
    EXPECT_TRUE(tables_.Find(Named()[0], table, wanted));
    EXPECT_EQ(table.port, net_.at(0, 1));
}

/// The alias of a LID without the LID.
constexpr std::uint64_t kBase = 0x0014050000000000;

class RouterWalkTest : public GuidTablesTest {
protected:
    RouterWalkTest() {
        aliases_.Add(&routers_);
        net_.settings().rtr_aguid_enable = kMakeRouterAliases;
        ForEachEndPort(net_.fabric(),
                       [this](PortIndex, Port& port) { ports_ += port.lid != kNoLid; });
    }
    /// Walks to the end; every port that is named takes its table. The ports, in their order.
    std::vector<PortIndex> WalkAll(bool& is_told) {
        std::vector<PortIndex> ports;
        is_told = false;
        for (int i = 0; i < 100; ++i) {
            is_told = tables_.Walk() || is_told;
            const auto named = Named();
            if (named.empty() && !tables_.walks()) break;
            for (const TableIndex at : named) {
                PortTable table;
                SmpData wanted;
                EXPECT_TRUE(tables_.Find(at, table, wanted));
                EXPECT_FALSE(table.is_blind) << "a port that has it is not written";
                EXPECT_EQ(table.modifier, 0U);
                const Lid lid = net_.fabric().port(table.port).lid;
                const bool is_made = net_.settings().rtr_aguid_enable == kMakeRouterAliases;
                EXPECT_EQ(Raw(std::bit_cast<GuidInfo>(wanted).guid(1)),
                          is_made ? kBase + Raw(lid) : std::uint64_t{0});
                ports.push_back(table.port);
                tables_.Settle(at, Status::kOk);
            }
        }
        return ports;
    }
    std::size_t Walked() {
        bool is_told = false;
        return WalkAll(is_told).size();
    }

    RouterAliases routers_{net_.fabric(), net_.settings()};
    std::size_t ports_ = 0;
};

TEST_F(RouterWalkTest, NamesEveryPortOnceAndTellsTheEndOfIt) {
    EXPECT_FALSE(tables_.walks());
    tables_.BeginWalk(kMakeRouterAliases);
    EXPECT_TRUE(tables_.walks());
    bool is_told = false;
    std::vector<PortIndex> ports = WalkAll(is_told);
    EXPECT_GT(ports_, 5U) << "half of the rows are fewer";
    EXPECT_EQ(ports.size(), ports_);
    std::sort(ports.begin(), ports.end());
    EXPECT_EQ(std::unique(ports.begin(), ports.end()), ports.end());
    EXPECT_TRUE(is_told);
    EXPECT_EQ(tables_.walked().settled, ports_);
    EXPECT_EQ(tables_.walked().without, 0U);
    tables_.BeginWalk(kMakeRouterAliases);
    EXPECT_EQ(WalkAll(is_told).size(), 0U);
    EXPECT_TRUE(is_told);
    EXPECT_EQ(tables_.walked().settled, 0U);
}

TEST_F(RouterWalkTest, LeavesHalfOfTheRowsToClients) {
    tables_.BeginWalk(kMakeRouterAliases);
    EXPECT_FALSE(tables_.Walk());
    EXPECT_EQ(Named().size(), 5U);
    EXPECT_FALSE(tables_.walks()) << "it waits for an answer";
    tables_.Settle(Named()[0], Status::kOk);
    EXPECT_TRUE(tables_.walks());
    EXPECT_FALSE(tables_.Walk());
    EXPECT_EQ(Named().size(), 5U);
}

TEST_F(RouterWalkTest, APortThatFailedIsNamedAgainAndHoldsUpNoOther) {
    tables_.BeginWalk(kMakeRouterAliases);
    EXPECT_FALSE(tables_.Walk());
    for (const TableIndex at : Named()) {
        tables_.Settle(at, Status::kTimeout);
    }
    std::size_t others = 0;
    for (int i = 0; i < 100 && tables_.walks(); ++i) {
        static_cast<void>(tables_.Walk());
        for (const TableIndex at : Named()) {
            if (rows_[Raw(at)].has_failed) continue;
            ++others;
            tables_.Settle(at, Status::kOk);
        }
    }
    EXPECT_EQ(others, ports_ - 5);
    tables_.Clear();
    tables_.BeginWalk(kMakeRouterAliases);
    EXPECT_EQ(Walked(), 5U);
}

TEST_F(RouterWalkTest, APortWithoutPlaceOrWithAClientsAliasThereHasNone) {
    net_.port(0, 1).info.Set(PortInfo::kGuidCap, std::uint8_t{1});
    ASSERT_EQ(aliases_.Put(GuidOf(1), 1, Guid{0x99}), Status::kOk);
    const Guid of_two{kBase + Raw(net_.port(2, 1).lid)};
    net_.settings().rtr_aguid_enable = kLeaveRouterAliases;
    ASSERT_EQ(aliases_.Put(GuidOf(6), 3, of_two), Status::kOk);
    net_.settings().rtr_aguid_enable = kMakeRouterAliases;
    for (const std::uint32_t host : {0U, 1U, 2U}) {
        EXPECT_EQ(aliases_.RouterAliasOf(GuidOf(host)), kNoGuid) << host;
    }
    EXPECT_EQ(aliases_.PortOf(of_two), GuidOf(6)) << "who has it keeps it";
    EXPECT_EQ(aliases_.At(GuidOf(1), 1), Guid{0x99});
    const Guid of_six{kBase + Raw(net_.port(6, 1).lid)};
    EXPECT_EQ(aliases_.RouterAliasOf(GuidOf(6)), of_six);
    EXPECT_EQ(aliases_.PortOf(of_six), GuidOf(6));
    EXPECT_EQ(aliases_.At(GuidOf(6), 1), of_six);
    EXPECT_EQ(aliases_.At(GuidOf(6), 2), kNoGuid);
    tables_.BeginWalk(kMakeRouterAliases);
    while (tables_.walks()) {
        static_cast<void>(tables_.Walk());
        for (const TableIndex at : Named()) {
            tables_.Settle(at, Status::kOk);
        }
    }
    EXPECT_EQ(tables_.walked().without, 3U);
    EXPECT_EQ(tables_.walked().settled, ports_ - 1) << "all but the port that has no place";
}

TEST_F(RouterWalkTest, AnotherModeLooksAtAllPortsAgainAndNoModeAtNone) {
    tables_.BeginWalk(kMakeRouterAliases);
    EXPECT_EQ(Walked(), ports_);
    net_.settings().rtr_aguid_enable = kEndRouterAliases;
    tables_.BeginWalk(kEndRouterAliases);
    bool is_told = false;
    EXPECT_EQ(WalkAll(is_told).size(), ports_);
    EXPECT_FALSE(is_told);
    net_.settings().rtr_aguid_enable = kLeaveRouterAliases;
    tables_.BeginWalk(kLeaveRouterAliases);
    EXPECT_FALSE(tables_.walks());
    EXPECT_EQ(Walked(), 0U);
}

TEST_F(RouterWalkTest, WhatMayHaveBeenResetIsLookedAtAgain) {
    tables_.BeginWalk(kMakeRouterAliases);
    EXPECT_EQ(Walked(), ports_);
    const PortIndex reset = net_.at(2, 1);
    tables_.Observe([reset](PortIndex at) { return at != reset; });
    tables_.BeginWalk(kMakeRouterAliases);
    bool is_told = false;
    EXPECT_EQ(WalkAll(is_told), std::vector<PortIndex>{reset});
}

}  // namespace
}  // namespace ember
