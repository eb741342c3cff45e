// SPDX-License-Identifier: Apache-2.0
// EmberSM: the driver of NOR flash against chips that are slow, broken, or something else.

#include "platform/bare/cfi_flash.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "platform/flash/flash_store.h"
#include "tests/support/cfi_emulator.h"

namespace ember::bare {
namespace {

using testing::CfiEmulator;
using Octets = std::vector<std::byte>;

constexpr std::uint32_t kSector = CfiEmulator::kSectorBytes;
constexpr std::uint32_t kPartAt = 8 * kSector;
constexpr std::uint32_t kPartSectors = 16;
constexpr CfiPart kPart = {kPartAt, kPartSectors* kSector};

Octets Filled(std::size_t size, unsigned seed) {
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) {
        octets[i] = static_cast<std::byte>(seed * 131 + i * 7 + (i >> 8U));
    }
    return octets;
}

class CfiFlashTest : public ::testing::Test {
protected:
    void Open() { ASSERT_EQ(flash_.Open(CfiEmulator::kBytes, kPart), Status::kOk); }
    /// Until it is not kBusy any more.
    Status Await(const std::function<Status()>& call) {
        for (int i = 0; i < 1'000'000; ++i) {
            const Status status = call();
            if (status != Status::kBusy) return status;
            chips_.Wait(500);
        }
        ADD_FAILURE() << "it is busy for ever";
        return Status::kBusy;
    }
    Status Erase(std::uint32_t sector) {
        return Await([&] { return flash_.Erase(sector); });
    }
    Status Program(std::uint32_t at, const Octets& octets) {
        return Await([&] { return flash_.Program(at, octets); });
    }
    Octets Read(std::uint32_t at, std::size_t size) {
        Octets octets(size);
        EXPECT_EQ(Await([&] { return flash_.Read(at, octets); }), Status::kOk);
        return octets;
    }
    /// The octets stored in the bank, without asking the driver.
    Octets Stored(std::uint32_t at, std::size_t size) const {
        Octets octets(size);
        std::memcpy(octets.data(), chips_.words.data() + at / 4, size);
        return octets;
    }

