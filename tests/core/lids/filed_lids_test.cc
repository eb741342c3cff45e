// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of guid2lid_file in the assignment of LIDs: what it gives, and what ranks above
// it.
#include "core/lids/filed_lids.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/core/lids/lids_fixture.h"

namespace ember::lids {
namespace {

/// Assigns LIDs under a file of these rows, and says what became of them.
FiledLidsOutcome Assign(Subnet& subnet, const std::vector<PortLids>& rows, Settings settings = {}) {
    settings.manager_tables.port_lids = rows;
    std::vector<std::uint64_t> memory(1U << 12U);
    Arena scratch(std::as_writable_bytes(std::span(memory)));
    KeepFiledLids(subnet.fabric(), subnet.map(), settings, scratch);
    EXPECT_EQ(scratch.used_bytes(), 0U);
    static_cast<void>(subnet.Assign(settings));
    return JudgeFiledLids(subnet.map(), settings.manager_tables.port_lids);
}

PortLids Row(std::uint64_t guid, std::uint16_t least, std::uint16_t most = 0) {
    return {Guid{guid}, Lid{least}, Lid{most == 0 ? least : most}};
}

TEST(FiledLids, AreGivenToPortsWithoutAny) {
    Subnet subnet({{0x10, 0}, {0x11, 0}});
    const FiledLidsOutcome filed = Assign(subnet, {Row(0x10, 40), Row(0x11, 9), Row(0x2000, 7)});
    EXPECT_EQ(subnet.LidOf(0x10), 40U);
    EXPECT_EQ(subnet.LidOf(0x11), 9U);
    EXPECT_EQ(subnet.LidOf(0x2000), 7U);
    EXPECT_EQ(filed.kept, 3U);
    EXPECT_EQ(filed.refused, 0U);
}

TEST(FiledLids, AreKeptForPortsThatAreAway) {
    Subnet subnet({{0x10, 0}, {0x11, 0}});
    const FiledLidsOutcome filed = Assign(subnet, {Row(0x99, 1, 20), Row(0x98, 22)});
    EXPECT_GT(subnet.LidOf(0x10), 20U);
    EXPECT_NE(subnet.LidOf(0x11), 22U);
    EXPECT_EQ(filed.kept, 2U);
}

TEST(FiledLids, RankBelowTheStore) {
    Subnet subnet({{0x10, 0}, {0x11, 0}});
    ASSERT_EQ(subnet.map().Keep(Guid{0x10}, Lid{5}, Lid{5}), Status::kOk);
    const FiledLidsOutcome filed = Assign(subnet, {Row(0x10, 6), Row(0x11, 5)});
    EXPECT_EQ(subnet.LidOf(0x10), 5U);
    EXPECT_NE(subnet.LidOf(0x11), 5U);
    EXPECT_EQ(filed.refused, 2U);
    ASSERT_EQ(filed.events.size(), 2U);
    EXPECT_EQ(filed.events[0].guid, Guid{0x10});
    EXPECT_EQ(filed.events[0].has, Lid{5});
    EXPECT_EQ(filed.events[1].holder, Guid{0x10});
}

TEST(FiledLids, RankBelowTheLidOfADeviceItsOwnAndAnothers) {
    Subnet subnet({{0x10, 5}, {0x11, 0}, {0x12, 8}});
    const FiledLidsOutcome filed = Assign(subnet, {Row(0x10, 6), Row(0x11, 8), Row(0x99, 5)});
    EXPECT_EQ(subnet.LidOf(0x10), 5U);
    EXPECT_EQ(subnet.LidOf(0x12), 8U);
    EXPECT_NE(subnet.LidOf(0x11), 8U);
    EXPECT_EQ(filed.kept, 0U);
    EXPECT_EQ(filed.refused, 3U);
}

/// Two subnets were joined: one of the two keeps the LID, and the file says which.
TEST(FiledLids, SayWhoKeepsALidThatTwoHave) {
    for (const std::uint64_t keeper : {std::uint64_t{0x11}, std::uint64_t{0x12}}) {
        const std::uint64_t other = 0x11 + 0x12 - keeper;
        Subnet subnet({{0x10, 1}, {0x11, 5}, {0x12, 5}});
        const FiledLidsOutcome filed = Assign(
            subnet, {Row(0x11, keeper == 0x11 ? 5 : 30), Row(0x12, keeper == 0x12 ? 5 : 30)});
        EXPECT_EQ(subnet.LidOf(keeper), 5U);
        EXPECT_EQ(subnet.LidOf(other), 30U);
        EXPECT_EQ(filed.kept, 2U);
    }
}

TEST(FiledLids, ThatDoNotFitAreRefused) {
    Settings settings;
    settings.lmc = 2;
    Subnet subnet({{0x10, 0}, {0x11, 0}, {0x12, 0}});
    const FiledLidsOutcome filed =
        Assign(subnet, {Row(0x10, 8, 11), Row(0x11, 13, 16), Row(0x12, 0xBFFF), Row(0x99, 0x900)},
               settings);
    EXPECT_EQ(subnet.LidOf(0x10), 8U);
    EXPECT_EQ(subnet.LidOf(0x11) % 4, 0U);
    EXPECT_EQ(filed.kept, 1U);
    EXPECT_EQ(filed.refused, 3U);
    EXPECT_EQ(filed.events[2].has, kNoLid);
    EXPECT_EQ(filed.events[2].holder, kNoGuid);
}

TEST(FiledLids, TellOfTheFirstOnly) {
    Subnet subnet({{0x10, 5}});
    std::vector<PortLids> rows;
    for (std::uint64_t i = 0; i < 20; ++i) {
        rows.push_back(Row(0x100 + i, 5));
    }
    const FiledLidsOutcome filed = Assign(subnet, rows);
    EXPECT_EQ(filed.refused, 20U);
    EXPECT_EQ(filed.events.size(), FiledLidsOutcome::kMostEvents);
}

}  // namespace
}  // namespace ember::lids
