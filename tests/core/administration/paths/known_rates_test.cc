// SPDX-License-Identifier: Apache-2.0
// EmberSM: codes of rates, as clients know them.
#include "core/administration/paths/known_rates.h"

#include <gtest/gtest.h>

namespace ember {
namespace {

namespace can = capability_mask2;

PortInfo With(std::uint16_t mask2, std::uint32_t mask = 0) {
    PortInfo info;
    info.Set(PortInfo::kCapabilityMask, mask | capability_mask::kIsCapabilityMask2Supported);
    info.Set(PortInfo::kCapabilityMask2, mask2);
    return info;
}

TEST(KnownRates, OfOldCodesAreAll) {
    for (const Rate rate : kRatesBySpeed) {
        if (rate <= kTopClassicRate) {
            EXPECT_EQ(RateKnownTo(PortInfo{}, rate), rate);
        }
    }
}

TEST(KnownRates, CameWithAWidthOrSpeed) {
    constexpr std::uint32_t kExtended = capability_mask::kIsExtendedSpeedsSupported;
    const PortInfo old = With(0);
    EXPECT_EQ(RateKnownTo(old, Rate::k28Gb), Rate::k20Gb);
    EXPECT_EQ(RateKnownTo(With(0, kExtended), Rate::k28Gb), Rate::k25Gb);
    EXPECT_EQ(RateKnownTo(With(can::kIsLinkSpeedHdrSupported), Rate::k28Gb), Rate::k20Gb);
    EXPECT_EQ(RateKnownTo(With(can::kIsLinkWidth2xSupported), Rate::k28Gb), Rate::k28Gb);
    EXPECT_EQ(RateKnownTo(old, Rate::k50Gb), Rate::k40Gb);
    EXPECT_EQ(RateKnownTo(With(can::kIsLinkWidth2xSupported), Rate::k50Gb), Rate::k50Gb);
    EXPECT_EQ(RateKnownTo(With(can::kIsLinkSpeedHdrSupported), Rate::k50Gb), Rate::k50Gb);
    for (const Rate rate : {Rate::k400Gb, Rate::k600Gb}) {
        EXPECT_EQ(RateKnownTo(old, rate), Rate::k300Gb);
        EXPECT_EQ(RateKnownTo(With(can::kIsLinkSpeedHdrSupported), rate), rate);
        EXPECT_EQ(RateKnownTo(With(can::kIsLinkSpeedNdrSupported), rate), rate);
    }
    for (const Rate rate : {Rate::k800Gb, Rate::k1200Gb}) {
        EXPECT_EQ(RateKnownTo(old, rate), Rate::k300Gb);
        EXPECT_EQ(RateKnownTo(With(can::kIsLinkSpeedHdrSupported), rate), Rate::k600Gb);
        EXPECT_EQ(RateKnownTo(With(can::kIsLinkSpeedNdrSupported), rate), rate);
    }
}

TEST(KnownRates, WithoutCapabilityMask2AreOld) {
    PortInfo info = With(can::kIsLinkSpeedNdrSupported);
    info.Set(PortInfo::kCapabilityMask, std::uint32_t{0});
    EXPECT_EQ(RateKnownTo(info, Rate::k400Gb), Rate::k300Gb);
}

}  // namespace
}  // namespace ember
