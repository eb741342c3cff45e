// SPDX-License-Identifier: Apache-2.0
// EmberSM: octets written in letters, as in PEM files.
#include "config/blob/base64.h"

namespace ember {
namespace {

/// The six bits a character stands for, or -1.
constexpr int Sextet(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    if (c == '/') return 63;
    return -1;
}

constexpr bool IsBlank(char c) {
    return c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

}  // namespace

Result<std::size_t> DecodeBase64(std::string_view text, std::span<std::uint8_t> octets) {
    std::uint32_t bits = 0;
    unsigned bit_count = 0;
    std::size_t octet_count = 0;
    for (const char c : text) {
        if (IsBlank(c) || c == '=') continue;
        const int sextet = Sextet(c);
        if (sextet < 0) return Status::kMalformed;
        bits = bits << 6U | static_cast<std::uint32_t>(sextet);
        bit_count += 6;
        if (bit_count < 8) continue;
        bit_count -= 8;
        if (octet_count == octets.size()) return Status::kFull;
        octets[octet_count++] = static_cast<std::uint8_t>(bits >> bit_count);
    }
    return octet_count;
}

}  // namespace ember
