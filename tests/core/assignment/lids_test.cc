// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the LIDs that ports get.

#include "core/assignment/lids.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <rapidcheck/gtest.h>
#include <set>
#include <vector>

#include "core/storage.h"

namespace ember {
namespace {

constexpr Limits kLimits{.max_nodes = 64,
                         .max_switches = 16,
                         .max_ports = 256,
                         .max_switch_ports = 8,
                         .max_lid = 60,
                         .max_smps = 16,
                         .max_other_sms = 2,
                         .journal_notes = 64,
                         .scratch_bytes = 1U << 20U};

/// A store of one slot, which a test can damage.
class OneSlot final : public Store {
public:
    Status Save(StoreSlot, std::span<const std::byte> octets) override {
        octets_.assign(octets.begin(), octets.end());
        return Status::kOk;
    }
    Result<std::size_t> Load(StoreSlot, std::span<std::byte> octets) override {
        if (octets_.empty()) return Status::kAbsent;
        if (octets.size() < octets_.size()) return Status::kFull;
        std::copy(octets_.begin(), octets_.end(), octets.begin());
        return octets_.size();
    }
    std::vector<std::byte> octets_;
};

/// Hosts on one switch, each with the LID in its PortInfo (0: none yet).
class Subnet {
public:
    explicit Subnet(const std::vector<std::pair<std::uint64_t, std::uint16_t>>& hosts) {
        const NodeIndex hub = AddNode(NodeType::kSwitch, 0x2000, 8);
        fabric_.switch_row(fabric_.node(hub).switch_index)
            .info.Set(SwitchInfo::kLinearFdbCap, std::uint16_t{49152});
        End(fabric_.node(hub).first_port, 0x2000, 0);
        bool first = true;
        for (const auto& [guid, lid] : hosts) {
            const NodeIndex at = AddNode(NodeType::kChannelAdapter, guid, 1);
            const PortIndex port = fabric_.node(at).first_port;
            End(port, guid, lid);
            fabric_.port(port).peer = fabric_.node(hub).first_port;  // Enough for "has a link".
            if (first) fabric_.SetOwnPort(port);
            first = false;
        }
    }
    LidOutcome Assign(const Settings& settings, bool trust = true) {
        Arena scratch(storage_->memory().scratch);
        return AssignLids(fabric_, map_, settings, trust, scratch);
    }
    [[nodiscard]] unsigned LidOf(std::uint64_t guid) const {
        return Raw(fabric_.port(fabric_.FindPort(Guid{guid})).lid);
    }
    [[nodiscard]] LidMap& map() { return map_; }
    [[nodiscard]] Fabric& fabric() { return fabric_; }

private:
    NodeIndex AddNode(NodeType type, std::uint64_t guid, std::uint8_t ports) {
        NodeInfo info;
        info.Set(NodeInfo::kNodeType, type);
        info.Set(NodeInfo::kNodeGuid, Guid{guid});
        info.Set(NodeInfo::kNumPorts, ports);
        return fabric_.AddNode(info).value();
    }
    void End(PortIndex at, std::uint64_t guid, std::uint16_t lid) {
        EXPECT_TRUE(fabric_.NamePort(at, Guid{guid}));
        fabric_.port(at).has_info = true;
        fabric_.port(at).info.Set(PortInfo::kLid, Lid{lid});
    }

