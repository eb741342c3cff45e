// SPDX-License-Identifier: Apache-2.0
// EmberSM: which P_Key stands at which index, whatever the port's table held before.
#include "core/partitions/p_key_placement.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

#include "tests/support/fabric_builder.h"

namespace ember {
namespace {

using PKeys = std::vector<std::uint16_t>;
using testing::BuiltFabric;

/// The tests are of one host, whose partitions they choose.
class PKeyPlacementTest : public ::testing::Test {
protected:
    [[nodiscard]] static net::Netlist OneHost() {
        net::Netlist netlist;
        netlist.Add(NodeType::kChannelAdapter, 1, "a", "a");
        netlist.Add(NodeType::kSwitch, 2, "s", "s");
        netlist.Connect(0, 1, 1, 1);
        netlist.AssignGuids();
        return netlist;
    }

    /// `of`: ascending by base.
    void Put(const std::vector<PortPartition>& of) {
        rows_.clear();
        members_.clear();
        for (const PortPartition& one : of) {
            rows_.push_back({.p_key = one.p_key});
            members_.push_back({.port_guid = built_.fabric().port(host_).guid,
                                .line = one.line,
                                .p_key = one.p_key,
                                .membership = one.membership,
                                .is_first = one.is_first});
        }
        tables_.partitions = rows_;
        tables_.partition_ports = members_;
    }
    PKeysLeftOut Place(PKeys& table, const PKeyRules& rules = {}, std::size_t room = 64) {
        PKeys fresh(room);
        return PlacePKeys(partitions_, host_, rules, table, fresh);
    }
    [[nodiscard]] PKeys Placed(PKeys table, const PKeyRules& rules = {}) {
        EXPECT_EQ(Place(table, rules).count, 0U);
        return table;
    }

