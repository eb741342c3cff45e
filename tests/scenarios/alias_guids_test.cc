// SPDX-License-Identifier: Apache-2.0
// EmberSM: ports are told of the aliases that clients gave them, in the end.
//
// Goal:   a Set(GUIDInfo) that a port did not take is noticed, told, and made again; while a port
//         is silent the others are told at once; what was not told is not forgotten in a sweep.
// Method: clients ask for aliases of hosts of the simulated fabric, whose GUID tables are looked
//         at; a gate before the manager loses what is meant for one of them.
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <optional>
#include <span>

#include "core/wire/guid_info.h"
#include "core/wire/guid_info_record.h"
#include "tests/support/gated_port.h"
#include "tests/support/sa_client.h"

namespace ember::testing {
namespace {

constexpr std::uint32_t kOne = 3;  ///< Hosts.
constexpr std::uint32_t kOther = 5;

class AliasGuidsScenario : public ::testing::Test {
protected:
    AliasGuidsScenario() : world_(net::FatTree2(6)) {
        Settings settings = BriskSettings();
        settings.sweep_interval = 1000;  // No sweep helps.
        world_.AddManager(settings);
        gate_.emplace(world_.attachment());
        world_.Interpose(*gate_);
        world_.Restart();
    }
    void SetUp() override { ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond)) << world_.Notes(); }

    /// Set or Delete of GUID 1 of block 0 of a host, by itself.
    SaStatus Ask(SaClient& client, Method method, std::uint64_t guid) {
        GuidInfo table;
        table.SetGuid(1, Guid{guid});
        GuidInfoRecord record;
        record.Set(GuidInfoRecord::kLid, client.lid());
        Put(record, GuidInfoRecord::kTable, table);
        return client.StatusOf(method, SaAttribute::kGuidInfoRecord,
                               3U | 1ULL << (GuidInfoRecord::kFirstGuid + 1), record);
    }
    /// GUID 1 of block 0, as the device has it.
    Guid Has(std::uint32_t host) {
        const std::span<const std::uint8_t> block =
            world_.world().GuidBlock(world_.sim().RowOf(host, 1));
        GuidInfo table;
        std::copy_n(block.begin(), table.octets().size(), table.octets().begin());
        return table.guid(1);
    }
    /// Every Set(GUIDInfo) of a table without `guid` passes.
    void LoseSetsOf(std::uint64_t guid) {
        gate_->lets_out = [this, guid](const Envelope& envelope) {
            if (envelope.mad.header.attribute_id != AttributeId::kGuidInfo) return true;
            const auto smp = std::bit_cast<DirectedSmp>(envelope.mad);
            const bool is_lost = std::bit_cast<GuidInfo>(SmpData{smp.data}).guid(1) == Guid{guid};
            if (is_lost) ++lost_;
            return !is_lost;
        };
    }

    SimWorld world_;
    std::optional<GatedPort> gate_;
    std::uint64_t lost_ = 0;
};

TEST_F(AliasGuidsScenario, ASetThatWasLostIsToldOnceAndMadeAgain) {
    SaClient one(world_, kOne);
    SaClient other(world_, kOther);
    LoseSetsOf(0xA1);
    ASSERT_EQ(Ask(one, Method::kSet, 0xA1), SaStatus::kOk);
    ASSERT_EQ(Ask(other, Method::kSet, 0xA2), SaStatus::kOk);
    EXPECT_TRUE(world_.RunUntil([this] { return Has(kOther) == Guid{0xA2}; }, 10 * kMs))
        << "nobody waits for a silent port";
    world_.RunFor(20 * kSecond);
    EXPECT_EQ(Has(kOne), kNoGuid);
    EXPECT_EQ(world_.Heard(Note::kSetUnanswered), 1U) << world_.Notes();
    const std::uint64_t lost = lost_;
    world_.RunFor(60 * kSecond);
    EXPECT_GT(lost_, lost);
    EXPECT_LT(lost_, 40U) << "ever more seldom";
    EXPECT_EQ(world_.Heard(Note::kSetUnanswered), 1U) << "it is known by now";
    gate_->LoseNothing();
    world_.RunFor(200 * kSecond);
    EXPECT_EQ(Has(kOne), Guid{0xA1});
    const std::uint64_t sets = world_.sets_received();
    world_.RunFor(400 * kSecond);
    EXPECT_EQ(world_.sets_received(), sets) << "then it is well";
}

TEST_F(AliasGuidsScenario, WhatWasNotToldIsToldAfterASweep) {
    SaClient one(world_, kOne);
    LoseSetsOf(0xA1);
    ASSERT_EQ(Ask(one, Method::kSet, 0xA1), SaStatus::kOk);
    world_.RunFor(3 * kSecond);
    ASSERT_EQ(Has(kOne), kNoGuid);
    gate_->LoseNothing();
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    world_.Wake();
    EXPECT_TRUE(world_.RunUntil([this] { return Has(kOne) == Guid{0xA1}; }, kSecond));
}

TEST_F(AliasGuidsScenario, WhatIsTakenBackMeanwhileIsNotGiven) {
    SaClient one(world_, kOne);
    LoseSetsOf(0xA1);
    ASSERT_EQ(Ask(one, Method::kSet, 0xA1), SaStatus::kOk);
    ASSERT_EQ(Ask(one, Method::kDelete, 0), SaStatus::kOk);
    ASSERT_EQ(Ask(one, Method::kSet, 0xA3), SaStatus::kOk);
    EXPECT_TRUE(world_.RunUntil([this] { return Has(kOne) == Guid{0xA3}; }, 3 * kSecond));
    EXPECT_EQ(world_.Heard(Note::kSetUnanswered), 0U);
}

}  // namespace
}  // namespace ember::testing
