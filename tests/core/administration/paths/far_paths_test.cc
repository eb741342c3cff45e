// SPDX-License-Identifier: Apache-2.0
// EmberSM: paths to other subnets: what the keys rtr_pr_* say of them.

#include "core/administration/paths/far_paths.h"

#include <gtest/gtest.h>
#include <vector>

#include "core/administration/paths/multi_path_records.h"
#include "tests/core/administration/paths/path_records_fixture.h"

namespace ember {
namespace {

using testing::kPrefix;
using testing::Mask;
using testing::PathAnswer;
using testing::PathRecordsTest;
using testing::PathRecordsWithLmc;
using M = MultiPathRecord;
using P = PathRecord;

constexpr std::uint64_t kFar = 0xFEC0000000000002;
constexpr std::uint32_t kRouter = 7;

TEST(FarPaths, AreBoundButNotWidenedByTheKeys) {
    Settings settings;
    EXPECT_EQ(settings.rtr_pr_mtu, 4);
    PathValues values{.mtu = Mtu::k4096, .rate = Rate::k100Gb, .life_time = 7};
    LimitFar(settings, values);
    EXPECT_EQ(values, (PathValues{Mtu::k2048, Rate::k100Gb, 7}));
    settings.rtr_pr_mtu = 5;
    settings.rtr_pr_rate = static_cast<std::uint8_t>(Rate::k20Gb);
    LimitFar(settings, values);
    EXPECT_EQ(values, (PathValues{Mtu::k2048, Rate::k20Gb, 7}));
    settings.rtr_pr_mtu = kNoFarBound;
    settings.rtr_pr_rate = static_cast<std::uint8_t>(Rate::k120Gb);  // Code 10, above 20 Gb/s.
    LimitFar(settings, values);
    EXPECT_EQ(values, (PathValues{Mtu::k2048, Rate::k20Gb, 7}));
    values = {.mtu = Mtu::k4096, .rate = Rate::k1200Gb};
    settings.rtr_pr_rate = kNoFarBound;
    LimitFar(settings, values);
    EXPECT_EQ(values, (PathValues{Mtu::k4096, Rate::k1200Gb, 0}));
}

class FarPathTest : public PathRecordsTest {
protected:
    FarPathTest() {
        net_.settings().manager_tables.prefix_routes = routes_;
        asked_ = ByGids(0, 4);
        asked_.Set(P::kDgidPrefix, kFar);
        asked_.Set(P::kDgidGuid, Guid{0x99});
    }
    std::vector<PathRecord> Far(std::uint64_t more = 0) {
        return net_.Ask(Method::kGet, kGids | more, asked_).records;
    }

    const std::vector<PrefixRoute> routes_{{.prefix = 0, .router = kNoGuid}};
    PathRecord asked_;
};

TEST_F(FarPathTest, TheHeaderIsThatOfTheKeysAndOfFarPathsOnly) {
    EXPECT_EQ(Far().at(0).Get(P::kFlowLabel), 0U);
    EXPECT_EQ(Far().at(0).Get(P::kTClass), 0);
    net_.settings().rtr_pr_flow_label = 0xABCDE;
    net_.settings().rtr_pr_tclass = 0x5A;
    const PathRecord far = Far().at(0);
    EXPECT_EQ(far.Get(P::kFlowLabel), 0xABCDEU);
    EXPECT_EQ(far.Get(P::kTClass), 0x5A);
    EXPECT_EQ(far.Get(P::kHopLimit), 255);
    EXPECT_EQ(far.Get(P::kRawTraffic), 0);
    const PathRecord near = Between(0, kRouter).at(0);
    EXPECT_EQ(near.Get(P::kFlowLabel), 0U);
    EXPECT_EQ(near.Get(P::kTClass), 0);
    EXPECT_EQ(near.Get(P::kHopLimit), 0);
}

TEST_F(FarPathTest, MtuAndRateAreBoundBeforeTheyAreComparedWithTheQuestion) {
    EXPECT_EQ(Between(0, kRouter).at(0).Get(P::kMtu), Mtu::k4096);
    EXPECT_EQ(Far().at(0).Get(P::kMtu), Mtu::k2048);
    asked_.Set(P::kMtu, Mtu::k2048);
    asked_.Set(P::kMtuSelector, Selector::kAbove);
    const std::uint64_t mtu = Mask(P::kHasMtu, P::kHasMtuSelector);
    EXPECT_TRUE(Far(mtu).empty());
    net_.settings().rtr_pr_mtu = kNoFarBound;
    EXPECT_EQ(Far(mtu).at(0).Get(P::kMtu), Mtu::k4096);
    const Rate whole = Between(0, kRouter).at(0).Get(P::kRate);
    EXPECT_EQ(Far().at(0).Get(P::kRate), whole);
    ASSERT_GT(RateRank(whole), RateRank(Rate::k5Gb));
    net_.settings().rtr_pr_rate = static_cast<std::uint8_t>(Rate::k5Gb);
    EXPECT_EQ(Far().at(0).Get(P::kRate), Rate::k5Gb);
    EXPECT_EQ(Far().at(0).Get(P::kReversible), 1);
    EXPECT_EQ(Between(0, kRouter).at(0).Get(P::kRate), whole);
}

TEST_F(FarPathTest, TheServiceLevelIsThatOfTheKeyAndNoOtherMayBeAskedFor) {
    asked_.Set(P::kSl, std::uint8_t{3});
    EXPECT_EQ(Far().at(0).Get(P::kSl), 0);
    EXPECT_EQ(Far(Mask(P::kHasSl)).at(0).Get(P::kSl), 3);  // Key 0: as any path.
    net_.settings().rtr_pr_sl = 6;
    EXPECT_EQ(Far().at(0).Get(P::kSl), 6);
    EXPECT_EQ(Far().at(0).Get(P::kReversible), 1);
    EXPECT_TRUE(Far(Mask(P::kHasSl)).empty());
    asked_.Set(P::kSl, std::uint8_t{6});
    EXPECT_EQ(Far(Mask(P::kHasSl)).at(0).Get(P::kSl), 6);
    EXPECT_EQ(Between(0, kRouter).at(0).Get(P::kSl), 0);
}

TEST_F(FarPathTest, LanesThatDropTheKeysServiceLevelLeaveNoPath) {
    net_.settings().qos = true;
    auto& map =
        net_.settings().lanes[static_cast<std::size_t>(LanePorts::kSwitchExternal)].sl_to_vl;
    for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
        ASSERT_EQ(map.TryPush(sl == 6 ? std::uint8_t{15} : std::uint8_t{0}), Status::kOk);
    }
    EXPECT_EQ(Far().size(), 1U);
    net_.settings().rtr_pr_sl = 6;
    EXPECT_TRUE(Far().empty());
}

class FarMultiPathTest : public FarPathTest {
protected:
    FarMultiPathTest() : records_(net_.view(), net_.maker()) {}