    BuiltFabric built_{OneHost()};
    PortIndex host_ = built_.fabric().PortOf(built_.node(0), PortNumber{1});
    std::vector<PartitionRow> rows_;
    std::vector<PartitionMember> members_;
    ManagerTables tables_;
    Partitions partitions_{built_.fabric(), tables_};
};

constexpr Membership kLimited = Membership::kLimited;
constexpr Membership kFull = Membership::kFull;
constexpr Membership kBoth = Membership::kBoth;

TEST_F(PKeyPlacementTest, GivesTheDefaultPartitionIndexZero) {
    Put({{.p_key = 2, .membership = kLimited}, {.p_key = 0x7FFF, .membership = kLimited}});
    EXPECT_EQ(Placed({0, 0, 0, 0}), (PKeys{0x7FFF, 2, 0, 0}));
    EXPECT_EQ(Placed({0x8002, 0, 0, 0}), (PKeys{0x7FFF, 2, 0, 0}));
    EXPECT_EQ(Placed({0, 0, 0, 0x7FFF}), (PKeys{0x7FFF, 2, 0, 0}));
}

TEST_F(PKeyPlacementTest, GivesIndexZeroToThePartitionThatAsksForIt) {
    Put({{.p_key = 2, .membership = kFull, .is_first = true, .line = 1},
         {.p_key = 0x7FFF, .membership = kFull}});
    EXPECT_EQ(Placed({0xFFFF, 0, 0, 0}), (PKeys{0x8002, 0xFFFF, 0, 0}));
}

TEST_F(PKeyPlacementTest, KeepsThePlacesOfWhatThePortHolds) {
    Put({{.p_key = 2, .membership = kFull},
         {.p_key = 3, .membership = kLimited},
         {.p_key = 4, .membership = kFull},
         {.p_key = 0x7FFF, .membership = kFull}});
    EXPECT_EQ(Placed({0xFFFF, 9, 3, 0, 0x8002, 0, 0}), (PKeys{0xFFFF, 0, 3, 0, 0x8002, 0x8004, 0}));
    EXPECT_EQ(Placed({0xFFFF, 9, 3, 0, 0x8002, 0, 0}, {.keeps_places = false}),
              (PKeys{0xFFFF, 0x8002, 3, 0x8004, 0, 0, 0}));
}

TEST_F(PKeyPlacementTest, KeepsThePlaceOfAPKeyWhoseMembershipAloneHasChanged) {
    Put({{.p_key = 2, .membership = kLimited}, {.p_key = 3, .membership = kFull}});
    EXPECT_EQ(Placed({0, 0x8002, 0, 3}), (PKeys{0, 2, 0, 0x8003}));
    EXPECT_EQ(Placed({0, 0x8002, 2, 3}), (PKeys{0, 0, 2, 0x8003}));
    EXPECT_EQ(Placed({0, 0x8003, 2, 0x8003}), (PKeys{0, 0x8003, 2, 0}));
}

TEST_F(PKeyPlacementTest, GivesBothFormsWhereBothAreAllowed) {
    Put({{.p_key = 2, .membership = kBoth}, {.p_key = 0x7FFF, .membership = kLimited}});
    EXPECT_EQ(Placed({0, 0, 0, 0}), (PKeys{0x7FFF, 0x8002, 0, 0}));
    EXPECT_EQ(Placed({0, 0, 0, 0}, {.allows_both = true}), (PKeys{0x7FFF, 2, 0x8002, 0}));
    EXPECT_EQ(Placed({0xFFFF, 0, 0, 0}, {.allows_both = true, .only_full_first = true}),
              (PKeys{0, 2, 0x8002, 0x7FFF}));
}

TEST_F(PKeyPlacementTest, GivesPlacesInTheOrderOfOctets) {
    Put({{.p_key = 0x80, .membership = kFull},
         {.p_key = 0x81, .membership = kFull},
         {.p_key = 0x180, .membership = kLimited},
         {.p_key = 0x300, .membership = kLimited}});
    EXPECT_EQ(Placed({0, 0, 0, 0, 0, 0}), (PKeys{0, 0x300, 0x8080, 0x180, 0x8081, 0}));
}

TEST_F(PKeyPlacementTest, FillsGapsWhereTheEndOfTheTableIsReached) {
    Put({{.p_key = 2, .membership = kFull},
         {.p_key = 3, .membership = kFull},
         {.p_key = 4, .membership = kFull}});
    EXPECT_EQ(Placed({0, 0, 0, 0x8003}), (PKeys{0, 0x8002, 0x8004, 0x8003}));
}

TEST_F(PKeyPlacementTest, NamesWhatFindsNoPlace) {
    Put({{.p_key = 2, .membership = kFull},
         {.p_key = 3, .membership = kFull},
         {.p_key = 4, .membership = kFull},
         {.p_key = 0x7FFF, .membership = kFull}});
    PKeys table{0, 0x8004};
    const PKeysLeftOut by_table = Place(table);
    EXPECT_EQ(table, (PKeys{0xFFFF, 0x8004}));
    EXPECT_EQ(by_table.count, 2U);
    EXPECT_EQ(by_table.first, 0x8002);
    table = {0, 0, 0, 0, 0, 0};
    const PKeysLeftOut by_room = Place(table, {}, 1);
    EXPECT_EQ(table, (PKeys{0xFFFF, 0x8002, 0, 0, 0, 0}));
    EXPECT_EQ(by_room.count, 2U);
    EXPECT_EQ(by_room.first, 0x8003);
}

TEST_F(PKeyPlacementTest, LeavesNothingToAPortThatIsInNoPartition) {
    Put({{.p_key = 2, .membership = kFull}});
    members_.clear();
    tables_.partition_ports = {};
    EXPECT_EQ(Placed({0xFFFF, 0x8002, 0x8000, 7}), (PKeys{0, 0, 0, 0}));
}

/// Whatever the table held, it holds the P_Keys of the partitions then, each once, and a second
/// look changes nothing.
TEST_F(PKeyPlacementTest, HoldsWhatThePartitionsSayAndNothingElse) {
    constexpr std::array<std::uint16_t, 5> kBases{1, 2, 3, 0x100, 0x7FFF};
    std::mt19937 chance(1);
    for (int i = 0; i < 2000; ++i) {
        std::vector<PortPartition> of;
        for (const std::uint16_t base : kBases) {
            const auto membership = static_cast<Membership>(chance() % 4);
            if (membership == Membership::kNone) continue;
            of.push_back({.p_key = base,
                          .membership = membership,
                          .is_first = chance() % 4 == 0,
                          .line = static_cast<std::uint32_t>(chance() % 9)});
        }
        if (of.empty()) continue;
        Put(of);
        const PKeyRules rules{.allows_both = chance() % 2 == 0,
                              .keeps_places = chance() % 2 == 0,
                              .only_full_first = chance() % 2 == 0};
        std::set<std::uint16_t> expected;
        for (const PortPartition& one : of) {
            expected.insert(HeldPKey(one, kLimited, rules));
            expected.insert(HeldPKey(one, kFull, rules));
        }
        PKeys table(16);
        constexpr std::array<std::uint16_t, 4> kOdd{0, 0x8000, 0x1234, 0x8009};
        for (std::uint16_t& entry : table) {
            const auto form = static_cast<std::uint16_t>(chance() % 2 << 15U);
            entry = chance() % 2 == 0
                        ? kOdd[chance() % kOdd.size()]
                        : static_cast<std::uint16_t>(of[chance() % of.size()].p_key | form);
        }
        if (chance() % 2 == 0) std::fill(table.begin() + 8, table.end(), kNoPKey);
        const PKeys before = table;
        ASSERT_EQ(Place(table, rules).count, 0U) << i;
        PKeys held = table;
        std::erase(held, kNoPKey);
        expected.erase(kNoPKey);
        EXPECT_EQ(std::set<std::uint16_t>(held.begin(), held.end()), expected) << i;
        EXPECT_EQ(held.size(), expected.size()) << i;
        const PKeys again = Placed(table, rules);
        EXPECT_EQ(again, table) << i;
        if (!rules.keeps_places) continue;
        for (std::size_t at = 1; at < table.size(); ++at) {  // Its first place is kept.
            const bool is_again =
                std::find(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(at),
                          before[at]) != before.begin() + static_cast<std::ptrdiff_t>(at);
            const bool is_kept = expected.count(before[at]) != 0 && table[0] != before[at];
            if (is_kept && !is_again) {
                EXPECT_EQ(table[at], before[at]) << i;
            }
        }
    }
}

TEST(EnforcedPKeys, AreThoseOfTheTableWithoutGapsAndCoveredForms) {
    PKeys enforced(3, 9);
    EXPECT_TRUE(EnforcePKeys(PKeys{0, 2, 0x8002, 0, 0x7FFF}, enforced));
    EXPECT_EQ(enforced, (PKeys{0x8002, 0x7FFF, 0}));
}

TEST(EnforcedPKeys, AreNoneWhereTheyDoNotFit) {
    PKeys enforced(2, 9);
    EXPECT_FALSE(EnforcePKeys(PKeys{2, 3, 4}, enforced));
    EXPECT_EQ(enforced, (PKeys{0, 0}));
}

}  // namespace
}  // namespace ember
