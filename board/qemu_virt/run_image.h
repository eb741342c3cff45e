// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an image for QEMU's machine "virt" does.
#pragma once

#include <string_view>

namespace ember {

/// Verifies the configuration in flash memory, composes a subnet manager and a simulated fabric of
/// 64 switches, brings the subnet up, says the summary over the UART, cuts a cable and looks
/// whether traffic heals. Returns the verdict to exit with, a platform/bare Ending. To be called
/// once.
///
/// `board` is for the first line.
[[nodiscard]] int RunImage(std::string_view board);

}  // namespace ember
