// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of forwarding tables that grow with the subnet.
#include "core/base/lft_arena.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace ember {
namespace {

constexpr Limits kLimits = {.max_nodes = 16,
                            .max_switches = 5,
                            .max_ports = 64,
                            .max_switch_ports = 8,
                            .max_lid = 511,
                            .max_smps = 4,
                            .max_other_sms = 1,
                            .journal_notes = 16,
                            .scratch_bytes = 1};

struct Tables {
    std::vector<std::uint8_t> storage =
        std::vector<std::uint8_t>(kLimits.max_switches * LidStride(kLimits), 0xEE);
    LftArena arena{storage, kLimits};

    [[nodiscard]] std::span<std::uint8_t> row(std::size_t at) const {
        return arena[static_cast<SwitchIndex>(at)];
    }
    /// Octet i of row r is 10 r + i.
    void Fill() const {
        for (std::size_t at = 0; at < kLimits.max_switches; ++at) {
            for (std::size_t i = 0; i < row(at).size(); ++i) {
                row(at)[i] = static_cast<std::uint8_t>(10 * at + i);
            }
        }
    }
};

TEST(LftArena, RowsAreAnOddNumberOfBlocksAndNoLongerThanNeeded) {
    Tables tables;
    EXPECT_EQ(tables.arena.tables().stride(), 0U);
    tables.arena.Fit(Lid{63}, 0);
    EXPECT_EQ(tables.arena.tables().stride(), 64U);
    tables.arena.Fit(Lid{64}, 0);
    EXPECT_EQ(tables.arena.tables().stride(), 192U);
    EXPECT_EQ(tables.arena.read_only().rows(), kLimits.max_switches);
    tables.Fill();
    EXPECT_TRUE(std::all_of(tables.storage.begin() + 5 * 192, tables.storage.end(),
                            [](std::uint8_t octet) { return octet == 0xEE; }))
        << "behind the last row nothing is touched";
}

TEST(LftArena, TheLastBlockOfABoardFitsThoughItsNumberIsEven) {
    Tables tables;
    tables.arena.Fit(Lid{511}, 0);
    EXPECT_EQ(tables.arena.tables().stride(), 512U);
    EXPECT_EQ(tables.arena.tables().rows(), kLimits.max_switches);
}

TEST(LftArena, KeptRowsHaveTheSameContentWhenTheyGetLonger) {
    Tables tables;
    tables.arena.Fit(Lid{100}, 0);
    tables.Fill();
    tables.arena.Fit(Lid{300}, 4);
    ASSERT_EQ(tables.arena.tables().stride(), 320U);
    for (std::size_t at = 0; at < 4; ++at) {
        for (std::size_t i = 0; i < 192; ++i) {
            ASSERT_EQ(tables.row(at)[i], static_cast<std::uint8_t>(10 * at + i)) << at << " " << i;
        }
    }
}

TEST(LftArena, RowsNeverGetShorter) {
    Tables tables;
    tables.arena.Fit(Lid{300}, 0);
    tables.Fill();
    tables.arena.Fit(Lid{1}, 0);
    EXPECT_EQ(tables.arena.tables().stride(), 320U);
    EXPECT_EQ(tables.row(2)[5], 25);
}

TEST(LftArenaDeathTest, LidsThatTheBoardHasNoRoomForAreRefused) {
    Tables tables;
    EXPECT_DEATH(tables.arena.Fit(Lid{512}, 0), "max_blocks_");
}

}  // namespace
}  // namespace ember
