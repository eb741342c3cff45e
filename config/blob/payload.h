// SPDX-License-Identifier: Apache-2.0
// EmberSM: the inside of a blob: FlatBuffers structure, ranges, and the copy into Settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/settings.h"

namespace ember {

/// What became of a payload.
struct PayloadReport {
    bool well_formed = false;
    std::uint32_t schema_version = 0;
    std::string_view field_out_of_range;  ///< Empty when every value fits.
};

/// Checks structure and ranges of `payload`, which begins at a multiple of 8. `settings` is written
/// when both hold. No heap, no recursion of our own.
[[nodiscard]] PayloadReport ReadPayload(std::span<const std::byte> payload, Settings& settings);

}  // namespace ember