    std::unique_ptr<Storage<kLimits>> storage_ = std::make_unique<Storage<kLimits>>();
    Fabric fabric_{storage_->memory().fabric, kLimits};
    LidMap map_{storage_->memory().lids, kLimits.max_lid};
};

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

TEST(LidMap, SavedAndLoadedIsTheSame) {
    Subnet before({{0x1, 9}, {0x2, 5}});
    Settings settings;
    settings.lmc = 1;
    before.Assign(settings);
    OneSlot store;
    const auto octets = std::make_unique<std::array<std::byte, 1U << 16U>>();
    Arena scratch(*octets);
    ASSERT_TRUE(before.map().changed());
    ASSERT_EQ(before.map().Save(store, scratch), Status::kOk);
    EXPECT_FALSE(before.map().changed());

    Subnet after({{0x1, 0}});
    std::uint32_t dropped = 0;
    ASSERT_EQ(after.map().Load(store, scratch, 1, dropped), Status::kOk);
    EXPECT_EQ(dropped, 0U);
    ASSERT_EQ(after.map().entries().size(), before.map().entries().size());
    for (const KeptLids& kept : before.map().entries()) {
        ASSERT_NE(after.map().Find(kept.guid), nullptr);
        EXPECT_EQ(after.map().Find(kept.guid)->least, kept.least);
        EXPECT_EQ(after.map().Find(kept.guid)->most, kept.most);
    }
}

/// An exit is named by a LID, which counts as an index later.
TEST(LidMap, AnExitThatCannotBeIsRefused) {
    Subnet subnet({{0x1, 9}, {0x2, 5}});
    subnet.Assign({});
    constexpr auto kTooHigh = static_cast<std::uint16_t>(kLimits.max_lid + 1);
    EXPECT_EQ(subnet.map().NoteExit(Guid{0x1}, {.lid = Lid{kTooHigh}}), Status::kMalformed);
    EXPECT_EQ(subnet.map().NoteExit(Guid{0x77}, {.lid = Lid{1}}), Status::kMalformed);
    EXPECT_EQ(subnet.map().NoteExit(Guid{0x1}, {.lid = Lid{1}, .port = PortNumber{3}}),
              Status::kOk);
    EXPECT_EQ(subnet.map().Find(Guid{0x1})->exit.port, PortNumber{3});
}

TEST(LidMap, DamagedEntriesAreNotLoaded) {
    Subnet subnet({{0x1, 9}, {0x2, 5}});
    subnet.Assign({});
    OneSlot store;
    const auto octets = std::make_unique<std::array<std::byte, 1U << 16U>>();
    Arena scratch(*octets);
    ASSERT_EQ(subnet.map().Save(store, scratch), Status::kOk);
    const std::vector<std::byte> good = store.octets_;
    for (std::size_t length = 0; length < good.size(); ++length) {  // Cut at every octet.
        store.octets_.assign(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
        std::uint32_t dropped = 0;
        EXPECT_NE(subnet.map().Load(store, scratch, 0, dropped), Status::kOk);
        EXPECT_TRUE(subnet.map().entries().empty());
    }
    // Counts whose octets, 16 for each, fit only modulo 2^32.
    for (const std::uint32_t count : {0x10000000U, 0x10000001U, 0x80000002U, 0xF0000001U}) {
        store.octets_.assign(
            good.begin(),
            good.begin() + 8 + static_cast<std::ptrdiff_t>((count * 16U) % good.size()));
        for (std::size_t i = 0; i < 4; ++i) {
            store.octets_[4 + i] = static_cast<std::byte>(count >> (24 - 8 * i));
        }
        std::uint32_t dropped = 0;
        EXPECT_EQ(subnet.map().Load(store, scratch, 0, dropped), Status::kMalformed);
    }
    for (std::size_t at = 8; at < good.size(); ++at) {  // Any wrong octet: no overlap.
        store.octets_ = good;
        store.octets_[at] ^= std::byte{0xFF};
        std::uint32_t dropped = 0;
        ASSERT_EQ(subnet.map().Load(store, scratch, 0, dropped), Status::kOk);
        std::set<unsigned> seen;
        for (const KeptLids& kept : subnet.map().entries()) {
            for (unsigned lid = Raw(kept.least); lid <= Raw(kept.most); ++lid) {
                EXPECT_TRUE(seen.insert(lid).second);
                EXPECT_LE(lid, kLimits.max_lid);
            }
        }
    }
}

}  // namespace
}  // namespace ember
