// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a configuration blob to Settings, trusting nothing in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "config/blob/option_files.h"
#include "config/blob/public_key.h"
#include "core/settings/settings.h"

namespace ember {

// clang-format off
/// The verdict on a blob.
enum class [[nodiscard]] BlobVerdict : std::uint8_t {
    kAccepted,
    kAbsent,            ///< There was none.
    kTruncated,         ///< The blob ends before its header says.
    kNoBlob,            ///< The octets do not begin as a blob, or go on behind it.
    kUnknownContainer,  ///< Made for a newer layout or another signature scheme.
    kUnsigned,          ///< The blob has no signature.
    kOtherKey,          ///< The header names another signer than the one trusted here.
    kForged,            ///< The signature does not fit: it was changed after it was signed.
    kBadKey,            ///< The trusted key itself is no point of P-256.
    kUnknownSchema,     ///< Made for a newer schema: it may hold what is not understood here.
    kStale,             ///< Older than the last accepted one.
    kSameCounter,       ///< As old as the confirmed one, and another: see LoadConfiguration().
    kMalformed,         ///< Signed, and yet no proper FlatBuffers buffer.
    kOutOfRange,        ///< Signed, and yet a value is not allowed: BlobReport::field tells which.
    kTooLarge,          ///< Its tables take more than the OptionRoom: BlobReport::room_bytes.
    kRolledBack,        ///< The blob was on trial before, and the subnet did not come up with it.
    kNotEnforceable,    ///< The blob limits bandwidths, which this board's devices do not take.
    kNoCrypto,          ///< The crypto library could not work: no entropy or no memory.
};
// clang-format on

/// The verdict in a sentence for operators, without a full stop.
[[nodiscard]] std::string_view Explain(BlobVerdict verdict);

/// The verdict and what is known beyond it.
struct BlobReport {
    BlobVerdict verdict = BlobVerdict::kAbsent;
    std::string_view field;     ///< Of opensm.conf; empty unless kOutOfRange.
    std::uint64_t counter = 0;  ///< As the header says; believe it only of a signed blob.
    std::uint32_t schema_version = 0;
    KeyId key_id{};              ///< Of the signer it names.
    std::size_t room_bytes = 0;  ///< Octets of an OptionRoom that its tables take; 0: not known.

    [[nodiscard]] constexpr bool accepted() const { return verdict == BlobVerdict::kAccepted; }
};

/// Checks a blob in this order: lengths, magic, versions, signer, signature, schema version,
/// counter, FlatBuffers structure, the range of every value, the size of its tables. Only then
/// `settings` and `room` are written; `blob` may then be forgotten, the room may not.
///
/// `blob` must begin at a multiple of 8 (an assertion). Takes no heap: Mbed TLS works in the
/// CryptoPool. A blob as old as `oldest_counter` is accepted, or a switch could not start twice
/// with the same one. `settings` nullptr: neither it nor the room is written.
[[nodiscard]] BlobReport ReadBlob(std::span<const std::byte> blob, const PublicKey& key,
                                  std::uint64_t oldest_counter, OptionRoom room,
                                  Settings* settings);
[[nodiscard]] inline BlobReport ReadBlob(std::span<const std::byte> blob, const PublicKey& key,
                                         std::uint64_t oldest_counter, OptionRoom room,
                                         Settings& settings) {
    return ReadBlob(blob, key, oldest_counter, room, &settings);
}

/// Takes the settings of a blob that ReadBlob() accepted for the same room with nullptr, and whose
/// octets are still the same. The signature is not checked again: it costs a management CPU
/// more than all else that a start does.
void TakeJudgedBlob(std::span<const std::byte> blob, OptionRoom room, Settings& settings);

}  // namespace ember
