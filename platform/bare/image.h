// SPDX-License-Identifier: Apache-2.0
// EmberSM: where the linker put the parts of the image.
#pragma once

#include <cstddef>
#include <span>

// Names that the link script of the board defines; only their addresses mean anything.
extern "C" {
extern std::byte __text_begin[];
extern std::byte __text_end[];
extern std::byte __stack_begin[];
extern std::byte __stack_end[];
extern std::byte __heap_begin[];
extern std::byte __heap_end[];
extern std::byte __device_begin[];  // RAM that is mapped as a device; usually there is none.
extern std::byte __device_end[];
extern std::byte __ram_begin[];
extern std::byte __ram_end[];
}

namespace ember::bare {

/// The memory between two names of the link script.
[[nodiscard]] inline std::span<std::byte> Between(std::byte* begin, const std::byte* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace ember::bare
