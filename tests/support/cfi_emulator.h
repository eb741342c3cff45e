// SPDX-License-Identifier: Apache-2.0
// EmberSM: two NOR chips side by side that speak the Intel/Sharp command set, and fail on demand.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "core/platform.h"
#include "platform/bare/cfi_flash.h"

namespace ember::testing {

/// Both chips get the same commands: what is told to one alone is misuse, as is everything that a
/// data sheet does not allow, and is counted. Every access takes a microsecond of the clock.
///
/// Programming takes bits from 1 to 0 and never back. Erasing and programming take their time, in
/// which the chips hear no command and tell their status; a power cut in it leaves a sector half
/// erased, a buffer half programmed.
class CfiEmulator final : public bare::CfiBus, public Clock {
public:
    static constexpr std::uint32_t kSectorBytes = 4096;  ///< Of the bank, so half of it a chip.
    static constexpr std::uint32_t kSectors = 32;
    static constexpr std::uint32_t kBytes = kSectorBytes * kSectors;
    static constexpr std::uint32_t kBufferBytes = 64;

    CfiEmulator();

    [[nodiscard]] std::uint32_t Load(std::uint32_t at) override;
    void Store(std::uint32_t at, std::uint32_t word) override;
    [[nodiscard]] std::uint64_t NowUs() const override { return now_us_; }

    /// The answer to the query, octet by octet; free to be changed.
    std::array<std::uint8_t, 0x60> answer{};
    /// Bits by which the second chip's answer to the query differs.
    std::uint8_t second_answers = 0;
    /// So long erasing and programming take.
    std::uint64_t erase_us = 50;
    std::uint64_t program_us = 5;
    /// Errors that the next work ends with: bits of the status, of both chips (Both()) or of one.
    std::uint32_t next_error = 0;
    /// Commands for a buffer that are told to wait.
    std::uint64_t full_buffers = 0;
    /// Only what was unlocked is erased and programmed.
    std::set<std::uint32_t> locked;

    /// Nothing is ever ready any more, or is again.
    void Hang(bool hangs) { hangs_ = hangs; }
    /// No command is heard at all: this is no flash.
    void BeDeaf() { is_deaf_ = true; }
    /// Work under way is left in between, and the chips begin anew.
    void CutPower();
    void Wait(std::uint64_t us) { now_us_ += us; }

    [[nodiscard]] std::uint64_t accesses() const { return accesses_; }
    [[nodiscard]] std::uint64_t misuses() const { return misuses_; }
    [[nodiscard]] std::uint64_t erasures() const { return erasures_; }
    [[nodiscard]] std::uint64_t buffers() const { return buffers_; }
    [[nodiscard]] bool is_array() const { return mode_ == Mode::kArray && !IsAtWork(); }
    [[nodiscard]] bool IsAtWork() const { return work_.kind != Kind::kNone; }
    std::vector<std::uint32_t> words = std::vector<std::uint32_t>(kBytes / 4, 0xFFFFFFFF);

    static constexpr std::uint32_t kReady = 0x00800080;
    [[nodiscard]] static constexpr std::uint32_t Both(std::uint32_t half) {
        return half << 16U | half;
    }

private:
    enum class Mode : std::uint8_t { kArray, kStatus, kQuery };
    enum class Awaits : std::uint8_t { kCommand, kErase, kLock, kWord, kCount, kData, kBuffer };
    enum class Kind : std::uint8_t { kNone, kErase, kProgram };
    struct Work {
        Kind kind = Kind::kNone;
        std::uint32_t at = 0;
        std::uint64_t until_us = 0;
        std::vector<std::uint32_t> data;
    };

    void Hear(std::uint32_t at, std::uint32_t command);
    void HearCommand(std::uint32_t at, std::uint32_t command);
    void HearConfirmation(std::uint32_t at, std::uint32_t command);
    void HearData(std::uint32_t at, std::uint32_t word);
    void Begin(Kind kind, std::uint32_t at, std::uint64_t takes_us);
    void Finish();
    void Apply(std::size_t words_done);
    void Misuse() { ++misuses_; }

    Mode mode_ = Mode::kArray;
    Awaits awaits_ = Awaits::kCommand;
    std::uint32_t status_ = kReady;
    std::uint32_t begun_at_ = 0;
    std::uint32_t left_ = 0;
    std::vector<std::uint32_t> buffer_;
    Work work_;
    std::uint64_t now_us_ = 0;
    std::uint64_t accesses_ = 0;
    std::uint64_t misuses_ = 0;
    std::uint64_t erasures_ = 0;
    std::uint64_t buffers_ = 0;
    bool hangs_ = false;
    bool is_deaf_ = false;
};

}  // namespace ember::testing
