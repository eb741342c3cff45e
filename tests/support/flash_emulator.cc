// SPDX-License-Identifier: Apache-2.0
// EmberSM: flash memories that lose their power in the middle of a write.
#include "tests/support/flash_emulator.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ember::testing {

FlashEmulator::FlashEmulator(const FlashGeometry& geometry)
    : geometry_(geometry),
      octets_(std::size_t{geometry.erase_bytes} * geometry.sectors),
      erased_(geometry.sectors) {
    for (std::byte& octet : octets_) {
        octet = Garbage();  // As it comes from the factory, or from another use.
    }
}

Status FlashEmulator::Read(std::uint32_t at, std::span<std::byte> octets) {
    EXPECT_LE(at + octets.size(), octets_.size()) << "reads beyond the device";
    if (is_off_ || at + octets.size() > octets_.size()) return Status::kDevice;
    std::copy_n(octets_.data() + at, octets.size(), octets.begin());
    return Status::kOk;
}

Status FlashEmulator::Before(bool& is_torn) {
    if (is_off_) return Status::kDevice;
    if (busy_every_ != 0 && !was_busy_ && (writes_ + 1) % busy_every_ == 0) {
        was_busy_ = true;
        return Status::kBusy;
    }
    was_busy_ = false;
    is_torn = ++writes_ == cut_at_;
    return Status::kOk;
}

void FlashEmulator::After(bool is_torn) {
    if (!is_torn) return;
    LosePower();
    is_off_ = true;
}

Status FlashEmulator::Program(std::uint32_t at, std::span<const std::byte> octets) {
    const bool is_cut_well =
        at % geometry_.program_bytes == 0 && octets.size() % geometry_.program_bytes == 0;
    EXPECT_TRUE(is_cut_well) << "programs half a unit at " << at;
    EXPECT_LE(at + octets.size(), octets_.size()) << "programs beyond the device";
    bool is_torn = false;
    if (const Status status = Before(is_torn); status != Status::kOk) return status;
    const bool is_worn = worn_ >= at && worn_ < at + static_cast<std::int64_t>(octets.size());
    DoProgram(at, octets, is_torn);
    if (is_worn) octets_[static_cast<std::size_t>(worn_)] |= std::byte{1};
    After(is_torn);
    return is_torn ? Status::kDevice : Status::kOk;
}

Status FlashEmulator::Erase(std::uint32_t sector) {
    EXPECT_LT(sector, geometry_.sectors) << "erases beyond the device";
    bool is_torn = false;
    if (const Status status = Before(is_torn); status != Status::kOk) return status;
    if (broken_ == sector) return Status::kDevice;
    ++erased_[sector];
    DoErase(sector * geometry_.erase_bytes, is_torn);
    After(is_torn);
    return is_torn ? Status::kDevice : Status::kOk;
}

Status FlashEmulator::Flush() {
    bool is_torn = false;
    if (const Status status = Before(is_torn); status != Status::kOk) return status;
    DoFlush(is_torn);
    After(is_torn);
    return is_torn ? Status::kDevice : Status::kOk;
}

void FlashEmulator::CutAt(std::uint64_t write, std::uint32_t seed) {
    cut_at_ = writes_ + write;
    random_.seed(seed);
}

void FlashEmulator::PowerUp() {
    is_off_ = false;
    cut_at_ = 0;
}

NorFlash::NorFlash(std::uint32_t sectors, std::uint32_t erase_bytes)
    : FlashEmulator({.erase_bytes = erase_bytes, .program_bytes = 16, .sectors = sectors}) {}

void NorFlash::DoProgram(std::uint32_t at, std::span<const std::byte> octets, bool is_torn) {
    const std::uint32_t how = is_torn ? Draw(3) : 0;
    const std::size_t prefix =
        is_torn && how == 1 ? Draw(static_cast<std::uint32_t>(octets.size())) : octets.size();
    for (std::size_t i = 0; i < prefix; ++i) {
        std::byte& cell = octets_[at + i];
        if (cell != geometry_.erased && octets[i] != geometry_.erased) ++misuses_;
        // Bits that were to fall and did not. The third way of tearing is: nothing fell.
        std::byte missed{0};
        if (is_torn && how == 0) missed = Garbage();
        if (is_torn && how == 2) missed = std::byte{0xFF};
        cell &= octets[i] | missed;
    }
}

void NorFlash::DoErase(std::uint32_t at, bool is_torn) {
    const std::uint32_t how = is_torn ? Draw(4) : 0;
    const std::uint32_t prefix = Draw(geometry_.erase_bytes);
    for (std::uint32_t i = 0; i < geometry_.erase_bytes; ++i) {
        std::byte& cell = octets_[at + i];
        if (!is_torn) cell = geometry_.erased;
        if (is_torn && how == 0) cell |= Garbage();                       // Some bits have risen.
        if (is_torn && how == 1 && i < prefix) cell = geometry_.erased;   // From the front on.
        if (is_torn && how == 2) cell = Garbage();                        // Cells at their limit.
        if (is_torn && how == 3 && i >= prefix) cell = geometry_.erased;  // From the back on.
    }
}

EmmcFlash::EmmcFlash(std::uint32_t sectors, std::uint32_t erase_bytes)
    : FlashEmulator({.erase_bytes = erase_bytes, .program_bytes = kUnit, .sectors = sectors}) {}

void EmmcFlash::Keep(std::uint32_t at) {
    const std::byte* const first = octets_.data() + at;
    before_.try_emplace(at, first, first + kUnit);
}

void EmmcFlash::DoProgram(std::uint32_t at, std::span<const std::byte> octets, bool /*is_torn*/) {
    for (std::uint32_t unit = 0; unit < octets.size(); unit += kUnit) {
        Keep(at + unit);
    }
    std::copy(octets.begin(), octets.end(), octets_.data() + at);
}

void EmmcFlash::DoErase(std::uint32_t at, bool /*is_torn*/) {
    for (std::uint32_t unit = 0; unit < geometry_.erase_bytes; unit += kUnit) {
        Keep(at + unit);
    }
    std::fill_n(octets_.data() + at, geometry_.erase_bytes, geometry_.erased);
}

void EmmcFlash::DoFlush(bool is_torn) {
    if (!is_torn) before_.clear();
}

void EmmcFlash::LosePower() {
    for (const auto& [at, old] : before_) {
        const std::uint32_t how = Draw(3);
        if (how == 0) std::copy(old.begin(), old.end(), octets_.data() + at);
        for (std::uint32_t i = 0; how == 1 && i < kUnit; ++i) {
            octets_[at + i] = Garbage();
        }
    }
    before_.clear();
}

}  // namespace ember::testing
