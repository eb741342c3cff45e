// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what a master tells its standbys of the subnet.
//
// Goal:   every octet of an entry is that of docs/replication-records.md; a standby has what its
//         master has; nothing in an entry is believed.
// Method: two sides with tables of their own; what one shows the other obeys.
#include "core/replication/replicated_state.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "tests/support/subnet_side.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kNowUs = 5'000'000;
constexpr Guid kGone{0xAAAA};  ///< Of no port of the fabric.

using Octets = std::vector<std::uint8_t>;

struct Told {
    SaEntryKind kind{};
    Octets body;
};

class Listener final : public SaStateSink {
public:
    void Hear(SaEntryKind kind, std::span<const std::byte> body) override {
        Told entry{kind, Octets(body.size())};
        std::memcpy(entry.body.data(), body.data(), body.size());
        told.push_back(entry);
    }
    std::vector<Told> told;
};

struct Side : SubnetSide {
    using SubnetSide::SubnetSide;
    Status Obey(SaEntryKind kind, const Octets& body, std::uint64_t clock_us = 0) {
        return state.Obey(kind, std::as_bytes(std::span(body)), clock_us, kNowUs);
    }
    std::vector<Told> ShowAll() {
        Listener listener;
        for (std::size_t row = 0; row < state.bound(); ++row) {
            state.Show(row, listener);
        }
        return listener.told;
    }
    void Follow(const std::vector<Told>& copy) {
        state.BeginCopy();
        for (const Told& entry : copy) {
            EXPECT_EQ(Obey(entry.kind, entry.body), Status::kOk);
        }
        state.EndCopy();
    }
};

class ReplicatedStateTest : public ::testing::Test {
protected:
    void Keep(Side& side, Guid guid, std::uint16_t least, std::uint16_t most) {
        ASSERT_EQ(side.map().Keep(guid, Lid{least}, Lid{most}), Status::kOk);
    }
    static Octets QuarantineOf(std::uint64_t until_us) {
        Octets body = {0, 0, 0, 0, 0, 0, 0x11, 0x12, 0, 0, 0, 0, 0, 0, 0x21, 0x22, 3, 4, 2};
        for (int shift = 56; shift >= 0; shift -= 8) {
            body.push_back(static_cast<std::uint8_t>(until_us >> static_cast<unsigned>(shift)));
        }
        return body;
    }

    /// How many links are known to flap.
    static std::ptrdiff_t Links(const Side& side) {
        const auto rows = side.flapping.rows();
        return std::count_if(rows.begin(), rows.end(),
                             [](const FlappingLink& row) { return row.is_live(); });
    }

    Side master_{1};
    Side standby_{2};
};

TEST_F(ReplicatedStateTest, EntriesHaveTheseOctets) {
    ASSERT_TRUE(master_.has_key);
    Keep(master_, Guid{0x1122334455667788}, 8, 11);
    MKeyRules rules;
    ASSERT_EQ(rules.TryPush({0x0102030405060708, true}), Status::kOk);
    master_.m_keys.Learn(rules);
    ASSERT_EQ(master_.Obey(SaEntryKind::kQuarantine, QuarantineOf(9'000'000), 4'000'000),
              Status::kOk);
    const std::vector<Told> told = master_.ShowAll();
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told[0].kind, SaEntryKind::kMKeyRule);
    ASSERT_EQ(told[0].body.size(), 18U);
    EXPECT_EQ(told[0].body[0], 0);
    EXPECT_EQ(told[0].body[1], 1);
    std::array<std::uint8_t, 17> masked_by = {'M', '_', 'K', 'e', 'y', ' ', 'o', 'f'};
    std::copy_n(told[0].body.begin() + 2, 8, masked_by.begin() + 8);
    const MacCode code = master_.codes.Of(std::as_bytes(std::span(masked_by))).value();
    for (std::uint8_t i = 0; i < 8; ++i) {
        EXPECT_EQ(told[0].body[10U + i] ^ code[i], i + 1);
    }
    EXPECT_EQ(static_cast<int>(told[1].kind), 15);
    EXPECT_EQ(told[1].body, QuarantineOf(kNowUs + 5'000'000));
    EXPECT_EQ(static_cast<int>(told[2].kind), 12);
    EXPECT_EQ(told[2].body, (Octets{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0, 8, 0, 11}));
}

