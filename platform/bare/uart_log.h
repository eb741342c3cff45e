// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the log to the serial line.
#pragma once

#include <cstdint>

#include "core/log/log.h"
#include "core/log/render.h"

namespace ember::bare {

/// Renders notes and says them over the UART, as "12.345678 warning: sentence [code]".
class UartLog {
public:
    explicit UartLog(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

    /// Says all that is new; notes that were overwritten before they were read are counted in a
    /// line.
    void Drain(const Log& log);

private:
    void SayNote(const LogRecord& record) const;

    Vocabulary vocabulary_;
    std::uint64_t cursor_ = 0;
};

}  // namespace ember::bare
