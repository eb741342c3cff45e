// SPDX-License-Identifier: Apache-2.0
// EmberSM: settings into FlatBuffers, and back for people to look at.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/value.h"

namespace ember::emberc {

/// The payload of a blob. `values` are in the order of Keys(); the same values and contents give
/// the same octets.
[[nodiscard]] std::vector<std::byte> WritePayload(std::span<const Value> values,
                                                  const OptionContents& contents = {});

/// The values of a payload, defaults filled in; nothing if it is no valid buffer. For showing only:
/// ranges are not checked.
[[nodiscard]] std::optional<std::vector<Value>> ReadPayloadValues(
    std::span<const std::byte> payload);

}  // namespace ember::emberc
