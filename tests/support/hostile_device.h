// SPDX-License-Identifier: Apache-2.0
// EmberSM: a device that writes what it likes into registers and rings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "platform/local/mailbox_port.h"
#include "platform/local/registers.h"

namespace ember::testing {

/// Follows a script of octets: rubbish in registers and descriptors, now and then something that is
/// nearly right, and in between a host that opens, sends and receives. The memory is exactly as
/// large as the window, so that a sanitizer sees the first octet beside it.
class HostileDevice {
public:
    struct Outcome {
        std::uint64_t received = 0;
        std::uint64_t most_per_call = 0;  ///< Descriptors that one Receive() went over.
        bool wrote_elsewhere = false;     ///< The host wrote a word that is not the host's.
        bool impossible = false;          ///< An envelope came out that no datagram can be.
    };
    [[nodiscard]] static Outcome Play(std::span<const std::uint8_t> script);
};

}  // namespace ember::testing