    /// From host 0, and 1 if there are to be two, to these GIDs.
    PathAnswer Ask(std::size_t sources, const std::vector<Gid>& to, std::uint64_t more = 0) {
        question_.Set(M::kSgidCount, static_cast<std::uint8_t>(sources));
        question_.Set(M::kDgidCount, static_cast<std::uint8_t>(to.size()));
        std::vector<std::uint8_t> octets(question_.octets().begin(), question_.octets().end());
        const auto add = [&](std::uint64_t word) {
            for (unsigned shift = 64; shift > 0; shift -= 8) {
                octets.push_back(static_cast<std::uint8_t>(word >> (shift - 8)));
            }
        };
        for (std::uint32_t i = 0; i < sources; ++i) {
            add(source_prefix_);
            add(Raw(Host(i).guid));
        }
        for (const Gid& gid : to) {
            add(gid.high);
            add(gid.low);
        }
        const std::uint64_t mask = Mask(M::kHasSgidCount, M::kHasDgidCount) | more;
        return net_.AskSource(records_, Method::kGetMulti, mask, octets, budget_);
    }

    MultiPathRecords records_;
    MultiPathRecord question_;
    std::uint64_t source_prefix_ = kPrefix;
    std::uint32_t budget_ = 1000;
};

TEST_F(FarMultiPathTest, SomeDestinationsMayLieInAnotherSubnet) {
    net_.settings().rtr_pr_tclass = 9;
    const PathAnswer answer = Ask(1, {{kFar, 0x99}, {kPrefix, Raw(Host(4).guid)}});
    ASSERT_EQ(answer.records.size(), 2U);
    const PathRecord& far = answer.records[0];
    EXPECT_EQ(far.Get(P::kDgidPrefix), kFar);
    EXPECT_EQ(far.Get(P::kDgidGuid), Guid{0x99});
    EXPECT_EQ(far.Get(P::kDlid), Host(kRouter).lid);
    EXPECT_EQ(far.Get(P::kHopLimit), 255);
    EXPECT_EQ(far.Get(P::kTClass), 9);
    EXPECT_EQ(answer.records[1].Get(P::kDlid), Host(4).lid);
    EXPECT_EQ(answer.records[1].Get(P::kHopLimit), 0);
}

TEST_F(FarMultiPathTest, ASourceLiesInThisSubnetAndARouterMustBeThere) {
    source_prefix_ = kFar;
    EXPECT_EQ(Ask(1, {{kPrefix, Raw(Host(4).guid)}}).status, SaStatus::kRequestInvalidGid);
    source_prefix_ = kPrefix;
    EXPECT_EQ(Ask(1, {{kFar, 0x99}}).status, SaStatus::kOk);
    net_.settings().manager_tables.prefix_routes = {};
    EXPECT_EQ(Ask(1, {{kFar, 0x99}}).status, SaStatus::kRequestInvalidGid);
    const std::vector<PrefixRoute> absent{{.prefix = kFar, .router = Guid{0xDEAD}}};
    net_.settings().manager_tables.prefix_routes = absent;
    EXPECT_EQ(Ask(1, {{kFar, 0x99}}).status, SaStatus::kRequestInvalidGid);
}

TEST_F(FarMultiPathTest, TwoPathsToMigrateBetweenMayLeaveTheSubnet) {
    question_.Set(M::kNumbPath, std::uint8_t{2});
    const PathAnswer answer = Ask(2, {{kFar, 0x98}, {kFar, 0x99}}, Mask(M::kHasNumbPath));
    ASSERT_EQ(answer.records.size(), 2U);
    EXPECT_NE(answer.records[0].Get(P::kDgidGuid), answer.records[1].Get(P::kDgidGuid));
    for (const PathRecord& path : answer.records) {
        EXPECT_EQ(path.Get(P::kDgidPrefix), kFar);
        EXPECT_EQ(path.Get(P::kDlid), Host(kRouter).lid);
        EXPECT_EQ(path.Get(P::kHopLimit), 255);
    }
}

}  // namespace
}  // namespace ember
