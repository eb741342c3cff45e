// SPDX-License-Identifier: Apache-2.0
// EmberSM: the answers of the control socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "config/blob/load_configuration.h"
#include "core/storage.h"
#include "core/subnet_manager.h"
#include "platform/linux/json_writer.h"

namespace ember {

/// What became of the configuration that was given at the start.
struct ConfigurationReport {
    bool given = false;      ///< There was a key, and so perhaps a blob that it fits.
    std::size_t octets = 0;  ///< Of the blob that was handed in.
    ConfigurationOutcome outcome{};
};

/// One sentence on it, without a full stop.
void AddConfiguration(FixedText& text, const ConfigurationReport& report);

/// The members of an answer to `status`; the caller opens and closes the object.
void AddStatus(JsonWriter& json,
               const SubnetManager& sm,
               const ConfigurationReport& configuration,
               std::uint64_t uptime_us);

/// The members of an answer to `memory`.
void AddMemory(JsonWriter& json, const SubnetManager& sm, std::span<const MemoryRow> rows);

}  // namespace ember
