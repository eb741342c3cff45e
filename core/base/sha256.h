// SPDX-License-Identifier: Apache-2.0
// EmberSM: SHA-256, and authentication codes made with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ember {

/// SHA-256 of octets that are handed over piece by piece. FIPS 180-4.
///
/// Signatures of configurations go through the PSA API, which is initialised and left for each of
/// them and draws entropy each time. A manager that authenticates thousands of datagrams a second
/// needs a function that keeps no state outside its object.
class Sha256Hash {
public:
    using Digest = std::array<std::uint8_t, 32>;

    void Add(std::span<const std::byte> octets);
    /// The digest of all that was added. The object is not to be used any more.
    [[nodiscard]] Digest Finish();

private:
    void TakeBlock();

    std::array<std::uint32_t, 8> state_{0x6A09E667U, 0xBB67AE85U, 0x3C6EF372U, 0xA54FF53AU,
                                        0x510E527FU, 0x9B05688CU, 0x1F83D9ABU, 0x5BE0CD19U};
    std::array<std::uint8_t, 64> block_{};
    std::size_t used_ = 0;  ///< Of block_.
    std::uint64_t octets_ = 0;
};

/// A message authentication code: the first half of HMAC-SHA-256. RFC 2104, 5 permits the cut.
using MacCode = std::array<std::uint8_t, 16>;

/// A key of HMAC-SHA-256, as the two states that every code begins from. RFC 2104.
class MacKey {
public:
    /// Any number of octets; more than 64 are replaced by their digest.
    explicit MacKey(std::span<const std::byte> key);

    [[nodiscard]] MacCode Of(std::span<const std::byte> message) const;
    /// Compares in a time that does not depend on where the codes differ.
    [[nodiscard]] bool Fits(std::span<const std::byte> message, const MacCode& code) const;

private:
    Sha256Hash inner_;
    Sha256Hash outer_;
};

}  // namespace ember
