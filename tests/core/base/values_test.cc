// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of wire byte order, results and identifiers.
#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/base/be.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/status.h"

namespace ember {
namespace {

TEST(Be, IsStoredMostSignificantOctetFirst) {
    using Octets = std::array<std::uint8_t, 4>;
    EXPECT_EQ(std::bit_cast<Octets>(Be<std::uint32_t>(0x01020304)), (Octets{1, 2, 3, 4}));
    EXPECT_EQ((std::bit_cast<std::array<std::uint8_t, 2>>(Be<Lid>(Lid{0x1234}))),
              (std::array<std::uint8_t, 2>{0x12, 0x34}));
    static_assert(alignof(Be<std::uint64_t>) == 1);
    static_assert(WireStruct<Be<std::uint64_t>>);
}

RC_GTEST_PROP(Be, ReadsBackWhatWasWritten, (std::uint64_t value)) {
    RC_ASSERT(std::uint64_t{Be<std::uint64_t>(value)} == value);
    const auto half = static_cast<std::uint32_t>(value);
    RC_ASSERT(std::uint32_t{Be<std::uint32_t>(half)} == half);
    const auto quarter = static_cast<std::uint16_t>(value);
    RC_ASSERT(std::uint16_t{Be<std::uint16_t>(quarter)} == quarter);
    RC_ASSERT(Guid{Be<Guid>(Guid{value})} == Guid{value});
}

TEST(Result, HoldsAValueOrTheReasonThereIsNone) {
    const Result<int> good = 5;
    EXPECT_TRUE(good.ok());
    EXPECT_EQ(good.value(), 5);
    const Result<int> bad = Status::kAbsent;
    EXPECT_FALSE(bad.ok());
    EXPECT_EQ(bad.status(), Status::kAbsent);
    EXPECT_DEATH(static_cast<void>(bad.value()), "ok\\(\\)");
    EXPECT_DEATH(static_cast<void>(Result<int>(Status::kOk)), "kOk");
}

Status TryTwice(Status first, Status second) {
    EMBER_TRY(first);
    EMBER_TRY(second);
    return Status::kOk;
}

TEST(Try, HandsTheFirstFailureToTheCaller) {
    EXPECT_EQ(TryTwice(Status::kOk, Status::kOk), Status::kOk);
    EXPECT_EQ(TryTwice(Status::kBusy, Status::kFull), Status::kBusy);
    EXPECT_EQ(TryTwice(Status::kOk, Status::kFull), Status::kFull);
}

TEST(LftBlocks, CountsWholeBlocksOf64UpToTheTopLid) {
    EXPECT_EQ(LftBlocks(Lid{0}), 1U);
    EXPECT_EQ(LftBlocks(Lid{63}), 1U);
    EXPECT_EQ(LftBlocks(Lid{64}), 2U);
    EXPECT_EQ(LftBlocks(kTopUnicastLid), 768U);
}

TEST(Assert, AFalseClaimEndsTheProcessAndIsPrinted) {
    const auto rely_on = [](bool claim) { EMBER_ASSERT(claim); };
    rely_on(true);
    EXPECT_DEATH(rely_on(false), "values_test.cc.*claim");
}

constexpr Limits kSmall = {.max_nodes = 8,
                           .max_switches = 4,
                           .max_ports = 64,
                           .max_switch_ports = 8,
                           .max_lid = 64,
                           .max_smps = 16,
                           .max_other_sms = 2,
                           .journal_notes = 16,
                           .scratch_bytes = 4096};

template <typename Change>
consteval bool IsSoundAfter(Change change) {
    Limits limits = kSmall;
    change(limits);
    return Sound(limits);
}

TEST(Limits, LimitsBeyondTheSpecificationDoNotCompile) {
    static_assert(Sound(kSmall));
    static_assert(!IsSoundAfter([](Limits& l) { l.max_switches = 9; }), "more than nodes");
    static_assert(!IsSoundAfter([](Limits& l) { l.max_switches = 0; }));
    static_assert(!IsSoundAfter([](Limits& l) { l.max_lid = 0xC000; }), "that is a multicast LID");
    static_assert(!IsSoundAfter([](Limits& l) { l.max_switch_ports = 255; }), "255 is no port");
    static_assert(!IsSoundAfter([](Limits& l) { l.max_smps = 4097; }));
    static_assert(!IsSoundAfter([](Limits& l) { l.max_ports = 7; }), "a node has a port");
    static_assert(!IsSoundAfter([](Limits& l) { l.max_nodes = 0xFFFF; }));
    EXPECT_EQ(LidStride(kSmall), 128U) << "LIDs 0 to 64 need two blocks";
}

}  // namespace
}  // namespace ember