    CfiEmulator chips_;
    CfiFlash flash_{chips_, chips_};
};

TEST_F(CfiFlashTest, TakesSizesFromTheChips) {
    Open();
    EXPECT_EQ(flash_.geometry().erase_bytes, kSector);
    EXPECT_EQ(flash_.geometry().sectors, kPartSectors);
    EXPECT_EQ(flash_.geometry().program_bytes, 4U);
    EXPECT_EQ(flash_.geometry().erased, std::byte{0xFF});
    EXPECT_EQ(flash_.buffer_bytes(), CfiEmulator::kBufferBytes);
    EXPECT_TRUE(chips_.is_array());
    EXPECT_EQ(chips_.misuses(), 0U);
}

TEST_F(CfiFlashTest, FindsTheRegionThatThePartLiesIn) {
    chips_.answer[0x2C] = 2;  // 8 sectors of 1 KiB a chip, then 28 of 2 KiB.
    const std::array<std::uint8_t, 8> regions = {7, 0, 4, 0, 27, 0, 8, 0};
    std::copy(regions.begin(), regions.end(), chips_.answer.begin() + 0x2D);
    Open();
    EXPECT_EQ(flash_.geometry().erase_bytes, kSector);
    ASSERT_EQ(flash_.Open(CfiEmulator::kBytes, {0, 4 * kSector}), Status::kOk);
    EXPECT_EQ(flash_.geometry().erase_bytes, kSector / 2);
    EXPECT_EQ(flash_.geometry().sectors, 8U);
    // Half in one and half in the other.
    EXPECT_EQ(flash_.Open(CfiEmulator::kBytes, {2 * kSector, 4 * kSector}), Status::kMalformed);
}

TEST_F(CfiFlashTest, BelievesNoSizesThatDoNotAddUp) {
    const auto refuses = [this](std::size_t at, std::uint8_t octet) {
        const std::uint8_t before = chips_.answer[at];
        chips_.answer[at] = octet;
        const Status status = flash_.Open(CfiEmulator::kBytes, kPart);
        chips_.answer[at] = before;
        return status == Status::kMalformed;
    };
    EXPECT_TRUE(refuses(0x27, 15));    // A chip of half the size,
    EXPECT_TRUE(refuses(0x27, 17));    // of twice the size,
    EXPECT_TRUE(refuses(0x27, 0));     // of one octet,
    EXPECT_TRUE(refuses(0x27, 0xFF));  // of more than there can be.
    EXPECT_TRUE(refuses(0x2C, 0));     // No regions,
    EXPECT_TRUE(refuses(0x2C, 0xFF));  // more than a chip has.
    EXPECT_TRUE(refuses(0x2D, 7));     // Fewer sectors than octets,
    EXPECT_TRUE(refuses(0x2E, 0xFF));  // more.
    EXPECT_TRUE(refuses(0x2F, 7));     // Sectors of an odd size,
    EXPECT_TRUE(refuses(0x30, 0xFF));  // of 16 MiB.
    Open();
}

TEST_F(CfiFlashTest, StaysInsideOfBankAndChips) {
    const auto open = [this](std::uint32_t bank, const CfiPart& part) {
        return flash_.Open(bank, part);
    };
    EXPECT_EQ(open(CfiEmulator::kBytes, {kPartAt + 512, kSector}), Status::kMalformed);
    EXPECT_EQ(open(CfiEmulator::kBytes, {kPartAt, kSector + 512}), Status::kMalformed);
    EXPECT_EQ(open(CfiEmulator::kBytes, {kPartAt + 2, kSector}), Status::kMalformed);
    EXPECT_EQ(open(CfiEmulator::kBytes, {kPartAt, 0}), Status::kMalformed);
    EXPECT_EQ(open(kPartAt + kSector, {kPartAt, 2 * kSector}), Status::kMalformed);
    EXPECT_EQ(open(2 * CfiEmulator::kBytes, {31 * kSector, 2 * kSector}), Status::kMalformed);
    EXPECT_EQ(open(CfiEmulator::kBytes, {31 * kSector, 0xFFFFF000}), Status::kMalformed);
    EXPECT_EQ(open(CfiEmulator::kBytes, {31 * kSector, kSector}), Status::kOk);
}

TEST_F(CfiFlashTest, KnowsWhatItDoesNotSpeak) {
    chips_.answer[0x13] = 2;  // AMD's commands.
    EXPECT_EQ(flash_.Open(CfiEmulator::kBytes, kPart), Status::kUnknown);
    chips_.answer[0x13] = 3;
    Open();
}

TEST_F(CfiFlashTest, IsAbsentWhereNothingAnswersOrTwoDifferentOnes) {
    const auto open = [this] { return flash_.Open(CfiEmulator::kBytes, kPart); };
    chips_.second_answers = 1;
    EXPECT_EQ(open(), Status::kBusy);
    EXPECT_EQ(Await(open), Status::kAbsent);
    EXPECT_GE(chips_.NowUs(), CfiFlash::kEraseUs);
    chips_.second_answers = 0;
    Open();
    CfiEmulator memory;
    memory.BeDeaf();
    CfiFlash none(memory, memory);
    EXPECT_EQ(none.Open(CfiEmulator::kBytes, kPart), Status::kBusy);
    memory.Wait(CfiFlash::kEraseUs);
    EXPECT_EQ(none.Open(CfiEmulator::kBytes, kPart), Status::kAbsent);
    EXPECT_EQ(memory.words, std::vector<std::uint32_t>(CfiEmulator::kBytes / 4, 0xFFFFFFFF));
}

TEST_F(CfiFlashTest, ProgramsWhatItIsToldAndNothingElse) {
    Open();
    const Octets octets = Filled(700, 3);
    ASSERT_EQ(Program(kSector + 20, octets), Status::kOk);
    Octets expected(CfiEmulator::kBytes, std::byte{0xFF});
    std::copy(octets.begin(), octets.end(), expected.begin() + kPartAt + kSector + 20);
    EXPECT_EQ(Stored(0, CfiEmulator::kBytes), expected);
    EXPECT_EQ(chips_.buffers(), 12U);  // 720 octets, from the start of the first buffer on.
    EXPECT_EQ(chips_.misuses(), 0U);
    EXPECT_TRUE(chips_.is_array());
    EXPECT_EQ(Read(kSector + 21, 133), Octets(octets.begin() + 1, octets.begin() + 134));
}

TEST_F(CfiFlashTest, ProgramsWordByWordWhereThereIsNoBuffer) {
    chips_.answer[0x2A] = 0;
    Open();
    EXPECT_EQ(flash_.buffer_bytes(), 4U);
    const Octets octets = Filled(100, 5);
    ASSERT_EQ(Program(40, octets), Status::kOk);
    EXPECT_EQ(Stored(kPartAt + 40, 100), octets);
    EXPECT_EQ(chips_.buffers(), 0U);
    EXPECT_EQ(chips_.misuses(), 0U);
}

TEST_F(CfiFlashTest, ErasesOneSectorAndNoNeighbour) {
    Open();
    std::fill(chips_.words.begin(), chips_.words.end(), 0x12345678);
    ASSERT_EQ(Erase(2), Status::kOk);
    const std::uint32_t first = (kPartAt + 2 * kSector) / 4;
    for (std::uint32_t i = 0; i < chips_.words.size(); ++i) {
        const bool is_erased = i >= first && i < first + kSector / 4;
        ASSERT_EQ(chips_.words[i], is_erased ? 0xFFFFFFFF : 0x12345678) << i;
    }
    EXPECT_EQ(chips_.erasures(), 1U);
    EXPECT_EQ(chips_.misuses(), 0U);
}

TEST_F(CfiFlashTest, NeverWaits) {
    chips_.erase_us = 1'000'000;
    chips_.program_us = 2'000;
    Open();
    const auto costs = [this](const std::function<Status()>& call) {
        const std::uint64_t before = chips_.accesses();
        EXPECT_EQ(call(), Status::kBusy);
        return chips_.accesses() - before;
    };
    constexpr std::uint64_t kFew = 2 * CfiFlash::kPolls;
    EXPECT_LE(costs([&] { return flash_.Erase(3); }), kFew);
    EXPECT_LE(costs([&] { return flash_.Erase(3); }), kFew);
    std::array<std::byte, 4> octets{};
    // The chips say nothing but their status: what stands there cannot be read.
    EXPECT_LE(costs([&] { return flash_.Read(0, octets); }), kFew);
    EXPECT_LE(costs([&] { return flash_.Flush(); }), kFew);
    EXPECT_LE(costs([&] { return flash_.Program(0, octets); }), kFew);
    chips_.Wait(1'000'000);
    EXPECT_EQ(flash_.Erase(3), Status::kOk);
    EXPECT_LE(costs([&] { return flash_.Program(0, octets); }), kFew);
    EXPECT_EQ(Await([&] { return flash_.Program(0, octets); }), Status::kOk);
    EXPECT_EQ(chips_.erasures(), 1U);
    EXPECT_EQ(chips_.misuses(), 0U);
}

TEST_F(CfiFlashTest, WhatEndedWhileAnotherAskedIsNotDoneTwice) {
    chips_.program_us = 200;
    Open();
    const Octets octets = Filled(256, 9);
    EXPECT_EQ(flash_.Program(0, octets), Status::kBusy);
    chips_.Wait(1000);
    (void)Read(kSector, 4);
    ASSERT_EQ(Program(0, octets), Status::kOk);
    EXPECT_EQ(chips_.buffers(), 4U);
    EXPECT_EQ(chips_.misuses(), 0U);  // No word was programmed twice.
    EXPECT_EQ(Stored(kPartAt, 256), octets);
}

TEST_F(CfiFlashTest, EveryErrorOfEitherChipIsToldAndForgotten) {
    Open();
    std::uint32_t sector = 0;
    for (const std::uint32_t bit : {5U, 4U, 3U, 1U}) {
        for (const unsigned chip : {0U, 16U}) {
            chips_.next_error = 1U << (bit + chip);
            EXPECT_EQ(Erase(sector), Status::kDevice) << bit;
            EXPECT_TRUE(chips_.is_array());
            EXPECT_EQ(Erase(sector), Status::kOk) << bit;
            chips_.next_error = 1U << (bit + chip);
            EXPECT_EQ(Program(sector * kSector, Filled(256, 1)), Status::kDevice) << bit;
            EXPECT_TRUE(chips_.is_array());
            ASSERT_EQ(Erase(sector), Status::kOk);
            EXPECT_EQ(Program(sector * kSector, Filled(256, 1)), Status::kOk) << bit;
            ++sector;
        }
    }
    EXPECT_EQ(chips_.misuses(), 0U);
}

TEST_F(CfiFlashTest, ADeviceThatIsNeverReadyIsGivenUp) {
    Open();
    chips_.Hang(true);
    const std::uint64_t began_us = chips_.NowUs();
    EXPECT_EQ(Erase(1), Status::kDevice);
    EXPECT_GE(chips_.NowUs() - began_us, CfiFlash::kEraseUs);
    EXPECT_LE(chips_.NowUs() - began_us, CfiFlash::kEraseUs + 1000);
    std::array<std::byte, 4> octets{};
    EXPECT_EQ(flash_.Read(0, octets), Status::kDevice);
    EXPECT_EQ(flash_.Program(0, octets), Status::kDevice);
    EXPECT_EQ(flash_.Erase(2), Status::kDevice);
    EXPECT_EQ(flash_.Flush(), Status::kDevice);
    // And it is a flash memory again when it is ready after all.
    chips_.Hang(false);
    EXPECT_EQ(Erase(2), Status::kOk);
    EXPECT_EQ(Program(0, Filled(64, 2)), Status::kOk);
    EXPECT_EQ(Read(0, 64), Filled(64, 2));
}

TEST_F(CfiFlashTest, ABufferThatNeverComesFreeIsGivenUp) {
    Open();
    chips_.full_buffers = 100;
    EXPECT_EQ(Program(0, Filled(64, 4)), Status::kOk);
    chips_.full_buffers = ~std::uint64_t{0};
    const std::uint64_t began_us = chips_.NowUs();
    EXPECT_EQ(Program(64, Filled(64, 4)), Status::kDevice);
    EXPECT_GE(chips_.NowUs() - began_us, CfiFlash::kProgramUs);
    EXPECT_LE(chips_.NowUs() - began_us, CfiFlash::kProgramUs + 1000);
    chips_.full_buffers = 0;
    EXPECT_EQ(Read(0, 64), Filled(64, 4));
    EXPECT_EQ(Program(64, Filled(64, 4)), Status::kOk);
}

TEST_F(CfiFlashTest, UnlocksWhatWokeUpLocked) {
    for (std::uint32_t sector = 0; sector < CfiEmulator::kSectors; ++sector) {
        chips_.locked.insert(sector);
    }
    Open();
    EXPECT_EQ(Erase(0), Status::kDevice);  // Locks that are not opened at once are left alone.
    chips_.answer[0x45] = 1U << 5U;
    Open();
    EXPECT_EQ(Erase(0), Status::kOk);
    EXPECT_EQ(Program(kSector, Filled(64, 4)), Status::kOk);
    EXPECT_EQ(chips_.locked.size(), CfiEmulator::kSectors - 2);
    EXPECT_EQ(chips_.misuses(), 0U);
}

TEST_F(CfiFlashTest, AfterARestartItWaitsForWhatWasBegunBefore) {
    chips_.erase_us = 3'000'000;
    Open();
    EXPECT_EQ(flash_.Erase(0), Status::kBusy);
    CfiFlash next(chips_, chips_);
    EXPECT_EQ(next.Open(CfiEmulator::kBytes, kPart), Status::kBusy);
    chips_.Wait(3'000'000);
    EXPECT_EQ(Await([&] { return next.Open(CfiEmulator::kBytes, kPart); }), Status::kOk);
    EXPECT_TRUE(chips_.is_array());
}

constexpr std::array<FlashRegion, 2> kRegions = {
    {{StoreSlot::kGuidToLid, 1, 2, 2}, {StoreSlot::kConfigurationCounter, 5, 1, 2}}};

std::optional<Octets> Load(Store& store, StoreSlot slot) {
    Octets room(16384);
    const Result<std::size_t> count = store.Load(slot, room);
    if (!count.ok()) return std::nullopt;
    room.resize(count.value());
    return room;
}

/// Goal: what was saved survives on chips that take their time, wherever a power cut meets them.
/// Method: saves through store and driver, cut after so many calls, then a new driver and store.
TEST_F(CfiFlashTest, AStoreOnItKeepsItsWordAfterACutAnywhere) {
    chips_.program_us = 100;
    unsigned cuts = 0;
    unsigned next_size = 1;
    std::array<std::optional<Octets>, 2> held;
    for (unsigned life = 0; life < 150; ++life) {
        CfiFlash flash(chips_, chips_);
        ASSERT_EQ(flash.Open(CfiEmulator::kBytes, kPart), Status::kOk);
        FlashStore store(flash, 1);
        ASSERT_EQ(store.Open(kRegions), Status::kOk);
        for (std::size_t i = 0; i < held.size(); ++i) {
            const std::optional<Octets> found = Load(store, kRegions[i].slot);
            ASSERT_EQ(found, held[i]) << "slot " << i << ", life " << life;
        }
        const std::size_t which = life % 2;
        const Octets octets = Filled(next_size = next_size * 7 % 3001 + 1, life);
        const unsigned calls = life % 97;
        Status status = Status::kBusy;
        for (unsigned i = 0; i < calls && status == Status::kBusy; ++i) {
            status = store.Save(kRegions[which].slot, octets);
        }
        ASSERT_TRUE(status == Status::kOk || status == Status::kBusy);
        if (status == Status::kOk) held[which] = octets;
        cuts += chips_.IsAtWork() ? 1U : 0U;
        chips_.CutPower();
        if (status == Status::kOk) continue;
        // The header may have been whole already.
        CfiFlash after(chips_, chips_);
        ASSERT_EQ(after.Open(CfiEmulator::kBytes, kPart), Status::kOk);
        FlashStore look(after, 1);
        ASSERT_EQ(look.Open(kRegions), Status::kOk);
        const std::optional<Octets> found = Load(look, kRegions[which].slot);
        ASSERT_TRUE(found == held[which] || found == octets) << "life " << life;
        held[which] = found;
    }
    EXPECT_GT(cuts, 50U);
    EXPECT_EQ(chips_.misuses(), 0U);
}

}  // namespace
}  // namespace ember::bare
