// SPDX-License-Identifier: Apache-2.0
// EmberSM: two NOR chips side by side that speak the Intel/Sharp command set, and fail on demand.
#include "tests/support/cfi_emulator.h"

#include <algorithm>

namespace ember::testing {
namespace {

constexpr std::uint32_t kLocked = 1U << 1U;
constexpr std::uint32_t kProgramError = 1U << 4U;
constexpr std::uint32_t kEraseError = 1U << 5U;

std::uint32_t SectorOf(std::uint32_t at) {
    return at / CfiEmulator::kSectorBytes;
}

}  // namespace

CfiEmulator::CfiEmulator() {
    const auto put = [this](std::size_t at, std::initializer_list<unsigned> octets) {
        std::transform(octets.begin(), octets.end(), answer.begin() + static_cast<long>(at),
                       [](unsigned octet) { return static_cast<std::uint8_t>(octet); });
    };
    put(0x10, {'Q', 'R', 'Y', 1, 0, 0x40, 0});
    put(0x27, {16, 2, 0, 5, 0, 1});      // 64 KiB a chip, x16, buffers of 32 octets, one region:
    put(0x2D, {kSectors - 1, 0, 8, 0});  // 32 sectors of 2 KiB.
    put(0x40, {'P', 'R', 'I', '1', '3', 0, 0, 0, 0});
}

std::uint32_t CfiEmulator::Load(std::uint32_t at) {
    ++accesses_;
    ++now_us_;
    if (at % 4 != 0 || at >= kBytes) Misuse();
    Finish();
    if (IsAtWork()) return status_ & ~kReady;
    if (awaits_ == Awaits::kCount) return full_buffers > 0 ? 0 : kReady;
    if (awaits_ != Awaits::kCommand) Misuse();
    if (mode_ == Mode::kStatus) return status_;
    if (mode_ == Mode::kArray) return words[at / 4];
    const std::uint32_t octet = at / 4 < answer.size() ? answer[at / 4] : 0;
    return (octet ^ second_answers) << 16U | octet;
}

void CfiEmulator::Store(std::uint32_t at, std::uint32_t word) {
    ++accesses_;
    ++now_us_;
    if (at % 4 != 0 || at >= kBytes) Misuse();
    Finish();
    if (is_deaf_) return;
    if (IsAtWork()) return;  // Status is told anyway; all else is not heard.
    if (awaits_ == Awaits::kWord || awaits_ == Awaits::kData) return HearData(at, word);
    if (word != Both(word & 0xFFFFU)) Misuse();
    Hear(at, word & 0xFFFFU);
}

void CfiEmulator::Hear(std::uint32_t at, std::uint32_t command) {
    if (awaits_ == Awaits::kCommand) return HearCommand(at, command);
    if (awaits_ != Awaits::kCount) return HearConfirmation(at, command);
    if (full_buffers > 0) {  // There is no buffer: it is a command again.
        --full_buffers;
        awaits_ = Awaits::kCommand;
        return HearCommand(at, command);
    }
    left_ = command + 1;
    if (left_ > kBufferBytes / 4 || SectorOf(at) != SectorOf(begun_at_)) Misuse();
    awaits_ = Awaits::kData;
}

void CfiEmulator::HearCommand(std::uint32_t at, std::uint32_t command) {
    begun_at_ = at;
    switch (command) {
        case 0xFF:
            mode_ = Mode::kArray;
            return;
        case 0x98:
            mode_ = Mode::kQuery;
            return;
        case 0x50:
            status_ = kReady;
            return;
        case 0x70:
            break;
        case 0x20:
            awaits_ = Awaits::kErase;
            break;
        case 0x60:
            awaits_ = Awaits::kLock;
            break;
        case 0x40:
            awaits_ = Awaits::kWord;
            break;
        case 0xE8:
            buffer_.clear();
            awaits_ = Awaits::kCount;
            break;
        default:
            Misuse();
    }
    mode_ = Mode::kStatus;
}

void CfiEmulator::HearConfirmation(std::uint32_t at, std::uint32_t command) {
    const Awaits awaited = awaits_;
    awaits_ = Awaits::kCommand;
    if (command != 0xD0 || SectorOf(at) != SectorOf(begun_at_)) {
        Misuse();
        status_ |= Both(kEraseError | kProgramError);
        return;
    }
    if (awaited == Awaits::kLock) locked.erase(SectorOf(at));
    if (awaited == Awaits::kErase) Begin(Kind::kErase, at, erase_us);
    if (awaited == Awaits::kBuffer) {
        ++buffers_;
        work_.data = buffer_;
        Begin(Kind::kProgram, begun_at_, program_us);
    }
}

void CfiEmulator::HearData(std::uint32_t at, std::uint32_t word) {
    if (awaits_ == Awaits::kWord) {
        if (at != begun_at_) Misuse();
        awaits_ = Awaits::kCommand;
        work_.data = {word};
        Begin(Kind::kProgram, at, program_us);
        return;
    }
    if (buffer_.empty()) begun_at_ = at;
    if (at != begun_at_ + buffer_.size() * 4) Misuse();
    if (at / kBufferBytes != begun_at_ / kBufferBytes) Misuse();
    buffer_.push_back(word);
    if (--left_ == 0) awaits_ = Awaits::kBuffer;
}

void CfiEmulator::Begin(Kind kind, std::uint32_t at, std::uint64_t takes_us) {
    if ((status_ & ~kReady) != 0) Misuse();  // Errors of before were not cleared.
    const bool is_locked = locked.contains(SectorOf(at));
    if (is_locked) status_ |= Both(kLocked | (kind == Kind::kErase ? kEraseError : kProgramError));
    if (is_locked) return;
    work_.kind = kind;
    work_.at = at;
    work_.until_us = now_us_ + takes_us;
}

/// Ends the work under way when its time has come.
void CfiEmulator::Finish() {
    if (!IsAtWork() || hangs_ || now_us_ < work_.until_us) return;
    if (work_.kind == Kind::kErase) ++erasures_;
    if (next_error == 0) Apply(work_.kind == Kind::kErase ? kSectorBytes / 4 : work_.data.size());
    status_ |= next_error;
    next_error = 0;
    work_ = {};
}

void CfiEmulator::Apply(std::size_t words_done) {
    if (work_.kind == Kind::kErase) {
        const std::uint32_t first = SectorOf(work_.at) * kSectorBytes / 4;
        std::fill_n(words.data() + first, words_done, 0xFFFFFFFF);
        return;
    }
    for (std::size_t i = 0; i < words_done; ++i) {
        std::uint32_t& word = words[work_.at / 4 + i];
        if (word != 0xFFFFFFFF) Misuse();
        word &= work_.data[i];
    }
}

void CfiEmulator::CutPower() {
    if (IsAtWork()) Apply(work_.kind == Kind::kErase ? kSectorBytes / 8 : work_.data.size() / 2);
    work_ = {};
    mode_ = Mode::kArray;
    awaits_ = Awaits::kCommand;
    status_ = kReady;
}

}  // namespace ember::testing
