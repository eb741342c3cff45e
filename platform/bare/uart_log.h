// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the journal to the serial line.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/log/journal.h"

namespace ember::bare {

/// Renders notes and says them over the UART, as "12.345678 warning: sentence".
class UartLog {
public:
    explicit UartLog(std::span<const std::string_view> engines) : engines_(engines) {}

    /// Says all that is new; notes that were overwritten before they were read are counted in a
    /// line.
    void Drain(const Journal& journal);

private:
    std::span<const std::string_view> engines_;
    std::uint64_t cursor_ = 0;
};

}  // namespace ember::bare
