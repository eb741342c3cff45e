// SPDX-License-Identifier: Apache-2.0
// EmberSM: what ports hold by the keys of virtual lanes.

#include "core/lanes/lane_tables.h"

#include <array>
#include <gtest/gtest.h>
#include <initializer_list>
#include <tuple>
#include <utility>

namespace ember {
namespace {

using enum VlArbitrationBlock;

void Put(VlWeights& list, std::initializer_list<VlWeight> entries) {
    for (const VlWeight& entry : entries) {
        ASSERT_EQ(list.TryPush(entry), Status::kOk);
    }
}

void PutMap(LaneSettings& lanes, std::uint8_t first) {
    for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
        ASSERT_EQ(lanes.sl_to_vl.TryPush(static_cast<std::uint8_t>((first + sl) % 15)),
                  Status::kOk);
    }
}

/// Without qos no key counts.
Settings WithQos() {
    Settings settings;
    settings.qos = true;
    return settings;
}

LaneSettings& Of(Settings& settings, LanePorts kind) {
    return settings.lanes[Raw(kind)];
}

TEST(LaneTables, AreThoseOfOpensmWhereNothingIsSaid) {
    const Settings settings = WithQos();
    const auto high =
        WantedArbitration(settings, LanePorts::kCa, kLowerHighPriority, 32, VlCap::kVl0To14);
    const auto low =
        WantedArbitration(settings, LanePorts::kCa, kLowerLowPriority, 32, VlCap::kVl0To14);
    for (std::size_t i = 0; i < 32; ++i) {
        EXPECT_EQ(high.vl(i), i < 15 ? i : 0U);
        EXPECT_EQ(low.vl(i), i < 15 ? i : 0U);
        EXPECT_EQ(high.weight(i), i == 0 ? 4U : 0U);
        EXPECT_EQ(low.weight(i), i > 0 && i < 15 ? 4U : 0U);
    }
    const auto map = WantedSlToVl(settings, LanePorts::kRouter, VlCap::kVl0To14);
    for (std::size_t sl = 0; sl < 16; ++sl) {
        EXPECT_EQ(map.vl(sl), sl == 15 ? 7U : sl);
    }
    EXPECT_EQ(WantedHighLimit(settings, LanePorts::kCa, VlCap::kVl0To7), 0U);
}

TEST(LaneTables, FoldVlsIntoThoseOfTheLink) {
    Settings settings = WithQos();
    Put(Of(settings, LanePorts::kAny).low, {{3, 9}, {14, 1}});
    PutMap(Of(settings, LanePorts::kAny), 0);
    for (const auto& [vls, three, fourteen] :
         {std::tuple{VlCap::kVl0, 0, 0}, std::tuple{VlCap::kVl0To1, 1, 0},
          std::tuple{VlCap::kVl0To3, 3, 2}, std::tuple{VlCap::kVl0To7, 3, 6},
          std::tuple{VlCap::kVl0To14, 3, 14}}) {
        const auto low = WantedArbitration(settings, LanePorts::kCa, kLowerLowPriority, 32, vls);
        EXPECT_EQ(low.vl(0), three);
        EXPECT_EQ(low.weight(0), 9);
        EXPECT_EQ(low.vl(1), fourteen);
        const auto map = WantedSlToVl(settings, LanePorts::kCa, vls);
        EXPECT_EQ(map.vl(3), three);
        EXPECT_EQ(map.vl(14), fourteen);
    }
}

TEST(LaneTables, DropWhatTheMapGivesToVl15OnAnyLink) {
    Settings settings = WithQos();
    auto& map = Of(settings, LanePorts::kCa).sl_to_vl;
    PutMap(Of(settings, LanePorts::kCa), 0);
    map[5] = 15;
    EXPECT_EQ(WantedSlToVl(settings, LanePorts::kCa, VlCap::kVl0).vl(5), 15);
    EXPECT_TRUE(DropsSl(settings, LanePorts::kCa, 5));
    EXPECT_FALSE(DropsSl(settings, LanePorts::kCa, 6));
    EXPECT_FALSE(DropsSl(settings, LanePorts::kRouter, 5));
}

TEST(LaneTables, OfAKindGoBeforeThoseOfAnyPort) {
    Settings settings = WithQos();
    Of(settings, LanePorts::kAny).high_limit = 3;
    Of(settings, LanePorts::kCa).high_limit = 0;
    PutMap(Of(settings, LanePorts::kAny), 1);
    PutMap(Of(settings, LanePorts::kSwitch0), 2);
    Put(Of(settings, LanePorts::kAny).high, {{1, 5}});
    Put(Of(settings, LanePorts::kRouter).high, {{2, 6}});
    const auto high = [&](LanePorts kind) {
        return WantedArbitration(settings, kind, kLowerHighPriority, 1, VlCap::kVl0To14);
    };
    EXPECT_EQ(WantedHighLimit(settings, LanePorts::kCa, VlCap::kVl0To1), 0);
    EXPECT_EQ(WantedHighLimit(settings, LanePorts::kRouter, VlCap::kVl0To1), 3);
    EXPECT_EQ(WantedHighLimit(settings, LanePorts::kRouter, VlCap::kVl0), 0) << "one data VL";
    EXPECT_EQ(WantedSlToVl(settings, LanePorts::kCa, VlCap::kVl0To14).vl(0), 1);
    EXPECT_EQ(WantedSlToVl(settings, LanePorts::kSwitch0, VlCap::kVl0To14).vl(0), 2);
    EXPECT_EQ(high(LanePorts::kSwitchExternal).vl(0), 1);
    EXPECT_EQ(high(LanePorts::kRouter).weight(0), 6);
}

/// OpenSM takes the capability modulo 32 for what is left, and never writes the second block of a
/// port that has all 64.
TEST(LaneTables, HaveASecondBlockWithAllThatThePortHas) {
    PortInfo info;
    info.Set(PortInfo::kVlCap, VlCap::kVl0To7);
    const auto entries = [&info](std::uint8_t low, std::uint8_t high) {
        info.Set(PortInfo::kVlArbitrationLowCap, low);
        info.Set(PortInfo::kVlArbitrationHighCap, high);
        return std::array{ArbitrationEntries(info, kLowerLowPriority),
                          ArbitrationEntries(info, kUpperLowPriority),
                          ArbitrationEntries(info, kLowerHighPriority),
                          ArbitrationEntries(info, kUpperHighPriority)};
    };
    using Counts = std::array<std::size_t, 4>;
    EXPECT_EQ(entries(0, 8), (Counts{0, 0, 8, 0}));
    EXPECT_EQ(entries(32, 33), (Counts{32, 0, 32, 1}));
    EXPECT_EQ(entries(64, 63), (Counts{32, 32, 32, 31}));
    EXPECT_EQ(entries(255, 255), (Counts{32, 32, 32, 32})) << "no table has more";
    info.Set(PortInfo::kVlCap, VlCap::kVl0);
    EXPECT_EQ(entries(64, 64), (Counts{0, 0, 0, 0})) << "nothing to arbitrate";

    Settings settings = WithQos();
    for (std::uint8_t i = 0; i < kMostVlWeights; ++i) {
        Put(Of(settings, LanePorts::kAny).low, {{static_cast<std::uint8_t>(i % 8), i}});
    }
    const auto upper =
        WantedArbitration(settings, LanePorts::kCa, kUpperLowPriority, 32, VlCap::kVl0To7);
    EXPECT_EQ(upper.weight(0), 32);
    EXPECT_EQ(upper.weight(31), 63);
    const auto cut =
        WantedArbitration(settings, LanePorts::kCa, kUpperLowPriority, 2, VlCap::kVl0To7);
    EXPECT_EQ(cut.weight(1), 33);
    EXPECT_EQ(cut.weight(2), 0);
}

TEST(LaneTables, HaveASumThatEachListChanges) {
    const auto sum = [](auto change) {
        Settings settings = WithQos();
        change(settings);
        return SumOfLanes(settings);
    };
    const std::array sums = {
        sum([](Settings&) {}),
        sum([](Settings& to) { to.use_optimized_slvl = true; }),
        sum([](Settings& to) {
            Put(Of(to, LanePorts::kAny).low, {{1, 1}});
        }),
        sum([](Settings& to) {
            Put(Of(to, LanePorts::kAny).high, {{1, 1}});
        }),
        sum([](Settings& to) {
            Put(Of(to, LanePorts::kCa).high, {{1, 1}});
        }),
        sum([](Settings& to) {
            Put(Of(to, LanePorts::kCa).high, {{1, 2}});
        }),
        sum([](Settings& to) { PutMap(Of(to, LanePorts::kRouter), 0); }),
    };
    for (std::size_t i = 0; i < sums.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            EXPECT_NE(sums[i], sums[k]) << i << " and " << k;
        }
    }
}

TEST(LaneTables, AreFairWithoutQosWhateverTheKeysSay) {
    Settings settings;
    Put(Of(settings, LanePorts::kAny).low, {{3, 9}, {14, 1}});
    const auto table = [&](VlArbitrationBlock block) {
        return WantedArbitration(settings, LanePorts::kCa, block, 32, VlCap::kVl0To3);
    };
    for (std::size_t i = 0; i < 32; ++i) {
        EXPECT_EQ(table(kLowerHighPriority).weight(i), 0U);
        EXPECT_EQ(table(kLowerLowPriority).weight(i), i < 4 ? 64U : 0U);
        EXPECT_EQ(table(kLowerLowPriority).vl(i), i < 4 ? i : 0U);
    }
}

}  // namespace
}  // namespace ember
