// SPDX-License-Identifier: Apache-2.0
// EmberSM: no wrong pair communicates while partitions change, and no right one is cut off.
#include "core/partitions/p_key_steps.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "core/partitions/partitions.h"

namespace ember {
namespace {

using PKeys = std::vector<std::uint16_t>;

constexpr std::array kMemberships{Membership::kNone, Membership::kLimited, Membership::kFull};

PKeys After(PKeyStep step, const PKeys& has, const PKeys& wanted, std::uint32_t* later = nullptr) {
    PKeys next(wanted.size(), 0xDEAD);
    const std::uint32_t bits = PKeysAfter(step, has, wanted, next);
    if (later != nullptr) *later = bits;
    return next;
}

Membership Of(const PKeys& table, std::uint16_t base) {
    Membership found = Membership::kNone;
    for (const std::uint16_t p_key : table) {
        if (!SamePartition(p_key, base)) continue;
        found = std::max(found,
                         (p_key & kFullMembership) != 0 ? Membership::kFull : Membership::kLimited);
    }
    return found;
}

/// A table whose port is that in partition 1.
PKeys TableFor(Membership membership) {
    if (membership == Membership::kNone) return {0, 0};
    return {0, static_cast<std::uint16_t>(membership == Membership::kFull ? 0x8001 : 1)};
}

/// A state of three ports in partition 1, out of all there are.
std::array<Membership, 3> Trio(unsigned number) {
    return {kMemberships[number % 3], kMemberships[number / 3 % 3], kMemberships[number / 9]};
}

TEST(PKeySteps, NoOrderInsideAStepOpensOrCutsAPairOfThreePorts) {
    for (unsigned i = 0; i < 27 * 27; ++i) {
        const auto before = Trio(i / 27);
        const auto after = Trio(i % 27);
        std::array<std::size_t, 3> order{0, 1, 2};
        do {
            std::array<PKeys, 3> tables;
            std::transform(before.begin(), before.end(), tables.begin(), TableFor);
            for (const PKeyStep step : kAllPKeySteps) {
                for (const std::size_t port : order) {
                    tables[port] = After(step, tables[port], TableFor(after[port]));
                    for (std::size_t one = 0; one < 2; ++one) {
                        for (std::size_t other = one + 1; other < 3; ++other) {
                            const bool did = MayCommunicate(before[one], before[other]);
                            const bool shall = MayCommunicate(after[one], after[other]);
                            const bool does =
                                MayCommunicate(Of(tables[one], 1), Of(tables[other], 1));
                            ASSERT_TRUE(!does || did || shall) << "opened, change " << i;
                            ASSERT_TRUE(does || !did || !shall) << "cut, change " << i;
                        }
                    }
                }
            }
            for (std::size_t port = 0; port < 3; ++port) {
                ASSERT_EQ(Of(tables[port], 1), after[port]);
            }
        } while (std::next_permutation(order.begin(), order.end()));
    }
}

TEST(PKeySteps, TakesEachStepWhereItsPlaceIs) {
    const PKeys has{0xFFFF, 1, 0x8002, 3, 0};
    const PKeys wanted{0x7FFF, 0x8001, 0, 3, 0x8004};
    std::uint32_t later = 0;
    EXPECT_EQ(After(PKeyStep::kLeave, has, wanted, &later), (PKeys{0xFFFF, 1, 0, 3, 0}));
    EXPECT_EQ(later, BitOf(PKeyStep::kRise) | BitOf(PKeyStep::kFall) | BitOf(PKeyStep::kJoin));
    EXPECT_EQ(After(PKeyStep::kRise, has, wanted, &later), (PKeys{0xFFFF, 0x8001, 0, 3, 0}));
    EXPECT_EQ(After(PKeyStep::kFall, has, wanted, &later), (PKeys{0x7FFF, 0x8001, 0, 3, 0}));
    EXPECT_EQ(later, BitOf(PKeyStep::kJoin));
    EXPECT_EQ(After(PKeyStep::kJoin, has, wanted, &later), wanted);
    EXPECT_EQ(later, 0U);
}

TEST(PKeySteps, BothFormsMakeAFullMember) {
    EXPECT_EQ(After(PKeyStep::kLeave, {1, 0, 0}, {1, 0x8001, 0}), (PKeys{1, 0, 0}));
    EXPECT_EQ(After(PKeyStep::kRise, {1, 0, 0}, {1, 0x8001, 0}), (PKeys{1, 0x8001, 0}));
    EXPECT_EQ(After(PKeyStep::kLeave, {1, 0x8001, 0}, {1, 0, 0}), (PKeys{0x8001, 0, 0}));
    EXPECT_EQ(After(PKeyStep::kLeave, {0x8001, 0, 0}, {0x8001, 1, 0}), (PKeys{0x8001, 1, 0}));
}

TEST(PKeySteps, EndWithWhatIsWanted) {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        PKeys has(8);
        PKeys wanted(8);
        for (std::size_t entry = 0; entry < has.size(); ++entry) {
            has[entry] = static_cast<std::uint16_t>((random() % 2) << 15U | random() % 4);
            wanted[entry] = static_cast<std::uint16_t>((random() % 2) << 15U | random() % 4);
        }
        for (const PKeyStep step : kAllPKeySteps) {
            std::uint32_t later = 0;
            const PKeys next = After(step, has, wanted, &later);
            EXPECT_EQ(later & (BitOf(step) * 2 - 1), 0U) << "only later steps";
            EXPECT_TRUE(later != 0 || next == wanted);
        }
        EXPECT_EQ(After(PKeyStep::kJoin, has, wanted), wanted);
    }
}

}  // namespace
}  // namespace ember
