// SPDX-License-Identifier: Apache-2.0
// EmberSM: what shall survive a restart, in a flash memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/platform.h"
#include "platform/flash/flash_device.h"

namespace ember {

/// Where a slot lies: `copies` runs of `sectors` sectors each, one behind the other.
struct FlashRegion {
    StoreSlot slot{};
    std::uint32_t first_sector = 0;
    std::uint32_t sectors = 0;  ///< Of one copy; see FlashStore::SectorsFor().
    /// 2: at any moment the old octets or the new ones are there. 1: half of the flash, but power
    /// lost while it is written leaves the slot kAbsent or kMalformed. Enough for the two slots of
    /// configurations, for the one that is in use is never the one that is written.
    std::uint8_t copies = 2;
};

/// A Store in a flash memory that may lose its power at every write.
///
/// A copy of a region is a log of records; the one with the highest sequence number counts. A save
/// appends a record; when it does not fit, or the place for it is not blank, the other copy is
/// erased and begun anew. So the record that counts is never in what is being erased or programmed,
/// and a sector is erased once in as many saves as records fit into two copies. The octets go
/// first, then, when they are safe, the header that makes them count: a save that was cut off has
/// no header, or one whose CRC does not fit. Everything programmed is read back.
///
/// A damaged header is passed over, and records behind it are found; a record whose octets are
/// damaged counts, and is kMalformed, so that nothing older comes to life in silence. Of the table
/// of LIDs the record before it counts then, and fell_back() says so: fewer LIDs move than without
/// any table.
class FlashStore final : public Store {
public:
    static constexpr std::size_t kMaxRegions = 8;
    static constexpr std::uint32_t kHeaderBytes = 32;
    static constexpr std::uint32_t kMaxProgramBytes = 4096;
    /// Sectors have a multiple of so many octets.
    static constexpr std::uint32_t kLeastEraseBytes = 512;

    /// A Save() programs and erases so many times at most and then says kBusy, so that a step stays
    /// short; it goes on when it is asked again. 0: Save() ends what it begins.
    explicit FlashStore(FlashDevice& device, std::uint32_t writes_a_save = 0)
        : device_(device), writes_a_save_(writes_a_save) {}
    FlashStore(const FlashStore&) = delete;
    FlashStore& operator=(const FlashStore&) = delete;

    /// Looks what is there. Reads all headers and the table of LIDs, and so may take a while.
    /// kMalformed: the geometry or
    /// the regions make no sense (outside of the device, one upon the other, a slot twice, more
    /// than kMaxRegions). kDevice: it could not be read.
    Status Open(std::span<const FlashRegion> regions);

    /// Open() found the newest table of LIDs damaged, and an older one that is whole.
    [[nodiscard]] bool fell_back() const { return fell_back_; }

    /// Sectors that a copy needs to hold one save of so many octets.
    [[nodiscard]] static constexpr std::uint32_t SectorsFor(const FlashGeometry& geometry,
                                                            std::uint32_t octets) {
        const std::uint64_t bytes = FootprintOf(octets, GrainOf(geometry));
        return static_cast<std::uint32_t>((bytes + geometry.erase_bytes - 1) /
                                          geometry.erase_bytes);
    }

    /// As Store says. kFull: a copy of the region is too small, or a record was forged that leaves
    /// none a number. kAbsent: the slot has no region.
    /// Other octets than those asked for last begin anew. A single slot is written at a time: the
    /// others are told kBusy, until the owner of that one has not asked for sixteen of their calls.
    Status Save(StoreSlot slot, std::span<const std::byte> octets) override;
    /// While Save() says kBusy this is still what stood there before.
    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override;

private:
    /// Where a record is: offsets count from the beginning of its copy.
    struct Record {
        std::uint64_t sequence = 0;  ///< 0: there is none.
        std::uint32_t at = 0;
        std::uint32_t length = 0;
        std::uint32_t crc = 0;
        std::uint8_t copy = 0;
    };
    struct Place {
        FlashRegion region;
        Record newest;
        std::uint64_t top_sequence = 0;  ///< Of all records met, those that count no more too.
        std::uint32_t end = 0;           ///< Behind the last record of newest.copy.
        bool is_damaged = false;         ///< Something that is no record was met.
    };
    enum class Step : std::uint8_t { kIdle, kErase, kOctets, kSettle, kHeader, kSeal };
    struct Job {
        Step step = Step::kIdle;
        std::size_t place = 0;
        Record record;
        std::uint32_t done = 0;        ///< Sectors erased, or octets programmed.
        std::uint32_t refusals = 0;    ///< Saves of other slots that were told to wait.
        bool is_fresh = false;         ///< The copy was erased for it.
        bool is_last_attempt = false;  ///< There is no other place to try.
    };

    [[nodiscard]] static constexpr std::uint32_t GrainOf(const FlashGeometry& geometry) {
        return geometry.program_bytes > kHeaderBytes ? geometry.program_bytes : kHeaderBytes;
    }
    [[nodiscard]] static constexpr std::uint64_t FootprintOf(std::uint64_t octets,
                                                             std::uint32_t grain) {
        return grain + (octets + grain - 1) / grain * grain;
    }

    /// No record has it: one that says so is none, and the number before it is the last.
    static constexpr std::uint64_t kNoSequence = ~std::uint64_t{0};
    /// More damaged records than these in a row are no accident.
    static constexpr unsigned kMaxFallBacks = 8;
    /// So often another slot has to wait for one whose owner does not ask any more.
    static constexpr std::uint32_t kMaxRefusals = 16;

    /// Behind the erasing, if any.
    [[nodiscard]] Step FirstStep() const {
        return job_.record.length == 0 ? Step::kSettle : Step::kOctets;
    }
    [[nodiscard]] bool IsSound(const FlashRegion& region) const;
    [[nodiscard]] std::uint32_t BytesOf(const FlashRegion& region) const;
    [[nodiscard]] std::uint32_t Address(const Place& place, const Record& record) const;
    Status Scan(Place& place, std::uint8_t copy, std::uint64_t below);
    Status ScanAll(Place& place, std::uint64_t below);
    Result<bool> IsWhole(const Place& place);
    Status FallBack(Place& place);
    Status Recognize(Place& place, Record& record, bool& is_blank);
    [[nodiscard]] Place* Find(StoreSlot slot);

    Status Begin(Place& place, std::span<const std::byte> octets, std::uint32_t crc);
    void TakeOtherCopy(const Place& place);
    [[nodiscard]] std::size_t PieceBytes() const {
        return geometry_.program_bytes > kLeastEraseBytes ? geometry_.program_bytes
                                                          : kLeastEraseBytes;
    }
    Status Advance(std::span<const std::byte> octets);
    Status ProgramOctets(const Place& place, std::span<const std::byte> octets);
    Status ProgramHeader(const Place& place);
    Status ProgramAndCompare(std::uint32_t at, std::span<const std::byte> octets);
    Result<bool> IsBlank(std::uint32_t at, std::uint32_t bytes);

    FlashDevice& device_;
    std::uint32_t writes_a_save_;
    FlashGeometry geometry_;
    std::uint32_t grain_ = 0;
    std::array<Place, kMaxRegions> places_{};
    std::size_t place_count_ = 0;
    bool fell_back_ = false;
    Job job_;
    std::array<std::byte, kMaxProgramBytes> piece_{};  ///< The octets to program next.
};

}  // namespace ember
