// SPDX-License-Identifier: Apache-2.0
// EmberSM: the upkeep of multicast on a small fat tree.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "config/netlist/topologies.h"
#include "tests/support/multicast_harness.h"

namespace ember::multicast_upkeep {

using testing::MulticastHarness;
using Fate = MulticastHarness::Fate;
using Question = MulticastHarness::Question;
using Hosts = std::multiset<std::uint32_t>;

inline constexpr std::uint64_t kMs = 1000;
inline constexpr std::uint64_t kSecond = 1'000'000;
inline constexpr std::uint32_t kHosts = 8;
inline constexpr std::uint32_t kFirstLeaf = 8;  // With hosts 0 and 1.
inline constexpr std::uint32_t kLastLeaf = 11;  // With hosts 6 and 7.
inline constexpr std::size_t kSwitches = 6;
/// Switches of the tree of all hosts: four leaves and a spine.
inline constexpr std::size_t kTreeOfAll = 5;

inline Gid GroupId(std::uint64_t number) {
    return {0xFF12A01C00000000ULL, number};
}
inline const Gid kGroup = GroupId(1);
inline const Gid kOther = GroupId(2);

/// Hosts 0 to 7 on leaf switches 8 to 11, spines 12 and 13. The broadcast group has MLID 0.
class MulticastUpkeepTest : public ::testing::Test {
protected:
    MulticastUpkeepTest() {
        net_.BringAndSettle();
        EXPECT_TRUE(upkeep().status().is_settled);
        EXPECT_EQ(rounds(), 1U);
        EXPECT_EQ(net_.Sets(), 0U);
    }
    MulticastUpkeep& upkeep() { return *net_.upkeep; }
    std::uint64_t rounds() { return upkeep().status().rounds; }
    void JoinAll(const Gid& mgid) {
        for (std::uint32_t host = 0; host < kHosts; ++host) {
            net_.Join(mgid, host);
        }
    }
    /// Begins the round that is due next. Its first Sets wait for an answer.
    void BeginRoundUnanswered() {
        static_cast<void>(upkeep().Step(net_.now_us));
        ASSERT_NE(upkeep().NextDeadlineUs(), kNever);
        net_.now_us = upkeep().NextDeadlineUs();
        while (net_.port.sent.empty() && upkeep().Step(net_.now_us)) {
        }
        ASSERT_FALSE(net_.port.sent.empty());
    }
    /// Goes on to the end of a round; that time.
    std::uint64_t EndOfRound() {
        const std::uint64_t before = net_.log.CountOf(Note::kMulticastProgrammed);
        for (int i = 0; i < 1000; ++i) {
            net_.Work();
            if (net_.log.CountOf(Note::kMulticastProgrammed) != before) break;
            const std::uint64_t next_us =
                std::min(upkeep().NextDeadlineUs(), net_.exchange.NextDeadlineUs());
            if (next_us == kNever) break;
            net_.AdvanceTo(next_us);
        }
        EXPECT_EQ(net_.log.CountOf(Note::kMulticastProgrammed), before + 1);
        return net_.LastNote(Note::kMulticastProgrammed).time_us;
    }
    /// The tables of a switch cannot be written.
    void SpoilSetsOf(std::uint32_t node, Fate what) {
        net_.fate = [this, node, what](const Question& one) {
            const bool is_meant = one.at == net_.SwitchAt(node) && one.method == Method::kSet &&
                                  one.attribute == AttributeId::kMulticastForwardingTable;
            return is_meant ? what : Fate::kTaken;
        };
    }
    void MendSwitches() {
        net_.fate = [](const Question&) { return Fate::kTaken; };
    }

    MulticastHarness net_{net::FatTree2(4)};
};

}  // namespace ember::multicast_upkeep
