// SPDX-License-Identifier: Apache-2.0
// EmberSM: a kernel whose flash memory is emulated.
#pragma once

#include <cerrno>
#include <mtd/mtd-user.h>
#include <sys/ioctl.h>

#include "platform/linux/store/flash_kernel.h"
#include "tests/support/flash_emulator.h"

namespace ember::testing {

/// A NOR chip behind MTD, or an eMMC behind a block device, that lose their power when they are
/// told to.
class EmulatedKernel final : public FlashKernel {
public:
    EmulatedKernel(FlashEmulator& flash, FlashKind kind) : flash_(flash), kind_(kind) {
        const FlashGeometry geometry = flash.geometry();
        info.type = MTD_NORFLASH;
        info.flags = MTD_CAP_NORFLASH;
        info.size = geometry.erase_bytes * geometry.sectors;
        info.erasesize = geometry.erase_bytes;
        info.writesize = geometry.program_bytes;
    }
    virtual ~EmulatedKernel() = default;

    FlashKind KindOf(const std::string& /*path*/) override { return kind_; }
    int Open(const std::string& /*path*/, FlashKind /*kind*/) override { return 1000; }
    void Close(int /*fd*/) override {}
    int Lock(int /*fd*/, std::uint64_t /*offset*/, std::uint64_t /*bytes*/) override { return 0; }
    std::int64_t SizeOf(int /*fd*/) override {
        return static_cast<std::int64_t>(flash_.octets().size());
    }
    int Control(int /*fd*/, unsigned long request, void* argument) override {
        if (request == MEMGETINFO && kind_ == FlashKind::kMtd) {
            *static_cast<mtd_info_user*>(argument) = info;
            return 0;
        }
        if (request == MEMGETREGIONCOUNT) {
            *static_cast<int*>(argument) = kinds_of_sectors;
            return 0;
        }
        const auto* const range = static_cast<const erase_info_user*>(argument);
        if (request == MEMERASE && range->length == info.erasesize) {
            return Answer(flash_.Erase(range->start / info.erasesize));
        }
        if (request == MEMUNLOCK) unlocked = *range;
        errno = EOPNOTSUPP;
        return -1;
    }
    ssize_t Read(int /*fd*/, std::span<std::byte> octets, std::uint64_t at) override {
        if (Stumbles()) return -1;
        const std::span<std::byte> part = octets.first(Part(octets.size()));
        return Answer(flash_.Read(static_cast<std::uint32_t>(at), part), part.size());
    }
    ssize_t Write(int /*fd*/, std::span<const std::byte> octets, std::uint64_t at) override {
        if (Stumbles()) return -1;
        return Answer(flash_.Program(static_cast<std::uint32_t>(at), octets), octets.size());
    }
    int Sync(int /*fd*/) override { return Answer(flash_.Flush()); }

    mtd_info_user info{};
    int kinds_of_sectors = 0;
    erase_info_user unlocked{};
    bool is_halting = false;  ///< Every second call is interrupted, and half is read at once.

private:
    bool Stumbles() {
        stumbled_ = is_halting && !stumbled_;
        if (stumbled_) errno = EINTR;
        return stumbled_;
    }
    [[nodiscard]] std::size_t Part(std::size_t size) const {
        return is_halting && size > 1 ? size / 2 : size;
    }
    static int Answer(Status status) {
        if (status != Status::kOk) errno = EIO;
        return status == Status::kOk ? 0 : -1;
    }
    static ssize_t Answer(Status status, std::size_t octets) {
        return Answer(status) == 0 ? static_cast<ssize_t>(octets) : -1;
    }

    FlashEmulator& flash_;
    FlashKind kind_;
    bool stumbled_ = false;
};

}  // namespace ember::testing
