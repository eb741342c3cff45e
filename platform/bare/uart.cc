// SPDX-License-Identifier: Apache-2.0
// EmberSM: the serial line.

#include "platform/bare/uart.h"

#include <bit>
#include <cstdint>

#include "platform/bare/machine.h"

namespace ember::bare {
namespace {

volatile std::uint32_t& Register(std::uintptr_t offset) {
    return *std::bit_cast<volatile std::uint32_t*>(kUartAddress + offset);
}

constexpr std::uintptr_t kData = 0x00;
constexpr std::uintptr_t kFlags = 0x18;
constexpr std::uint32_t kTransmitterFull = 1U << 5U;

void Send(char octet) {
    while ((Register(kFlags) & kTransmitterFull) != 0) {  // Ends: the line takes what it is given.
    }
    Register(kData) = static_cast<std::uint8_t>(octet);
}

}  // namespace

void Say(std::string_view text) {
    for (const char octet : text) {
        if (octet == '\n') Send('\r');
        Send(octet);
    }
}

}  // namespace ember::bare
