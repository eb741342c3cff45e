// SPDX-License-Identifier: Apache-2.0
// EmberSM: a flash memory as Linux offers it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "platform/flash/flash_device.h"
#include "platform/linux/store/flash_kernel.h"

namespace ember {

/// Where the flash memory is that we may use.
struct FlashPart {
    std::string path;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  ///< 0: from there to the end.
};

/// A memory technology device (NOR behind /dev/mtdN), a block device (eMMC), or a plain file.
///
/// MTD is erased by sectors and programmed in its own units, which the driver tells. A block device
/// or file has no erasing: a sector of it is 16 KiB and becomes zeros, and a unit is a page of the
/// kernel's cache, so that what is written out never touches a neighbour.
///
/// Every call waits for the device and never says kBusy: use it on a thread that may wait.
class LinuxFlash final : public FlashDevice {
public:
    static constexpr std::uint32_t kBlockEraseBytes = 16384;
    static constexpr std::uint32_t kBlockUnitBytes = 4096;
    /// A larger part is a mistake, such as a whole eMMC.
    static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30U;

    explicit LinuxFlash(FlashKernel& kernel = TheFlashKernel()) : kernel_(kernel) {}
    LinuxFlash(const LinuxFlash&) = delete;
    LinuxFlash& operator=(const LinuxFlash&) = delete;
    ~LinuxFlash();

    /// Opens the part for this process alone. Empty: it worked; else one sentence without a full
    /// stop. Writes nothing.
    [[nodiscard]] std::string Open(const FlashPart& part);

    // As FlashDevice says, and only after Open() succeeded.
    [[nodiscard]] FlashGeometry geometry() const override { return geometry_; }
    Status Read(std::uint32_t at, std::span<std::byte> octets) override;
    Status Program(std::uint32_t at, std::span<const std::byte> octets) override;
    Status Erase(std::uint32_t sector) override;
    Status Flush() override;

private:
    [[nodiscard]] std::string FindGeometry(const FlashPart& part, std::uint64_t& bytes);
    [[nodiscard]] std::string FindMtdGeometry(const FlashPart& part, std::uint64_t& bytes);
    [[nodiscard]] std::string Choose(const FlashPart& part, std::uint64_t bytes);
    void UnlockMtd();

    FlashKernel& kernel_;
    FlashKind kind_ = FlashKind::kNothing;
    int fd_ = -1;
    std::uint64_t offset_ = 0;
    FlashGeometry geometry_;
};

}  // namespace ember
