// SPDX-License-Identifier: Apache-2.0
// EmberSM: NOR flash of the Intel/Sharp command set, recognised by CFI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/status.h"
#include "core/platform.h"
#include "platform/flash/flash_device.h"

namespace ember::bare {

/// Two chips of 16 bits side by side as the processor has them: words of 32 bits, in each of which
/// the lower half is one chip's and the upper half the other's.
class CfiBus {
public:
    /// The word that begins at the octet `at` of the bank, a multiple of 4.
    [[nodiscard]] virtual std::uint32_t Load(std::uint32_t at) = 0;
    virtual void Store(std::uint32_t at, std::uint32_t word) = 0;

protected:
    ~CfiBus() = default;
};

/// The part of a bank that is ours to write. Nothing is written outside of it, commands included.
struct CfiPart {
    std::uint32_t at = 0;
    std::uint32_t bytes = 0;
};

/// NOR flash behind the common flash interface, with the command set 1 or 3 (Intel, Sharp; QEMU's
/// pflash_cfi01).
///
/// A chip that programs or erases answers every read with its status, wherever that goes; so there
/// is one thing at a time, and Read() says kBusy meanwhile. No call waits: it looks kPolls times
/// whether the chips are done, says kBusy if they are not, and finds out when it is asked again.
/// How long that may go on is not the chips' to say: after kEraseUs or kProgramUs the answer is
/// kDevice, and so it stays until they are ready after all. An error in the status of either chip
/// is kDevice, and is cleared, so that the next call begins anew.
class CfiFlash final : public FlashDevice {
public:
    /// Several times what data sheets have as their maximum.
    static constexpr std::uint64_t kEraseUs = 10'000'000;
    static constexpr std::uint64_t kProgramUs = 100'000;
    /// Looks at the status that one call takes.
    static constexpr unsigned kPolls = 32;
    /// The most that is programmed at once, however large the chips' buffers.
    static constexpr std::uint32_t kMostBufferBytes = 512;

    CfiFlash(CfiBus& bus, const Clock& clock) : bus_(bus), clock_(clock) {}
    CfiFlash(const CfiFlash&) = delete;
    CfiFlash& operator=(const CfiFlash&) = delete;

    /// Asks the chips what they are. kBusy: they are still at what was begun before a restart, or
    /// do not answer yet; call it again. kAbsent: no answer in kEraseUs, or two different ones.
    /// kUnknown: another command set. kMalformed: what they say of their sizes does not add up, or
    /// `part` is not made of whole sectors of one size inside of `bank_bytes` and of the chips.
    Status Open(std::uint32_t bank_bytes, const CfiPart& part);

    // As FlashDevice says, and only after Open() said kOk.
    [[nodiscard]] FlashGeometry geometry() const override { return geometry_; }
    Status Read(std::uint32_t at, std::span<std::byte> octets) override;
    Status Program(std::uint32_t at, std::span<const std::byte> octets) override;
    Status Erase(std::uint32_t sector) override;
    Status Flush() override;

    /// Octets that go into the chips' buffers at once; 4: they have none.
    [[nodiscard]] std::uint32_t buffer_bytes() const { return buffer_bytes_; }

private:
    enum class Task : std::uint8_t { kNone, kErase, kProgram };
    /// The task that was asked for last, kept until the caller has heard how it ended.
    struct Job {
        Task task = Task::kNone;
        std::uint32_t at = 0;  ///< In the part.
        std::uint32_t bytes = 0;
        std::uint32_t done = 0;
        std::uint64_t buffer_by_us = 0;  ///< Until then a buffer must be free; 0: one was.
        Status verdict = Status::kOk;
        [[nodiscard]] bool Is(Task other, std::uint32_t from, std::size_t size) const {
            return task == other && at == from && bytes == size;
        }
    };
    struct Answer;

    [[nodiscard]] std::uint64_t part_bytes() const {
        return std::uint64_t{geometry_.erase_bytes} * geometry_.sectors;
    }
    void Command(std::uint32_t at, std::uint32_t command);
    Status ReadAnswer(Answer& answer);
    bool FindSectors(const Answer& answer, std::uint32_t bank_bytes, const CfiPart& part);
    void BeginWork(std::uint32_t at, std::uint64_t limit_us);
    void Unlock(std::uint32_t at);
    Status BeginErase(std::uint32_t at, std::uint32_t bytes);
    Status Close();
    Status ProgramPiece(std::span<const std::byte> octets);
    Status TakeBuffer(std::uint32_t at);

    CfiBus& bus_;
    const Clock& clock_;
    FlashGeometry geometry_;
    std::uint32_t part_at_ = 0;
    std::uint32_t buffer_bytes_ = 0;
    bool has_instant_locks_ = false;
    bool is_opening_ = false;
    Job job_;
    bool is_working_ = false;  ///< The chips answer with their status.
    std::uint32_t work_at_ = 0;
    std::uint64_t deadline_us_ = 0;
};

/// A bank of flash memory at an address, mapped as device memory: aligned accesses of 32 bits, in
/// their order, each of them made.
class MappedCfiBus final : public CfiBus {
public:
    explicit MappedCfiBus(volatile std::uint32_t* words) : words_(words) {}
    [[nodiscard]] std::uint32_t Load(std::uint32_t at) override {
        return words_[at / sizeof(std::uint32_t)];
    }
    void Store(std::uint32_t at, std::uint32_t word) override {
        words_[at / sizeof(std::uint32_t)] = word;
    }

private:
    volatile std::uint32_t* words_;
};

}  // namespace ember::bare
