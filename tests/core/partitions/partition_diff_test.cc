// SPDX-License-Identifier: Apache-2.0
// EmberSM: which end ports have other partitions under new settings.
#include "core/partitions/partition_diff.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

#include "tests/support/partition_file.h"

namespace ember {
namespace {

using testing::PartitionFile;

constexpr Membership kNone = Membership::kNone;
constexpr Membership kLimited = Membership::kLimited;
constexpr Membership kFull = Membership::kFull;

/// The ports that a comparison names, a few rows at a time.
std::set<std::uint64_t> NamedBy(const ManagerTables& before, const ManagerTables& after) {
    PartitionDiff diff(before, after);
    EXPECT_FALSE(diff.concerns_all());
    std::set<std::uint64_t> named;
    bool has_more = true;
    std::size_t steps = 0;
    while (has_more) {
        has_more = diff.Step(3, [&](Guid guid) { named.insert(Raw(guid)); });
        if (++steps > 10'000) ADD_FAILURE() << "it does not end";
    }
    return named;
}

std::set<std::uint64_t> NamedBy(PartitionFile& before, PartitionFile& after) {
    Settings old;
    Settings now;
    before.Fill(old);
    after.Fill(now);
    return NamedBy(old.manager_tables, now.manager_tables);
}

TEST(PartitionDiff, NamesPortsThatJoinLeaveRiseOrFall) {
    PartitionFile before;
    before[1] = {{Guid{1}, kFull}, {Guid{2}, kFull}, {Guid{3}, kLimited}, {Guid{5}, kFull}};
    PartitionFile after = before;
    EXPECT_TRUE(NamedBy(before, after).empty());
    after[1] = {{Guid{2}, kLimited}, {Guid{3}, kFull}, {Guid{4}, kFull}, {Guid{5}, kFull}};
    EXPECT_EQ(NamedBy(before, after), (std::set<std::uint64_t>{1, 2, 3, 4}));
    PartitionFile none;
    none[1] = {};
    EXPECT_EQ(NamedBy(after, none), (std::set<std::uint64_t>{2, 3, 4, 5}));
    EXPECT_EQ(NamedBy(none, after), (std::set<std::uint64_t>{2, 3, 4, 5}));
}

TEST(PartitionDiff, NamesWhatTwoRandomFilesSayOfEachPort) {
    std::mt19937 random(7);
    std::size_t named = 0;
    for (int turn = 0; turn < 300; ++turn) {
        std::array<PartitionFile, 2> files;
        for (PartitionFile& file : files) {
            for (std::uint16_t base = 1; base <= 4; ++base) {
                file[base] = {};
                for (std::uint64_t guid = 1; guid <= 6; ++guid) {
                    constexpr std::array<Membership, 4> kDrawn{kNone, kNone, kLimited, kFull};
                    file[base][Guid{guid}] = kDrawn[random() % 4];
                }
            }
        }
        std::set<std::uint64_t> expected;
        for (std::uint16_t base = 1; base <= 4; ++base) {
            for (std::uint64_t guid = 1; guid <= 6; ++guid) {
                if (files[0].Of(base, Guid{guid}) != files[1].Of(base, Guid{guid})) {
                    expected.insert(guid);
                }
            }
        }
        ASSERT_EQ(NamedBy(files[0], files[1]), expected) << "turn " << turn;
        named += expected.size();
    }
    EXPECT_GT(named, 300U);
}

TEST(PartitionDiff, CountsLinesWhereTheyDecideAboutIndexZero) {
    PartitionFile before;
    before[1] = {{Guid{1}, kFull}};
    before[2] = {{Guid{1}, kFull}, {Guid{2}, kFull}};
    before.index_zero = {{1, 5}};
    PartitionFile after = before;
    after.index_zero = {{1, 6}};
    EXPECT_EQ(NamedBy(before, after), (std::set<std::uint64_t>{1}));

    const std::array<PartitionRow, 1> rows{{{.p_key = 1}}};
    const std::array<PartitionMember, 1> here{
        {{.port_guid = Guid{1}, .line = 3, .p_key = 1, .membership = kFull}}};
    std::array<PartitionMember, 1> there = here;
    there[0].line = 4;  // A line was inserted above.
    ManagerTables one;
    one.partitions = rows;
    one.partition_ports = here;
    ManagerTables other = one;
    other.partition_ports = there;
    EXPECT_TRUE(NamedBy(one, other).empty());
    there[0].turn = 1;
    EXPECT_EQ(NamedBy(one, other), (std::set<std::uint64_t>{1}));
}

TEST(PartitionDiff, ConcernsAllPortsWhereClassesDifferOrNoTableIsLeft) {
    PartitionFile file;
    file[1] = {{Guid{1}, kFull}};
    Settings settings;
    file.Fill(settings);
    const ManagerTables tables = settings.manager_tables;
    EXPECT_TRUE(PartitionDiff(tables, {}).concerns_all());
    EXPECT_TRUE(PartitionDiff({}, tables).concerns_all());
    EXPECT_FALSE(PartitionDiff(tables, tables).concerns_all());

    std::vector<PartitionClass> classes(tables.partition_classes.begin(),
                                        tables.partition_classes.end());
    ASSERT_FALSE(classes.empty());
    classes[0].membership = kFull;
    ManagerTables other = tables;
    other.partition_classes = classes;
    PartitionDiff diff(tables, other);
    EXPECT_TRUE(diff.concerns_all());
    EXPECT_FALSE(diff.Step(10, [](Guid) { ADD_FAILURE(); }));
    classes[0] = tables.partition_classes[0];
    classes[0].line = 77;
    EXPECT_FALSE(PartitionDiff(tables, other).concerns_all()) << "it has but moved";
    classes.pop_back();
    other.partition_classes = classes;
    EXPECT_TRUE(PartitionDiff(tables, other).concerns_all());
}

TEST(PartitionDiff, TellsPartitionsFromAllOtherSettings) {
    PartitionFile file;
    file[1] = {{Guid{1}, kFull}};
    Settings one;
    file.Fill(one);
    Settings other = one;
    EXPECT_FALSE(DifferInPartitionsAlone(one, other)) << "nothing differs";
    file[1][Guid{2}] = kFull;
    file.Fill(other);
    EXPECT_TRUE(DifferInPartitionsAlone(one, other));
    other.part_enforce = PartEnforce::kOff;
    EXPECT_FALSE(DifferInPartitionsAlone(one, other));
    other.part_enforce = one.part_enforce;
    const std::array<QosLevel, 1> levels{};
    other.manager_tables.qos_levels = levels;
    EXPECT_FALSE(DifferInPartitionsAlone(one, other));
}

}  // namespace
}  // namespace ember
