// SPDX-License-Identifier: Apache-2.0
// EmberSM: NOR flash of the Intel/Sharp command set, recognised by CFI.

#include "platform/bare/cfi_flash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/base/assert.h"

namespace ember::bare {
namespace {

constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);
constexpr std::uint32_t kChips = 2;

// Commands of sets 1 and 3 (Intel, "Common Flash Interface (CFI) and Command Sets").
constexpr std::uint32_t kReadArray = 0xFF;
constexpr std::uint32_t kQuery = 0x98;
constexpr std::uint32_t kReadStatus = 0x70;
constexpr std::uint32_t kClearStatus = 0x50;
constexpr std::uint32_t kEraseSetup = 0x20;
constexpr std::uint32_t kProgramWord = 0x40;
constexpr std::uint32_t kBufferSetup = 0xE8;
constexpr std::uint32_t kLockSetup = 0x60;
constexpr std::uint32_t kConfirm = 0xD0;
constexpr std::uint32_t kQueryWord = 0x55;  // Where the query is written, in words.

// The status of a chip.
constexpr std::uint32_t kReady = 1U << 7U;
/// Erase (5), program (4), supply (3), locked (1).
constexpr std::uint32_t kErrors = 1U << 5U | 1U << 4U | 1U << 3U | 1U << 1U;

// The answer to the query, by its offsets (JESD68).
constexpr std::size_t kSignature = 0x10;
constexpr std::size_t kCommandSet = 0x13;
constexpr std::size_t kExtension = 0x15;
constexpr std::size_t kChipBytesLog2 = 0x27;
constexpr std::size_t kBufferBytesLog2 = 0x2A;
constexpr std::size_t kRegions = 0x2C;
constexpr std::size_t kFirstRegion = 0x2D;
constexpr std::size_t kRegionBytes = 4;
constexpr std::size_t kMostRegions = 4;
constexpr std::size_t kAnswerBytes = kFirstRegion + kMostRegions * kRegionBytes;
constexpr std::uint32_t kLeastChipLog2 = 12;
constexpr std::uint32_t kMostChipLog2 = 30;  // Two of them are 2 GiB.
// In the extended table: "PRI", and what the chip can do.
constexpr std::size_t kFeatures = 5;
constexpr std::uint32_t kInstantLocking = 1U << 5U;

/// The same to or of both chips.
constexpr std::uint32_t Both(std::uint32_t half) {
    return half << 16U | half;
}

}  // namespace

/// The answer of both chips, octet by octet.
struct CfiFlash::Answer {
    std::array<std::uint8_t, kAnswerBytes> octets{};
    std::uint8_t features = 0;

    [[nodiscard]] std::uint32_t At(std::size_t at) const { return octets[at]; }
    [[nodiscard]] std::uint32_t Pair(std::size_t at) const { return At(at + 1) << 8U | At(at); }
    [[nodiscard]] bool IsOne() const {
        return At(kSignature) == 'Q' && At(kSignature + 1) == 'R' && At(kSignature + 2) == 'Y';
    }
};

void CfiFlash::Command(std::uint32_t at, std::uint32_t command) {
    bus_.Store(at, Both(command));
}

/// Asks, and leaves the chips as memory again. kAbsent: no answer, or two different ones.
Status CfiFlash::ReadAnswer(Answer& answer) {
    Command(part_at_, kReadArray);
    Command(part_at_ + kQueryWord * kWordBytes, kQuery);
    bool is_same = true;
    const auto read = [&](std::size_t at) {
        const std::uint32_t word = bus_.Load(static_cast<std::uint32_t>(at) * kWordBytes);
        is_same = is_same && word == Both(word & 0xFFU);
        return static_cast<std::uint8_t>(word);
    };
    for (std::size_t at = kSignature; at < answer.octets.size(); ++at) {
        answer.octets[at] = read(at);
    }
    const std::size_t table = answer.Pair(kExtension);
    if (answer.IsOne() && table >= kFirstRegion && table + kFeatures <= 0xFF) {
        const bool is_table =
            read(table) == 'P' && read(table + 1) == 'R' && read(table + 2) == 'I';
        if (is_table) answer.features = read(table + kFeatures);
    }
    Command(part_at_, kReadArray);
    return is_same && answer.IsOne() ? Status::kOk : Status::kAbsent;
}

