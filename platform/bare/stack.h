// SPDX-License-Identifier: Apache-2.0
// EmberSM: how deep the stack went.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace ember::bare {

/// The octet that the start-up code fills the stack with. A frame that happens to end in such
/// octets is not seen; in a run of any length somebody writes something else there.
inline constexpr std::byte kPaint{0xA5};

/// Octets of `stack`, which grows downwards to its front, that have been written to since it was
/// painted: its high-water mark.
[[nodiscard]] constexpr std::size_t DeepestBytes(std::span<const std::byte> stack) {
    const auto* const first = std::find_if(stack.data(), stack.data() + stack.size(),
                                           [](std::byte octet) { return octet != kPaint; });
    return static_cast<std::size_t>(stack.data() + stack.size() - first);
}

}  // namespace ember::bare
