// SPDX-License-Identifier: Apache-2.0
// EmberSM: octets written in letters, as in PEM files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/status.h"

namespace ember {

/// Decodes `text` to the front of `octets` and returns how many there are. Blanks and line ends are
/// passed over, and so is padding, for the count already says where the end is. kMalformed: another
/// character; kFull: `octets` is too small. RFC 4648, 4.
[[nodiscard]] Result<std::size_t> DecodeBase64(std::string_view text,
                                               std::span<std::uint8_t> octets);

}  // namespace ember