/// Walks the regions of one sector size each, which must be the whole chip, to the one that `part`
/// lies in.
bool CfiFlash::FindSectors(const Answer& answer, std::uint32_t bank_bytes, const CfiPart& part) {
    const std::uint32_t log2 = answer.At(kChipBytesLog2);
    const std::uint32_t regions = answer.At(kRegions);
    if (log2 < kLeastChipLog2 || log2 > kMostChipLog2) return false;
    if (regions == 0 || regions > kMostRegions) return false;
    const std::uint64_t device_bytes = std::uint64_t{kChips} << log2;
    const std::uint64_t part_end = std::uint64_t{part.at} + part.bytes;
    if (part.bytes == 0 || part_end > std::min<std::uint64_t>(bank_bytes, device_bytes)) {
        return false;
    }
    geometry_ = {};
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < regions; ++i) {
        const std::size_t at = kFirstRegion + i * kRegionBytes;
        const std::uint64_t sectors = std::uint64_t{answer.Pair(at)} + 1;
        const std::uint32_t size = answer.Pair(at + 2);  // In 256 octets, and 0 is 128.
        const std::uint32_t sector_bytes = kChips * (size == 0 ? 128 : size * 256);
        const std::uint64_t end = begin + sectors * sector_bytes;
        if (!std::has_single_bit(sector_bytes)) return false;
        const bool is_inside = part.at >= begin && part_end <= end;
        if (is_inside && (part.at - begin) % sector_bytes == 0 && part.bytes % sector_bytes == 0) {
            geometry_ = {sector_bytes, kWordBytes, part.bytes / sector_bytes, std::byte{0xFF}};
        }
        begin = end;
    }
    return begin == device_bytes && geometry_.sectors != 0;
}

Status CfiFlash::Open(std::uint32_t bank_bytes, const CfiPart& part) {
    if (part.at % kWordBytes != 0 || part.bytes <= kQueryWord * kWordBytes) {
        return Status::kMalformed;
    }
    part_at_ = part.at;
    job_ = {};
    is_working_ = false;
    Answer answer;
    if (ReadAnswer(answer) != Status::kOk) {
        if (!is_opening_) deadline_us_ = clock_.NowUs() + kEraseUs;
        is_opening_ = clock_.NowUs() < deadline_us_;
        return is_opening_ ? Status::kBusy : Status::kAbsent;
    }
    is_opening_ = false;
    const std::uint32_t set = answer.Pair(kCommandSet);
    if (set != 1 && set != 3) return Status::kUnknown;
    if (!FindSectors(answer, bank_bytes, part)) return Status::kMalformed;
    has_instant_locks_ = (answer.features & kInstantLocking) != 0;
    const std::uint32_t log2 = answer.Pair(kBufferBytesLog2);
    // No buffer, or none that is worth it: word by word. No more than a sector has, at any rate.
    buffer_bytes_ = kWordBytes;
    if (log2 >= 2 && log2 <= kMostChipLog2) {
        buffer_bytes_ = std::min(kChips << log2, kMostBufferBytes);
    }
    buffer_bytes_ = std::min(buffer_bytes_, geometry_.erase_bytes);
    return Status::kOk;
}

/// The chips have been told to work, and say nothing but their status from now on.
void CfiFlash::BeginWork(std::uint32_t at, std::uint64_t limit_us) {
    is_working_ = true;
    work_at_ = at;
    deadline_us_ = clock_.NowUs() + limit_us;
}

/// Chips of this kind wake up with every sector locked. Unlocking takes no time.
void CfiFlash::Unlock(std::uint32_t at) {
    Command(at, kClearStatus);
    if (!has_instant_locks_) return;
    Command(at, kLockSetup);
    Command(at, kConfirm);
}

/// kOk: the chips are memory; how their work ended is in the job. kBusy: not yet. kDevice: they
/// have not been ready for longer than they may.
Status CfiFlash::Flush() {
    if (!is_working_) return Status::kOk;
    for (unsigned i = 0; i < kPolls; ++i) {
        const std::uint32_t status = bus_.Load(work_at_);
        if ((status & Both(kReady)) != Both(kReady)) continue;
        is_working_ = false;
        const bool failed = (status & Both(kErrors)) != 0;
        if (failed) job_.verdict = Status::kDevice;
        if (failed) Command(work_at_, kClearStatus);
        Command(work_at_, kReadArray);
        return Status::kOk;
    }
    if (clock_.NowUs() < deadline_us_) return Status::kBusy;
    // Lest they have lost the command that makes them tell their status. The task is lost, whenever
    // they come back.
    Command(work_at_, kReadStatus);
    job_ = {};
    return Status::kDevice;
}

