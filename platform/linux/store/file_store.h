// SPDX-License-Identifier: Apache-2.0
// EmberSM: a few octets that survive a power loss, as files.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/platform.h"

namespace ember {

/// A store of one file a slot in a state directory.
///
/// A file is a header (magic, version, slot, length, CRC-32 of the octets and of the header
/// itself, all most significant octet first) and the octets. Save() writes a new file beside the
/// old one, flushes it, renames it over the old one and flushes the directory: at any moment the
/// old octets or the new ones are there, whole. Load() believes nothing that does not check.
class FileStore final : public Store {
public:
    FileStore() = default;
    FileStore(const FileStore&) = delete;
    FileStore& operator=(const FileStore&) = delete;
    ~FileStore();

    /// Opens the directory, and makes it (mode 0700) when only its last part is missing. An empty
    /// answer is success; else one sentence without a full stop.
    [[nodiscard]] std::string Open(const std::string& directory);

    Status Save(StoreSlot slot, std::span<const std::byte> octets) override;
    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override;

private:
    int directory_ = -1;
};

}  // namespace ember
