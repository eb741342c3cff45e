// SPDX-License-Identifier: Apache-2.0
// EmberSM: the serial line: all that a machine without an operating system can say.
#pragma once

#include <string_view>

namespace ember::bare {

/// Writes to the PL011, with a carriage return before each line feed. Waits while the device has no
/// room, which at 115,200 baud is 87 us an octet: for reports, not for the time between two steps.
/// (ARM DDI 0183, 3.3.)
void Say(std::string_view text);

}  // namespace ember::bare