/// Where a port hung, and how many came there since.
TEST_F(ReplicatedStateTest, ExitsHaveTheseOctetsAndAStandbyHasThem) {
    Keep(master_, Guid{0x1122334455667788}, 8, 11);
    Keep(master_, Guid{0x102}, 4, 7);
    ASSERT_EQ(master_.map().NoteExit(Guid{0x1122334455667788},
                                     {.lid = Lid{4}, .port = PortNumber{36}, .arrivals = 3}),
              Status::kOk);
    const std::vector<Told> told = master_.ShowAll();
    ASSERT_EQ(told.size(), 3U) << "a port of which no exit is known has no such entry";
    EXPECT_EQ(static_cast<int>(told[1].kind), 17);
    EXPECT_EQ(told[1].body, (Octets{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0, 4, 36, 3}));
    standby_.Follow(told);
    const KeptLids* const there = standby_.map().Find(Guid{0x1122334455667788});
    ASSERT_NE(there, nullptr);
    EXPECT_EQ(there->exit.lid, Lid{4});
    EXPECT_EQ(there->exit.port, PortNumber{36});
    EXPECT_EQ(there->exit.arrivals, 3);
}

TEST_F(ReplicatedStateTest, AStandbyHasWhatTheMasterHas) {
    Keep(standby_, kGone, 1, 4);  // Of a time before.
    Keep(standby_, Guid{0xBBBB}, 90, 90);
    Keep(master_, Guid{0x101}, 1, 2);
    Keep(master_, Guid{0x102}, 4, 7);
    Keep(master_, Guid{0x103}, 200, 200);
    MKeyRules rules;
    ASSERT_EQ(rules.TryPush({5, true}), Status::kOk);
    ASSERT_EQ(rules.TryPush({6, false}), Status::kOk);
    master_.m_keys.Learn(rules);
    standby_.Follow(master_.ShowAll());
    ASSERT_EQ(standby_.map().entries().size(), 3U);
    for (const KeptLids& kept : master_.map().entries()) {
        const KeptLids* const there = standby_.map().Find(kept.guid);
        ASSERT_NE(there, nullptr);
        EXPECT_EQ(there->least, kept.least);
        EXPECT_EQ(there->most, kept.most);
    }
    EXPECT_EQ(standby_.m_keys.rules(), rules);
    EXPECT_FALSE(standby_.m_keys.is_safe()) << "they are to be saved before a port gets a key";
}

TEST_F(ReplicatedStateTest, ChangesAreToldOneByOne) {
    Listener listener;
    Keep(master_, Guid{0x101}, 1, 1);
    Keep(master_, Guid{0x102}, 2, 2);
    standby_.Follow(master_.ShowAll());
    master_.state.Watch(&listener);
    Keep(master_, Guid{0x103}, 3, 3);
    master_.map().Forget(Guid{0x101});
    MKeyRules rules;
    ASSERT_EQ(rules.TryPush({5, true}), Status::kOk);
    master_.m_keys.Learn(rules);
    master_.state.Step();
    master_.state.Step();  // Once.
    for (const Told& entry : listener.told) {
        EXPECT_EQ(standby_.Obey(entry.kind, entry.body), Status::kOk);
    }
    EXPECT_EQ(standby_.map().entries().size(), 2U);
    EXPECT_EQ(standby_.map().Find(Guid{0x101}), nullptr);
    EXPECT_NE(standby_.map().Find(Guid{0x103}), nullptr);
    EXPECT_EQ(standby_.m_keys.rules(), rules);
    EXPECT_EQ(std::count_if(listener.told.begin(), listener.told.end(),
                            [](const Told& one) { return one.kind == SaEntryKind::kMKeyRule; }),
              1);
    master_.state.Watch(nullptr);
    Keep(master_, Guid{0x104}, 4, 4);
    EXPECT_EQ(listener.told.size(), 4U) << "three of LIDs, one of which has moved, and a rule";
}

