// SPDX-License-Identifier: Apache-2.0
// EmberSM: which ports have to be told of their GUIDs, and who has to wait for a row.

#include "core/fabric/guid_tables.h"

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
    /// What is named now.
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
    GuidTables tables_{rows_, net_.fabric(), aliases_};
};

TEST_F(GuidTablesTest, ABlockIsNamedUntilItsPortHasIt) {
    EXPECT_TRUE(Named().empty());
    tables_.Tell(GuidOf(6), 1);
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
    tables_.Tell(GuidOf(6), 1);
    EXPECT_NE(tables_.revision(), revision);
    EXPECT_EQ(Named().size(), 1U) << "of several in a row the last one counts";
    tables_.Settle(Named()[0], Status::kOk);
    EXPECT_TRUE(Named().empty());
}

TEST_F(GuidTablesTest, OnePortDoesNotTakeAllRows) {
    std::uint8_t block = 0;
    for (; block < 100 && tables_.MayTell(GuidOf(6), block); ++block) {
        tables_.Tell(GuidOf(6), block);
    }
    EXPECT_EQ(block, 8U);
    EXPECT_TRUE(tables_.MayTell(GuidOf(0), 0));
    EXPECT_TRUE(tables_.MayTell(GuidOf(6), 3)) << "it has its row";
}

TEST_F(GuidTablesTest, WhatFailedMakesRoomWhenRowsAreShort) {
    for (std::uint8_t block = 0; block < 8; ++block) {
        tables_.Tell(GuidOf(6), block);
    }
    tables_.Tell(GuidOf(0), 0);
    tables_.Tell(GuidOf(1), 0);
    EXPECT_FALSE(tables_.MayTell(GuidOf(2), 0));
    tables_.Settle(static_cast<TableIndex>(3), Status::kRefused);
    EXPECT_TRUE(tables_.MayTell(GuidOf(2), 0));
    tables_.Tell(GuidOf(2), 0);
    EXPECT_EQ(Named().size(), 10U);
    PortTable table;
    SmpData wanted;
    ASSERT_TRUE(tables_.Find(static_cast<TableIndex>(3), table, wanted));
    EXPECT_EQ(table.port, net_.at(2, 1));
    EXPECT_FALSE(tables_.MayTell(GuidOf(6), 8));
    tables_.Clear();
    EXPECT_TRUE(Named().empty());
}

TEST_F(GuidTablesTest, APortThatIsGoneIsNotNamed) {
    tables_.Tell(Guid{0x777}, 0);
    tables_.Tell(GuidOf(0), 0);
    PortTable table;
    SmpData wanted;
    EXPECT_FALSE(tables_.Find(Named()[0], table, wanted));
    tables_.DropDeparted();
    ASSERT_EQ(Named().size(), 1U);
    EXPECT_TRUE(tables_.Find(Named()[0], table, wanted));
    EXPECT_EQ(table.port, net_.at(0, 1));
}

}  // namespace
}  // namespace ember
