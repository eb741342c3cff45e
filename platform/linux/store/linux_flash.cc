// SPDX-License-Identifier: Apache-2.0
// EmberSM: a flash memory as Linux offers it.
#include "platform/linux/store/linux_flash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mtd/mtd-user.h>
#include <sys/ioctl.h>  // For the numbers of those requests.

#include "platform/flash/flash_store.h"

namespace ember {
namespace {

constexpr std::array<std::byte, LinuxFlash::kBlockUnitBytes> kZeros{};

std::string Number(std::uint64_t number) {
    return std::to_string(number);
}

/// Why the kernel refused, behind what it refused.
std::string Because(const std::string& what) {
    return what + ": " + std::strerror(errno);
}

}  // namespace

LinuxFlash::~LinuxFlash() {
    if (fd_ >= 0) kernel_.Close(fd_);
}

std::string LinuxFlash::Open(const FlashPart& part) {
    const std::string name = "the flash " + part.path;
    kind_ = kernel_.KindOf(part.path);
    if (kind_ == FlashKind::kNothing) return Because("cannot open " + name);
    if (kind_ == FlashKind::kOther) return name + " is no device and no file";
    fd_ = kernel_.Open(part.path, kind_);
    if (fd_ < 0 && errno == EBUSY) return name + " is mounted, or in use by another process";
    if (fd_ < 0) return Because("cannot open " + name);
    std::uint64_t bytes = 0;
    std::string wrong = FindGeometry(part, bytes);
    if (wrong.empty()) wrong = Choose(part, bytes);
    if (!wrong.empty()) return wrong;
    const std::uint64_t ours = std::uint64_t{geometry_.erase_bytes} * geometry_.sectors;
    if (kernel_.Lock(fd_, offset_, ours) < 0) {
        if (errno == EAGAIN || errno == EACCES) return name + " is in use by another process";
        return Because("cannot lock " + name);
    }
    if (kind_ == FlashKind::kMtd) UnlockMtd();
    return {};
}

std::string LinuxFlash::FindGeometry(const FlashPart& part, std::uint64_t& bytes) {
    if (kind_ == FlashKind::kMtd) return FindMtdGeometry(part, bytes);
    const std::int64_t size = kernel_.SizeOf(fd_);
    if (size < 0) return Because("cannot tell the size of the flash " + part.path);
    bytes = static_cast<std::uint64_t>(size);
    geometry_ = {kBlockEraseBytes, kBlockUnitBytes, 0, std::byte{0}};
    return {};
}

std::string LinuxFlash::FindMtdGeometry(const FlashPart& part, std::uint64_t& bytes) {
    mtd_info_user info{};
    if (kernel_.Control(fd_, MEMGETINFO, &info) < 0) {
        return Because(part.path + " is no memory technology device");
    }
    const std::string name = "the flash " + part.path;
    if (mtd_type_is_nand_user(&info) != 0) {
        return name +
               " is raw NAND, whose bad blocks nobody would step over: make a UBI volume there and "
               "name the device that gluebi gives it";
    }
    if ((info.flags & static_cast<std::uint32_t>(MTD_WRITEABLE)) == 0) {
        return name + " cannot be written";
    }
    int kinds_of_sectors = 0;
    const bool knows = kernel_.Control(fd_, MEMGETREGIONCOUNT, &kinds_of_sectors) == 0;
    if (knows && kinds_of_sectors > 1) {
        return name + " has sectors of several sizes: name a partition of it";
    }
    const std::uint32_t unit = std::max<std::uint32_t>(info.writesize, 1);
    const bool fits = std::has_single_bit(unit) && unit <= FlashStore::kMaxProgramBytes &&
                      info.erasesize != 0 &&
                      info.erasesize % std::max(unit, FlashStore::kLeastEraseBytes) == 0;
    if (!fits) {
        return name + " is erased by " + Number(info.erasesize) + " octets and written by " +
               Number(info.writesize) + ", which cannot be used";
    }
    bytes = info.size;
    geometry_ = {info.erasesize, unit, 0, std::byte{0xFF}};
    return {};
}

/// The part of the device that is ours.
std::string LinuxFlash::Choose(const FlashPart& part, std::uint64_t bytes) {
    const std::string name = "the flash " + part.path;
    const std::uint64_t sector = geometry_.erase_bytes;
    const std::uint64_t wanted =
        part.bytes != 0 || part.offset > bytes ? part.bytes : bytes - part.offset;
    if (part.offset > bytes || wanted > bytes - part.offset) {
        return name + " has " + Number(bytes) + " octets: the part named is not inside";
    }
    if (part.offset % sector != 0 || part.bytes % sector != 0) {
        return name + " has sectors of " + Number(sector) +
               " octets: the part named must begin and end with one";
    }
    if (wanted < sector) return name + " has no whole sector of " + Number(sector) + " octets";
    if (wanted > kMaxBytes) {
        return name + " is larger than 1 GiB: name a part of it, FILE:OFFSET:BYTES";
    }
    const auto highest = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
    if (part.offset > highest - kMaxBytes) return name + ": nothing so far behind can be reached";
    offset_ = part.offset;
    geometry_.sectors = static_cast<std::uint32_t>(wanted / sector);
    return {};
}

/// Some chips are locked after a reset, others know no locks: what is still locked says so when it
/// is written.
void LinuxFlash::UnlockMtd() {
    erase_info_user ours{static_cast<std::uint32_t>(offset_),
                         geometry_.erase_bytes * geometry_.sectors};
    static_cast<void>(kernel_.Control(fd_, MEMUNLOCK, &ours));
}

Status LinuxFlash::Read(std::uint32_t at, std::span<std::byte> octets) {
    std::uint64_t from = offset_ + at;
    while (!octets.empty()) {  // Ends: every turn reads an octet at least, or gives up.
        const ssize_t got = kernel_.Read(fd_, octets, from);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return Status::kDevice;
        octets = octets.subspan(static_cast<std::size_t>(got));
        from += static_cast<std::uint64_t>(got);
    }
    return Status::kOk;
}

Status LinuxFlash::Program(std::uint32_t at, std::span<const std::byte> octets) {
    std::uint64_t to = offset_ + at;
    while (!octets.empty()) {  // Ends: every turn writes an octet at least, or gives up.
        const ssize_t wrote = kernel_.Write(fd_, octets, to);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return Status::kDevice;
        octets = octets.subspan(static_cast<std::size_t>(wrote));
        to += static_cast<std::uint64_t>(wrote);
    }
    return Status::kOk;
}

Status LinuxFlash::Erase(std::uint32_t sector) {
    const std::uint32_t at = sector * geometry_.erase_bytes;
    if (kind_ == FlashKind::kMtd) {
        erase_info_user range{static_cast<std::uint32_t>(offset_ + at), geometry_.erase_bytes};
        return kernel_.Control(fd_, MEMERASE, &range) == 0 ? Status::kOk : Status::kDevice;
    }
    for (std::uint32_t done = 0; done < geometry_.erase_bytes; done += kBlockUnitBytes) {
        EMBER_TRY(Program(at + done, kZeros));
    }
    return Status::kOk;
}

/// MTD has no cache: what was programmed is in the cells.
Status LinuxFlash::Flush() {
    if (kind_ == FlashKind::kMtd) return Status::kOk;
    return kernel_.Sync(fd_) == 0 ? Status::kOk : Status::kDevice;
}

}  // namespace ember