/// Tells the caller, once, how the task ended.
Status CfiFlash::Close() {
    const Status verdict = job_.verdict;
    job_ = {};
    return verdict;
}

Status CfiFlash::Read(std::uint32_t at, std::span<std::byte> octets) {
    EMBER_ASSERT(std::uint64_t{at} + octets.size() <= part_bytes());
    EMBER_TRY(Flush());
    std::size_t done = 0;
    while (done < octets.size()) {  // Ends: every turn copies something.
        const auto from = static_cast<std::uint32_t>(part_at_ + at + done);
        const std::uint32_t offset = from % kWordBytes;
        const std::uint32_t word = bus_.Load(from - offset);
        std::array<std::byte, kWordBytes> read{};
        std::memcpy(read.data(), &word, read.size());
        const std::size_t count = std::min<std::size_t>(kWordBytes - offset, octets.size() - done);
        std::memcpy(&octets[done], &read[offset], count);
        done += count;
    }
    return Status::kOk;
}

Status CfiFlash::BeginErase(std::uint32_t at, std::uint32_t bytes) {
    EMBER_TRY(Flush());
    job_ = {.task = Task::kErase, .at = at, .bytes = bytes};
    Unlock(part_at_ + at);
    Command(part_at_ + at, kEraseSetup);
    Command(part_at_ + at, kConfirm);
    BeginWork(part_at_ + at, kEraseUs);
    return Status::kOk;
}

Status CfiFlash::Erase(std::uint32_t sector) {
    EMBER_ASSERT(sector < geometry_.sectors);
    const std::uint32_t at = sector * geometry_.erase_bytes;
    const std::uint32_t bytes = geometry_.erase_bytes;
    if (!job_.Is(Task::kErase, at, bytes)) EMBER_TRY(BeginErase(at, bytes));
    EMBER_TRY(Flush());
    return Close();
}

/// The answer to the command says whether the chips have a buffer free. kBusy: not yet; kDevice:
/// they should have by now.
Status CfiFlash::TakeBuffer(std::uint32_t at) {
    for (unsigned i = 0; i < kPolls; ++i) {
        Command(at, kBufferSetup);
        if ((bus_.Load(at) & Both(kReady)) != Both(kReady)) continue;
        job_.buffer_by_us = 0;
        return Status::kOk;
    }
    Command(at, kReadArray);
    const std::uint64_t now_us = clock_.NowUs();
    if (job_.buffer_by_us == 0) job_.buffer_by_us = now_us + kProgramUs;
    if (now_us < job_.buffer_by_us) return Status::kBusy;
    job_ = {};
    return Status::kDevice;
}

/// Begins with the next octets, as many as go at once; what goes at once never crosses a multiple
/// of the buffer's size.
Status CfiFlash::ProgramPiece(std::span<const std::byte> octets) {
    const std::uint32_t at = part_at_ + job_.at + job_.done;
    const std::uint32_t bytes =
        std::min(job_.bytes - job_.done, buffer_bytes_ - at % buffer_bytes_);
    const std::uint32_t words = bytes / kWordBytes;
    const bool is_buffered = buffer_bytes_ != kWordBytes;
    Unlock(at);
    if (is_buffered) EMBER_TRY(TakeBuffer(at));
    Command(at, is_buffered ? words - 1 : kProgramWord);
    for (std::uint32_t i = 0; i < words; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, &octets[job_.done + i * kWordBytes], sizeof(word));
        bus_.Store(at + i * kWordBytes, word);
    }
    if (is_buffered) Command(at, kConfirm);
    job_.done += bytes;
    BeginWork(at, kProgramUs);
    return Status::kOk;
}

Status CfiFlash::Program(std::uint32_t at, std::span<const std::byte> octets) {
    EMBER_ASSERT(at % kWordBytes == 0 && octets.size() % kWordBytes == 0);
    EMBER_ASSERT(std::uint64_t{at} + octets.size() <= part_bytes());
    Status status = Flush();
    if (status != Status::kOk) return status;
    const auto bytes = static_cast<std::uint32_t>(octets.size());
    if (!job_.Is(Task::kProgram, at, bytes)) {
        job_ = {.task = Task::kProgram, .at = at, .bytes = bytes};
    }
    while (status == Status::kOk && job_.verdict == Status::kOk && job_.done < bytes) {
        status = ProgramPiece(octets);  // Ends: every turn programs something.
        if (status == Status::kOk) status = Flush();
    }
    return status == Status::kOk ? Close() : status;
}

}  // namespace ember::bare
