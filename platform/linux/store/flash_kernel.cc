// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is asked of the kernel about a flash memory.
#include "platform/linux/store/flash_kernel.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ember {
namespace {

class RealKernel final : public FlashKernel {};
RealKernel real_kernel;

}  // namespace

FlashKernel& TheFlashKernel() {
    return real_kernel;
}

FlashKind FlashKernel::KindOf(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) < 0) return FlashKind::kNothing;
    if (S_ISREG(about.st_mode)) return FlashKind::kFile;
    if (S_ISBLK(about.st_mode)) return FlashKind::kBlock;
    return S_ISCHR(about.st_mode) ? FlashKind::kMtd : FlashKind::kOther;
}

int FlashKernel::Open(const std::string& path, FlashKind kind) {
    const int exclusive = kind == FlashKind::kBlock ? O_EXCL : 0;
    return open(path.c_str(), O_RDWR | O_CLOEXEC | exclusive);
}

void FlashKernel::Close(int fd) {
    close(fd);
}

/// A lock of the open file, not of the process: it goes with the descriptor, and only with it.
int FlashKernel::Lock(int fd, std::uint64_t offset, std::uint64_t bytes) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(offset);
    lock.l_len = static_cast<off_t>(bytes);
    return fcntl(fd, F_OFD_SETLK, &lock);
}

std::int64_t FlashKernel::SizeOf(int fd) {
    return lseek(fd, 0, SEEK_END);
}

int FlashKernel::Control(int fd, unsigned long request, void* argument) {  // NOLINT: as ioctl(2).
    return ioctl(fd, request, argument);
}

ssize_t FlashKernel::Read(int fd, std::span<std::byte> octets, std::uint64_t at) {
    return pread(fd, octets.data(), octets.size(), static_cast<off_t>(at));
}

ssize_t FlashKernel::Write(int fd, std::span<const std::byte> octets, std::uint64_t at) {
    return pwrite(fd, octets.data(), octets.size(), static_cast<off_t>(at));
}

int FlashKernel::Sync(int fd) {
    return fdatasync(fd);
}

}  // namespace ember
