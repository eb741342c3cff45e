// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is asked of the kernel about a flash memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>

namespace ember {

/// The kind of file that a path names.
enum class FlashKind : std::uint8_t {
    kNothing,  ///< Nothing is there, or it cannot be looked at: errno tells why.
    kFile,     ///< A plain file.
    kBlock,    ///< A block device: eMMC, or a partition of one.
    kMtd,      ///< A character device, which may be one of the memory technology devices.
    kOther,
};

/// The calls by which LinuxFlash reaches a flash memory, all as the kernel has them: a negative
/// answer is a failure, and errno tells which. A test puts others in their place.
class FlashKernel {
public:
    virtual FlashKind KindOf(const std::string& path);
    /// For reading and writing. A block device that is mounted, or that somebody else has so, is
    /// refused with EBUSY.
    virtual int Open(const std::string& path, FlashKind kind);
    virtual void Close(int fd);
    /// Keeps everybody else away who asks likewise, as long as `fd` is open.
    virtual int Lock(int fd, std::uint64_t offset, std::uint64_t bytes);
    /// Octets in a file or block device.
    virtual std::int64_t SizeOf(int fd);
    virtual int Control(int fd, unsigned long request, void* argument);  // NOLINT: as ioctl(2).
    virtual ssize_t Read(int fd, std::span<std::byte> octets, std::uint64_t at);
    virtual ssize_t Write(int fd, std::span<const std::byte> octets, std::uint64_t at);
    virtual int Sync(int fd);

protected:
    ~FlashKernel() = default;
};

/// The kernel underneath.
[[nodiscard]] FlashKernel& TheFlashKernel();

}  // namespace ember
