// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the LIDs that ports get.

#include "core/lids/lids.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <vector>

#include "tests/core/lids/lids_fixture.h"

namespace ember::lids {
namespace {

TEST(AssignLids, OwnPortComesFirstAndTheOthersByReversedGuid) {
    Subnet subnet({{0x1003, 0}, {0x0102, 0}, {0x0201, 0}});
    subnet.Assign({});
    // Last octets: own 03; then 00 (the switch), 01, 02.
    EXPECT_EQ(subnet.LidOf(0x1003), 1U);
    EXPECT_EQ(subnet.LidOf(0x2000), 2U);
    EXPECT_EQ(subnet.LidOf(0x0201), 3U);
    EXPECT_EQ(subnet.LidOf(0x0102), 4U);
}

TEST(AssignLids, PlainOrderIsByGuid) {
    Subnet subnet({{0x1003, 0}, {0x0102, 0}, {0x0201, 0}});
    Settings settings;
    settings.order = Order::kGuid;
    subnet.Assign(settings);
    EXPECT_EQ(subnet.LidOf(0x1003), 1U);
    EXPECT_EQ(subnet.LidOf(0x0102), 2U);
    EXPECT_EQ(subnet.LidOf(0x0201), 3U);
    EXPECT_EQ(subnet.LidOf(0x2000), 4U);
}

TEST(AssignLids, APortKeepsTheLidItHas) {
    Subnet subnet({{0x1, 9}, {0x2, 5}, {0x3, 0}});
    const LidOutcome outcome = subnet.Assign({});
    EXPECT_EQ(subnet.LidOf(0x1), 9U);
    EXPECT_EQ(subnet.LidOf(0x2), 5U);
    EXPECT_EQ(outcome.moved, 2U);  // The switch and host 3 had none.
    EXPECT_EQ(outcome.given, 4U);
}

TEST(AssignLids, TheFirstOfTwoPortsWithOneLidKeepsIt) {
    Subnet subnet({{0x9, 1}, {0x1, 7}, {0x2, 7}});
    const LidOutcome outcome = subnet.Assign({});
    EXPECT_EQ(outcome.duplicates, 1U);
    EXPECT_EQ(subnet.LidOf(0x1), 7U);
    ASSERT_EQ(outcome.claims.size(), 1U);
    EXPECT_EQ(outcome.claims[0], (LidEvent{.guid = Guid{0x1}, .other = Guid{0x2}, .lid = Lid{7}}));
    ASSERT_EQ(outcome.moves.size(), 1U);
    EXPECT_EQ(outcome.moves[0].guid, Guid{0x2});
    EXPECT_EQ(outcome.moves[0].before, Lid{7});
    EXPECT_NE(subnet.LidOf(0x2), 7U);
    EXPECT_NE(subnet.LidOf(0x2), 0U);
}

TEST(AssignLids, ALidInTheMapGoesBeforeTheLidInPortInfo) {
    Subnet subnet({{0x1, 0}, {0x2, 20}});
    ASSERT_EQ(subnet.map().Keep(Guid{0x2}, Lid{33}, Lid{33}), Status::kOk);
    ASSERT_EQ(subnet.map().Keep(Guid{0x77}, Lid{1}, Lid{1}), Status::kOk);  // Not in the fabric.
    subnet.Assign({});
    EXPECT_EQ(subnet.LidOf(0x2), 33U);
    EXPECT_EQ(subnet.LidOf(0x1), 2U);
}

TEST(AssignLids, ReassigningIgnoresTheLidInPortInfo) {
    Subnet subnet({{0x1, 50}, {0x2, 40}});
    subnet.Assign({}, false);
    EXPECT_EQ(subnet.LidOf(0x1), 1U);
    EXPECT_LE(subnet.LidOf(0x2), 3U);
}

TEST(AssignLids, LmcRangesAreAlignedAndTheSwitchHasOneLid) {
    Subnet subnet({{0x1, 0}, {0x2, 6}, {0x3, 12}});
    Settings settings;
    settings.lmc = 2;
    subnet.Assign(settings);
    EXPECT_EQ(subnet.LidOf(0x3), 12U);     // Was aligned.
    EXPECT_EQ(subnet.LidOf(0x2) % 4, 0U);  // 6 was not.
    EXPECT_EQ(subnet.LidOf(0x1), 4U);
    EXPECT_EQ(subnet.fabric().port(subnet.fabric().FindPort(Guid{0x2000})).lmc, 0);
}

TEST(AssignLids, WhenLidsRunOutOtherPortsHaveNoneAndTheNeedIsCounted) {
    std::vector<std::pair<std::uint64_t, std::uint16_t>> hosts;
    for (std::uint64_t i = 1; i <= 20; ++i) {
        hosts.emplace_back(i, 0);
    }
    Subnet subnet(hosts);
    Settings settings;
    settings.lmc = 2;  // 20 x 4 + 1 of 60.
    const LidOutcome outcome = subnet.Assign(settings);
    EXPECT_GT(outcome.without, 0U);
    EXPECT_NE(outcome.first_without, kNoGuid);
    EXPECT_EQ(outcome.given + outcome.without, 21U);
    EXPECT_GT(subnet.fabric().shortage().needed_lids, kLimits.max_lid);
}

TEST(AssignLids, LidsOfAbsentPortsAreTakenBackBeforeAPortGetsNone) {
    Subnet subnet({{1, 0}, {2, 0}, {3, 0}});
    for (std::uint16_t lid = 1; lid <= kLimits.max_lid; ++lid) {  // Hosts that were lost.
        ASSERT_EQ(subnet.map().Keep(Guid{0x9000U + lid}, Lid{lid}, Lid{lid}), Status::kOk);
    }
    const LidOutcome outcome = subnet.Assign(Settings{});
    EXPECT_EQ(outcome.without, 0U);
    EXPECT_EQ(outcome.given, 4U);
    std::set<unsigned> lids;
    for (const std::uint64_t guid : {0x1U, 0x2U, 0x3U, 0x2000U}) {
        lids.insert(subnet.LidOf(guid));
    }
    EXPECT_EQ(lids.size(), 4U);
    EXPECT_EQ(lids.count(0), 0U);
}

/// All LIDs are kept for a port that is there, or was: what it does not need is taken back.
TEST(AssignLids, LidsThatAPortHasTooManyOfAreTakenBackBeforeAPortGetsNone) {
    for (const bool is_loose : {false, true}) {
        Subnet subnet({{1, 0}, {2, 0}, {3, 0}});
        ASSERT_EQ(subnet.map().Keep(Guid{2}, Lid{1}, Lid{kLimits.max_lid}), Status::kOk);
        const PortIndex port = subnet.fabric().FindPort(Guid{2});
        if (is_loose) subnet.fabric().port(port).peer = kNoPortIndex;
        const LidOutcome outcome = subnet.Assign({});
        EXPECT_EQ(outcome.without, 0U) << is_loose;
        EXPECT_EQ(outcome.given, is_loose ? 3U : 4U);
        EXPECT_FALSE(subnet.fabric().shortage().any());
        if (!is_loose) {
            EXPECT_EQ(subnet.LidOf(2), 1U) << "it stays where it was";
        }
        EXPECT_EQ(subnet.fabric().port(port).lmc, 0);
    }
}

/// LMC is three bits of an answer, and 128 LIDs twice are all of a small board.
TEST(AssignLids, NoAnswerHoldsMoreLidsThanItsPortGets) {
    std::vector<std::pair<std::uint64_t, std::uint16_t>> hosts{{1, 0}};
    for (std::uint64_t guid = 2; guid <= 41; ++guid) {
        hosts.emplace_back(guid, 0);
    }
    hosts.emplace_back(0xF1, 16);
    hosts.emplace_back(0xF2, 32);
    Subnet subnet(hosts);
    for (const std::uint64_t liar : {0xF1U, 0xF2U}) {
        Fabric& fabric = subnet.fabric();
        fabric.port(fabric.FindPort(Guid{liar})).info.Set(PortInfo::kLmc, std::uint8_t{4});
    }
    const LidOutcome outcome = subnet.Assign({});
    EXPECT_EQ(outcome.without, 0U) << "of 60 LIDs, for 44 ports";
    EXPECT_EQ(subnet.LidOf(0xF1), 16U);
    EXPECT_EQ(subnet.LidOf(0xF2), 32U);
    std::set<unsigned> lids;
    for (const auto& [guid, lid] : hosts) {
        lids.insert(subnet.LidOf(guid));
    }
    EXPECT_EQ(lids.size(), hosts.size());
}

/// Hosts of four LIDs each have skipped 1 to 3, and no LID is kept for a port that is away.
TEST(AssignLids, LidsThatAlignmentHasSkippedAreGivenBeforeAPortGetsNone) {
    std::vector<std::pair<std::uint64_t, std::uint16_t>> hosts;
    for (std::uint64_t guid = 1; guid <= 14; ++guid) {
        hosts.emplace_back(guid, 0);
    }
    Subnet subnet(hosts);
    subnet.fabric()
        .switch_row(SwitchIndex{0})
        .info.Set(SwitchInfo::kLinearFdbCap, std::uint16_t{60});
    Settings settings;
    settings.lmc = 2;
    settings.order = Order::kGuid;
    const LidOutcome outcome = subnet.Assign(settings);
    EXPECT_EQ(outcome.without, 0U);
    EXPECT_EQ(subnet.LidOf(14), 56U);
    EXPECT_EQ(subnet.LidOf(0x2000), 1U);
}

TEST(AssignLids, APortWithoutALinkHasNoLidUntilItReturns) {
    Subnet subnet({{1, 0}, {2, 0}, {3, 0}});
    static_cast<void>(subnet.Assign(Settings{}));
    const PortIndex loose = subnet.fabric().FindPort(Guid{2});
    const Port before = subnet.fabric().port(loose);
    subnet.fabric().port(loose).peer = kNoPortIndex;
    static_cast<void>(subnet.Assign(Settings{}));
    EXPECT_EQ(subnet.LidOf(2), 0U);
    EXPECT_EQ(subnet.fabric().PortByLid(before.lid), kNoPortIndex);
    subnet.fabric().port(loose).peer = before.peer;
    static_cast<void>(subnet.Assign(Settings{}));
    EXPECT_EQ(subnet.LidOf(2), Raw(before.lid)) << "the map has kept it";
}

/// OpenSM's assignment, in the simplest form.
std::map<std::uint64_t, unsigned> Reference(
    const std::vector<std::pair<std::uint64_t, std::uint16_t>>& hosts,
    std::map<std::uint64_t, unsigned> kept) {
    std::vector<std::uint64_t> order;
    std::map<std::uint64_t, unsigned> present{{0x2000, 0}};
    for (const auto& [guid, lid] : hosts) {
        order.push_back(guid);
        present[guid] = lid;
    }
    order.push_back(0x2000);
    std::stable_sort(order.begin() + 1, order.end(), [](std::uint64_t one, std::uint64_t other) {
        return __builtin_bswap64(one) < __builtin_bswap64(other);
    });
    const auto is_kept = [&](unsigned lid) {
        return std::any_of(kept.begin(), kept.end(),
                           [lid](const auto& entry) { return entry.second == lid; });
    };
    std::set<unsigned> free;
    for (unsigned lid = 1; lid <= kLimits.max_lid; ++lid) {
        if (is_kept(lid)) continue;
        std::uint64_t claimant = 0;
        for (const std::uint64_t guid : order) {
            if (present[guid] == lid) claimant = guid;
        }
        if (claimant == 0 || kept.count(claimant) != 0) free.insert(lid);
    }
    std::map<std::uint64_t, unsigned> result;
    for (const std::uint64_t guid : order) {
        unsigned lid = 0;
        if (kept.count(guid) != 0) {
            lid = kept[guid];
        } else if (present[guid] != 0 && !is_kept(present[guid])) {
            lid = present[guid];
        } else {
            lid = *free.begin();
        }
        free.erase(lid);
        kept[guid] = lid;
        result[guid] = lid;
    }
    return result;
}

RC_GTEST_PROP(AssignLidsProperty, AgreesWithTheReference, ()) {
    const auto guids =
        *rc::gen::unique<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 0x1000));
    std::vector<std::pair<std::uint64_t, std::uint16_t>> hosts;
    for (std::size_t i = 0; i < std::min<std::size_t>(guids.size(), 20); ++i) {
        hosts.emplace_back(guids[i], *rc::gen::inRange<std::uint16_t>(0, 31));
    }
    if (hosts.empty()) hosts.emplace_back(1, 0);
    Subnet subnet(hosts);
    std::map<std::uint64_t, unsigned> kept;
    for (const auto& [guid, lid] : hosts) {
        if (*rc::gen::inRange(0, 4) != 0) continue;
        const auto at = *rc::gen::inRange<std::uint16_t>(1, 31);
        if (subnet.map().Keep(Guid{guid}, Lid{at}, Lid{at}) == Status::kOk) kept[guid] = at;
    }
    subnet.Assign({});
    for (const auto& [guid, lid] : Reference(hosts, kept)) {
        RC_ASSERT(subnet.LidOf(guid) == lid);
    }
}

}  // namespace
}  // namespace ember::lids
