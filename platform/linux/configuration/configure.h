// SPDX-License-Identifier: Apache-2.0
// EmberSM: the configuration that a process starts with.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "config/blob/load_configuration.h"
#include "core/platform.h"
#include "core/settings/settings.h"
#include "platform/common/configuration_report.h"

namespace ember {

/// Buffers for a blob that is handed in and for one that the store keeps, and the room for the
/// tables of either, which stay when it has been read. A larger blob is refused.
struct ConfigurationRoom {
    std::span<std::byte> supplied;
    std::span<std::byte> work;
    OptionRoom tables;
};

/// The static memory behind one, for blobs of up to `kBytes`; what is not used is never resident.
/// There are two rooms for tables: those in force are never written to.
template <std::size_t kBytes>
class ConfigurationMemory {
public:
    [[nodiscard]] ConfigurationRoom room() { return {supplied_, work_, {tables_}}; }
    [[nodiscard]] OptionRoom other_tables() { return {other_tables_}; }

    static constexpr std::size_t kBlobBytes = 2 * kBytes;
    static constexpr std::size_t kTableBytes = 2 * OptionRoomBytesFor(kBytes);

private:
    // Static, so the system zeroes them.
    alignas(64) std::array<std::byte, kBytes> supplied_;
    alignas(64) std::array<std::byte, kBytes> work_;
    alignas(64) std::array<std::byte, OptionRoomBytesFor(kBytes)> tables_;
    alignas(64) std::array<std::byte, OptionRoomBytesFor(kBytes)> other_tables_;
};

/// The files that the command line names; an empty name is no file.
struct ConfigurationFiles {
    const std::string& blob;
    const std::string& public_key;
};

/// Fills `settings` from the files named and from what `store` kept. Their tables are in `room`,
/// which must not be that of settings in force. Empty: done, and `report` tells how. Else one
/// sentence on why the subnet manager must not start: a file that cannot be read, or a blob that is
/// refused while no earlier one can take its place. To run with defaults instead could join what
/// the configuration keeps apart.
[[nodiscard]] std::string Configure(const ConfigurationFiles& files, Store& store,
                                    const ConfigurationRoom& room, Settings& settings,
                                    ConfigurationReport& report);

}  // namespace ember