/// Forget() puts the last row in the hole: a copy under way may have passed that place.
TEST_F(ReplicatedStateTest, ARowThatMovesWhileACopyIsUnderWayIsNotMissed) {
    for (std::uint16_t i = 1; i <= 40; ++i) {
        Keep(master_, Guid{std::uint64_t{0x100} + i}, i, i);
    }
    Listener listener;
    master_.state.Watch(&listener);
    for (std::size_t row = 0; row < master_.state.bound(); ++row) {
        master_.state.Show(row, listener);
        if (row % 3 == 0) master_.map().Forget(Guid{std::uint64_t{0x101} + row / 3});
    }
    master_.state.Watch(nullptr);
    standby_.Follow(listener.told);
    EXPECT_EQ(standby_.map().entries().size(), master_.map().entries().size());
    for (const KeptLids& kept : master_.map().entries()) {
        EXPECT_NE(standby_.map().Find(kept.guid), nullptr) << Raw(kept.least);
    }
}

TEST_F(ReplicatedStateTest, WhatMakesNoSenseIsRefused) {
    const Octets guid = {0, 0, 0, 0, 0, 0, 1, 1};
    const auto lids = [&](std::uint8_t least, std::uint8_t most, bool has_guid = true) {
        Octets body = has_guid ? guid : Octets(8, 0);
        body.insert(body.end(), {0, least, 0, most});
        return standby_.Obey(SaEntryKind::kLids, body);
    };
    EXPECT_EQ(lids(0, 1), Status::kMalformed);
    EXPECT_EQ(lids(3, 2), Status::kMalformed);
    EXPECT_EQ(lids(1, 201), Status::kMalformed) << "higher than the board has";
    EXPECT_EQ(lids(1, 1, false), Status::kMalformed);
    EXPECT_TRUE(standby_.map().entries().empty());
    Octets rule(18, 1);
    rule[0] = 4;
    EXPECT_EQ(standby_.Obey(SaEntryKind::kMKeyRule, rule), Status::kMalformed);
    rule[0] = 0;
    rule[1] = 2;
    EXPECT_EQ(standby_.Obey(SaEntryKind::kMKeyRule, rule), Status::kMalformed);
    EXPECT_TRUE(standby_.m_keys.rules().empty());
    EXPECT_EQ(standby_.Obey(SaEntryKind::kQuarantine, Octets(27, 0)), Status::kMalformed);
    EXPECT_EQ(standby_.flapping.CountOf(LinkVerdict::kQuarantined), 0U);
}

TEST_F(ReplicatedStateTest, AQuarantineIsNoLongerThanOneCanBe) {
    ASSERT_EQ(standby_.Obey(SaEntryKind::kQuarantine, QuarantineOf(~std::uint64_t{0} - 5), 1),
              Status::kOk);
    EXPECT_EQ(standby_.links[0].until_us, kNowUs + standby_.flapping.LongestUs());
    ASSERT_EQ(standby_.Obey(SaEntryKind::kQuarantine, QuarantineOf(5), 10), Status::kOk);
    EXPECT_EQ(standby_.links[0].until_us, kNowUs) << "it is over";
    standby_.state.BeginCopy();
    standby_.state.EndCopy();
    EXPECT_EQ(standby_.flapping.CountOf(LinkVerdict::kQuarantined), 0U) << "not told of";
}

TEST_F(ReplicatedStateTest, MoreQuarantinesThanRowsAreNoReasonToGiveUp) {
    for (std::uint8_t i = 0; i < 6; ++i) {
        Octets body = QuarantineOf(9'000'000);
        body[16] = i;
        EXPECT_EQ(standby_.Obey(SaEntryKind::kQuarantine, body),
                  i < 4 ? Status::kOk : Status::kRefused);
    }
}

/// The map is that of the master: it is not cleared, nor read from the store, when we take over.
TEST_F(ReplicatedStateTest, LidsCountInATakeoverIfTheMasterIsStillFollowed) {
    Keep(master_, kGone, 17, 17);
    for (const bool is_followed : {true, false}) {
        Side standby(3);
        standby.Follow(master_.ShowAll());
        if (!is_followed) standby.state.Forget();
        standby.lids.NoteOtherMaster();
        standby.lids.Load(kNowUs);
        EXPECT_EQ(standby.map().Find(kGone) != nullptr, is_followed);
    }
}

}  // namespace
}  // namespace ember::testing
