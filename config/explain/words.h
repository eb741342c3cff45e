// SPDX-License-Identifier: Apache-2.0
// EmberSM: the words of a question.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/gid.h"
#include "core/log/fixed_text.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember::explain {

/// Goes through the words of a line. Blanks part them; a word in quotation marks may hold blanks,
/// and no mark: no name of a node has one.
class Words {
public:
    explicit Words(std::string_view line) : rest_(line) {}
    /// False: there is no further word. A mark that is not closed ends with the line.
    [[nodiscard]] bool Next(std::string_view& word);

private:
    std::string_view rest_;
};

/// Decimal, or hexadecimal behind "0x"; nothing may follow. False: it is none, or above `most`.
[[nodiscard]] bool ReadNumber(std::string_view text, std::uint64_t most, std::uint64_t& number);
/// Hexadecimal, with or without "0x", up to 64 bits.
[[nodiscard]] bool ReadHex(std::string_view text, std::uint64_t& number);
/// An address of IPv6, as GIDs are written: ff12:401b:ffff::ffff:ffff, or 0x and 32 digits.
[[nodiscard]] bool ReadGid(std::string_view text, Gid& gid);
/// Octets: 256, 512, 1024, 2048 or 4096.
[[nodiscard]] bool ReadMtu(std::string_view text, Mtu& mtu);
/// Gb/s as RateWord() says it: 2.5, 10, 14, 25, ...
[[nodiscard]] bool ReadRate(std::string_view text, Rate& rate);

/// Octets of a packet's payload; 0 for no MTU.
[[nodiscard]] std::uint32_t OctetsOf(Mtu mtu);
/// A rate in Gb/s; empty for no rate.
[[nodiscard]] std::string_view RateWord(Rate rate);
/// Writes a GID as RFC 5952 does not: eight groups of four digits.
void AddGid(FixedText& text, const Gid& gid);

}  // namespace ember::explain
