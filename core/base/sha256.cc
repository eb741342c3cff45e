// SPDX-License-Identifier: Apache-2.0
// EmberSM: SHA-256, and authentication codes made with it.
#include "core/base/sha256.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"
#include "core/base/be.h"

namespace ember {
namespace {

/// FIPS 180-4, 4.2.2.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428A2F98U, 0x71374491U, 0xB5C0FBCFU, 0xE9B5DBA5U, 0x3956C25BU, 0x59F111F1U, 0x923F82A4U,
    0xAB1C5ED5U, 0xD807AA98U, 0x12835B01U, 0x243185BEU, 0x550C7DC3U, 0x72BE5D74U, 0x80DEB1FEU,
    0x9BDC06A7U, 0xC19BF174U, 0xE49B69C1U, 0xEFBE4786U, 0x0FC19DC6U, 0x240CA1CCU, 0x2DE92C6FU,
    0x4A7484AAU, 0x5CB0A9DCU, 0x76F988DAU, 0x983E5152U, 0xA831C66DU, 0xB00327C8U, 0xBF597FC7U,
    0xC6E00BF3U, 0xD5A79147U, 0x06CA6351U, 0x14292967U, 0x27B70A85U, 0x2E1B2138U, 0x4D2C6DFCU,
    0x53380D13U, 0x650A7354U, 0x766A0ABBU, 0x81C2C92EU, 0x92722C85U, 0xA2BFE8A1U, 0xA81A664BU,
    0xC24B8B70U, 0xC76C51A3U, 0xD192E819U, 0xD6990624U, 0xF40E3585U, 0x106AA070U, 0x19A4C116U,
    0x1E376C08U, 0x2748774CU, 0x34B0BCB5U, 0x391C0CB3U, 0x4ED8AA4AU, 0x5B9CCA4FU, 0x682E6FF3U,
    0x748F82EEU, 0x78A5636FU, 0x84C87814U, 0x8CC70208U, 0x90BEFFFAU, 0xA4506CEBU, 0xBEF9A3F7U,
    0xC67178F2U};

using Words = std::array<Be<std::uint32_t>, 16>;

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLengthAt = kBlockBytes - sizeof(std::uint64_t);

}  // namespace

void Sha256Hash::TakeBlock() {
    const auto words = std::bit_cast<Words>(block_);
    std::array<std::uint32_t, kRounds.size()> w{};
    std::copy(words.begin(), words.end(), w.begin());
    for (std::size_t i = words.size(); i < w.size(); ++i) {
        const std::uint32_t early =
            std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3U;
        const std::uint32_t late =
            std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10U;
        w[i] = w[i - 16] + early + w[i - 7] + late;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < w.size(); ++i) {
        const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t one = h + s1 + ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
        const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t two = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const std::array<std::uint32_t, 8> sum{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < sum.size(); ++i) {
        state_[i] += sum[i];
    }
    used_ = 0;
}

void Sha256Hash::Add(std::span<const std::byte> octets) {
    octets_ += octets.size();
    for (const std::byte octet : octets) {
        block_[used_++] = static_cast<std::uint8_t>(octet);
        if (used_ == block_.size()) TakeBlock();
    }
}

Sha256Hash::Digest Sha256Hash::Finish() {
    const Be<std::uint64_t> bits = octets_ * 8;
    block_[used_++] = 0x80;
    if (used_ > kLengthAt) {
        std::fill(block_.begin() + static_cast<std::ptrdiff_t>(used_), block_.end(),
                  std::uint8_t{0});
        TakeBlock();
    }
    std::fill(block_.begin() + static_cast<std::ptrdiff_t>(used_), block_.end(), std::uint8_t{0});
    const auto length = std::bit_cast<std::array<std::uint8_t, sizeof(bits)>>(bits);
    std::copy(length.begin(), length.end(), block_.begin() + kLengthAt);
    TakeBlock();
    std::array<Be<std::uint32_t>, 8> words{};
    std::copy(state_.begin(), state_.end(), words.begin());
    return std::bit_cast<Digest>(words);
}

MacKey::MacKey(std::span<const std::byte> key) {
    std::array<std::uint8_t, kBlockBytes> block{};
    if (key.size() > block.size()) {
        Sha256Hash hash;
        hash.Add(key);
        const Sha256Hash::Digest digest = hash.Finish();
        std::copy(digest.begin(), digest.end(), block.begin());
    } else {
        std::transform(key.begin(), key.end(), block.begin(),
                       [](std::byte octet) { return static_cast<std::uint8_t>(octet); });
    }
    auto masked = block;
    for (std::uint8_t& octet : masked) {
        octet ^= std::uint8_t{0x36};
    }
    inner_.Add(std::as_bytes(std::span(masked)));
    for (std::uint8_t& octet : block) {
        octet ^= std::uint8_t{0x5C};
    }
    outer_.Add(std::as_bytes(std::span(block)));
}

MacCode MacKey::Of(std::span<const std::byte> message) const {
    Sha256Hash inner = inner_;
    inner.Add(message);
    const Sha256Hash::Digest digest = inner.Finish();
    Sha256Hash outer = outer_;
    outer.Add(std::as_bytes(std::span(digest)));
    const Sha256Hash::Digest whole = outer.Finish();
    MacCode code{};
    std::copy_n(whole.begin(), code.size(), code.begin());
    return code;
}

bool MacKey::Fits(std::span<const std::byte> message, const MacCode& code) const {
    const MacCode right = Of(message);
    std::uint8_t differs = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        differs |= static_cast<std::uint8_t>(right[i] ^ code[i]);
    }
    return differs == 0;
}

}  // namespace ember
