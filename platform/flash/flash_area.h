// SPDX-License-Identifier: Apache-2.0
// EmberSM: who owns an area of flash memory, and how it is divided.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/platform.h"
#include "platform/flash/flash_device.h"
#include "platform/flash/flash_store.h"

namespace ember {

/// The room that a slot needs in an area.
struct FlashNeed {
    StoreSlot slot{};
    std::uint32_t octets = 0;        ///< The largest save there will be.
    std::uint32_t least_octets = 0;  ///< The least that it must have; the same: it must have all.
    std::uint8_t copies = 2;         ///< As FlashRegion has it.
};

/// An area with a label: which region is whose. An area without a label of ours is somebody else's,
/// and nothing is written there unless Format() is called.
///
/// The label stands in the first sector and again in the last, and is written last of all when an
/// area is formatted, so that one that was begun and not ended has no owner. When one of the two is
/// damaged the other counts, and Mend() writes it again.
class FlashArea {
public:
    /// Whose an area is.
    enum class Owner : std::uint8_t {
        kOurs,     ///< regions() is filled.
        kNobody,   ///< Every octet is erased.
        kForeign,  ///< The area holds something else.
        kNewer,    ///< Ours, by a later release.
        kMoved,    ///< Ours, of another size or on a device that was cut otherwise.
    };

    explicit FlashArea(FlashDevice& device) : device_(device) {}
    FlashArea(const FlashArea&) = delete;
    FlashArea& operator=(const FlashArea&) = delete;

    /// Reads the labels, and where there is none the whole area. kDevice: it could not be read.
    Result<Owner> Look();
    /// As the label has them. Only when it is kOurs, or was formatted.
    [[nodiscard]] std::span<const FlashRegion> regions() const {
        return std::span(regions_).first(region_count_);
    }
    /// A label is damaged, and Mend() writes it again. kBusy: call it again.
    [[nodiscard]] bool needs_mending() const { return damaged_ != kNone; }
    Status Mend();

    /// Divides the area as `needs` say and writes the labels: everything else is erased. kFull: it
    /// is too small, and nothing was done. kBusy: call it again.
    Status Format(std::span<const FlashNeed> needs);

    /// The octets that an area must have at least for `needs`, labels included.
    [[nodiscard]] static std::uint64_t LeastBytes(const FlashGeometry& geometry,
                                                  std::span<const FlashNeed> needs);

private:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    /// Of Format(): which label it is at.
    enum class Phase : std::uint8_t { kErasing, kBehind, kFront };
    enum class Reading : std::uint8_t { kGood, kNewer, kMoved, kNoLabel };
    Result<Reading> ReadLabel(std::uint32_t sector);
    Result<bool> IsBlank(std::uint32_t sector);
    Result<bool> IsAllBlank();
    bool Divide(std::span<const FlashNeed> needs);
    Status EraseUnlessBlank(std::uint32_t sector);
    Status EraseAll();
    Status ProgramLabel(std::uint32_t sector);
    Status WriteLabel(std::uint32_t sector);

    FlashDevice& device_;
    std::array<FlashRegion, FlashStore::kMaxRegions> regions_{};
    std::size_t region_count_ = 0;
    std::uint32_t damaged_ = kNone;  ///< The sector of a label.
    Phase phase_ = Phase::kErasing;
    bool is_programmed_ = false;  ///< The label at hand, and not yet flushed.
    std::array<std::byte, FlashStore::kMaxProgramBytes> unit_{};
};

}  // namespace ember
