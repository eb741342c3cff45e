// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the LIDs that are kept for ports, and of their store.

#include "core/lids/lid_map.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "tests/core/lids/lids_fixture.h"

namespace ember::lids {
namespace {

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
}  // namespace ember::lids
