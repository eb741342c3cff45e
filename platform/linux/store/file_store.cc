// SPDX-License-Identifier: Apache-2.0
// EmberSM: a few octets that survive a power loss, as files.

#include "platform/linux/store/file_store.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/base/be.h"
#include "core/base/crc32.h"
#include "platform/linux/system/files.h"
#include "platform/local/linux/descriptor.h"

namespace ember {

namespace {

constexpr std::uint32_t kMagic = 0x454D5352;  // "EMSR"
constexpr std::uint16_t kVersion = 1;

struct Header {
    Be<std::uint32_t> magic;
    Be<std::uint16_t> version;
    Be<std::uint16_t> slot;
    Be<std::uint64_t> length;
    Be<std::uint32_t> octets_crc;
    Be<std::uint32_t> header_crc;  // Of the octets of the header before it.
};
static_assert(WireStruct<Header>);
static_assert(sizeof(Header) == 24);

struct Names {
    const char* file;
    const char* fresh;
};

Names NamesOf(StoreSlot slot) {
    switch (slot) {
        case StoreSlot::kGuidToLid:
            return {"guid-to-lid", "guid-to-lid.new"};
        case StoreSlot::kConfigurationCounter:
            return {"configuration-counter", "configuration-counter.new"};
        case StoreSlot::kConfigurationBlob:
            return {"configuration-blob", "configuration-blob.new"};
        case StoreSlot::kConfigurationOther:
            return {"configuration-other", "configuration-other.new"};
        case StoreSlot::kConfigurationTrial:
            return {"configuration-trial", "configuration-trial.new"};
        case StoreSlot::kMKeys:
            return {"m-keys", "m-keys.new"};
    }
    EMBER_ASSERT(false);
    return {"", ""};
}

bool WriteAll(int fd, std::span<const std::byte> octets) {
    while (!octets.empty()) {  // Ends: every turn writes at least one octet or gives up.
        const ssize_t wrote = write(fd, octets.data(), octets.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        octets = octets.subspan(static_cast<std::size_t>(wrote));
    }
    return true;
}

bool ReadAll(int fd, std::span<std::byte> octets) {
    while (!octets.empty()) {  // Ends: every turn reads at least one octet or gives up.
        const ssize_t got = read(fd, octets.data(), octets.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        octets = octets.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

std::span<const std::byte> BeforeOwnCrc(const Header& header) {
    return std::as_bytes(std::span(&header, 1)).first(offsetof(Header, header_crc));
}

Header Describe(StoreSlot slot, std::span<const std::byte> octets) {
    Header header{kMagic,        kVersion,      static_cast<std::uint16_t>(slot),
                  octets.size(), Crc32(octets), std::uint32_t{0}};
    header.header_crc = Crc32(BeforeOwnCrc(header));
    return header;
}

}  // namespace

FileStore::~FileStore() {
    if (directory_ >= 0) close(directory_);
}

std::string FileStore::Open(const std::string& directory) {
    return OpenStateDirectory(directory, directory_);
}

Status FileStore::Save(StoreSlot slot, std::span<const std::byte> octets) {
    const Names names = NamesOf(slot);
    const Header header = Describe(slot, octets);
    {
        const Descriptor fresh(OpenFreshFile(directory_, names.fresh, 0600));
        if (fresh.number() < 0) return Status::kDevice;
        if (!WriteAll(fresh.number(), std::as_bytes(std::span(&header, 1)))) return Status::kDevice;
        if (!WriteAll(fresh.number(), octets)) return Status::kDevice;
        if (fsync(fresh.number()) < 0) return Status::kDevice;
    }
    if (renameat(directory_, names.fresh, directory_, names.file) < 0) return Status::kDevice;
    // A directory on a file system that cannot flush one (EINVAL) has done what it could.
    if (fsync(directory_) < 0 && errno != EINVAL) return Status::kDevice;
    return Status::kOk;
}

Result<std::size_t> FileStore::Load(StoreSlot slot, std::span<std::byte> octets) {
    const Descriptor file(OpenRegularFile(directory_, NamesOf(slot).file, O_NOFOLLOW));
    if (file.number() < 0) return errno == ENOENT ? Status::kAbsent : Status::kDevice;
    Header header{};
    if (!ReadAll(file.number(), std::as_writable_bytes(std::span(&header, 1)))) {
        return Status::kMalformed;
    }
    const bool known = header.magic == kMagic && header.version == kVersion &&
                       header.slot == static_cast<std::uint16_t>(slot);
    if (!known || header.header_crc != Crc32(BeforeOwnCrc(header))) return Status::kMalformed;
    if (std::uint64_t{header.length} > octets.size()) return Status::kFull;
    const auto length = static_cast<std::size_t>(std::uint64_t{header.length});
    if (!ReadAll(file.number(), octets.first(length))) return Status::kMalformed;
    std::byte beyond{};
    if (read(file.number(), &beyond, 1) != 0) return Status::kMalformed;
    if (header.octets_crc != Crc32(octets.first(length))) return Status::kMalformed;
    return length;
}

}  // namespace ember
