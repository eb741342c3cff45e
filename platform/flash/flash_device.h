// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a flash memory has to offer so that something can be kept in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/status.h"

namespace ember {

/// How a flash memory is cut.
struct FlashGeometry {
    std::uint32_t erase_bytes = 0;    ///< A sector: what is erased at once. A multiple of the next.
    std::uint32_t program_bytes = 0;  ///< A unit: programmed at once. A power of two, 4096 at most.
    std::uint32_t sectors = 0;        ///< So many that their octets are less than 2^32.
    std::byte erased{0xFF};           ///< The value of an erased octet.
};

/// A flash memory, or the part of one that is ours: a NOR or NAND chip behind its driver, an eMMC
/// partition, a file. A port to a switch implements this.
///
/// Any call may be answered kBusy: the device is at work on it, call again with the same arguments;
/// kDevice: it failed, and the octets it was about may be anything. No call blocks longer than a
/// step of the subnet manager may take.
///
/// Power may be lost at any moment. All that was programmed or erased before the last Flush() that
/// said kOk is safe, and so is everything in program units that no later call was about. All else
/// may be as it was, as it should have become, or anything in between, unit by unit and bit by bit.
class FlashDevice {
public:
    /// Never changes.
    [[nodiscard]] virtual FlashGeometry geometry() const = 0;

    /// Fills `octets` from the octet `at` on, which is inside the device; any alignment.
    virtual Status Read(std::uint32_t at, std::span<std::byte> octets) = 0;

    /// Programs erased units: both `at` and the number of octets are multiples of program_bytes.
    virtual Status Program(std::uint32_t at, std::span<const std::byte> octets) = 0;

    /// Erases one sector.
    virtual Status Erase(std::uint32_t sector) = 0;

    /// Waits for nothing to be in a cache any more. A device without one says kOk.
    virtual Status Flush() = 0;

protected:
    ~FlashDevice() = default;
};

}  // namespace ember
