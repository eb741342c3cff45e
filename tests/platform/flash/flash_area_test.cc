// SPDX-License-Identifier: Apache-2.0
// EmberSM: a blank flash is taken, ours is found again, and a cut leaves one or the other.
#include "platform/flash/flash_area.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>

#include "core/base/crc32.h"
#include "platform/flash/flash_opening.h"
#include "tests/support/flash_emulator.h"

namespace ember::testing {
namespace {

using Owner = FlashArea::Owner;

constexpr std::uint32_t kSectors = 16;
constexpr std::array<FlashNeed, 3> kNeeds = {
    {{StoreSlot::kConfigurationCounter, 64, 64, 2},
     {StoreSlot::kConfigurationBlob, 1U << 20U, 4096, 1},
     {StoreSlot::kConfigurationOther, 1U << 20U, 4096, 1}}};

Owner OwnerOf(FlashEmulator& flash) {
    FlashArea area(flash);
    const Result<Owner> owner = area.Look();
    EXPECT_TRUE(owner.ok());
    return owner.value();
}

void Blank(FlashEmulator& flash) {
    std::fill(flash.octets().begin(), flash.octets().end(), flash.geometry().erased);
}

TEST(FlashArea, IsNobodysWhenBlankAndForeignWithASingleOctetInIt) {
    NorFlash flash(kSectors);
    EXPECT_EQ(OwnerOf(flash), Owner::kForeign);
    Blank(flash);
    EXPECT_EQ(OwnerOf(flash), Owner::kNobody);
    for (const std::size_t at : {std::size_t{0}, std::size_t{777}, flash.octets().size() - 1}) {
        Blank(flash);
        flash.octets()[at] = std::byte{0xFE};
        EXPECT_EQ(OwnerOf(flash), Owner::kForeign) << at;
    }
    EXPECT_EQ(flash.writes(), 0U) << "looking writes nothing";
}

TEST(FlashArea, IsDividedOnceAndFoundAgainAsItWas) {
    NorFlash flash(kSectors);
    FlashArea area(flash);
    ASSERT_EQ(area.Format(kNeeds), Status::kOk);
    FlashArea again(flash);
    ASSERT_EQ(again.Look().value(), Owner::kOurs);
    EXPECT_FALSE(again.needs_mending());
    ASSERT_EQ(again.regions().size(), 3U);
    EXPECT_EQ(again.regions()[0].slot, StoreSlot::kConfigurationCounter);
    EXPECT_EQ(again.regions()[0].first_sector, 1U);
    EXPECT_EQ(again.regions()[0].copies, 2U);
    // 16 sectors, two of them for labels and two for the counter: six for each configuration.
    EXPECT_EQ(again.regions()[1].sectors, 6U);
    EXPECT_EQ(again.regions()[2].sectors, 6U);
    FlashStore store(flash);
    EXPECT_EQ(store.Open(again.regions()), Status::kOk);
    std::array<std::byte, 64> room{};
    EXPECT_EQ(store.Load(StoreSlot::kConfigurationCounter, room).status(), Status::kAbsent);
    EXPECT_EQ(flash.misuses(), 0U);
}

TEST(FlashArea, GivesNoMoreThanIsNeeded) {
    NorFlash flash(kSectors);
    FlashArea area(flash);
    constexpr std::array<FlashNeed, 1> kOne = {{{StoreSlot::kConfigurationBlob, 5000, 100, 2}}};
    ASSERT_EQ(area.Format(kOne), Status::kOk);
    EXPECT_EQ(area.regions()[0].sectors, 2U);
}

TEST(FlashArea, SaysWhenItIsTooSmallAndTouchesNothingThen) {
    const std::uint64_t least = FlashArea::LeastBytes(NorFlash(1).geometry(), kNeeds);
    EXPECT_EQ(least, (2U + 2U + 2U * 2U) * 4096U);
    NorFlash small(7);
    FlashArea area(small);
    EXPECT_EQ(area.Format(kNeeds), Status::kFull);
    EXPECT_EQ(small.writes(), 0U);
    NorFlash enough(8);
    FlashArea fits(enough);
    EXPECT_EQ(fits.Format(kNeeds), Status::kOk);
}

TEST(FlashArea, IsStillOursWithOneLabelAndHasBothWhenMended) {
    for (const std::uint32_t sector : {0U, kSectors - 1}) {
        NorFlash flash(kSectors);
        FlashArea area(flash);
        ASSERT_EQ(area.Format(kNeeds), Status::kOk);
        flash.octets()[sector * 4096 + 50] ^= std::byte{1};
        FlashArea again(flash);
        ASSERT_EQ(again.Look().value(), Owner::kOurs);
        EXPECT_EQ(again.regions().size(), 3U);
        ASSERT_TRUE(again.needs_mending());
        ASSERT_EQ(again.Mend(), Status::kOk);
        FlashArea mended(flash);
        ASSERT_EQ(mended.Look().value(), Owner::kOurs);
        EXPECT_FALSE(mended.needs_mending());
    }
}

TEST(FlashArea, IsNotTakenByAnotherSizeAndNotByAnOlderRelease) {
    NorFlash flash(kSectors);
    FlashArea area(flash);
    ASSERT_EQ(area.Format(kNeeds), Status::kOk);
    NorFlash larger(kSectors + 4);
    Blank(larger);
    std::copy(flash.octets().begin(), flash.octets().end(), larger.octets().begin());
    EXPECT_EQ(OwnerOf(larger), Owner::kMoved);
    EmmcFlash otherwise(kSectors);
    otherwise.octets() = flash.octets();
    EXPECT_EQ(OwnerOf(otherwise), Owner::kMoved);
}

/// A label that gives its own sector away, or more copies than there are, would have it erased.
TEST(FlashArea, WhoseLabelLiesInARegionMakesNoSense) {
    struct Forged {
        std::size_t at;
        std::uint8_t high;
        std::uint8_t low;
    };
    // Of the first region: the number of copies, and the lower half of its first sector.
    for (const Forged& forged : {Forged{22, 0, 3}, Forged{22, 1, 2}, Forged{26, 0, 0},
                                 Forged{26, 0, kSectors - 1}, Forged{26, 0, kSectors - 2}}) {
        NorFlash flash(kSectors);
        FlashArea made(flash);
        ASSERT_EQ(made.Format(kNeeds), Status::kOk);
        auto& octets = flash.octets();
        const auto label = std::span(octets).first(120);
        label[forged.at] = std::byte{forged.high};
        label[forged.at + 1] = std::byte{forged.low};
        const std::uint32_t crc = Crc32(label.first(116));
        for (unsigned i = 0; i < 4; ++i) {
            label[116 + i] = static_cast<std::byte>(crc >> (24 - 8 * i));
        }
        std::copy(label.begin(), label.end(),
                  octets.end() - static_cast<std::ptrdiff_t>(flash.geometry().erase_bytes));
        FlashArea area(flash);
        FlashStore store(flash);
        EXPECT_EQ(OpenFlash(area, store, flash.geometry(), {100, 4096}, true),
                  FlashOpening::kSenseless)
            << forged.at << " " << unsigned{forged.low};
    }
}

/// Goal: a cut while an area is formatted leaves it without an owner or ours, and never ours half
/// erased.
TEST(FlashArea, CutWhileItIsFormattedIsOursOnlyWhenAllElseIsErased) {
    unsigned ours = 0;
    unsigned foreign = 0;
    for (std::uint64_t cut = 1;; ++cut) {
        NorFlash flash(kSectors);
        flash.CutAt(cut, static_cast<std::uint32_t>(cut));
        FlashArea area(flash);
        const Status status = area.Format(kNeeds);
        if (!flash.is_off()) {
            EXPECT_EQ(status, Status::kOk);
            break;
        }
        flash.PowerUp();
        FlashArea next(flash);
        const Result<Owner> owner = next.Look();
        ASSERT_TRUE(owner.ok());
        if (owner.value() != Owner::kOurs) {
            ++foreign;
            ASSERT_EQ(next.Format(kNeeds), Status::kOk);
        } else {
            ++ours;
            ASSERT_EQ(next.Mend(), Status::kOk);
        }
        FlashStore store(flash);
        ASSERT_EQ(store.Open(next.regions()), Status::kOk);
        for (const FlashNeed& need : kNeeds) {
            std::array<std::byte, 64> room{};
            ASSERT_EQ(store.Load(need.slot, room).status(), Status::kAbsent) << "cut " << cut;
        }
        ASSERT_EQ(OwnerOf(flash), Owner::kOurs);
    }
    EXPECT_GT(ours, 0U);
    EXPECT_GT(foreign, 10U);
}

TEST(FlashArea, GoesOnWhereABusyDeviceStopped) {
    NorFlash flash(kSectors);
    flash.SetBusyEvery(2);
    FlashArea area(flash);
    unsigned calls = 1;
    while (area.Format(kNeeds) == Status::kBusy) {
        ASSERT_LT(++calls, 100U);
    }
    EXPECT_GT(calls, 5U);
    EXPECT_EQ(OwnerOf(flash), Owner::kOurs);
    EXPECT_EQ(flash.misuses(), 0U);
}

}  // namespace
}  // namespace ember::testing
