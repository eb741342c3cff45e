// SPDX-License-Identifier: Apache-2.0
// EmberSM: which paths are told, by which names of their ends.
#include "core/administration/paths/path_records.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

#include "tests/core/administration/paths/path_records_fixture.h"

namespace ember {
namespace {

using testing::kPrefix;
using testing::Mask;
using testing::PathAnswer;
using testing::PathRecordsTest;
using P = PathRecord;

TEST_F(PathRecordsTest, APathIsToldWhole) {
    for (const auto& [mask, asked] : {std::pair{kLids, ByLids(0, 4)},
                                      {kGids, ByGids(0, 4)},
                                      {Mask(P::kHasSgid, P::kHasDlid), [&] {
                                           PathRecord both = ByGids(0, 4);
                                           both.Set(P::kDlid, Host(4).lid);
                                           return both;
                                       }()}}) {
        const PathAnswer answer = net_.Ask(Method::kGet, mask, asked);
        ASSERT_EQ(answer.records.size(), 1U);
        const PathRecord& path = answer.records[0];
        EXPECT_EQ(path.Get(P::kSgidPrefix), kPrefix);
        EXPECT_EQ(path.Get(P::kDgidPrefix), kPrefix);
        EXPECT_EQ(path.Get(P::kSgidGuid), Host(0).guid);
        EXPECT_EQ(path.Get(P::kDgidGuid), Host(4).guid);
        EXPECT_EQ(path.Get(P::kSlid), Host(0).lid);
        EXPECT_EQ(path.Get(P::kDlid), Host(4).lid);
        EXPECT_EQ(path.Get(P::kPKey), 0xFFFF);
        EXPECT_EQ(path.Get(P::kReversible), 1);
        EXPECT_EQ(path.Get(P::kMtu), Mtu::k4096);
        EXPECT_EQ(path.Get(P::kRate), Rate::k10Gb);
        EXPECT_EQ(path.Get(P::kPacketLifeTime), 18);
        EXPECT_EQ(path.Get(P::kMtuSelector), Selector::kExactly);
        EXPECT_EQ(path.Get(P::kRateSelector), Selector::kExactly);
        EXPECT_EQ(path.Get(P::kPacketLifeTimeSelector), Selector::kExactly);
        EXPECT_EQ(path.Get(P::kPreference), 0);
        EXPECT_EQ(path.Get(P::kHopLimit), 0);
        EXPECT_EQ(path.Get(P::kSl), 0);
        EXPECT_EQ(path.Get(P::kRawTraffic), 0);
    }
}

TEST_F(PathRecordsTest, AnEndThatIsNotNamedIsEveryPort) {
    constexpr std::size_t kEnds = 8;  // 5 hosts, 2 switches, 1 router.
    EXPECT_EQ(Count(0, {}), kEnds * kEnds);
    EXPECT_EQ(Count(Mask(P::kHasSlid), ByLids(0, 0)), kEnds);
    EXPECT_EQ(Count(Mask(P::kHasDgid), ByGids(0, 4)), kEnds);
}

TEST_F(PathRecordsTest, AGetTellsTheFirstPathOfMany) {
    for (const std::uint64_t mask : {std::uint64_t{0}, Mask(P::kHasSlid), Mask(P::kHasDlid)}) {
        const PathAnswer all = net_.Ask(Method::kGetTable, mask, ByLids(1, 2));
        const PathAnswer one = net_.Ask(Method::kGet, mask, ByLids(1, 2));
        ASSERT_EQ(one.records.size(), 1U);
        EXPECT_EQ(one.records[0], all.records.at(0));
    }
}

TEST_F(PathRecordsTest, RecordsComeByDestinationThenSource) {
    const PathAnswer answer = net_.Ask(Method::kGetTable, 0, {});
    for (std::size_t i = 1; i < answer.records.size(); ++i) {
        const auto key = [&](std::size_t at) {
            return std::pair(answer.records[at].Get(P::kDlid), answer.records[at].Get(P::kSlid));
        };
        EXPECT_LT(key(i - 1), key(i));
    }
}

TEST_F(PathRecordsTest, AnyBudgetTellsTheSame) {
    const PathAnswer whole = net_.Ask(Method::kGetTable, 0, {}, 100000);
    for (const std::uint32_t budget : {1U, 2U, 3U, 16U, 17U, 50U}) {
        const PathAnswer pieces = net_.Ask(Method::kGetTable, 0, {}, budget);
        EXPECT_EQ(pieces.records, whole.records) << budget;
        EXPECT_GE(pieces.slices, whole.slices);
    }
}

TEST_F(PathRecordsTest, AnUnknownEndHasNoPathsAndIsNoError) {
    PathRecord asked = ByGids(0, 4);
    asked.Set(P::kDgidGuid, Guid{0xDEAD});
    EXPECT_EQ(Count(kGids, asked), 0U);
    asked = ByGids(0, 4);
    asked.Set(P::kSgidPrefix, std::uint64_t{0x1234});  // A source in another subnet.
    EXPECT_EQ(Count(kGids, asked), 0U);
    asked = ByLids(0, 4);
    for (const unsigned lid : {0U, 40U, 0xBFFFU, 0xC000U, 0xFFFFU}) {
        asked.Set(P::kDlid, static_cast<Lid>(lid));
        EXPECT_EQ(Count(kLids, asked), 0U) << lid;
        asked.Set(P::kSlid, static_cast<Lid>(lid));
        EXPECT_EQ(Count(Mask(P::kHasSlid), asked), 0U) << lid;
    }
}

TEST_F(PathRecordsTest, TwoNamesOfDifferentPortsAreInvalid) {
    PathRecord asked = ByGids(0, 4);
    asked.Set(P::kSlid, Host(0).lid);
    asked.Set(P::kDlid, Host(4).lid);
    EXPECT_EQ(Count(kGids | kLids, asked), 1U);
    asked.Set(P::kDlid, Host(5).lid);
    EXPECT_EQ(net_.Ask(Method::kGet, kGids | kLids, asked).status, SaStatus::kRequestInvalid);
    asked.Set(P::kDlid, Host(4).lid);
    asked.Set(P::kSlid, Host(5).lid);
    EXPECT_EQ(net_.Ask(Method::kGet, kGids | kLids, asked).status, SaStatus::kRequestInvalid);
}

TEST_F(PathRecordsTest, ALinkLocalGidNamesAPortUnderAnyPrefix) {
    net_.settings().subnet_prefix = 0xFEC0000000001234;
    PathAnswer answer = net_.Ask(Method::kGet, kGids, ByGids(0, 4));
    ASSERT_EQ(answer.records.size(), 1U);
    EXPECT_EQ(answer.records[0].Get(P::kDgidPrefix), 0xFEC0000000001234);
    EXPECT_EQ(answer.records[0].Get(P::kSgidPrefix), 0xFEC0000000001234);
    PathRecord asked = ByGids(0, 4);
    asked.Set(P::kSgidPrefix, std::uint64_t{0xFEC0000000001234});
    EXPECT_EQ(Count(kGids, asked), 1U);
}

TEST_F(PathRecordsTest, HalfAServiceIdIsTooLittle) {
    for (const std::uint64_t mask : {Mask(P::kHasServiceIdHigh), Mask(P::kHasServiceIdLow)}) {
        EXPECT_EQ(net_.Ask(Method::kGet, kLids | mask, ByLids(0, 4)).status,
                  SaStatus::kInsufficientComponents);
    }
    EXPECT_EQ(Count(kLids | Mask(P::kHasServiceIdHigh, P::kHasServiceIdLow), ByLids(0, 4)), 1U);
}

TEST_F(PathRecordsTest, ValuesThatDoNotExistAreInvalid) {
    PathRecord asked = ByLids(0, 4);
    const std::uint64_t mtu = kLids | Mask(P::kHasMtu, P::kHasMtuSelector);
    const std::uint64_t rate = kLids | Mask(P::kHasRate, P::kHasRateSelector);
    for (const unsigned code : {0U, 6U, 63U}) {
        asked.Set(P::kMtu, static_cast<Mtu>(code));
        EXPECT_EQ(net_.Ask(Method::kGet, mtu, asked).status, SaStatus::kRequestInvalid) << code;
        EXPECT_EQ(net_.Ask(Method::kGet, kLids | Mask(P::kHasMtu), asked).status, SaStatus::kOk);
    }
    for (const unsigned code : {0U, 1U, 27U, 63U}) {
        asked.Set(P::kRate, static_cast<Rate>(code));
        EXPECT_EQ(net_.Ask(Method::kGet, rate, asked).status, SaStatus::kRequestInvalid) << code;
        EXPECT_EQ(net_.Ask(Method::kGet, kLids | Mask(P::kHasRate), asked).status, SaStatus::kOk);
    }
}

}  // namespace
}  // namespace ember
